"""The way of a run, of assessments or of a structure into a form, with all that the form cannot hold named."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np

from prum_eval.collection.trees import Forest, make_forest
from prum_eval.conversion.assessments import as_grades, as_passages, as_spans, without_groups
from prum_eval.conversion.losses import Loss, LossError, count_loss, merge_losses
from prum_eval.conversion.runs import (
    as_documents,
    as_elements,
    as_extents,
    as_single_elements,
    misplaced_by_score,
    misplaced_in_trec,
    with_descending_scores,
    with_plain_name,
    without_missing,
    without_tokens,
)
from prum_eval.conversion.runs import select_results as keep_rows
from prum_eval.errors import DataError, UsageError
from prum_eval.formats import AssessmentCapacity, RankBy, RunCapacity, ScoreRule, StructureCapacity
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
from prum_eval.records import AssessmentKind, Assessments, ElementTopic, Run, RunKind, Structure
from prum_eval.tabular import RowValue, Tabular, plural
from prum_eval.text.names import candidate_documents

# Structures in the shape that a form holds.


_LINKS = "links: they are left out"
_NOT_RETRIEVABLE = "elements that are not retrievable: they become so"
_POSITIONS = "elements whose position is not their place among siblings: they are numbered anew"


def in_source_order(structure: Structure) -> Structure:
    """The documents in the order of the source, which an index tells by its names alone."""
    if isinstance(structure.names, frozenset):
        return structure
    documents = {name: structure.documents[name] for name in structure.names}
    return dataclasses.replace(structure, documents=documents)


def without_links(structure: Structure) -> tuple[Structure, list[Loss]]:
    """The elements alone."""
    lines = np.array([link.line for link in structure.links], dtype=np.int64)
    return dataclasses.replace(structure, links=()), count_loss(structure.path, lines, _LINKS)


def retrievable_losses(structure: Structure) -> list[Loss]:
    """The elements that a system may not return, which no form but an index tells apart."""
    listed = structure.documents.values()
    lines = [each.lines[~each.retrievable] for each in listed if each.retrievable is not None]
    return count_loss(structure.path, np.concatenate(lines), _NOT_RETRIEVABLE) if lines else []


def numbering_losses(structure: Structure) -> list[Loss]:
    """The elements that nesting numbers otherwise: it counts the siblings of one name that there are."""
    lines: list[int] = []
    for document in structure.documents.values():
        next_position: dict[str, int] = {}
        for path, line in zip(document.paths, document.lines.tolist(), strict=True):
            stem, _, position = path[:-1].rpartition("[")
            expected = next_position[stem] = next_position.get(stem, 0) + 1
            if int(position) != expected:
                lines.append(line)
    return count_loss(structure.path, np.array(lines, dtype=np.int64), _POSITIONS)


# Forest of the documents that a conversion looks into.


def read_trees(structure: PathName | Structure, documents: Iterable[str]) -> Forest:
    """The trees of some documents of a structure, which runs may name by their files."""
    if not isinstance(structure, Structure):
        structure = read_structure(str(structure), candidate_documents(documents))
    return make_forest(structure.documents)


@dataclass(frozen=True, slots=True, repr=False)
class Conversion(Tabular):
    """What `convert` returns: what is written, what was lost on the way, and what else there is to say."""

    form: str
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
            yield {"file": loss.path, "line": line, "count": loss.count, "lost": loss.description}

    def _summary(self) -> str:
        lost = f", losses: {len(self.losses)}" if self.losses else ""
        return f"{self.form}, {plural(len(self.content.splitlines()), 'line')}{lost}"


_NEGATIVE_OFFSETS = "results that begin before their document: they are left out"


def convert(
    source: RunInput | AssessmentsInput | Structure,
    form: str,
    *,
    structure: PathName | Structure | None = None,
    lossy: bool = False,
    rank_by: str | None = None,
    run_id: str | None = None,
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
        run_id: which run is written, of a file that holds several; all of them where the form holds several.

    Raises:
        LossError: something would be lost, and `lossy` is not set.
        InputError: bad data, or a name that the form cannot hold.
        DataError: the structure is needed and not given, or the input has nothing of what the form tells.
        UsageError: no such form, or an option that has no meaning for it.
    """
    write, holds = format_writer(form)
    if rank_by is not None and not isinstance(holds, RunCapacity):
        raise UsageError(f"{form}: only runs are ranked, --rank-by has no meaning")
    if run_id is not None and not isinstance(holds, RunCapacity):
        raise UsageError(f"{form}: only files of runs hold several, --run has no meaning")
    if rank_by is not None and rank_by not in list(RankBy):
        raise UsageError(f"rank_by={rank_by}: rank_by is {' or '.join(RankBy)}")
    notes: tuple[str, ...] = ()
    if isinstance(holds, RunCapacity):
        runs = read_run_input(cast("RunInput", source), RankBy(rank_by) if rank_by is not None else None)
        if run_id is not None or not holds.multiple_runs:
            runs = (select_run(runs, run_id, f"{form} holds one"),)
        written = [_convert_run(run, form, holds, structure) for run in runs]
        content = b"".join(write(run) for run, _ in written)
        losses = merge_losses([loss for _, own in written for loss in own])
        if runs[0].task is not None and not holds.task:
            notes = (f"{runs[0].path}: {form} does not say the task, {runs[0].task}",)
    elif isinstance(holds, StructureCapacity):
        if structure is not None:
            raise UsageError(f"{form}: the structure is the input itself, --structure has no meaning")
        read, losses = _convert_structure(
            source if isinstance(source, Structure) else read_structure(str(source)), holds
        )
        content = write(read)
    else:
        judged = read_assessments_input(cast("AssessmentsInput", source))
        merged_note = () if judged.merged_note is None else (judged.merged_note,)
        notes = (*merged_note, *_default_change_notes(judged, form, holds))
        judged, losses = _convert_assessments(judged, form, holds, structure)
        content = write(judged)
    made = Conversion(form, content, tuple(losses), notes)
    if losses and not lossy:
        raise LossError(form, losses)
    return made


def _convert_run(
    run: Run, form: str, holds: RunCapacity, structure: PathName | Structure | None
) -> tuple[Run, list[Loss]]:
    """A run as a form can hold it, and what is lost."""
    path = run.path
    losses: list[Loss] = []
    own: list[Loss] = []
    if not holds.missing_results:
        run, losses = without_missing(run)
    if holds.kind is RunKind.FLAT is not run.kind:
        trees = None if structure is None or run.kind is RunKind.ELEMENTS else read_trees(structure, run.documents)
        run, own = as_documents(run, trees)
    elif holds.kind is not run.kind:
        if structure is None:
            raise DataError(f"{path}: the run gives {run.kind}, {form} needs {holds.kind}: give --structure")
        trees = read_trees(structure, run.documents)
        extents = holds.kind is RunKind.EXTENTS
        run, own = as_extents(run, trees) if extents else as_elements(run, trees, ranges=holds.ranges)
    run, more = _fit_to_capacity(run, holds)
    if not len(run.line):
        raise DataError(f"{path}: no result is left that {form} can hold")
    return run, merge_losses([*losses, *own, *more])


def _fit_to_capacity(run: Run, holds: RunCapacity) -> tuple[Run, list[Loss]]:
    """A run of the kind that a form holds, with those results, that name and those scores that it can hold."""
    losses: list[Loss] = []
    own: list[Loss]
    if holds.kind is RunKind.ELEMENTS and not holds.ranges:
        run, losses = as_single_elements(run)
    if not holds.missing_results:  # those that the structure lacks are named before
        run = keep_rows(run, run.exists)
    if not holds.tokens:
        run, own = without_tokens(run)
        losses += own
    if holds.kind is RunKind.EXTENTS and not holds.negative_offsets:
        losses += count_loss(run.path, run.line[run.start < 0], _NEGATIVE_OFFSETS)
        run = keep_rows(run, run.start >= 0)
    if not holds.free_run_names:
        run, own = with_plain_name(run)
        losses += own
    if holds.scores is ScoreRule.TREC:
        run, own = with_descending_scores(run, misplaced_in_trec(run))
    elif holds.scores is ScoreRule.EVERY:
        run, own = with_descending_scores(run, None)
    elif holds.scores is ScoreRule.ORDER and not np.isnan(run.score).all():
        run, own = with_descending_scores(run, misplaced_by_score(run))
    else:
        own = []
    return run, [*losses, *own]


def _convert_assessments(
    judged: Assessments, form: str, holds: AssessmentCapacity, structure: PathName | Structure | None
) -> tuple[Assessments, list[Loss]]:
    """Assessments as a form can hold them, and what is lost."""
    losses: list[Loss] = []
    if not holds.groups:
        judged, losses = without_groups(judged)
    if holds.kind is AssessmentKind.FLAT:
        judged, more = as_grades(judged)
        return judged, [*losses, *more]
    if judged.kind is not AssessmentKind.PASSAGES:
        judged, more = as_passages(judged, _required_trees(judged, form, structure))
        losses += more
    if holds.overlapping_passages:
        return judged, losses
    judged, more = as_spans(judged)
    return judged, [*losses, *more]


def _default_change_notes(judged: Assessments, form: str, holds: AssessmentCapacity) -> tuple[str, ...]:
    """What there is to say where assessments are evaluated in another way once they are in a form."""
    if holds.kind is AssessmentKind.FLAT or holds.chunks == judged.chunks:
        return ()
    own, other = ("hierarchical", "coverage") if holds.chunks else ("coverage", "hierarchical")
    also = ", and without a measure eval prints the task chunks" if holds.chunks else ""
    return (f"{judged.path}: from {form} the default user model is {other}, not {own} (-u {own} keeps it){also}",)


def _required_trees(judged: Assessments, form: str, structure: PathName | Structure | None) -> Forest:
    if judged.kind is not AssessmentKind.ELEMENTS_2005:
        raise DataError(f"{judged.path}: assessments of {judged.kind} tell no passages, which {form} needs")
    if structure is None:
        raise DataError(f"{judged.path}: XML assessments point into documents, {form} needs offsets: give --structure")
    topics = judged.topics.values()
    return read_trees(structure, {name for one in topics if isinstance(one, ElementTopic) for name in one.documents})


def _convert_structure(read: Structure, holds: StructureCapacity) -> tuple[Structure, list[Loss]]:
    """A structure as a form can hold it, and what is lost."""
    read = in_source_order(read)
    losses = retrievable_losses(read)
    if not holds.links:
        read, lost_links = without_links(read)
        losses += lost_links
    return read, losses if holds.numbering_gaps else [*losses, *numbering_losses(read)]
