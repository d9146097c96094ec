"""Measures of highlighted text: the passage tasks of INEX 2006-2010."""
