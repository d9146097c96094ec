"""Runs and assessments from rows of data (public names of `prum_eval.formats.rows`)."""

from __future__ import annotations

from prum_eval.formats.rows import assessments_from_rows, run_from_rows, runs_from_rows

__all__ = ["assessments_from_rows", "run_from_rows", "runs_from_rows"]
