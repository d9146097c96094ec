"""The registry of formats: files are read and written through it, help and documentation list it.

The format of a file is recognised by its content; for assessments, which may be many files, see the folder of these.

A format of another package joins through the entry point group ``prum_eval.formats``: the name of the entry point is
the name of the format, its object a `Format`.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from importlib import import_module
from os import PathLike
from typing import Any, BinaryIO

from prum_eval.errors import InputError, Problems, UsageError, raise_first
from prum_eval.formats.format import (
    AssessmentCapacity,
    Capacity,
    Format,
    FormatKind,
    RunCapacity,
    ScoreRule,
    StructureCapacity,
)
from prum_eval.formats.recognition import (
    HAS_JSON_GOLD,
    HAS_JSON_RESULTS,
    has_columns,
    has_grades,
    has_passages,
    has_pattern,
    has_results,
    has_root,
    has_tabs,
    marked,
)
from prum_eval.plugins import Plugins
from prum_eval.records.assessments import AssessmentKind
from prum_eval.records.run import RunKind
from prum_eval.text.streams import SQLITE, Content, display_name, opened_with_head

FORMAT_GROUP = "prum_eval.formats"

RUN, ASSESSMENTS, STRUCTURE, NAVIGATION, CONFIGURATION, LOG = FormatKind


def _late(module: str, function: str) -> Callable[..., Any]:
    """A function of a module of this room, imported when it is called: most calls need one or two of them."""
    return lambda *given: getattr(import_module(f"prum_eval.formats.{module}"), function)(*given)  # noqa: PLW0108


_RUN_LINES = _late("runs.lines", "read_run_lines")
_QRELS = _late("assessments.text", "read_qrels_lines")

# fmt: off
_FORMATS = (
    Format("run-trec", RUN, "6 columns: topic Q0 document rank score run", has_columns({6}),
           _RUN_LINES, _late("runs.lines_writer", "write_run_trec"), RunCapacity(RunKind.FLAT, ScoreRule.TREC)),
    Format("run-paths", RUN, "7 columns: ... and an element path", has_results(7),
           _RUN_LINES, _late("runs.lines_writer", "write_run_paths"),
           RunCapacity(RunKind.ELEMENTS, ScoreRule.EVERY, absent=True)),
    Format("run-ranges", RUN, "8 columns: ... and two paths, first and last element",
           has_pattern(rb"\A(\S+[^\S\n]+){6}/\S*[^\S\n]+\S+\s*$"),
           _RUN_LINES, _late("runs.lines_writer", "write_run_ranges"),
           RunCapacity(RunKind.ELEMENTS, ScoreRule.EVERY, absent=True, ranges=True)),
    Format("run-offsets", RUN, "8 columns: ... and offset and length in characters", has_results(8),
           _RUN_LINES, _late("runs.lines_writer", "write_run_offsets"),
           RunCapacity(RunKind.EXTENTS, ScoreRule.EVERY, absent=True)),
    Format("run-xml", RUN, "INEX submission", has_root(b"inex-submission"),
           _late("runs.xml", "read_run_xml"), _late("runs.xml_writer", "write_run_xml"),
           RunCapacity(RunKind.ELEMENTS, ScoreRule.FREE, any_name=True, task=True)),
    Format("run-jsonl", RUN, "JSON Lines: topic, doc, start, end, score, run", HAS_JSON_RESULTS,
           _late("runs.json_lines", "read_run_json"), _late("runs.json_lines", "write_run_json"),
           RunCapacity(RunKind.EXTENTS, ScoreRule.ORDER, early=False, any_name=True, tokens=True, several=True)),
    Format("qrels-trec", ASSESSMENTS, "4 columns: topic 0 document grade", has_grades,
           _QRELS, _late("assessments.text", "write_qrels_trec"), AssessmentCapacity(AssessmentKind.FLAT)),
    Format("qrels-inex", ASSESSMENTS, "passages: topic Q0 document relevant length bep ...",
           has_passages, _QRELS, _late("assessments.text", "write_qrels_inex"),
           AssessmentCapacity(AssessmentKind.PASSAGES)),
    Format("qrels-jsonl", ASSESSMENTS, "JSON Lines: topic, doc, doc_length, spans, bep", HAS_JSON_GOLD,
           _late("assessments.json_lines", "read_qrels_json"), _late("assessments.json_lines", "write_qrels_json"),
           AssessmentCapacity(AssessmentKind.PASSAGES, loose=False, chunks=True, groups=True)),
    Format("assessments-xml", ASSESSMENTS, "INEX 2002 to 2007: judged elements, passages, best entry points",
           has_root(b"assessments"), _late("assessments.xml", "read_assessments_xml")),
    Format("structure-text", STRUCTURE, "document, path, start, length, separated by tabs", has_tabs(3),
           _late("structures.text", "read_structure_text"), _late("structures.text", "write_structure_text"),
           StructureCapacity(links=False, gaps=True)),
    Format("structure-xml", STRUCTURE, "nested elements, with links", has_root(b"collection"),
           _late("structures.xml", "read_structure_xml"), _late("structures.xml_writer", "write_structure_xml"),
           StructureCapacity(links=True, gaps=False)),
    Format("index", STRUCTURE, "index of a collection, made by prum-eval index", lambda head: head.startswith(SQLITE),
           _late("structures.index", "read_index_stream")),
    Format("navigation", NAVIGATION, "source, target, probability, separated by tabs, perhaps a topic first",
           has_tabs(2, 3), _late("navigation", "read_navigation_lines"), _late("navigation", "write_navigation_lines")),
    Format("evalj", CONFIGURATION, "EvalJ's metrics in XML", has_root(b"metrics"),
           _late("configuration.evalj_xml", "read_metrics")),
    Format("xcgeval", CONFIGURATION, "XCGEval's properties: KEY: value or KEY=value",
           _late("configuration.properties", "has_property"), _late("configuration.properties", "read_properties")),
    Format("toml", CONFIGURATION, "TOML with plain keys and [[measures]]",
           has_pattern(rb"^[ \t]*(\[|[\w.\"'-]+[ \t]*=)"), _late("configuration.toml", "read_toml")),
    Format("log-tsv", LOG, "session, topic, rank, result, what was viewed, separated by tabs",
           lambda head: not marked(head), _late("log", "read_log_lines"), _late("log", "write_log_lines")),
    Format("log-jsonl", LOG, "JSON Lines: session, topic, rank, result, viewed, read, stop",
           has_pattern(rb"\A(?:\[\s*)?\{"), _late("log", "read_log_json")),
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
    begins = marked(head)
    return FORMATS[text if begins is None else markup if begins[0] == b"<" else json_lines], stream, name


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
