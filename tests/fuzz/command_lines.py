"""Calls of the command line: options drawn for calls that are right without them, and gold files that are checked.

A call is written as bytes: its arguments, one per line. It runs in this process, in a folder with small inputs of each
kind. It may end with status 0, 1 or 2, and leaves the inputs as they were.
"""

from __future__ import annotations

import contextlib
import io
import os
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from unittest import mock

import click
from hypothesis import strategies as st

from prum_eval.cli.commands import commands
from prum_eval.cli.main import run
from tests.gold import ROOT

FIXTURES = ROOT / "fixtures"

CALLS = [
    "eval qrels run run2",
    "eval -s structure.tsv assessments run-a.xml run-b.xml",
    "eval -q -f table gold.jsonl windows.jsonl paragraphs.jsonl",
    "eval --config c.toml",
    "compare --trials 20 qrels run run2",
    "compare --trials 20 --values systems.csv",
    "explain --topic 1 qrels run",
    "explain --topic 101 -s structure.tsv assessments run-a.xml",
    "measures map",
    "gold check g.json",
    "gold write new.json qrels run run2",
    "check --assessments qrels run",
    "check --assessments assessments --structure structure.tsv run-a.xml",
    "init . -o -",
    "init assessments",
    "index structure.tsv -o new.index",
    "index pages -o new.index",
    "index --info i.index",
    "convert run-a.xml --to run-trec --lossy",
    "convert gold.jsonl --to qrels-jsonl",
    "spans quotes.tsv documents --ambiguous all --lossy",
    "cache",
    "simulate assessments -s structure.tsv -o new --copies 2 --change noise:n=2",
    "simulate assessments -s structure.tsv -o new -u t2i --log new.log --sessions 2",
    "sweep -s structure.tsv assessments run-a.xml run-b.xml -u t2i -m eprum_map --vary tolerance=10,100",
    "power --trials 20 --values systems.csv",
    "fit assessments log.tsv -u t2i -s structure.tsv --trials 5",
    "correlate --trials 20 --values systems.csv",
]
"""Calls that options are added to."""
NAMES = ["", " ", "x", "all", "-", "\x1b[31m", "\udcff", "a b", "=", "map", "toy", "a" * 300, "'", "%s", "{0}"]
_WORDS = """
NUMBER 0 1 2 3 7 -1 0.5 .05 1e-300 1e300 1e999 nan inf 2147483648 9223372036854775808 1_0 +1 \u0661 x
MEASURE map P.5,10 all official ndcg_cut.0 P.-1 P.x eprum prum_map char_rec recall_at_tokens.500 nxcg:alpha=2
MEASURE map:x=1 map,P gen_recall.1,5 bepd:A=0 magp maip.0.5 iP.2 num_q t2i_gP grp:quantisation=strict
MEASURE map:quantisation=exh_gen recip_rank
--task trec chunks prum inex2009-focused inex2005-thorough inex2006-best-in-context x
--set n=5 beta=0 alpha=1 x=1 tolerance=nan overlap=novel quantisation=strict = n n=
--user-model none hierarchical coverage t2i t2i:tolerance=0 bep-distance:A=1 logistic siblings graph t2i:x=1 x:y
--targets ideal relevant bep passages x
--quantisation gen strict exh_gen genlifted x 1,0
--topics 1 101 1-2 2-1 101,x topics.txt systems.csv 99999999999999999999-9 ,
--baseline toy run run2 system-01 x
--run toy a x
--topic 1 2 101 x
--to run-trec run-paths run-jsonl run-xml structure-text qrels-jsonl x
--vary tolerance=1,2 user_model=none,t2i quantisation=gen,strict noise.n=1,3 x=1 tolerance= =
--change noise:n=2 shuffle keep:n=3 drop:n=1 x jitter noise:place=top siblings ancestors reverse articles
--from ideal relevant perfect bep passages run-a.xml run x
--threshold map>=0.3 map x<1 0.5 100
--sizes 2 2,4 1 8 0 x
--join map P x
--by map topic x
--cluster tcp://127.0.0.1:1 x http://h:1
--directory . new assessments x
--output-dir . new assessments run new/a/b
--curves . new assessments run
--glob * [ *.xml / **/x
--namespace a=b a =b
--elements //p //@id //namespace::* ( //x:y . / 1
--without //p //@id ( . /
--links //@href //@id //a ( . /
--encoding utf-8 idna latin-1 x
--exclude run qrels excluded x
FEW 0 1 2 -1 x 1.5
"""


def _values_by_name() -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for line in _WORDS.strip().splitlines():
        name, *words = line.split()
        values.setdefault(name, []).extend(words)
    measures, few = ("--measure", "--at", "--sort", "--reference"), ("--jobs", "--trials", "--copies", "--sessions")
    return values | dict.fromkeys(measures, values["MEASURE"]) | dict.fromkeys(few, values["FEW"])


VALUES: Mapping[str, list[str]] = _values_by_name()
"""Values of options whose type does not say them; few for those that multiply the work."""
SLOW = ["correlate", "compare", "power", "fit"]
"""Commands with many trials unless the call says fewer: `--trials` stays."""


@cache
def small_inputs() -> Mapping[str, bytes]:
    """Inputs of each kind, by path."""
    parts = {
        "": ["toy/qrels", "toy/run", "demo/structure.tsv", "demo/run-a.xml", "demo/run-b.xml", "compare/systems.csv"],
        "assessments": ["demo/assessments/*"],
        "documents": ["rag/documents/*"],
        "pages": ["pages/index.html", "pages/stars/*"],
        "./": ["rag/gold.jsonl", "rag/windows.jsonl", "rag/paragraphs.jsonl", "rag/quotes.tsv", "rag/groups.tsv"],
    }
    files = {
        os.path.normpath(f"{folder}/{path.name}").lstrip("/"): path.read_bytes()
        for folder, patterns in parts.items()
        for pattern in patterns
        for path in FIXTURES.glob(pattern)
        if path.is_file()
    }
    files["run2"] = files["run"].replace(b"0.9", b"0.1").replace(b"toy", b"other")
    files["log.tsv"] = b"".join((FIXTURES / "fit" / "log.tsv").read_bytes().splitlines(keepends=True)[:40])
    files["navigation"] = b"a1\ta2\t.5\n"
    files["topics.txt"], files["excluded"] = b"1\n101\n", b"1\ttides\n"
    files["c.toml"] = b'assessments = "qrels"\nruns = ["run", "run2"]\n[[measures]]\nmeasure = "map"\n'
    with _folder(files) as folder:
        for call in ("gold write g.json -m map qrels run run2", "index structure.tsv -o i.index"):
            assert _status(call.split())[0] == 0, call
        files |= {name: Path(folder, name).read_bytes() for name in ("g.json", "i.index")}
    return files


@contextlib.contextmanager
def _folder(files: Mapping[str, bytes]) -> Iterator[str]:
    """A folder with these files, in which this process is, with nothing on standard input."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, content in files.items():
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        environment = {"PRUM_EVAL_CACHE": f"{folder}.cache/off", "COLUMNS": "100"}
        with (
            mock.patch.dict(os.environ, environment),
            mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO())),
        ):
            yield folder


def _status(arguments: list[str]) -> tuple[int, str]:
    """Status and standard error of a call."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run(arguments)
    return status, err.getvalue()


def _refuse_connection(_socket: socket.socket, address: object) -> None:
    raise AssertionError(f"a connection to {address}")


def call_status(arguments: list[str], files: Mapping[str, bytes]) -> int:
    """Status of a call in a folder with these files; it must be none of an error of prum-eval, and keep the files."""
    with _folder(files):
        status, messages = _status(arguments)
        assert status in (0, 1, 2), messages
        assert "Traceback" not in messages, messages
        for name, content in files.items():
            assert Path(name).is_file(), f"{name} is gone"
            assert Path(name).read_bytes() == content, f"{name} is changed"
    return status


def read_call(data: bytes) -> None:
    """Run a call: one argument per line."""
    text = data.decode(errors="surrogateescape").replace("\0", "")
    arguments = text.split("\n") if text else []
    call_status(arguments, small_inputs())


def read_gold_file(data: bytes) -> None:
    """Check a gold file: it connects to nothing, changes nothing."""
    with mock.patch.object(socket.socket, "connect", _refuse_connection):
        call_status(["gold", "check", "g.json"], {**small_inputs(), "g.json": data})


def gold_files() -> list[bytes]:
    """Gold files, with keys that a gold file must not have."""
    gold = small_inputs()["g.json"]
    keys = ['"cluster": "tcp://127.0.0.1:9"', '"jobs": 2', '"cache": true', '"config": "c.toml"', '"topics": ["1"]']
    return [gold, *(gold.replace(b'"arguments": {', f'"arguments": {{{key}, '.encode()) for key in keys)]


_KEYS = """
"cluster": "local"|"jobs": 9|"output": "run"|"output_dir": "."|"structure": "structure.tsv"|"limit": 1|"task": "trec"
"assessments": "assessments"|"measures": ["P.5"]|"user_model": "t2i"|"navigation": "navigation"|"quantisation": "x"
"runs": ["run2"]|"config": "c.toml"|"topics": "1"|"thresholds": ["map >= 0.1"]
"""
_WORDS_OF_GOLD = 'null true "../../etc/passwd" "/dev/zero" "." "-" -1 0.5 1e999 [] {} "run" "map" 1'
GOLD_WORDS = [f"{key}, ".encode() for line in _KEYS.split("\n") for key in line.split("|")]
GOLD_WORDS += [word.encode() for word in _WORDS_OF_GOLD.split()]


def _options(command: click.Command) -> list[click.Option]:
    return [parameter for parameter in command.params if isinstance(parameter, click.Option)]


def _values(option: click.Option, inputs: list[str]) -> st.SearchStrategy[str]:
    """Values of an option of a call with these inputs."""
    name = option.opts[-1]
    paths = st.sampled_from([*inputs, *small_inputs(), "x", ".", "assessments", "documents"])
    if name in VALUES:
        return st.sampled_from([*VALUES[name], *NAMES])
    if isinstance(option.type, click.Choice):
        return st.sampled_from([*option.type.choices, "x"])
    if type(option.type).__name__ in ("OutputPath", "Picture"):
        inside = [f"{path}/topic-101.xml" for path in inputs] + [f"./{path}" for path in inputs]
        return st.sampled_from([*inputs, *inside, "new", "new.svg", "new/x.svg", "-", "none/../run", ""])
    if isinstance(option.type, click.Path):
        return paths
    if isinstance(option.type, click.types.StringParamType):
        return st.sampled_from(NAMES) | paths
    return st.sampled_from(VALUES["NUMBER"])


def _command(call: list[str]) -> click.Command:
    """The command of a call."""
    context, command = click.Context(commands), commands.get_command(click.Context(commands), call[0])
    assert command is not None
    if isinstance(command, click.Group):
        command = command.get_command(context, call[1])
        assert command is not None
    return command


@st.composite
def calls(draw: st.DrawFn) -> bytes:
    """A call of `CALLS` with some options."""
    arguments = draw(st.sampled_from(CALLS)).split()
    command, inputs = _command(arguments), [part for part in arguments if part in small_inputs()]
    slow = arguments[0] in SLOW
    options = [option for option in _options(command) if not (slow and option.opts[-1] == "--trials")]
    for option in draw(st.lists(st.sampled_from(options), max_size=5)) if options else ():
        arguments.append(option.opts[-1])
        if not option.is_flag:
            arguments.append(draw(_values(option, inputs)))
    if draw(st.integers(0, 9)) == 0:
        arguments.insert(draw(st.integers(0, len(arguments))), draw(st.sampled_from([*NAMES, *inputs, "-h"])))
    return "\n".join(part.replace("\n", " ") for part in arguments).encode(errors="surrogateescape")
