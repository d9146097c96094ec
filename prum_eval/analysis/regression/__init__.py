"""Regression: values kept in gold files, and what of them moved."""
