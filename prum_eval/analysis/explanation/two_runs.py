"""One topic of two runs, explained side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Unpack

from prum_eval.analysis.explanation.explain import Explanation
from prum_eval.analysis.explanation.one_topic import explain
from prum_eval.evaluation.api import MeasuringKeywords
from prum_eval.evaluation.notices.notice import Notice
from prum_eval.formats.given import GivenAssessments, GivenRun, PathName
from prum_eval.tabular import RowValue, Table, Tabular


@dataclass(frozen=True, repr=False)
class TwoExplanations(Tabular):
    """What `explain_against` returns: the explanations of two runs on one topic, under the same measures."""

    first: Explanation
    second: Explanation

    @property
    def topic(self) -> str:
        """The topic."""
        return self.first.topic

    @property
    def signature(self) -> str:
        """Every choice that changes a number, in one line."""
        return self.first.signature

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """What the user should know of either."""
        return (*self.first.warnings, *(one for one in self.second.warnings if one not in self.first.warnings))

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a rank of each run."""
        for one in (self.first, self.second):
            yield from ({"run": one.run_id, **row} for row in one.rows())

    def _summary(self) -> str:
        return f"topic {self.topic}, runs {self.first.run_id} and {self.second.run_id}"

    def _table(self) -> Table:
        second = {each.measure: each.value for each in self.second.contributions}
        return ("measure", self.first.run_id, self.second.run_id), (
            [each.measure, each.value, second.get(each.measure)] for each in self.first.contributions
        )


def explain_against(
    assessments: GivenAssessments,
    run: GivenRun,
    against: GivenRun,
    topic: str,
    *,
    texts: PathName | None = None,
    **options: Unpack[MeasuringKeywords],
) -> TwoExplanations:
    """Explain a topic of two runs, to be read side by side.

    Args:
        assessments: as `prum_eval.evaluate` takes them.
        run: one run, likewise.
        against: another run.
        topic: the topic.
        texts: as `prum_eval.explain` takes them.
        options: the other arguments of `prum_eval.explain`.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.explain`, for either run.
    """
    first, second = (explain(assessments, one, topic, texts=texts, **options) for one in (run, against))
    return TwoExplanations(first, second)
