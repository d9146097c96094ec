"""Pictures by matplotlib (extra `plot`)."""
