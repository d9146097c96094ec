"""What was seen is worked out at the entries of R: the same, to the last digit, as rank by rank for every target."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.measures.seen_states import make_seen_states
from prum_eval.user_models.model import make_reach
from tests.oracles.worlds import examples

CHANCES = st.one_of(st.sampled_from([1.0, 0.5, 1e-20, 1e-300, 1 - 1e-16]), st.floats(0, 1))


@st.composite
def reaches(draw):
    """R of a few ranks and targets, and an order of some of the targets."""
    ranks, targets = draw(st.integers(0, 30)), draw(st.integers(0, 8))
    places = st.tuples(st.integers(0, max(0, ranks - 1)), st.integers(0, max(0, targets - 1)))
    entries = draw(st.dictionaries(places, CHANCES, max_size=60)) if ranks and targets else {}
    rank, target = np.array(list(entries), dtype=np.int64).reshape(-1, 2).T
    own = np.zeros(len(entries), dtype=np.bool_)
    reach = make_reach(ranks, targets, rank, target, np.array(list(entries.values())), own)
    return reach, np.array(draw(st.permutations(range(targets))), dtype=np.int64)


def every_rank(reach, order):
    """p of every target that is ever seen, after every rank: small ones are sums of first sightings."""
    rows = []
    for target in order:
        steps = reach.dense()[:, target]
        if not steps.any():
            continue
        unseen, summed, seen = 1.0, 0.0, [0.0]
        for chance in steps:
            step = 0.0 if seen[-1] >= 1 else chance  # who has seen it for sure sees nothing new
            summed += step * unseen
            unseen *= 1.0 - step
            seen.append(max(seen[-1], 1.0 - unseen if unseen < 0.5 else summed))
        rows.append(seen)
    return np.array(rows).reshape(len(rows), reach.ranks + 1)


@examples(200)
@given(reaches())
def test_states_are_those_of_every_rank(given_):
    reach, order = given_
    seen, wanted = make_seen_states(reach, order), every_rank(reach, order)
    changes = (wanted[:, 1:] != wanted[:, :-1]).any(axis=0)
    assert seen.change_ranks.tolist() == (np.flatnonzero(changes) + 1).tolist()
    assert seen.p.tolist() == wanted[:, np.append(True, changes)].tolist()
    assert seen.active.tolist() == [x for x in order.tolist() if reach.dense()[:, x].any()]
    assert seen.dwell.sum() == reach.ranks
    for state in range(seen.p.shape[1]):
        cut = seen.cut_after(state)
        assert cut.p.tolist() == seen.p[:, : state + 1].tolist()
        assert cut.dwell.sum() == cut.ranks == (seen.change_ranks[state - 1] if state else 0)
        assert seen.probabilities.columns(state // 2, state + 1).tolist() == seen.p[:, state // 2 : state + 1].tolist()
