"""Notices of one run: what a user should know of it beside its values.

If hardly any result is in a judged document, names of both sides are compared to find what would make them match.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import NamedTuple

import numpy as np

from prum_eval.collection.trees import RunPlaces
from prum_eval.errors import UnsupportedResultError
from prum_eval.evaluation.notices import (
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
    count_notice,
    find_out_of_range,
    ignored_key_notices,
)
from prum_eval.evaluation.plan import Plan
from prum_eval.evaluation.resolution import IN_TARGET_DOCUMENTS
from prum_eval.evaluation.results import TopicValue
from prum_eval.measures.base import Shape, TieOrder
from prum_eval.records import AssessmentKind, Assessments, Run, RunKind, topic_numbers
from prum_eval.tabular import plural
from prum_eval.text.names import FILE_ENDINGS, candidate_documents, match_documents
from prum_eval.text.numbers import quote_value


def run_notices(
    plan: Plan,
    run: Run,
    placed: Sequence[Counter[str]],
    refused: Mapping[str, UnsupportedResultError],
    columns: Sequence[Sequence[TopicValue]],
    known_judged: int = 0,
    overlapping: int = 0,
    whole_run: Run | None = None,
) -> Iterator[Notice]:
    """The notices of a run.

    Args:
        plan: what it was evaluated with.
        run: the run.
        placed: counts of its results by place, under each setting.
        refused: the measures of a set that refused it, by name.
        columns: its values, a column per printed name, a row per topic.
        known_judged: n of results known, without placing any, to be in documents with targets.
        overlapping: n of results that lie in others or contain others.
        whole_run: the run with its results in unjudged documents, if it was evaluated without them.
    """
    known_judged = max((known_judged, *(counts[IN_TARGET_DOCUMENTS] for counts in placed)))
    yield from few_judged_notices(plan, whole_run or run, known_judged)
    yield from refusal_notices(run, refused)
    assessed, answered = plan.inputs.assessments.topics, set(run.topics)
    columns_with_gaps = [column for column in columns if None in column]
    outside = _results_outside_structure(plan, run)
    looked_up = any(setting.extents for _, setting in plan.pairs)  # then `placed` has these results too
    details = {TIES: f", ordered by {_tie_rule(plan, run)}", NOT_IN_STRUCTURE: _first_results(outside, run)}
    past_end, negative = _count_out_of_range(plan, run) if run.kind is RunKind.EXTENTS else (0, 0)
    topics = {
        UNASSESSED: frozenset(answered.difference(assessed)),
        EMPTY_TOPICS if plan.complete else MISSING_TOPICS: frozenset(
            topic for topic in (assessed if plan.topics is None else plan.topics) if topic not in answered
        ),
    }
    numbers = {
        **{kind: len(counted) for kind, counted in topics.items()},
        NO_TARGETS: sum(None in values for values in zip(*columns_with_gaps, strict=True)),
        NOT_IN_STRUCTURE: max((counts[NOT_IN_STRUCTURE] for counts in placed), default=0)
        + (0 if looked_up else len(outside)),
        NOT_RETRIEVABLE: max((counts[NOT_RETRIEVABLE] for counts in placed), default=0),
        UNLISTED: max((counts[UNLISTED] for counts in placed), default=0),
        OVERLAP: overlapping,
        PAST_END: past_end,
        NEGATIVE: negative,
        TIES: _count_deciding_ties(plan, run),
    }
    for kind, count in numbers.items():
        if count:
            yield count_notice(kind, run.path, count, details.get(kind, ""), topics.get(kind, frozenset()))
    if run.ignored:
        yield from ignored_key_notices(run.path, run.ignored, of_run=True)


def refusal_notices(run: Run, refused: Mapping[str, UnsupportedResultError]) -> Iterator[Notice]:
    """Notices of the measures of a set that refused a run, with their reasons."""
    reasons: dict[str, list[str]] = {}
    for name, error in refused.items():
        reasons.setdefault(str(error), []).append(name)
    for reason, names in reasons.items():
        yield Notice(REFUSED, f"{reason}; left out: {', '.join(names)}", run.path)


def few_judged_notices(plan: Plan, run: Run, known_judged: int = 0) -> Iterator[Notice]:
    """The notice that hardly any result is in a judged document; `known_judged`: n of results that are."""
    if len(run.line) and known_judged >= len(run.line) / 100:
        return
    share = judged_share(run, plan.inputs.assessments)
    if share.is_small:
        yield Notice(FEW_JUDGED, f"{run.path}: {share}", run.path, share.judged)


def _count_out_of_range(plan: Plan, run: Run) -> tuple[int, int]:
    """Numbers of results that end past the end of their document, and that begin before it."""
    results = find_out_of_range(run, plan.inputs.lengths)
    if results is None:
        return 0, 0
    return int(np.count_nonzero(results.past_end)), int(np.count_nonzero(results.negative_start))


_MAX_NAMED = 5
"""Most results that a notice names."""


def _results_outside_structure(plan: Plan, run: Run) -> list[int]:
    """Rows of the results for assessed topics in documents that the structure lacks."""
    structure, assessed = plan.inputs.structure, plan.inputs.assessments.topics
    if structure is None or not structure.names:
        return []
    trees = plan.inputs.trees
    unknown = np.ones(len(run.documents), dtype=np.bool_) if trees is None else RunPlaces(trees, run).numbers < 0
    rest = np.flatnonzero(unknown)
    names = [run.documents[code] for code in rest.tolist()]
    known = structure.names & candidate_documents(names)
    unknown[rest[list(match_documents(names, known).values())]] = False
    if not unknown.any():
        return []
    rows: list[int] = []
    for topic, low, high in zip(run.topics, run.bounds[:-1].tolist(), run.bounds[1:].tolist(), strict=True):
        if topic in assessed:
            end = high if plan.limit is None else min(high, low + plan.limit)
            rows += (low + np.flatnonzero(unknown[run.document[low:end]] & run.exists[low:end])).tolist()
    return rows


def _first_results(rows: Sequence[int], run: Run) -> str:
    """The first of some results with their documents, in parentheses; empty if there are none."""
    named = [f"line {int(run.line[row])}: document {run.documents[run.document[row]]}" for row in rows[:_MAX_NAMED]]
    more = [f"{len(rows) - _MAX_NAMED} more"] if len(rows) > _MAX_NAMED else []
    return f" ({'; '.join([*named, *more])})" if rows else ""


_FAMILIES_OF_UNJUDGED = frozenset({"pool", "trec_eval", "preferences", "cwl"})
"""Families in which an unjudged document is not the same as one judged not relevant."""


def _count_deciding_ties(plan: Plan, run: Run) -> int:
    """Number of results with equal scores whose order may change a printed number.

    Of graded documents, those that tie with a result of another grade, and not past the last cut-off of all measures.
    """
    topics, instances = plan.inputs.assessments.topics, [instance for instance, _ in plan.pairs]
    if not run.tied or run.kind is not RunKind.FLAT or plan.inputs.assessments.kind is not AssessmentKind.FLAT:
        return run.tied
    owner = topic_numbers(run)
    follows = (np.diff(run.score) == 0) & (np.diff(owner) == 0)  # equal to the result before it
    if not follows.any():  # ranks tie
        return run.tied
    tied = np.flatnonzero(np.append(follows, False) | np.insert(follows, 0, False))
    group = np.cumsum(~np.insert(follows, 0, False))[tied]
    at_ranks = bool(instances) and all(one.measure.shape is Shape.AT_RANKS and one.cutoffs for one in instances)
    depth = max(max(one.cutoffs) for one in instances) if at_ranks else np.inf
    unjudged = -1 if any(one.measure.family in _FAMILIES_OF_UNJUDGED for one in instances) else 0
    grades = np.zeros(len(tied), dtype=np.int64)
    for number in np.unique(owner[tied]).tolist():
        topic, rows = topics.get(run.topics[number]), np.flatnonzero(owner[tied] == number)
        if topic is not None:
            known = dict(zip(topic.documents, np.asarray(getattr(topic, "grades", ())).tolist(), strict=False))
            names = (run.documents[code] for code in run.document[tied[rows]].tolist())
            grades[rows] = [max(known.get(name, unjudged), unjudged) for name in names]
    starts = np.flatnonzero(np.insert(np.diff(group) != 0, 0, True))
    sizes = np.diff(np.append(starts, len(tied)))
    decides = np.maximum.reduceat(grades, starts) != np.minimum.reduceat(grades, starts)
    decides &= tied[starts] - run.bounds[owner[tied[starts]]] < depth
    return int(sizes[decides].sum())


def _tie_rule(plan: Plan, run: Run) -> str:
    """How results with equal scores are ordered: for most measures, then for others."""
    if run.kind is not RunKind.FLAT:
        return "their order in the file"
    names: dict[TieOrder, dict[str, None]] = {TieOrder.NAME_DESCENDING: {}}
    for instance, setting in plan.pairs:
        names.setdefault(setting.ties, {})[instance.measure.name] = None
    names = {order: measures for order, measures in names.items() if measures or not plan.pairs}
    (first, _), *others = names.items()
    return "; ".join([first.value, *(f"for {', '.join(measures)} by {order.value}" for order, measures in others)])


# The share of results in judged documents


_MAX_RESULTS_SAMPLED = 1000
"""Most results, of whole topics, whose names are compared."""
_MAX_NAMES_COMPARED = 1000
"""Most judged names that are compared with a name of the run."""
_LONGEST_ENDING = 5

_Affixes = tuple[str, str, str, str]
"""Folder and ending that only the run's name has, folder and ending that only the assessments' name has."""
_Shape = tuple[bool, ...]
"""Which of the four are not empty."""


class _Pair(NamedTuple):
    """A name of the run, a similar judged name, and their differences."""

    name: str
    judged: str
    affixes: _Affixes

    @property
    def shape(self) -> _Shape:
        return tuple(map(bool, self.affixes))


@dataclass(eq=False, repr=False)
class JudgedShare:
    """The number of a run's `results` for assessed topics that are in documents judged for their topic.

    `hint`: names of both sides, and what would make them match; empty if enough results are judged.
    """

    judged: int
    results: int
    hint: str = ""

    @property
    def is_small(self) -> bool:
        """Whether less than 1 % is judged: the run is probably not of the assessed collection."""
        return self.results > 0 and self.judged < self.results / 100

    def __str__(self) -> str:
        verb = "is" if self.results == 1 else "are"
        text = f"{self.judged} of {plural(self.results, 'result')} {verb} in judged documents"
        return f"{text}; {self.hint}" if self.hint else text

    @property
    def percent(self) -> str:
        """The share, never rounded to nothing or all.

        >>> JudgedShare(0, 20).percent, JudgedShare(1, 2000).percent, JudgedShare(1999, 2000).percent
        ('0 %', '0.05 %', '99 %')
        """
        share = 100 * self.judged / self.results if self.results else 0
        return f"{int(share)} %" if share >= 1 or not share else f"{share:.1g} %"


def judged_share(run: Run, assessments: Assessments) -> JudgedShare:
    """Count the results of assessed topics in judged documents; compare names if there are hardly any.

    Of a run without an assessed topic all results count, none of them judged.
    """
    if not any(topic in assessments.topics for topic in run.topics):
        return JudgedShare(0, len(run.line))
    judged, results = _count(run, assessments)
    share = JudgedShare(judged, results)
    return JudgedShare(judged, results, _hint(run, assessments)) if share.is_small else share


def _count(run: Run, assessments: Assessments) -> tuple[int, int]:
    """Numbers of results in judged documents, and of all results, of the topics that both have."""
    number = {name: code for code, name in enumerate(run.documents)}
    files = any(name.endswith(FILE_ENDINGS) for name in number)
    flag = np.zeros(len(number), dtype=np.bool_)
    judged = results = 0
    for topic, low, high in zip(run.topics, run.bounds[:-1].tolist(), run.bounds[1:].tolist(), strict=True):
        if topic not in assessments.topics:
            continue
        documents = assessments.topics[topic].documents
        codes = [number[name] for name in documents if name in number]
        if files:
            names = (name + ending for name in documents for ending in FILE_ENDINGS)
            codes += [number[file] for file in names if file in number]
        flag[codes] = True
        judged += int(np.count_nonzero(flag[run.document[low:high]] & run.exists[low:high]))
        flag[codes] = False
        results += high - low
    return judged, results


def _hint(run: Run, assessments: Assessments) -> str:
    """Examples of names of both sides, and what would make them match."""
    pairs_by_shape: dict[_Shape, list[_Pair]] = {}
    sampled = 0
    example: tuple[str, str] | None = None
    for topic, low, high in zip(run.topics, run.bounds[:-1].tolist(), run.bounds[1:].tolist(), strict=True):
        documents = assessments.topics[topic].documents if topic in assessments.topics else ()
        if not documents or sampled >= _MAX_RESULTS_SAMPLED:
            continue
        sampled += high - low
        names = [run.documents[code] for code in run.document[low:high].tolist()]
        known = frozenset(documents).union(name + ending for name in documents for ending in FILE_ENDINGS)
        unknown = [name for name in names if name not in known]
        for pair in _similar_names(unknown, documents):
            pairs_by_shape.setdefault(pair.shape, []).append(pair)
        if example is None and unknown:
            name = unknown[0]
            example = name, max(islice(documents, _MAX_NAMES_COMPARED), key=lambda other: _likeness(name, other))
    change = ""
    if pairs_by_shape:
        pairs = max(pairs_by_shape.values(), key=len)
        example = pairs[0].name, pairs[0].judged
        of = "" if sampled == len(run.line) else f" of {sampled}"
        change = f"; {_renaming_hint([pair.affixes for pair in pairs])}, {len(pairs)}{of} would match"
    return (
        ""
        if example is None
        else f"the run says {quote_value(example[0])}, the assessments {quote_value(example[1])}{change}"
    )


def _likeness(name: str, other: str) -> int:
    """Number of characters that names share at their beginnings and at their ends."""
    pairs = (zip(name, other, strict=False), zip(reversed(name), reversed(other), strict=False))
    return sum(sum(1 for _ in takewhile(lambda two: two[0] == two[1], pair)) for pair in pairs)


def _similar_names(names: Sequence[str], judged: Sequence[str]) -> Iterator[_Pair]:
    """Names of the run with a judged name that differs in folder and ending only."""
    by_stem = {_split_name(name)[1]: name for name in reversed(judged)}
    for name in names:
        folder, stem, ending = _split_name(name)
        other = by_stem.get(stem)
        if other is not None:
            their_folder, _, their_ending = _split_name(other)
            if folder == their_folder:
                folder = their_folder = ""
            if ending == their_ending:
                ending = their_ending = ""
            yield _Pair(name, other, (folder, ending, their_folder, their_ending))


def _split_name(name: str) -> tuple[str, str, str]:
    """Folder, with its slash, name and ending, with its point; folder and ending may be empty."""
    folder, slash, file = name.rpartition("/")
    stem, point, ending = file.rpartition(".")
    if stem and len(ending) <= _LONGEST_ENDING and ending.isalnum() and ending[0].isalpha():
        return folder + slash, stem, point + ending
    return folder + slash, file, ""


def _renaming_hint(affixes: Sequence[_Affixes]) -> str:
    """How to change the names of the run, such as "without the folder 'docs/'"."""
    run_folder, run_ending, folder, ending = map(set, zip(*affixes, strict=True))
    without = [*_affix("folder", run_folder), *_affix("ending", run_ending)]
    added = [*_affix("folder", folder), *_affix("ending", ending)]
    parts = [f"{word} {' and '.join(texts)}" for word, texts in (("without", without), ("with", added)) if texts]
    return " and ".join(parts)


def _affix(what: str, affixes: set[str]) -> list[str]:
    """The folder or ending of names: the one that all have, else the word for it; empty if none has."""
    if affixes == {""}:
        return []
    return [f"the {what} {quote_value(*affixes)}" if len(affixes) == 1 else f"their {what}s"]
