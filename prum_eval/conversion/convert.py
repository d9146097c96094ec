"""Conversion of a run, assessments or a structure into another format; every loss is reported.

The capacity of a format (`prum_eval.formats.format`) says what it can hold; each step returns the converted record and
its losses.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np

from prum_eval.collection.trees import Forest, make_forest
from prum_eval.conversion.assessments import as_grades, as_passages, as_spans, drop_facets, without_groups
from prum_eval.conversion.losses import Loss, LossError, count_loss, merge_losses
from prum_eval.conversion.runs import (
    as_documents,
    as_elements,
    as_extents,
    as_single_elements,
    misplaced_in_trec,
    with_descending_scores,
    with_plain_name,
    without_missing,
    without_tokens,
)
from prum_eval.errors import DataError, UsageError
from prum_eval.formats import AssessmentCapacity, RankBy, RunCapacity, ScoreRule, StructureCapacity
from prum_eval.formats.facets import KEEP
from prum_eval.formats.reading import (
    AssessmentsInput,
    PathName,
    RunInput,
    read_assessments_input,
    read_run_input,
    read_structure,
    select_run,
)
from prum_eval.formats.registry import format_writer
from prum_eval.records import AssessmentKind, Assessments, ElementTopic, Run, RunKind, Structure, select_results
from prum_eval.tabular import RowValue, Tabular, plural
from prum_eval.text.names import candidate_documents

_LINKS = "links: they are left out"
_NOT_RETRIEVABLE = "elements that are not retrievable: they become so"
_POSITIONS = "elements whose position is not their place among siblings: they are numbered anew"
_NEGATIVE_OFFSETS = "results that begin before their document: they are left out"


@dataclass(frozen=True, slots=True, repr=False)
class Conversion(Tabular):
    """Result of `convert`: the converted content, the losses, and notes."""

    form: str
    content: bytes
    losses: tuple[Loss, ...]
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The content as text."""
        return self.content.decode()

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row per kind of loss, with its first line (None if there are no lines)."""
        for loss in self.losses:
            line = loss.line if loss.line > 0 else None
            yield {"file": loss.path, "line": line, "count": loss.count, "lost": loss.description}

    def _summary(self) -> str:
        lost = f", losses: {len(self.losses)}" if self.losses else ""
        return f"{self.form}, {plural(len(self.content.splitlines()), 'line')}{lost}"


def convert(
    source: RunInput | AssessmentsInput | Structure,
    form: str,
    *,
    structure: PathName | Structure | None = None,
    lossy: bool = False,
    rank_by: str | None = None,
    run_id: str | None = None,
) -> Conversion:
    """Convert a run, assessments or a structure into another format.

    >>> from prum_eval import convert
    >>> print(convert({"1": {"tides": 2.0, "moon": 1.0}}, "run-trec").text, end="")
    1 Q0 tides 1 2.0 run
    1 Q0 moon 2 1.0 run

    Args:
        source: a run, assessments or a structure, depending on `form`: a path, whose format is recognised by its
            content, or anything else that `prum_eval.evaluate` accepts.
        form: the output format, as in ``prum-eval convert --help``.
        structure: the collection structure, which relates paths and offsets.
        lossy: convert although the format cannot hold everything.
        rank_by: what orders the results of a run; default: the rule of its format.
        run_id: the run to write from a file with several; default: all, if the output format holds several.

    Raises:
        LossError: data would be lost, and `lossy` is not set.
        InputError: bad data, or a name that the format cannot hold.
        DataError: the structure is missing, or the input has nothing that the format can hold.
        UsageError: an unknown format, or an option without meaning for it.
    """
    write, holds = format_writer(form)
    if rank_by is not None and not isinstance(holds, RunCapacity):
        raise UsageError(f"{form}: only runs are ranked, --rank-by has no effect")
    if run_id is not None and not isinstance(holds, RunCapacity):
        raise UsageError(f"{form}: only files of runs hold several, --run has no effect")
    if rank_by is not None and rank_by not in list(RankBy):
        raise UsageError(f"rank_by={rank_by}: rank_by is {' or '.join(RankBy)}")
    notes: tuple[str, ...] = ()
    if isinstance(holds, RunCapacity):
        runs = read_run_input(cast("RunInput", source), RankBy(rank_by) if rank_by is not None else None)
        if run_id is not None or not holds.multiple_runs:
            runs = (select_run(runs, run_id, f"{form} holds one"),)
        written = [_convert_run(run, form, holds, structure) for run in runs]
        content = b"".join(write(run) for run, _ in written)
        losses = merge_losses([loss for _, run_losses in written for loss in run_losses])
        if runs[0].task is not None and not holds.task:
            notes = (f"{runs[0].path}: {form} does not say the task, {runs[0].task}",)
    elif isinstance(holds, StructureCapacity):
        if structure is not None:
            raise UsageError(f"{form}: the structure is the input itself, --structure has no effect")
        read = source if isinstance(source, Structure) else read_structure(str(source))
        read, losses = _convert_structure(read, holds)
        content = write(read)
    else:
        judged = read_assessments_input(cast("AssessmentsInput", source), structured=structure is not None, facets=KEEP)
        merged_note = () if judged.merged_note is None else (judged.merged_note,)
        notes = (*merged_note, *_default_change_notes(judged, form, holds))
        judged, losses = _convert_assessments(judged, form, holds, structure)
        content = write(judged)
    if losses and not lossy:
        raise LossError(form, losses)
    return Conversion(form, content, tuple(losses), notes)


def _convert_run(
    run: Run, form: str, holds: RunCapacity, structure: PathName | Structure | None
) -> tuple[Run, list[Loss]]:
    """The run as a format can hold it, and the losses."""
    path = run.path
    losses: list[Loss] = []
    kind_losses: list[Loss] = []
    if not holds.missing_results:
        run, losses = without_missing(run)
    if holds.kind is RunKind.FLAT is not run.kind:
        trees = None if structure is None or run.kind is RunKind.ELEMENTS else _read_trees(structure, run.documents)
        run, kind_losses = as_documents(run, trees)
    elif holds.kind is not run.kind:
        if structure is None:
            raise DataError(f"{path}: the run gives {run.kind}, {form} needs {holds.kind}: give --structure")
        trees = _read_trees(structure, run.documents)
        extents = holds.kind is RunKind.EXTENTS
        run, kind_losses = as_extents(run, trees) if extents else as_elements(run, trees, ranges=holds.ranges)
    run, capacity_losses = _fit_to_capacity(run, holds)
    if not len(run.line):
        raise DataError(f"{path}: no result is left that {form} can hold")
    return run, merge_losses([*losses, *kind_losses, *capacity_losses])


def _read_trees(structure: PathName | Structure, documents: Iterable[str]) -> Forest:
    """The trees of some documents of a structure, which runs may name by their files."""
    if not isinstance(structure, Structure):
        structure = read_structure(str(structure), candidate_documents(documents))
    return make_forest(structure.documents)


def _fit_to_capacity(run: Run, holds: RunCapacity) -> tuple[Run, list[Loss]]:
    """A run of the right kind with the results, name and scores that a format can hold; and the losses."""
    losses: list[Loss] = []
    more: list[Loss] = []
    if holds.kind is RunKind.ELEMENTS and not holds.ranges:
        run, losses = as_single_elements(run)
    if not holds.missing_results:  # results that the structure lacks; reported before
        run = select_results(run, run.exists)
    if not holds.tokens:
        run, more = without_tokens(run)
        losses += more
    if holds.kind is RunKind.EXTENTS and not holds.negative_offsets:
        losses += count_loss(run.path, run.line[run.start < 0], _NEGATIVE_OFFSETS)
        run = select_results(run, run.start >= 0)
    if not holds.free_run_names:
        run, more = with_plain_name(run)
        losses += more
    if holds.scores is ScoreRule.FREE or (holds.scores is ScoreRule.ORDER and np.isnan(run.score).all()):
        return run, losses
    misplaced = None
    if holds.scores is ScoreRule.TREC:
        misplaced = misplaced_in_trec(run)
    elif holds.scores is ScoreRule.ORDER:  # its reader ranks by score and keeps ties
        misplaced = run.score[1:] > run.score[:-1]
    run, more = with_descending_scores(run, misplaced)
    return run, [*losses, *more]


def _convert_assessments(
    judged: Assessments, form: str, holds: AssessmentCapacity, structure: PathName | Structure | None
) -> tuple[Assessments, list[Loss]]:
    """The assessments as a format can hold them, and the losses."""
    losses: list[Loss] = []
    more: list[Loss] = []
    if not holds.groups:
        judged, losses = without_groups(judged)
    if not holds.facets:
        judged, more = drop_facets(judged)
        losses += more
    if holds.kind is AssessmentKind.FLAT:
        judged, lost = as_grades(judged)
        return judged, [*losses, *lost]
    if judged.kind is not AssessmentKind.PASSAGES:
        if judged.kind is not AssessmentKind.ELEMENTS_2005:
            raise DataError(f"{judged.path}: assessments of {judged.kind} tell no passages, which {form} needs")
        if structure is None:
            reason = f"XML assessments point into documents, {form} needs offsets: give --structure"
            raise DataError(f"{judged.path}: {reason}")
        topics = [topic for topic in judged.topics.values() if isinstance(topic, ElementTopic)]
        trees = _read_trees(structure, {name for topic in topics for name in topic.documents})
        judged, more = as_passages(judged, trees)
        losses += more
    if holds.overlapping_passages:
        return judged, losses
    judged, more = as_spans(judged)
    return judged, [*losses, *more]


def _default_change_notes(judged: Assessments, form: str, holds: AssessmentCapacity) -> tuple[str, ...]:
    """Notes on defaults of the evaluation that change with the format of the assessments."""
    if holds.kind is AssessmentKind.FLAT or holds.chunks == judged.chunks:
        return ()
    old, new = ("hierarchical", "coverage") if holds.chunks else ("coverage", "hierarchical")
    task_note = ", and without a measure eval prints the task chunks" if holds.chunks else ""
    return (f"{judged.path}: from {form} the default user model is {new}, not {old} (-u {old} keeps it){task_note}",)


def _convert_structure(structure: Structure, holds: StructureCapacity) -> tuple[Structure, list[Loss]]:
    """The structure as a format can hold it, in the order of the source; and the losses."""
    if not isinstance(structure.names, frozenset):  # only the names of an index are in the order of the source
        documents = {name: structure.documents[name] for name in structure.names}
        structure = dataclasses.replace(structure, documents=documents)
    documents_read = structure.documents.values()
    hidden = [document.lines[~document.retrievable] for document in documents_read if document.retrievable is not None]
    losses = count_loss(structure.path, np.concatenate(hidden), _NOT_RETRIEVABLE) if hidden else []
    if not holds.links:
        link_lines = np.array([link.line for link in structure.links], dtype=np.int64)
        losses += count_loss(structure.path, link_lines, _LINKS)
        structure = dataclasses.replace(structure, links=())
    return structure, losses if holds.numbering_gaps else [*losses, *_numbering_losses(structure)]


def _numbering_losses(structure: Structure) -> list[Loss]:
    """The elements whose position is not their number among the listed siblings with that tag."""
    lines: list[int] = []
    for document in structure.documents.values():
        positions: dict[str, int] = {}
        for path, line in zip(document.paths, document.lines.tolist(), strict=True):
            stem, _, position = path[:-1].rpartition("[")
            positions[stem] = positions.get(stem, 0) + 1
            if int(position) != positions[stem]:
                lines.append(line)
    return count_loss(structure.path, np.array(lines, dtype=np.int64), _POSITIONS)
