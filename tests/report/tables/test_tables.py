"""Tables for papers and terminals: what is best, what differs, rows and columns turned, many runs in 80 columns."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prum_eval import Layout, compare, evaluate, render
from prum_eval.analysis.verdict import significant_runs
from prum_eval.evaluation.results import Evaluation, RunResult
from prum_eval.report.grid import NO_CELL, Grid, TableCell
from prum_eval.report.ranking import best_indices, best_runs, join_letters, rank_runs, run_letters
from prum_eval.report.tables import evaluation_grid
from prum_eval.report.text_comparison import comparison_table
from tests.gold import run

TOPICS = [str(number) for number in range(24)]
STEP = {"alpha": 0.0, "beta_2": 0.25, "gamma": 0.01}


def evaluation(means=STEP, names=("num_ret", "map", "P_5")):
    """Runs whose values lie so far above a common pattern; by num_ret all are equal."""
    noise = [(-1) ** topic * (topic // 2 % 3) / 40 for topic in range(24)]
    runs = []
    for place, (name, above) in enumerate(means.items()):
        moved = noise[place * 2 % 24 :] + noise[: place * 2 % 24]
        topics = {
            topic: {"num_ret": 10, "map": 0.3 + above + moved[number], "P_5": 0.5 - above + moved[number]}
            for number, topic in enumerate(TOPICS)
        }
        mean = {"num_ret": 240, "map": 0.3 + above, "P_5": 0.5 - above}
        own = {topic: {key: values[key] for key in names} for topic, values in topics.items()}
        runs.append(RunResult(name, f"runs/{name}", own, {key: mean[key] for key in names}))
    return Evaluation("1", "signature", {}, runs, names=names)


def marked(baseline="alpha"):
    found = evaluation()
    return found, Layout(marks=compare(values=found, baseline=baseline, trials=2000))


def test_latex():
    found, layout = marked()
    assert render(found, "latex", layout) == (
        "% in the preamble: \\usepackage{booktabs}; table* in place of table spans both columns of a page\n"
        "\\begin{table}\n"
        "\\centering\n"
        "\\caption{Averages over 24 topics, the best in bold. $^{*}$~differs from alpha: paired randomisation test, "
        "two-sided (2,000 trials, seed 1), p corrected by Holm for 2 comparisons of each measure, below 0.05.}\n"
        "\\label{tab:evaluation}\n"
        "\\begin{tabular}{lrrr}\n"
        "\\toprule\n"
        "run & num\\_ret & map & P\\_5 \\\\\n"
        "\\midrule\n"
        "alpha & 240 & 0.3000 & \\textbf{0.5000} \\\\\n"
        "beta\\_2 & 240 & \\textbf{0.5500}\\rlap{$^{*}$} & 0.2500\\rlap{$^{*}$} \\\\\n"
        "gamma & 240 & 0.3100 & 0.4900 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\end{table}\n"
    )


def test_transposed():
    found, layout = marked("beta_2")
    text = render(found, "latex", Layout(marks=layout.marks, transpose=True, digits=2))
    assert "measure & alpha & beta\\_2 & gamma \\\\\n" in text
    assert "map & 0.30\\rlap{$^{*}$} & \\textbf{0.55} & 0.31\\rlap{$^{*}$} \\\\\n" in text
    assert render(found, "table", Layout(transpose=True, digits=2)) == (
        "run       num_ret    map    P_5\n"
        "------  ---------  -----  -----\n"
        "alpha         240   0.30   0.50\n"
        "beta_2        240   0.55   0.25\n"
        "gamma         240   0.31   0.49\n"
    )


def test_markdown():
    found, layout = marked()
    assert render(found, "markdown", layout) == (
        "| run    |   num_ret |          map |        P_5 |\n"
        "|--------|-----------|--------------|------------|\n"
        "| alpha  |       240 |       0.3000 | **0.5000** |\n"
        "| beta_2 |       240 | **0.5500**\\* |   0.2500\\* |\n"
        "| gamma  |       240 |       0.3100 |     0.4900 |\n"
        "\n"
        "\\* differs from alpha: paired randomisation test, two-sided (2,000 trials, seed 1), p corrected by Holm for "
        "2 comparisons of each measure, below 0.05.\n"
    )


def test_a_terminal_shows_the_best_in_bold_and_what_differs():
    found, layout = marked()
    text = render(found, "table", Layout(marks=layout.marks, bold=True))
    assert text.splitlines()[:5] == [
        "measure      alpha    beta_2    gamma",
        "---------  -------  --------  -------",
        "num_ret        240      240       240",
        "map         0.3000   \x1b[1m0.5500*\x1b[0m   0.3100",
        "P_5         \x1b[1m0.5000\x1b[0m   0.2500*   0.4900",
    ]
    assert text.replace("\x1b[1m", "").replace("\x1b[0m", "") == render(found, "table", layout)


def test_a_p_value_of_just_alpha_is_not_marked():
    values = {name: {str(t): {"map": 0.25 * place} for t in range(8)} for place, name in enumerate("ab")}
    p = 2 / 2**8  # of the randomisation test: all eight topics differ by the same amount
    for alpha, places in ((p, set()), (p * 1.01, {1})):
        comparison = compare(values=values, alpha=alpha, trials=100)
        assert significant_runs(comparison) == {"map": places}
        text = comparison_table(comparison, Layout())
        assert ("0.0078*" in text) is (alpha > p)
        assert (": a is significantly worse" in text) is (alpha > p)


def test_sorted():
    found = evaluation()
    rows = [line.split()[0] for line in render(found, "table", Layout(sort="map", transpose=True)).splitlines()[2:]]
    assert rows == ["beta_2", "gamma", "alpha"]
    rows = [line.split()[0] for line in render(found, "latex", Layout(sort="P_5")).splitlines()[9:12]]
    assert rows == ["alpha", "gamma", "beta\\_2"]
    assert rank_runs(found) == [1, 2, 0]


def test_the_best_by_the_direction_of_the_measure():
    runs = [
        RunResult(name, "", {}, {"size_5": size, "map": 0.1 + 0.2, "num_ret": 3})
        for name, size in (("a", 9), ("b", 8), ("c", None))
    ]
    runs[1] = RunResult("b", "", {}, {"size_5": 8, "map": 0.3, "num_ret": 4})
    found = best_runs(Evaluation("1", "", {}, runs, names=["num_ret", "map", "size_5"]))
    assert found == {"map": {0, 1, 2}, "size_5": {1}}
    assert best_indices([None, 1.0], 1) == frozenset()
    assert best_indices([], 1) == frozenset()


def test_equal_run_ids_have_a_row_each():
    twice = [evaluate({"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}}, measures="map").runs[0]] * 2
    rows = render(Evaluation("1", "", {}, twice, names=["map"]), "markdown").splitlines()[2:]
    assert [row.split("|")[1].strip() for row in rows] == [f"r ({twice[0].path}) #1", f"r ({twice[0].path}) #2"]


def test_fifty_runs_fit_80_columns_the_most_telling_measures_first():
    draw = random.Random(3)
    names = ("num_q", "map", *(f"P_{cut}" for cut in (5, 10, 15, 20, 30)), *(f"recall_{cut}" for cut in (5, 10, 15)))
    names += ("eprum_map", "Rprec", "ndcg", "recip_rank", "gen_recall_5")
    values = [{name: draw.random() for name in names} | {"num_q": 9} for _ in range(50)]
    runs = [RunResult(f"university-of-{'x' * 19}-{n}", "", {"1": own}, own) for n, own in enumerate(values)]
    text = render(Evaluation("1", "", {}, runs, names=names), "table")
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    rule = next(number for number, line in enumerate(lines) if line.startswith("---"))
    assert lines[rule - 1].split() == ["run", "map", "P_15", "_10", "_map", "Rprec", "ndcg"]
    body = lines[rule + 1 :]
    maps = [float(line.split()[1]) for line in body[: body.index("")] if len(line.split()) > 1]
    assert len(maps) == 50
    assert maps == sorted(maps, reverse=True)
    assert "The best runs first by map.\nNot shown: num_q, P_5, P_10" in text
    assert "--transpose shows all." in text
    assert render(Evaluation("1", "", {}, runs, names=names), "table", Layout(sort="ndcg")).splitlines()[
        rule - 1
    ].split()[:3] == ["run", "ndcg", "map"]


def test_comparison():
    found = compare(values=evaluation(), trials=2000, pairs="best")
    assert render(found, "markdown", Layout(sort="map", digits=2)) == (
        "| run    |      map |      P_5 |\n"
        "|--------|----------|----------|\n"
        "| beta_2 | **0.55** |   0.25\\* |\n"
        "| gamma  |   0.31\\* |     0.49 |\n"
        "| alpha  |   0.30\\* | **0.50** |\n"
        "\n"
        "\\* differs from the best run by the measure: paired randomisation test, two-sided (2,000 trials, seed 1), p "
        "corrected by Holm for 2 comparisons of each measure, below 0.05.\n"
        "\n"
        "By map, beta_2 is best: gamma and alpha are significantly worse.\n"
        "\n"
        "By P_5, alpha is best: beta_2 is significantly worse; no significant difference to gamma.\n"
    )
    text = render(found, "latex", Layout(transpose=True))
    assert "P\\_5 & \\textbf{0.5000} & 0.2500\\rlap{$^{*}$} & 0.4900 \\\\\n" in text
    assert "paired randomisation test, two-sided" in text


@pytest.mark.parametrize("options", ["--transpose", "--sort map", "--baseline toy"])
@pytest.mark.parametrize("style", ["trec", "json", "csv", "html"])
def test_what_is_no_table_has_no_rows_to_sort(options, style):
    if style == "html" and "--baseline" in options:
        return  # a page marks significant differences
    output = run(f"eval -f {style} {options} missing missing")
    name = options.split()[0]
    assert (output.status, output.out) == (2, "")
    formats = "table, latex, markdown and html" if name == "--baseline" else "table, latex and markdown"
    assert output.err.splitlines()[-1] == f"Error: {name} is for -f {formats}"


def test_what_there_is_not():
    toy = "fixtures/toy/qrels fixtures/toy/run"
    demo = "-m map -m P.5 fixtures/demo/assessments fixtures/demo/run-a.xml fixtures/demo/run-b.xml"
    output = run(f"eval -f table --sort mpa {demo}")
    assert (output.status, output.out) == (2, "")
    assert output.err.splitlines()[-1] == "prum-eval: no measure mpa to sort by; did you mean map?"
    output = run(f"eval -f table --baseline toy {toy}")
    assert (output.status, output.out) == (2, "")
    assert output.err.splitlines()[-1] == "prum-eval: only one run; a comparison needs two"
    output = run(f"eval -f table --baseline nobody {demo}")
    assert (output.status, output.out) == (2, "")
    assert output.err.splitlines()[-1].startswith("prum-eval: ")
    assert "nobody" in output.err
    output = run("compare --sort mpa --trials 9 --values fixtures/compare/self.txt fixtures/compare/cross.txt")
    assert (output.status, output.out) == (2, "")
    assert output.err.splitlines()[-1] == "prum-eval: no measure mpa to sort by"


def test_a_baseline_marks_and_says_so():
    demo = "fixtures/demo/assessments fixtures/demo/run-a.xml fixtures/demo/run-b.xml"
    output = run(f"eval -f latex -m map --baseline fixtures/demo/run-b.xml {demo}")
    assert output.status == 0
    assert "$^{*}$~differs from article-only: paired randomisation test, two-sided (exact)" in output.out
    assert "|compare|topics:3|pairs:first with fixtures/demo/run-b.xml|" in output.err.splitlines()[-1]


@settings(deadline=None)
@given(st.lists(st.lists(st.none() | st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=4))
def test_turned_twice_is_as_before(values):
    """But for columns without a value, which are left out."""
    kept = [place for place in range(3) if any(row[place] is not None for row in values)]
    rows = [
        ([f"r{n}"], [NO_CELL if one is None else TableCell(str(one), best=one == 3) for one in own])
        for n, own in enumerate(values)
    ]
    grid = Grid(["run"], ["a", "b", "c"], rows, [0])
    back = grid.transpose("measure").transpose("run")
    wanted = [(labels, [cells[place] for place in kept]) for labels, cells in rows]
    full = [(labels, cells) for labels, cells in wanted if any(cell.text for cell in cells)]
    assert [(list(labels), list(cells)) for labels, cells in back.rows] == full


def test_a_grid_has_blocks_of_topics():
    grid = evaluation_grid(evaluation(), Layout(per_topic=True))
    assert grid.labels == ["topic", "run"]
    assert len(grid.rows) == 25 * 3
    assert list(grid.block_starts) == list(range(0, 75, 3))
    turned = grid.transpose("measure")
    assert [labels for labels, _ in turned.rows[-3:]] == [("all", "num_ret"), ("all", "map"), ("all", "P_5")]


def test_one_mark_has_one_meaning():
    """A star is for significance also where a dagger says that topics differ."""
    found = evaluation()
    runs = [replace(found.runs[0], topics={t: v for t, v in found.runs[0].topics.items() if t != "1"}), *found.runs[1:]]
    found = replace(found, runs=runs, requested_names=found.names)
    assert found.different_topics
    layout = Layout(marks=compare(values=found, baseline="beta_2", trials=2000, common=True), transpose=True)
    text = render(found, "table", layout)
    assert "0.3000†*" in text
    assert "\n† over different topics" in text
    assert "\n* differs from beta_2" in text


def test_latex_is_sorted_as_the_terminal_is():
    found = evaluation()
    assert [line.split()[0] for line in render(found, "latex", Layout()).splitlines()[9:12]] == [
        *("alpha", "beta\\_2", "gamma"),  # runs side by side fit into a terminal
    ]
    many = replace(found, runs=[replace(run, run_id=f"{run.run_id}-{'x' * 30}") for run in found.runs])
    table = [line[:5] for line in render(many, "table", Layout()).splitlines()[2:] if "-xx" in line]
    latex = [line[:5] for line in render(many, "latex", Layout()).splitlines() if "-xx" in line]
    page = re.findall(r'<th scope="row"[^>]*>(?:<button[^>]*>)?([^<-]{5})', render(many, "html", Layout()))[:3]
    assert [name[:4] for name in table] == [name[:4] for name in latex] == [name[:4] for name in page]
    assert [name[:4] for name in table] == ["beta", "gamm", "alph"]


@pytest.mark.parametrize("style", ["latex", "markdown", "html"])
def test_letters_name_the_runs_that_a_run_beats(style):
    values = {
        name: {str(t): {"map": above + (t * 7 % 5) / 100 * (1 if name == "b" else -1)} for t in range(25)}
        for name, above in (("a", 0.2), ("b", 0.5), ("c", 0.8))
    }
    text = render(compare(values=values, pairs="all", trials=2000), style, Layout())
    both, one = {
        "latex": (r"\textbf{0.7800}\rlap{$^{\mathrm{ab}}$}", r"0.5200\rlap{$^{\mathrm{a}}$}"),
        "markdown": ("**0.7800**<sup>ab</sup>", " 0.5200<sup>a</sup>"),
        "html": ("0.7800<sup>bc</sup>", "0.5200<sup>c</sup>"),  # the best first
    }[style]
    assert (text.count(both), text.count(one)) == (1, 1)
    assert ("a (c)" if style == "html" else "a (a)") in text
    assert "significantly better than the runs of these letters: p of all pairs by randomised Tukey HSD" in text


def test_more_runs_than_letters_have_numbers():
    assert list(run_letters(range(27)).values())[-1] == "27"
    assert join_letters(["12", "3"]) == "3,12"
