"""Printing: an evaluation as text, in one format a file."""
