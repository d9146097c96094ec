"""Property files of XCGEval: ``KEY: value`` or ``KEY=value`` a line, comments after ``#`` or ``!``.

``$name`` or ``${name}`` in a value stands for another key of the file, else for an environment variable.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from prum_eval.errors import InputError, Problems
from prum_eval.parameters import nearest
from prum_eval.records.configuration import LARGEST_CONFIGURATION, ConfigurationEntry, ConfigurationFile, Dialect
from prum_eval.text.numbers import shown
from prum_eval.text.streams import whole_text

KNOWN = (
    *("TASK", "METRICS", "ALPHA", "DCV", "OVERLAP", "QUANT_FUNCTIONS"),
    *("ASSESSMENTS_DIR", "SUBMISSIONRUNS_DIR", "RESULTS_DIR"),
)
# A key with a colon after it is never TOML; one with an equals sign may be either.
_PROPERTY = re.compile(rf"^[ \t]*(?:[A-Za-z_]\w*[ \t]*:|(?:{'|'.join(KNOWN)})[ \t]*=)", re.MULTILINE)
_LINE = re.compile(r"(?P<key>[A-Za-z_]\w*)[ \t]*[:=][ \t]*(?P<value>.*)")
_LONGEST, _DEEPEST = 1 << 16, 100
_PLACEHOLDER = re.compile(r"\$(?:\{(?P<braced>\w+)\}|(?P<bare>[A-Za-z_]\w*))")


def has_property(head: bytes) -> bool:
    """Whether a line is one of a property file and never one of TOML."""
    return _PROPERTY.search(head.decode(errors="replace")) is not None


def read_properties(stream: BinaryIO, name: str, _problems: Problems) -> ConfigurationFile:
    """The known keys with their values, placeholders expanded from the environment.

    Raises:
        InputError: a line of another shape, a key that comes twice or is neither known nor the name of a placeholder,
            a known key without value, a placeholder that is not defined or stands for itself.
    """
    written = _lines(whole_text(stream, name, LARGEST_CONFIGURATION), name)
    used = {found for value, _ in written.values() for found in _names(value)}
    entries = {}
    for key, (value, line) in written.items():
        if key in KNOWN:
            entries[key] = ConfigurationEntry(_Expansion(written, os.environ, name).of(value, line, (key,)), line)
        elif key not in used:
            raise InputError(name, line, f"no key {key}{nearest(key, KNOWN)}")
    return ConfigurationFile(name, Dialect.XCGEVAL, entries)


def _lines(text: str, name: str) -> dict[str, tuple[str, int]]:
    written: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        content = line.strip()
        if not content or content[0] in "#!":
            continue
        parts = _LINE.fullmatch(content)
        if parts is None:
            raise InputError(name, number, f"expected KEY: value or KEY=value, found {shown(content)}")
        key = parts["key"]
        if key in written:
            raise InputError(name, number, f"{key} is set twice (first on line {written[key][1]})")
        if not parts["value"]:
            raise InputError(name, number, f"{key} has no value")
        written[key] = parts["value"], number
    return written


def _names(value: str) -> list[str]:
    return [found["braced"] or found["bare"] for found in _PLACEHOLDER.finditer(value)]


@dataclass(frozen=True, slots=True)
class _Expansion:
    """Replaces placeholders by what the file or the environment says, each key once."""

    written: Mapping[str, tuple[str, int]]
    environment: Mapping[str, str]
    name: str
    known: dict[str, str] = field(default_factory=dict)

    def of(self, value: str, line: int, inside: tuple[str, ...]) -> str:
        """A value with its placeholders replaced; `inside` are the keys whose values are being expanded."""
        parts: list[str] = []
        size = end = 0
        for found in _PLACEHOLDER.finditer(value):
            parts += value[end : found.start()], self._replacement(found["braced"] or found["bare"], line, inside)
            end = found.end()
            size += len(parts[-1])
            if size > _LONGEST:
                raise InputError(self.name, line, f"${inside[-1]} stands for more than {_LONGEST} characters")
        return "".join([*parts, value[end:]])

    def _replacement(self, key: str, line: int, inside: tuple[str, ...]) -> str:
        if key in inside:
            raise InputError(self.name, line, f"${key} stands for itself")
        if len(inside) > _DEEPEST:
            raise InputError(self.name, line, f"${key} is nested more than {_DEEPEST} deep")
        if key in self.written:
            if key not in self.known:
                text, own_line = self.written[key]
                self.known[key] = self.of(text, own_line, (*inside, key))
            return self.known[key]
        if key in self.environment:
            return self.environment[key]
        raise InputError(self.name, line, f"${key} is defined neither in this file nor in the environment")
