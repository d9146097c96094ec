"""What a user should know about one run beside its values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import NamedTuple

import numpy as np

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
    ignored_key_notices,
)
from prum_eval.evaluation.plan import Plan
from prum_eval.evaluation.resolution import IN_TARGET_DOCUMENTS
from prum_eval.evaluation.results import MeasuredValue
from prum_eval.records import Assessments, Run, RunKind
from prum_eval.tabular import plural
from prum_eval.text.names import FILE_ENDINGS
from prum_eval.text.numbers import quote_value


def run_notices(
    plan: Plan,
    run: Run,
    placed: Sequence[Counter[str]],
    refused: Mapping[str, UnsupportedResultError],
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
    yield from refusal_notices(run, refused)
    yield from few_judged_notices(plan, run, max((held, *(counts[IN_TARGET_DOCUMENTS] for counts in placed))))
    assessed, answered, chosen = plan.inputs.assessments.topics, set(run.topics), plan.topics
    lacking = [column for column in columns if None in column]
    past_end, negative = _count_out_of_range(plan, run) if run.kind is RunKind.EXTENTS else (0, 0)
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
            yield count_notice(kind, run.path, count, f", ordered by {_tie_rule(run)}" if kind == TIES else "")
    if run.ignored:
        yield from ignored_key_notices(run.path, run.ignored, of_run=True)


def refusal_notices(run: Run, refused: Mapping[str, UnsupportedResultError]) -> Iterator[Notice]:
    """The measures of a set that refused a run, by name, are told with their reasons."""
    reasons: dict[str, list[str]] = {}
    for name, error in refused.items():
        reasons.setdefault(str(error), []).append(name)
    for reason, names in reasons.items():
        yield Notice(REFUSED, f"{reason}; left out: {', '.join(names)}", run.path)


def few_judged_notices(plan: Plan, run: Run, held: int = 0) -> Iterator[Notice]:
    """The notice that hardly any result is judged; of `held` results it is known that their documents are."""
    if len(run.line) and held >= len(run.line) / 100:
        return

    share = judged_share(run, plan.inputs.assessments)
    if share.is_small:
        yield Notice(FEW_JUDGED, f"{run.path}: {share}", run.path, share.judged)


def _count_out_of_range(plan: Plan, run: Run) -> tuple[int, int]:
    """How many results end past the end of their document, and begin before it."""
    from prum_eval.evaluation.notices import find_out_of_range  # only runs with offsets can

    found = find_out_of_range(run, plan.inputs.lengths)
    return (
        (0, 0)
        if found is None
        else (int(np.count_nonzero(found.past_end)), int(np.count_nonzero(found.negative_start)))
    )


def _tie_rule(run: Run) -> str:
    return "document name, descending" if run.kind is RunKind.FLAT else "their order in the file"


# How many results of a run are in judged documents; where hardly any are, by which names they would be.


_MAX_RESULTS_SAMPLED = 1000
"""So many results, of whole topics, are looked at for names that would match."""

_MAX_NAMES_COMPARED = 1000
"""So many judged names at most are looked at for the one that is most like a name of the run."""

_LONGEST_ENDING = 5

_Affixes = tuple[str, str, str, str]
"""Folder and ending that only the run's name has, folder and ending that only the assessments' name has."""
_Shape = tuple[bool, ...]
"""Which of these there are."""


class _Pair(NamedTuple):
    """A name of the run, the judged name that is alike, and in what they differ."""

    name: str
    judged: str
    affixes: _Affixes

    @property
    def shape(self) -> _Shape:
        return tuple(map(bool, self.affixes))


@dataclass(eq=False, repr=False)
class JudgedShare:
    """So many of a run's `results` for assessed topics are in documents that were judged for their topic.

    `hint`: names of either side, and what would make them match; empty where enough results are judged.
    """

    judged: int
    results: int
    hint: str = ""

    @property
    def is_small(self) -> bool:
        """Whether less than 1 % is judged: then the run is probably not of the collection that was assessed."""
        return self.results > 0 and self.judged < self.results / 100

    def __str__(self) -> str:
        verb = "is" if self.results == 1 else "are"
        said = f"{self.judged} of {plural(self.results, 'result')} {verb} in judged documents"
        return f"{said}; {self.hint}" if self.hint else said

    @property
    def percent(self) -> str:
        """The share, never rounded to nothing or all.

        >>> JudgedShare(0, 20).percent, JudgedShare(1, 2000).percent, JudgedShare(1999, 2000).percent
        ('0 %', '0.05 %', '99 %')
        """
        share = 100 * self.judged / self.results if self.results else 0
        return f"{int(share)} %" if share >= 1 or not share else f"{share:.1g} %"


def judged_share(run: Run, assessments: Assessments) -> JudgedShare:
    """Count the results of assessed topics that are in judged documents; look at names where hardly any are.

    Of a run without such a topic all results count, none of them judged.
    """
    if not any(topic in assessments.topics for topic in run.topics):
        return JudgedShare(0, len(run.line))
    judged, results = _count(run, assessments)
    share = JudgedShare(judged, results)
    return JudgedShare(judged, results, _hint(run, assessments)) if share.is_small else share


def _count(run: Run, assessments: Assessments) -> tuple[int, int]:
    """Results in judged documents, and all results, of the topics that both have."""
    number = {name: code for code, name in enumerate(run.documents)}
    files = any(name.endswith(FILE_ENDINGS) for name in number)
    flag = np.zeros(len(number), dtype=np.bool_)
    judged = results = 0
    for topic, low, high in zip(run.topics, run.bounds[:-1].tolist(), run.bounds[1:].tolist(), strict=True):
        if topic not in assessments.topics:
            continue
        listed = assessments.topics[topic].documents
        known = [number[name] for name in listed if name in number]
        if files:
            names = (name + ending for name in listed for ending in FILE_ENDINGS)
            known += [number[file] for file in names if file in number]
        flag[known] = True
        judged += int(np.count_nonzero(flag[run.document[low:high]] & run.exists[low:high]))
        flag[known] = False
        results += high - low
    return judged, results


def _hint(run: Run, assessments: Assessments) -> str:
    """What the names of either side look like, and what would make them match."""
    alike: dict[_Shape, list[_Pair]] = {}
    looked_at = 0
    example: tuple[str, str] | None = None
    for topic, low, high in zip(run.topics, run.bounds[:-1].tolist(), run.bounds[1:].tolist(), strict=True):
        listed = assessments.topics[topic].documents if topic in assessments.topics else ()
        if not listed or looked_at >= _MAX_RESULTS_SAMPLED:
            continue
        looked_at += high - low
        names = [run.documents[code] for code in run.document[low:high].tolist()]
        known = frozenset(listed).union(name + ending for name in listed for ending in FILE_ENDINGS)
        strange = [name for name in names if name not in known]
        for pair in _similar_names(strange, listed):
            alike.setdefault(pair.shape, []).append(pair)
        if example is None and strange:
            near = max(islice(listed, _MAX_NAMES_COMPARED), key=lambda other: _likeness(strange[0], other))
            example = strange[0], near
    change = ""
    if alike:
        pairs = max(alike.values(), key=len)
        example = pairs[0].name, pairs[0].judged
        of = "" if looked_at == len(run.line) else f" of {looked_at}"
        change = f"; {_renaming_hint([pair.affixes for pair in pairs])}, {len(pairs)}{of} would match"
    return (
        ""
        if example is None
        else f"the run says {quote_value(example[0])}, the assessments {quote_value(example[1])}{change}"
    )


def _likeness(name: str, other: str) -> int:
    """How many characters names have in common at their beginnings, and at their ends."""
    pairs = (zip(name, other, strict=False), zip(reversed(name), reversed(other), strict=False))
    return sum(sum(1 for _ in takewhile(lambda two: two[0] == two[1], pair)) for pair in pairs)


def _similar_names(names: Sequence[str], listed: Sequence[str]) -> Iterator[_Pair]:
    """Names of the run for which there is a judged one that differs in folder and ending only."""
    by_stem = {_split_name(name)[1]: name for name in reversed(listed)}
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
    """What to do to the run's names, such as "without the folder 'docs/'"."""
    own_folder, own_ending, folder, ending = map(set, zip(*affixes, strict=True))
    without = [*_affix("folder", own_folder), *_affix("ending", own_ending)]
    put = [*_affix("folder", folder), *_affix("ending", ending)]
    parts = [f"{word} {' and '.join(said)}" for word, said in (("without", without), ("with", put)) if said]
    return " and ".join(parts)


def _affix(what: str, found: set[str]) -> list[str]:
    """What names have in front or at their end: the one that all have, else the word for it; nothing where none has."""
    if found == {""}:
        return []
    return [f"the {what} {quote_value(*found)}" if len(found) == 1 else f"their {what}s"]
