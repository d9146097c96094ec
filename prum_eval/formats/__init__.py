"""Bytes to records: reading runs, assessments, collection structures and navigation files."""

from prum_eval.formats.assessments import read_assessments
from prum_eval.formats.navigation import read_navigation
from prum_eval.formats.opening import display_name, open_input
from prum_eval.formats.run_columns import RankBy
from prum_eval.formats.runs import read_run
from prum_eval.formats.structure import read_structure

__all__ = [
    "RankBy",
    "display_name",
    "open_input",
    "read_assessments",
    "read_navigation",
    "read_run",
    "read_structure",
]
