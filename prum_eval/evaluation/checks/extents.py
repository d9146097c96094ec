"""Extents that cannot be, each with its line: results and passages that leave documents, documents of two lengths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from prum_eval.collection.forest import forest_of
from prum_eval.errors import InputError, Problems
from prum_eval.evaluation.notices.extents import document_lengths, leaving, passages_past_end, two_lengths
from prum_eval.records.assessments import Assessments
from prum_eval.records.run import Run
from prum_eval.records.structure import Structure


def check_extents(
    runs: Iterable[Run],
    assessments: Assessments | None,
    structure: Structure | None,
    problems: Problems,
    *,
    measured: Mapping[str, int],
) -> None:
    """Report what leaves its document, as far as `measured` texts, else assessments and structure, tell its length."""
    trees = None if structure is None else forest_of(structure.documents)
    lengths = {**document_lengths(assessments, trees), **measured}
    for run in runs:
        found = leaving(run, lengths)
        for line, reason in () if found is None else found.reasons(run):
            problems(InputError(run.path, line, reason))
    if assessments is not None:
        for topic, row, reason in (*passages_past_end(assessments), *two_lengths(assessments, trees)):
            problems(InputError(topic.path, int(topic.lines[row]), reason))
