"""What the readers of configuration files hand on: keys, values and lines, whatever the form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Value = str | bool | int | float | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A value and the line on which its key stands."""

    value: Value
    line: int


@dataclass(frozen=True, slots=True)
class Block:
    """What belongs to one measure: the kind of block and its entries by key; ``outer.inner`` for what is nested."""

    kind: str
    line: int
    entries: Mapping[str, Entry]
