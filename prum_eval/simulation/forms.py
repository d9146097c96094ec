"""The form in which simulated runs are written, unless --to says otherwise."""

from __future__ import annotations

from prum_eval.errors import UsageError
from prum_eval.formats.format import RunCapacity
from prum_eval.formats.registry import FORMATS, writable, writer_of
from prum_eval.records.run import RunKind


def default_form(kind: RunKind, *, ranges: bool, chunks: bool) -> str:
    """Name of the first form that holds such results: with `ranges` ranges too, and for `chunks` their tokens."""
    fitting = [
        name
        for name, one in FORMATS.items()
        if isinstance(one.holds, RunCapacity) and one.holds.kind is kind and (one.holds.ranges or not ranges)
    ]
    return next((name for name in fitting if chunks and _capacity(name).tokens), fitting[0])


def check_form(form: str, *, hold: bool) -> None:
    """Refuse what is no form of runs, and with `hold` one that has no mark for what does not exist.

    Raises:
        UsageError: the forms that there are, are named.
    """
    names = [name for name, one in writable().items() if isinstance(one.holds, RunCapacity)]
    if form not in names:
        raise UsageError(f"{form} is no form of runs (there are: {', '.join(names)})")
    if hold and not _capacity(form).absent:
        able = ", ".join(name for name in names if _capacity(name).absent)
        raise UsageError(f"duplicates held are written as X, which {form} has no mark for (these have: {able})")


def _capacity(form: str) -> RunCapacity:
    _, holds = writer_of(form)
    assert isinstance(holds, RunCapacity)  # noqa: S101 -- asked of forms of runs only
    return holds
