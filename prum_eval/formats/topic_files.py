"""Files about topics: lists, one topic per line; groups, ``topic<TAB>group``; excluded results, ``topic document``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from os import PathLike
from typing import NamedTuple, TypeAlias

from prum_eval.errors import DataError, InputError, UsageError
from prum_eval.text.numbers import expected_message, quote_value
from prum_eval.text.streams import Content, display_name, open_input, read_all_text


def read_topics(path: str | Content) -> list[str]:
    """The topics of a file, in its order, without empty lines. ``-`` is standard input, compression is recognised.

    Raises:
        InputError: the file cannot be read or names no topic, or a line has more than a name.
    """
    name = display_name(path)
    with open_input(path) as stream:
        lines = read_all_text(stream, name).split("\n")
    topics: list[str] = []
    for line, content in enumerate(lines, 1):
        cells = content.split()
        if len(cells) > 1:
            raise InputError(name, line, f"expected a topic in each line, found {quote_value(content.strip())}")
        topics += cells
    if not topics:
        raise InputError(name, 1, "the file is empty")
    return topics


GroupsInput: TypeAlias = "str | PathLike[str] | Mapping[str, str]"
"""A file of groups, or the group of each topic."""
RESERVED_GROUP = "all"
"""Name of the averages over all topics."""
_RESERVED = f"no group can be called {RESERVED_GROUP}, as the averages over all topics are"


def read_groups_input(source: GroupsInput) -> tuple[str, dict[str, str]]:
    """Name of the groups in messages, and the group of each topic.

    Raises:
        InputError: bad data in the file.
        DataError: a group has the reserved name.
        UsageError: another type.
    """
    if isinstance(source, str | PathLike):
        return display_name(str(source)), read_groups(str(source))
    groups: object = source  # of any type
    if not isinstance(groups, Mapping) or not all(isinstance(text, str) for pair in groups.items() for text in pair):
        raise UsageError("groups: expected a path or {topic: group}, both texts")
    if RESERVED_GROUP in source.values():
        raise DataError(f"groups: {_RESERVED}")
    return "groups", dict(source)


def read_groups(path: str | Content) -> dict[str, str]:
    """The group of each topic of a file; ``-`` is standard input, compression is recognised.

    Raises:
        InputError: a line has not two columns, a topic is repeated, or the file cannot be read.
    """
    name = display_name(path)
    with open_input(path) as stream:
        text = read_all_text(stream, name).rstrip()
    if not text:
        raise InputError(name, 1, "the file is empty")
    groups: dict[str, str] = {}
    lines: dict[str, int] = {}
    for line, content in enumerate(text.split("\n"), 1):
        cells = content.split("\t")
        if len(cells) != 2:
            raise InputError(name, line, f"expected topic and group, separated by a tab, found {len(cells)} columns")
        topic, group = (cell.strip() for cell in cells)
        for field, cell in (("topic", topic), ("group", group)):
            if not cell:
                raise InputError(name, line, expected_message(field, "a name", cell))
        if group == RESERVED_GROUP:
            raise InputError(name, line, _RESERVED)
        if topic in groups:
            reason = f"topic {quote_value(topic)} is listed twice (first on line {lines[topic]})"
            raise InputError(name, line, reason)
        groups[topic], lines[topic] = group, line
    return groups


ExclusionsInput: TypeAlias = "str | PathLike[str] | Mapping[str, Collection[str]]"
"""A file of excluded results, or the excluded documents of each topic."""


class Exclusions(NamedTuple):
    """Documents that do not count as results, by topic; `source` is their name in messages."""

    source: str
    documents: Mapping[str, frozenset[str]]


def read_exclusions_input(source: ExclusionsInput) -> Exclusions:
    """The excluded documents of each topic.

    Raises:
        InputError: bad data in the file.
        UsageError: another type.
    """
    if isinstance(source, str | PathLike):
        return read_exclusions(str(source))
    given: object = source  # of any type
    if not isinstance(given, Mapping) or not all(
        isinstance(topic, str) and isinstance(names, Collection) and not isinstance(names, str | bytes)
        for topic, names in given.items()
    ):
        raise UsageError("exclude: expected a path or {topic: [document, ...]}")
    return Exclusions("exclude", {topic: frozenset(names) for topic, names in source.items()})


def read_exclusions(path: str | Content) -> Exclusions:
    """Read lines ``topic document``, separated by a tab or by blanks; lines that start with ``#`` are comments.

    Raises:
        InputError: a line has not two columns, or the file cannot be read or is empty.
    """
    name = display_name(path)
    with open_input(path) as stream:
        lines = read_all_text(stream, name).rstrip().split("\n")
    documents: dict[str, set[str]] = {}
    for line, content in enumerate(lines, 1):
        if content.startswith("#"):
            continue
        cells = [cell.strip() for cell in content.split("\t")] if "\t" in content else content.split()
        if len(cells) != 2 or not all(cells):
            reason = (
                "the file is empty" if lines == [""] else f"expected topic and document, found {len(cells)} columns"
            )
            raise InputError(name, line, reason)
        documents.setdefault(cells[0], set()).add(cells[1])
    return Exclusions(name, {topic: frozenset(names) for topic, names in documents.items()})
