"""What is measured: floors in bare Python, peers, and our own commands."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SPLIT = "for line in open({path!r}, 'rb'): line.split()"
EXPAT = """
import os
from xml.parsers import expat
given = {path!r}
walked = os.walk(given) if os.path.isdir(given) else [('', [], [given])]
found = (os.path.join(folder, name) for folder, _, names in walked for name in names)
for name in sorted(name for name in found if name.endswith(('.xml', '.page')) and not os.path.islink(name)):
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: None
    with open(name, 'rb') as file:
        parser.ParseFile(file)
"""
LXML = """
import os
from lxml import etree
given = {path!r}
walked = os.walk(given) if os.path.isdir(given) else [('', [], [given])]
found = (os.path.join(folder, name) for folder, _, names in walked for name in names)
for name in sorted(name for name in found if name.endswith({endings!r}) and not os.path.islink(name)):
    etree.parse(name, etree.{parser}(huge_tree=True))
"""
PYTREC = """
import pytrec_eval
with open({qrels!r}) as qrels, open({run!r}) as run:
    judged, ranked = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
pytrec_eval.RelevanceEvaluator(judged, {{'map', 'P', 'recall', 'ndcg_cut'}}).evaluate(ranked)
"""
IR_MEASURES = """
import ir_measures
judged, ranked = ir_measures.read_trec_qrels({qrels!r}), ir_measures.read_trec_run({run!r})
ir_measures.calc_aggregate([ir_measures.AP, ir_measures.P @ 10, ir_measures.nDCG @ 10], judged, ranked)
"""
READ = "from prum_eval import read_run; read_run({path!r})"
SIMULATE = """
import tempfile
from prum_eval import simulate
made = simulate({judged!r}, {source!r}, structure={structure!r}, changes='move', vary='move.m=0:.9:.1')
with tempfile.TemporaryDirectory() as folder:
    made.write(folder)
"""
READ_STRUCTURE = "from prum_eval import read_structure; read_structure({path!r})"

JSON = """
import json
for line in open({path!r}, 'rb'): json.loads(line)
"""
RUN = "split loop over the run"
STRUCTURE = "split loop over the structure"
ASSESSMENTS = "expat pass over the assessments"
FLAT = "pytrec_eval, flat run"
OBJECTS = "json.loads loop over the chunks"
SETS = "sets of characters of the chunks"
MILLION = "split loop over a million lines"
HELP = Path("/usr/share/help")
HTML = Path("/usr/share/doc/python3/html")
CLICK = "import click"
NUMPY = "import numpy, click"
WARM = "prum+eprum+gen_recall, strong run, index, cache"
COLD = "prum+eprum+gen_recall, strong run, index"
THREE = ("-u", "hierarchical", "-m", "prum", "-m", "eprum", "-m", "gen_recall")


@dataclass(frozen=True)
class Case:
    """A command with a name; `against` names the case that its time is divided by."""

    name: str
    command: list[str]
    against: str | None = None


@dataclass(frozen=True)
class Folders:
    """Generated work: of INEX 2006's size, a flat run of a million lines, XML documents, 236,000 chunks."""

    inex: Path
    flat: Path
    documents: Path
    chunks: Path


def cases(folders: Folders) -> Iterator[Case]:
    """Everything that is measured."""
    yield from _start()
    yield from _flat(folders)
    yield from _index(folders)
    yield from _xml(folders)
    yield from _navigation(folders.inex)
    yield from _families(folders.inex)
    yield from _campaigns(folders.inex)
    yield from _chunks(folders.chunks)


def python(code: str) -> list[str]:
    """A call of bare Python."""
    return [sys.executable, "-c", code]


def ours(*arguments: str | Path) -> list[str]:
    """A call of the command line."""
    return [sys.executable, "-m", "prum_eval", *map(str, arguments)]


def _lxml(path: Path) -> str:
    return LXML.format(path=str(path), endings=(".xml", ".page"), parser="XMLParser")


def _start() -> Iterator[Case]:
    yield Case("bare Python", python("pass"))
    yield Case(CLICK, python("import click"))
    yield Case(NUMPY, python("import numpy, click"))
    yield Case("help", ours("--help"), CLICK)
    yield Case("tiny evaluation", ours("eval", "-m", "map", "fixtures/toy/qrels", "fixtures/toy/run"), NUMPY)


def _flat(folders: Folders) -> Iterator[Case]:
    files = {"qrels": str(folders.inex / "qrels.trec"), "run": str(folders.inex / "run1.doc.trec")}
    yield Case(FLAT, python(PYTREC.format(**files)))
    yield Case("ir_measures, flat run", python(IR_MEASURES.format(**files)), FLAT)
    yield Case("classic, flat run", ours("eval", "-m", "classic", files["qrels"], files["run"]), FLAT)
    files = {"qrels": str(folders.flat / "qrels"), "run": str(folders.flat / "run")}
    yield Case(MILLION, python(SPLIT.format(path=files["run"])))
    yield Case("reading a million lines", python(READ.format(path=files["run"])), MILLION)
    yield Case("pytrec_eval, a million lines", python(PYTREC.format(**files)), MILLION)
    yield Case("ir_measures, a million lines", python(IR_MEASURES.format(**files)), MILLION)
    for measure in ("map", "classic"):
        command = ours("eval", "--no-cache", "-m", measure, files["qrels"], files["run"])
        yield Case(f"{measure}, a million lines", command, MILLION)


def _index(folders: Folders) -> Iterator[Case]:
    structure, target = folders.inex / "structure.tsv", folders.inex / "structure.index"
    yield Case(STRUCTURE, python(SPLIT.format(path=str(structure))))
    yield Case("index of the structure", ours("index", structure, "-o", target), STRUCTURE)
    sources = {"documents": folders.documents / "docs"}
    if any(HELP.glob("*/gnome-help")):  # Debian's gnome-user-docs: 13,203 small pages
        sources["GNOME help"] = HELP
    for name, source in sources.items():
        floor = f"expat pass over the {name}"
        yield Case(floor, python(EXPAT.format(path=str(source))))
        yield Case(f"lxml pass over the {name}", python(_lxml(source)), floor)
        yield Case(f"index of the {name}", ours("index", source, "-o", folders.documents / "index"), floor)
    if HTML.exists():  # Debian's python3-doc: 531 pages
        floor = "lxml pass over Python's documentation"
        parsed = LXML.format(path=str(HTML.resolve()), endings=(".html",), parser="HTMLParser")
        yield Case(floor, python(parsed))
        yield Case("index of Python's documentation", ours("index", HTML, "-o", folders.documents / "index"), floor)


def _xml(folders: Folders) -> Iterator[Case]:
    for name, path, code in (
        ("run in XML", folders.inex / "run3.thorough.xml", READ),
        ("structure in XML", folders.documents / "structure.xml", READ_STRUCTURE),
    ):
        floor = f"expat pass over the {name}"
        yield Case(floor, python(EXPAT.format(path=str(path))))
        yield Case(f"lxml pass over the {name}", python(_lxml(path)), floor)
        yield Case(f"reading the {name}", python(code.format(path=str(path))), floor)


def _navigation(folder: Path) -> Iterator[Case]:
    structure, index, judged = folder / "structure.tsv", folder / "structure.index", folder / "assessments"
    weak, strong = (folder / f"run{number}.thorough.paths.run" for number in (1, 3))
    yield Case(RUN, python(SPLIT.format(path=str(weak))))
    yield Case(ASSESSMENTS, python(EXPAT.format(path=str(judged))))
    yield Case("lxml pass over the assessments", python(_lxml(judged)), ASSESSMENTS)
    yield Case("prum+eprum, weak run", ours("eval", "-s", structure, *THREE[:6], judged, weak), STRUCTURE)
    yield Case("prum+eprum, strong run", ours("eval", "-s", structure, *THREE[:6], judged, strong), STRUCTURE)
    warm = "prum+eprum+gen_recall, weak run, index, cache"
    yield Case(warm, ours("eval", "-s", index, *THREE, judged, weak), RUN)
    yield Case(WARM, ours("eval", "-s", index, *THREE, judged, strong), RUN)
    yield Case(COLD, ours("eval", "--no-cache", "-s", index, *THREE, judged, strong), RUN)
    many = ours("eval", "-s", index, "--targets", "relevant", *THREE[:6], judged, strong)
    yield Case("prum+eprum, strong run, index, relevant targets", many, RUN)


def _families(folder: Path) -> Iterator[Case]:
    structure, judged = folder / "structure.tsv", folder / "assessments"
    strong = folder / "run3.thorough.paths.run"
    for name in ("classic", "grp", "ng", "xcg", "bepd"):
        yield Case(f"{name}, strong run", ours("eval", "-s", structure, "-m", name, judged, strong), STRUCTURE)
    for source in ("ideal", "relevant"):
        code = SIMULATE.format(judged=str(judged), source=source, structure=str(structure))
        yield Case(f"ten simulated runs, {source}", python(code), STRUCTURE)
    task = "inex2006-best-in-context"
    yield Case(task, ours("eval", "-s", structure, "-t", task, judged, strong), STRUCTURE)


def _campaigns(folder: Path) -> Iterator[Case]:
    passages = folder / "qrels.txt"
    runs = {kind: folder / f"run3.{kind}.offsets.run" for kind in ("focused", "thorough", "ric", "bic")}
    for kind, run in runs.items():
        yield Case(f"split loop, {kind}", python(SPLIT.format(path=str(run))))
    yield Case("eprum on passages", ours("eval", "-m", "eprum", passages, runs["focused"]), "split loop, focused")
    for task, kind in (
        ("inex2009-focused", "focused"),
        ("inex2009-thorough", "thorough"),
        ("inex2009-relevant-in-context", "ric"),
        ("inex2009-best-in-context", "bic"),
        ("inex2010-relevant-in-context", "ric"),
    ):
        yield Case(task, ours("eval", "-t", task, passages, runs[kind]), f"split loop, {kind}")


def _chunks(folder: Path) -> Iterator[Case]:
    """The task of chunks, beside the measures over whole lists that could be asked before it was there."""
    files = folder / "gold.jsonl", folder / "run.jsonl"
    yield Case(OBJECTS, python(JSON.format(path=str(files[1]))))
    asked = ("-m", "text_sets", "-m", "sizes", "-m", "gen_recall.5", "-m", "eprum_map", "--set", "overlap=novel")
    yield Case(SETS, ours("eval", *asked, *files), OBJECTS)
    yield Case("task chunks", ours("eval", "-t", "chunks", *files), SETS)
    yield Case("task chunks, with tokens", ours("eval", "-t", "chunks", "-m", "chunk_budgets", *files), SETS)
