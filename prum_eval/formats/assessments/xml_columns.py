"""Assessments of 2005 to 2007 in XML that are written as all are: by columns, with no object an element.

That nothing unusual is in a file is seen by counting. The bytes tell how many tags of each name there are; where each
column of attributes, of tags at their place, is as long as that, no tag is elsewhere and none lacks an attribute.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from prum_eval.arrays import bounds_of
from prum_eval.errors import InputError
from prum_eval.records.assessments import ElementTopic, EntryPoint, Highlight
from prum_eval.text.element_paths import normal_path, normal_pointer
from prum_eval.text.numbers import integers
from prum_eval.text.xml.blocks import whole_document
from prum_eval.text.xml.tag_lines import TagColumns

if TYPE_CHECKING:
    from lxml import etree

EXHAUSTIVITY = {"0": 0.0, "1": 1.0, "2": 2.0, "?": -1.0}
_TAGS = ("file", "element", "passage", "best-entry-point", "path")
_FILE, _ELEMENT, _PASSAGE, _ENTRY_POINT, _PATH = range(len(_TAGS))
_COLUMNS = (
    (_FILE, "file/@name"),
    *((_ELEMENT, f"file/element/@{field}") for field in ("path", "exhaustivity", "size", "rsize")),
    *((_PASSAGE, f"file/passage/@{field}") for field in ("start", "end", "size")),
    (_ENTRY_POINT, "file/best-entry-point/@path"),
)
_UNUSUAL = "boolean(file/element[@relevance or @coverage])"


def plain_assessments(data: bytes, name: str) -> tuple[str, ElementTopic] | None:
    """Topic and record of a whole file; None where it is not plain, or something in it is not what it should be."""
    if b"exhaustivity" not in data:
        return None
    try:
        root, tags = whole_document(data, name, _TAGS)
    except InputError:
        return None  # another reader finds what is wrong before it, too
    topic = root.get("topic", "").strip()
    columns = _columns(root, tags) if root.tag == "assessments" and topic else None
    record = _record(columns, tags, name) if columns is not None else None
    return None if record is None else (topic, record)


def _columns(root: etree._Element, tags: TagColumns) -> list[list[str]] | None:
    """The columns of attributes; None where tags stand elsewhere or have others."""
    queries, unusual = _queries()
    columns: list[list[str]] = [query(root) for query in queries]
    counts = np.bincount(tags.name, minlength=len(_TAGS)).tolist()
    plain = (
        counts[_ELEMENT]
        and not counts[_PATH]
        and [len(column) for column in columns] == [counts[tag] for tag, _ in _COLUMNS]
    )
    return columns if plain and not unusual(root) else None


def _record(columns: list[list[str]], tags: TagColumns, name: str) -> ElementTopic | None:
    """All that was judged; None where a value is bad or something is judged twice."""
    documents, paths, levels, sizes, relevant, *rest = columns
    documents = [document.strip() for document in documents]
    exhaustivity = [EXHAUSTIVITY.get(level) for level in levels]
    size, rsize = (integers([text.encode() for text in column]) for column in (sizes, relevant))
    elements, marked = [normal_path(path) for path in paths], _marked(*rest)
    if size is None or rsize is None or marked is None or not all(documents) or not all(elements):
        return None
    lines, kinds = tags
    document = np.cumsum(kinds == _FILE) - 1  # of each tag
    place = document[kinds == _ELEMENT]
    bad = None in exhaustivity or (rsize < 0).any() or (rsize > size).any()
    pairs = set(zip(place.tolist(), elements, strict=True))
    if bad or len(set(documents)) < len(documents) or len(pairs) < len(elements):
        return None

    def rows(tag: int) -> Iterator[tuple[int, int]]:
        """Documents and lines of all tags of a kind."""
        return zip(document[kinds == tag].tolist(), lines[kinds == tag].tolist(), strict=True)

    passages, entries = marked
    return ElementTopic(
        path=name,
        documents=tuple(documents),
        document_lines=lines[kinds == _FILE],
        bounds=bounds_of(np.bincount(place, minlength=len(documents))),
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


def _marked(
    start: list[str], end: list[str], sizes: list[str], entries: list[str]
) -> tuple[list[tuple[str, str, int]], list[str]] | None:
    """First and last point and size of each passage, and the best entry points; None where one is bad."""
    size = integers([text.encode() for text in sizes])
    first, last, points = (list(filter(None, map(normal_pointer, column))) for column in (start, end, entries))
    if size is None or (size < 0).any() or (len(first), len(last), len(points)) != (len(start), len(end), len(entries)):
        return None
    return list(zip(first, last, size.tolist(), strict=True)), points


@cache
def _queries() -> tuple[list[etree.XPath], etree.XPath]:
    from lxml import etree

    return [etree.XPath(column, smart_strings=False) for _, column in _COLUMNS], etree.XPath(_UNUSUAL)
