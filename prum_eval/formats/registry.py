"""The registry of formats: files are read and written through it, help and documentation list it.

The format of a file is recognised by its content; for assessments, which may be many files, see the folder of these.

A format of another package joins through the entry point group ``prum_eval.formats``: the name of the entry point is
the name of the format, its object a `Format`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Container, Mapping
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any, BinaryIO

from prum_eval.errors import InputError, Problems, UsageError, raise_first
from prum_eval.formats.format import (
    AssessmentCapacity,
    Capacity,
    Format,
    FormatKind,
    RankBy,
    RunCapacity,
    ScoreRule,
    StructureCapacity,
)
from prum_eval.plugins import Plugins
from prum_eval.records.assessments import AssessmentKind
from prum_eval.records.log import UserLog
from prum_eval.records.navigation import NavigationFile
from prum_eval.records.run import Run, RunKind
from prum_eval.records.structure import Structure
from prum_eval.text.numbers import shown
from prum_eval.text.streams import SQLITE, Content, display_name, opened_with_head

if TYPE_CHECKING:  # few calls have a configuration
    from prum_eval.records.configuration import ConfigurationFile

FORMAT_GROUP = "prum_eval.formats"

RUN, ASSESSMENTS, STRUCTURE, NAVIGATION, CONFIGURATION, LOG = FormatKind


_MARKED = re.compile(rb"<|(?:\[\s*)?\{|\[\s*\]").match
"""How markup and JSON begin."""


def _columns(counts: Container[int]) -> Callable[[bytes], object]:
    """Whether the first line has one of these numbers of columns; markup and JSON have none."""
    return lambda head: not _MARKED(head) and len(head.partition(b"\n")[0].split()) in counts


def _grades() -> Callable[[bytes], object]:
    """Whether the first line has four columns, the second of them no path, which structures have."""
    four = _columns({4})
    return lambda head: four(head) and not head.split(maxsplit=2)[1].startswith(b"/")


_EXTENT = re.compile(rb"(?:\S+\s+){6}[0-9]+:[0-9]").match
"""How a line with passages goes on after its sixth column."""


def _results(count: int) -> Callable[[bytes], object]:
    """Whether the first line has that number of columns, and no passages, which assessments have."""
    return lambda head: (
        not _MARKED(head) and len((line := head.partition(b"\n")[0]).split()) == count and not _EXTENT(line)
    )


def _passages(head: bytes) -> object:
    """Whether the first line has five columns, with a sixth whole number, or passages after it; a run has neither."""
    line = head.partition(b"\n")[0]
    cells = line.split()
    if _MARKED(head) or len(cells) < 5 or not cells[4].isdigit():
        return False
    return _EXTENT(line) if len(cells) > 6 else len(cells) == 5 or cells[5][-1:].isdigit()


def _tabs(*counts: int) -> Callable[[bytes], object]:
    """Whether the first line has one of these numbers of tabs, or is a comment."""
    return lambda head: head.startswith(b"#") or head.partition(b"\n")[0].count(b"\t") in counts


def _root(tag: bytes) -> Callable[[bytes], object]:
    """Whether it is XML with that element."""
    return lambda head: head.startswith(b"<") and b"<" + tag in head


def _json(head: bytes) -> object:
    """Whether it is a JSON object, or an array of some, that names a document."""
    return re.match(rb"(?:\[\s*)?\{", head) and re.search(rb'"doc(?:_id|ument)?"', head)


def _json_with(own: bytes, foreign: bytes) -> Callable[[bytes], object]:
    """Whether it is such JSON, and its first object has no keys of another kind without one of its own."""

    def recognises(head: bytes) -> object:
        first = head.partition(b"}")[0]
        return _json(head) and (not re.search(foreign, first) or re.search(own, first))

    return recognises


def _finds(pattern: bytes) -> Callable[[bytes], object]:
    """Whether it has that pattern, which is compiled when it is first asked for."""
    return lambda head: re.search(pattern, head, re.MULTILINE)


def _late(module: str, function: str) -> Callable[..., Any]:
    """A function of a module of this room, imported when it is called: most calls need one or two of them."""
    return lambda *given: getattr(import_module(f"prum_eval.formats.{module}"), function)(*given)  # noqa: PLW0108


_GOLD_KEYS, _RESULT_KEYS = rb'"(?:spans|bep|doc_length)"\s*:', rb'"(?:score|rank|run)"\s*:'
_IS_RESULTS, _IS_GOLD = _json_with(_RESULT_KEYS, _GOLD_KEYS), _json_with(_GOLD_KEYS, _RESULT_KEYS)
_RUN_LINES = _late("runs.lines", "read_run_lines")
_QRELS = _late("assessments.text", "read_qrels_lines")

# fmt: off
_FORMATS = (
    Format("run-trec", RUN, "6 columns: topic Q0 document rank score run", _columns({6}),
           _RUN_LINES, _late("runs.lines_writer", "write_run_trec"), RunCapacity(RunKind.FLAT, ScoreRule.TREC)),
    Format("run-paths", RUN, "7 columns: ... and an element path", _results(7),
           _RUN_LINES, _late("runs.lines_writer", "write_run_paths"),
           RunCapacity(RunKind.ELEMENTS, ScoreRule.EVERY, absent=True)),
    Format("run-ranges", RUN, "8 columns: ... and two paths, first and last element",
           _finds(rb"\A(\S+[^\S\n]+){6}/\S*[^\S\n]+\S+\s*$"),
           _RUN_LINES, _late("runs.lines_writer", "write_run_ranges"),
           RunCapacity(RunKind.ELEMENTS, ScoreRule.EVERY, absent=True, ranges=True)),
    Format("run-offsets", RUN, "8 columns: ... and offset and length in characters", _results(8),
           _RUN_LINES, _late("runs.lines_writer", "write_run_offsets"),
           RunCapacity(RunKind.EXTENTS, ScoreRule.EVERY, absent=True)),
    Format("run-xml", RUN, "INEX submission", _root(b"inex-submission"),
           _late("runs.xml", "read_run_xml"), _late("runs.xml_writer", "write_run_xml"),
           RunCapacity(RunKind.ELEMENTS, ScoreRule.FREE, any_name=True, task=True)),
    Format("run-jsonl", RUN, "JSON Lines: topic, doc, start, end, score, run", _IS_RESULTS,
           _late("runs.json_lines", "read_run_json"), _late("runs.json_lines", "write_run_json"),
           RunCapacity(RunKind.EXTENTS, ScoreRule.ORDER, early=False, any_name=True, tokens=True, several=True)),
    Format("qrels-trec", ASSESSMENTS, "4 columns: topic 0 document grade", _grades(),
           _QRELS, _late("assessments.text", "write_qrels_trec"), AssessmentCapacity(AssessmentKind.FLAT)),
    Format("qrels-inex", ASSESSMENTS, "passages: topic Q0 document relevant length bep ...",
           _passages, _QRELS, _late("assessments.text", "write_qrels_inex"),
           AssessmentCapacity(AssessmentKind.PASSAGES)),
    Format("qrels-jsonl", ASSESSMENTS, "JSON Lines: topic, doc, doc_length, spans, bep", _IS_GOLD,
           _late("assessments.json_lines", "read_qrels_json"), _late("assessments.json_lines", "write_qrels_json"),
           AssessmentCapacity(AssessmentKind.PASSAGES, loose=False, chunks=True, groups=True)),
    Format("assessments-xml", ASSESSMENTS, "INEX 2002 to 2007: judged elements, passages, best entry points",
           _root(b"assessments"), _late("assessments.xml", "read_assessments_xml")),
    Format("structure-text", STRUCTURE, "document, path, start, length, separated by tabs", _tabs(3),
           _late("structures.text", "read_structure_text"), _late("structures.text", "write_structure_text"),
           StructureCapacity(links=False, gaps=True)),
    Format("structure-xml", STRUCTURE, "nested elements, with links", _root(b"collection"),
           _late("structures.xml", "read_structure_xml"), _late("structures.xml_writer", "write_structure_xml"),
           StructureCapacity(links=True, gaps=False)),
    Format("index", STRUCTURE, "index of a collection, made by prum-eval index", lambda head: head.startswith(SQLITE),
           _late("structures.index", "read_index_stream")),
    Format("navigation", NAVIGATION, "source, target, probability, separated by tabs, perhaps a topic first",
           _tabs(2, 3), _late("navigation", "read_navigation_lines"), _late("navigation", "write_navigation_lines")),
    Format("evalj", CONFIGURATION, "EvalJ's metrics in XML", _root(b"metrics"),
           _late("configuration.evalj_xml", "read_metrics")),
    Format("xcgeval", CONFIGURATION, "XCGEval's properties: KEY: value or KEY=value",
           _late("configuration.properties", "has_property"), _late("configuration.properties", "read_properties")),
    Format("toml", CONFIGURATION, "TOML with plain keys and [[measures]]",
           _finds(rb"^[ \t]*(\[|[\w.\"'-]+[ \t]*=)"), _late("configuration.toml", "read_toml")),
    Format("log-tsv", LOG, "session, topic, rank, result, what was viewed, separated by tabs",
           lambda head: not _MARKED(head), _late("log", "read_log_lines"), _late("log", "write_log_lines")),
    Format("log-jsonl", LOG, "JSON Lines: session, topic, rank, result, viewed, read, stop",
           _finds(rb"\A(?:\[\s*)?\{"), _late("log", "read_log_json")),
)
# fmt: on

FORMATS: Mapping[str, Format] = {one.name: one for one in _FORMATS}

_NEAREST: Mapping[FormatKind, tuple[str, str, str]] = {
    RUN: ("run-xml", "run-jsonl", "run-trec"),
    ASSESSMENTS: ("assessments-xml", "qrels-jsonl", "qrels-trec"),
    STRUCTURE: ("structure-xml", "structure-text", "structure-text"),
    NAVIGATION: ("navigation",) * 3,
    CONFIGURATION: ("evalj", "toml", "toml"),
    LOG: ("log-tsv", "log-jsonl", "log-tsv"),
}
"""The formats whose readers say what is wrong with a file that nothing recognises: markup, an object, other text."""


def opened_as(
    kind: FormatKind, path: str | PathLike[str] | Content, problems: Problems
) -> tuple[Format, BinaryIO, str]:
    """An input, opened: its format, its bytes from the beginning (none where it cannot be read) and its name.

    Where no format recognises it, the format is the one whose reader says best what is wrong with it.
    """
    source = path if isinstance(path, Content) else str(path)
    name = display_name(source)
    stream, head = opened_with_head(source, problems)
    for one in _FORMATS:
        if one.kind is kind and one.recognises(head):
            return one, stream, name
    for one in plugins().values() if head else ():
        if one.kind is kind and one.recognises(head):
            return one, stream, name
    markup, json_lines, text = _NEAREST[kind]
    if head:
        from prum_eval.formats.odd import odd_input  # most inputs are what they should be

        odd = odd_input(kind, head)
        if odd is not None:
            stream.close()
            problems(InputError(name, *odd))
            return FORMATS[text], io.BytesIO(), name
    marked = _MARKED(head)
    return FORMATS[text if marked is None else markup if marked[0] == b"<" else json_lines], stream, name


def is_built_in(kind: FormatKind, content: Content) -> bool:
    """Whether an input is read by a format of ours."""
    one, stream, _ = opened_as(kind, content, raise_first)
    stream.close()
    return one in _FORMATS


def is_recognised(kind: FormatKind, content: Content) -> bool:
    """Whether some format of that kind, ours or of another package, recognises an input."""
    stream, head = opened_with_head(content, lambda _: None)
    stream.close()
    return bool(head) and any(one.kind is kind and one.recognises(head) for one in formats().values())


def plugins() -> dict[str, Format]:
    """The formats of other packages, by name; those that cannot be imported are in nobody's way."""
    found = Plugins(FORMAT_GROUP, "format", Format).usable()
    return {name: one for name, one in found.items() if name not in FORMATS}


def formats() -> dict[str, Format]:
    """All formats, built in and of other packages, by name."""
    return {**FORMATS, **plugins()}


def writable() -> dict[str, Format]:
    """The formats that an input can be converted to, by name."""
    return {name: one for name, one in formats().items() if one.write is not None and one.holds is not None}


def writer_of(name: str) -> tuple[Callable[[Any], bytes], Capacity]:
    """What writes the format of that name, and what it can hold.

    Raises:
        UsageError: there is none, or its package cannot be loaded.
    """
    found = FORMATS.get(name) or Plugins(FORMAT_GROUP, "format", Format).get(name)
    if found is None or found.write is None or found.holds is None:
        raise UsageError(f"{name} is no form; there are: {', '.join(writable())}")
    return found.write, found.holds


def read_run(
    path: str | PathLike[str] | Content, *, rank_by: RankBy | None = None, problems: Problems = raise_first
) -> Run:
    """Read a run and rank its results: what `read_runs` reads, of a file that holds one run."""
    first, *others = read_runs(path, rank_by=rank_by, problems=problems)
    for run in others:
        reason = f"run {shown(run.run_id)}, but {shown(first.run_id)} on line {first.line.min()}: expected one run"
        problems(InputError(run.path, int(run.line.min()), reason))
    return first


def read_runs(
    path: str | PathLike[str] | Content, *, rank_by: RankBy | None = None, problems: Problems = raise_first
) -> tuple[Run, ...]:
    """Read the runs of a file, one or in JSON Lines several, and rank their results.

    Without `rank_by` TREC runs are ranked by score, INEX lines as in the file, INEX XML by rank, else by rsv, else as
    in the document, and JSON Lines by score, else as in the file. Every `InputError` is handed to `problems`; where
    that returns, the bad line is left out, and the run holds what could be read.
    """
    format_, stream, name = opened_as(FormatKind.RUN, path, problems)
    with stream:
        found: Run | tuple[Run, ...] = format_.read(stream, name, rank_by, problems)
    return (found,) if isinstance(found, Run) else found


def read_structure(
    path: str | PathLike[str] | Content, wanted: Container[str] | None = None, *, problems: Problems = raise_first
) -> Structure:
    """Read a collection structure, XML, text or an index: counts and names of all documents, trees of the wanted ones.

    Without `wanted` all documents are wanted. Every number is checked; the nesting of elements is checked in wanted
    documents only where the structure is text; an index was checked when it was built. Every `InputError` is handed to
    `problems`; where that returns, what is bad is left out, and the record holds what could be read.
    """
    format_, stream, name = opened_as(FormatKind.STRUCTURE, path, problems)
    with stream:
        structure: Structure = format_.read(stream, name, wanted, problems)
    return structure


def read_navigation(path: str | PathLike[str], *, problems: Problems = raise_first) -> NavigationFile:
    """Read a navigation file; whether its numbers are reach probabilities or steps, it does not say.

    Lines that start with ``#`` are comments. Every `InputError` is handed to `problems`; where that returns, what is
    bad is left out, and the record holds what could be read.
    """
    format_, stream, name = opened_as(FormatKind.NAVIGATION, path, problems)
    with stream:
        file: NavigationFile = format_.read(stream, name, problems)
    return file


def read_log(path: str | PathLike[str], *, problems: Problems = raise_first) -> UserLog:
    """Read a log of what users did, lines with tabs or JSON Lines.

    Every `InputError` is handed to `problems`; where that returns, the bad line is left out.
    """
    format_, stream, name = opened_as(FormatKind.LOG, path, problems)
    with stream:
        log: UserLog = format_.read(stream, name, problems)
    return log


def read_configuration(path: str) -> ConfigurationFile:
    """Read a configuration file.

    Raises:
        InputError: it cannot be read, or a line of it is not of the form.
    """
    format_, stream, name = opened_as(FormatKind.CONFIGURATION, path, raise_first)
    with stream:
        file: ConfigurationFile = format_.read(stream, name, raise_first)
    return file
