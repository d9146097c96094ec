"""Pure functions of arrays: distributions of counts, interpolation, sums. No word of retrieval here."""
