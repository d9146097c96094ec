"""Some of the topics: those of a file, of a list, in a range of numbers."""

from __future__ import annotations

import re
from collections.abc import Collection
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.notices.notice import TOPICS, Notice
from prum_eval.formats.topics import read_topics
from prum_eval.parameters import nearest
from prum_eval.tabular import plural
from prum_eval.text.streams import display_name

GivenTopics: TypeAlias = "str | PathLike[str] | Collection[str]"
"""The path of a file with a topic a line, a list ``1,2,7-9`` as text, or names of topics."""
_RANGE = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")


def chosen_topics(given: GivenTopics, known: Collection[str], whose: str) -> tuple[frozenset[str], list[Notice]]:
    """Those of the known topics that are chosen, and what to say of others.

    A text is a list with commas, each part a topic, else a range of whole numbers; a text that is none of it is a file.

    >>> chosen_topics("q1,3-5", ["1", "4", "05", "6", "q1"], "qrels")[0] == {"4", "05", "q1"}
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
        return _of_file(str(given), known, whose)
    names = _listed(given, known, whose) if isinstance(given, str) else list(given)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"topics: {unknown[0]} is no topic of {whose}{nearest(str(unknown[0]), known)}")
    if not names:
        raise UsageError("topics: none is named")
    return frozenset(names), []


def _listed(text: str, known: Collection[str], whose: str) -> list[str]:
    """The topics of a list."""
    found: list[str] = []
    for part in map(str.strip, text.split(",")):
        span = _RANGE.fullmatch(part)
        if part in known or span is None:
            if part not in known:
                hint = nearest(part, known)
                raise UsageError(f"topics: {part or text!r} is no topic of {whose}, no range A-B and no file{hint}")
            found.append(part)
            continue
        low, high = int(span[1]), int(span[2])
        inside = [name for name in known if name.isascii() and name.isdigit() and low <= int(name) <= high]
        if not inside:
            raise UsageError(f"topics: no topic of {whose} is in the range {part}")
        found += inside
    return found


def _of_file(path: str, known: Collection[str], whose: str) -> tuple[frozenset[str], list[Notice]]:
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
