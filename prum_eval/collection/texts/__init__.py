"""The texts of documents: of a directory, an archive, or JSON Lines."""
