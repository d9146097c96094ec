"""From a source to an index."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import cast

from prum_eval.collection.documents.reading import Reading
from prum_eval.collection.index.batches import Source
from prum_eval.collection.index.containers import ENDINGS, directory, tar_archive, zip_archive
from prum_eval.collection.index.documents import DocumentsSource
from prum_eval.collection.index.structures import TextSource, XmlSource
from prum_eval.collection.index.writer import IndexWriter
from prum_eval.errors import DataError, InputError, UsageError, raise_first
from prum_eval.formats.structures.index_file import MetaValue
from prum_eval.text.streams import SQLITE, STDIN, display_name, head_of, open_input

_TAR_HEADER, _TAR_MARK = 512, 257
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")

Report = Callable[[InputError], None]
Progress = Callable[[dict[str, int], int], None]
"""Called after every piece: counts so far, and the total of `position`, 0 where it is not known."""


@dataclass(frozen=True, slots=True)
class Build:
    """How to build."""

    jobs: int = 1
    resume: bool = False
    skip_broken: bool = False
    reading: Reading = field(default_factory=Reading)


def build_index(
    source: str,
    target: str,
    how: Build,
    *,
    report: Report,
    progress: Progress = lambda *_: None,
    nowhere: Report = lambda _: None,
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
        writer = _begin(opened, target, how)
        try:
            begin = writer.counts
            for piece in opened.pieces(begin["position"], begin["line"], how.jobs):
                for problem in piece.broken:
                    report(problem)
                writer.add(piece)
                progress(writer.counts, opened.total)
            _check(writer.counts, opened, how)
            writer.finish(nowhere)
        except Exception:
            writer.stop(keep=False)
            raise
        except BaseException:  # interrupted: nothing is wrong with what was done
            writer.stop(keep=True)
            raise
        return writer.counts


def _begin(source: Source, target: str, how: Build) -> IndexWriter:
    settings: dict[str, MetaValue] = {}
    if isinstance(source, DocumentsSource):
        how.reading.check()
        settings = how.reading.meta()
    elif how.reading != Reading():
        options = "--raw, --glob, --elements, --without, --links, --namespace, --html and --encoding"
        raise UsageError(f"{source.name} is a {source.kind}: {options} are for documents")
    return IndexWriter(target, source, settings, resume=how.resume)


def _check(counts: dict[str, int], source: Source, how: Build) -> None:
    """Refuse a source without documents, or with broken ones that are not to be skipped."""
    if counts["broken"] and not how.skip_broken:
        raise DataError(f"broken documents: {counts['broken']}; --skip-broken leaves them out")
    if not counts["documents"]:
        if isinstance(source, DocumentsSource):
            kinds = " ".join(how.reading.patterns) or ", ".join(f"*{ending}" for ending in ENDINGS)
            raise InputError(source.name, None, f"no documents in it ({kinds})")
        raise InputError(source.name, 1, "the file is empty")


def open_source(path: str, how: Build, resources: ExitStack) -> Source:
    """The source of that path, recognised by its content; what it opens is closed with `resources`."""
    if path != STDIN and Path(path).is_dir():
        return directory(path, how.reading)
    name = display_name(path)
    stream = resources.enter_context(open_input(path))
    head = cast("BufferedReader", stream).peek(_TAR_HEADER)
    if head.startswith(_ZIP):
        if path == STDIN:
            raise InputError(name, None, "a zip archive cannot be read from standard input; give its path")
        return zip_archive(path, how.reading)
    if head[_TAR_MARK:].startswith(b"ustar"):
        return tar_archive(path, stream, how.reading)
    if head.startswith(SQLITE):
        raise InputError(name, None, "this is an index already")
    if head_of(stream, name, raise_first).startswith(b"<"):
        return XmlSource(path, stream)
    return TextSource(path, stream, Path(path).stat().st_size if path != STDIN else 0)
