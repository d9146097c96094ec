"""Names of measures that people know, on relevant spans; messages that count topics once, and name ignored keys."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prum_eval import UsageError, compare, evaluate
from prum_eval.evaluation.notices import summed

GOLD, RUNS = "fixtures/rag/gold.jsonl", ["fixtures/rag/windows.jsonl", "fixtures/rag/paragraphs.jsonl"]


@pytest.mark.parametrize(
    ("familiar", "ours"),
    [("MRR", "span_rr"), ("hit_rate@5", "hit_5"), ("iou@3", "char_iou_3"), ("chars@10", "size_10"), ("mrr", "span_rr")],
)
def test_familiar_names(familiar, ours):
    assert evaluate(GOLD, RUNS, measures=familiar).runs[0].all == evaluate(GOLD, RUNS, measures=ours).runs[0].all
    assert evaluate(GOLD, RUNS, measures=["char_prec_5", familiar]).ranked_by == "char_prec_5"
    assert evaluate(GOLD, RUNS, measures=[familiar, "char_prec_5"]).ranked_by == ours


def test_of_documents_they_mean_what_they_meant():
    result = evaluate("fixtures/toy/qrels", "fixtures/toy/run", measures="MRR,recall@5")
    assert set(result.runs[0].all) == {"recip_rank", "recall_5"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "recall@5",
            (
                "recall@5: ambiguous for relevant spans: use char_rec@5 (share of the characters that answer) "
                "or span_recall@5 (share of the spans)"
            ),
        ),
        (
            "P@3",
            "P@3: ambiguous for relevant spans: use char_prec@3 (share of the characters read that answer)",
        ),
        (
            "precision",
            "precision: ambiguous for relevant spans: use char_prec (share of the characters read that answer)",
        ),
    ],
)
def test_two_meanings_are_refused(name, message):
    with pytest.raises(UsageError) as caught:
        evaluate(GOLD, RUNS, measures=name)
    assert str(caught.value) == message


def test_a_budget_of_chars():
    one, two = (compare(GOLD, RUNS, at=at, trials=99) for at in ("chars=500", "size=500"))
    assert one.at == two.at == "char_rec_at_size_500"


def test_the_same_columns_for_tokens():
    """At least three budgets of tokens, and what five chunks cost in tokens."""
    comparison = compare(GOLD, RUNS, at="tokens=300", tokens=0.25, trials=99)
    names = [name for name in comparison.matrix.measures if "tokens" in name]
    assert set(names) == {"tokens_5", *(f"char_rec_at_tokens_{budget}" for budget in (125, 250, 300, 500, 1000, 2000))}
    assert comparison.measure_ranking.headline == "char_rec_at_tokens_300"
    assert compare(GOLD, RUNS, tokens=0.25, trials=99).measure_ranking.headline == "char_rec_at_tokens_500"
    assert compare(GOLD, RUNS, trials=99).measure_ranking.headline == "char_rec_at_size_2000"


def test_the_first_measure_ranks_the_runs():
    for first, second in (("char_prec_5", "size_5"), ("size_5", "hit_3")):
        comparison = compare(GOLD, RUNS, measures=[first, second, "char_rec_at_size_2000"], trials=99)
        assert comparison.measure_ranking.headline == first
        assert comparison.verdict.startswith(f"By {first}")
        assert comparison.ranked(second).verdict.startswith(f"By {second}")
    with pytest.raises(UsageError, match="no measure hit_9 to sort by"):
        comparison.ranked("hit_9")


def test_ignored_keys_of_gold_are_named(tmp_path):
    lines = Path(GOLD).read_text(encoding="utf-8").splitlines()
    rows = [{**json.loads(line), "grade": 2, "relevance": 1} for line in lines]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    result = evaluate(tmp_path / "gold.jsonl", RUNS)
    assert f"{tmp_path}/gold.jsonl: ignored keys: 'grade', 'relevance'" in summed(result.warnings)


def test_counts_are_of_topics(tmp_path):
    rows = "".join(json.dumps({"topic": "other", "doc": "lost", "start": 0, "end": 9}) + "\n" for _ in range(2))
    runs = []
    for number, path in enumerate(RUNS * 2):
        text = Path(path).read_text(encoding="utf-8").replace('"run": "', f'"run": "{number}')
        run = text.rstrip().rpartition('"run": "')[2].split('"')[0]
        (tmp_path / f"{number}.jsonl").write_text(
            text + rows.replace("}", f', "run": "{run}", "score": 1}}'), encoding="utf-8"
        )
        runs.append(tmp_path / f"{number}.jsonl")
    assert "1 topic without assessments, in 4 runs; -v lists them" in summed(evaluate(GOLD, runs).warnings)
