"""Printed names that are points of one curve: those of a measure at its cut-offs, levels or budgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prum_eval.measures.base import Measure
from prum_eval.measures.registry import point_of, printed_by

_LEAST = 3
"""So many points are a curve."""


@dataclass(frozen=True)
class NamedCurve:
    """Names that belong together: `name` is that of the measure with its label, `numbers` are their places.

    `points` are their cut-offs, levels or budgets; of a name without one, which stands alone, there are none, nor need
    it be that of a `measure` that is known here.
    """

    name: str
    numbers: Sequence[int]
    points: Sequence[float] = ()
    known: Measure | None = None

    @property
    def is_curve(self) -> bool:
        """Whether there are points enough to draw a line."""
        return len(self.points) >= _LEAST

    @property
    def measure(self) -> Measure:
        """The measure whose points they are.

        Raises:
            ValueError: it is not known.
        """
        if self.known is None:
            raise ValueError(self.name)
        return self.known


def by_curve(names: Sequence[str]) -> list[NamedCurve]:
    """Names by the measure and label whose values they are, in the order of the first of each.

    >>> [(one.name, one.points) for one in by_curve(["P_5:quantisation=strict", "map", "P_10:quantisation=strict"])]
    [('P:quantisation=strict', (5.0, 10.0)), ('map', ())]
    """
    measured = printed_by(names)
    found: dict[str, list[tuple[int, float | None]]] = {}
    for number, name in enumerate(names):
        known, label = measured.get(name), name.partition(":")[2]
        point = None if known is None else point_of(name, known)
        own = name if known is None or point is None else f"{known.name}:{label}" if label else known.name
        found.setdefault(own, []).append((number, point))
    return [
        NamedCurve(
            name,
            tuple(number for number, _ in own),
            tuple(point for _, point in own if point is not None),
            measured.get(names[own[0][0]]),
        )
        for name, own in found.items()
    ]
