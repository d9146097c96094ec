"""From a source to an index."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import cast

from prum_eval.collection.index.pieces import Source
from prum_eval.collection.index.structures import TextSource, XmlSource
from prum_eval.collection.index.writer import IndexWriter
from prum_eval.errors import DataError, InputError, raise_first
from prum_eval.formats.index_file import MAGIC
from prum_eval.formats.opening import STDIN, display_name, first_byte, open_input

Progress = Callable[[dict[str, int], int], None]
"""Called after every piece: counts so far, and the total of `position`, 0 where it is not known."""


@dataclass(frozen=True, slots=True)
class Build:
    """How to build."""

    jobs: int = 1
    resume: bool = False
    skip_broken: bool = False
    raw: bool = False
    patterns: tuple[str, ...] = ()


def build_index(
    source: str,
    target: str,
    how: Build,
    *,
    report: Callable[[InputError], None],
    progress: Progress = lambda *_: None,
) -> dict[str, int]:
    """Build an index.

    Args:
        source: a structure (text or XML).
        target: the file to write; it appears when it is complete.
        how: how to build.
        report: called with each broken document.
        progress: called after every piece.

    Returns:
        Counts: documents, elements, characters, links, broken.

    Raises:
        InputError: the source cannot be read or is bad, the target cannot be written.
        DataError: some documents are broken, and they are not to be skipped.
    """
    with ExitStack() as resources:
        return _build(open_source(source, resources), target, how, report, progress)


def _build(
    source: Source, target: str, how: Build, report: Callable[[InputError], None], progress: Progress
) -> dict[str, int]:
    writer = IndexWriter(target, source, {}, resume=how.resume)
    try:
        begin = writer.counts
        for piece in source.pieces(begin["position"], begin["line"], how.jobs):
            for problem in piece.broken:
                report(problem)
            writer.add(piece)
            progress(writer.counts, source.total)
        _check(writer.counts, source, how)
        writer.finish()
    except Exception:
        writer.stop(keep=False)
        raise
    except BaseException:  # interrupted: nothing is wrong with what was done
        writer.stop(keep=True)
        raise
    return writer.counts


def _check(counts: dict[str, int], source: Source, how: Build) -> None:
    """Refuse a source without documents, or with broken ones that are not to be skipped."""
    if counts["broken"] and not how.skip_broken:
        raise DataError(f"broken documents: {counts['broken']}; --skip-broken leaves them out")
    if not counts["documents"]:
        raise InputError(source.name, 1, "the file is empty")


def open_source(path: str, resources: ExitStack) -> Source:
    """The source of that path, recognised by its content; what it opens is closed with `resources`."""
    name = display_name(path)
    stream = resources.enter_context(open_input(path))
    if cast("BufferedReader", stream).peek(len(MAGIC)).startswith(MAGIC):
        raise InputError(name, None, "this is an index already")
    if first_byte(stream, name, raise_first) == b"<":
        return XmlSource(path, stream)
    return TextSource(path, stream, Path(path).stat().st_size if path != STDIN else 0)
