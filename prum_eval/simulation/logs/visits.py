"""What one user does: down a list, from each result to what the model leads to, until patience or the list ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from prum_eval.records.log import Consultation, LoggedPlace
from prum_eval.simulation.draws import Draws
from prum_eval.simulation.logs.consulted import ListedPlace, UserList, place_of_node
from prum_eval.simulation.logs.users import Users
from prum_eval.user_models.model import ReadingLaw

_LONGEST_WALK = 1000


class Exits(NamedTuple):
    """The steps out of a node: where to, and the sums of their probabilities up to each."""

    nodes: tuple[str, ...]
    sums: tuple[float, ...]


@dataclass(frozen=True)
class LogPlan:
    """Everything that users of a log share.

    `lists`: session n goes down list n modulo their number. `exits`: by topic and node, where users walk. `reading` and
    `value`: how far they read, where they do. `digits`: of the numbers in names of sessions.
    """

    users: Users
    lists: Sequence[UserList]
    exits: Mapping[str | None, Mapping[str, Exits]] | None = None
    reading: ReadingLaw | None = None
    value: float = 0.0

    def session(self, number: int) -> Iterator[Consultation]:
        """The lines of a session, numbered from 0; they depend on the seed and this number alone."""
        users, draws = self.users, Draws(f"{self.users.seed} log {number}")
        one = self.lists[number % len(self.lists)]
        name = f"s{number + 1:0{len(str(users.sessions))}d}"
        seen: set[int] = set()
        for place, result in enumerate(one.results):
            seen.update(result.own)
            viewed, read = self._views(one, result, seen, draws)
            last = place == len(one.results) - 1  # nobody knows who would have gone on
            stop = not last and draws.uniform() >= users.persistence
            yield Consultation(name, one.topic, result.rank, result.place, tuple(viewed), read, stop, 0)
            if stop:
                return

    def _views(
        self, one: UserList, result: ListedPlace, seen: set[int], draws: Draws
    ) -> tuple[list[LoggedPlace], int | None]:
        """What the user views from a result, in order, and how far it is read; adds to what is `seen`."""
        waiting = [lead for lead in result.leads if lead.target not in seen]
        nodes: list[str] = []
        way: list[LoggedPlace] = []
        read = None
        if self.exits is not None and result.node:
            nodes = self._walk(one.topic, result.node, draws)
            way = [place_of_node(node) for node in nodes]
            there = {one.number_of[node] for node in nodes if node in one.number_of}
            reached = [lead.target in there for lead in waiting]
        elif self.reading is not None and result.room is not None:
            far = int(min(self.reading.drawn(1.0 - draws.uniform(), self.value), result.room))
            reached, read = [lead.gap <= far for lead in waiting], far
        else:
            there = set()
            reached = [draws.uniform() < lead.reach for lead in waiting]
        leaks = [self.users.leak > 0 and draws.uniform() < self.users.leak for _ in waiting]
        drawn = list(zip(waiting, reached, leaks, strict=True))
        found = [lead.target for lead, led, leak in drawn if led != leak]
        seen.update(found)
        if not way:
            return [one.targets[target] for target in found], read
        hidden = {lead.target for lead, led, leak in drawn if led and leak}
        shown = [place for place, node in zip(way, nodes, strict=True) if one.number_of.get(node) not in hidden]
        return shown + [one.targets[lead.target] for lead, led, leak in drawn if leak and not led], read

    def _walk(self, topic: str, node: str, draws: Draws) -> list[str]:
        """The nodes that a walk visits, without the one where it begins."""
        assert self.exits is not None  # noqa: S101 -- asked of walking users only
        exits = self.exits.get(topic, self.exits.get(None, {}))
        visited: list[str] = []
        while node in exits and len(visited) < _LONGEST_WALK:
            u = draws.uniform()
            nodes, sums = exits[node]
            step = next((number for number, total in enumerate(sums) if u < total), None)
            if step is None:
                break
            node = nodes[step]
            visited.append(node)
        return visited
