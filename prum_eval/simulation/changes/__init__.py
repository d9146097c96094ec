"""What can be done to a list of results: a file an idea, a `Change` for each name that --change knows."""
