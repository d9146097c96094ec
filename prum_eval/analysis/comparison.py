"""What a comparison of runs gives back: means and differences by measure, with what tests say of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from prum_eval.analysis.difference import STATISTICS, Difference
from prum_eval.analysis.groups import GroupMean, OrderChange, changes_among, group_means
from prum_eval.analysis.limits import few_topics, hopeless
from prum_eval.analysis.matrix import Matrix, means
from prum_eval.analysis.settings import ComparisonSettings
from prum_eval.analysis.telling import Telling, telling
from prum_eval.evaluation.notices.notice import Notice
from prum_eval.numerics.pareto import on_front
from prum_eval.tabular import RowValue, Table, Tabular, plural


@dataclass(frozen=True)
class MeasuredRun:
    """One run on one measure: its mean over `topics`, and how it differs from the run `against`.

    `run` and `against` are places among the runs. What the others are compared with has None for both.
    """

    measure: str
    run: int
    topics: int
    mean: float
    difference: Difference | None
    against: int | None = None


@dataclass(frozen=True, repr=False)
class Comparison(Tabular):
    """What `compare` returns.

    `measured` has one for each measure and run, in the order of the matrix of values; of all pairs of runs, one for
    each measure and pair, the later run minus the earlier one, below one for the first run. `base`: by measure, the run
    that the others are compared with; of all pairs, the best. `detectable`: by measure, which mean difference would
    have been found over these topics; not of counts, nor where nothing varies. `at`: the measure of what is found
    within the budget at which the runs are compared.
    """

    matrix: Matrix
    settings: ComparisonSettings
    measured: tuple[MeasuredRun, ...]
    base: Mapping[str, int]
    detectable: Mapping[str, float]
    at: str | None = None

    @property
    def telling(self) -> Telling:
        """The measure that ranks the runs, those that are costs, and which of all tell most."""
        return telling(self.matrix.measures, self.at)

    @property
    def families(self) -> dict[str, list[Difference]]:
        """The differences that are tested and corrected together, by the measures that they are of."""
        found: dict[str, list[Difference]] = {}
        scores = [name for name in self.matrix.measures if name not in self.matrix.counts]
        for row in self.measured:
            if row.difference is not None and row.measure in scores:
                family = ", ".join(scores) if self.settings.family == "call" else row.measure
                found.setdefault(family, []).append(row.difference)
        return found

    @property
    def comparisons(self) -> int:
        """How many a family has."""
        return max(map(len, self.families.values()), default=0)

    @property
    def front(self) -> tuple[int, ...]:
        """Places of the runs that no other beats in the first quality and its first cost at once; none without both."""
        both, found = telling(self.matrix.measures).trade_off, means(self.matrix)
        if both is None:
            return ()
        cost, quality = (found[self.matrix.measures.index(name)] for name in both)
        return tuple(np.flatnonzero(on_front(cost, quality)).tolist())

    @property
    def groups(self) -> tuple[GroupMean, ...]:
        """The means of each run by measure and group of topics; nothing is tested there."""
        return group_means(self.matrix)

    @property
    def order_changes(self) -> list[OrderChange]:
        """The measures that change the order of the runs between groups."""
        runs, found = len(self.matrix.runs), self.groups
        names = list(dict.fromkeys(one.group for one in found))
        tables: dict[str, list[float]] = {}
        for one in found:
            if one.measure not in self.matrix.counts:
                tables.setdefault(one.measure, []).append(np.nan if one.mean is None else one.mean)
        return changes_among({name: np.array(own).reshape(-1, runs) for name, own in tables.items()}, names)

    @property
    def warnings(self) -> tuple[Notice | str, ...]:
        """Sentences for the user: what was left out, and what so few topics cannot show."""
        families = self.families
        topics = min((row.topics for row in self.measured), default=0)
        limits = (*few_topics(topics), *hopeless(families, self.settings)) if families else ()
        return (*self.matrix.warnings, *limits)

    @property
    def signature(self) -> str:
        """Every choice that changes a number, and the version, in one line."""
        settings = self.settings
        baseline = "" if settings.baseline is None else f" with {settings.baseline}"
        what = f"{self.matrix.signature}|compare|topics:{len(self.matrix.topics)}|pairs:{settings.pairs}{baseline}"
        what += f"|at:{self.at}" if self.at is not None else ""
        tested = [one for family in self.families.values() for one in family]
        if not tested:
            return what
        how = {True: "exact", False: f"{settings.trials} trials"}
        exact = sorted({one.exact for one in tested}, reverse=True)
        parts = [
            what,
            f"interval:{settings.interval}",
            f"randomisation:{' or '.join(how[one] for one in exact)}",
            f"bootstrap:{settings.trials} trials",
            *([f"tukey:{settings.trials} trials"] if settings.pairs == "all" else []),
            f"seed:{settings.seed}",
            f"alpha:{settings.alpha}",
            f"holm:{self.comparisons} a {settings.family}",
        ]
        return "|".join(parts)

    def board(self) -> dict[str, list[MeasuredRun]]:
        """By measure, one row a run, in their order, all beside the `base`, which has no difference."""
        found: dict[str, list[MeasuredRun]] = {name: [] for name in self.matrix.measures}
        for row in self.measured:
            found[row.measure].append(row)
        if self.settings.pairs == "all":
            runs = range(len(self.matrix.runs))
            found = {name: [_beside(self.base[name], run, rows) for run in runs] for name, rows in found.items()}
        return found

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a measure and run, or pair of runs; what a run is not compared in is None.

        Where topics have groups, one row a measure, group and run follows.
        """
        runs = self.matrix.runs
        for one in self.measured:
            found = dict.fromkeys(STATISTICS) if one.difference is None else one.difference.statistics()
            own: dict[str, RowValue] = {
                "measure": one.measure,
                "run": runs[one.run],
                "topics": one.topics,
                "mean": one.mean,
            }
            against = None if one.against is None else runs[one.against]
            yield {**own, **found, "against": against, **({"group": None} if self.matrix.groups else {})}
        for of in self.groups:
            own = {"measure": of.measure, "run": runs[of.run], "topics": of.topics, "mean": of.mean}
            yield {**own, **dict.fromkeys(STATISTICS), "against": None, "group": of.group}

    def _summary(self) -> str:
        matrix = self.matrix
        against = {"best": "the best", "all": "each other"}.get(self.settings.pairs)
        if against is None:
            against = matrix.runs[self.base[matrix.measures[0]]]
        counted = (plural(len(matrix.runs), "run"), plural(len(matrix.topics), "topic"))
        return f"{', '.join(counted)}, {plural(len(matrix.measures), 'measure')}, against {against}"

    def _table(self) -> Table:
        names = ["measure", "run", "mean", "difference", "low", "high", "p_randomisation", "holm_randomisation"]
        if self.settings.pairs != "first":
            names.insert(2, "against")
        return names, ([row[name] for name in names] for row in self.rows() if row.get("group") is None)


def _beside(base: int, run: int, rows: list[MeasuredRun]) -> MeasuredRun:
    """A run beside the base, of the rows of all pairs of a measure."""
    later, earlier = max(base, run), min(base, run)
    own = rows[run * (run - 1) // 2 + 1 if run else 0]
    if run == base:
        return replace(own, difference=None, against=None)
    pair = rows[later * (later - 1) // 2 + earlier + 1].difference
    return replace(own, difference=pair if run == later or pair is None else pair.reversed(), against=base)
