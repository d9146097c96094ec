"""What is fuzzed: a reader a target, each with inputs to begin with and words that mean something to it."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sqlite3
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis.strategies import SearchStrategy

from prum_eval.chunks.relevant_spans import read_quotes
from prum_eval.collection.index_build import BuildOptions, build_index
from prum_eval.conversion.runs import merge_by_document
from prum_eval.errors import InputError, ProblemHandler, PrumEvalError, raise_first
from prum_eval.evaluation.configuration import read_configuration
from prum_eval.formats import run_json as json_lines
from prum_eval.formats.assessments_cache import AssessmentCache
from prum_eval.formats.gold import read_gold
from prum_eval.formats.reading import (
    read_assessment_files,
    read_assessments,
    read_log,
    read_navigation,
    read_run,
    read_runs,
    read_structure,
)
from prum_eval.formats.scores import read_scores
from prum_eval.formats.topic_files import read_groups
from prum_eval.records import RunKind
from prum_eval.text.fast_json import fast_objects
from prum_eval.text.streams import Content, open_input
from tests.fuzz import command_lines, hostile_indexes, schemas
from tests.gold import ROOT

FIXTURES = ROOT / "fixtures"
LARGEST = 1 << 14
"""Bytes of an input to begin with; of longer files the beginning."""

NUMBERS = (
    b"0 1 -1 9 1.5 1e5 1e999 nan inf 1_0 2147483648 1099511627776 1099511627777 9223372036854775807 "
    b"9223372036854775808 -9223372036854775808 99999999999999999999999 -0 +1 01"
).split()
SIGNS = [b"", b" ", b"\t", b"\n", b"\r\n", b"\r", b"\0", b"\xff", b"\xc3\xa9", b"\xe2\x80\xa8", b"\x1b[31m", b"#", b"X"]
PATHS = b"/a /a[1] /a[0] /a[1]/b[2] /a[99999999999999999999] //a /a[1]/ a a.xml 0:5 3:-1".split()
JSON = [
    *b'{ } [ ] , : "topic" "doc" "start" "end" "spans" "bep" "runs" "topics" null true NaN Infinity'.split(),
    b"[" * 2000,
]
JSON_KEYS = [
    *b'"length" "text" "score" "tokens" "run" "group" "doc_length" "qid" "doc_id" "begin" "rank"'.split(),
    *[b"}, {", b"[{", b"}]", b'"run": "b"', b'"group": "b"', b'"\\u00e4"', b'"\\\\"', b'\\"'],
]
JSON_RUNS = [
    b'[{"qid": 1, "document": "a", "start_index": 0, "text": "some \\"words\\"", "metadata": {"page": [1]}}]',
    b'{"topic": "1", "doc": "a", "start": 0, "end": 9, "score": 0.5, "run": "a", "text": "x\\n"}\n' * 3
    + b'{"topic": "1", "doc": "a", "start": 4, "end": 19, "score": 1.5, "run": "b", "text": "y\\n"}\n' * 3,
    b'{"topic": 1, "doc": "b", "begin": 3, "length": 4, "tokens": 5, "rank": 1}\n' * 4,
    b'{"1": {"a": 0.5, "b": -1e5},\n "2": {\n  "a\\u00e4": 3\n }, "3": {}}',
]
JSON_GOLD = [
    b'{"topic": "1", "doc": "a", "start": 0, "end": 9, "doc_length": 20, "group": "x"}\n' * 2
    + b'{"topic": "1", "doc": "a", "start": 5, "end": 12, "bep": 3}\n{"topic": "2", "doc": "b", "spans": []}\n',
    b'[{"query_id": "1", "doc_id": "a", "spans": [[0, 4], [2, 9]]},\n{"qid": "1", "doc": "b", "start": 1, "text": ""}]',
    b'{"1": {"a": 1, "b": 0},\n "2": {\n  "a\\u00e4": 3\n }}',
]
XML = b"<a> </a> <a/> <![CDATA[ ]]> <!-- --> &amp; &a; &#0; &#x41; <?xml ?> <!DOCTYPE <!ENTITY xmlns='u' ' > <".split()
TOML = [*b"[[measures]] measure = ' \" \"\"\" ''' [ ] { } . id limit runs task $A ${A} A:".split(), b"a." * 70]

Read = Callable[[bytes], None]


@dataclass(frozen=True)
class Target:
    """A reader: takes any bytes, and raises whatever it should not.

    `inputs`: draws inputs; else they are seeds after some edits.
    """

    read: Read
    seeds: Callable[[], list[bytes]]
    words: list[bytes]
    inputs: Callable[[], SearchStrategy[bytes]] | None = None


def _files(*patterns: str) -> list[bytes]:
    paths = sorted(path for pattern in patterns for path in FIXTURES.glob(pattern) if path.is_file())
    return [path.read_bytes()[:LARGEST] for path in paths[:20]]


def _collecting(read: Callable[..., object], data: bytes) -> None:
    """Problems are collected or the first of them is raised; nothing else is."""
    problems: list[InputError] = []
    read(Content("fuzz", data), problems=problems.append)
    try:
        read(Content("fuzz", data))
    except InputError as error:
        assert problems, f"raised, but not collected: {error}"  # noqa: PT017 - no test of one error
    else:
        assert not problems, f"collected, but not raised: {problems[0]}"
    assert all("\n" not in str(problem) for problem in problems), problems


def _json_runs(data: bytes) -> None:
    """Lines that are written alike are read at once and one by one, to the same runs, which can be merged."""
    _collecting(read_runs, data)
    read, problems = [], []
    for fast in (fast_objects, lambda _: None):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(json_lines, "fast_objects", fast)
            found: list[InputError] = []
            read.append(read_runs(Content("fuzz", data), problems=found.append))
            problems.append([str(problem) for problem in found])
    assert problems[0] == problems[1]
    for one, other in zip(*read, strict=True):
        assert one.topics == other.topics
        for column in ("bounds", "start", "length", "score", "line"):
            assert np.array_equal(getattr(one, column), getattr(other, column), equal_nan=True), column
        assert one.kind is not RunKind.EXTENTS or len(merge_by_document(one).line) <= len(one.line)


def _assessments(source: Content, **options: object) -> object:
    return read_assessment_files([(source, False)], "fuzz", **options)  # type: ignore[arg-type]


def _judged_elements(source: Content, **options: object) -> object:
    return read_assessment_files([(source, False)], "fuzz", structured=True, **options)  # type: ignore[arg-type]


def _quotes(source: Content, problems: ProblemHandler = raise_first) -> object:
    return read_quotes(source, problems)


def _refusing(read: Callable[[str], object], data: bytes, name: str = "fuzz") -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        with suppress(PrumEvalError):
            read(str(path))


def _index(data: bytes) -> None:
    def read(path: str) -> None:
        read_structure(path)
        read_structure(path, {"a1", "a2"})

    _refusing(read, data)


def _built(data: bytes, name: str = "fuzz") -> None:
    def build(path: str) -> None:
        build_index(path, f"{path}.index", BuildOptions(skip_broken=True), report=lambda _: None)

    _refusing(build, data, name)


def _documents(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "d.xml").write_bytes(data)
        with suppress(PrumEvalError):
            build_index(folder, f"{folder}.index", BuildOptions(skip_broken=True), report=lambda _: None)
        Path(f"{folder}.index").unlink(missing_ok=True)


def _stream(data: bytes) -> None:
    with suppress(InputError), open_input(Content("fuzz", data)) as stream:
        while stream.read(1 << 20):
            pass


def _kept(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, f"assessments-{'0' * 64}.pickle").write_bytes(data)
        AssessmentCache(Path(folder)).load("0" * 64, "fuzz", ["fuzz"])


@cache
def _compressed() -> list[bytes]:
    text = (FIXTURES / "toy" / "run").read_bytes()
    found = [compress(text) for compress in (gzip.compress, bz2.compress, lzma.compress)]
    with suppress(ImportError):
        import zstandard

        found.append(zstandard.compress(text))
    return found


@cache
def _archives() -> list[bytes]:
    found = []
    for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w", format=form) as archive:
            for name in ("a.xml", f"{'long' * 30}\u00e9.xml"):
                member = tarfile.TarInfo(name)
                member.size = 11
                archive.addfile(member, io.BytesIO(b"<a>text</a>"))
        found.append(made.getvalue())
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", method) as zipped:
            zipped.writestr("a.xml", "<a>text</a>")
            zipped.writestr("\u00e9.xml", "<a>text</a>" * 50)
        found.append(made.getvalue())
    return found


@cache
def _indexes() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        target = f"{folder}/index"
        build_index(str(FIXTURES / "demo" / "structure.tsv"), target, BuildOptions(), report=lambda _: None)
        with sqlite3.connect(target) as index:
            index.execute("VACUUM")
        index.close()
        return [Path(target).read_bytes()]


@cache
def _archived() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        from prum_eval.formats.assessments_cache import AssessmentCache as Kept

        for name in ("demo/assessments", "toy/qrels", "demo/judged.txt"):
            kept = read_assessments(str(FIXTURES / name))
            files = sorted({topic.path for topic in kept.topics.values()})
            Kept(Path(folder)).store(f"{len(name):064x}", kept, files)
        return [path.read_bytes() for path in sorted(Path(folder).iterdir())]


def _written(*texts: str) -> Callable[[], list[bytes]]:
    return lambda: [text.encode() for text in texts]


LINE_WORDS = NUMBERS + SIGNS + PATHS
TARGETS: dict[str, Target] = {
    "run-lines": Target(
        partial(_collecting, read_run),
        lambda: [*_files("toy/run", "demo/*.run", "worked/*/run*"), b"1 a 2\n1 b 1\n2 a 1\n"],
        LINE_WORDS,
    ),
    "run-jsonl": Target(_json_runs, lambda: [*_files("rag/*s.jsonl"), *JSON_RUNS], LINE_WORDS + JSON + JSON_KEYS),
    "qrels-lines": Target(
        partial(_collecting, _assessments),
        lambda: [*_files("toy/qrels", "demo/judged.txt"), b"query-id\tcorpus-id\tscore\n1\ta\t1\n2\tb\t0\n"],
        LINE_WORDS,
    ),
    "qrels-jsonl": Target(
        partial(_collecting, _assessments),
        lambda: [*_files("rag/gold.jsonl"), *JSON_GOLD],
        LINE_WORDS + JSON + JSON_KEYS,
    ),
    "elements": Target(
        partial(_collecting, _judged_elements),
        _written(
            "1 a /x 1\n1 b /x[1]/y[2] 0\n2 a /x 3\n",
            '{"topic": 1, "doc": "a", "path": "/x", "grade": 1}\n[{"qid": "1", "doc": "b", "path": "/y", "grade": 2}]',
        ),
        LINE_WORDS + JSON + [b'"path"', b'"grade"'],
    ),
    "quotes": Target(
        partial(_collecting, _quotes),
        lambda: [
            *_files("rag/quotes.tsv"),
            b'{"topic": "1", "doc": "a", "quote": "some words"}\n{"qid": 2, "quote": "x"}\n',
        ],
        LINE_WORDS + JSON + [b"quote", b'"quote"', b"topic\tquote"],
    ),
    "structure-text": Target(partial(_collecting, read_structure), lambda: _files("*/structure.tsv"), LINE_WORDS),
    "navigation": Target(
        partial(_collecting, read_navigation),
        _written("#c\na\tb#/x[1]/y[2]\t.5\n", "1\ta\tb\t0\n2\ta#/a[1]\tb\t1\n"),
        LINE_WORDS,
    ),
    "log": Target(
        partial(_collecting, read_log),
        _written(
            "#c\ns\t1\t1\ta#/x[1]/y[2]\ta@5:7\tb\tread=30\ns\t1\t2\tb\tstop=1\n",
            '{"session": "s", "topic": 1, "rank": 1, "result": "a", "viewed": ["b"], "read": 3, "stop": true}\n',
        ),
        LINE_WORDS + JSON + [b"read=", b"stop=1", b"@", b"#", b'"viewed"', b'"session"'],
    ),
    "groups": Target(partial(_refusing, read_groups), lambda: _files("rag/groups.tsv"), [*LINE_WORDS, b"\tall\n"]),
    "values": Target(
        partial(_refusing, read_scores),
        lambda: [*_files("compare/*"), b'{"runs": [{"run_id": "r", "topics": {"1": {"map": 0.5}}}]}'],
        LINE_WORDS + JSON,
    ),
    "gold": Target(
        partial(_refusing, read_gold),
        _written(
            '{"gold": 1, "version": "1", "signature": "s", "arguments": {"assessments": "a", "runs": ["r"]}, "inputs": '
            '{"a": "0"}, "parameters": {}, "runs": [{"run_id": "r", "path": "r", "topics": {"1": {"map": 0.5}}, '
            '"all": {"map": null}}]}'
        ),
        NUMBERS + SIGNS + JSON,
    ),
    "configuration": Target(
        partial(_refusing, read_configuration),
        lambda: [
            *_files("config/*"),
            b"TASK: $A\nA: CO\n",
            b"task = 'prum'\n[[measures]]\nmeasure = 'map'\nid = 'x'\n",
        ],
        NUMBERS + SIGNS + TOML + XML,
    ),
    "streams": Target(_stream, _compressed, SIGNS),
    "archives": Target(_built, _archives, SIGNS + NUMBERS),
    "index": Target(_index, _indexes, SIGNS),
    "index-rows": Target(hostile_indexes.read, lambda: hostile_indexes.SEEDS, hostile_indexes.WORDS),
    "schema": Target(schemas.read, schemas.seeds, schemas.WORDS),
    "cache": Target(_kept, _archived, SIGNS),
    "run-xml": Target(partial(_collecting, read_run), lambda: _files("demo/*.xml", "worked/*/*.xml"), LINE_WORDS + XML),
    "assessments-xml": Target(
        partial(_collecting, _assessments), lambda: _files("demo/assessments/*", "worked/*/*.xml"), LINE_WORDS + XML
    ),
    "structure-xml": Target(
        partial(_collecting, read_structure),
        _written(
            "<collection><document name='a' tag='x' length='9'><element tag='y' start='0' length='4'/>"
            "<link from='/x[1]' to='a'/></document></collection>"
        ),
        LINE_WORDS + XML,
    ),
    "documents": Target(_documents, lambda: _files("rag/documents/*", "demo/assessments/*", "demo/*.xml"), SIGNS + XML),
    "gold-check": Target(command_lines.read_gold_file, command_lines.gold_files, command_lines.GOLD_WORDS),
    "command-lines": Target(
        command_lines.read_call,
        lambda: ["\n".join(call.split()).encode() for call in command_lines.CALLS],
        [],
        command_lines.calls,
    ),
}


def seeds_of(name: str) -> Iterator[bytes]:
    """What mutations of a target begin with."""
    yield b""
    yield from TARGETS[name].seeds()
