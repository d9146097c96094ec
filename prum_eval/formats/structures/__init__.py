"""Collection structures: a file a format."""
