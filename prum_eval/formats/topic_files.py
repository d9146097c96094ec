"""Lists of topics: one a line."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TypeAlias

from prum_eval.errors import DataError, InputError, UsageError
from prum_eval.text.numbers import expected_message, quote_value
from prum_eval.text.streams import Content, display_name, open_input, read_all_text


def read_topics(path: str | Content) -> list[str]:
    """The topics of a file, in its order; empty lines are none. ``-`` is standard input, compression is recognised.

    Raises:
        InputError: the file cannot be read or names no topic, or a line has more than a name.
    """
    name = display_name(path)
    with open_input(path) as stream:
        lines = read_all_text(stream, name).split("\n")
    found: list[str] = []
    for line, content in enumerate(lines, 1):
        cells = content.split()
        if len(cells) > 1:
            raise InputError(name, line, f"expected a topic in each line, found {quote_value(content.strip())}")
        found += cells
    if not found:
        raise InputError(name, 1, "the file is empty")
    return found


# Groups of topics, such as easy and hard questions: ``topic<TAB>group``, a line a topic.


GroupsInput: TypeAlias = "str | PathLike[str] | Mapping[str, str]"
"""The file of them, or the group of each topic."""
RESERVED_GROUP = "all"
"""What the averages over all topics are called, and so no group."""


def read_groups_input(given: GroupsInput) -> tuple[str, dict[str, str]]:
    """What the groups are called in messages, and the group of each topic.

    Raises:
        InputError: bad data in the file.
        DataError: a group has a name that it cannot have.
        UsageError: it is nothing of the kind.
    """
    if isinstance(given, str | PathLike):
        return display_name(str(given)), read_groups(str(given))
    listed: object = given  # whatever the caller has
    if not isinstance(listed, Mapping) or not all(isinstance(one, str) for pair in listed.items() for one in pair):
        raise UsageError("groups: expected a path or {topic: group}, both texts")
    if RESERVED_GROUP in given.values():
        raise DataError(f"groups: no group can be called {RESERVED_GROUP}, as the averages over all topics are")
    return "groups", dict(given)


def read_groups(path: str | Content) -> dict[str, str]:
    """The group of each topic of a file; ``-`` is standard input, compression is recognised.

    Raises:
        InputError: a line has not two columns, a topic is there twice, or the file cannot be read.
    """
    name = display_name(path)
    with open_input(path) as stream:
        text = read_all_text(stream, name).rstrip()
    if not text:
        raise InputError(name, 1, "the file is empty")
    found: dict[str, str] = {}
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
            raise InputError(
                name, line, f"no group can be called {RESERVED_GROUP}, as the averages over all topics are"
            )
        if topic in found:
            reason = f"topic {quote_value(topic)} is listed twice (first on line {lines[topic]})"
            raise InputError(name, line, reason)
        found[topic], lines[topic] = group, line
    return found
