"""Bytes to records: reading runs, assessments, collection structures and navigation files."""

from prum_eval.formats.assessments.read import read_assessments
from prum_eval.formats.navigation import read_navigation
from prum_eval.formats.runs.columns import RankBy
from prum_eval.formats.runs.read import read_run
from prum_eval.formats.structures.read import read_structure
from prum_eval.text.streams import display_name, open_input

__all__ = [
    "RankBy",
    "display_name",
    "open_input",
    "read_assessments",
    "read_navigation",
    "read_run",
    "read_structure",
]
