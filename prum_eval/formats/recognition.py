"""What shows a format: the first bytes of an input, without byte-order mark. A function is such a test or makes one."""

from __future__ import annotations

import re
from collections.abc import Callable, Container

marked = re.compile(rb"<|(?:\[\s*)?\{|\[\s*\]").match
"""How markup and JSON begin."""


def has_columns(counts: Container[int]) -> Callable[[bytes], object]:
    """Whether the first line has one of these numbers of columns; markup and JSON have none."""
    return lambda head: not marked(head) and len(head.partition(b"\n")[0].split()) in counts


def has_grades(head: bytes) -> object:
    """Whether the first line has four columns, the second of them no path, which structures have."""
    return has_columns({4})(head) and not head.split(maxsplit=2)[1].startswith(b"/")


_EXTENT = re.compile(rb"(?:\S+\s+){6}[0-9]+:[0-9]").match
"""How a line with passages goes on after its sixth column."""


def has_results(count: int) -> Callable[[bytes], object]:
    """Whether the first line has that number of columns, and no passages, which assessments have."""
    return lambda head: (
        not marked(head) and len((line := head.partition(b"\n")[0]).split()) == count and not _EXTENT(line)
    )


def has_passages(head: bytes) -> object:
    """Whether the first line has five columns, with a sixth whole number, or passages after it; a run has neither."""
    line = head.partition(b"\n")[0]
    cells = line.split()
    if marked(head) or len(cells) < 5 or not cells[4].isdigit():
        return False
    return _EXTENT(line) if len(cells) > 6 else len(cells) == 5 or cells[5][-1:].isdigit()


def has_tabs(*counts: int) -> Callable[[bytes], object]:
    """Whether the first line has one of these numbers of tabs, or is a comment."""
    return lambda head: head.startswith(b"#") or head.partition(b"\n")[0].count(b"\t") in counts


def has_root(tag: bytes) -> Callable[[bytes], object]:
    """Whether it is XML with that element."""
    return lambda head: head.startswith(b"<") and b"<" + tag in head


def _json(head: bytes) -> object:
    """Whether it is a JSON object, or an array of some, that names a document."""
    return re.match(rb"(?:\[\s*)?\{", head) and re.search(rb'"doc(?:_id|ument)?"', head)


def _json_with(own: bytes, foreign: bytes) -> Callable[[bytes], object]:
    """Whether it is such JSON, and its first object has no keys of another kind without one of its own."""

    def recognises(head: bytes) -> object:
        first = head.partition(b"}")[0]
        return _json(head) and (not re.search(foreign, first) or re.search(own, first))

    return recognises


def has_pattern(pattern: bytes) -> Callable[[bytes], object]:
    """Whether it has that pattern, which is compiled when it is first asked for."""
    return lambda head: re.search(pattern, head, re.MULTILINE)


_GOLD_KEYS, _RESULT_KEYS = rb'"(?:spans|bep|doc_length)"\s*:', rb'"(?:score|rank|run)"\s*:'
HAS_JSON_RESULTS, HAS_JSON_GOLD = _json_with(_RESULT_KEYS, _GOLD_KEYS), _json_with(_GOLD_KEYS, _RESULT_KEYS)
