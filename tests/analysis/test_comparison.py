"""Runs side by side: which topics and measures count, and the table of differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from prum_eval import DataError, UsageError
from prum_eval.analysis.comparison import compare_matrix
from prum_eval.analysis.correlation import CorrelationSettings, correlate_matrix
from prum_eval.analysis.matrix import ComparisonSettings, make_matrix
from prum_eval.formats.scores import Scores
from tests.slow import slow

FEW = ComparisonSettings(trials=500)


def run(name, **of):
    """A run from measure=[value of topic 1, of topic 2, ...]; a missing topic is '-'."""
    topics = {}
    for measure, values in of.items():
        for topic, value in enumerate(values, 1):
            if value != "-":
                topics.setdefault(str(topic), {})[measure] = value
    return Scores(name, f"{name}.txt", topics)


def test_only_common_topics_count():
    runs = [run("a", map=[1, 0, 0.5]), run("b", map=[0.5, "-", 0.25, 0.3])]
    found = make_matrix(runs, common=True)
    assert found.topics == ("1", "3")
    assert found.values.tolist() == [[[1, 0.5], [0.5, 0.25]]]
    assert found.warnings == ("2 of 4 topics left out, because not every run has them",)
    with pytest.raises(DataError) as caught:
        make_matrix(runs)
    assert str(caught.value) == (
        "2 of 4 topics left out, because not every run has them: more than a tenth; --common compares on the others"
    )


@pytest.mark.parametrize(("topics", "refused"), [(10, False), (9, True)])
def test_a_tenth_of_the_topics_may_be_left_out(topics, refused):
    for short in (["-"], [None]):  # without the topic, or without a value of it
        runs = [run("a", map=[0.5] * topics), run("b", map=short + [0.5] * (topics - 1))]
        if refused:
            with pytest.raises(DataError, match=r"^1 of 9 topics left out, because .*: more than a tenth; "):
                make_matrix(runs)
        else:
            assert len(make_matrix(runs).warnings) == 1


def test_a_topic_without_value_counts_for_no_run():
    runs = [run("a", map=[1, None, 0.5], P_5=[1, 0, 1]), run("b", map=[0.5, 0, 0.25], P_5=[0, 0, 1])]
    found = make_matrix(runs, common=True)
    assert np.isnan(found.values[0, :, 1]).all()
    assert not np.isnan(found.values[1]).any()
    assert found.warnings == ("1 of 3 topics left out, because not every run has a value (map)",)
    first, second, third, _ = compare_matrix(found, FEW).run_means
    assert (first.mean, first.topics, second.mean, third.topics) == (0.75, 2, 0.375, 3)
    assert second.difference.mean == -0.375


def test_a_topic_without_value_in_any_run_is_told_and_no_loss():
    found = make_matrix([run("a", map=[1, None]), run("b", map=[0.5, None])])
    assert found.warnings == ("1 of 2 topics left out, because no run has a value (map)",)


def test_topics_are_in_byte_order():
    runs = [Scores(name, name, {topic: {"map": 0.5} for topic in ("9", "10", "é", "z")}) for name in "ab"]
    assert make_matrix(runs).topics == ("10", "9", "z", "é")


def test_counts_are_left_out_unless_asked_for():
    runs = [run("a", num_ret=[5], map=[0.1], P_5=[1], P_10=[1]), run("b", map=[0.1], num_ret=[7], P_10=[1], P_5=[0])]
    assert make_matrix(runs).measures == ("map", "P_5", "P_10")
    assert make_matrix(runs, ["num_ret", "P"]).measures == ("num_ret", "P_5", "P_10")
    assert make_matrix(runs, ["P_10", "P"]).measures == ("P_10", "P_5")


def test_what_is_a_count():
    """The record says so; of another tool's names, the prefix num_."""
    listed = ["num_ret", "ret_size", "rel_size", "rel_ret_size", "map", "num_nonrel", "judged_size"]
    names = {name: [1] for name in listed}
    found = make_matrix([run("a", **names), run("b", **names)], listed)
    assert found.counts == {"num_ret", "ret_size", "rel_size", "rel_ret_size", "num_nonrel"}
    assert make_matrix([run("a", **names), run("b", **names)]).measures == ("map", "judged_size")


def test_measures_that_a_run_lacks():
    runs = [run("a", map=[0.1], ndcg=[1]), run("b", map=[0.1])]
    found = make_matrix(runs)
    assert (found.measures, found.warnings) == (("map",), ("left out, because not every run has it: ndcg",))
    with pytest.raises(UsageError, match=r"^ndcg is not in every run$"):
        make_matrix(runs, ["ndcg"])
    with pytest.raises(UsageError, match=r"^mapp is in no run; did you mean map\?$"):
        make_matrix(runs, ["mapp"])
    assert make_matrix(runs, ["AP"]).measures == make_matrix(runs, ["MAP"]).measures == ("map",)


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ([run("a", map=[1]), run("b", map=["-", 1])], "no topic is common to all runs"),
        ([run("a", map=[1]), run("b", ndcg=[1])], "no measure is common to all runs"),
        (
            [run("a", num_q=[1], num_ret=[1]), run("b", num_q=[1], num_ret=[1])],
            r"no measure is common to all runs but counts, which are compared if asked for \(num_q, num_ret\)",
        ),
        ([run("a", map=[1, None]), run("b", map=[None, 1])], "no topic has a value of map for every run"),
    ],
)
def test_nothing_in_common(runs, message):
    with pytest.raises(DataError, match=f"^{message}$"):
        make_matrix(runs)


def test_a_table_worked_out_by_hand():
    base, other, same = [0.5, 0.2, 0.4], [0.7, 0.2, 0.5], [0.5, 0.2, 0.4]
    done = compare_matrix(make_matrix([run("a", map=base), run("b", map=other), run("c", map=same)]), FEW)
    first, second, third = done.run_means
    assert (first.mean, first.difference) == (pytest.approx(1.1 / 3), None)
    found = second.difference
    assert (found.wins, found.ties, found.losses) == (2, 1, 0)
    assert found.mean == pytest.approx(0.1)
    assert found.cohen_d == pytest.approx(0.1 / 0.1)  # deviations .1, -.1, 0: variance .02 / 2
    assert (found.randomisation.p, found.exact) == (0.5, True)  # + + and - - of four arrangements
    assert found.randomisation.holm == 1.0  # two comparisons
    half = 6.205346816570704 * 0.1 / 3**0.5  # Student's t with 2 degrees of freedom at .05 / 4: two comparisons
    assert (found.low, found.high) == pytest.approx((0.1 - half, 0.1 + half))
    assert found.t.p == pytest.approx(2 * stats.t.sf(3**0.5, 2))
    nothing = third.difference
    assert (nothing.mean, nothing.low, nothing.high, nothing.cohen_d, nothing.ties) == (0, 0, 0, 0, 3)
    assert (nothing.randomisation.p, nothing.bootstrap.p, nothing.t.p) == (1, None, None)


def test_one_topic_has_no_interval():
    _, row = compare_matrix(make_matrix([run("a", map=[0.5]), run("b", map=[0.7])]), FEW).run_means
    found = row.difference
    assert (found.low, found.high, found.cohen_d, found.bootstrap.p, found.bootstrap.holm, found.t.p) == (None,) * 6
    assert (found.randomisation.p, found.wins) == (1, 1)


def many(runs=12, topics=9):
    random = np.random.default_rng(11)
    quality = random.random(runs)
    return [
        run(f"r{k:02}", **{m: quality[k] + noise * random.random(topics) for m, noise in (("map", 0.5), ("bpref", 2))})
        for k in range(runs)
    ]


def means_of(runs, measure):
    return np.array([np.mean([values[measure] for values in one.topics.values()]) for one in runs])


def correlated(found, **chosen):
    return correlate_matrix(found, CorrelationSettings(**{"trials": 500, **chosen}))


def test_correlation_of_means_as_scipy():
    runs = many()
    done = correlated(make_matrix(runs))
    x, y = means_of(runs, "map"), means_of(runs, "bpref")
    [pair] = done.pairs
    assert pair.pearson.value == pytest.approx(stats.pearsonr(x, y).statistic)
    assert pair.tau_b.value == pytest.approx(stats.kendalltau(x, y).statistic)
    assert done.points == pytest.approx(np.stack((x, y)))
    assert done.run.tolist() == list(range(12))
    for one in (pair.pearson, pair.tau_b, pair.tau_ap):
        assert -1 <= one.low < one.value < one.high <= 1


def test_correlation_of_values_as_scipy():
    runs = many()
    done = correlated(make_matrix(runs), over="values")
    x, y = (np.array([v[m] for one in runs for v in one.topics.values()]) for m in ("map", "bpref"))
    [pair] = done.pairs
    assert pair.pearson.value == pytest.approx(stats.pearsonr(x, y).statistic)
    assert pair.tau_b.value == pytest.approx(stats.kendalltau(x, y).statistic)
    assert done.points == pytest.approx(np.stack((x, y)))
    assert (done.run[10], done.topic[10]) == (1, 1)


def test_correlation_among_the_best():
    runs = many()
    x, y = means_of(runs, "map"), means_of(runs, "bpref")
    for by, ranked in ((None, np.argsort(-x)), ("bpref", np.argsort(-y))):
        done = correlated(make_matrix(runs), top=5, by=by)
        assert done.matrix.runs == tuple(runs[k].run_id for k in ranked[:5])
        assert done.pairs[0].tau_b.value == pytest.approx(stats.kendalltau(x[ranked[:5]], y[ranked[:5]]).statistic)
    with pytest.raises(UsageError, match=r"^no measure bpreff among those correlated; did you mean bpref\?$"):
        correlated(make_matrix(runs), top=5, by="bpreff")


def test_interval_of_pearson_as_scipy():
    runs = many(40)
    x, y = means_of(runs, "map"), means_of(runs, "bpref")
    found = correlated(make_matrix(runs), trials=10_000).pairs[0].pearson
    theirs = stats.bootstrap(
        (x, y), lambda a, b: stats.pearsonr(a, b).statistic, paired=True, vectorized=False, n_resamples=2000,
        method="percentile", rng=np.random.default_rng(1),
    ).confidence_interval  # fmt: skip
    assert (found.low, found.high) == pytest.approx(tuple(theirs), abs=0.02)


def test_two_runs_have_a_correlation_and_no_interval():
    pair = correlated(make_matrix(many(2))).pairs[0]
    assert abs(pair.tau_b.value) == 1
    assert (pair.tau_b.low, pair.pearson.high) == (None, None)


def test_what_cannot_be_correlated():
    with pytest.raises(DataError, match=r"^a correlation needs two measures; there is only map$"):
        correlated(make_matrix([run("a", map=[1]), run("b", map=[1])]))
    with pytest.raises(DataError, match=r"^a correlation needs two runs$"):
        correlated(make_matrix(many(1)))
    with pytest.raises(UsageError, match=r"^over=all: over is means or values$"):
        correlated(make_matrix(many()), over="all")


def test_equal_means_are_tied_in_whatever_order_their_topics_come():
    runs = [run("a", map=[0.1, 0.2, 0.3], P=[1, 2, 3]), run("b", map=[0.3, 0.2, 0.1], P=[2, 2, 3])]
    assert correlated(make_matrix(runs)).pairs[0].tau_b.value is None


def test_rounding_breaks_no_tie_of_runs():
    """0.1 + 0.2 is one unit in the last place above 0.3."""
    first, second = [0.3, 0.1 + 0.2, 0.5, 0.4], [0.2, 0.9, 0.1, 0.6]
    runs = [run(f"r{number}", P_5=[x], map=[y]) for number, (x, y) in enumerate(zip(first, second, strict=True))]
    (pair,) = correlated(make_matrix(runs)).pairs
    expected = stats.kendalltau([0.3, 0.3, 0.5, 0.4], second).statistic
    assert pair.tau_b.value == pytest.approx(expected, rel=1e-12)
    assert correlated(make_matrix(runs), top=3).matrix.runs == (
        "r2",
        "r3",
        "r0",
    )  # of equal ones that named first


def test_the_best_runs_have_the_lowest_values_where_lower_is_better():
    found = replace(make_matrix(many()), lower_better=frozenset(["map"]))
    assert correlated(found, top=3).matrix.runs == tuple(
        found.runs[run] for run in np.argsort(means_of(many(), "map"))[:3]
    )


def test_a_split_is_the_best_and_the_others():
    runs = many()
    y = means_of(runs, "bpref")
    ranked = np.argsort(-y)
    done = correlated(make_matrix(runs), split=5, by="bpref")
    assert done.pairs == correlated(make_matrix(runs)).pairs
    best, other = done.parts
    assert [(part.name, part.points) for part in done.parts] == [("best", 5), ("other", 7)]
    for part, kept in ((best, ranked[:5]), (other, ranked[5:])):
        [pair] = part.pairs
        assert pair == correlated(make_matrix([runs[k] for k in sorted(kept)])).pairs[0]
    lowest = correlated(replace(make_matrix(runs), lower_better=frozenset(["bpref"])), split=5, by="bpref").parts[0]
    expected = replace(make_matrix([runs[k] for k in sorted(np.argsort(y)[:5])]), lower_better=frozenset(["bpref"]))
    assert lowest.pairs == correlated(expected).pairs


def test_a_split_of_values():
    runs = many()
    x, y = (np.array([v[m] for one in runs for v in one.topics.values()]) for m in ("map", "bpref"))
    best, other = correlated(make_matrix(runs), over="values", split=20).parts
    ranked = np.argsort(-x, kind="stable")
    for part, kept in ((best, ranked[:20]), (other, ranked[20:])):
        assert part.pairs[0].tau_b.value == pytest.approx(stats.kendalltau(x[kept], y[kept]).statistic)
    with pytest.raises(DataError, match=r"^split=11: of 12 points that leaves fewer than two$"):
        correlated(make_matrix(runs), split=11)


@pytest.mark.parametrize("over", [slow("means"), "values"])
def test_intervals_over_topics_are_those_of_drawn_topics(over):
    """Against resamples that are really drawn, topic by topic."""
    runs = many()
    found = make_matrix(runs)
    estimate = correlated(found, over=over, resample="topics", trials=4000).pairs[0].pearson
    assert estimate.value == correlated(found, over=over).pairs[0].pearson.value
    random, drawn = np.random.default_rng(7), []
    for _ in range(4000):
        topics = random.integers(0, len(found.topics), len(found.topics))
        x, y = found.values[:, :, topics]
        drawn.append(stats.pearsonr(x.mean(axis=1), y.mean(axis=1)).statistic if over == "means" else
                     stats.pearsonr(x.ravel(), y.ravel()).statistic)  # fmt: skip
    low, high = np.quantile(drawn, [0.025, 0.975])
    width = high - low
    assert estimate.low == pytest.approx(low, abs=0.06 * width + 0.01)
    assert estimate.high == pytest.approx(high, abs=0.06 * width + 0.01)


def test_what_cannot_be_chosen_of_a_correlation():
    for chosen, reason in (
        ({"over": "all"}, "over=all: over is means or values"),
        ({"resample": "all"}, "resample=all: resample is runs or topics"),
        ({"by": "map"}, "by needs top or split"),
        ({"top": 1}, "top=1: top is a whole number from 2 on"),
        ({"split": 0}, "split=0: split is a whole number from 2 on"),
    ):
        with pytest.raises(UsageError, match=f"^{reason}$"):
            CorrelationSettings(**chosen)
