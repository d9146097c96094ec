"""Measures of chunks: with cut-offs, within budgets, and by the spans that are found."""
