"""Judged elements as XML: ``<assessments>`` of 2002, of 2003-2004 and of 2005-2007.

A plain file of 2005-2007 is read by columns, with no object per element: each column of attributes has to be as long as
there are tags with that name, so that no tag is elsewhere and none lacks an attribute. All other files are read element
by element, which reports bad elements and leaves them out.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from prum_eval.arrays import group_bounds
from prum_eval.errors import InputError, ProblemHandler
from prum_eval.records import AssessmentKind, ElementTopic, EntryPoint, Highlight
from prum_eval.text.element_paths import PATH_EXAMPLE, POINTER_EXAMPLE, normalise_path, normalise_pointer
from prum_eval.text.numbers import expected_message, parse_integer, parse_integers, quote_value
from prum_eval.text.streams import read_all_bytes
from prum_eval.text.xml import (
    MAX_TREE_BYTES,
    TagColumns,
    XmlBlock,
    XmlBlocks,
    local_name,
    parse_whole_document,
    tree_bytes,
)

if TYPE_CHECKING:
    from lxml import etree


EXHAUSTIVITY_VALUES = {"0": 0.0, "1": 1.0, "2": 2.0, "?": -1.0}
_COUNTED_TAGS = ("file", "element", "passage", "best-entry-point", "path")
_FILE, _ELEMENT, _PASSAGE, _ENTRY_POINT, _PATH = range(len(_COUNTED_TAGS))
_COLUMNS = (
    (_FILE, "file/@name"),
    *((_ELEMENT, f"file/element/@{field}") for field in ("path", "exhaustivity", "size", "rsize")),
    *((_PASSAGE, f"file/passage/@{field}") for field in ("start", "end", "size")),
    (_ENTRY_POINT, "file/best-entry-point/@path"),
)
_UNUSUAL_QUERY = "boolean(file/element[@relevance or @coverage])"


def read_plain_assessments(data: bytes, name: str) -> tuple[str, ElementTopic] | None:
    """Topic and record of a file; None if it is not plain, or has an error."""
    if b"exhaustivity" not in data or tree_bytes(data) > MAX_TREE_BYTES:
        return None
    try:
        root, tags = parse_whole_document(data, name, _COUNTED_TAGS)
    except InputError:
        return None  # the other reader reports this and earlier errors
    topic = root.get("topic", "").strip()
    columns = _columns(root, tags) if root.tag == "assessments" and topic else None
    record = _make_element_topic(columns, tags, name) if columns is not None else None
    return None if record is None else (topic, record)


def _columns(root: etree._Element, tags: TagColumns) -> list[list[str]] | None:
    """The columns of attributes; None if tags are elsewhere or have other attributes."""
    queries, unusual = _queries()
    columns: list[list[str]] = [query(root) for query in queries]
    counts = np.bincount(tags.name, minlength=len(_COUNTED_TAGS)).tolist()
    plain = (
        counts[_ELEMENT]
        and not counts[_PATH]
        and [len(column) for column in columns] == [counts[tag] for tag, _ in _COLUMNS]
    )
    return columns if plain and not unusual(root) else None


def _make_element_topic(columns: list[list[str]], tags: TagColumns, name: str) -> ElementTopic | None:
    """The judged elements; None if a value is bad or an element is judged twice."""
    documents, paths, levels, sizes, relevant, *rest = columns
    documents = [document.strip() for document in documents]
    exhaustivity = [EXHAUSTIVITY_VALUES.get(level) for level in levels]
    size, rsize = (parse_integers([text.encode() for text in column]) for column in (sizes, relevant))
    elements, passages_and_entries = [normalise_path(path) for path in paths], _passages_and_entry_points(*rest)
    if size is None or rsize is None or passages_and_entries is None or not all(documents) or not all(elements):
        return None
    lines, kinds = tags
    document = np.cumsum(kinds == _FILE) - 1  # of each tag
    owner = document[kinds == _ELEMENT]
    bad = None in exhaustivity or (rsize < 0).any() or (rsize > size).any()
    pairs = set(zip(owner.tolist(), elements, strict=True))
    if bad or len(set(documents)) < len(documents) or len(pairs) < len(elements):
        return None

    def rows(tag: int) -> Iterator[tuple[int, int]]:
        """Documents and lines of all tags with a name."""
        return zip(document[kinds == tag].tolist(), lines[kinds == tag].tolist(), strict=True)

    passages, entries = passages_and_entries
    return ElementTopic(
        path=name,
        documents=tuple(documents),
        document_lines=lines[kinds == _FILE],
        bounds=group_bounds(np.bincount(owner, minlength=len(documents))),
        paths=tuple(filter(None, elements)),
        exhaustivity=np.array(exhaustivity, dtype=np.float64),
        specificity=np.where(size > 0, rsize / np.maximum(size, 1), 0.0),
        size=size,
        rsize=rsize,
        lines=lines[kinds == _ELEMENT],
        entry_points=tuple(
            EntryPoint(number, pointer, line)
            for (number, line), pointer in zip(rows(_ENTRY_POINT), entries, strict=True)
        ),
        highlights=tuple(
            Highlight(number, *passage, line) for (number, line), passage in zip(rows(_PASSAGE), passages, strict=True)
        ),
    )


def _passages_and_entry_points(
    start: list[str], end: list[str], sizes: list[str], entries: list[str]
) -> tuple[list[tuple[str, str, int]], list[str]] | None:
    """First and last point and size of each passage, and the best entry points; None if one is bad."""
    size = parse_integers([text.encode() for text in sizes])
    first, last, points = (list(filter(None, map(normalise_pointer, column))) for column in (start, end, entries))
    if size is None or (size < 0).any() or (len(first), len(last), len(points)) != (len(start), len(end), len(entries)):
        return None
    return list(zip(first, last, size.tolist(), strict=True)), points


@cache
def _queries() -> tuple[list[etree.XPath], etree.XPath]:
    from lxml import etree

    return [etree.XPath(column, smart_strings=False) for _, column in _COLUMNS], etree.XPath(_UNUSUAL_QUERY)


_ROOT = "assessments"
_JUDGED_TAGS = ("element", "path", "passage", "best-entry-point")
_TAGS = tuple(f"{{*}}{tag}" for tag in ("file", *_JUDGED_TAGS))
_ATTRIBUTES = (
    *("topic", "version", "name", "file", "path", "exhaustivity", "size", "rsize", "start", "end"),
    *("relevance", "coverage", "exhaustiveness", "specificity"),
)
_COVERAGE = {"N": 0.0, "S": 1.0, "L": 2.0, "E": 3.0}
_GRADES = {"0": 0.0, "1": 1.0, "2": 2.0, "3": 3.0}
_GRADES_OR_NONE = {**_GRADES, "U": np.nan}

_DIGITS = 19  # whole numbers with fewer digits fit into 64 bits

Attributes = dict[str, str]
_Levels = tuple[float, float, int, int]


def read_assessments_xml(
    stream: BinaryIO, name: str, problems: ProblemHandler
) -> tuple[AssessmentKind | None, dict[str, ElementTopic]]:
    """Kind of the assessments of one topic (None if unknown), and the record by topic (empty if that is missing)."""
    try:
        data = read_all_bytes(stream, name)
    except InputError as problem:
        problems(problem)
        return None, {}
    plain = read_plain_assessments(data, name)
    if plain is not None:
        topic, record = plain
        return AssessmentKind.ELEMENTS_2005, {topic: record}
    reader = _AssessmentReader(name, problems)
    for block in XmlBlocks(BytesIO(data), name, problems, block="file", tags=("file", *_JUDGED_TAGS)):
        reader.add(block)
    return reader.kind, {reader.topic: reader.record()} if reader.topic is not None else {}


def _specificity(rsize: int, size: int) -> float:
    """The share that is relevant; NaN if the file does not tell it."""
    if rsize < 0 or size < 0:
        return np.nan
    return rsize / size if size else 0.0


def _attributes(element: etree._Element) -> Attributes:
    """The attributes that mean something; lxml searches for the value of each, so all would take quadratic time."""
    values = ((field, element.get(field)) for field in _ATTRIBUTES)
    return {field: value for field, value in values if value is not None}


class _AssessmentReader:
    """Collects the judged elements of one topic by columns, element by element."""

    def __init__(self, name: str, problems: ProblemHandler) -> None:
        self.name = name
        self.problems = problems
        self.line = 0  # of the current element
        self.topic: str | None = None
        self.kind: AssessmentKind | None = None
        self._kind_line = 0
        self._known_root: bool | None = None
        self._documents: dict[str, int] = {}  # lines by name
        self._paths: dict[str, int] = {}  # lines of the elements of the current document, by path
        self._all_paths: list[str] = []
        self._bounds = array("q", [0])
        self._first, self._second = array("d"), array("d")
        self._size, self._rsize, self._lines = array("q"), array("q"), array("q")
        self._entry_points: list[EntryPoint] = []
        self._highlights: list[Highlight] = []

    def problem(self, reason: str) -> None:
        """Report a problem on the current line."""
        self.problems(InputError(self.name, self.line, reason))

    def add(self, block: XmlBlock) -> None:
        """Read the root, or a judged document in it; the children of an unexpected root are skipped."""
        if self._known_root is None:
            self.line = int(block.lines[0])
            self._read_root(local_name(block.element), _attributes(block.element))
        elif self._known_root and local_name(block.element) == "file":
            lines = iter(block.lines.tolist())
            self.line = next(lines)
            if self._read_file(_attributes(block.element)):
                for element, self.line in zip(block.element.iterdescendants(_TAGS), lines, strict=True):
                    if element.getparent() is block.element:
                        self._read_judgement(local_name(element), _attributes(element))
                self._bounds.append(len(self._all_paths))

    def _read_judgement(self, tag: str, attributes: Attributes) -> None:
        if tag in {"element", "path"}:
            self._read_element(tag, attributes)
        elif tag in {"passage", "best-entry-point"} and self._is_kind(AssessmentKind.ELEMENTS_2005):
            document = len(self._documents) - 1
            if tag == "passage":
                first, last = (self._pointer(tag, attributes, field) for field in ("start", "end"))
                size = self._count(tag, attributes, "size")
                if first is not None and last is not None and size is not None:
                    self._highlights.append(Highlight(document, first, last, size, self.line))
            else:
                pointer = self._pointer(tag, attributes, "path")
                if pointer is not None:
                    self._entry_points.append(EntryPoint(document, pointer, self.line))

    def _read_root(self, tag: str, attributes: Attributes) -> None:
        self._known_root = tag == _ROOT
        if not self._known_root:
            self.problem(f"expected the root <{_ROOT}>, found <{tag}>")
            return
        self.topic = attributes.get("topic", "").strip() or None
        if self.topic is None:
            self.problem(f"<{_ROOT}> lacks the attribute topic")
        if "version" in attributes:
            self._is_kind(AssessmentKind.ELEMENTS_2005)

    def _read_file(self, attributes: Attributes) -> bool:
        name = (attributes.get("name") or attributes.get("file") or "").strip()
        if not name:
            self.problem("<file> lacks the attribute name (or file)")
            return False
        before = self._documents.get(name)
        if before is not None:
            self.problem(f"document {quote_value(name)} is judged twice (first on line {before})")
            return False
        self._documents[name] = self.line
        self._paths = {}
        return True

    def _is_kind(self, kind: AssessmentKind) -> bool:
        """Whether this is the kind of the previous assessments; reports another one."""
        if self.kind is None:
            self.kind, self._kind_line = kind, self.line
        if self.kind is not kind:
            self.problem(
                f"an assessment of the kind {kind.value!r} among assessments of the kind {self.kind.value!r} "
                f"(as on line {self._kind_line})"
            )
        return self.kind is kind

    def _read_element(self, tag: str, attributes: Attributes) -> None:
        text = self._attribute(tag, attributes, "path")
        if text is None:
            return
        path = normalise_path(text)
        if path is None:
            self.problem(expected_message("path", PATH_EXAMPLE, text))
            return
        levels = self._levels(tag, attributes)
        if levels is None:
            return
        before = self._paths.get(path)
        if before is not None:
            self.problem(f"element {quote_value(path)} is judged twice (first on line {before})")
            return
        self._paths[path] = self.line
        self._all_paths.append(path)
        self._lines.append(self.line)
        first, second, size, rsize = levels
        self._first.append(first)
        self._second.append(second)
        self._size.append(size)
        self._rsize.append(rsize)

    def _levels(self, tag: str, attributes: Attributes) -> _Levels | None:
        """The two dimensions, size and rsize; None after reporting a bad one."""
        if "relevance" in attributes or "coverage" in attributes:
            return self._graded(tag, attributes, AssessmentKind.ELEMENTS_2002)
        if tag == "path" and "exhaustivity" not in attributes:
            return self._graded(tag, attributes, AssessmentKind.ELEMENTS_2003)
        return self._levels_2005(tag, attributes) if self._is_kind(AssessmentKind.ELEMENTS_2005) else None

    def _graded(self, tag: str, attributes: Attributes, kind: AssessmentKind) -> _Levels | None:
        if not self._is_kind(kind):
            return None
        if kind is AssessmentKind.ELEMENTS_2002:
            first = self._level(tag, attributes, "relevance", _GRADES, "0, 1, 2 or 3")
            second = self._level(tag, attributes, "coverage", _COVERAGE, "E, S, L or N")
        else:
            attributes = {"exhaustiveness": "U", "specificity": "U", **attributes}
            first = self._level(tag, attributes, "exhaustiveness", _GRADES_OR_NONE, "0, 1, 2, 3 or U")
            second = self._level(tag, attributes, "specificity", _GRADES_OR_NONE, "0, 1, 2, 3 or U")
        return None if first is None or second is None else (first, second, -1, -1)

    def _levels_2005(self, tag: str, attributes: Attributes) -> _Levels | None:
        exhaustivity = self._level(tag, attributes, "exhaustivity", EXHAUSTIVITY_VALUES, "0, 1, 2 or ?")
        fields = ("size", "rsize")  # which the structure and the passages may tell
        counts = [self._count(tag, attributes, field) if field in attributes else -1 for field in fields]
        size, rsize = counts
        if exhaustivity is None or size is None or rsize is None:
            return None
        if rsize > size >= 0:
            self.problem(expected_message("rsize", f"at most the size {size}", attributes["rsize"]))
            return None
        return exhaustivity, _specificity(rsize, size), size, rsize

    def _attribute(self, tag: str, attributes: Attributes, field: str) -> str | None:
        value = attributes.get(field)
        if value is None:
            self.problem(f"<{tag}> lacks the attribute {field}")
        return value

    def _level(
        self, tag: str, attributes: Attributes, field: str, levels: dict[str, float], expected: str
    ) -> float | None:
        text = self._attribute(tag, attributes, field)
        if text is None:
            return None
        level = levels.get(text)
        if level is None:
            self.problem(expected_message(field, expected, text))
        return level

    def _count(self, tag: str, attributes: Attributes, field: str) -> int | None:
        text = self._attribute(tag, attributes, field)
        if text is None:
            return None
        if len(text) < _DIGITS and text.isascii() and text.isdigit():
            return int(text)
        number = parse_integer(text.encode())
        if number is None or number < 0:
            self.problem(expected_message(field, "an integer, 0 or more", text))
            return None
        return number

    def _pointer(self, tag: str, attributes: Attributes, field: str) -> str | None:
        text = self._attribute(tag, attributes, field)
        if text is None:
            return None
        pointer = normalise_pointer(text)
        if pointer is None:
            self.problem(expected_message(field, POINTER_EXAMPLE, text))
        return pointer

    def record(self) -> ElementTopic:
        """The record of all judgements."""
        return ElementTopic(
            path=self.name,
            documents=tuple(self._documents),
            document_lines=np.array(list(self._documents.values()), dtype=np.int64),
            bounds=np.array(self._bounds, dtype=np.int64),
            paths=tuple(self._all_paths),
            exhaustivity=np.array(self._first),
            specificity=np.array(self._second),
            size=np.array(self._size, dtype=np.int64),
            rsize=np.array(self._rsize, dtype=np.int64),
            lines=np.array(self._lines, dtype=np.int64),
            entry_points=tuple(self._entry_points),
            highlights=tuple(self._highlights),
        )
