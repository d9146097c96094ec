"""Reports in lines of text."""
