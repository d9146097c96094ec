"""Evaluations with an index give the same JSON, to the last digit, as with the structure it was built from."""

import json

import pytest

from bench.gen_inex import generate
from prum_eval.collection.index_build import BuildOptions, build_index
from tests.gold import run

LINKED = """\
<collection>
  <document id="a"><element tag="r" start="0" length="90">
    <element tag="s" start="0" length="40"/><element tag="s" start="40" length="50"/>
  </element>
  <link path="/r/s[1]" to="b" to-path="/r/s"/><link path="/r/s[1]" to="c"/><link path="/r" to="b"/>
  </document>
  <document id="b"><element tag="r" start="0" length="70"><element tag="s" start="10" length="20"/></element>
  <link path="/r/s" to="c" to-path="/r"/></document>
  <document id="c"><element tag="r" start="0" length="30"/><link path="/r" to="a"/></document>
</collection>
"""
QRELS = "t Q0 b 20 70 10 10:20\nt Q0 a 0 90\nt Q0 c 30 30 0 0:30\n"
RUN = "t Q0 a 1 3 me /r[1]/s[1]\nt Q0 c.xml 2 2 me /r[1]\nt Q0 a 3 1 me /R/S[2]\nt Q0 b 4 0 me /r[1]/s[1]\n"


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("work")
    generate(folder, "small")
    index(folder / "structure.tsv")
    index(folder / "docs")
    return folder


def index(source):
    build_index(str(source), f"{source}.index", BuildOptions(), report=print)


def outputs(structure, arguments):
    """What is printed with a structure and with its index, the name of the file aside."""
    return [run(f"{arguments.format(path)}") for path in (structure, f"{structure}.index")]


ELEMENTS = "{0}/assessments {0}/run1.thorough.paths.run {0}/run2.focused.offsets.run"
PASSAGES = "{0}/qrels.txt {0}/run1.focused.offsets.run {0}/run2.ric.paths.run"
CALLS = {
    "all": f"-m all {ELEMENTS}",
    "t2i": f"-m prum -m eprum -m gen_recall -u t2i:tolerance=100 {ELEMENTS}",
    "siblings": f"-m prum -m eprum -u siblings {ELEMENTS}",
    "relevant": f"-m prum -m eprum --targets relevant --quantisation strict {ELEMENTS}",
    "bep": f"-m eprum -m bepd --targets bep {ELEMENTS}",
    "passages": f"-m all {PASSAGES}",
    "passages of xml": f"-m eprum --targets passages -u logistic {ELEMENTS}",
    "focused task": "-t inex2009-focused {0}/assessments {0}/run1.focused.paths.run",
    "in context task": "-t inex2009-relevant-in-context {0}/assessments {0}/run1.ric.paths.run",
    "thorough task": "-t inex2005-thorough {0}/assessments {0}/run1.thorough.paths.run",
    "flat": "-m all {0}/qrels.trec {0}/run1.thorough.paths.run",
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_json(collection, call):
    arguments = "eval -q --format json --structure {} " + call.format(collection)
    plain, indexed = outputs(collection / "structure.tsv", arguments)
    assert plain.status == indexed.status == 0, plain.err
    assert plain.out.replace("structure.tsv", "structure.tsv.index") == indexed.out
    assert plain.err == indexed.err


def test_the_documents_give_what_their_structure_gives(collection):
    arguments = "eval -q -m all --format json --structure {} " + ELEMENTS.format(collection)
    plain, indexed = (run(arguments.format(collection / name)) for name in ("structure.tsv", "docs.index"))
    assert plain.status == 0
    assert plain.out.replace("structure.tsv", "docs.index") == indexed.out


@pytest.mark.parametrize("model", ["graph", "graph:damping=0.3"])
def test_links(tmp_path, model):
    for name, content in {"linked": LINKED, "qrels": QRELS, "run": RUN}.items():
        (tmp_path / name).write_text(content)
    index(tmp_path / "linked")
    arguments = f"eval -q -m prum -m eprum -u {model} --targets passages --format json -s {{}} "
    plain, indexed = outputs(tmp_path / "linked", arguments + f"{tmp_path}/qrels {tmp_path}/run")
    assert (plain.status, plain.err) == (0, indexed.err)
    assert json.loads(plain.out)["runs"][0]["all"]["eprum_map"] > 0
    assert plain.out.replace("/linked", "/linked.index") == indexed.out


def test_check(collection):
    arguments = "check --structure {} --assessments {}/assessments {}/run1.thorough.paths.run"
    plain, indexed = outputs(collection / "structure.tsv", arguments.format("{}", collection, collection))
    assert plain.status == indexed.status == 0
    assert plain.out.replace("structure.tsv", "structure.tsv.index") == indexed.out
    lost = collection / "lost.run"
    lost.write_text("289 Q0 1000 1 2 me /article[1]/none[1]\n289 Q0 nowhere 2 1 me /article[1]\n")
    plain, indexed = outputs(collection / "structure.tsv", f"check --structure {{}} {lost}")
    assert "line 1: /article[1]/none[1] of document 1000; line 2: document nowhere" in plain.out
    assert plain.out.replace("structure.tsv", "structure.tsv.index") == indexed.out
