"""How measures agree over runs."""
