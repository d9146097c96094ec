"""What must hold of chance: how far results move, and that measures fall the farther they do. All is seeded."""

from itertools import pairwise
from statistics import fmean

import pytest
from scipy.stats import chi2

from bench.gen_inex import generate
from prum_eval import evaluate, read_assessments, read_structure, simulate
from tests.measures.collections import Element, assessments_of, structure_of
from tests.slow import slow, slow_but

MIDDLE = 60


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inex")
    generate(folder, "small", topics=20, docs=200, elements=40, assessed=40, relevant=12)
    return read_assessments(str(folder / "assessments")), read_structure(str(folder / "structure.tsv"))


@pytest.mark.parametrize("seed", slow_but([1], range(1, 9)))
def test_measures_fall_strictly_in_m(collection, seed):
    """Means over 5 copies; the values of m share their random numbers, so that little chance is between them."""
    assessments, structure = collection
    simulation = simulate(assessments, structure=structure, changes="move", vary="move.m=0:.9:.1", copies=5, seed=seed)
    runs = [one.run for one in simulation]
    longest = max(len(run.line) for run in runs)
    measures = ["prum_map", "eprum_map", f"gen_recall.{longest}"]
    found = evaluate(assessments, runs, structure=structure, user_model="hierarchical", measures=measures).runs
    for name in ("prum_map", "eprum_map", f"gen_recall_{longest}"):
        values = [run.all[name] for run in found]
        curve = [fmean(values[first : first + 5]) for first in range(0, len(values), 5)]
        assert len(curve) == 10
        assert all(after < before for before, after in pairwise(curve)), (name, curve)


def chain(axis):
    """Elements of which each is the only child of the one before, or all but the first are its children."""
    if axis == "siblings":
        children = [Element("d", f"/e[1]/e[{number + 1}]", number, 1, []) for number in range(2 * MIDDLE + 1)]
        return children, [Element("d", "/e[1]", 0, len(children), children), *children]
    inner = []
    for depth in range(2 * MIDDLE + 1, 0, -1):
        inner = [Element("d", "/e[1]" * depth, 0, 10, inner)]
    elements = list(inner[0].walk())
    return elements, elements


@pytest.mark.parametrize("m", [0.0, 0.1, slow(0.5), slow(0.9)])
@pytest.mark.parametrize("axis", ["updown", "siblings"])
def test_shifts_on_a_chain_are_geometric(m, axis):
    """P(shift = j) = m^j (1 - m): chi-square over the shifts that are expected 5 times or more, and all others."""
    line, elements = chain(axis)
    place = {element.path: number for number, element in enumerate(line)}
    judged = assessments_of({"1": {line[MIDDLE].key: (3, 3)}})
    copies = 4000
    made = simulate(judged, structure=structure_of(elements), changes=f"move:m={m},axis={axis}", copies=copies)
    shifts = [place[one.run.paths[one.run.first_path[0]]] - MIDDLE for one in made]
    expected = [copies * m**j * (1 - m) for j in range(MIDDLE)]
    counted = [sum(abs(shift) == j for shift in shifts) for j in range(MIDDLE)]
    few = next((j for j in range(MIDDLE) if expected[j] < 5), MIDDLE)
    expected, counted = expected[:few], counted[:few]
    if m:
        expected.append(copies - sum(expected))
        counted.append(copies - sum(counted))
        statistic = sum((one - other) ** 2 / other for one, other in zip(counted, expected, strict=True))
        assert statistic <= chi2.ppf(0.999, len(counted) - 1)
    else:
        assert counted == [copies]
    moved = sum(shift != 0 for shift in shifts)
    assert abs(sum(shift < 0 for shift in shifts) - moved / 2) <= 4 * (moved / 4) ** 0.5  # four standard errors


def test_the_way_down_takes_each_child_as_often():
    children = [Element("d", f"/e[1]/e[{number + 1}]", number, 1, []) for number in range(7)]
    root = Element("d", "/e[1]", 0, 7, children)
    judged = assessments_of({"1": {root.key: (3, 3)}})
    made = simulate(judged, structure=structure_of([root, *children]), changes="move:m=1", copies=7000)
    paths = [one.run.paths[one.run.first_path[0]] for one in made]
    down = [paths.count(child.path) for child in children]
    mean = sum(down) / 7
    assert abs(sum(down) - 3500) <= 4 * 1750**0.5
    assert sum((one - mean) ** 2 / mean for one in down) <= chi2.ppf(0.999, 6)
