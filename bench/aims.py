"""What we aim at, and what is measured: where an aim is a ratio, to the floor or peer of the same call.

Aims in seconds are of one machine, on which the split loop over the structure takes `PACE` seconds: on a machine where
it takes twice as long they are twice as many.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bench.cases import elements, many, passages, start, trec_runs
from bench.page import table
from bench.processes import Measured

PACE = 0.44


@dataclass(frozen=True)
class Aim:
    """A row takes at most so many seconds where those of `PACE` are, or times the row `to`, and so many MB."""

    row: str
    most: float
    to: str | None = None
    megabytes: float | None = None


AIMS = (
    Aim(passages.QUESTIONS, 5, passages.LOOP, megabytes=80),
    Aim(f"{passages.QUESTIONS}, times 16", 5, f"{passages.LOOP}, times 16", megabytes=250),
    Aim(trec_runs.OURS, 0.6, trec_runs.TREC_EVAL, megabytes=170),
    Aim(passages.THOROUGH, 0.36, passages.OFFICIAL),
    Aim(elements.WARM, 6.2, elements.RUN, megabytes=130),
    Aim(elements.COLD, 2.2, elements.STRUCTURE),
    Aim(elements.RELEVANT, 45, elements.RUN, megabytes=200),
    Aim(passages.LARGE.format(model="t2i"), 10, megabytes=1000),
    Aim(passages.LARGE.format(model="hierarchical"), 10, megabytes=1000),
    Aim(passages.LARGE_PRUM.format(model="t2i"), 10, megabytes=1000),
    Aim(passages.LARGE_PRUM.format(model="hierarchical"), 10, megabytes=1000),
    Aim(elements.NG, 2, megabytes=200),
    Aim(elements.NG_INDEX, 2, megabytes=200),
    Aim(elements.BEST, 1.6),
    Aim(passages.CHUNKS, 2),
    Aim(many.TOPICS, 5),
    Aim(many.MILLION, 50, megabytes=1000),
    Aim(many.PAIRS, 8),
    Aim(elements.SIXTEEN, 8),
    Aim(start.IMPORT, 1.1, start.NUMPY),
    Aim(start.OURS, 3, start.THEIRS),
)


def aims_table(rows: Mapping[str, Measured], aims: tuple[Aim, ...] = AIMS) -> list[str]:
    """A row an aim: what was measured, what we aim at, and whether it is reached."""
    reached = [_reached(aim, rows) for aim in aims]
    count = f"{reached.count(True)} of {len(aims)} are reached, {reached.count(False)} missed"
    unknown = f", {reached.count(None)} not measured" if None in reached else ""
    said = {True: "yes", False: "no", None: ""}
    lines = [
        [aim.row, _measured(aim, rows), _wanted(aim, rows), said[found]]
        for aim, found in zip(aims, reached, strict=True)
    ]
    pace = (
        f"The {elements.STRUCTURE} takes {_pace(rows):.2f} times what it took where the seconds were set, in brackets."
    )
    return [f"{count}{unknown}. {pace}", "", *table("what | measured | at most | reached", lines)]


def _pace(rows: Mapping[str, Measured]) -> float:
    """How many times as slow this machine is as the one of the aims."""
    return rows[elements.STRUCTURE].seconds / PACE if elements.STRUCTURE in rows else 1.0


def _most(aim: Aim, rows: Mapping[str, Measured]) -> float:
    return aim.most if aim.to is not None else aim.most * _pace(rows)


def _numbers(aim: Aim, rows: Mapping[str, Measured]) -> tuple[float, float] | None:
    """Seconds or ratio, and megabytes; None where a row is missing."""
    if aim.row not in rows or (aim.to is not None and aim.to not in rows):
        return None
    found = rows[aim.row]
    return found.seconds / (rows[aim.to].seconds if aim.to is not None else 1.0), found.megabytes


def _reached(aim: Aim, rows: Mapping[str, Measured]) -> bool | None:
    numbers = _numbers(aim, rows)
    if numbers is None:
        return None
    return numbers[0] <= _most(aim, rows) and (aim.megabytes is None or numbers[1] <= aim.megabytes)


def _measured(aim: Aim, rows: Mapping[str, Measured]) -> str:
    numbers = _numbers(aim, rows)
    if numbers is None:
        return "not measured"
    value = f"{numbers[0]:.2f} times" if aim.to is not None else f"{numbers[0]:.2f} s"
    return f"{value}, {numbers[1]:.0f} MB"


def _wanted(aim: Aim, rows: Mapping[str, Measured]) -> str:
    value = f"{aim.most:g} times {aim.to}" if aim.to is not None else f"{_most(aim, rows):.1f} s ({aim.most:g})"
    return value if aim.megabytes is None else f"{value}, {aim.megabytes:g} MB"
