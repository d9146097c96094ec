"""Logs of users: ``session topic rank RESULT [VIEWED...]``, separated by tabs, or JSON Lines.

A place is ``file#path``, ``file@offset:length`` or, for a whole document, ``file``. Optional cells after the result are
``read=CHARS`` (characters read from its beginning) and ``stop=1`` (the user left the list here).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, BinaryIO

from prum_eval.errors import InputError, ProblemHandler
from prum_eval.records import Consultation, LoggedPlace, UserLog
from prum_eval.text.element_paths import normalise_path
from prum_eval.text.json_lines import PLACE_KEYS, BadValueError, JsonKeys, JsonObject, encode_json_value, json_objects
from prum_eval.text.lines import BlankLines, line_blocks
from prum_eval.text.numbers import MAX_OFFSET, PAST_MAX_OFFSET, expected_message, parse_integer, quote_value

PLACE_EXAMPLE = "a place such as a1004#/article[1]/sec[2], a1004@120:80 or a1004"
_EXTENT = re.compile(r"(.+)@([0-9]{1,15}):([0-9]{1,15})")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LARGEST_RANK = 2**31 - 1
_COMMENT = b"#"
_READ, _STOP = "read", "stop"
_SETTING = re.compile(rf"({_READ}|{_STOP})=(.*)", re.DOTALL)
_KEYS = {
    "session": ("session_id",), "topic": PLACE_KEYS["topic"], "rank": (), "result": (), "viewed": ("views",), _READ: (),
    _STOP: (),
}  # fmt: skip


@lru_cache(maxsize=1 << 16)  # logs repeat places
def parse_logged_place(text: str) -> LoggedPlace | None:
    """The place in a text; None if it is none.

    >>> parse_logged_place("a#/x/p[2]").path, parse_logged_place("a@5:7").start, parse_logged_place("a#x")
    ('/x[1]/p[2]', 5, None)
    """
    if not text or _CONTROL.search(text):
        return None
    extent = _EXTENT.fullmatch(text)
    if extent is not None:
        start, length = int(extent[2]), int(extent[3])
        return LoggedPlace(extent[1], "", start, length) if start + length <= MAX_OFFSET else None
    document, hash_sign, path = text.partition("#")
    if not hash_sign:
        return LoggedPlace(document)
    normal = normalise_path(path)
    return LoggedPlace(document, normal) if document and normal is not None else None


def is_round_trip_safe(place: LoggedPlace) -> bool:
    """Whether a reader gets the same place: false if the name of its document looks like another place or a setting.

    >>> [is_round_trip_safe(place) for place in (LoggedPlace("a", "/x[1]"), LoggedPlace("a#b"), LoggedPlace("stop=1"))]
    [True, False, False]
    """
    return parse_logged_place(place.text) == place and _SETTING.fullmatch(place.text) is None


def read_log_lines(stream: BinaryIO, name: str, problems: ProblemHandler) -> UserLog:
    """Read a tab-separated log; comments start with ``#``; bad lines are reported and left out."""
    lines = _LogCollector(name, problems)
    blanks = BlankLines(name, problems, "a consulted result")
    comments = content = False
    for block in line_blocks(stream, name, problems):
        for line, text in block.numbered_lines():
            if text.startswith(_COMMENT):
                comments = True
            elif not blanks.skip(line, text):
                content = True
                lines.take(line, partial(_consultation_from_cells, text, line))
    if comments and not content:
        problems(InputError(name, 1, "the file is empty"))
    return lines.record()


def read_log_json(stream: BinaryIO, name: str, problems: ProblemHandler) -> UserLog:
    """Read a log of JSON objects: session, topic, rank, result, viewed, read, stop; the last three are optional."""
    lines = _LogCollector(name, problems)
    for item in json_objects(stream, name, problems, JsonKeys(_KEYS), "a consulted result"):
        lines.take(item.line, partial(_consultation_from_object, item))
    return lines.record()


def write_log_lines(log: UserLog) -> bytes:
    """The tab-separated lines of a log."""
    return "".join(f"{line}\n" for line in map(_format_consultation, log.lines)).encode()


class _LogCollector:
    """Collects the lines of a log; each rank of a list has one line."""

    def __init__(self, name: str, problems: ProblemHandler) -> None:
        self._name, self._problems = name, problems
        self._lines: list[Consultation] = []
        self._first: dict[tuple[str, str, int], int] = {}

    def take(self, line: int, read: Callable[[], Consultation]) -> None:
        """Add a line, or report its problem."""
        try:
            consultation = read()
        except BadValueError as error:
            self._problems(InputError(self._name, line, str(error)))
            return
        session, topic, rank = consultation.session, consultation.topic, consultation.rank
        first = self._first.setdefault((session, topic, rank), line)
        if first != line:
            reason = f"rank {rank} of topic {topic} in session {session} appears twice (first on line {first})"
            self._problems(InputError(self._name, line, reason))
            return
        self._lines.append(consultation)

    def record(self) -> UserLog:
        """The log of all lines."""
        return UserLog(self._name, tuple(self._lines))


def _consultation_from_cells(text: bytes, line: int) -> Consultation:
    try:
        cells = text.removesuffix(b"\r").decode().split("\t")
    except UnicodeDecodeError:
        raise BadValueError("the line is not UTF-8 text") from None
    if len(cells) < 4:
        columns = "4 columns or more, separated by tabs: session, topic, rank, result, what was viewed"
        raise BadValueError(f"expected {columns}; found {len(cells)}")
    session, topic, rank, result, *optional_cells = cells
    settings: dict[str, str] = {}
    viewed = []
    for cell in optional_cells:
        setting = _SETTING.fullmatch(cell)
        if setting is None:
            viewed.append(_place("viewed", cell))
        elif setting[1] in settings:
            raise BadValueError(f"{setting[1]} appears twice")
        else:
            settings[setting[1]] = setting[2]
    read = _parse_whole_number(_READ, settings[_READ], 0, MAX_OFFSET) if _READ in settings else None
    if settings.get(_STOP, "1") not in {"0", "1"}:
        raise BadValueError(expected_message(_STOP, "1 or 0", settings[_STOP]))
    return Consultation(
        _name("session", session), _name("topic", topic), _parse_whole_number("rank", rank, 1, _LARGEST_RANK),
        _place("result", result), tuple(viewed), read, settings.get(_STOP) == "1", line,
    )  # fmt: skip


def _consultation_from_object(item: JsonObject) -> Consultation:
    rank = item.count("rank", 1)
    if rank > _LARGEST_RANK:
        raise BadValueError(expected_message("rank", f"at most {_LARGEST_RANK}", str(rank)))
    stop = item.value(_STOP) if _STOP in item else False
    if not isinstance(stop, int) or stop not in {0, 1}:
        raise BadValueError(expected_message(_STOP, "true or false", encode_json_value(stop)))
    viewed = item.array("viewed", "a list of places") if "viewed" in item else []
    return Consultation(
        item.name("session").decode(), item.name("topic").decode(), rank,
        _place("result", _text("result", item.value("result"))),
        tuple(_place("viewed", _text("viewed", place)) for place in viewed),
        item.count(_READ) if _READ in item else None, bool(stop), item.line,
    )  # fmt: skip


def _text(field: str, value: Any) -> str:  # noqa: ANN401 -- any JSON
    if not isinstance(value, str):
        raise BadValueError(expected_message(field, PLACE_EXAMPLE, encode_json_value(value)))
    return value


def _name(field: str, cell: str) -> str:
    if not cell or _CONTROL.search(cell):
        raise BadValueError(expected_message(field, "a name, text without control characters", cell))
    return cell


def _place(field: str, cell: str) -> LoggedPlace:
    place = parse_logged_place(cell)
    if place is None:
        extent = _EXTENT.fullmatch(cell)
        if extent is not None and int(extent[2]) + int(extent[3]) > MAX_OFFSET:
            raise BadValueError(f"{field}: {quote_value(cell)} ends {PAST_MAX_OFFSET}")
        raise BadValueError(expected_message(field, PLACE_EXAMPLE, cell))
    return place


def _parse_whole_number(field: str, cell: str, least: int, most: int) -> int:
    number = parse_integer(cell.encode())
    if number is None or not least <= number <= most:
        raise BadValueError(expected_message(field, f"an integer from {least} to {most}", cell))
    return number


def _format_consultation(line: Consultation) -> str:
    cells = [line.session, line.topic, str(line.rank), line.result.text, *(place.text for place in line.viewed)]
    if line.read is not None:
        cells.append(f"{_READ}={line.read}")
    if line.stop:
        cells.append(f"{_STOP}=1")
    return "\t".join(cells)
