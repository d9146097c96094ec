"""Gold for chunks, in JSON Lines: another user model and other measures where none is named."""

from __future__ import annotations

import json

import pytest

import prum_eval
from tests.gold import ROOT, run

C1 = "fixtures/worked/C1/qrels fixtures/worked/C1/run"
RAG = ROOT / "fixtures" / "rag"
LISTED = [
    "num_q", "char_rec_1", "char_rec_3", "char_rec_5", "char_rec_10", "char_prec_5", "char_iou_5", "hit_1", "hit_3",
    "hit_5", "hit_10", "answered_5", "span_rr", "size_5", "redundancy_5", "char_rec_at_size_500",
    "char_rec_at_size_1000",
    "char_rec_at_size_2000", "char_rec_at_size_4000", "char_rec_at_size_8000", "eprum_map", "gen_recall_5",
]  # fmt: skip


@pytest.fixture
def text(tmp_path):
    """The gold of the worked example as INEX text."""
    (tmp_path / "gold.txt").write_text("1 Q0 d 150 1000 -1 100:100 300:50\n")
    return tmp_path / "gold.txt"


def values(command):
    (one,) = json.loads(run(f"{command} -f json").out)["runs"]
    return one["all"]


def test_without_a_measure_gold_for_chunks_gets_the_task():
    assert list(values(f"eval {C1}")) == LISTED
    assert run(f"eval {C1}") == run(f"eval -t chunks {C1}")
    assert run(f"eval {C1}").out.startswith("runid                 \tall\tC1\nnum_q ")
    own = values(f"eval --set overlap=novel -u hierarchical {C1}")
    assert own["char_prec_5"] == 15 / 23
    assert own == values(f"eval -t chunks --set overlap=novel -u hierarchical {C1}")


def test_the_task_takes_text_too(text):
    wanted = values(f"eval {C1}")
    assert values(f"eval -t chunks {text} fixtures/worked/C1/run") == wanted
    assert "char_rec_1" not in values(f"eval {text} fixtures/worked/C1/run")


def test_the_same_gold_has_another_user_in_another_form_and_the_signature_says_which(text):
    command = "eval -m gen_recall_3 {} fixtures/worked/C1/run"
    lines, plain = run(command.format("fixtures/worked/C1/qrels")), run(command.format(text))
    assert "|user_model:coverage|" in lines.err
    assert "|user_model:hierarchical|" in plain.err
    assert lines.out == "gen_recall_3          \tall\t0.9500\n"
    assert plain.out == "gen_recall_3          \tall\t0.8667\n"
    assert run(f"{command} -u coverage".format(text)).out == lines.out
    gold = [json.loads(line) for line in (ROOT / "fixtures/worked/C1/qrels").read_text().splitlines()]
    found = prum_eval.evaluate(gold, ROOT / "fixtures/worked/C1/run", measures="gen_recall_3")
    assert found.runs[0].all == pytest.approx({"gen_recall_3": 0.95})


def test_best_entry_points_keep_their_user(tmp_path):
    gold = {"topic": "1", "doc": "d", "doc_length": 1000, "spans": [[100, 200]], "bep": 100}
    (tmp_path / "gold").write_text(json.dumps(gold))
    for task in ("", "-t chunks"):
        said = run(f"eval {task} --targets bep {tmp_path}/gold fixtures/worked/C1/run").err
        assert "|targets:bep|user_model:bep-distance|" in said
    assert "|user_model:coverage|" in run(f"eval -u coverage --targets bep {tmp_path}/gold fixtures/worked/C1/run").err


def test_kept_assessments_keep_their_defaults(tmp_path, monkeypatch):
    monkeypatch.setenv("PRUM_EVAL_CACHE", str(tmp_path / "cache"))
    spans = [[place, place + 1] for place in range(0, 900, 9)]
    lines = [{"topic": str(n), "doc": "d", "doc_length": 1000, "spans": spans} for n in range(600)]
    (tmp_path / "gold").write_text("\n".join(map(json.dumps, lines)))
    first, second = (run(f"eval {tmp_path}/gold fixtures/worked/C1/run") for _ in range(2))
    assert first == second
    assert "|user_model:coverage|" in second.err
    assert any((tmp_path / "cache").iterdir())


def test_what_cannot_be_computed_of_the_default_is_left_out(tmp_path):
    (tmp_path / "run").write_text("1 Q0 d 1 9 r\n1 Q0 e 2 8 r\n")
    output = run(f"eval fixtures/worked/C1/qrels {tmp_path}/run")
    assert output.status == 0
    assert "gen_recall_5" in output.out
    assert "char_rec_1" not in output.out
    assert "where document 'e' is retrieved is not known in characters" in output.err
    assert run(f"eval -t chunks fixtures/worked/C1/qrels {tmp_path}/run").status == 1


def test_explain_without_a_measure_is_about_chunks_too():
    output = json.loads(run(f"explain --topic 1 -f json {C1}").out)
    names = [one["name"] for one in output["measures"]]
    assert names == [
        "char_rec_3", "char_prec_3", "char_iou_3", "hit_3", "answered_3", "span_rr", "size_3", "redundancy_3",
        "eprum_map", "gen_recall_3",
    ]  # fmt: skip
    assert output["user_model"] == "coverage"


def test_a_rank_that_reaches_nothing_shows_what_it_costs():
    lines = run(
        f"explain --topic bicycle -m char_prec_4 -m size_4 {RAG}/gold.jsonl {RAG}/windows.jsonl"
    ).out.splitlines()
    third = lines.index("    3  lost 0+240")
    assert lines[third : third + 3] == [
        "    3  lost 0+240",
        "       gain 0 of 240 characters, overlap 0",
        "       adds char_prec_4 -0.0354  size_4      +240.0000",
    ]


@pytest.mark.parametrize(("beyond", "status"), [("3", 0), ("0.5", 2), ("-1", 2), ("1e400", 2)])
def test_beyond_is_a_whole_number(beyond, status):
    output = run(f"eval -u coverage:beyond={beyond} {C1}")
    assert output.status == status
    assert status == 0 or output.err == f"prum-eval: beyond={beyond}: beyond is a whole number from 0 up\n"
