"""The registry of formats, through which files are read and written, and which help and documentation list.

The format of a file is recognised by its head: up to 256 KiB of bytes, without byte-order mark. A format of another
package is registered in the entry-point group ``prum_eval.formats`` as a `Format`. Readers and writers are imported on
their first call. `explain_unexpected_input` tells what an input is instead of the expected kind.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Container, Mapping
from importlib import import_module
from os import PathLike
from typing import Any, BinaryIO

from prum_eval.errors import InputError, ProblemHandler, UsageError, raise_first
from prum_eval.formats.format import (
    AssessmentCapacity,
    Capacity,
    Format,
    FormatKind,
    RunCapacity,
    ScoreRule,
    StructureCapacity,
    has_extra_text,
)
from prum_eval.plugins import Plugins
from prum_eval.records import AssessmentKind, RunKind
from prum_eval.text.streams import READ_BYTES, SQLITE_MAGIC, Content, display_name, open_with_head, skip_comments

# Tests of a head, and functions that make such tests.


has_markup = re.compile(rb"<|(?:\[\s*)?\{|\[\s*\]").match
"""Match of the beginning of markup or JSON."""


def has_columns(counts: Container[int]) -> Callable[[bytes], object]:
    """Test whether the first line has one of these numbers of columns; markup and JSON have none."""
    return lambda head: not has_markup(head) and len(head.partition(b"\n")[0].split()) in counts


def has_scores(head: bytes) -> object:
    """Whether the first line has six columns, or more with a score and no place in a document after the sixth."""
    cells = head.partition(b"\n")[0].split()
    extra = len(cells) > 6 and has_extra_text(cells) and _NUMBER.fullmatch(cells[4]) and not _EXTENT(head)
    return not has_markup(head) and (len(cells) == 6 or extra)


def has_grades(head: bytes) -> object:
    """Whether the first line has four columns, of which the second is no path, as in structures."""
    return has_columns({4})(head) and not head.split(maxsplit=2)[1].startswith(b"/")


def has_judged_paths(head: bytes) -> object:
    """Whether the first line has four columns, of which the third is a path; 0 or Q0 before it is of TREC qrels.

    >>> [bool(has_judged_paths(line)) for line in (b"1 tides /article[1] 2", b"1 0 /docs/tides 2", b"1 0 /p[1] 2")]
    [True, False, True]
    """
    if not has_grades(head):
        return False
    document, path = head.split(maxsplit=3)[1:3]
    return path.startswith(b"/") and (b"[" in path or document not in (b"0", b"Q0"))


_EXTENT = re.compile(rb"(?:\S+\s+){6}[0-9]+:[0-9]").match
"""Match of a line with passages after its sixth column."""


def has_results(count: int) -> Callable[[bytes], object]:
    """Test whether the first line has that number of columns, and no passages, as in assessments."""
    return lambda head: (
        not has_markup(head) and len((line := head.partition(b"\n")[0]).split()) == count and not _EXTENT(line)
    )


def has_passages(head: bytes) -> object:
    """Whether the first line has five columns, or six with a whole number, or passages after these; unlike runs."""
    line = head.partition(b"\n")[0]
    cells = line.split()
    if has_markup(head) or len(cells) < 5 or not cells[4].isdigit():
        return False
    return _EXTENT(line) if len(cells) > 6 else len(cells) == 5 or cells[5][-1:].isdigit()


BEIR_HEADER = [b"query-id", b"corpus-id", b"score"]
"""Names of the columns of BEIR's qrels, on the first line."""


def has_beir_header(head: bytes) -> object:
    """Whether the first line has the names of the columns of BEIR's qrels."""
    return head.partition(b"\n")[0].split() == BEIR_HEADER


def has_ranks(head: bytes) -> object:
    """Whether the first line has three columns, the last one a whole number."""
    return has_columns({3})(head) and head.partition(b"\n")[0].split()[2].isdigit()


_NESTED_OBJECT = re.compile(rb'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{').match


def has_nested_objects(head: bytes) -> object:
    """Whether it is a JSON object of objects, and no line of JSON Lines whose first value is an object."""
    if not _NESTED_OBJECT(head):
        return False
    from prum_eval.text.nested_json import is_nested_object  # few inputs are JSON

    return is_nested_object(head)


def has_tabs(*counts: int) -> Callable[[bytes], object]:
    """Test whether the first line has one of these numbers of tabs, or is a comment."""
    return lambda head: head.startswith(b"#") or head.partition(b"\n")[0].count(b"\t") in counts


def has_root(tag: bytes) -> Callable[[bytes], object]:
    """Test whether it is XML with that element."""
    return lambda head: head.startswith(b"<") and b"<" + tag in head


def has_pattern(pattern: bytes) -> Callable[[bytes], object]:
    """Test whether it contains a pattern, which is compiled on first use."""
    return lambda head: re.search(pattern, head, re.MULTILINE)


_SPAN_KEYS = rb'"(?:spans|bep|doc_length|grade)"\s*:'
_RESULT_KEYS = rb'"(?:score|rank|run)"\s*:'


def has_judged_keys(head: bytes) -> object:
    """Whether it is JSON whose first object has a path and a grade."""
    first = head.partition(b"}")[0]
    return re.match(rb"(?:\[\s*)?\{", head) and b'"path"' in first and re.search(rb'"grade"\s*:', first)


def has_json(expected_keys: bytes, other_keys: bytes) -> Callable[[bytes], object]:
    """Test whether it is JSON that names a document, whose first object has no other keys without expected ones."""

    def recognises(head: bytes) -> object:
        first = head.partition(b"}")[0]
        names_document = re.match(rb"(?:\[\s*)?\{", head) and re.search(rb'"doc(?:_id|ument)?"', head)
        return names_document and (not re.search(other_keys, first) or re.search(expected_keys, first))

    return recognises


FORMAT_GROUP = "prum_eval.formats"

RUN, ASSESSMENTS, STRUCTURE, NAVIGATION, CONFIGURATION, LOG = FormatKind


def _lazy(module: str, function: str) -> Callable[..., Any]:
    """A function of a module of this package, which is imported when it is called."""
    return lambda *arguments: getattr(import_module(f"prum_eval.formats.{module}"), function)(*arguments)  # noqa: PLW0108 -- imports late


_RUN_LINES = _lazy("run_lines", "read_run_lines")
_QRELS = _lazy("assessments_text", "read_qrels_lines")

# fmt: off
_FORMATS = (
    Format("run-trec", RUN, "6 columns: topic Q0 document rank score run", has_scores,
           _RUN_LINES, _lazy("run_lines", "write_run_trec"), RunCapacity(RunKind.FLAT, ScoreRule.TREC)),
    Format("run-paths", RUN, "7 columns: ... and an element path", has_results(7),
           _RUN_LINES, _lazy("run_lines", "write_run_paths"),
           RunCapacity(RunKind.ELEMENTS, ScoreRule.EVERY, missing_results=True)),
    Format("run-ranges", RUN, "8 columns: ... and two paths, first and last element",
           has_pattern(rb"\A(\S+[^\S\n]+){6}/\S*[^\S\n]+\S+\s*$"),
           _RUN_LINES, _lazy("run_lines", "write_run_ranges"),
           RunCapacity(RunKind.ELEMENTS, ScoreRule.EVERY, missing_results=True, ranges=True)),
    Format("run-offsets", RUN, "8 columns: ... and offset and length in characters", has_results(8),
           _RUN_LINES, _lazy("run_lines", "write_run_offsets"),
           RunCapacity(RunKind.EXTENTS, ScoreRule.EVERY, missing_results=True)),
    Format("run-xml", RUN, "INEX submission", has_root(b"inex-submission"),
           _lazy("run_xml", "read_run_xml"), _lazy("run_xml", "write_run_xml"),
           RunCapacity(RunKind.ELEMENTS, ScoreRule.FREE, free_run_names=True, task=True)),
    Format("run-ranks", RUN, "3 columns, as MS MARCO: topic document rank", has_ranks,
           _lazy("flat", "read_run_ranks")),
    Format("run-json", RUN, "JSON, as BEIR: {topic: {document: score}}", has_nested_objects,
           _lazy("flat", "read_run_object")),
    Format("run-jsonl", RUN, "JSON Lines: topic, doc, start, end, score, run", has_json(_RESULT_KEYS, _SPAN_KEYS),
           _lazy("run_json", "read_run_json"), _lazy("run_json", "write_run_json"),
           RunCapacity(RunKind.EXTENTS, ScoreRule.ORDER, negative_offsets=False, free_run_names=True, tokens=True,
                       multiple_runs=True)),
    Format("elements-text", ASSESSMENTS, "judged elements: topic document path grade; with a structure only",
           has_judged_paths, _lazy("judged_elements", "read_element_lines"), needs_structure=True),
    Format("qrels-trec", ASSESSMENTS, "4 columns: topic 0 document grade", has_grades,
           _QRELS, _lazy("assessments_text", "write_qrels_trec"), AssessmentCapacity(AssessmentKind.FLAT)),
    Format("qrels-inex", ASSESSMENTS, "passages: topic Q0 document relevant length bep ...",
           has_passages, _QRELS, _lazy("assessments_text", "write_qrels_inex"),
           AssessmentCapacity(AssessmentKind.PASSAGES)),
    Format("qrels-beir", ASSESSMENTS, "3 columns below the header query-id corpus-id score", has_beir_header,
           _lazy("flat", "read_qrels_beir")),
    Format("qrels-json", ASSESSMENTS, "JSON: {topic: {document: grade}}", has_nested_objects,
           _lazy("flat", "read_qrels_object")),
    Format("elements-jsonl", ASSESSMENTS, "judged elements as JSON Lines: topic, doc, path, grade",
           has_judged_keys, _lazy("judged_elements", "read_element_objects")),
    Format("qrels-jsonl", ASSESSMENTS, "JSON Lines: topic, doc, doc_length, spans, bep",
           has_json(_SPAN_KEYS, _RESULT_KEYS), _lazy("assessments_json", "read_qrels_json"),
           _lazy("assessments_json", "write_qrels_json"),
           AssessmentCapacity(AssessmentKind.PASSAGES, overlapping_passages=False, chunks=True, groups=True,
                              facets=True)),
    Format("assessments-xml", ASSESSMENTS, "INEX 2002 to 2007: judged elements, passages, best entry points",
           has_root(b"assessments"), _lazy("assessments_xml", "read_assessments_xml")),
    Format("structure-text", STRUCTURE, "document, path, start, length, separated by tabs", has_tabs(3),
           _lazy("structure_text", "read_structure_text"), _lazy("structure_text", "write_structure_text"),
           StructureCapacity(links=False, numbering_gaps=True)),
    Format("structure-xml", STRUCTURE, "nested elements, with links", has_root(b"collection"),
           _lazy("structure_xml", "read_structure_xml"), _lazy("structure_xml", "write_structure_xml"),
           StructureCapacity(links=True, numbering_gaps=False)),
    Format("index", STRUCTURE, "index of a collection, made by prum-eval index",
           lambda head: head.startswith(SQLITE_MAGIC), _lazy("structure_index", "read_index_stream")),
    Format("navigation", NAVIGATION, "source, target, probability, separated by tabs, perhaps a topic first",
           has_tabs(2, 3), _lazy("navigation", "read_navigation_lines"),
           _lazy("navigation", "write_navigation_lines")),
    Format("evalj", CONFIGURATION, "EvalJ's metrics in XML", has_root(b"metrics"),
           _lazy("configuration", "read_metrics")),
    Format("xcgeval", CONFIGURATION, "XCGEval's properties: KEY: value or KEY=value",
           _lazy("configuration", "has_property"), _lazy("configuration", "read_properties")),
    Format("toml", CONFIGURATION, "TOML with plain keys and [[measures]]",
           has_pattern(rb"^[ \t]*(\[|[\w.\"'-]+[ \t]*=)"), _lazy("configuration", "read_toml")),
    Format("log-tsv", LOG, "session, topic, rank, result, what was viewed, separated by tabs",
           lambda head: not has_markup(head), _lazy("log", "read_log_lines"), _lazy("log", "write_log_lines")),
    Format("log-jsonl", LOG, "JSON Lines: session, topic, rank, result, viewed, read, stop",
           has_pattern(rb"\A(?:\[\s*)?\{"), _lazy("log", "read_log_json")),
)
# fmt: on

FORMATS: Mapping[str, Format] = {format_.name: format_ for format_ in _FORMATS}

_FALLBACK_FORMATS: Mapping[FormatKind, tuple[str, str, str]] = {
    RUN: ("run-xml", "run-jsonl", "run-trec"),
    ASSESSMENTS: ("assessments-xml", "qrels-jsonl", "qrels-trec"),
    STRUCTURE: ("structure-xml", "structure-text", "structure-text"),
    NAVIGATION: ("navigation",) * 3,
    CONFIGURATION: ("evalj", "toml", "toml"),
    LOG: ("log-tsv", "log-jsonl", "log-tsv"),
}
"""Formats whose readers report the errors of a file that no format recognises: markup, JSON, other text."""


def open_with_format(
    kind: FormatKind, path: str | PathLike[str] | Content, problems: ProblemHandler, *, structured: bool = False
) -> tuple[Format, BinaryIO, str]:
    """Format, stream of bytes (empty if it cannot be read) and name of an input.

    `structured`: a structure is given, which some formats need. If no format recognises the input, it is the one
    whose reader reports its errors best.
    """
    source = path if isinstance(path, Content) else str(path)
    name = display_name(source)
    stream, head = open_with_head(source, problems)
    if kind in (RUN, ASSESSMENTS):
        first, head = head, skip_comments(head)
        if first and not head and len(first) < READ_BYTES // 2:
            stream.close()
            problems(InputError(name, 1, f"nothing but comments, expected {_EXPECTED[kind][0]}"))
            return FORMATS[_FALLBACK_FORMATS[kind][2]], io.BytesIO(), name

    def is_expected(format_: Format) -> object:
        return format_.kind is kind and (structured or not format_.needs_structure) and format_.recognises(head)

    for format_ in _FORMATS:
        if is_expected(format_):
            return format_, stream, name
    for format_ in plugin_formats().values() if head else ():
        if is_expected(format_):
            return format_, stream, name
    markup, json_lines, text = _FALLBACK_FORMATS[kind]
    if head:
        explanation = explain_unexpected_input(kind, head)
        if explanation is not None:
            stream.close()
            problems(InputError(name, *explanation))
            return FORMATS[text], io.BytesIO(), name
    begin = has_markup(head)
    return FORMATS[text if begin is None else markup if begin[0] == b"<" else json_lines], stream, name


def is_built_in(kind: FormatKind, content: Content, *, structured: bool = False) -> bool:
    """Whether a built-in format reads an input."""
    format_, stream, _ = open_with_format(kind, content, raise_first, structured=structured)
    stream.close()
    return format_ in _FORMATS


def is_recognised(kind: FormatKind, content: Content) -> bool:
    """Whether any format of that kind recognises an input."""
    stream, head = open_with_head(content, lambda _: None)
    stream.close()
    if kind in (RUN, ASSESSMENTS):
        head = skip_comments(head)
    return bool(head) and any(format_.kind is kind and format_.recognises(head) for format_ in all_formats().values())


def plugin_formats() -> dict[str, Format]:
    """The usable formats of other packages, by name."""
    plugins = Plugins(FORMAT_GROUP, "format", Format).usable()
    return {name: format_ for name, format_ in plugins.items() if name not in FORMATS}


def all_formats() -> dict[str, Format]:
    """All formats, built-in and of other packages, by name."""
    return {**FORMATS, **plugin_formats()}


def writable_formats() -> dict[str, Format]:
    """The formats that an input can be converted to, by name."""
    return {name: format_ for name, format_ in all_formats().items() if format_.write and format_.holds}


def format_writer(name: str) -> tuple[Callable[[Any], bytes], Capacity]:
    """Writer and capacity of a format.

    Raises:
        UsageError: the format is unknown, or its package cannot be loaded.
    """
    format_ = FORMATS.get(name) or Plugins(FORMAT_GROUP, "format", Format).get(name)
    if format_ is None or format_.write is None or format_.holds is None:
        raise UsageError(f"{name} is no form; there are: {', '.join(writable_formats())}")
    return format_.write, format_.holds


# Explanation of an unexpected input: another kind, or another notation.


_ROOTS = {
    b"<inex-submission": FormatKind.RUN,
    b"<assessments": FormatKind.ASSESSMENTS,
    b"<collection": FormatKind.STRUCTURE,
}
_INTEGER = re.compile(rb"-?[0-9]+")
_NUMBER = re.compile(rb"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_EXTENT_CELL = re.compile(rb"[0-9]+:[0-9]+")
_ARRAY_OF_VALUES = re.compile(rb"\[\s*[^\s{\]]")
_KIND_SENTENCES = {
    FormatKind.RUN: "this is a run",
    FormatKind.ASSESSMENTS: "these are assessments",
    FormatKind.STRUCTURE: "this is a structure",
}
_EXPECTED = {
    FormatKind.RUN: ("a run", "topic Q0 document rank score run"),
    FormatKind.ASSESSMENTS: ("assessments", "topic 0 document grade"),
    FormatKind.STRUCTURE: ("a structure", "document, path, start, length"),
}


def explain_unexpected_input(wanted: FormatKind, head: bytes) -> tuple[int | None, str] | None:
    """Line (None: the whole input) and reason why an input is not what was expected; None if unknown.

    >>> explain_unexpected_input(FormatKind.ASSESSMENTS, b"1 Q0 moon 1 0.5 mine")
    (None, 'this is a run; assessments come first')
    >>> explain_unexpected_input(FormatKind.RUN, b"1,Q0,moon,1,0.5,mine")
    (1, 'comma-separated; expected blanks or tabs')

    Args:
        wanted: a run, assessments or a structure.
        head: the beginning of the input.
    """
    if wanted not in _EXPECTED:
        return None
    what, columns = _EXPECTED[wanted]
    kind = detect_kind(head)
    if kind is not None and kind is not wanted:
        swapped = wanted is FormatKind.ASSESSMENTS and kind is FormatKind.RUN
        rest = "assessments come first" if swapped else f"expected {what}"
        return None, f"{_KIND_SENTENCES[kind]}; {rest}"
    if _ARRAY_OF_VALUES.match(head):
        return 1, f"a JSON array of no objects; a line of a file is {columns}"
    line = head.partition(b"\n")[0]
    if line.count(b",") > 1 and len(line.split()) < 3 and head[:1] not in b"<{[":
        return 1, "comma-separated; expected blanks or tabs"
    return None


def detect_kind(head: bytes) -> FormatKind | None:
    """Kind of an input that is certainly a run, assessments or a structure, by its head; else None.

    >>> detect_kind(b"1 0 moon 1"), detect_kind(b"1 Q0 moon 120 4000 17 17:120"), detect_kind(b"1 Q0 moon 1 4 5")
    (<FormatKind.ASSESSMENTS: 'assessments'>, <FormatKind.ASSESSMENTS: 'assessments'>, None)
    """
    if head.startswith(SQLITE_MAGIC):
        return FormatKind.STRUCTURE
    if head.startswith(b"<"):
        return next((kind for root, kind in _ROOTS.items() if root in head), None)
    if head.startswith((b"{", b"[")):
        first = head.partition(b"}")[0]
        if b'"doc' not in first:
            return None
        spans, results = re.search(_SPAN_KEYS, first), re.search(_RESULT_KEYS, first)
        return None if bool(spans) == bool(results) else FormatKind.ASSESSMENTS if spans else FormatKind.RUN
    if has_beir_header(head):
        return FormatKind.ASSESSMENTS
    cells = next((line for line in head.split(b"\n") if not line.startswith(b"#")), b"").split()
    count, whole = len(cells), [_INTEGER.fullmatch(cell) is not None for cell in cells]
    if count == 4 and cells[1].startswith(b"/") and whole[2] and whole[3]:
        return FormatKind.STRUCTURE
    if (count == 4 and whole[3]) or (count > 6 and whole[3] and whole[4] and _EXTENT_CELL.fullmatch(cells[6])):
        return FormatKind.ASSESSMENTS
    if count not in (6, 7, 8) or not whole[3] or not _NUMBER.fullmatch(cells[4]):
        return None
    placed = all(cell.startswith(b"/") for cell in cells[6:]) or (count == 8 and whole[6] and whole[7])
    return FormatKind.RUN if placed and not (count == 6 and whole[4] and whole[5]) else None


def detect_file_kind(path: str | Content) -> FormatKind | None:
    """`detect_kind` of a file.

    Raises:
        InputError: it cannot be read.
    """
    stream, head = open_with_head(path, raise_first)
    stream.close()
    return detect_kind(head)
