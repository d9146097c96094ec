"""Runs of which the truth is known: made from assessments or from a run, and changed step by step."""
