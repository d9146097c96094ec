"""The index of a collection: one SQLite file, opened read-only, from which a document is one keyed read."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import BinaryIO, overload

from prum_eval.errors import InputError, Problems
from prum_eval.formats.structures.index_file import LINKS, TAGS, IndexFile, MetaValue
from prum_eval.formats.structures.index_trees import unpack_trees
from prum_eval.records.structure import Link, Structure
from prum_eval.records.tree_columns import ColumnDocuments
from prum_eval.text.streams import STDIN, display_name

COUNTS = ("documents", "elements", "all_elements", "characters", "links", "nowhere", "broken")
"""Keys of the totals in the table meta."""

LINK_COLUMNS = "number, document, path, target, target_path, probability, line"


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What an index says of itself."""

    documents: int
    elements: int  # that are retrievable
    all_elements: int
    characters: int  # sum over all documents of the length of the root
    links: int
    nowhere: int  # references that lead nowhere, and are no links
    broken: int  # documents that were left out
    meta: dict[str, MetaValue]


def read_info(path: str) -> IndexInfo:
    """Counts of an index and how it was made.

    Raises:
        InputError: the file cannot be read or is no index that this version reads.
    """
    return _info(IndexFile(path))


def read_index(path: str, wanted: Container[str] | None = None) -> Structure:
    """The structure that an index holds: trees of the wanted documents, counts of all; names and links when asked for.

    Raises:
        InputError: the file cannot be read or is no index that this version reads.
    """
    file = IndexFile(path)
    info = _info(file)
    with file.reading():
        tags = [name for _, name in file.rows("code, name", "tag", TAGS)]
        if isinstance(wanted, Iterable):
            rows = file.trees(wanted)
        else:
            rows = (row for row in file.all_trees() if wanted is None or row[0] in wanted)
        documents = ColumnDocuments(unpack_trees(rows, tags))
    names, links = IndexNames(file, info.documents), IndexLinks(file, info.links)
    return Structure(path, info.elements, info.characters, names, documents, links)


def read_index_stream(_stream: BinaryIO, name: str, wanted: Container[str] | None, problems: Problems) -> Structure:
    """The structure of the index of that name, which is opened anew by SQLite; empty if it is no good, as reported."""
    try:
        return read_index(STDIN if name == display_name(STDIN) else name, wanted)
    except InputError as problem:
        problems(problem)
        return Structure(name, 0, 0, frozenset(), {}, ())


class IndexNames(AbstractSet[str]):
    """Names of all documents of an index, looked up in it."""

    def __init__(self, file: IndexFile, count: int) -> None:
        self._file = file
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(list(self._file.trees([name])))

    def __iter__(self) -> Iterator[str]:
        return iter(self._file.names())


class IndexLinks(Sequence[Link]):
    """Links of an index in the order of its source, read when the first of them is asked for."""

    def __init__(self, file: IndexFile, count: int) -> None:
        self._file = file
        self._count = count
        self._links: list[Link] = []

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, number: int) -> Link: ...
    @overload
    def __getitem__(self, number: slice) -> list[Link]: ...
    def __getitem__(self, number: int | slice) -> Link | list[Link]:
        return self._read()[number]

    def __iter__(self) -> Iterator[Link]:
        return iter(self._read())

    def _read(self) -> list[Link]:
        if self._count and not self._links:
            self._links = [Link(*row[1:]) for row in self._file.rows(LINK_COLUMNS, "link", LINKS)]
        return self._links


def _info(file: IndexFile) -> IndexInfo:
    meta = file.meta
    counts = [count for key in COUNTS if isinstance(count := meta.get(key), int) and count >= 0]
    if len(counts) != len(COUNTS):
        raise InputError(file.path, None, "the index is damaged: its totals are not there")
    documents, elements, every, characters, links, nowhere, broken = counts
    return IndexInfo(documents, elements, every, characters, links, nowhere, broken, meta)
