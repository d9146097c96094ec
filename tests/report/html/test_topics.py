"""Values by topic on a page: the page holds them as they are printed."""

from __future__ import annotations

import json
import random

from prum_eval.evaluation.results import Curve, Evaluation, RunResult
from prum_eval.report.html_evaluation import evaluation_page
from prum_eval.report.layout import Layout


def data_of(page):
    start = page.index(">", page.index('id="data"')) + 1
    return json.loads(page[start : page.index("</script>", start)])


def test_values_are_held_as_they_are_printed():
    values = {"1": {"map": 0.25, "num_ret": 3, "mixed": 1}, "2": {"map": None, "num_ret": 4, "mixed": 0.5}}
    means = {"map": 0.25, "num_ret": 7, "mixed": 0.75}
    runs = [RunResult("a", "a", values, means)]
    page = evaluation_page(Evaluation("1", "", {}, runs, names=list(means), curves=[[]]), Layout(per_topic=True))
    columns = {column["name"]: column["runs"] for column in data_of(page)["columns"]}
    assert columns == {"map": [["0.2500", None]], "num_ret": [["3", "4"]], "mixed": [["1.0000", "0.5000"]]}


def test_a_page_of_50_runs_and_300_topics_is_below_four_megabytes():
    draw = random.Random(1)
    topics = [str(number) for number in range(300)]
    names = ["num_ret", "map", "Rprec", "eprum_map"]
    recall, ranks = [level / 10 for level in range(11)], [5, 10, 15, 20, 30, 100]
    of_curves = {"eprum_prec_at_recall": recall, "gen_recall": ranks}
    names += [f"eprum_prec_at_recall_{level:.2f}" for level in recall] + [f"gen_recall_{rank}" for rank in ranks]
    runs, curves = [], []
    for number in range(50):
        values = {topic: {name: draw.random() for name in names} | {"num_ret": 1000} for topic in topics}
        means = {name: draw.random() for name in names}
        runs.append(RunResult(f"team-{number // 5}-system-{number}", f"runs/{number}", values, means))
        curves.append([])
        for name, points in of_curves.items():
            printed = {point: f"{name}_{point:.2f}" if point <= 1 else f"{name}_{point}" for point in points}
            own = {topic: [(x, values[topic][printed[x]]) for x in points] for topic in topics}
            axis = "recall" if points is recall else "rank"
            curves[-1].append(Curve(name, name, axis, own, [(x, means[printed[x]]) for x in points]))
    page = evaluation_page(Evaluation("1", "signature", {}, runs, names=names, curves=curves), Layout(per_topic=True))
    assert len(page.encode()) < 4_000_000
    assert page.count('class="line"') == 50 * 2  # all runs have their line; of the best 14 every point has a marker
    assert page.count('class="point"') == 14 * (11 + 6)
