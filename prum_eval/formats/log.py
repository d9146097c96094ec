"""Logs of users: ``session topic rank RESULT [VIEWED...]``, separated by tabs, or JSON Lines.

A place is ``file#path``, ``file@offset:length`` or, for a whole document, ``file``. Behind the result may also stand
``read=CHARS`` (characters read from its beginning) and ``stop=1`` (the user went no further in the list).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, BinaryIO

from prum_eval.errors import InputError, Problems
from prum_eval.records import Consultation, LoggedPlace, UserLog
from prum_eval.text.element_paths import normal_path
from prum_eval.text.json_lines import PLACES, BadValueError, JsonKeys, JsonObject, json_objects, written
from prum_eval.text.lines import BlankLines, line_blocks
from prum_eval.text.numbers import FARTHEST, PAST, expected, integer, shown

PLACE_EXAMPLE = "a place such as a1004#/article[1]/sec[2], a1004@120:80 or a1004"
_EXTENT = re.compile(r"(.+)@([0-9]{1,15}):([0-9]{1,15})")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LARGEST_RANK = 2**31 - 1
_COMMENT = b"#"
_READ, _STOP = "read", "stop"
_SETTING = re.compile(rf"({_READ}|{_STOP})=(.*)", re.DOTALL)
_KEYS = {
    "session": ("session_id",), "topic": PLACES["topic"], "rank": (), "result": (), "viewed": ("views",), _READ: (),
    _STOP: (),
}  # fmt: skip


@lru_cache(maxsize=1 << 16)  # logs name the same places again and again
def logged_place(text: str) -> LoggedPlace | None:
    """The place that a text names; None where it names none.

    >>> logged_place("a#/x/p[2]").path, logged_place("a@5:7").start, logged_place("a#x")
    ('/x[1]/p[2]', 5, None)
    """
    if not text or _CONTROL.search(text):
        return None
    extent = _EXTENT.fullmatch(text)
    if extent is not None:
        start, length = int(extent[2]), int(extent[3])
        return LoggedPlace(extent[1], "", start, length) if start + length <= FARTHEST else None
    document, hash_sign, path = text.partition("#")
    if not hash_sign:
        return LoggedPlace(document)
    normal = normal_path(path)
    return LoggedPlace(document, normal) if document and normal is not None else None


def reads_back(place: LoggedPlace) -> bool:
    """Whether a place is read as it is written: not where the name of its document looks like something else.

    >>> reads_back(LoggedPlace("a", "/x[1]")), reads_back(LoggedPlace("a#b")), reads_back(LoggedPlace("stop=1"))
    (True, False, False)
    """
    return logged_place(place.text) == place and _SETTING.fullmatch(place.text) is None


def read_log_lines(stream: BinaryIO, name: str, problems: Problems) -> UserLog:
    """Read a log of lines with tabs; those that start with ``#`` are comments. Bad lines are reported and left out."""
    lines = _Lines(name, problems)
    blanks = BlankLines(name, problems, "a consulted result")
    comments = content = False
    for block in line_blocks(stream, name, problems):
        for line, text in block.numbered():
            if text.startswith(_COMMENT):
                comments = True
            elif not blanks.skip(line, text):
                content = True
                lines.take(line, partial(_of_cells, text, line))
    if comments and not content:
        problems(InputError(name, 1, "the file is empty"))
    return lines.record()


def read_log_json(stream: BinaryIO, name: str, problems: Problems) -> UserLog:
    """Read a log of JSON objects: session, topic, rank, result, viewed, read, stop; the last three may be missing."""
    lines = _Lines(name, problems)
    for item in json_objects(stream, name, problems, JsonKeys(_KEYS), "a consulted result"):
        lines.take(item.line, partial(_of_object, item))
    return lines.record()


def write_log_lines(log: UserLog) -> bytes:
    """The lines of a log, with tabs."""
    return "".join(f"{line}\n" for line in map(_written, log.lines)).encode()


class _Lines:
    """Collects the lines of a log; each rank of a list has one."""

    def __init__(self, name: str, problems: Problems) -> None:
        self._name, self._problems = name, problems
        self._lines: list[Consultation] = []
        self._first: dict[tuple[str, str, int], int] = {}

    def take(self, line: int, read: Callable[[], Consultation]) -> None:
        """Take a line, or report what is wrong with it."""
        try:
            one = read()
        except BadValueError as error:
            self._problems(InputError(self._name, line, str(error)))
            return
        first = self._first.setdefault((one.session, one.topic, one.rank), line)
        if first != line:
            what = f"rank {one.rank} of topic {one.topic} in session {one.session}"
            self._problems(InputError(self._name, line, f"{what} is there twice (first on line {first})"))
            return
        self._lines.append(one)

    def record(self) -> UserLog:
        """The log of all that was taken."""
        return UserLog(self._name, tuple(self._lines))


def _cells(text: bytes) -> list[str]:
    try:
        cells = text.removesuffix(b"\r").decode().split("\t")
    except UnicodeDecodeError:
        raise BadValueError("the line is not UTF-8 text") from None
    if len(cells) < 4:
        wanted = "4 columns or more, separated by tabs: session, topic, rank, result, what was viewed"
        raise BadValueError(f"expected {wanted}; found {len(cells)}")
    return cells


def _of_cells(text: bytes, line: int) -> Consultation:
    session, topic, rank, result, *others = _cells(text)
    settings: dict[str, str] = {}
    viewed = []
    for cell in others:
        setting = _SETTING.fullmatch(cell)
        if setting is None:
            viewed.append(_place("viewed", cell))
        elif setting[1] in settings:
            raise BadValueError(f"{setting[1]} is there twice")
        else:
            settings[setting[1]] = setting[2]
    read = _whole(_READ, settings[_READ], 0, FARTHEST) if _READ in settings else None
    if settings.get(_STOP, "1") not in {"0", "1"}:
        raise BadValueError(expected(_STOP, "1 or 0", settings[_STOP]))
    return Consultation(
        _name("session", session), _name("topic", topic), _whole("rank", rank, 1, _LARGEST_RANK),
        _place("result", result), tuple(viewed), read, settings.get(_STOP) == "1", line,
    )  # fmt: skip


def _of_object(item: JsonObject) -> Consultation:
    rank = item.count("rank", 1)
    if rank > _LARGEST_RANK:
        raise BadValueError(expected("rank", f"at most {_LARGEST_RANK}", str(rank)))
    stop = item.value(_STOP) if _STOP in item else False
    if not isinstance(stop, int) or stop not in {0, 1}:
        raise BadValueError(expected(_STOP, "true or false", written(stop)))
    viewed = item.array("viewed", "a list of places") if "viewed" in item else []
    return Consultation(
        item.name("session").decode(), item.name("topic").decode(), rank,
        _place("result", _text("result", item.value("result"))),
        tuple(_place("viewed", _text("viewed", one)) for one in viewed),
        item.count(_READ) if _READ in item else None, bool(stop), item.line,
    )  # fmt: skip


def _text(field: str, value: Any) -> str:  # noqa: ANN401 -- whatever the line holds
    if not isinstance(value, str):
        raise BadValueError(expected(field, PLACE_EXAMPLE, written(value)))
    return value


def _name(field: str, cell: str) -> str:
    if not cell or _CONTROL.search(cell):
        raise BadValueError(expected(field, "a name, text without control characters", cell))
    return cell


def _place(field: str, cell: str) -> LoggedPlace:
    found = logged_place(cell)
    if found is None:
        extent = _EXTENT.fullmatch(cell)
        if extent is not None and int(extent[2]) + int(extent[3]) > FARTHEST:
            raise BadValueError(f"{field}: {shown(cell)} ends {PAST}")
        raise BadValueError(expected(field, PLACE_EXAMPLE, cell))
    return found


def _whole(field: str, cell: str, least: int, most: int) -> int:
    found = integer(cell.encode())
    if found is None or not least <= found <= most:
        raise BadValueError(expected(field, f"an integer from {least} to {most}", cell))
    return found


def _written(one: Consultation) -> str:
    cells = [one.session, one.topic, str(one.rank), one.result.text, *(place.text for place in one.viewed)]
    return "\t".join([*cells, *_settings(one)])


def _settings(one: Consultation) -> Iterator[str]:
    if one.read is not None:
        yield f"{_READ}={one.read}"
    if one.stop:
        yield f"{_STOP}=1"
