"""Runs at an equal budget: what each finds within so many characters or tokens."""

from __future__ import annotations

import re

from prum_eval.errors import UsageError
from prum_eval.measures.base import Measure
from prum_eval.measures.registry import all_measures
from prum_eval.measures.tasks import TASKS
from prum_eval.parameters import nearest

LARGEST_BUDGET = 2**31 - 1
_BUDGET = re.compile(r"(?P<key>[a-z_]+)=(?P<amount>[0-9]{1,10})")


def measure_at(at: str) -> tuple[Measure, int]:
    """The measure of what is found within a budget such as ``size=2000``, and how large the budget is.

    Raises:
        UsageError: it is none.
    """
    measures = {measure.budget: measure for measure in all_measures() if measure.budget}
    found = _BUDGET.fullmatch(at)
    if found is None or not 1 <= int(found["amount"]) <= LARGEST_BUDGET:
        known = " or ".join(f"{key}=N" for key in measures)
        raise UsageError(f"at={at}: a budget is {known}, N a whole number from 1 to {LARGEST_BUDGET}")
    if found["key"] not in measures:
        raise UsageError(f"at={at}: no budget of {found['key']}{nearest(found['key'], measures)}")
    return measures[found["key"]], int(found["amount"])


def task_with(measure: Measure) -> str | None:
    """The first task that has a measure."""
    return next((name for name, task in TASKS.items() if any(_is_of(spec, measure.name) for spec in task.specs)), None)


def _is_of(spec: str, name: str) -> bool:
    return re.fullmatch(rf"{re.escape(name)}([.:].*)?", spec) is not None
