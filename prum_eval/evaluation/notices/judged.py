"""How many results of a run are in judged documents; where hardly any are, by which names they would be."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

import numpy as np

from prum_eval.records.assessments import Assessments
from prum_eval.records.run import Run
from prum_eval.tabular import plural
from prum_eval.text.document_names import FILE_ENDING
from prum_eval.text.numbers import shown

_COMPARED = 1000
"""So many judged names at most are looked at for the one that is most like a name of the run."""

_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")

_Affixes = tuple[str, str, str, str]
"""Folder and ending that only the run's name has, folder and ending that only the assessments' name has."""


@dataclass(frozen=True)
class JudgedShare:
    """So many of a run's `results` for assessed topics are in documents that were judged for their topic.

    `hint`: names of either side, and what would make them match; empty where enough results are judged.
    """

    judged: int
    results: int
    hint: str = ""

    @property
    def few(self) -> bool:
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
    judged, results = _count(run, assessments, run.documents)
    share = JudgedShare(judged, results)
    return JudgedShare(judged, results, _hint(run, assessments, judged)) if share.few else share


def _count(run: Run, assessments: Assessments, names: Sequence[str]) -> tuple[int, int]:
    """Results in judged documents, and all results, of the topics that both have.

    Args:
        run: the run.
        assessments: the assessments.
        names: of the run's documents, by code: those of the run or others in their place.
    """
    number: dict[str, int] = {}
    document = np.array([number.setdefault(name, len(number)) for name in names], dtype=np.int64)
    files = any(name.endswith(FILE_ENDING) for name in number)
    flag = np.zeros(len(number), dtype=np.bool_)
    judged = results = 0
    for topic, low, high in zip(run.topics, run.bounds[:-1].tolist(), run.bounds[1:].tolist(), strict=True):
        if topic not in assessments.topics:
            continue
        listed = assessments.topics[topic].documents
        known = [number[name] for name in listed if name in number]
        if files:
            known += [number[name + FILE_ENDING] for name in listed if name + FILE_ENDING in number]
        flag[known] = True
        judged += int(np.count_nonzero(flag[document[run.document[low:high]]] & run.exists[low:high]))
        flag[known] = False
        results += high - low
    return judged, results


def _hint(run: Run, assessments: Assessments, judged: int) -> str:
    """What the names of either side look like, and what would make them match."""
    listed = dict.fromkeys(name for topic in run.topics for name in _documents(assessments, topic))
    pairs = list(_alike(run, list(listed)))
    shapes = Counter(tuple(map(bool, affixes)) for _, _, affixes in pairs)
    for shape, _ in shapes.most_common(1):
        chosen = [(code, name, affixes) for code, name, affixes in pairs if tuple(map(bool, affixes)) == shape]
        names = list(run.documents)
        for code, name, _ in chosen:
            names[code] = name
        would, _ = _count(run, assessments, names)
        if would > judged:
            code, name, _ = chosen[0]
            said = f"the run says {shown(run.documents[code])}, the assessments {shown(name)}"
            return f"{said}; {_change([affixes for _, _, affixes in chosen])}, {would} would be"
    example = next(_strangers(run, assessments, listed), None)
    return "" if example is None else f"the run says {shown(example[0])}, the assessments {shown(example[1])}"


def _documents(assessments: Assessments, topic: str) -> Sequence[str]:
    return assessments.topics[topic].documents if topic in assessments.topics else ()


def _strangers(run: Run, assessments: Assessments, listed: dict[str, None]) -> Iterator[tuple[str, str]]:
    """Names of results that are not judged, best first, each with the judged name of its topic that is most like it."""
    for number, topic in enumerate(run.topics):
        known = _documents(assessments, topic)
        if not known:
            continue
        for code in run.document[run.bounds[number] : run.bounds[number + 1]].tolist():
            name = run.documents[code]
            if name not in listed:
                yield name, max(islice(known, _COMPARED), key=lambda other: _likeness(name, other))


def _likeness(name: str, other: str) -> int:
    """How many characters names have in common at their beginnings, and at their ends."""
    pairs = (zip(name, other, strict=False), zip(reversed(name), reversed(other), strict=False))
    return sum(sum(1 for _ in takewhile(lambda two: two[0] == two[1], pair)) for pair in pairs)


def _alike(run: Run, listed: Sequence[str]) -> Iterator[tuple[int, str, _Affixes]]:
    """Documents of the run, by code, and judged ones that differ in folder and ending only."""
    by_stem = {_parts(name)[1]: name for name in reversed(listed)}
    known = frozenset(listed)
    for code, name in enumerate(run.documents):
        folder, stem, ending = _parts(name)
        other = None if name in known else by_stem.get(stem)
        if other is not None:
            their_folder, _, their_ending = _parts(other)
            if folder == their_folder:
                folder = their_folder = ""
            if ending == their_ending:
                ending = their_ending = ""
            yield code, other, (folder, ending, their_folder, their_ending)


def _parts(name: str) -> tuple[str, str, str]:
    """Folder, with its slash, name and ending, with its point; folder and ending may be empty."""
    folder, slash, file = name.rpartition("/")
    ending = _ENDING.search(file, 1)
    stem = file if ending is None else file[: ending.start()]
    return folder + slash, stem, "" if ending is None else ending[0]


def _change(affixes: Sequence[_Affixes]) -> str:
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
    return [f"the {what} {shown(*found)}" if len(found) == 1 else f"their {what}s"]
