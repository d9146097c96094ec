"""Property files of XCGEval: ``KEY: value`` or ``KEY=value`` a line, comments after ``#`` or ``!``.

``$name`` or ``${name}`` in a value stands for another key of the file, else for an environment variable.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from prum_eval.errors import InputError
from prum_eval.parameters import nearest
from prum_eval.records.configuration import Entry
from prum_eval.text.numbers import shown

KNOWN = (
    *("TASK", "METRICS", "ALPHA", "DCV", "OVERLAP", "QUANT_FUNCTIONS"),
    *("ASSESSMENTS_DIR", "SUBMISSIONRUNS_DIR", "RESULTS_DIR"),
)
_LINE = re.compile(r"(?P<key>[A-Za-z_]\w*)[ \t]*[:=][ \t]*(?P<value>.*)")
_PLACEHOLDER = re.compile(r"\$(?:\{(?P<braced>\w+)\}|(?P<bare>[A-Za-z_]\w*))")


def read_properties(text: str, name: str, environment: Mapping[str, str] | None = None) -> dict[str, Entry]:
    """The known keys with their values, placeholders expanded.

    Raises:
        InputError: a line of another shape, a key that comes twice or is neither known nor the name of a placeholder,
            a known key without value, a placeholder that is not defined or stands for itself.
    """
    written = _lines(text, name)
    used = {found for value, _ in written.values() for found in _names(value)}
    environment = os.environ if environment is None else environment
    entries = {}
    for key, (value, line) in written.items():
        if key in KNOWN:
            entries[key] = Entry(_expanded(value, (written, environment), name, line, (key,)), line)
        elif key not in used:
            raise InputError(name, line, f"no key {key}{nearest(key, KNOWN)}")
    return entries


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


def _expanded(
    value: str,
    known: tuple[Mapping[str, tuple[str, int]], Mapping[str, str]],
    name: str,
    line: int,
    inside: tuple[str, ...],
) -> str:
    """A value with its placeholders replaced; `inside` are the keys whose values are being expanded."""
    written, environment = known

    def replacement(found: re.Match[str]) -> str:
        key = found["braced"] or found["bare"]
        if key in inside:
            raise InputError(name, line, f"${key} stands for itself")
        if key in written:
            text, own_line = written[key]
            return _expanded(text, known, name, own_line, (*inside, key))
        if key in environment:
            return environment[key]
        raise InputError(name, line, f"${key} is defined neither in this file nor in the environment")

    return _PLACEHOLDER.sub(replacement, value)
