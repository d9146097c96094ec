"""The forms that there are, and the way of an input into one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from prum_eval.conversion.assessments import as_grades, as_spans
from prum_eval.conversion.highlights import as_passages
from prum_eval.conversion.losses import Loss, LossError, lost, merged
from prum_eval.conversion.rows import keep as keep_rows
from prum_eval.conversion.rows import misplaced_by_score, misplaced_in_trec, scored, without_absent
from prum_eval.conversion.runs import as_documents, as_elements, as_extents, as_single_elements, with_plain_name
from prum_eval.conversion.structures import in_order, numbered, without_links
from prum_eval.conversion.trees import Trees, read_trees
from prum_eval.errors import DataError, UsageError
from prum_eval.formats import RankBy, read_assessments, read_run, read_structure
from prum_eval.formats.assessments.json_lines import write_qrels_json
from prum_eval.formats.assessments.text import write_qrels_inex, write_qrels_trec
from prum_eval.formats.runs.json_lines import write_run_json
from prum_eval.formats.runs.lines import write_run_offsets, write_run_paths, write_run_ranges, write_run_trec
from prum_eval.formats.runs.xml import write_run_xml
from prum_eval.formats.structures.text import write_structure_text
from prum_eval.formats.structures.xml import write_structure_xml
from prum_eval.records.assessments import AssessmentKind, Assessments, ElementTopic
from prum_eval.records.run import Run, RunKind


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


@dataclass(frozen=True, slots=True)
class Conversion:
    """What is written, what was lost on the way, and what else there is to say."""

    content: bytes
    losses: tuple[Loss, ...]
    notes: tuple[str, ...] = ()


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
    path: str, form: str, *, structure: str | None = None, lossy: bool = False, rank_by: RankBy | None = None
) -> Conversion:
    """Read an input and write it in another form.

    Args:
        path: a run, judgements or a structure, as `form` says; its own form is recognised by content.
        form: what to write, a value of `Form`.
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
    if wanted in _RUN_WRITERS:
        made = _run(read_run(path, rank_by=rank_by), wanted, structure)
    elif wanted in (Form.STRUCTURE_TEXT, Form.STRUCTURE_XML):
        if structure is not None:
            raise UsageError(f"{wanted}: the structure is the input itself, --structure has no meaning")
        made = _structure(path, wanted)
    else:
        made = _judgements(read_assessments(path), wanted, structure)
    if made.losses and not lossy:
        raise LossError(wanted, made.losses)
    return made


def _run(run: Run, form: Form, structure: str | None) -> Conversion:
    shape, write = _RUN_WRITERS[form]
    losses: list[Loss] = []
    if form not in (Form.RUN_PATHS, Form.RUN_RANGES, Form.RUN_OFFSETS):
        run, losses = without_absent(run)
    if shape is run.kind:
        own: list[Loss] = []
    elif shape is RunKind.FLAT:
        known = structure is not None and run.kind is RunKind.EXTENTS
        run, own = as_documents(run, read_trees(structure, run.documents) if structure and known else None)
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
    return Conversion(write(run), tuple(merged(losses)), notes)


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


def _judgements(judged: Assessments, form: Form, structure: str | None) -> Conversion:
    if form is Form.QRELS_TREC:
        judged, losses = as_grades(judged)
        return Conversion(write_qrels_trec(judged), tuple(losses))
    losses = []
    if judged.kind is not AssessmentKind.PASSAGES:
        judged, losses = as_passages(judged, _trees(judged, form, structure))
    if form is Form.QRELS_INEX:
        return Conversion(write_qrels_inex(judged), tuple(losses))
    judged, more = as_spans(judged)
    return Conversion(write_qrels_json(judged), (*losses, *more))


def _trees(judged: Assessments, form: Form, structure: str | None) -> Trees:
    if judged.kind is not AssessmentKind.ELEMENTS_2005:
        raise DataError(f"{judged.path}: judgements of {judged.kind} tell no passages, which {form} needs")
    if structure is None:
        raise DataError(f"{judged.path}: XML judgements point into documents, {form} needs offsets: give --structure")
    topics = judged.topics.values()
    return read_trees(structure, {name for one in topics if isinstance(one, ElementTopic) for name in one.documents})


def _structure(path: str, form: Form) -> Conversion:
    read = in_order(read_structure(path))
    if form is Form.STRUCTURE_TEXT:
        read, losses = without_links(read)
        return Conversion(write_structure_text(read), tuple(losses))
    return Conversion(write_structure_xml(read), tuple(numbered(read)))
