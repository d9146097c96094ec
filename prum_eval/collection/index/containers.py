"""Where real documents lie: a directory tree, a tar archive, a zip archive."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from functools import partial
from itertools import starmap
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO

from prum_eval.collection.documents.reading import Reading
from prum_eval.collection.index.documents import DocumentsSource, Entry
from prum_eval.collection.index.structures import file_identity
from prum_eval.errors import InputError
from prum_eval.formats.structures.index_file import MetaValue
from prum_eval.text.streams import display_name

ENDINGS = (".xml", ".page", ".docbook", ".nxml", ".tei", ".xhtml", ".html", ".htm")
_KEPT = 100_000  # files of a directory


def matcher(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether a path is that of a document: by its ending, or by patterns for its last part."""
    if not patterns:
        return lambda path: path.endswith(ENDINGS)
    return lambda path: any(fnmatchcase(path.rpartition("/")[2], pattern) for pattern in patterns)


def directory(path: str, reading: Reading) -> DocumentsSource:
    """The documents of a directory tree. Symbolic links are not followed: they may lead round in circles."""
    tree = _Directory(path, matcher(reading.patterns))
    return DocumentsSource(path, "directory of documents", tree.entries, tree.identity, reading, lambda: tree.count)


class _Directory:
    """The files of a directory tree, listed once where they are not too many to be kept in mind."""

    def __init__(self, path: str, wanted: Callable[[str], bool]) -> None:
        self._files = partial(files_below, path, wanted)
        self._kept: list[Entry] | None = None
        self.count = 0  # 0 where it is not known

    def entries(self) -> Iterator[Entry]:
        return iter(self._kept) if self._kept is not None else self._files()

    def identity(self) -> dict[str, MetaValue]:
        """Names, sizes and times of all files: reading them all twice would take as long as indexing them."""
        checksum, size = hashlib.sha256(), 0
        kept: list[Entry] | None = []
        for entry in self._files():
            line = f"{entry.name}\0{entry.size}\0{entry.time}\n"
            checksum.update(line.encode(errors="surrogateescape"))
            size += entry.size
            if kept is not None:
                kept.append(entry)
                if len(kept) > _KEPT:
                    kept = None
        self._kept = kept
        self.count = len(kept) if kept is not None else 0
        return {"source_size": size, "source_sha256": checksum.hexdigest()}


def files_below(root: str, wanted: Callable[[str], bool]) -> Iterator[Entry]:
    """Documents below a directory, directory by directory, each sorted."""
    stack = [""]
    while stack:
        folder = stack.pop()
        place = Path(root, folder)
        try:
            with os.scandir(place) as found:
                members = sorted(found, key=attrgetter("name"))
        except OSError as error:
            raise InputError(str(place), None, f"cannot be read: {error.strerror}") from error
        inner = []
        for member in members:
            name = f"{folder}/{member.name}" if folder else member.name
            if member.is_dir(follow_symlinks=False):
                inner.append(name)
            elif member.is_file(follow_symlinks=False) and wanted(name):
                about = member.stat(follow_symlinks=False)
                yield Entry(name, about.st_size, None, member.path, about.st_mtime_ns)
        stack += reversed(inner)


def tar_archive(path: str, stream: BinaryIO, reading: Reading) -> DocumentsSource:
    """The documents of a tar archive, read as it streams by."""
    from prum_eval.collection.index.archives import tar_members  # and the modules of archives

    def entries() -> Iterator[Entry]:
        return starmap(Entry, tar_members(display_name(path), stream, matcher(reading.patterns)))

    return DocumentsSource(path, "tar archive of documents", entries, partial(file_identity, path), reading)


def zip_archive(path: str, reading: Reading) -> DocumentsSource:
    """The documents of a zip archive."""
    from prum_eval.collection.index.archives import zip_members

    def entries() -> Iterator[Entry]:
        return starmap(Entry, zip_members(path, matcher(reading.patterns)))

    return DocumentsSource(path, "zip archive of documents", entries, partial(file_identity, path), reading)
