"""Inputs that are something else than what was expected are called what they are."""

from __future__ import annotations

import pytest

from prum_eval.formats.format import FormatKind
from prum_eval.formats.registry import FORMATS, detect_kind, explain_unexpected_input
from tests.gold import ROOT, run

RUN, ASSESSMENTS, STRUCTURE = FormatKind.RUN, FormatKind.ASSESSMENTS, FormatKind.STRUCTURE
DEMO = ROOT / "fixtures" / "demo"
EDGE = ROOT / "fixtures" / "official"
COMMA = (1, "comma-separated; expected blanks or tabs")
HEADS = {
    b"1 0 moon 1\n2 0 tides 0\n": ASSESSMENTS,
    b"1\t0\tmoon\t-1": ASSESSMENTS,
    b"1 Q0 a 10 20 3 3:10": ASSESSMENTS,
    b"1 Q0 a 10 20 3 3:10 15:2 18:1": ASSESSMENTS,
    b"1 Q0 a 10 20 3": None,  # a run, if 20 is a score and 3 its name
    b"1 Q0 moon 1 4 5": None,
    b"1 Q0 moon 1 4 mine": RUN,
    b"1 Q0 moon 1 0.5 7": RUN,
    b"1 Q0 moon 1 -1e-3 7": RUN,
    b"1 Q0 moon 1 4 mine /article[1]": RUN,
    b"1 Q0 moon 1 4 5 /a[1] /a[1]/b[2]": RUN,
    b"1 Q0 moon 1 4 mine 0 300": RUN,
    b"# document, path, start, length\na\t/article[1]\t0\t300": STRUCTURE,
    b"a\t/article[1]\t0\t300": STRUCTURE,
    b'<?xml version="1.0"?>\n<inex-submission>': RUN,
    b"<assessments>": ASSESSMENTS,
    b"<collection>": STRUCTURE,
    b"<metrics>": None,
    b'{"topic": "1", "doc": "a", "spans": [[0, 5]]}': ASSESSMENTS,
    b'{"topic": "1", "doc": "a", "start": 0, "end": 5}': None,  # a result, or a span of gold
    b'{"topic": "1", "doc": "a", "start": 0, "end": 5, "run": "x"}': RUN,
    b'{"topic": "1", "doc": "a", "spans": [], "rank": 1}': None,
    b'[{"topic": "1", "doc": "a", "score": 0.5}]': RUN,
    b'{"topic": "1", "doc": "a"}': None,
    b'{"measure": "map", "run": 1}': None,
    b"1 2 3": None,
    b"query-id\tcorpus-id\tscore\n1\ta\t1": ASSESSMENTS,
    b'{"q1": {"moon": 1}}': None,
    b"words": None,
}


@pytest.mark.parametrize(
    ("head", "kind"), HEADS.items(), ids=lambda one: one.decode()[:30] if type(one) is bytes else ""
)
def test_what_a_file_certainly_is(head, kind):
    assert detect_kind(head) is kind


@pytest.mark.parametrize("head", [head for head, kind in HEADS.items() if kind is not None])
@pytest.mark.parametrize("wanted", [RUN, ASSESSMENTS])
def test_no_other_kind_of_format_recognises_it(head, wanted):
    recognised = [one.name for one in FORMATS.values() if one.kind is wanted and one.recognises(head)]
    assert not recognised or detect_kind(head) is wanted
    assert (explain_unexpected_input(wanted, head) is None) == (detect_kind(head) is wanted)


@pytest.mark.parametrize(
    ("wanted", "head", "said"),
    [
        (ASSESSMENTS, b"1 Q0 moon 1 0.5 mine", (None, "this is a run; assessments come first")),
        (RUN, b"1 0 moon 1", (None, "these are assessments; expected a run")),
        (STRUCTURE, b"1 0 moon 1", (None, "these are assessments; expected a structure")),
        (ASSESSMENTS, b"<collection>", (None, "this is a structure; expected assessments")),
        (RUN, b"1,Q0,moon,1,0.5,mine\n", COMMA),
        (RUN, b"qid,docno,score\n1,moon,1\n", COMMA),
        (ASSESSMENTS, b"1, 0,moon,1\n", COMMA),
        (ASSESSMENTS, b"a,b", None),
        (ASSESSMENTS, b'[["q1", "d1"]]', (1, "a JSON array of no objects; a line of a file is topic 0 document grade")),
        (ASSESSMENTS, b'{"topic": "1", "doc": "a"}', None),
        (ASSESSMENTS, b"[]", None),
        (FormatKind.NAVIGATION, b"1 0 moon 1", None),
    ],
)
def test_what_is_said(wanted, head, said):
    assert explain_unexpected_input(wanted, head) == said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("fixtures/toy/run fixtures/toy/qrels", "fixtures/toy/run: this is a run; assessments come first"),
        ("fixtures/toy/qrels fixtures/toy/qrels", "fixtures/toy/qrels: these are assessments; expected a run"),
        (f"{DEMO}/run-a.xml {DEMO}/assessments", f"{DEMO}/run-a.xml: this is a run; assessments come first"),
        (f"{DEMO}/judged.txt {DEMO}/judged.txt", f"{DEMO}/judged.txt: these are assessments; expected a run"),
        (f"{DEMO}/run-a.paths.run {DEMO}/judged.txt", f"{DEMO}/run-a.paths.run: this is a run; assessments come first"),
        (f"{DEMO}/structure.tsv fixtures/toy/run", f"{DEMO}/structure.tsv: this is a structure; expected assessments"),
    ],
)
def test_commands_say_it(arguments, said):
    output = run(f"eval {arguments}")
    assert (output.status, output.out, output.err) == (1, "", f"{said}\n")
    for command in ("compare", "power"):
        output = run(f"{command} {arguments} fixtures/toy/run")
        assert (output.status, output.out, output.err.splitlines()[-1]) == (1, "", said)


@pytest.mark.parametrize("name", ["qrels", "run"])
def test_comma_separated_files(name, tmp_path):
    text = (ROOT / "fixtures" / "toy" / name).read_text(encoding="utf-8").replace(" ", ",")
    (tmp_path / name).write_text(text, encoding="utf-8")
    given = {"qrels": "fixtures/toy/qrels", "run": "fixtures/toy/run", name: str(tmp_path / name)}
    output = run(f"eval {given['qrels']} {given['run']}")
    assert output.err == f"{given[name]}:1: comma-separated; expected blanks or tabs\n"


def test_an_array_of_objects_is_read(tmp_path):
    (tmp_path / "gold").write_text('[{"topic": "1", "doc": "a", "spans": [[0, 5]]}]', encoding="utf-8")
    (tmp_path / "run").write_text(
        '[\n{"topic": "1", "doc": "a", "start": 0, "end": 5, "score": 1, "run": "x"}]', encoding="utf-8"
    )
    assert run(f"eval -m char_rec_1 {tmp_path}/gold {tmp_path}/run").out.split()[-1] == "1.0000"


@pytest.mark.parametrize("file", [*(EDGE / "edge").glob("q*.txt"), EDGE / "toy" / "toy.qrels"])
def test_real_assessments_of_passages_are_no_runs(file):
    assert detect_kind(file.read_bytes().lstrip()) in (ASSESSMENTS, None)
