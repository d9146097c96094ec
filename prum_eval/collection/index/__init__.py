"""Building the index of a collection: sources of every kind to batches of trees, batches to one file."""
