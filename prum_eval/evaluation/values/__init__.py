"""The values of a run where they are not computed topic by topic."""
