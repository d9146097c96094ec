"""Measures of chunks on every kind of assessments and results, and what they refuse."""

from __future__ import annotations

import json

import pytest

import prum_eval
from tests.gold import ROOT, run

DEMO = ROOT / "fixtures" / "demo"
TEXT, XML, STRUCTURE = DEMO / "judged.txt", DEMO / "assessments", DEMO / "structure.tsv"
ALL = ["chunk_text", "chunk_spans", "size", "redundancy", "char_rec_at_size", "char_prec_5:overlap=novel"]
C1 = ROOT / "fixtures" / "worked" / "C1"


def topics(assessments, results, measures=ALL, **options):
    return prum_eval.evaluate(assessments, results, measures=measures, **options).runs[0].topics


def written(folder, gold, results):
    """Gold and a run as files, and their names for the command line."""
    (folder / "gold").write_text(gold)
    (folder / "run").write_text(results)
    return f"{folder}/gold {folder}/run"


@pytest.mark.parametrize("results", ["run-a.paths.run", "run-a.offsets.run", "run-a.xml"])
def test_the_same_from_text_and_xml_from_elements_and_offsets(results):
    wanted = topics(TEXT, DEMO / "run-a.offsets.run")
    assert topics(XML, DEMO / results, structure=STRUCTURE) == wanted
    assert topics(TEXT, DEMO / results, structure=STRUCTURE) == wanted
    assert wanted["101"]["char_rec_5"] > 0


def test_the_same_from_json_lines(tmp_path):
    for source, form in ((TEXT, "qrels-jsonl"), (DEMO / "run-a.offsets.run", "run-jsonl")):
        (tmp_path / form).write_text(prum_eval.convert(source, form, lossy=True).text)
    assert topics(tmp_path / "qrels-jsonl", tmp_path / "run-jsonl") == topics(TEXT, DEMO / "run-a.offsets.run")


def test_a_document_is_all_of_its_text_where_its_length_is_known(tmp_path):
    """Topic 1 has no span in b, and topic 2 alone tells the length of c."""
    gold = "1 Q0 a 5 30 0 0:5\n1 Q0 b 0 20\n2 Q0 c 2 10 0 0:2\n"
    written(tmp_path, gold, "1 Q0 b 1 9 r\n1 Q0 c.xml 2 8 r\n1 Q0 a 3 7 r\n")
    own = topics(tmp_path / "gold", tmp_path / "run", ["size.1,2,3", "char_prec_3", "span_rr"])["1"]
    assert own == {"size_1": 20, "size_2": 30, "size_3": 60, "char_prec_3": 5 / 60, "span_rr": 1 / 3}
    with_structure = topics(TEXT, {"102": {"tides": 3.0, "windmills": 2.0}}, ["size.1,2"], structure=STRUCTURE)
    assert with_structure == {"102": {"size_1": 1743, "size_2": 1743 + 1003}}


def test_a_document_of_unknown_length_is_an_error(tmp_path):
    files = written(tmp_path, "1 Q0 a 5 30 0 0:5\n", "1 Q0 a 1 9 r\n1 Q0 x 2 8 r\n")
    output = run(f"eval -m size_1 {files}")
    assert (output.status, output.out) == (1, "")
    assert output.err == (
        f"{tmp_path}/run:2: where document 'x' is retrieved is not known in characters; passage measures need offset "
        "and length, or element paths and a structure\n"
    )


def test_what_points_to_nothing_keeps_its_rank_and_costs_nothing(tmp_path):
    written(tmp_path, "1 Q0 a 5 30 0 0:5\n", "1 Q0 a 1 9 r X X\n1 Q0 a 2 8 r 3 0\n1 Q0 a 3 7 r 0 10\n")
    own = topics(tmp_path / "gold", tmp_path / "run", ["size.1,2,3", "char_prec.2,3", "hit.2,3", "span_rr"])["1"]
    assert own == {
        "char_prec_2": 0, "char_prec_3": 0.5, "hit_2": 0, "hit_3": 1, "span_rr": 1 / 3,
        "size_1": 0, "size_2": 0, "size_3": 10,
    }  # fmt: skip


def test_a_limit_comes_first_and_a_missing_topic_is_an_empty_list(tmp_path):
    written(tmp_path, "1 Q0 a 5 30 0 0:5\n2 Q0 a 5 30 0 0:5\n", "1 Q0 a 1 9 r 0 4\n1 Q0 a 2 8 r 4 4\n")
    measures = ["char_rec_5", "size_5", "redundancy_5", "char_rec_at_size_500", "char_iou_5", "span_rr", "answered_5"]
    found = prum_eval.evaluate(tmp_path / "gold", tmp_path / "run", measures=measures, limit=1, complete=True)
    assert found.runs[0].topics["1"] == {
        "char_rec_5": 0.8, "char_iou_5": 0.8, "answered_5": 0, "span_rr": 1, "size_5": 4, "redundancy_5": 0,
        "char_rec_at_size_500": 0.8,
    }  # fmt: skip
    assert set(found.runs[0].topics["2"].values()) == {0}
    assert found.runs[0].all["size_5"] == 2


def test_overlapping_spans_are_one_and_touching_ones_two(tmp_path):
    written(tmp_path, "1 Q0 a 20 90 0 0:10 5:10 15:5 40:0\n", "1 Q0 a 1 9 r 15 5\n")
    own = topics(tmp_path / "gold", tmp_path / "run", ["span_recall_1", "char_rec_1"])["1"]
    assert own == {"char_rec_1": 0.25, "span_recall_1": 0.5}
    said = run(f"eval -m hit_1 {tmp_path}/gold {tmp_path}/run").err.splitlines()
    wanted = f"prum-eval: warning: {tmp_path}/gold: 1 span overlaps another one and is merged in measures of chunks"
    assert said[0] == wanted
    files = written(tmp_path, "1 Q0 a 20 90 0 0:10 5:10 8:9\n", "1 Q0 a 1 9 r 15 5\n")
    wanted = f"prum-eval: warning: {tmp_path}/gold: 2 spans overlap others and are merged in measures of chunks"
    assert run(f"eval -m hit_1 {files}").err.splitlines()[0] == wanted
    assert "overlap others" not in run(f"eval -m gen_recall_1 {files}").err


def test_spans_without_length_are_counted_in_a_warning(tmp_path):
    files = written(tmp_path, "1 Q0 a 5 30 0 0:5 9:0\n2 Q0 a 0 30 0 9:0\n", "1 Q0 a 1 9 r 5 6\n2 Q0 a 1 9 r 0 9\n")
    output = run(f"eval --quiet -q -m hit_1 -m size_1 {files}")
    assert output.out == (
        "hit_1                 \t1\t0.0000\nsize_1                \t1\t6.0000\n"
        "hit_1                 \t2\tnan\nsize_1                \t2\tnan\n"
        "hit_1                 \tall\t0.0000\nsize_1                \tall\t6.0000\n"
    )
    said = run(f"eval -m hit_1 {files}").err.splitlines()
    assert f"prum-eval: warning: {tmp_path}/gold: 2 spans of length 0, which count in no measure of chunks" in said


def test_assessments_that_highlight_nothing_are_an_error(tmp_path):
    output = run(f"eval -m char_rec_5 {ROOT}/fixtures/toy/qrels {ROOT}/fixtures/toy/run")
    assert output.status == 1
    assert output.err == (
        f"prum-eval: char_rec_K needs assessments that count relevant characters; {ROOT}/fixtures/toy/qrels judges "
        "documents\n"
    )
    text = (XML / "topic-102.xml").read_text().splitlines(keepends=True)
    (tmp_path / "bare.xml").write_text("".join(line for line in text if "<passage" not in line))
    output = run(f"eval -m hit -s {STRUCTURE} {tmp_path}/bare.xml {DEMO}/run-a.xml")
    assert output.status == 1
    assert output.err == f"prum-eval: hit needs highlighted passages; {tmp_path}/bare.xml has none\n"


def test_measures_of_tokens_need_those_of_every_result(tmp_path):
    lines = (C1 / "run").read_text().splitlines()
    second = json.loads(lines[1])
    del second["tokens"]
    (tmp_path / "run").write_text("\n".join([lines[0], json.dumps(second), lines[2]]))
    for name in ("tokens_1", "char_rec_at_tokens_40"):
        output = run(f"eval -m {name} {C1}/qrels {tmp_path}/run")
        assert (output.status, output.out) == (1, "")
        said = "the result has no 'tokens', which measures of tokens need of every result; try --tokens-per-char"
        assert output.err == f"{tmp_path}/run:2: {said}\n"
    assert run(f"eval -M 1 -m tokens_1 {C1}/qrels {tmp_path}/run").out == "tokens_1              \tall\t25.0000\n"
    everything = run(f"eval -m all {C1}/qrels {tmp_path}/run")
    assert "size_1 " in everything.out
    assert "tokens" not in everything.out
    assert (
        f"prum-eval: warning: {tmp_path}/run:2: {said}; left out: tokens, char_rec_at_tokens, answered_at_tokens\n"
    ) in everything.err


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("char_prec_2:overlap=reject", "has results that overlap; --set overlap=count takes them"),
        ("char_prec", "has results that overlap; --set overlap=novel takes them"),
        ("magp", "has results that overlap; --merge document takes them"),
    ],
)
def test_a_refusal_of_overlapping_results_says_what_takes_them(measure, said):
    output = run(f"eval -m {measure} {C1}/qrels {C1}/run")
    assert (output.status, output.out) == (1, "")
    assert output.err == f"{C1}/run:2: document 'd' of topic '1', retrieved on line 1, {said}\n"


def test_budgets_are_whole_numbers_from_1():
    output = run(f"eval -m char_rec_at_size.0 {C1}/qrels {C1}/run")
    assert output.status == 2
    said = "a budget of char_rec_at_size is a whole number from 1 to 2147483647"
    assert output.err == f"prum-eval: char_rec_at_size.0: {said}\n"


def test_help_of_a_name_tells_of_both_measures():
    text = run("measures char_prec").out
    assert "char_prec: share of retrieved characters that are relevant" in text
    assert "Prints: char_prec_1 char_prec_3 char_prec_5 char_prec_10" in text
    assert "size_K " in run("measures").out
    assert "char_rec_at_size_N" in run("measures").out


def test_the_worked_example_to_the_last_digit():
    values = topics(C1 / "qrels", C1 / "run", ["char_prec_3", "char_iou_3", "redundancy_3", "char_rec_at_tokens_40"])
    assert values["1"] == pytest.approx(
        {"char_prec_3": 15 / 26, "char_iou_3": 15 / 26, "redundancy_3": 3 / 26, "char_rec_at_tokens_40": 8 / 15},
        rel=0,
        abs=1e-15,
    )


def test_what_counts_in_xml_are_the_passages_and_the_extents_of_elements(tmp_path):
    """The sizes that the assessments tell of elements have no part in it."""
    judged = (
        '<assessments pool="1" topic="1" version="1"><file collection="c" name="d">\n'
        '<passage start="/a[1]/s[1]" end="/a[1]/s[1]" size="7"/>\n'
        '<element path="/a[1]" exhaustivity="2" size="99" rsize="60"/>\n'
        '<element path="/a[1]/s[1]" exhaustivity="2" size="9" rsize="1"/>\n</file></assessments>\n'
    )
    (tmp_path / "gold.xml").write_text(judged)
    (tmp_path / "s.tsv").write_text("d\t/a[1]\t0\t100\nd\t/a[1]/s[1]\t0\t40\nd\t/a[1]/s[2]\t40\t60\ne\t/a[1]\t0\t7\n")
    (tmp_path / "run").write_text("1 Q0 e 1 9 r /a[1]\n1 Q0 d 2 8 r /a[1]/s[2]\n1 Q0 d 3 7 r /a[1]\n")
    measures = ["char_rec.2,3", "char_prec_3", "size.1,3", "span_rr", "redundancy_3", "char_rec_at_size.100"]
    assert topics(tmp_path / "gold.xml", tmp_path / "run", measures, structure=tmp_path / "s.tsv")["1"] == {
        "char_rec_2": 0, "char_rec_3": 1, "char_prec_3": 40 / 167, "span_rr": 1 / 3, "size_1": 7, "size_3": 167,
        "redundancy_3": pytest.approx(60 / 167), "char_rec_at_size_100": 33 / 40,
    }  # fmt: skip


def test_one_span_without_length_is_said_in_the_singular(tmp_path):
    files = written(tmp_path, "1 Q0 a 5 30 0 0:5 9:0\n", "1 Q0 a 1 9 r 5 6\n")
    wanted = f"prum-eval: warning: {tmp_path}/gold: 1 span of length 0, which counts in no measure of chunks"
    assert wanted in run(f"eval -m answered_1 {files}").err.splitlines()
    assert "of length 0" not in run(f"eval -m gen_recall_1 {files}").err


def test_precision_omega_is_that_of_its_source_if_the_list_holds_every_chunk(tmp_path):
    """Their example by hand: all chunks of ten characters, a span in two of them. A notice names the condition."""
    (tmp_path / "gold.jsonl").write_text('{"topic": "1", "doc": "d", "doc_length": 50, "spans": [[5, 12]]}\n')
    chunks = [{"topic": "1", "doc": "d", "start": at, "end": at + 10, "run": "r"} for at in range(0, 50, 10)]
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(chunk) + "\n" for chunk in reversed(chunks)))
    command = f"eval -f json -m char_prec_omega {tmp_path}/gold.jsonl {tmp_path}/run.jsonl"
    output = run(command)
    assert json.loads(output.out)["runs"][0]["all"] == {"char_prec_omega": 7 / 20}
    source = "precision-omega of Smith and Troynikov"
    notice = f"char_prec_omega is {source} only if every list holds all chunks of the corpus"
    assert output.err.splitlines()[0] == f"prum-eval: warning: {notice}"
    assert "precision-omega" not in run(command.replace("char_prec_omega", "char_prec_5")).err
