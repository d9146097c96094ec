"""From a source to an index."""

from __future__ import annotations

import hashlib
import os
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from io import BufferedReader
from itertools import starmap
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO, Self, cast

from prum_eval.collection.documents import ReadingOptions
from prum_eval.collection.index_batches import Source
from prum_eval.collection.index_sources import DocumentsSource, SourceEntry, TextSource, XmlSource, file_identity
from prum_eval.collection.index_writer import IndexWriter
from prum_eval.errors import DataError, InputError, UsageError, raise_first
from prum_eval.formats.structure_index import MetaValue
from prum_eval.text.numbers import quote_value
from prum_eval.text.streams import SQLITE_MAGIC, STDIN, display_name, open_input, peek_head

# Where real documents lie: a directory tree, a tar archive, a zip archive.


DOCUMENT_ENDINGS = (".xml", ".page", ".docbook", ".nxml", ".tei", ".xhtml", ".html", ".htm")
_MAX_REMEMBERED_FILES = 100_000  # files of a directory


def make_path_filter(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether a path is that of a document: by its ending, or by patterns for its last part."""
    if not patterns:
        return lambda path: path.endswith(DOCUMENT_ENDINGS)
    return lambda path: any(fnmatchcase(path.rpartition("/")[2], pattern) for pattern in patterns)


def directory_source(path: str, reading: ReadingOptions) -> DocumentsSource:
    """The documents of a directory tree. Symbolic links are not followed: they may lead round in circles."""
    tree = _DirectoryFiles(path, make_path_filter(reading.patterns))
    return DocumentsSource(path, "directory of documents", tree.entries, tree.identity, reading, lambda: tree.count)


class _DirectoryFiles:
    """The files of a directory tree, listed once where they are not too many to be kept in mind."""

    def __init__(self, path: str, wanted: Callable[[str], bool]) -> None:
        self._files = partial(files_below, path, wanted)
        self._kept: list[SourceEntry] | None = None
        self.count = 0  # 0 where it is not known

    def entries(self) -> Iterator[SourceEntry]:
        return iter(self._kept) if self._kept is not None else self._files()

    def identity(self) -> dict[str, MetaValue]:
        """Names, sizes and times of all files: reading them all twice would take as long as indexing them."""
        checksum, size = hashlib.sha256(), 0
        kept: list[SourceEntry] | None = []
        for entry in self._files():
            line = f"{entry.name}\0{entry.size}\0{entry.time}\n"
            checksum.update(line.encode(errors="surrogateescape"))
            size += entry.size
            if kept is not None:
                kept.append(entry)
                if len(kept) > _MAX_REMEMBERED_FILES:
                    kept = None
        self._kept = kept
        self.count = len(kept) if kept is not None else 0
        return {"source_size": size, "source_sha256": checksum.hexdigest()}


def files_below(root: str, wanted: Callable[[str], bool]) -> Iterator[SourceEntry]:
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
                yield SourceEntry(name, about.st_size, None, member.path, about.st_mtime_ns)
        stack += reversed(inner)


def tar_source(path: str, stream: BinaryIO, reading: ReadingOptions) -> DocumentsSource:
    """The documents of a tar archive, read as it streams by."""

    def entries() -> Iterator[SourceEntry]:
        return starmap(SourceEntry, tar_members(display_name(path), stream, make_path_filter(reading.patterns)))

    return DocumentsSource(path, "tar archive of documents", entries, partial(file_identity, path), reading)


def zip_source(path: str, reading: ReadingOptions) -> DocumentsSource:
    """The documents of a zip archive."""

    def entries() -> Iterator[SourceEntry]:
        return starmap(SourceEntry, zip_members(path, make_path_filter(reading.patterns)))

    return DocumentsSource(path, "zip archive of documents", entries, partial(file_identity, path), reading)


_TAR_HEADER, _TAR_MARK = 512, 257
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")

ProblemReporter = Callable[[InputError], None]
Progress = Callable[[dict[str, int], int], None]
"""Called after every piece: counts so far, and the total of `position`, 0 where it is not known."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How to build."""

    jobs: int = 1
    resume: bool = False
    skip_broken: bool = False
    reading: ReadingOptions = field(default_factory=ReadingOptions)


def build_index(
    source: str,
    target: str,
    how: BuildOptions,
    *,
    report: ProblemReporter,
    progress: Progress = lambda *_: None,
    nowhere: ProblemReporter = lambda _: None,
) -> dict[str, int]:
    """Build an index.

    Args:
        source: a structure (text or XML), or a directory, tar or zip archive of documents.
        target: the file to write; it appears when it is complete.
        how: how to build.
        report: called with each broken document.
        progress: called after every piece.
        nowhere: called with each reference of a document that leads nowhere.

    Returns:
        Counts: documents, elements (retrievable ones, and `all_elements`), characters, links, nowhere (references that
        lead nowhere), broken.

    Raises:
        InputError: the source cannot be read or is bad, the target cannot be written.
        DataError: some documents are broken, and they are not to be skipped.
        UsageError: options for documents with a structure.
    """
    with ExitStack() as resources:
        opened = open_source(source, how, resources)
        writer = _begin_index(opened, target, how)
        try:
            begin = writer.counts
            for piece in opened.pieces(begin["position"], begin["line"], how.jobs):
                for problem in piece.errors:
                    report(problem)
                writer.add(piece)
                progress(writer.counts, opened.total)
            _check_counts(writer.counts, opened, how)
            writer.finish(nowhere)
        except Exception:
            writer.stop(keep=False)
            raise
        except BaseException:  # interrupted: nothing is wrong with what was done
            writer.stop(keep=True)
            raise
        return writer.counts


def _begin_index(source: Source, target: str, how: BuildOptions) -> IndexWriter:
    settings: dict[str, MetaValue] = {}
    if isinstance(source, DocumentsSource):
        how.reading.check()
        settings = how.reading.meta()
    elif how.reading != ReadingOptions():
        options = "--raw, --glob, --elements, --without, --links, --namespace, --html and --encoding"
        raise UsageError(f"{source.name} is a {source.kind}: {options} are for documents")
    return IndexWriter(target, source, settings, resume=how.resume)


def _check_counts(counts: dict[str, int], source: Source, how: BuildOptions) -> None:
    """Refuse a source without documents, or with broken ones that are not to be skipped."""
    if counts["broken"] and not how.skip_broken:
        raise DataError(f"broken documents: {counts['broken']}; --skip-broken leaves them out")
    if not counts["documents"]:
        if isinstance(source, DocumentsSource):
            kinds = " ".join(how.reading.patterns) or ", ".join(f"*{ending}" for ending in DOCUMENT_ENDINGS)
            raise InputError(source.name, None, f"no documents in it ({kinds})")
        raise InputError(source.name, 1, "the file is empty")


def open_source(path: str, how: BuildOptions, resources: ExitStack) -> Source:
    """The source of that path, recognised by its content; what it opens is closed with `resources`."""
    if path != STDIN and Path(path).is_dir():
        return directory_source(path, how.reading)
    name = display_name(path)
    stream = resources.enter_context(open_input(path))
    head = cast("BufferedReader", stream).peek(_TAR_HEADER)
    if head.startswith(_ZIP):
        if path == STDIN:
            raise InputError(name, None, "a zip archive cannot be read from standard input; give its path")
        return zip_source(path, how.reading)
    if head[_TAR_MARK:].startswith(b"ustar"):
        return tar_source(path, stream, how.reading)
    if head.startswith(SQLITE_MAGIC):
        raise InputError(name, None, "this is an index already")
    if peek_head(stream, name, raise_first).startswith(b"<"):
        return XmlSource(path, stream)
    return TextSource(path, stream, Path(path).stat().st_size if path != STDIN else 0)


# The members of tar and zip archives, whatever state these are in: sizes are bounded, a failure is an `InputError`.


MAX_MEMBER_BYTES = 1 << 28
"""Bytes of a document in an archive, which is held in memory."""
_LONGEST_HEADER = 1 << 20
_STEP = 1 << 12
_ENCRYPTED = 1  # bit of a member's flags

Member = tuple[str, int, bytes | InputError]
"""Name, bytes that it has unpacked, and these; or why they cannot be had."""


def tar_members(name: str, stream: BinaryIO, wanted: Callable[[str], bool]) -> Iterator[Member]:
    """The files of a tar archive, read as it streams by.

    Raises:
        InputError: the archive is damaged or truncated: what follows cannot be found.
    """
    try:
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=_TarMember) as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isfile() and wanted(member.name) else None
                if file is None:
                    continue
                if member.size > MAX_MEMBER_BYTES:
                    yield member.name, member.size, _too_large_error(name, member.name, member.size)
                    continue
                content = file.read()
                if len(content) < member.size:
                    raise InputError(name, None, f"the archive is truncated inside {member.name}")  # noqa: TRY301
                yield member.name, len(content), content
    except InputError:
        raise
    except Exception as error:  # of bad numbers, names, maps and more; the module has no list of what it raises
        raise _damaged_error(name, error) from error


class _TarMember(tarfile.TarInfo):
    """A member whose header is sound: the module takes any other but the first for the end of the archive."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(archive)
        except tarfile.HeaderError as error:
            if type(error).__name__ == "EOFHeaderError":  # the mark at the end
                raise
            reason = "it ends without its end mark" if not archive.fileobj.read(1) else str(error)
            raise tarfile.ReadError(reason) from error

    def _proc_member(self, archive: tarfile.TarFile) -> Any:  # noqa: ANN401 - the module has no types here
        # Headers that are texts are read whole, however long they say they are.
        if self.type not in tarfile.REGULAR_TYPES and self.size > _LONGEST_HEADER and not self.issparse():
            raise tarfile.ReadError(f"a header of {self.size} bytes")
        return super()._proc_member(archive)  # type: ignore[misc]


def zip_members(path: str, wanted: Callable[[str], bool]) -> Iterator[Member]:
    """The files of a zip archive.

    Raises:
        InputError: the archive is damaged.
    """
    try:
        archive = zipfile.ZipFile(path)
    except OSError as error:
        raise InputError(path, None, f"cannot be read: {error.strerror}") from error
    except Exception as error:
        raise _damaged_error(path, error) from error
    with closing(archive):
        for member in archive.infolist():
            if not member.filename:
                raise InputError(path, None, "the archive is damaged: a member without a name")
            if not member.is_dir() and wanted(member.filename):
                yield member.filename, member.file_size, _read_zip_member(archive, member, path)


def _read_zip_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: str) -> bytes | InputError:
    if member.file_size > MAX_MEMBER_BYTES:
        return _too_large_error(path, member.filename, member.file_size)
    name = f"{path}/{member.filename}"
    # A member may hold more than it says; with these two methods reading is bounded, other ones unpack all they read.
    known = member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    step = member.file_size + 1 if known else _STEP
    try:
        with archive.open(member) as file:
            data = b"".join(iter(partial(file.read, step), b""))
    except RuntimeError as error:  # what zipfile raises for an encrypted member and for a method that it does not know
        reason = "it is encrypted" if member.flag_bits & _ENCRYPTED else str(error)
        return InputError(name, None, f"cannot be unpacked: {reason}")
    except Exception as error:  # noqa: BLE001 - each method has its own
        return _damaged_error(name, error)
    return data if len(data) == member.file_size else _damaged_error(name, EOFError("it is truncated"))


def _too_large_error(path: str, member: str, size: int) -> InputError:
    return InputError(f"{path}/{member}", None, f"a member of {size} bytes; unpack the archive, or leave it out")


def _damaged_error(name: str, error: Exception) -> InputError:
    return InputError(name, None, f"the archive is damaged: {quote_value(str(error) or type(error).__name__)[1:-1]}")
