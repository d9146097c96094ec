"""Quotes: for each question the words of the texts that answer it, from a file or from Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, BinaryIO, TypeAlias

from prum_eval.errors import DataError, InputError, Problems
from prum_eval.formats.given import PathName
from prum_eval.tabular import Frame, is_frame, plural
from prum_eval.text.json.json_lines import PLACES, JsonKeys, JsonObject, json_objects
from prum_eval.text.json.json_values import BadValueError
from prum_eval.text.lines import BlankLines, line_blocks
from prum_eval.text.numbers import expected
from prum_eval.text.streams import Content, display_name, opened_with_head

GivenQuotes: TypeAlias = "PathName | Mapping[str, str | Iterable[str]] | Iterable[Any] | Frame"
"""A path; `{question: quote or quotes}`; rows: (topic, quote), (topic, document, quote), mappings or a DataFrame."""

_KEYS = {"topic": PLACES["topic"], "doc": PLACES["doc"], "quote": (), "group": ()}
_FORMS = "topic TAB quote, topic TAB document TAB quote, or JSON Lines with topic, quote and perhaps doc"


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that answer a question."""

    topic: str
    text: str  # not blank, nor are its ends
    document: str | None  # where it stands, if that is known
    group: str | None  # of the topic
    line: int


def read_quotes(path: str | Content, problems: Problems) -> list[Quote]:
    """The quotes of a file: columns between tabs, or JSON Lines; every bad line is reported and left out."""
    name = display_name(path)
    stream, head = opened_with_head(path, problems)
    if not head:
        return []
    with stream:
        return list(_of_json(stream, name, problems) if head[:1] in b"{[" else _of_columns(stream, name, problems))


def given_quotes(given: GivenQuotes, problems: Problems) -> tuple[str, list[Quote]]:
    """Name and quotes of whatever is given; of rows, lines are their numbers.

    Raises:
        DataError: it is nothing of the kind.
    """
    if isinstance(given, str | PathLike):
        return display_name(str(given)), read_quotes(str(given), problems)
    name, found, keys = "quotes", [], JsonKeys(_KEYS)
    for number, row in enumerate(_rows(given), 1):
        values = row if isinstance(row, Mapping) else dict(zip(_columns(row, number), row, strict=True))
        try:
            known = keys.known({key: value for key, value in values.items() if value is not None})
            found.append(_quote(JsonObject(number, known)))
        except BadValueError as error:
            problems(InputError(name, number, str(error)))
    return name, found


def _rows(given: Any) -> Iterator[Any]:  # noqa: ANN401 -- whatever the caller has
    if isinstance(given, Mapping):
        for topic, quotes in given.items():
            yield from ((topic, quote) for quote in ([quotes] if isinstance(quotes, str) else quotes))
    elif is_frame(given):
        names = list(given.columns)
        yield from (dict(zip(names, row, strict=True)) for row in zip(*(given[one] for one in names), strict=True))
    elif isinstance(given, Iterable):
        yield from given
    else:
        raise DataError(f"quotes: expected a path, rows or {{question: quotes}}, found {given!r}")


def _columns(row: Any, number: int) -> tuple[str, ...]:  # noqa: ANN401
    if not isinstance(row, tuple | list) or len(row) not in {2, 3}:
        raise DataError(f"quotes: row {number}: expected (topic, quote) or (topic, document, quote), found {row!r}")
    return ("topic", "quote") if len(row) == 2 else ("topic", "doc", "quote")


def _of_json(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Quote]:
    for item in json_objects(stream, name, problems, JsonKeys(_KEYS), "a quote"):
        try:
            yield _quote(item)
        except BadValueError as error:
            problems(InputError(name, item.line, str(error)))


def _quote(item: JsonObject) -> Quote:
    document, group = (item.name(key).decode() if key in item else None for key in ("doc", "group"))
    return Quote(item.name("topic").decode(), _words(item.text("quote").decode()), document, group, item.line)


def _words(text: str) -> str:
    """The quote without blanks at its ends."""
    words = text.strip()
    if not words:
        raise BadValueError(expected("quote", "words of a text", text))
    return words


def _of_columns(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Quote]:
    """Quotes of lines with as many columns as the first has, which may be a head; an empty cell is no document."""
    blanks = BlankLines(name, problems, "a quote")
    count = first = 0
    for block in line_blocks(stream, name, problems):
        for line, text in block.numbered():
            if blanks.skip(line, text):
                continue
            try:
                cells = [cell.strip() for cell in text.decode().split("\t")]
                if not count:
                    count, first = _count(cells), line
                    if cells[0].lower() in ("topic", *_KEYS["topic"]) and cells[-1].lower() == "quote":
                        continue
                if len(cells) != count:
                    raise BadValueError(f"expected {count} columns as on line {first}, found {len(cells)}")  # noqa: TRY301
                values = dict(zip(_columns(cells, line), cells, strict=True))
                yield _quote(JsonObject(line, {key: value for key, value in values.items() if value or key != "doc"}))
            except UnicodeDecodeError:
                problems(InputError(name, line, "the line is not UTF-8 text"))
            except BadValueError as error:
                problems(InputError(name, line, str(error)))


def _count(cells: list[str]) -> int:
    if len(cells) not in {2, 3}:
        raise BadValueError(f"expected {_FORMS}; found {plural(len(cells), 'column')}")
    return len(cells)
