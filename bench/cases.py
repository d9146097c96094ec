"""What is measured: floors in bare Python, peers, and our own commands."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

SPLIT = "for line in open({path!r}, 'rb'): line.split()"
EXPAT = """
import glob
from xml.parsers import expat
for name in sorted(glob.glob({path!r})):
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: None
    with open(name, 'rb') as file:
        parser.ParseFile(file)
"""
PYTREC = """
import pytrec_eval
with open({qrels!r}) as qrels, open({run!r}) as run:
    judged, ranked = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
pytrec_eval.RelevanceEvaluator(judged, {{'map', 'P', 'recall', 'ndcg_cut'}}).evaluate(ranked)
"""


RUN = "split loop over the run"
STRUCTURE = "split loop over the structure"
DOCUMENTS = "expat pass over the documents"
PEER = "pytrec_eval, flat run"
CLICK = "import click"
NUMPY = "import numpy, click"


@dataclass(frozen=True)
class Case:
    """A command with a name; `against` names the case that its time is divided by."""

    name: str
    command: list[str]
    against: str | None = None


def cases(folder: Path) -> list[Case]:
    """Everything that is measured on one generated folder."""
    weak, strong = (str(folder / f"run{number}.thorough.paths.run") for number in (1, 3))
    flat, qrels = str(folder / "run1.doc.trec"), str(folder / "qrels.trec")
    structure, judged = str(folder / "structure.tsv"), str(folder / "assessments")
    index = str(folder / "structure.index")
    offsets, passages = str(folder / "run3.focused.offsets.run"), str(folder / "qrels.txt")

    def python(code: str) -> list[str]:
        return [sys.executable, "-c", code]

    def ours(*arguments: str) -> list[str]:
        return [sys.executable, "-m", "prum_eval", *arguments]

    navigation = ("-s", structure, "-u", "hierarchical", "-m", "prum", "-m", "eprum")

    def campaign(task: str, kind: str) -> Case:
        run = str(folder / f"run3.{kind}.offsets.run")
        return Case(task, ours("eval", "-t", task, passages, run), RUN)

    def family(name: str) -> Case:
        command = ours("eval", "-s", structure, "-m", name, judged, strong)
        return Case(f"{name}, strong run", command, STRUCTURE)

    documents = []
    if (folder / "docs").is_dir():
        documents = [
            Case(DOCUMENTS, python(EXPAT.format(path=f"{folder}/docs/*.xml"))),
            Case(
                "index of the documents", ours("index", str(folder / "docs"), "-o", f"{folder}/docs.index"), DOCUMENTS
            ),
        ]
    return [
        *documents,
        Case("bare Python", python("pass")),
        Case(RUN, python(SPLIT.format(path=weak))),
        Case(STRUCTURE, python(SPLIT.format(path=structure))),
        Case("expat pass over the assessments", python(EXPAT.format(path=f"{judged}/*.xml"))),
        Case(PEER, python(PYTREC.format(qrels=qrels, run=flat))),
        Case(CLICK, python("import click")),
        Case(NUMPY, python("import numpy, click")),
        Case("help", ours("--help"), CLICK),
        Case("tiny evaluation", ours("eval", "-m", "map", "fixtures/toy/qrels", "fixtures/toy/run"), NUMPY),
        Case("classic, flat run", ours("eval", "-m", "classic", qrels, flat), PEER),
        Case("index of the structure", ours("index", structure, "-o", index), STRUCTURE),
        Case("prum+eprum, weak run", ours("eval", *navigation, judged, weak), STRUCTURE),
        Case("prum+eprum, strong run", ours("eval", *navigation, judged, strong), STRUCTURE),
        Case("prum+eprum, weak run, index", ours("eval", "-s", index, *navigation[2:], judged, weak), RUN),
        Case("prum+eprum, strong run, index", ours("eval", "-s", index, *navigation[2:], judged, strong), RUN),
        Case("prum+eprum, relevant targets",
             ours("eval", *navigation, "--targets", "relevant", judged, strong), STRUCTURE),
        Case("eprum on passages, strong run", ours("eval", "-m", "eprum", passages, offsets), RUN),
        *map(family, ("classic", "grp", "ng", "xcg", "bepd")),
        Case("inex2006-best-in-context",
             ours("eval", "-s", structure, "-t", "inex2006-best-in-context", judged, strong), STRUCTURE),
        campaign("inex2009-focused", "focused"),
        campaign("inex2009-thorough", "thorough"),
        campaign("inex2009-relevant-in-context", "ric"),
        campaign("inex2009-best-in-context", "bic"),
        campaign("inex2010-relevant-in-context", "ric"),
    ]  # fmt: skip
