"""Pages that need no network and no other file."""
