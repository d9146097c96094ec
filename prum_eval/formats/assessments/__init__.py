"""Assessments: a file a format."""
