"""What an input is that no reader of what was expected takes: something else, or in another notation."""

from __future__ import annotations

import re

from prum_eval.errors import raise_first
from prum_eval.formats.format import FormatKind
from prum_eval.text.streams import SQLITE, Content, opened_with_head

_ROOTS = {
    b"<inex-submission": FormatKind.RUN,
    b"<assessments": FormatKind.ASSESSMENTS,
    b"<collection": FormatKind.STRUCTURE,
}
_OF_GOLD = re.compile(rb'"(?:spans|bep|doc_length)"\s*:')
_OF_RESULTS = re.compile(rb'"(?:score|rank|run)"\s*:')
_INTEGER = re.compile(rb"-?[0-9]+")
_NUMBER = re.compile(rb"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_EXTENT = re.compile(rb"[0-9]+:[0-9]+")
_BY_NAME = re.compile(rb'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{')
_NO_OBJECTS = re.compile(rb"\[\s*[^\s{\]]")
_IS = {
    FormatKind.RUN: "this is a run",
    FormatKind.ASSESSMENTS: "these are assessments",
    FormatKind.STRUCTURE: "this is a structure",
}
_EXPECTED = {
    FormatKind.RUN: ("a run", "topic Q0 document rank score run"),
    FormatKind.ASSESSMENTS: ("assessments", "topic 0 document grade"),
    FormatKind.STRUCTURE: ("a structure", "document, path, start, length"),
}


def odd_input(wanted: FormatKind, head: bytes) -> tuple[int | None, str] | None:
    """The line that tells what an input is instead of what was expected, None where all do, and what is to be said.

    None where nothing is known of it.

    >>> odd_input(FormatKind.ASSESSMENTS, b"1 Q0 moon 1 0.5 mine")
    (None, 'this is a run; assessments come first')
    >>> odd_input(FormatKind.RUN, b"1,Q0,moon,1,0.5,mine")
    (1, 'comma-separated; expected blanks or tabs')

    Args:
        wanted: a run, assessments or a structure.
        head: the beginning of the input.
    """
    if wanted not in _EXPECTED:
        return None
    what, columns = _EXPECTED[wanted]
    found = kind_of(head)
    if found is not None and found is not wanted:
        swapped = wanted is FormatKind.ASSESSMENTS and found is FormatKind.RUN
        rest = "assessments come first" if swapped else f"expected {what}"
        return None, f"{_IS[found]}; {rest}"
    if _BY_NAME.match(head):
        return 1, f"a JSON object of topics by name, which Python functions take; a line of a file is {columns}"
    if _NO_OBJECTS.match(head):
        return 1, f"a JSON array of no objects; a line of a file is {columns}"
    line = head.partition(b"\n")[0]
    if line.count(b",") > 1 and len(line.split()) < 3 and head[:1] not in b"<{[":
        return 1, "comma-separated; expected blanks or tabs"
    return None


def kind_of(head: bytes) -> FormatKind | None:
    """Whether an input is certainly a run, assessments or a structure, by its beginning; None where it may be others.

    >>> kind_of(b"1 0 moon 1"), kind_of(b"1 Q0 moon 120 4000 17 17:120"), kind_of(b"1 Q0 moon 1 4 5")
    (<FormatKind.ASSESSMENTS: 'assessments'>, <FormatKind.ASSESSMENTS: 'assessments'>, None)
    """
    if head.startswith(SQLITE):
        return FormatKind.STRUCTURE
    if head.startswith(b"<"):
        return next((kind for root, kind in _ROOTS.items() if root in head), None)
    if head.startswith((b"{", b"[")):
        first = head.partition(b"}")[0]
        if b'"doc' not in first:
            return None
        gold, results = _OF_GOLD.search(first), _OF_RESULTS.search(first)
        return None if bool(gold) == bool(results) else FormatKind.ASSESSMENTS if gold else FormatKind.RUN
    lines = (line for line in head.split(b"\n") if not line.startswith(b"#"))
    return _of_columns(next(lines, b"").split())


def _of_columns(cells: list[bytes]) -> FormatKind | None:
    """What a line with these columns is of."""
    count, whole = len(cells), [_INTEGER.fullmatch(cell) is not None for cell in cells]
    if count == 4 and cells[1].startswith(b"/") and whole[2] and whole[3]:
        return FormatKind.STRUCTURE
    if (count == 4 and whole[3]) or (count > 6 and whole[3] and whole[4] and _EXTENT.fullmatch(cells[6])):
        return FormatKind.ASSESSMENTS
    if count not in (6, 7, 8) or not whole[3] or not _NUMBER.fullmatch(cells[4]):
        return None
    placed = all(cell.startswith(b"/") for cell in cells[6:]) or (count == 8 and whole[6] and whole[7])
    return FormatKind.RUN if placed and not (count == 6 and whole[4] and whole[5]) else None


def kind_of_file(path: str | Content) -> FormatKind | None:
    """The same of a file.

    Raises:
        InputError: it cannot be read.
    """
    stream, head = opened_with_head(path, raise_first)
    stream.close()
    return kind_of(head)
