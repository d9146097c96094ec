"""The options of an evaluation in one record, as the caller gives them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.notices import TOPICS, Notice
from prum_eval.formats.reading import AssessmentsInput, RunInputs
from prum_eval.formats.topic_files import read_topics
from prum_eval.measures.specs import MeasuresInput
from prum_eval.measures.topic_data import Ranking
from prum_eval.parameters import did_you_mean
from prum_eval.records import NavigationFile, Structure
from prum_eval.tabular import plural
from prum_eval.text.streams import display_name

if TYPE_CHECKING:
    from prum_eval.formats.topic_files import GroupsInput


# Tokens of results whose run does not count them.


TokenCount: TypeAlias = float | Callable[[str, int, int], int]
"""Tokens a character, or a function of a document's name and where a result starts and ends in it, in characters."""
_NOISE = 1e-9  # of a product that should be a whole number


def check_tokens(tokens: object) -> None:
    """Refuse what tells no number of tokens.

    Raises:
        UsageError: it is neither a number above 0 nor a function.
    """
    number = isinstance(tokens, int | float) and not isinstance(tokens, bool) and 0 < tokens < math.inf
    if not callable(tokens) and not number:
        raise UsageError(f"tokens={tokens}: tokens is a number above 0, of tokens a character, or a function")


def with_tokens(ranking: Ranking, tokens: TokenCount) -> Ranking:
    """The ranking with tokens where its run tells none: those of the function, or max(1, ceil(tokens * characters)).

    Results whose characters are not known get none.

    Raises:
        UsageError: the function returns no whole number above 0.
    """
    locations = ranking.locations
    found = np.zeros(len(ranking), dtype=np.int64) if ranking.tokens is None else ranking.tokens.copy()
    rows = np.flatnonzero((found <= 0) & locations.located & ranking.exists)
    if callable(tokens):
        names = ranking.document_names()
        start, end = locations.start[rows].tolist(), (locations.start + locations.length)[rows].tolist()
        places = zip([names[row] for row in rows.tolist()], start, end, strict=True)
        found[rows] = [_count_tokens(tokens, *place) for place in places]
    else:
        found[rows] = np.maximum(1, np.ceil(tokens * locations.length[rows] - _NOISE))
    return replace(ranking, tokens=found)


def _count_tokens(count: Callable[[str, int, int], int], document: str, start: int, end: int) -> int:
    found = count(document, start, end)
    if not isinstance(found, Integral) or isinstance(found, bool) or found < 1:
        what = f"tokens: the function returned {found!r} for document {document}, {start} to {end}"
        raise UsageError(f"{what}: expected a whole number above 0")
    return int(found)


# Some of the topics: those of a file, of a list, in a range of numbers.


TopicsInput: TypeAlias = "str | PathLike[str] | Collection[str]"
"""The path of a file with a topic a line, a list ``1,2,7-9`` as text, or names of topics."""
_RANGE = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")


def select_topics(given: TopicsInput, known: Collection[str], whose: str) -> tuple[frozenset[str], list[Notice]]:
    """Those of the known topics that are chosen, and what to say of others.

    A text is a list with commas, each part a topic, else a range of whole numbers; a text that is none of it is a file.

    >>> select_topics("q1,3-5", ["1", "4", "05", "6", "q1"], "qrels")[0] == {"4", "05", "q1"}
    True

    Args:
        given: the choice.
        known: the topics that there are.
        whose: who has them, for messages.

    Raises:
        InputError: the file cannot be read.
        DataError: none of its topics is known.
        UsageError: a part of a list is no topic, no range with a topic in it and no file.
    """
    if isinstance(given, PathLike) or (isinstance(given, str) and (given == "-" or Path(given).is_file())):
        return _topics_of_file(str(given), known, whose)
    names = _topics_of_list(given, known, whose) if isinstance(given, str) else list(given)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"topics: {unknown[0]} is no topic of {whose}{did_you_mean(str(unknown[0]), known)}")
    if not names:
        raise UsageError("topics: none is named")
    return frozenset(names), []


def _topics_of_list(text: str, known: Collection[str], whose: str) -> list[str]:
    """The topics of a list."""
    found: list[str] = []
    for part in map(str.strip, text.split(",")):
        span = _RANGE.fullmatch(part)
        if part in known or span is None:
            if part not in known:
                hint = did_you_mean(part, known)
                raise UsageError(f"topics: {part or text!r} is no topic of {whose}, no range A-B and no file{hint}")
            found.append(part)
            continue
        low, high = int(span[1]), int(span[2])
        inside = [name for name in known if name.isascii() and name.isdigit() and low <= int(name) <= high]
        if not inside:
            raise UsageError(f"topics: no topic of {whose} is in the range {part}")
        found += inside
    return found


def _topics_of_file(path: str, known: Collection[str], whose: str) -> tuple[frozenset[str], list[Notice]]:
    """The topics of a file that are known; the others are told."""
    listed, name = dict.fromkeys(read_topics(path)), display_name(path)
    unknown = [topic for topic in listed if topic not in known]
    if len(unknown) == len(listed):
        raise DataError(f"{name}: no topic in common with {whose}")
    if not unknown:
        return frozenset(listed), []
    more, verb = (", ...", "are") if len(unknown) > 1 else ("", "is")
    text = f"{name}: {plural(len(unknown), 'topic')} ({unknown[0]}{more}) {verb} not in {whose}"
    return frozenset(listed.keys() - set(unknown)), [Notice(TOPICS, text)]


CANONICAL_NAMES, TYPED_NAMES = PRINTED_NAMES = ("ours", "as-given")
"""Under which names values print."""
FilePath = str | PathLike[str]


@dataclass(eq=False, repr=False)
class OptionVariant:
    """Options in place of those of the call. `label`: what the names of measures end with that are computed so."""

    label: str
    options: Mapping[str, Any]


@dataclass(kw_only=True, eq=False, repr=False)
class EvaluationOptions:
    """What is computed: the arguments of `prum_eval.evaluate`, which explains them.

    `variants`: what measures and their settings are in place of that, all of these side by side.
    """

    assessments: AssessmentsInput | None = None
    runs: RunInputs | None = None
    config: FilePath | None = None
    structure: FilePath | Structure | None = None
    measures: MeasuresInput | None = None
    task: str | None = None
    user_model: str | None = None
    navigation: FilePath | NavigationFile | None = None
    navigation_kind: str = "reach"
    targets: str | None = None
    quantisation: str | None = None
    items: str | None = None
    settings: Mapping[str, str | float] | None = None
    prum_mode: str | None = None
    ideal_list: str | None = None
    collection_size: int | None = None
    complete: bool = False
    limit: int | None = None
    relevance_level: int | None = None
    names: str = CANONICAL_NAMES
    judged_only: bool = False
    topics: TopicsInput | None = None
    merge: str | None = None
    tokens: TokenCount | None = None
    rank_by: str | None = None
    groups: GroupsInput | None = None
    curves: bool = False
    jobs: int = 1
    cluster: str | None = None
    cache: bool = True
    variants: Sequence[OptionVariant] = ()
