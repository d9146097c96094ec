"""The date that a page bears: that of its inputs, so that the same inputs always make the same page."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from prum_eval.errors import UsageError

_VARIABLE = "SOURCE_DATE_EPOCH"
_MOST = 253402300799
"""The last second of the year 9999."""


def page_date(paths: Iterable[object]) -> str:
    """What pages say of their date: the day (UTC) on which the newest of these files was changed.

    The environment variable SOURCE_DATE_EPOCH, seconds since 1970 (reproducible-builds.org), stands in its place;
    empty, there is no date. What is no file has none.

    Raises:
        UsageError: the variable is no such number.
    """
    check_date()
    if (given := os.environ.get(_VARIABLE)) is not None:
        return _day(int(given)) if given else ""
    changed = [int(path.stat().st_mtime) for path in map(Path, map(str, filter(None, paths))) if path.is_file()]
    return f"{_day(max(changed))}, of the newest input" if changed else ""


def check_date(*, bears: bool = True) -> None:
    """Refuse a date that is none, before anything is computed for a page that bears one.

    Raises:
        UsageError: SOURCE_DATE_EPOCH is no number of seconds.
    """
    given = os.environ.get(_VARIABLE, "")
    whole = given.isascii() and given.isdigit() and len(given) <= len(str(_MOST))
    if bears and given and not (whole and int(given) <= _MOST):
        raise UsageError(f"{_VARIABLE}={given}: expected seconds since 1970, a whole number from 0 to {_MOST}")


def _day(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"
