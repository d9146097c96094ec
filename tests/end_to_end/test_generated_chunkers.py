"""Verdicts on generated chunkers whose best is known at each budget.

Every chunker cuts the same text into chunks of one size, from the beginning, and retrieves those of each question in an
order in which the chunk with the answer is at a known rank. So what a list finds within a budget follows from sizes and
ranks alone: with the answer at rank r of chunks of size s, the answer is read once r s characters are.
"""

from __future__ import annotations

import json

import pytest

from prum_eval import compare, render
from prum_eval.report.layout import Layout

QUESTIONS, TEXT = 40, 100_000
RANKS = {"small": (100, 4), "middle": (500, 2), "large": (3000, 1)}
"""By chunker, the size of its chunks and the rank of the answer: read in full from 400, 1000 and 3000 characters."""


def write(folder, name, rows):
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(folder / name)


def answer(question):
    """The answer: the last 50 characters before a multiple of every size of chunks."""
    end = 3000 * (1 + question % 30)
    return end - 50, end


def chunks(size, rank, question, length=20):
    """The chunks of a list: that with the answer at its rank, others elsewhere."""
    start = answer(question)[1] - size
    others = [(start + size * (2 + place)) % (TEXT - size) // size * size for place in range(length)]
    places = [place for place in others if not place - size < start < place + size]
    return [*places[: rank - 1], start, *places[rank - 1 :]][:length]


@pytest.fixture
def corpus(tmp_path):
    gold = [{"topic": f"q{q}", "doc": "d", "doc_length": TEXT, "spans": [list(answer(q))]} for q in range(QUESTIONS)]
    runs = {
        name: write(
            tmp_path,
            f"{name}.jsonl",
            (
                {"topic": f"q{q}", "doc": "d", "start": start, "end": start + size, "tokens": size // 4}
                for q in range(QUESTIONS)
                # one question in eight is easy for nobody: values vary, as those of the tests have to
                for start in chunks(size, rank if q % 8 else 60, q, length=90 if size == 100 else 20)
            ),
        )
        for name, (size, rank) in RANKS.items()
    }
    return tmp_path, write(tmp_path, "gold.jsonl", gold), runs


@pytest.mark.parametrize(
    ("at", "best"),
    [
        ("size=400", "small"),  # of the middle one 400 of 1,000 characters are read, of the large one less
        ("size=450", "small"),
        ("tokens=100", "small"),
        ("size=990", "small"),
        ("tokens=125", "small"),
    ],
)
def test_the_best_at_a_budget(corpus, at, best):
    _, gold, runs = corpus
    comparison = compare(gold, list(runs.values()), at=at, trials=2000)
    sentence = comparison.verdict.split("\n")[0]
    others = [name for name in RANKS if name != best]
    assert sentence.startswith(f"By {comparison.at}, {best} is best: ")
    assert all(name in sentence.partition("is best: ")[2] for name in others)
    assert "significantly worse" in sentence
    assert "no significant difference" not in sentence


def test_every_budget_in_one_line(corpus):
    """Alone at 400; both from 1,000 on, where middle has read its second chunk; all from 3,000 on."""
    _, gold, runs = corpus
    measures = ["char_rec_at_size.400,1000,3000", "size.5"]
    verdict = compare(gold, list(runs.values()), measures=measures, pairs="best", trials=2000).verdict
    assert verdict.split("\n")[-1] == (
        "best at 400: small; 1,000: small or middle (no significant difference); 3,000: small, middle or large (no "
        "significant difference)"
    )


def test_cutting_the_best_run_does_not_reverse_the_verdict(corpus):
    """Five chunks of 100 characters: what was best within 1,000 characters is not worse, but undecided."""
    folder, gold, runs = corpus
    with_rank_7 = {"size": 100, "rank": 7}
    rows = [
        {"topic": f"q{q}", "doc": "d", "start": start, "end": start + 100}
        for q in range(QUESTIONS)
        for start in chunks(*with_rank_7.values(), q)
    ]
    whole = write(folder, "whole.jsonl", rows)
    cut = write(folder, "cut.jsonl", [row for place, row in enumerate(rows) if place % 20 < 5])
    large = runs["large"]
    options = {"at": "size=1000", "measures": ["size.5"], "trials": 2000}
    before = compare(gold, [whole, large], **options)
    assert before.verdict.startswith("By char_rec_at_size_1000, whole is best: large is significantly worse")
    after = compare(gold, [cut, large], **options)
    assert after.verdict.startswith("By char_rec_at_size_1000 there is no verdict: the lists of cut end early")
    assert not after.significantly_worse
    for style in ("table", "markdown", "html", "latex"):
        text = render(after, style, Layout(format=style))
        assert "\N{DOUBLE DAGGER}" in text or "ddagger" in text
    table = render(after, "table", Layout())
    assert "*" not in table.split("\n\n")[0]
    notices = [str(notice) for notice in after.warnings]
    assert "40 of 40 lists of cut end before 1,000 characters (mean 500)" in notices


def test_a_run_that_is_cut_decides_nothing_among_others(corpus):
    folder, gold, runs = corpus
    cut = write(
        folder,
        "cut.jsonl",
        ({"topic": f"q{q}", "doc": "d", "start": 90_000, "end": 90_100} for q in range(QUESTIONS)),
    )
    comparison = compare(gold, [*runs.values(), cut], at="size=400", pairs="first", baseline="small", trials=2000)
    assert "not compared: cut, whose lists end early." in comparison.verdict
    worse = {comparison.matrix.runs[row.run] for row in comparison.significantly_worse if row.measure == comparison.at}
    assert worse == {"middle", "large"}
    measures = ["char_rec_at_size.100,400", "size.5"]
    verdict = compare(gold, [*runs.values(), cut], measures=measures, pairs="best", trials=2000).verdict
    assert verdict.endswith("400: small (of the 3 runs whose lists reach it)")
