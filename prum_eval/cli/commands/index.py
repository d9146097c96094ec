"""``prum-eval index``: a collection's structure as one file that evaluations read fast."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Self

import click

from prum_eval.cli.help import Command
from prum_eval.cli.options import OUTPUT_PATH, PATH, WholeNumber, check_paths
from prum_eval.cli.output import STANDARD_OUTPUT, write_output
from prum_eval.errors import InputError

_WIDTH = 30
_REFRESH_SECONDS = 0.1


class ProgressLine:
    """Progress in one line on standard error if that is a terminal; removed at the end."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._shown = 0  # columns that the line has
        self._last = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._clear()

    def show(self, counts: dict[str, int], total: int) -> None:
        """Show what was done; `total` is that of the count `position`, 0 if unknown."""
        now = time.monotonic()
        if not self._terminal or now - self._last < _REFRESH_SECONDS:
            return
        self._last = now
        text = f"{counts['documents']:,} documents, {counts['elements']:,} elements"
        if total:
            share = min(counts["position"] / total, 1.0)
            done = round(share * _WIDTH)
            text = f"[{'#' * done}{'-' * (_WIDTH - done)}] {share:4.0%} {text}"
        click.echo("\r" + text.ljust(self._shown), nl=False, err=True)
        self._shown = len(text)

    def report(self, problem: InputError) -> None:
        """Print a problem above the line."""
        self._clear()
        click.echo(problem.message, err=True)

    def _clear(self) -> None:
        if self._shown:
            click.echo("\r" + " " * self._shown + "\r", nl=False, err=True)
            self._shown = 0


@click.command("index", cls=Command)
@click.argument("source", required=False, type=PATH)
@click.option(
    "-o", "--output", type=OUTPUT_PATH, metavar="FILE", help="Index to write. It appears when it is complete."
)
@click.option("--info", type=PATH, metavar="INDEX", help="Print the contents and the source of an index.")
@click.option(
    "-j",
    "--jobs",
    type=WholeNumber(1, 1024),
    default=1,
    show_default=True,
    metavar="N",
    help="Number of processes that parse.",
)
@click.option("--resume", is_flag=True, help="Continue an interrupted build of the same source.")
@click.option("--skip-broken", is_flag=True, help="Skip documents that cannot be read, instead of stopping.")
@click.option("--raw", is_flag=True, help="Count every character; otherwise adjacent white space counts as one.")
@click.option(
    "--glob",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Names of files that are documents, instead of the usual endings. Repeatable.",
)
@click.option(
    "--elements",
    multiple=True,
    metavar="XPATH",
    help="Elements that a system may return.  [default: all] Repeatable.",
)
@click.option("--without", multiple=True, metavar="XPATH", help="Elements whose text does not count. Repeatable.")
@click.option(
    "--links",
    multiple=True,
    metavar="XPATH",
    help="Attributes or elements that link to documents or elements, as //@href. Repeatable.",
)
@click.option(
    "--namespace",
    "namespaces",
    multiple=True,
    metavar="PREFIX=URI",
    help="Namespace of a prefix in XPATH.  [default: as in the document] Repeatable.",
)
@click.option("--html", is_flag=True, help="Read all documents as HTML, not only those in .html and .htm.")
@click.option("--encoding", metavar="NAME", help="Encoding of HTML pages; overrides what they declare.")
@click.option("-v", "--verbose", is_flag=True, help="List broken links.")
def command(
    source: str | None,
    output: str | None,
    info: str | None,
    jobs: int,
    resume: bool,
    skip_broken: bool,
    raw: bool,
    patterns: tuple[str, ...],
    elements: tuple[str, ...],
    without: tuple[str, ...],
    links: tuple[str, ...],
    namespaces: tuple[str, ...],
    html: bool,
    encoding: str | None,
    verbose: bool,
) -> None:
    """Build an index of SOURCE for --structure. SOURCE is a structure (text or XML), or documents in XML or HTML.

    Documents come from a directory tree or a tar or zip archive. Broken ones are reported as FILE:LINE: reason.

    \b
    Examples:
      prum-eval index -o collection.index documents/
      prum-eval index --info collection.index
    """
    if info is not None:
        if source is not None or output is not None:
            raise click.UsageError("--info takes no SOURCE and no --output")
        write_output(_describe_index(info), None)
        return
    if source is None or output is None:
        raise click.UsageError("give a SOURCE and -o FILE, or --info INDEX")
    if output in STANDARD_OUTPUT:
        raise click.UsageError("an index cannot be printed: give -o FILE")
    check_paths(source)
    from prum_eval.collection.documents import ReadingOptions, parse_namespace
    from prum_eval.collection.index_build import BuildOptions, build_index

    parsed_namespaces = tuple(map(parse_namespace, namespaces))
    reading = ReadingOptions(patterns, raw, elements, without, links, parsed_namespaces, html, encoding)
    with ProgressLine() as progress:
        counts = build_index(
            source,
            output,
            BuildOptions(jobs, resume, skip_broken, reading),
            report=progress.report,
            progress=progress.show,
            nowhere=progress.report if verbose else lambda _: None,
        )
    click.echo(f"prum-eval: {output}: {_format_index_counts(counts, verbose=verbose)}", err=True)


def _format_index_counts(counts: Mapping[str, int], *, verbose: bool) -> str:
    """What was put into an index, in one line."""
    within = "" if counts["elements"] == counts["all_elements"] else f" of {counts['all_elements']}"
    parts = [f"{counts['documents']} documents, {counts['elements']}{within} elements"]
    if counts["links"] or counts["nowhere"]:
        parts.append(f"{counts['links']} links")
    if counts["nowhere"]:
        lead = "leads" if counts["nowhere"] == 1 else "lead"
        parts.append(f"{counts['nowhere']} more {lead} nowhere{'' if verbose else ' (-v lists them)'}")
    if counts["broken"]:
        parts.append(f"{counts['broken']} broken documents left out")
    return ", ".join(parts)


def _describe_index(path: str) -> str:
    """What an index holds."""
    from prum_eval.collection.documents import READING_OPTIONS
    from prum_eval.formats.index_tables import INDEX_FORMAT
    from prum_eval.formats.structure_index import read_index_info

    info = read_index_info(path)
    within = "" if info.elements == info.all_elements else f", of {info.all_elements} in the documents"
    rows: dict[str, str | int] = {
        "index": path,
        "format": INDEX_FORMAT,
        "made by": info.meta["program"],
        "source": info.meta["source"],
        "kind": info.meta["kind"],
        "bytes": info.meta.get("source_size", "unknown"),
        "sha256": info.meta.get("source_sha256", "unknown"),
        "documents": info.documents,
        "elements": f"{info.elements}{within}",
        "characters": info.characters,
        "counted": info.meta.get("counting", "as the structure says"),
        **{key: info.meta[key] for key in READING_OPTIONS if key in info.meta},
        "links": info.links,
        **({"nowhere": f"{info.dangling_references} more that lead nowhere"} if info.dangling_references else {}),
        "left out": info.broken_documents,
    }
    return "".join(f"{key:<11} {value}\n" for key, value in rows.items())
