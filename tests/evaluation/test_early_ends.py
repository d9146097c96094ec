"""Lists of chunks that end before a cut-off or a budget: counts, notices, and what they may not decide."""

from __future__ import annotations

import csv
import io
import json

import pytest

from prum_eval import compare, evaluate, render
from prum_eval.evaluation.notices import summed

QUESTIONS = 20


def write(folder, name, chunks, questions=range(QUESTIONS), **more):
    """A run whose answer to each question is these chunks of (start, end)."""
    rows = [
        {"topic": f"q{q}", "doc": "d", "start": start, "end": end, **more}
        for q in questions
        for start, end in chunks(q)
    ]
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder / name


def gold(folder, spans=lambda q: [[0, 100 + q]]):
    rows = [{"topic": f"q{q}", "doc": "d", "doc_length": 50_000, "spans": spans(q)} for q in range(QUESTIONS)]
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder / "gold.jsonl"


def long_list(_):
    return [(1000 * rank, 1000 * rank + 1000) for rank in range(1, 10)] + [(0, 1000)]


@pytest.fixture
def lists(tmp_path):
    """Gold, a run of 10,000 characters, and one that finds everything in its 300, and ends there for all but two."""
    short = write(
        tmp_path, "short.jsonl", lambda q: [(0, 150), (40_000, 40_150), *([(41_000, 43_000)] if q < 2 else [])]
    )
    return gold(tmp_path), write(tmp_path, "long.jsonl", long_list), short


def test_counts_by_measure(lists):
    result = evaluate(*lists[:1], list(lists[1:]))
    data = {run["run_id"]: run["truncated"] for run in result.to_dict()["runs"]}
    assert set(data["long"]) == set(result.runs[0].all)
    assert set(data["long"].values()) == {0}
    assert data["short"]["char_rec_at_size_500"] == data["short"]["char_rec_at_size_2000"] == 18
    assert data["short"]["char_rec_at_size_4000"] == 20
    assert (data["short"]["char_rec_1"], data["short"]["char_rec_3"], data["short"]["hit_5"]) == (0, 18, 20)
    assert data["short"]["span_rr"] == data["short"]["num_q"] == 0


def test_the_notice_has_counts_and_the_mean_length(lists):
    result = evaluate(lists[0], lists[2], measures=["char_rec_at_size.4000", "char_rec.3"])
    assert [str(notice) for notice in result.warnings if "end before" in str(notice)] == [
        "18 of 20 lists of short end before 3 results (mean 2)",
        "20 of 20 lists of short end before 4,000 characters (mean 500)",
    ]
    result = evaluate(lists[0], lists[2], measures=["char_rec_at_size.100,500,8000"])
    assert "20 of 20 lists of short end before 8,000 characters (mean 500); 18 before 500" in summed(result.warnings)


def test_tokens(tmp_path):
    run = write(tmp_path, "run.jsonl", lambda q: [(0, 400)] * (1 + q % 2), tokens=60)
    result = evaluate(gold(tmp_path), run, measures=["char_rec_at_tokens.60,100"])
    assert result.runs[0].to_dict()["truncated"] == {"char_rec_at_tokens_60": 0, "char_rec_at_tokens_100": 10}
    assert "10 of 20 lists of run end before 100 tokens (mean 90)" in summed(result.warnings)
    result = evaluate(gold(tmp_path), run, measures=["char_rec_at_tokens.60"], limit=1, tokens=0.5)
    assert result.runs[0].to_dict()["truncated"] == {"char_rec_at_tokens_60": 0}


def test_a_question_without_a_result_has_no_list_that_ends_early(tmp_path):
    run = write(tmp_path, "run.jsonl", long_list, questions=range(12))
    result = evaluate(gold(tmp_path), run, measures=["char_rec_at_size.2000"])
    assert result.runs[0].to_dict()["truncated"] == {"char_rec_at_size_2000": 0}
    assert not result.runs[0].ends_early("char_rec_at_size_2000")


def test_curves_end_where_the_lists_end(lists):
    curves = evaluate(lists[0], lists[2], measures=["char_rec_at_size.2000", "char_rec.1,2,3"], curves=True).curves[0]
    points = {curve.name: curve for curve in curves}
    texts = [str(notice) for notice in evaluate(*lists[::2], measures="char_rec_at_size.2000", curves=True).warnings]
    assert "18 of 20 lists of short end before 2,000 characters (mean 500)" in texts  # nothing of points of curves
    assert max(x for x, _ in points["char_rec_at_size"].all) == 300
    assert max(x for x, _ in points["char_rec_at_size"].topics["q0"]) == 2000
    assert max(x for x, _ in points["char_rec_at_size"].topics["q9"]) == 300
    assert [x for x, _ in points["char_rec_K"].all] == [1, 2]


def test_other_assessments_have_no_such_lists():
    result = evaluate("fixtures/toy/qrels", "fixtures/toy/run", measures=["P.100"])
    assert "truncated" not in result.to_dict()["runs"][0]
    assert not any("end before" in str(notice) for notice in result.warnings)


def test_a_comparison_has_the_counts_too(lists):
    comparison = compare(lists[0], list(lists[1:]), measures=["char_rec_at_size.200,4000", "size.5"])
    counts = {(row.measure, row.run): row.truncated for row in comparison.run_means}
    assert counts["char_rec_at_size_4000", 1] == 20
    assert counts["char_rec_at_size_4000", 0] == counts["char_rec_at_size_200", 1] == 0
    assert all("truncated" in row for row in json.loads(render(comparison, "json"))["rows"])


@pytest.mark.parametrize("pairs", ["first", "best", "all"])
def test_cutting_the_best_run_reverses_no_verdict(tmp_path, pairs):
    """The answers are at rank 10; the run that was cut after five chunks is not worse, it was not asked."""
    judged = gold(tmp_path)
    best = write(tmp_path, "best.jsonl", long_list)
    cut = write(tmp_path, "cut.jsonl", lambda q: long_list(q)[:5])
    comparison = compare(judged, [best, cut], measures=["char_rec_at_size.4000,20000", "size.5"], pairs=pairs)
    matrix = comparison.matrix
    assert [matrix.ends_early("char_rec_at_size_20000", run) for run in (0, 1)] == [True, True]
    assert matrix.complete_runs("char_rec_at_size_4000") == [0, 1]
    comparison = compare(judged, [best, cut], measures=["char_rec_at_size.10000", "size.5"], pairs=pairs)
    assert comparison.matrix.complete_runs("char_rec_at_size_10000") == [0]
    assert comparison.base["char_rec_at_size_10000"] == 0


def test_a_tenth_of_the_lists_may_end_early(tmp_path):
    judged = gold(tmp_path)
    for few, marked in ((2, False), (3, True)):
        run = write(tmp_path, "few.jsonl", lambda q, few=few: long_list(q)[: 1 if q < few else 10])
        assert evaluate(judged, run).runs[0].ends_early("char_rec_at_size_2000") is marked


def test_counts_survive_a_file_of_values(lists, tmp_path):
    result = evaluate(lists[0], list(lists[1:]))
    (tmp_path / "values.json").write_text(render(result, "json"), encoding="utf-8")
    for values in (str(tmp_path / "values.json"), result):
        comparison = compare(values=values)
        assert comparison.matrix.complete_runs("char_rec_at_size_4000") == [0]
        assert comparison.matrix.complete_runs("char_rec_at_size_1000") == [0]


def test_questions_that_a_run_lacks_count_zero(tmp_path):
    """A retriever gains nothing by crashing on hard questions."""
    judged = gold(tmp_path, spans=lambda q: [[0, 1000]] if q < 18 else [[45_000, 46_000]])
    whole = write(tmp_path, "whole.jsonl", lambda _: [(0, 1000)])
    crashed = write(tmp_path, "crashed.jsonl", lambda _: [(0, 1000)], questions=range(18))
    result = evaluate(judged, [whole, crashed])
    assert [run.all["char_rec_5"] for run in result.runs] == [0.9, 0.9]
    assert f"{crashed}: 2 assessed topics have no results and count as empty lists" in summed(result.warnings)
    assert result.parameters["complete"] is True
    assert evaluate(judged, crashed, complete=False).runs[0].all["char_rec_5"] == 1
    comparison = compare(judged, [whole, crashed])
    assert len(comparison.matrix.topics) == 20
    assert {row.difference.mean for row in comparison.run_means if row.difference and row.measure == "char_rec_5"} == {
        0.0
    }
    comparison = compare(judged, [whole, crashed], common=True)
    assert len(comparison.matrix.topics) == 18
    assert evaluate("fixtures/toy/qrels", "fixtures/toy/run").parameters["complete"] is False


def test_a_list_that_ends_early_fails_nothing(tmp_path):
    from tests.gold import run

    judged = gold(tmp_path)
    best, cut = write(tmp_path, "best.jsonl", long_list), write(tmp_path, "cut.jsonl", lambda q: long_list(q)[:5])
    options = "compare --fail-if-worse --trials 500 -m char_rec_at_size_10000"
    output = run(f"{options} {judged} {best} {cut}")
    assert output.status == 0
    assert "there is no verdict: the lists of cut end early" in " ".join(output.out.split())
    wrong = write(tmp_path, "wrong.jsonl", lambda _: [(20_000, 31_000)])
    assert run(f"{options} {judged} {best} {wrong}").status == 1


def test_every_table_shows_the_mark_at_the_number(lists):
    result = evaluate(lists[0], list(lists[1:]), measures=["char_rec_at_size.4000", "size.3"])
    for style, mark in (("table", "1.0000‡"), ("markdown", "1.0000‡"), ("latex", "ddagger"), ("html", "1.0000‡")):
        text = render(result, style)
        assert mark in text
        assert "decides nothing" in text
    for style in ("csv", "trec", "json"):
        assert "‡" not in render(result, style)


def test_csv_of_a_comparison_counts_the_lists(lists):
    text = render(compare(lists[0], list(lists[1:]), trials=99, measures=["char_rec.3", "span_rr"]), "csv")
    rows = {(row["measure"], row["run"]): row["truncated"] for row in csv.DictReader(io.StringIO(text))}
    assert rows[("char_rec_3", "long")] == rows[("span_rr", "short")] == "0"
    assert rows[("char_rec_3", "short")] == "18"


def test_markdown_of_a_comparison_fits_into_a_pull_request(lists):
    text = render(compare(lists[0], list(lists[1:]), trials=99), "markdown")
    assert text.splitlines()[0].count("|") == 13
    assert text.splitlines()[-1].startswith("best at 500, 1,000, ")
    assert text.splitlines()[-3].startswith(
        "By char_rec_at_size_2000 there is no verdict: the lists of short end early"
    )


def test_a_page_shows_measures_at_cut_offs_and_budgets(lists, tmp_path):
    from tests.gold import run

    run(f"eval -f html -o {tmp_path}/page.html {lists[0]} {lists[1]} {lists[2]}")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    averages = page[page.index('id="averages"') : page.index('id="curves"')]
    for name in ("char_rec_1", "hit_10", "char_rec_at_size_500", "char_rec_at_size_8000"):
        assert name in averages.replace("<wbr>", "")


def test_budgets_of_what_is_read_count_what_is_read(lists):
    """A short list of 300 characters, or 2,300, is read for 40 more per result."""
    result = evaluate(lists[0], lists[2], measures=["gen_recall_at_read.370,2000"], user_model="coverage:beyond=40")
    data = result.to_dict()["runs"][0]["truncated"]
    assert data == {"gen_recall_at_read_370": 0, "gen_recall_at_read_2000": 18}
    assert [str(notice) for notice in result.warnings if "end before" in str(notice)] == [
        "18 of 20 lists of short end before 2,000 characters read (mean 584)"
    ]
