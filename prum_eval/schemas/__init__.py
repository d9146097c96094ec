"""Layouts of the JSON output, with their JSON Schemas.

A layout name ends with a number. New keys keep the number; a removed key or a changed meaning increments it.
"""

from __future__ import annotations

from typing import Any

from prum_eval.errors import UsageError
from prum_eval.parameters import did_you_mean

EVALUATION_LAYOUT = "prum-eval/evaluation/1"
COMPARISON_LAYOUT = "prum-eval/comparison/1"
GOLD_LAYOUT = "prum-eval/gold/1"
LAYOUTS = (EVALUATION_LAYOUT, COMPARISON_LAYOUT, GOLD_LAYOUT)
"""Values of the key ``schema`` in files."""


def schema(name: str) -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a layout, with a description of every key.

    Args:
        name: ``evaluation`` (eval -f json), ``comparison`` (compare -f json) or ``gold`` (gold write), or the value of
            the key ``schema`` in a file, such as ``prum-eval/evaluation/1``.

    Raises:
        UsageError: there is no such layout.
    """
    layouts = {layout.split("/")[1]: layout for layout in LAYOUTS}
    short = next((key for key, layout in layouts.items() if name in (key, layout)), None)
    if short is None:
        raise UsageError(f"no layout {name}; there is {', '.join(layouts)}{did_you_mean(name, layouts)}")
    import json  # rarely needed
    from importlib.resources import files

    content: dict[str, Any] = json.loads(files(__name__).joinpath(f"{short}.json").read_text(encoding="utf-8"))
    return content
