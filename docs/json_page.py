"""The generated page on JSON: every key of every layout, from the JSON Schemas of the package."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from measure_pages import NOTE

from prum_eval.schemas import LAYOUTS, schema

INTRODUCTION = """\
What `-f json` prints is made to be read by programs for years. A file says in its key `schema` how it is laid out. A
key may be added under the same number; where one goes or changes its meaning, the number rises. Values have full
precision; what is not defined is `null`.

The layouts are JSON Schemas (draft 2020-12) in the package: `prum_eval.schema("evaluation")` returns one, and any
validator checks files with it:

```python
import json, jsonschema, prum_eval

with open("scores.json") as file:
    jsonschema.validate(json.load(file), prum_eval.schema("evaluation"))
```

The other commands (`correlate`, `power`, `explain` and so on) print JSON too, with `version` and `signature`, whose
layout is not promised yet."""


def json_page() -> str:
    """docs/json.md."""
    lines = ["# JSON for programs", "", NOTE, INTRODUCTION, ""]
    for layout in LAYOUTS:
        described = schema(layout)
        lines += [f"## `{layout}`", "", described["description"], "", "| key | type | what |", "|---|---|---|"]
        lines += [f"| `{path}` | {kind} | {text} |" for path, kind, text in _keys(described, "")]
        lines.append("")
    return "\n".join(lines)


def _keys(described: dict[str, Any], where: str) -> Iterator[tuple[str, str, str]]:
    """Path, type and description of every key; ``*`` stands for any name, ``[]`` for any member of a list."""
    required = described.get("required", ())
    for key, one in described.get("properties", {}).items():
        path = f"{where}{key}"
        yield path, _type(one) if key in required else f"{_type(one)}, optional", one.get("description", "")
        yield from _inside(one, path)


def _inside(one: dict[str, Any], path: str) -> Iterator[tuple[str, str, str]]:
    members, values = one.get("items"), one.get("additionalProperties")
    if isinstance(values, dict):
        yield f"{path}.*", _type(values), values.get("description", "")
        yield from _inside(values, f"{path}.*")
    if isinstance(members, dict):
        yield from _keys(members, f"{path}[].")
    yield from _keys(one, f"{path}.")


def _type(one: dict[str, Any]) -> str:
    if "const" in one:
        value = one["const"]
        return f"`{str(value).lower() if isinstance(value, bool) else value}`"
    if "enum" in one:
        return " or ".join("null" if value is None else f"`{value}`" for value in one["enum"])
    kinds = one["type"] if isinstance(one["type"], list) else [one["type"]]
    items = one.get("items", {}).get("type")
    return " or ".join(f"array of {items}s" if kind == "array" and items else kind for kind in kinds)
