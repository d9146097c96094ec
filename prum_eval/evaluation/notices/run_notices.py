"""What a user should know about one run beside its values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from prum_eval.errors import RefusedError
from prum_eval.evaluation.notices.notice import (
    EMPTY_TOPICS,
    FEW_JUDGED,
    MISSING_TOPICS,
    NEGATIVE,
    NO_TARGETS,
    NOT_IN_STRUCTURE,
    NOT_RETRIEVABLE,
    OVERLAP,
    PAST_END,
    REFUSED,
    TIES,
    UNASSESSED,
    UNLISTED,
    Notice,
    counted,
    ignored_keys,
)
from prum_eval.evaluation.plan import Plan
from prum_eval.evaluation.resolution import HELD
from prum_eval.evaluation.results import MeasuredValue
from prum_eval.records.run import Run, RunKind


def run_notices(
    plan: Plan,
    run: Run,
    placed: Sequence[Counter[str]],
    refused: Mapping[str, RefusedError],
    columns: Sequence[Sequence[MeasuredValue]],
    held: int = 0,
    overlapping: int = 0,
) -> Iterator[Notice]:
    """The notices of a run.

    Args:
        plan: what it was evaluated with.
        run: the run.
        placed: how many of its results are where, under each setting.
        refused: the measures of a set that refused it, by name.
        columns: its values, a column a printed name, a row a topic.
        held: of so many results it is known, without placing any, that their documents hold targets.
        overlapping: so many of them lie in others or hold others.
    """
    yield from refusals(run, refused)
    yield from few_judged(plan, run, max((held, *(counts[HELD] for counts in placed))))
    assessed, answered, chosen = plan.inputs.assessments.topics, set(run.topics), plan.topics
    lacking = [column for column in columns if None in column]
    past_end, negative = _leaving(plan, run) if run.kind is RunKind.EXTENTS else (0, 0)
    numbers = {
        UNASSESSED: len(answered.difference(assessed)),
        EMPTY_TOPICS if plan.complete else MISSING_TOPICS: sum(
            topic not in answered for topic in (assessed if chosen is None else chosen)
        ),
        NO_TARGETS: sum(None in values for values in zip(*lacking, strict=True)),
        NOT_IN_STRUCTURE: max((counts[NOT_IN_STRUCTURE] for counts in placed), default=0),
        NOT_RETRIEVABLE: max((counts[NOT_RETRIEVABLE] for counts in placed), default=0),
        UNLISTED: max((counts[UNLISTED] for counts in placed), default=0),
        OVERLAP: overlapping,
        PAST_END: past_end,
        NEGATIVE: negative,
        TIES: run.tied,
    }
    for kind, count in numbers.items():
        if count:
            yield counted(kind, run.path, count, f", ordered by {_tie_rule(run)}" if kind == TIES else "")
    if run.ignored:
        yield from ignored_keys(run.path, run.ignored, of_run=True)


def refusals(run: Run, refused: Mapping[str, RefusedError]) -> Iterator[Notice]:
    """The measures of a set that refused a run, by name, are told with their reasons."""
    reasons: dict[str, list[str]] = {}
    for name, error in refused.items():
        reasons.setdefault(str(error), []).append(name)
    for reason, names in reasons.items():
        yield Notice(REFUSED, f"{reason}; left out: {', '.join(names)}", run.path)


def few_judged(plan: Plan, run: Run, held: int = 0) -> Iterator[Notice]:
    """The notice that hardly any result is judged; of `held` results it is known that their documents are."""
    if len(run.line) and held >= len(run.line) / 100:
        return
    from prum_eval.evaluation.notices.judged import judged_share  # most runs need no closer look

    share = judged_share(run, plan.inputs.assessments)
    if share.few:
        yield Notice(FEW_JUDGED, f"{run.path}: {share}", run.path, share.judged)


def _leaving(plan: Plan, run: Run) -> tuple[int, int]:
    """How many results end past the end of their document, and begin before it."""
    from prum_eval.evaluation.notices.extents import leaving  # only runs with offsets can

    found = leaving(run, plan.inputs.lengths)
    return (0, 0) if found is None else (int(np.count_nonzero(found.past_end)), int(np.count_nonzero(found.negative)))


def _tie_rule(run: Run) -> str:
    return "document name, descending" if run.kind is RunKind.FLAT else "their order in the file"
