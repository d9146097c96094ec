"""User models: from what a result points to, to what its reader gets to see."""
