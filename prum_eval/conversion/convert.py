"""The forms that there are, and the way of an input into one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import cast

import numpy as np

from prum_eval.collection.forest import Forest
from prum_eval.conversion.assessments import as_grades, as_spans
from prum_eval.conversion.highlights import as_passages
from prum_eval.conversion.losses import Loss, LossError, lost, merged
from prum_eval.conversion.rows import keep as keep_rows
from prum_eval.conversion.rows import misplaced_by_score, misplaced_in_trec, scored, without_absent
from prum_eval.conversion.runs import as_documents, as_elements, as_extents, as_single_elements, with_plain_name
from prum_eval.conversion.structures import in_order, numbered, without_links
from prum_eval.conversion.trees import read_trees
from prum_eval.errors import DataError, UsageError
from prum_eval.formats import RankBy
from prum_eval.formats.assessments.json_lines import write_qrels_json
from prum_eval.formats.assessments.text import write_qrels_inex, write_qrels_trec
from prum_eval.formats.given import (
    GivenAssessments,
    GivenRun,
    PathName,
    read_given_assessments,
    read_given_run,
)
from prum_eval.formats.read import read_structure
from prum_eval.formats.runs.json_lines import write_run_json
from prum_eval.formats.runs.lines import write_run_offsets, write_run_paths, write_run_ranges, write_run_trec
from prum_eval.formats.runs.xml import write_run_xml
from prum_eval.formats.structures.text import write_structure_text
from prum_eval.formats.structures.xml import write_structure_xml
from prum_eval.records.assessments import AssessmentKind, Assessments, ElementTopic
from prum_eval.records.run import Run, RunKind
from prum_eval.records.structure import Structure
from prum_eval.tabular import RowValue, Tabular, plural


class Form(StrEnum):
    """What can be written; the name says whether the input is a run, judgements or a structure."""

    RUN_TREC = "run-trec"
    RUN_PATHS = "run-paths"
    RUN_RANGES = "run-ranges"
    RUN_OFFSETS = "run-offsets"
    RUN_XML = "run-xml"
    RUN_JSONL = "run-jsonl"
    QRELS_TREC = "qrels-trec"
    QRELS_INEX = "qrels-inex"
    QRELS_JSONL = "qrels-jsonl"
    STRUCTURE_TEXT = "structure-text"
    STRUCTURE_XML = "structure-xml"


@dataclass(frozen=True, slots=True, repr=False)
class Conversion(Tabular):
    """What `convert` returns: what is written, what was lost on the way, and what else there is to say."""

    form: Form
    content: bytes
    losses: tuple[Loss, ...]
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The content as text."""
        return self.content.decode()

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a kind of loss, with its first line (None where there are no lines)."""
        for loss in self.losses:
            line = loss.line if loss.line > 0 else None
            yield {"file": loss.path, "line": line, "count": loss.count, "lost": loss.what}

    def _summary(self) -> str:
        lost = f", losses: {len(self.losses)}" if self.losses else ""
        return f"{self.form}, {plural(len(self.content.splitlines()), 'line')}{lost}"


_RUN_WRITERS: dict[Form, tuple[RunKind, Callable[[Run], bytes]]] = {
    Form.RUN_TREC: (RunKind.FLAT, write_run_trec),
    Form.RUN_PATHS: (RunKind.ELEMENTS, write_run_paths),
    Form.RUN_RANGES: (RunKind.ELEMENTS, write_run_ranges),
    Form.RUN_OFFSETS: (RunKind.EXTENTS, write_run_offsets),
    Form.RUN_XML: (RunKind.ELEMENTS, write_run_xml),
    Form.RUN_JSONL: (RunKind.EXTENTS, write_run_json),
}
_COLUMNS = (Form.RUN_TREC, Form.RUN_PATHS, Form.RUN_RANGES, Form.RUN_OFFSETS)
_BEFORE = "results that begin before their document: they are left out"


def convert(
    source: GivenRun | GivenAssessments | Structure,
    form: str,
    *,
    structure: PathName | Structure | None = None,
    lossy: bool = False,
    rank_by: str | None = None,
) -> Conversion:
    """Write a run, assessments or a structure in another form.

    >>> from prum_eval import convert
    >>> print(convert({"1": {"tides": 2.0, "moon": 1.0}}, "run-trec").text, end="")
    1 Q0 tides 1 2.0 run
    1 Q0 moon 2 1.0 run

    Args:
        source: a run, assessments or a structure, as `form` says: a path, whose form is recognised by its content, or
            whatever else `prum_eval.evaluate` takes for it.
        form: what to write, as in ``prum-eval convert --help``.
        structure: the collection structure, which turns paths into offsets and back.
        lossy: go on where the form cannot hold all there is.
        rank_by: what orders the results of a run; each form's own rule if not given.

    Raises:
        LossError: something would be lost, and `lossy` is not set.
        InputError: bad data, or a name that the form cannot hold.
        DataError: the structure is needed and not given, or the input has nothing of what the form tells.
        UsageError: no such form, or an option that has no meaning for it.
    """
    if form not in list(Form):
        raise UsageError(f"{form} is no form; there are: {', '.join(Form)}")
    wanted = Form(form)
    if rank_by is not None and wanted not in _RUN_WRITERS:
        raise UsageError(f"{wanted}: only runs are ranked, --rank-by has no meaning")
    if rank_by is not None and rank_by not in list(RankBy):
        raise UsageError(f"rank_by={rank_by}: rank_by is {' or '.join(RankBy)}")
    if wanted in _RUN_WRITERS:
        ranking = RankBy(rank_by) if rank_by is not None else None
        made = _run(read_given_run(cast("GivenRun", source), ranking), wanted, structure)
    elif wanted in (Form.STRUCTURE_TEXT, Form.STRUCTURE_XML):
        if structure is not None:
            raise UsageError(f"{wanted}: the structure is the input itself, --structure has no meaning")
        made = _structure(source if isinstance(source, Structure) else read_structure(str(source)), wanted)
    else:
        made = _judgements(read_given_assessments(cast("GivenAssessments", source)), wanted, structure)
    if made.losses and not lossy:
        raise LossError(wanted, made.losses)
    return made


def _run(run: Run, form: Form, structure: PathName | Structure | None) -> Conversion:
    shape, write = _RUN_WRITERS[form]
    losses: list[Loss] = []
    if form not in (Form.RUN_PATHS, Form.RUN_RANGES, Form.RUN_OFFSETS):
        run, losses = without_absent(run)
    if shape is run.kind:
        own: list[Loss] = []
    elif shape is RunKind.FLAT:
        known = structure is not None and run.kind is RunKind.EXTENTS
        run, own = as_documents(run, read_trees(structure, run.documents) if structure is not None and known else None)
    else:
        if structure is None:
            raise DataError(f"{run.path}: the run gives {run.kind}, {form} needs {shape}: give --structure")
        trees = read_trees(structure, run.documents)
        if shape is RunKind.EXTENTS:
            run, own = as_extents(run, trees)
        else:
            run, own = as_elements(run, trees, ranges=form is Form.RUN_RANGES)
    losses += own
    for step in _steps(form):
        run, own = step(run)
        losses += own
    if not len(run.line):
        raise DataError(f"{run.path}: no result is left that {form} can hold")
    notes = (
        () if run.task is None or form is Form.RUN_XML else (f"{run.path}: {form} does not say the task, {run.task}",)
    )
    return Conversion(form, write(run), tuple(merged(losses)), notes)


def _steps(form: Form) -> list[Callable[[Run], tuple[Run, list[Loss]]]]:
    """What else a form asks of a run that has its shape."""
    steps: list[Callable[[Run], tuple[Run, list[Loss]]]] = []
    if form in (Form.RUN_PATHS, Form.RUN_XML):
        steps.append(as_single_elements)
    if form in (Form.RUN_XML, Form.RUN_JSONL):
        steps.append(lambda run: (keep_rows(run, run.exists), []))  # those that the structure lacks are named before
    if form is Form.RUN_JSONL:
        steps.append(_from_the_beginning)
    if form in _COLUMNS:
        steps.append(with_plain_name)
    if form is Form.RUN_TREC:
        steps.append(lambda run: scored(run, misplaced_in_trec(run)))
    elif form is Form.RUN_JSONL:
        steps.append(lambda run: (run, []) if np.isnan(run.score).all() else scored(run, misplaced_by_score(run)))
    elif form is not Form.RUN_XML:
        steps.append(lambda run: scored(run, None))
    return steps


def _from_the_beginning(run: Run) -> tuple[Run, list[Loss]]:
    return keep_rows(run, run.start >= 0), lost(run.path, run.line[run.start < 0], _BEFORE)


def _judgements(judged: Assessments, form: Form, structure: PathName | Structure | None) -> Conversion:
    if form is Form.QRELS_TREC:
        judged, losses = as_grades(judged)
        return Conversion(form, write_qrels_trec(judged), tuple(losses))
    losses = []
    if judged.kind is not AssessmentKind.PASSAGES:
        judged, losses = as_passages(judged, _trees(judged, form, structure))
    if form is Form.QRELS_INEX:
        return Conversion(form, write_qrels_inex(judged), tuple(losses))
    judged, more = as_spans(judged)
    return Conversion(form, write_qrels_json(judged), (*losses, *more))


def _trees(judged: Assessments, form: Form, structure: PathName | Structure | None) -> Forest:
    if judged.kind is not AssessmentKind.ELEMENTS_2005:
        raise DataError(f"{judged.path}: judgements of {judged.kind} tell no passages, which {form} needs")
    if structure is None:
        raise DataError(f"{judged.path}: XML judgements point into documents, {form} needs offsets: give --structure")
    topics = judged.topics.values()
    return read_trees(structure, {name for one in topics if isinstance(one, ElementTopic) for name in one.documents})


def _structure(read: Structure, form: Form) -> Conversion:
    read = in_order(read)
    if form is Form.STRUCTURE_TEXT:
        read, losses = without_links(read)
        return Conversion(form, write_structure_text(read), tuple(losses))
    return Conversion(form, write_structure_xml(read), tuple(numbered(read)))
