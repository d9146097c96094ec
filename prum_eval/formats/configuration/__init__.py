"""Configuration files: a file a format."""
