"""A sweep: every row is what `evaluate` gives at that setting; orders and changes of places by their definition."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np
import pytest

import prum_eval
from prum_eval import DataError, InputError, UsageError, evaluate, sweep
from prum_eval.experiments.sweep_variants import parse_varied
from prum_eval.numerics.significance import t_quantile
from tests.gold import ROOT

DEMO = {"structure": "fixtures/demo/structure.tsv"}
ASSESSED, RUNS = "fixtures/demo/assessments", ("fixtures/demo/run-a.xml", "fixtures/demo/run-b.xml")
RAG = ("fixtures/rag/gold.jsonl", ("fixtures/rag/windows.jsonl", "fixtures/rag/paragraphs.jsonl"))
TOY = ("fixtures/toy/qrels", "fixtures/toy/run")
ELEMENTS = (ASSESSED, RUNS)
MIXED = ["eprum_map", "gen_recall.2,10", "map", "num_rel", "num_rel_ret", "maep", "prum_map"]


@pytest.fixture(autouse=True)
def _in_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def at(key, value):
    """What `evaluate` is called with to set a parameter."""
    if key == "limit":
        return {key: int(value)}
    return {key: value} if key in ("user_model", "quantisation", "targets") else {"settings": {key: value}}


@pytest.mark.parametrize(
    ("inputs", "options", "vary"),
    [
        (ELEMENTS, {**DEMO, "measures": MIXED}, "quantisation=gen,strict,genlifted"),
        (ELEMENTS, {**DEMO, "measures": MIXED}, "user_model=none,hierarchical,t2i:tolerance=30,once=on"),
        (ELEMENTS, {**DEMO, "measures": MIXED}, "targets=ideal,relevant,bep"),
        (ELEMENTS, {**DEMO, "measures": MIXED, "complete": True}, "limit=1,2,5"),
        (ELEMENTS, {**DEMO, "measures": ["eprum_map", "rbp"], "user_model": "bep-distance"}, "A=.01:100:log5"),
        (ELEMENTS, {**DEMO, "measures": ["eprum_map", "rbp", "rbp:model.p=.5"], "user_model": "siblings"}, "p=.2,.5"),
        (ELEMENTS, {**DEMO, "measures": ["rbp", "eprum_map"], "user_model": "siblings"}, "model.p=.2,.5"),
        (ELEMENTS, {**DEMO, "measures": ["eprum", "grp"]}, "at_recall=product,ratio"),
        (ELEMENTS, {**DEMO, "task": "inex2006-thorough"}, "overlap=on,off"),
        (ELEMENTS, {**DEMO, "measures": "official", "settings": {"at_recall": "ratio"}}, "effort=rank,size"),
        (RAG, {}, "overlap=count,novel"),
        (RAG, {"measures": ["eprum_map", "hit", "size_5"]}, "user_model=coverage,coverage:part=whole,none"),
        (RAG, {"measures": ["char_rec.5", "hit", "size"]}, "limit=1,2,3"),
        (TOY, {"measures": ["rbp", "map", "rbp:quantisation=strict"]}, "p=0:.9:.1"),
    ],
)
def test_each_row_is_what_evaluate_gives(inputs, options, vary):
    found = sweep(*inputs, vary=vary, **options)
    key = found.parameter.key
    rows = list(found.rows())
    assert len(rows) == len(found.values) * len(found.runs) * len(found.measures)
    assert {row["measure"] for row in rows} == set(found.measures) != set()
    for value in found.values:
        settings = {**options, **at(key, value)}
        if "settings" in options:
            settings["settings"] = {**options["settings"], **settings["settings"]}
        known = {run.run_id: run for run in evaluate(*inputs, **settings).runs}
        own = [row for row in rows if str(row["value"]) == value]
        assert len(own) == len(found.runs) * len(found.measures)
        for row in own:
            assert row["mean"] == known[row["run"]].all.get(row["measure"])


@pytest.mark.parametrize("vary", ["quantisation=gen,strict", "limit=1,2", "at_recall=product,ratio"])
def test_processes_change_nothing(vary):
    found = [list(sweep(*ELEMENTS, vary=vary, jobs=jobs, measures=MIXED, **DEMO).rows()) for jobs in (1, 2)]
    assert found[0] == found[1]


def test_measures_in_which_nothing_changes_are_left_out_unless_named():
    found = sweep(ASSESSED, RUNS, vary="at_recall=product,ratio", measures=["official", "num_q"], **DEMO)
    assert found.measures == ("num_q", "eprum_map", *(f"eprum_prec_at_recall_{x / 10:.2f}" for x in range(11)))
    assert str(found.warnings[-1]).startswith(
        "left out, because at_recall changes nothing in them: num_ret, num_rel, num_rel_ret, num_targets, "
        "num_targets_ret, map, Rprec, prum_map and 6 more"
    )
    assert sweep(ASSESSED, RUNS, vary="at_recall=product,ratio", **DEMO).measures == ("eprum_map",)


def test_intervals_are_student_s_over_topics():
    found = sweep(ASSESSED, RUNS[0], vary="limit=1,3", measures=["eprum_map", "num_ret"], alpha=0.1, **DEMO)
    for row, limit in zip([row for row in found.rows() if row["measure"] == "eprum_map"], (1, 3), strict=True):
        (run,) = evaluate(ASSESSED, RUNS[0], limit=limit, measures="eprum_map", **DEMO).runs
        values = np.array([one["eprum_map"] for one in run.topics.values()])
        half = t_quantile(0.05, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values))
        assert row["topics"] == 3
        assert row["high"] - row["mean"] == pytest.approx(half, rel=1e-12)
        assert row["mean"] - row["low"] == pytest.approx(half, rel=1e-12)
    counts = [row for row in found.rows() if row["measure"] == "num_ret"]
    assert [(row["mean"], row["low"], row["high"]) for row in counts] == [(3, None, None), (9, None, None)]


def test_a_single_topic_has_no_interval():
    (row,) = sweep({"1": {"a": 1}}, {"1": {"a": 2.0}}, vary="p=.5", measures="rbp").rows()
    assert (row["mean"], row["low"], row["high"], row["topics"]) == (0.5, None, None, 1)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("simulated") / "moved"
    made = prum_eval.simulate(
        ROOT / ASSESSED, structure=ROOT / DEMO["structure"], changes="move", vary="move.m=0:.9:.3", copies=3
    )
    made.write(folder)
    return folder, made


def test_copies_of_simulated_runs(simulated):
    folder, made = simulated
    found = sweep(ASSESSED, folder, measures=["eprum_map", "gen_recall.10"], **DEMO)
    assert (found.label, found.runs, found.values, found.copies) == (
        "move.m",
        ("ideal",),
        ("0", "0.3", "0.6", "0.9"),
        True,
    )
    means = {}
    for one in made:
        (run,) = evaluate(ASSESSED, folder / one.file, measures=["eprum_map", "gen_recall.10"], **DEMO).runs
        for name, mean in run.all.items():
            means.setdefault((float(one.value), name), []).append(mean)
    for row in found.rows():
        own = means[row["value"], row["measure"]]
        assert row["mean"] == math.fsum(own) / 3
        half = t_quantile(0.025, 2) * np.std(own, ddof=1) / math.sqrt(3)
        assert row["high"] - row["mean"] == pytest.approx(half, rel=1e-9, abs=1e-12)
        assert row["copies"] == 3
    falls = [row["mean"] for row in found.rows() if row["measure"] == "eprum_map"]
    assert all(low < high for high, low in pairwise(falls))


@pytest.mark.parametrize("what", ["folder", "list", "objects", "vary"])
def test_simulated_runs_are_given_in_any_way(simulated, what):
    folder, made = simulated
    given = {"folder": str(folder), "list": folder / "simulated.tsv", "objects": made, "vary": [folder]}[what]
    found = sweep(ASSESSED, given, measures="eprum_map", vary="value" if what == "vary" else None, **DEMO)
    known = sweep(ASSESSED, folder, measures="eprum_map", **DEMO)
    assert [row["mean"] for row in found.rows()] == [row["mean"] for row in known.rows()]
    assert (found.label, found.runs) == ("move.m", ("ideal",))


def test_some_values_of_simulated_runs(simulated):
    found = sweep(ASSESSED, simulated[0], measures="eprum_map", vary={"value": [0.6, 0.30]}, **DEMO)
    whole = sweep(ASSESSED, simulated[0], measures="eprum_map", **DEMO)
    assert found.values == ("0.3", "0.6")
    assert [row["mean"] for row in found.rows()] == [row["mean"] for row in whole.rows()][1:3]


def test_one_copy_has_intervals_over_topics(tmp_path):
    made = prum_eval.simulate(ASSESSED, changes="move", vary="move.m=0,.5", **DEMO)
    found = sweep(ASSESSED, made, measures="eprum_map", **DEMO)
    assert not found.copies
    assert [row["topics"] for row in found.rows()] == [3, 3]
    assert [row["low"] is None for row in found.rows()] == [False, False]
    made.write(tmp_path / "a")
    prum_eval.simulate(ASSESSED, "relevant", changes="move", vary="move.m=.5,.7", **DEMO).write(tmp_path / "b")
    both = sweep(ASSESSED, [tmp_path / "a", tmp_path / "b"], measures="eprum_map", **DEMO)
    assert (both.runs, both.values) == (("ideal", "relevant"), ("0", "0.5", "0.7"))
    assert [[one.mean is None for one in both.means if one.value == value] for value in range(3)] == [
        [False, True],
        [False, False],
        [True, False],
    ]
    assert both.tau["eprum_map"] == (None, None, None)  # at 0 there is but one run


def test_simulated_runs_are_runs_where_something_else_varies(simulated):
    found = sweep(ASSESSED, [simulated[0], RUNS[0]], vary="limit=1,2", measures="eprum_map", **DEMO)
    assert len(found.runs) == 13
    assert found.runs[:4] == ("ideal-0-1", "ideal-0-2", "ideal-0-3", "ideal-0.3-1")


def test_orders_and_changes_of_places(simulated):
    runs = [simulated[0], *RUNS]
    found = sweep(ASSESSED, runs, vary="limit=1,2,4,8", measures=["eprum_map", "maep"], reference=4, **DEMO)
    assert found.reference == 2
    for name, table in zip(found.measures, found.table, strict=True):
        for value, row in enumerate(table):
            pairs = list(combinations(range(len(row)), 2))
            here, there = (np.array([sign(own[a], own[b]) for a, b in pairs]) for own in (row, table[2]))
            tau = (here * there).sum() / math.sqrt((here != 0).sum() * (there != 0).sum())
            assert found.tau[name][value] == pytest.approx(tau, abs=1e-12)
        changes = [one for one in found.changes if one.measure == name]
        expected = set()
        for first, second in combinations(range(len(found.runs)), 2):
            sides = [sign(row[first], row[second]) for row in table]
            told = [number for number, side in enumerate(sides) if side]
            for before, after in pairwise(told):
                if sides[before] != sides[after]:
                    pair = (first, second) if sides[before] > 0 else (second, first)
                    expected.add((*pair, before, after))
        assert {(one.upper, one.lower, one.before, one.after) for one in changes} == expected
        assert len(changes) == len(expected)
    assert found.changes


def sign(value, other):
    """1, 0 or -1: values that differ by rounding are equal."""
    return 0 if math.isclose(value, other, rel_tol=1e-11) else 1 if value > other else -1


def test_where_runs_change_places():
    # the run that finds the first of two late gains with every rank that counts, the other finds one at once
    judged = {"1": {"a": 1, "b": 1}}
    runs = {"early": {"1": {"a": 9.0, "x": 8.0, "y": 7.0, "z": 6.0}}, "late": {"1": {"x": 9.0, "a": 8.0, "b": 7.0}}}
    found = sweep(judged, runs, vary="p=.1,.9", measures="rbp")
    # (1 - p) and (1 - p) (p + p^2): means at .1 are .9 and .099, at .9 .1 and .171
    (change,) = found.changes
    assert (found.runs[change.upper], found.runs[change.lower]) == ("early", "late")
    assert change.at == pytest.approx(0.1 + 0.8 * 0.801 / (0.801 + 0.071), rel=1e-12)
    assert found.tau["rbp"] == (1.0, -1.0)
    tied = sweep(judged, runs, vary=f"p=.1,{(math.sqrt(5) - 1) / 2},.9", measures="rbp")  # p + p^2 = 1
    assert tied.changes[0].at == (math.sqrt(5) - 1) / 2
    assert tied.tau["rbp"] == (1.0, None, -1.0)


def test_places_are_found_on_the_axis_of_the_values():
    judged = {"1": {"a": 1, "b": 1}}
    runs = {"early": {"1": {"a": 9.0, "x": 8.0, "y": 7.0}}, "late": {"1": {"x": 9.0, "a": 8.0, "b": 7.0}}}
    found = sweep(judged, runs, vary="p=.009,.09,.9", measures="rbp")
    assert found.parameter.logarithmic
    above, below = 0.91 - 0.91 * (0.09 + 0.0081), 0.1 * (0.9 + 0.81) - 0.1
    share = above / (above + below)
    assert found.changes[0].at == pytest.approx(0.09 * 10**share, rel=1e-12)
    named = sweep(judged, runs, vary="user_model=none", measures="eprum_map")
    assert (named.parameter.numbers, named.parameter.logarithmic) == (None, False)


@pytest.mark.parametrize(
    ("vary", "values", "logarithmic"),
    [
        ("A=100,.01,1", ("0.01", "1", "100"), True),
        ("A=0:.9:.3", ("0", "0.3", "0.6", "0.9"), False),
        ("A=.1:.9:.1", tuple(f"0.{n}" for n in range(1, 10)), False),
        ("limit=5,10,20", ("5", "10", "20"), True),
        ({"A": [1, 0.50]}, ("0.5", "1"), False),
        ({"A": "1:2:.5"}, ("1", "1.5", "2"), False),
        ({"user_model": ["t2i:tolerance=3,once=on", "none"]}, ("t2i:tolerance=3,once=on", "none"), False),
        ("mode=paper,exact", ("paper", "exact"), False),
        ("A=1e999,1", ("1e999", "1"), False),  # no number: measures refuse it by their own words
        ({"A": [math.inf]}, ("inf",), False),
        ({"p": np.linspace(0, 0.9, 3)}, ("0", "0.45", "0.9"), False),
    ],
)
def test_values(vary, values, logarithmic):
    found = parse_varied(vary, {})
    assert (found.values, found.logarithmic) == (values, logarithmic)


UNKNOWN = (
    "--vary {}: unknown parameter for the selected measures and user models; there are: user_model, quantisation, "
    "targets, limit, value"
)


OWN = (
    "mode, ideal_list, at_recall, graded, effort (eprum_map); tolerance, decay, once, rank_decay, items, consider "
    "(user model t2i); did you mean tolerance?"
)


def refused(error, message, *inputs, **options):
    with pytest.raises(error) as caught:
        sweep(*(inputs or ELEMENTS), **{**DEMO, **options})
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "--vary says what is varied: --vary KEY=VALUES"),
        ({"vary": "p"}, "--vary p: write KEY=VALUES"),
        ({"vary": "p="}, "--vary p=: write KEY=VALUES"),
        ({"vary": "=1"}, "--vary =1: write KEY=VALUES"),
        ({"vary": {}}, "vary: 0 parameters; one is varied at a time"),
        ({"vary": {"p": []}}, "--vary p=: write KEY=VALUES"),
        ({"vary": "A=1,1.0"}, "--vary A=1,1.0: 1 is listed twice"),
        ({"vary": "A=1,,2"},
         "--vary A=1,,2: '1,,2' has an empty value; write VALUE,VALUE,..., FIRST:LAST:STEP or FIRST:LAST:logN"),
        ({"vary": "user_model=none,,t2i"},
         "--vary user_model=none,,t2i: 'none,,t2i' has an empty value; write MODEL,MODEL,..."),
        ({"vary": "limit=2,0"}, "--vary limit=2,0: limit=0: limit is a whole number from 1 to 2147483647"),
        ({"vary": "limit=2.5"}, "--vary limit=2.5: limit=2.5: limit is a whole number from 1 to 2147483647"),
        ({"vary": "limit=1", "limit": 3}, "--vary limit=1: limit is varied, and given as 3 too"),
        ({"vary": "p=.5", "settings": {"p": 0.5}}, "--vary p=.5: p is varied, and given as 0.5 too"),
        ({"vary": "quantisation=gen", "quantisation": "strict"},
         "--vary quantisation=gen: quantisation is varied, and given as strict too"),
        ({"vary": "p=.5,1e999", "measures": "rbp"}, "p=1e999: p is a number from 0 to 1"),
        ({"vary": {"p": [math.nan]}, "measures": "rbp"}, "p=nan: p is a number from 0 to 1"),
        ({"vary": "p=.5", "reference": "1e999", "measures": "rbp"},
         "reference=1e999: no such value (there are: 0.5)"),
        ({"vary": "jobs=1,2", "jobs": 1, "measures": ["map"]}, UNKNOWN.format("jobs")),
        ({"vary": "p=.5", "alpha": 1}, "alpha=1: alpha is a number between 0 and 1"),
        ({"vary": "limit=1,2", "reference": 3}, "reference=3: no such value (there are: 1, 2)"),
        ({"vary": "value"},
         "--vary value is for simulated runs: give the folders that prum-eval simulate --vary wrote, or their lists"),
        ({"vary": "toleranse=1", "measures": ["eprum_map", "map"], "user_model": "t2i"},
         f"{UNKNOWN.format('toleranse')}; {OWN}"),
        ({"vary": "foo=1", "measures": ["map"]}, UNKNOWN.format("foo")),
        ({"vary": "at_recall=product,ratio", "measures": "eprum_map:at_recall=ratio"},
         "--vary at_recall: its values change no measure; -m, -u or the task say it already"),
        ({"vary": "tolerance=1,30", "measures": "eprum_map", "user_model": "t2i:tolerance=300"},
         "--vary tolerance: its values change no measure; -m, -u or the task say it already"),
        ({"vary": "at_recall=product,foo", "measures": "eprum_map"}, "at_recall=foo: at_recall is product or ratio"),
        ({"vary": "user_model=none,foo", "measures": "eprum_map"},
         "no user model foo (there are: none, hierarchical, coverage, t2i, bep-distance, logistic, siblings, graph)"),
        ({"vary": "quantisation=foo", "measures": "eprum_map"}, None),
    ],
)  # fmt: skip
def test_what_is_refused(options, message):
    if message is None:
        with pytest.raises(UsageError, match=r"^no quantisation foo for .* \(there are: gen, strict, "):
            sweep(*ELEMENTS, **options, **DEMO)
    else:
        refused(UsageError, message, **options)


def test_counts_are_shown_if_asked_for():
    assert sweep(*ELEMENTS, vary="limit=1,2", measures="num_ret", **DEMO).measures == ("num_ret",)


def test_simulated_runs_that_cannot_be_swept(tmp_path, simulated):
    plain = tmp_path / "plain"
    prum_eval.simulate(ASSESSED, **DEMO).write(plain)
    listed = plain / "simulated.tsv"
    refused(UsageError, f"{listed}: nothing was varied: no run has a value", ASSESSED, plain, measures="eprum_map")
    refused(
        UsageError,
        f"{simulated[0]}/simulated.tsv: no run of value 0.5 (there are: 0, 0.3, 0.6, 0.9)",
        ASSESSED,
        simulated[0],
        vary="value=0,.5",
        measures="eprum_map",
    )
    text = listed.read_text()
    assert "\t\t1\t" in text
    listed.write_text(text.replace("\t\t1\t", "\t1e999\t1\t"))
    assert sweep(ASSESSED, plain, measures="eprum_map", **DEMO).values == ("1e999",)
    listed.write_text(text.replace("ideal-1.run", "gone.run"))
    with pytest.raises(InputError, match=r"gone\.run: cannot be read: No such file or directory"):
        sweep(ASSESSED, plain, vary="limit=1", measures="eprum_map", **DEMO)


def test_what_refuses_runs_or_has_no_inputs_is_not_shown():
    found = sweep(*ELEMENTS, vary="limit=1,20", measures=["all", "tokens"], tokens=0.5, **DEMO)
    names = set(found.measures)
    assert {"iP_0.00", "gm_map", "tokens_5", "bpref", "judged"} & names == {"iP_0.00", "gm_map", "tokens_5"}
    means = [one for one in found.means if found.measures[one.measure] == "iP_0.00"]
    assert [one.mean is None for one in means] == [False, False, True, False]  # results that overlap are refused
    of_all = [one.margin for one in found.means if found.measures[one.measure] == "gm_map"]
    assert of_all == [None] * 4  # no mean over topics


@pytest.mark.parametrize("vary", ["limit=1,2", "quantisation=gen,strict"])
def test_counts_that_only_a_configuration_names(vary, tmp_path):
    path = tmp_path / "counts.toml"
    path.write_text('[[measures]]\nmeasure = "num_rel"\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"^there are only counts, which are shown if asked for: num_rel$"):
        sweep(*ELEMENTS, vary=vary, config=path, **DEMO)


def test_the_signature_has_the_first_limit_and_not_that_of_a_configuration(tmp_path):
    path = tmp_path / "limited.toml"
    path.write_text('limit = 3\n[[measures]]\nmeasure = "map"\n', encoding="utf-8")
    said = sweep(*TOY, vary="limit=1,2", config=path).signature
    assert "|limit:1|" in said
    assert "limit:3" not in said


def test_warnings_of_values_are_said_once():
    found = sweep({"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 2.0}}, vary="limit=1,2,3", measures="map")
    assert [str(one) for one in found.warnings] == [
        "run: 1 assessed topic has no results and is left out; -c counts it as empty"
    ]


def test_shown():
    found = sweep(*TOY, vary="p=.5,.8", measures=["rbp", "recip_rank"])
    assert repr(found) == "<Sweep: 2 values of p, 1 run, 2 measures>"
    assert found.to_pandas()["value"].tolist() == [0.5, 0.8, 0.5, 0.8]
    assert "<th>measure</th>" in found._repr_html_()
    assert found.signature.endswith("|sweep|p:0.5,0.8|reference:0.5|alpha:0.05")
