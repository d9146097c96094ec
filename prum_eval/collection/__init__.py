"""Document trees as arrays, locations in them, texts of documents, and the building of indexes."""
