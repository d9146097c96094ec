"""The provider for ir_measures; see `prum_eval.ir_measures`."""

from __future__ import annotations

from typing import Any

from prum_eval.ir_measures import MEASURES, provider

__all__ = ["MEASURES", "provider"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 -- a measure of ir_measures
    """A measure by its name."""
    if name in MEASURES:
        return MEASURES[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
