"""Runs and assessments from rows of data: the public door; see `prum_eval.integrations.data_frames`."""

from __future__ import annotations

from prum_eval.integrations.data_frames import assessments_from_rows, run_from_rows

__all__ = ["assessments_from_rows", "run_from_rows"]
