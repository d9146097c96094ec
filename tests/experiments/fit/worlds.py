"""What fits are tried on: a random collection, lists around its targets, and the pairs that sessions on them make."""

from __future__ import annotations

from functools import cache

import prum_eval
from prum_eval.evaluation.inputs import read_inputs
from prum_eval.evaluation.resolution import make_list_locator
from prum_eval.experiments.fit_log import Remarks, collect_pairs, collect_visits, locate_places
from tests.experiments.simulate.worlds import World

WORLD = World(documents=30, topics=6, targets=14, seed=3)
GIVEN = {"structure": WORLD.structure, "targets": "relevant"}
CHANGES = ["move:m=.5", "shuffle"]


def log_of(user_model, sessions=300, **options):
    """Sessions of users of a model, on lists of what lies around the targets."""
    given = {**GIVEN, "changes": CHANGES, "copies": 4, "leak": 0.03, **options}
    return prum_eval.simulate_log(WORLD.assessments, "relevant", user_model=user_model, sessions=sessions, **given)


@cache
def inputs():
    return read_inputs(WORLD.assessments, WORLD.structure)


@cache
def design(sessions=150):
    """Pairs of a log of users who view nothing: all pairs that there may be."""
    log = log_of("none", sessions, leak=0.0)
    placing = make_list_locator(inputs(), "relevant", "gen")
    remarks = Remarks()
    visits = collect_visits(log, locate_places(log, placing, graph=False), remarks)
    return collect_pairs(visits, remarks, everywhere=False)
