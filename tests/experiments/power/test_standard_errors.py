"""Standard errors of power: as far as other seeds are off; an order only where measures differ by more."""

from __future__ import annotations

import numpy as np
import pytest

from prum_eval import power
from prum_eval.experiments.power import RATES


def made(seed, *measures, runs=8, topics=40):
    """Values of runs by topic; `measures` are noise of each measure."""
    random = np.random.default_rng(seed)
    quality, difficulty = random.normal(0, 0.05, (runs, 1)), random.normal(0, 0.1, topics)
    values = {
        f"m{n}": 0.4 + quality + difficulty + random.normal(0, own, (runs, topics)) for n, own in enumerate(measures)
    }
    return {
        f"r{run}": {f"t{t}": {name: float(own[run, t]) for name, own in values.items()} for t in range(topics)}
        for run in range(runs)
    }


def test_other_seeds_are_as_far_off_as_stated():
    values = made(1, 0.15)
    sets, required = {name: [] for name in RATES if name != "required"}, []
    for seed in range(30):
        (measure,) = power(values=values, trials=300, seed=seed, sizes=20).measures
        required.append((measure.required, measure.required_se))
        for name, pairs in sets.items():
            pairs.append((getattr(measure.sizes[0], name), getattr(measure.sizes[0], f"{name}_se")))
    for name, pairs in {**sets, "required": required}.items():
        rates, errors = np.array(pairs).T
        assert 0.6 < errors.mean() / rates.std(ddof=1) < 1.7, name


def test_what_is_exact_has_no_error():
    (measure,) = power(values=made(2, 0.1, topics=12), test="randomisation", trials=50).measures
    assert measure.power_se == 0
    (measure,) = power(values=made(2, 0.1), test="t", trials=50).measures
    assert measure.power_se == 0


def test_only_what_differs_by_more_than_two_errors_is_ordered():
    found = power(values=made(3, 0.6, 0.05, 0.6), trials=300, sizes=10)
    assert found.measures[0].measure == "m1"
    first, later = found.measures[1:]
    gap = later.power - first.power
    assert gap <= 2 * np.hypot(first.power_se, later.power_se) + 1e-12
    copies = {
        run: {topic: {"z": own["m0"], "a": own["m0"]} for topic, own in topics.items()}
        for run, topics in made(4, 0.2).items()
    }
    assert [one.measure for one in power(values=copies, trials=50).measures] == ["z", "a"]  # as asked


def test_the_unit_of_the_data_changes_no_rate():
    values = made(5, 0.15)
    (plain,) = power(values=values, trials=200, sizes=20).measures
    for unit in (1e-50, 1e160):
        scaled = {r: {t: {n: v * unit for n, v in row.items()} for t, row in own.items()} for r, own in values.items()}
        (measure,) = power(values=scaled, trials=200, sizes=20).measures
        assert (measure.power, measure.sizes) == (plain.power, plain.sizes)
        assert measure.required == pytest.approx(plain.required * unit)


def test_five_thousand_trials_are_drawn():
    assert power(values=made(6, 0.2, topics=8)).settings.trials == 5000
