"""The power of measures, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from prum_eval.analysis.limits import few_topics
from prum_eval.analysis.matrix import Matrix
from prum_eval.analysis.power.settings import PowerSettings
from prum_eval.evaluation.notices.notice import Notice
from prum_eval.tabular import RowValue, Table, Tabular, plural


@dataclass(frozen=True)
class SizePower:
    """What topic sets of a size show: `power`, of single sets; the others, of two disjoint ones.

    `tau` is None where runs always tie.
    """

    size: int
    power: float
    swap_rate: float
    error_rate: float
    ties: float
    tau: float | None


@dataclass(frozen=True)
class MeasurePower:
    """Of a measure over all `topics`: its discriminative power, the difference `required`, and topic sets by size.

    `required` is None where no two runs differ.
    """

    measure: str
    topics: int
    power: float
    required: float | None
    sizes: tuple[SizePower, ...]


@dataclass(frozen=True, repr=False)
class Power(Tabular):
    """What `power` returns: measures, the most powerful first, and of equal ones that of the greater tau."""

    matrix: Matrix
    settings: PowerSettings
    measures: tuple[MeasurePower, ...]

    @property
    def pairs(self) -> int:
        """Pairs of runs."""
        runs = len(self.matrix.runs)
        return runs * (runs - 1) // 2

    @property
    def warnings(self) -> tuple[Notice | str, ...]:
        """Sentences for the user."""
        return (*self.matrix.warnings, *few_topics(min(one.topics for one in self.measures)))

    @property
    def signature(self) -> str:
        """Every choice that changes a number, and the version, in one line."""
        settings, sizes = self.settings, self.settings.sizes
        parts = [
            f"{self.matrix.signature}|power|test:{settings.test}",
            f"runs:{len(self.matrix.runs)}",
            f"topics:{len(self.matrix.topics)}",
            *([f"sizes:{','.join(map(str, sizes))}"] if sizes is not None else []),
            f"fuzziness:{settings.fuzziness}",
            f"{settings.trials} trials",
            f"seed:{settings.seed}",
            f"alpha:{settings.alpha}",
        ]
        return "|".join(parts)

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a measure and size of topic sets; the last of a measure are all topics, which have no other set."""
        for one in self.measures:
            for own in one.sizes:
                yield {"measure": one.measure, **_row(own.size, own.power, None, own)}
            yield {"measure": one.measure, **_row(one.topics, one.power, one.required, None)}

    def _summary(self) -> str:
        return f"{plural(len(self.measures), 'measure')}, {plural(self.pairs, 'pair')} of runs"

    def _table(self) -> Table:
        columns = ("measure", "topics", "power", "required", "swap rate", "error rate", "ties", "tau")
        return columns, ([one.measure, *_row(one.topics, one.power, one.required, one.sizes[-1]).values()]
                         for one in self.measures)  # fmt: skip


def _row(topics: int, power: float, required: float | None, sets: SizePower | None) -> dict[str, RowValue]:
    names = ("swap_rate", "error_rate", "ties", "tau")
    values = {name: None if sets is None else getattr(sets, name) for name in names}
    return {"topics": topics, "power": power, "required": required, **values}
