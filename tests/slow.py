"""Cases of parametrised tests that `make test` leaves out, as they take long and others of their kind stay."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def slow(*values: object) -> Any:
    """A case that is slow."""
    return pytest.param(*values, marks=pytest.mark.slow)


def slow_but(quick: Collection[object], cases: Iterable[object]) -> list[Any]:
    """The cases, of which all but the quick ones are slow."""
    return [case if case in quick else slow(case) for case in cases]
