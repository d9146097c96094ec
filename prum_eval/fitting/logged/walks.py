"""Steps of users from node to node, and from rank to rank: how often they go on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.fitting.logged.reports import Remark, Remarks
from prum_eval.fitting.logged.visits import Visits
from prum_eval.records.navigation import NavigationFile


@dataclass(frozen=True, eq=False)
class Counted:
    """What happened in each session: `part` of `whole` times. Shape (sessions,)."""

    part: FloatArray
    whole: FloatArray

    def share(self) -> float | None:
        """Of all sessions; None where nothing happened."""
        whole = float(self.whole.sum())
        return float(self.part.sum()) / whole if whole > 0 else None


@dataclass(frozen=True, eq=False)
class Walks:
    """Steps n_ij from node to node, departures n_i, and by session: columns of one entry for each of its steps.

    `nodes`: names; `source`, `target` and `session` of each step; `left` and `left_session`: nodes from which a session
    went on or stopped. The last position of a list that does not end with a stop is none of them.
    """

    nodes: tuple[str, ...]
    source: IntArray
    target: IntArray
    session: IntArray
    left: IntArray
    left_session: IntArray
    sessions: int

    def navigation(self, sessions: Iterable[int] | None = None) -> NavigationFile:
        """Probabilities n_ij / n_i of all steps, as a navigation file of single steps; of some sessions, or of all."""
        step, departure = np.ones(len(self.source), dtype=np.bool_), np.ones(len(self.left), dtype=np.bool_)
        if sessions is not None:
            own = np.array(sorted(sessions), dtype=np.int64)
            step, departure = np.isin(self.session, own), np.isin(self.left_session, own)
        size = max(1, len(self.nodes))
        keys, counts = np.unique(self.source[step] * size + self.target[step], return_counts=True)
        source, target = np.divmod(keys, size)
        whole = np.bincount(self.left[departure], minlength=size)
        return NavigationFile(
            "steps", (None,) * len(keys), tuple(self.nodes[one] for one in source.tolist()),
            tuple(self.nodes[one] for one in target.tolist()), counts / whole[source], np.arange(1, len(keys) + 1),
        )  # fmt: skip

    def damping(self) -> Counted:
        """Of all departures those that are steps, by session."""
        steps = np.bincount(self.session, minlength=self.sessions).astype(np.float64)
        return Counted(steps, np.bincount(self.left_session, minlength=self.sessions).astype(np.float64))

    def step(self, source: str, target: str) -> Counted:
        """Of the departures from a node those to another one, by session."""
        number = {name: place for place, name in enumerate(self.nodes)}
        here = self.source == number[source]
        along = here & (self.target == number[target])
        part = np.bincount(self.session[along], minlength=self.sessions).astype(np.float64)
        whole = np.bincount(self.left_session[self.left == number[source]], minlength=self.sessions)
        return Counted(part, whole.astype(np.float64))


def walks_of(visits: Visits, remarks: Remarks) -> Walks:
    """The walks of all lists, from each result along the views to the last; places that are no node are passed over."""
    names: dict[str, list[str]] = {}
    codes: dict[str, int] = defaultdict(lambda: len(codes))
    steps: list[tuple[int, int, int]] = []
    left: list[tuple[int, int]] = []
    for one in visits.lists:
        places = one.places
        if places.topic not in names:
            names[places.topic] = list(places.ranked.result_nodes())
        for number, line in enumerate(one.lines):
            listed = [names[places.topic][places.number[place]] for place in (line.result, *line.viewed)]
            remarks.add(Remark.NO_NODE, line.line, sum(not name for name in listed))
            nodes = [codes[name] for name in _apart(name for name in listed if name)]
            steps += [(here, there, one.session) for here, there in pairwise(nodes)]
            censored = number == len(one.lines) - 1 and not one.stopped
            left += [(node, one.session) for node in (nodes[:-1] if censored else nodes)]
    order = np.argsort(np.array(list(codes)), kind="stable") if codes else np.zeros(0, dtype=np.int64)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    listed_names = list(codes)
    source, target, session = np.array(steps, dtype=np.int64).reshape(-1, 3).T
    departed, by = np.array(left, dtype=np.int64).reshape(-1, 2).T
    return Walks(
        tuple(listed_names[one] for one in order.tolist()), place[source], place[target], session, place[departed], by,
        len(visits.sessions),
    )  # fmt: skip


def _apart(names: Iterable[str]) -> list[str]:
    """Names without those that are like the one before."""
    found: list[str] = []
    for name in names:
        if not found or found[-1] != name:
            found.append(name)
    return found


def persistence_of(visits: Visits) -> Counted:
    """By session, how often a user went on to the next rank, of all times that one went on or stopped."""
    on, stops = np.zeros((2, len(visits.sessions)))
    for one in visits.lists:
        on[one.session] += one.lines[-1].rank - 1
        stops[one.session] += one.stopped
    return Counted(on, on + stops)
