"""Estimates find what logs were made with: of 200 logs, 90 to 99 % of the intervals hold it.

For most, views are drawn all at once, on the pairs of a fixed set of sessions; those of a reader who reads on come from
how far each result is read, so that they depend on each other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from prum_eval.evaluation.inputs import read_inputs
from prum_eval.evaluation.resolution import make_list_locator
from prum_eval.experiments.fit import make_problem, parse_requested_model
from prum_eval.experiments.fit_estimates import (
    DECAY,
    LEAK,
    PARAMETER,
    Readings,
    Resampling,
    add_leak,
    best_threshold_range,
    estimate_from_readings,
    estimate_from_views,
    estimate_reading_parameter,
    estimate_share,
    estimate_threshold,
    range_middle,
    solve_problem,
)
from prum_eval.experiments.fit_log import (
    Remarks,
    ShareCounts,
    ViewPairs,
    collect_pairs,
    collect_visits,
    collect_walks,
    count_cells,
    count_persistence,
    locate_places,
)
from prum_eval.experiments.simulate_log import simulate_log
from prum_eval.formats.log import write_log_lines
from prum_eval.formats.reading import read_log
from prum_eval.records import NavigationFile
from prum_eval.text.streams import Content
from prum_eval.user_models.model import ModelContext
from prum_eval.user_models.registry import choose_model
from tests.experiments.fit.worlds import design, inputs, log_of
from tests.slow import slow

LOGS = 200
LEAKING = 0.04


def covered(shares):
    """Between 90 and 99 %."""
    share = np.mean(shares)
    assert 0.90 <= share <= 0.99, share


def drawn_logs(spec, value, decay=1.0, logs=LOGS):
    """Pairs, counted, of logs of users of that model with that parameter; and what is asked of them."""
    pairs = design()
    asked = parse_requested_model(spec)
    question, law = make_problem(asked, inputs().context, pairs, None)
    rng = np.random.default_rng(7)
    counts = count_cells(pairs, once=False)
    reach = law.reach(value)[pairs.pair] * decay**pairs.ranks_before
    predicted = add_leak(reach, LEAKING)
    for _ in range(logs):
        viewed = rng.random(len(pairs)) < predicted
        yield _log(replace(pairs, viewed=viewed), counts), question


def read_logs(spec, value):
    """The same of users who read on: a target is viewed if the result is read as far as that."""
    pairs = design()
    asked = parse_requested_model(spec)
    question, law = make_problem(asked, inputs().context, pairs, None)
    rng = np.random.default_rng(8)
    counts = count_cells(pairs, once=False)
    _, line = np.unique(pairs.session * 10_000 + pairs.ranks_before, return_inverse=True)
    reach = law.reach(value)[pairs.pair]
    for _ in range(LOGS):
        u = rng.random(line.max() + 1)[line.ravel()]
        viewed = (u < reach) != (rng.random(len(pairs)) < LEAKING)
        yield _log(replace(pairs, viewed=viewed), counts), question


def _log(pairs, counts):
    views = np.bincount(counts.cell, weights=pairs.viewed.astype(float), minlength=len(counts.cells.pair))
    return pairs, replace(counts, cells=replace(counts.cells, views=views))


def estimated(pairs, counts, question):
    solution = solve_problem(question, counts.cells)
    return estimate_from_views(solution, counts, pairs, ("own", "leak", "rank_decay"), 0.05)


def holds(estimate, value):
    return estimate.low is not None and estimate.low <= value <= estimate.high


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        slow("bep-distance", 0.3),
        slow("logistic", 0.02),
        slow("siblings", 0.6),
        ("hierarchical", 0.5),
        slow("t2i:decay=inverse", 40.0),
        slow("t2i:decay=exponential", 60.0),
    ],
)
def test_the_parameter_is_in_its_interval(spec, value):
    spec = f"{spec}{',' if ':' in spec else ':'}rank_decay=1"
    found = [estimated(*log, question) for log, question in drawn_logs(spec, value)]
    covered([holds(one[PARAMETER], value) for one in found])
    covered([holds(one[LEAK], LEAKING) for one in found])
    middle = np.median([one[PARAMETER].value for one in found])
    assert middle == pytest.approx(value, rel=0.03)


@pytest.mark.slow
def test_it_is_whether_or_not_rank_decay_is_asked_for():
    """As by default: rank_decay is estimated where that pays, which it rarely does where there is none."""
    found = [estimated(*log, question) for log, question in drawn_logs("bep-distance", 0.3)]
    covered([holds(one[PARAMETER], 0.3) for one in found])
    assert np.mean([DECAY in one for one in found]) < 0.06


@pytest.mark.slow
def test_rank_decay_jointly():
    found = [estimated(*log, question) for log, question in drawn_logs("hierarchical", 0.5, decay=0.8)]
    assert all(DECAY in one for one in found)
    covered([holds(one[DECAY], 0.8) for one in found])
    covered([holds(one[PARAMETER], 0.5) for one in found])


@pytest.mark.slow
@pytest.mark.parametrize("decay", ["inverse", "exponential"])
def test_intervals_allow_for_views_that_depend_on_each_other(decay):
    """Views of one reading depend on each other: intervals by session hold, those of independent views do not."""
    value = 60.0
    found = [estimated(*log, question) for log, question in read_logs(f"t2i:decay={decay},rank_decay=1", value)]
    covered([holds(one[PARAMETER], value) for one in found])
    far = [abs(np.log(one[PARAMETER].value / value)) for one in found]
    naive = np.mean([distance <= 1.96 * one[PARAMETER].naive for distance, one in zip(far, found, strict=True)])
    clustered = np.mean([holds(one[PARAMETER], value) for one in found])
    assert naive < clustered


def test_a_threshold_is_in_its_interval():
    """Distances of 150 sessions with four pairs each are drawn anew for every log, up to five thresholds."""
    value, rng, found = 300.0, np.random.default_rng(10), []
    session, none = np.repeat(np.arange(150), 4), np.zeros(600, dtype=np.int64)
    for _ in range(LOGS):
        distance = rng.integers(0, 1500, 600).astype(float)
        viewed = (distance <= value) != (rng.random(600) < 0.08)
        pairs = ViewPairs(np.arange(600), none, none > 0, viewed, session, 150, ())
        low, high = best_threshold_range(distance, viewed.astype(float), np.ones(600))
        one = estimate_threshold(
            "tolerance", distance, pairs, none == 0, range_middle(low, high), Resampling(1, 150, 0.05)
        )
        found.append(one.low <= value <= one.high)
    covered(found)


@pytest.mark.parametrize("decay", ["inverse", "exponential"])
def test_how_far_users_read(decay):
    """300 readings of 100 sessions, cut off at ends of documents; those of a session are as alike as users are."""
    value = 300.0
    choice = choose_model("t2i", {"decay": decay})
    law = choice.model.estimable_parameter(choice.values, ModelContext()).reading
    rng, found = np.random.default_rng(5), []
    for _ in range(LOGS):
        room = rng.integers(50, 3000, 300)
        read = np.array([law.inverse_survival(u, value) for u in 1 - rng.random(300)])
        readings = Readings(np.minimum(read, room), read < room, np.repeat(np.arange(100), 3))
        tau = estimate_reading_parameter(law, readings)
        one = estimate_from_readings("tolerance", law, readings, tau, Resampling(1, 10, 0.05))
        found.append(holds(one, value))
    covered(found)


def test_the_median_of_how_far_users_read():
    choice = choose_model("t2i", {})
    law = choice.model.estimable_parameter(choice.values, ModelContext()).reading
    rng, found = np.random.default_rng(6), []
    for _ in range(LOGS):
        room = rng.integers(50, 3000, 240)
        read = 300 * np.exp(rng.normal(0, 0.6, 240) + np.repeat(rng.normal(0, 0.3, 80), 3))
        readings = Readings(np.minimum(read, room), read < room, np.repeat(np.arange(80), 3))
        one = estimate_from_readings(
            "tolerance", law, readings, estimate_reading_parameter(law, readings), Resampling(1, 100, 0.05)
        )
        found.append(holds(one, 300.0))
    covered(found)


@pytest.mark.slow
def test_steps_damping_and_persistence_of_logs():
    """Logs of 60 users who walk along a graph of eight documents, each left by two steps, down a list of all."""
    names, rng, found = "abcdefgh", np.random.default_rng(11), {"step": [], "damping": [], "persistence": []}
    rows = [(one, names[(number + away) % 8], step) for number, one in enumerate(names)
            for away, step in ((1, 0.4), (3, 0.2))]  # fmt: skip
    navigation = NavigationFile(
        "steps", (None,) * len(rows), *zip(*((source, target) for source, target, _ in rows), strict=True),
        np.array([step for *_, step in rows]), np.arange(len(rows)),
    )  # fmt: skip
    judged = {"1": dict.fromkeys(names, 1)}
    placing = make_list_locator(read_inputs(judged), None, "gen")
    for seed in rng.integers(0, 10**6, LOGS).tolist():
        log = simulate_log(
            judged, user_model="graph", navigation=navigation, navigation_kind="step", sessions=60, persistence=0.4,
            seed=seed, changes="shuffle",
        )  # fmt: skip
        visits = collect_visits(log, locate_places(log, placing, graph=True), Remarks())
        walks = collect_walks(visits, Remarks())
        for name, counted, truth in (
            ("step", walks.step("a", "b"), 0.4),
            ("damping", walks.damping(), 0.6),
            ("persistence", count_persistence(visits), 0.4),
        ):
            one = estimate_share(name, counted, "steps", 0.05)
            found[name].append(holds(one, truth))
    for held in found.values():
        covered(held)


@pytest.mark.slow
def test_logs_from_simulation_to_estimates():
    """Users of a model go down lists, logs of 80 of them are written and read again: nothing is drawn here."""
    found, placing = {"exponent": [], "leak": [], "persistence": []}, make_list_locator(inputs(), "relevant", "gen")
    asked = parse_requested_model("hierarchical:rank_decay=1")
    for seed in range(LOGS):
        users = log_of("hierarchical:exponent=.5", 80, leak=0.08, persistence=0.7, copies=1, seed=seed)
        log = read_log(Content("log", write_log_lines(users)))
        visits = collect_visits(log, locate_places(log, placing, graph=False), Remarks())
        pairs = collect_pairs(visits, Remarks(), everywhere=False)
        question, _ = make_problem(asked, inputs().context, pairs, None)
        one = estimated(pairs, count_cells(pairs, once=False), question)
        found["exponent"].append(holds(one[PARAMETER], 0.5))
        found["leak"].append(holds(one[LEAK], 0.08))
        found["persistence"].append(holds(estimate_share("persistence", count_persistence(visits), "ranks", 0.05), 0.7))
    for held in found.values():
        covered(held)


@pytest.mark.parametrize("share", [0.3, 0.8])
def test_shares_that_are_counted(share):
    """Damping, steps and persistence: 80 sessions that go on with a probability of their own, `share` on average."""
    rng, found = np.random.default_rng(9), []
    for _ in range(LOGS):
        own = rng.beta(8 * share, 8 * (1 - share), 80)
        whole = rng.integers(1, 8, 80)
        one = estimate_share(
            "p", ShareCounts(rng.binomial(whole, own).astype(float), whole.astype(float)), "steps", 0.05
        )
        found.append(holds(one, share))
    covered(found)
