"""Sessions of a log in order: each list by rank, whatever the order of the lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prum_eval.fitting.logged.places import TopicPlaces
from prum_eval.fitting.logged.reports import Remark, Remarks
from prum_eval.records.log import Consultation, UserLog


@dataclass(frozen=True, eq=False)
class VisitedList:
    """What a user did with the list of a topic, by rank. `session`: its number; `stopped`: after the last rank."""

    session: int
    places: TopicPlaces
    lines: tuple[Consultation, ...]
    stopped: bool


@dataclass(frozen=True, eq=False)
class Visits:
    """All lists of a log, by name of session and topic. `sessions`: their names, in order."""

    sessions: tuple[str, ...]
    lists: Sequence[VisitedList]

    @property
    def consulted(self) -> int:
        """Results consulted."""
        return sum(len(one.lines) for one in self.lists)


def visits_of(log: UserLog, places: Mapping[str, TopicPlaces], remarks: Remarks) -> Visits:
    """The lists of the topics that are assessed; remarks on lines that are not in order, or say `stop` too early."""
    grouped: dict[tuple[str, str], list[Consultation]] = {}
    last: tuple[str, str] | None = None
    for one in log.lines:
        key = one.session, one.topic
        if one.topic not in places:
            remarks.add(Remark.UNASSESSED, one.line)
            last = key
            continue
        before = grouped.setdefault(key, [])
        if before and (key != last or before[-1].rank > one.rank):
            remarks.add(Remark.OUT_OF_ORDER, one.line)
        before.append(one)
        last = key
    sessions = sorted({one.session for one in log.lines})
    number = {name: place for place, name in enumerate(sessions)}
    lists = []
    for session, topic in sorted(grouped):
        lines = sorted(grouped[session, topic], key=lambda one: one.rank)
        for one in lines[:-1]:
            remarks.add(Remark.EARLY_STOP, one.line, int(one.stop))
        lists.append(VisitedList(number[session], places[topic], tuple(lines), lines[-1].stop))
    return Visits(tuple(sessions), lists)
