"""Flat runs beside the programs that evaluate them too: trec_eval where it is given, the others where installed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from bench.commands import Case, Folders, ours, python, split_loop
from bench.trec_eval import LEVELS, VARIABLE, program

TITLE = "TREC runs"
PYTREC = """
import pytrec_eval
with open({qrels!r}) as qrels, open({run!r}) as run:
    judged, ranked = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
found = pytrec_eval.RelevanceEvaluator(judged, {measures!r}).evaluate(ranked)
for measure in next(iter(found.values())):
    pytrec_eval.compute_aggregated_measure(measure, [topic[measure] for topic in found.values()])
"""
IR_MEASURES = """
import ir_measures
judged, ranked = ir_measures.read_trec_qrels({qrels!r}), ir_measures.read_trec_run({run!r})
ir_measures.calc_aggregate([ir_measures.AP, ir_measures.P @ 10, ir_measures.nDCG], judged, ranked)
"""
RANX = """
from ranx import Qrels, Run, evaluate
evaluate(Qrels.from_file({qrels!r}, kind='trec'), Run.from_file({run!r}, kind='trec'), ['map', 'precision@10', 'ndcg'])
"""
READ = "from prum_eval import read_run; read_run({path!r})"
FLAT = "pytrec_eval, flat run"
MILLION = "split loop over a million lines"
ASKED = ("-m", "map", "-m", "P.10", "-m", "ndcg")
OURS = "map, P.10, ndcg, a million lines"
TREC_EVAL = "trec_eval, a million lines"
PYTREC_EVAL = "pytrec_eval, a million lines"
IR = "ir_measures, a million lines"
RANX_ROW = "ranx, a million lines"


def cases(folders: Folders) -> Iterator[Case]:
    """A small run, and one of a million lines."""
    files = {"qrels": str(folders.inex / "qrels.trec"), "run": str(folders.inex / "run1.doc.trec")}
    yield Case(FLAT, python(PYTREC.format(**files, measures={"map", "P", "recall", "ndcg_cut"})))
    yield Case("ir_measures, flat run", python(IR_MEASURES.format(**files)), FLAT)
    yield Case("classic, flat run", ours("eval", "-m", "classic", files["qrels"], files["run"]), FLAT)
    yield from _million(folders.flat)


def _million(folder: Path) -> Iterator[Case]:
    files = {"qrels": str(folder / "qrels"), "run": str(folder / "run")}
    yield Case(MILLION, split_loop(folder / "run"))
    yield Case("reading a million lines", python(READ.format(path=files["run"])), MILLION)
    beside, peer = PYTREC_EVAL, program()
    if peer is not None:
        beside = TREC_EVAL
        yield Case(TREC_EVAL, [str(peer), *ASKED, files["qrels"], files["run"]], MILLION)
        for level in LEVELS if Path(os.environ[VARIABLE]).is_dir() else ():
            other = [str(program(level=level)), *ASKED, files["qrels"], files["run"]]
            yield Case(f"trec_eval {level}, a million lines", other, TREC_EVAL)
    for name, package, code in (
        (PYTREC_EVAL, "pytrec_eval", PYTREC.format(**files, measures={"map", "P_10", "ndcg"})),
        (IR, "ir_measures", IR_MEASURES.format(**files)),
        (RANX_ROW, "ranx", RANX.format(**files)),
    ):
        if find_spec(package) is not None:
            yield Case(name, python(code), None if name == beside else beside)
    yield Case(OURS, ours("eval", *ASKED, files["qrels"], files["run"]), beside)
    parsed = ours("eval", "--no-cache", *ASKED, files["qrels"], files["run"])
    yield Case(f"{OURS}, qrels parsed", parsed, beside)
    yield Case("map, a million lines", ours("eval", "-m", "map", files["qrels"], files["run"]), MILLION)
    yield Case("classic, a million lines", ours("eval", "-m", "classic", files["qrels"], files["run"]), MILLION)
