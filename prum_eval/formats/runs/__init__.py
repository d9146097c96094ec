"""Runs: a file a format."""
