"""The layouts of the JSON that programs read: a name with a number that a changed meaning raises, and JSON Schemas.

A key may be added under the same number; one that goes, or means something else, makes the next.
"""

from __future__ import annotations

from typing import Any

from prum_eval.errors import UsageError
from prum_eval.parameters import did_you_mean

EVALUATION_LAYOUT = "prum-eval/evaluation/1"
COMPARISON_LAYOUT = "prum-eval/comparison/1"
GOLD_LAYOUT = "prum-eval/gold/1"
LAYOUTS = (EVALUATION_LAYOUT, COMPARISON_LAYOUT, GOLD_LAYOUT)
"""What the key ``schema`` of a file says."""


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a layout, with a description of every key.

    Args:
        name: ``evaluation`` (eval -f json), ``comparison`` (compare -f json) or ``gold`` (gold write), or what the key
            ``schema`` of a file says, as ``prum-eval/evaluation/1``.

    Raises:
        UsageError: there is no such layout.
    """
    known = {layout.split("/")[1]: layout for layout in LAYOUTS}
    short = next((key for key, layout in known.items() if name in (key, layout)), None)
    if short is None:
        raise UsageError(f"no layout {name}; there is {', '.join(known)}{did_you_mean(name, list(known))}")
    import json  # evaluations name their layout; few ask for it
    from importlib.resources import files

    found: dict[str, Any] = json.loads(files(__name__).joinpath(f"{short}.json").read_text(encoding="utf-8"))
    return found
