"""What the readers of configuration files hand on: keys, values and lines, whatever the form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

LARGEST_CONFIGURATION = 1 << 20
"""Bytes that a configuration file may have."""
ConfigurationValue = str | bool | int | float | tuple[str, ...]


class Dialect(Enum):
    """Whose keys a configuration file is written with."""

    OURS = auto()
    EVALJ = auto()
    XCGEVAL = auto()


@dataclass(frozen=True, slots=True)
class ConfigurationEntry:
    """A value and the line on which its key stands."""

    value: ConfigurationValue
    line: int


@dataclass(frozen=True, slots=True)
class ConfigurationBlock:
    """What belongs to one measure: the kind of block and its entries by key; ``outer.inner`` for what is nested."""

    kind: str
    line: int
    entries: Mapping[str, ConfigurationEntry]


@dataclass(frozen=True, slots=True)
class ConfigurationFile:
    """What a configuration file says: keys with values and lines, and a block a measure (none in properties)."""

    path: str
    dialect: Dialect
    entries: Mapping[str, ConfigurationEntry] = field(default_factory=dict)
    blocks: tuple[ConfigurationBlock, ...] = ()
