"""Means of runs at the values of one parameter, how their order changes, and which runs change places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from prum_eval.analysis.sensitivity.varied import Varied
from prum_eval.arrays import FloatArray
from prum_eval.evaluation.notices.notice import Notice
from prum_eval.evaluation.results import MeasuredValue
from prum_eval.tabular import RowValue, Table, Tabular, plural


@dataclass(frozen=True)
class SweptMean:
    """A run on a measure at a value; `measure`, `value` and `run` are places.

    `mean` is what `prum_eval.evaluate` gives as the average at that setting, or the mean of that over copies. `margin`:
    half the width of its interval, None where there is none; `over` how many topics or copies that is.
    """

    measure: int
    value: int
    run: int
    mean: MeasuredValue
    margin: float | None
    over: int


@dataclass(frozen=True)
class PlaceChange:
    """By `measure`, run `upper` is above run `lower` at value `before`, and below it at value `after` (all places).

    `at`: where between these values their means are equal, by straight lines; None where values are no numbers.
    """

    measure: str
    upper: int
    lower: int
    before: int
    after: int
    at: float | None


@dataclass(frozen=True, repr=False, eq=False)
class Sweep(Tabular):
    """What `sweep` returns.

    Attributes:
        varied: the parameter and its values.
        label: what the parameter is called: its key, or of simulated runs what was varied in them.
        reference: the place of the value with which orders of runs are compared.
        runs, paths: names of runs and their files, or of series of simulated runs and their lists.
        measures: names as they print.
        means: measure by measure, value by value, one a run.
        copies: intervals are over copies of simulated runs, and not over topics.
        alpha: they hold 1 - alpha.
        tau: of each measure one a value: Kendall's tau-b between the orders of the runs there and at the reference.
        changes: wherever two runs change places.
        inputs: assessments, structure and navigation file, as json of eval has them.
        topics: how many topics some run has values of.
        signature: every choice that changes a number.
        warnings: what the user should know.
    """

    varied: Varied
    label: str
    reference: int
    runs: tuple[str, ...]
    paths: tuple[str, ...]
    measures: tuple[str, ...]
    means: tuple[SweptMean, ...]
    copies: bool
    alpha: float
    tau: Mapping[str, tuple[float | None, ...]]
    changes: tuple[PlaceChange, ...]
    inputs: Mapping[str, str | None]
    topics: int
    signature: str
    warnings: Sequence[Notice | str]

    @cached_property
    def table(self) -> FloatArray:
        """All means, shape (measures, values, runs); NaN where there is none."""
        return self._array([one.mean for one in self.means])

    @cached_property
    def margins(self) -> FloatArray:
        """Half the widths of their intervals, likewise."""
        return self._array([one.margin for one in self.means])

    def _array(self, values: list[MeasuredValue]) -> FloatArray:
        shape = len(self.measures), len(self.varied.values), len(self.runs)
        return np.array([np.nan if value is None else float(value) for value in values]).reshape(shape)

    @property
    def values(self) -> tuple[str, ...]:
        """The values of the parameter, in text."""
        return self.varied.values

    def value(self, place: int) -> str | float:
        """A value as a number where all are some."""
        numbers = self.varied.numbers
        if numbers is None:
            return self.values[place]
        return int(numbers[place]) if numbers[place].is_integer() else numbers[place]

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a measure, value and run."""
        for one in self.means:
            low = high = None
            if one.mean is not None and one.margin is not None:
                low, high = one.mean - one.margin, one.mean + one.margin
            name = self.measures[one.measure]
            yield {
                "value": self.value(one.value),
                "run": self.runs[one.run],
                "measure": name,
                "mean": one.mean,
                "low": low,
                "high": high,
                "copies" if self.copies else "topics": one.over,
                "tau": self.tau[name][one.value],
            }

    def _summary(self) -> str:
        values, runs = plural(len(self.values), "value"), plural(len(self.runs), "run")
        return f"{values} of {self.label}, {runs}, {plural(len(self.measures), 'measure')}"

    def _table(self) -> Table:
        columns = ("run", "measure", "mean", "low", "high", "tau")
        pairs = zip(self.means, self.rows(), strict=True)
        return ("value", *columns), ([self.values[one.value], *map(row.get, columns)] for one, row in pairs)
