"""Building of an index from a structure or from documents.

`build_index` recognises its source by content: a structure (text or XML), or documents in a directory, a tar or a zip
archive. Directories list names, sizes and times as their identity; symbolic links are not followed, as they may form
cycles. Members of archives are bounded in size, and every failure of a damaged archive is an `InputError`.
"""

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
from prum_eval.text.streams import SQLITE_MAGIC, STDIN, display_name, is_folder, open_input, peek_head

DOCUMENT_ENDINGS = (".xml", ".page", ".docbook", ".nxml", ".tei", ".xhtml", ".html", ".htm")
MAX_MEMBER_BYTES = 1 << 28
"""Maximal size of a document in an archive, which is held in memory."""
_MAX_LISTED_FILES = 100_000  # files of a directory that are listed in memory
_TAR_HEADER, _TAR_MARK = 512, 257
_MAX_TAR_HEADER_TEXT = 1 << 20
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_ENCRYPTED = 1  # bit of the flags of a zip member
_STEP = 1 << 12

ProblemReporter = Callable[[InputError], None]
Progress = Callable[[dict[str, int], int], None]
"""Called after every piece with the counts so far and the total of `position` (0 if unknown)."""
Member = tuple[str, int, bytes | InputError]
"""Name, unpacked size, and bytes or the reason why they cannot be read."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """Options of `build_index`."""

    jobs: int = 1
    resume: bool = False
    skip_broken: bool = False
    reading: ReadingOptions = field(default_factory=ReadingOptions)


def build_index(
    source: str,
    target: str,
    options: BuildOptions,
    *,
    report: ProblemReporter,
    progress: Progress = lambda *_: None,
    nowhere: ProblemReporter = lambda _: None,
) -> dict[str, int]:
    """Build an index.

    Args:
        source: a structure (text or XML), or a directory, tar or zip archive of documents.
        target: the file to write; it appears when it is complete.
        options: how to build.
        report: called with each broken document.
        progress: called after every piece.
        nowhere: called with each reference to something that does not exist.

    Returns:
        Counts: documents, elements (retrievable ones, and `all_elements`), characters, links, nowhere (references
        without a target), broken.

    Raises:
        InputError: the source cannot be read or is bad, the target cannot be written.
        DataError: there are broken documents, and `skip_broken` is off.
        UsageError: options for documents with a structure.
    """
    with ExitStack() as resources:
        opened = open_source(source, options, resources)
        settings: dict[str, MetaValue] = {}
        if isinstance(opened, DocumentsSource):
            options.reading.check()
            settings = options.reading.meta()
        elif options.reading != ReadingOptions():
            names = "--raw, --glob, --elements, --without, --links, --namespace, --html and --encoding"
            raise UsageError(f"{opened.name} is a {opened.kind}: {names} are for documents")
        writer = IndexWriter(target, opened, settings, resume=options.resume)
        try:
            start = writer.counts
            for piece in opened.pieces(start["position"], start["line"], options.jobs):
                for problem in piece.errors:
                    report(problem)
                writer.add(piece)
                progress(writer.counts, opened.total)
            _check_counts(writer.counts, opened, options)
            writer.finish(nowhere)
        except Exception:
            writer.stop(keep=False)
            raise
        except BaseException:  # interrupted: what is done is good
            writer.stop(keep=True)
            raise
        return writer.counts


def _check_counts(counts: dict[str, int], source: Source, options: BuildOptions) -> None:
    """Reject a source without documents, or with broken ones unless they may be skipped."""
    if counts["broken"] and not options.skip_broken:
        raise DataError(f"broken documents: {counts['broken']}; --skip-broken leaves them out")
    if not counts["documents"]:
        if isinstance(source, DocumentsSource):
            kinds = " ".join(options.reading.patterns) or ", ".join(f"*{ending}" for ending in DOCUMENT_ENDINGS)
            raise InputError(source.name, None, f"no documents in it ({kinds})")
        raise InputError(source.name, 1, "the file is empty")


def open_source(path: str, options: BuildOptions, resources: ExitStack) -> Source:
    """Source at a path, recognised by content; `resources` closes what it opens."""
    reading, name = options.reading, display_name(path)
    is_document = make_path_filter(reading.patterns)
    if path != STDIN and is_folder(path):
        tree = _DirectoryFiles(path, is_document)
        return DocumentsSource(path, "directory of documents", tree.entries, tree.identity, reading, lambda: tree.count)
    stream = resources.enter_context(open_input(path))
    archive, head = archive_kind(path, stream)
    if archive:
        members = partial(archive_members, path, stream, archive, is_document)
        identity = partial(file_identity, path)
        return DocumentsSource(
            path, f"{archive} archive of documents", lambda: starmap(SourceEntry, members()), identity, reading
        )
    if head.startswith(SQLITE_MAGIC):
        raise InputError(name, None, "this is an index already")
    if peek_head(stream, name, raise_first).startswith(b"<"):
        return XmlSource(path, stream)
    return TextSource(path, stream, Path(path).stat().st_size if path != STDIN else 0)


# Directories


def make_path_filter(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    """Function that tells documents by the ending of a path, or by patterns for its last part."""
    if not patterns:
        return lambda path: path.endswith(DOCUMENT_ENDINGS)
    return lambda path: any(fnmatchcase(path.rpartition("/")[2], pattern) for pattern in patterns)


class _DirectoryFiles:
    """The files of a directory tree, listed once unless they are too many for memory."""

    def __init__(self, path: str, accept: Callable[[str], bool]) -> None:
        self._files = partial(files_below, path, accept)
        self._listed: list[SourceEntry] | None = None
        self.count = 0  # 0 if unknown

    def entries(self) -> Iterator[SourceEntry]:
        """All files."""
        return iter(self._listed) if self._listed is not None else self._files()

    def identity(self) -> dict[str, MetaValue]:
        """Total size, and checksum of names, sizes and times; reading all files would take as long as indexing."""
        checksum, size = hashlib.sha256(), 0
        entries: list[SourceEntry] | None = []
        for entry in self._files():
            line = f"{entry.name}\0{entry.size}\0{entry.time}\n"
            checksum.update(line.encode(errors="surrogateescape"))
            size += entry.size
            if entries is not None:
                entries.append(entry)
                if len(entries) > _MAX_LISTED_FILES:
                    entries = None
        self._listed = entries
        self.count = len(entries or ())
        return {"source_size": size, "source_sha256": checksum.hexdigest()}


def files_below(root: str, accept: Callable[[str], bool]) -> Iterator[SourceEntry]:
    """Accepted files below a directory, directory by directory, each sorted."""
    stack = [""]
    while stack:
        folder = stack.pop()
        directory = Path(root, folder)
        try:
            with os.scandir(directory) as scan:
                members = sorted(scan, key=attrgetter("name"))
        except OSError as error:
            raise InputError(str(directory), None, f"cannot be read: {error.strerror}") from error
        subfolders = []
        for member in members:
            name = f"{folder}/{member.name}" if folder else member.name
            if member.is_dir(follow_symlinks=False):
                subfolders.append(name)
            elif member.is_file(follow_symlinks=False) and accept(name):
                stat = member.stat(follow_symlinks=False)
                yield SourceEntry(name, stat.st_size, None, member.path, stat.st_mtime_ns)
        stack += reversed(subfolders)


# Archives


def archive_kind(path: str, stream: BinaryIO) -> tuple[str, bytes]:
    """`tar`, `zip` or nothing, and the first bytes of a stream.

    Raises:
        InputError: a zip archive on standard input.
    """
    head = cast("BufferedReader", stream).peek(_TAR_HEADER)
    if head.startswith(_ZIP):
        if path == STDIN:
            reason = "a zip archive cannot be read from standard input; give its path"
            raise InputError(display_name(path), None, reason)
        return "zip", head
    return "tar" if head[_TAR_MARK:].startswith(b"ustar") else "", head


def archive_members(path: str, stream: BinaryIO, kind: str, accept: Callable[[str], bool]) -> Iterator[Member]:
    """Accepted files of an archive."""
    return zip_members(path, accept) if kind == "zip" else tar_members(display_name(path), stream, accept)


def tar_members(name: str, stream: BinaryIO, accept: Callable[[str], bool]) -> Iterator[Member]:
    """Accepted files of a tar archive, read in one pass.

    Raises:
        InputError: the archive is damaged or truncated, so that the rest cannot be found.
    """
    try:
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=_TarMember) as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isfile() and accept(member.name) else None
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
    except Exception as error:  # for bad numbers, names, maps and more; tarfile documents no list
        raise _damaged_error(name, error) from error


class _TarMember(tarfile.TarInfo):
    """A member with a valid header; `tarfile` takes an invalid one after the first for the end."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(archive)
        except tarfile.HeaderError as error:
            if type(error).__name__ == "EOFHeaderError":  # the end mark
                raise
            reason = "it ends without its end mark" if not archive.fileobj.read(1) else str(error)
            raise tarfile.ReadError(reason) from error

    def _proc_member(self, archive: tarfile.TarFile) -> Any:  # noqa: ANN401 - tarfile has no types here
        # tarfile reads text headers into memory, however long they claim to be.
        if self.type not in tarfile.REGULAR_TYPES and self.size > _MAX_TAR_HEADER_TEXT and not self.issparse():
            raise tarfile.ReadError(f"a header of {self.size} bytes")
        return super()._proc_member(archive)  # type: ignore[misc]


def zip_members(path: str, accept: Callable[[str], bool]) -> Iterator[Member]:
    """Accepted files of a zip archive.

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
            if not member.is_dir() and accept(member.filename):
                yield member.filename, member.file_size, _read_zip_member(archive, member, path)


def _read_zip_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: str) -> bytes | InputError:
    if member.file_size > MAX_MEMBER_BYTES:
        return _too_large_error(path, member.filename, member.file_size)
    name = f"{path}/{member.filename}"
    # A member may contain more than its header says. Two methods bound reading; others unpack all that they read.
    is_bounded = member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    step = member.file_size + 1 if is_bounded else _STEP
    try:
        with archive.open(member) as file:
            data = b"".join(iter(partial(file.read, step), b""))
    except RuntimeError as error:  # zipfile's error for an encrypted member or an unknown method
        reason = "it is encrypted" if member.flag_bits & _ENCRYPTED else str(error)
        return InputError(name, None, f"cannot be unpacked: {reason}")
    except Exception as error:  # noqa: BLE001 - each method has its own errors
        return _damaged_error(name, error)
    return data if len(data) == member.file_size else _damaged_error(name, EOFError("it is truncated"))


def _too_large_error(path: str, member: str, size: int) -> InputError:
    return InputError(f"{path}/{member}", None, f"a member of {size} bytes; unpack the archive, or leave it out")


def _damaged_error(name: str, error: Exception) -> InputError:
    return InputError(name, None, f"the archive is damaged: {quote_value(str(error) or type(error).__name__)[1:-1]}")
