"""Configuration files: our own in TOML, EvalJ's metrics in XML, XCGEval's properties.

TOML has plain keys and ``[[measures]]`` tables. EvalJ's ``<metrics>`` has an element per metric, whose settings are
elements with a value. XCGEval's file has a line ``KEY: value`` or ``KEY=value`` per setting, and comments after ``#``
or ``!``; ``$name`` or ``${name}`` in a value stands for another key of the file, else for an environment variable.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from prum_eval.errors import InputError, ProblemHandler
from prum_eval.parameters import did_you_mean
from prum_eval.records import (
    MAX_CONFIGURATION_BYTES,
    ConfigurationBlock,
    ConfigurationEntry,
    ConfigurationFile,
    Dialect,
)
from prum_eval.text.numbers import quote_value
from prum_eval.text.streams import read_all_bytes, read_all_text
from prum_eval.text.xml import local_name, parse_whole_document

if TYPE_CHECKING:
    from lxml import etree


MEASURES_KEY = "measures"
_USER_MODEL = "model"
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?!")'
    r"|'''.*?'''(?!')"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'|#[^\n]*|[\n\[\]{}]",
    re.DOTALL,
)
"""Tokens that decide where a statement ends: texts, comments, line ends, brackets."""
_DEEP_KEY = re.compile(r"""(?:\.[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*){64}""")
_OPENING, _CLOSING = frozenset("[{"), frozenset("]}")
_POSITION = re.compile(r"\s*\(at (?:line (?P<line>\d+), column \d+|end of document)\)$")


def read_toml(stream: BinaryIO, name: str, _problems: ProblemHandler) -> ConfigurationFile:
    """The plain keys, and the tables of measures.

    Raises:
        InputError: it is not TOML, or holds other tables or values than strings, numbers, on and off, lists of strings.
    """
    text = read_all_text(stream, name, MAX_CONFIGURATION_BYTES)
    if deep := _DEEP_KEY.search(text):  # tables nested so deep that freeing them ends the process
        raise InputError(name, text.count("\n", 0, deep.start()) + 1, "not TOML: a key of too many parts")
    try:
        content = tomllib.loads(text)
    except RecursionError as error:
        raise InputError(name, 1, "not TOML: nested too deeply") from error
    except ValueError as error:  # of the parser, or of a number with more digits than Python converts
        position = _POSITION.search(str(error))
        line = int(position["line"]) if position and position["line"] else text.rstrip("\n").count("\n") + 1
        raise InputError(name, line, f"not TOML: {_POSITION.sub('', str(error))}") from error
    lines = _toml_key_lines(text)
    tables = content.pop(MEASURES_KEY, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise InputError(name, lines.get((0, MEASURES_KEY), 1), "measures: write each as [[measures]]")
    entries = {key: _entry(key, value, name, lines.get((0, key), 1)) for key, value in content.items()}
    blocks = []
    for number, table in enumerate(tables, 1):
        line = lines.get((number, ""), lines.get((0, MEASURES_KEY), 1))
        settings = _settings(table).items()
        table_entries = {key: _entry(key, value, name, lines.get((number, key), line)) for key, value in settings}
        blocks.append(ConfigurationBlock(MEASURES_KEY, line, table_entries))
    return ConfigurationFile(name, Dialect.NATIVE, entries, tuple(blocks))


def _settings(table: dict[str, object]) -> dict[str, object]:
    """Settings of a table of measures; keys of the user model, ``model.p = 0.3``, are flattened."""
    model = table.get(_USER_MODEL)
    if not isinstance(model, dict):
        return table
    model_settings = {f"{_USER_MODEL}.{key}": value for key, value in model.items()}
    return {key: value for key, value in table.items() if key != _USER_MODEL} | model_settings


def _entry(key: str, value: object, name: str, line: int) -> ConfigurationEntry:
    if isinstance(value, str | bool | int | float):
        return ConfigurationEntry(value, line)
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return ConfigurationEntry(tuple(value), line)
    raise InputError(name, line, f"{key}: expected a string, a number, true or false, or a list of strings")


def _toml_key_lines(text: str) -> dict[tuple[int, str], int]:
    """Lines by table number (0 before the first) and key; the key of a header is empty.

    The parser gives no lines, but a statement ends with the first line that leaves no bracket and no text open.
    """
    lines: dict[tuple[int, str], int] = {}
    table = begin = depth = 0
    line = first = 1
    for token in _TOKEN.finditer(text + "\n"):
        symbol = token[0]
        depth += (symbol in _OPENING) - (symbol in _CLOSING)
        line += symbol.count("\n")
        if symbol != "\n" or depth:
            continue
        statement = text[begin : token.end()]
        keys = tomllib.loads(statement)
        header = "[[" in statement and isinstance(keys.get(MEASURES_KEY), list) and keys[MEASURES_KEY] == [{}]
        table += header
        for key in [""] if header else _settings(keys):
            lines.setdefault((table, key), first)
        begin, first = token.end(), line
    return lines


_ROOT = "metrics"


def read_metrics(stream: BinaryIO, name: str, problems: ProblemHandler) -> ConfigurationFile:
    """Read EvalJ's metrics: attributes and settings are entries, a nested setting is called ``outer.inner``."""
    try:
        root, (lines, _) = parse_whole_document(read_all_bytes(stream, name, MAX_CONFIGURATION_BYTES), name, None)
    except InputError as problem:
        problems(problem)
        return ConfigurationFile(name, Dialect.EVALJ)
    reader = _MetricsReader(name, problems)
    reader.read(root, lines.tolist())
    return ConfigurationFile(name, Dialect.EVALJ, blocks=tuple(reader.blocks))


class _MetricsReader:
    """Collects the metrics of a ``<metrics>``."""

    def __init__(self, name: str, problems: ProblemHandler) -> None:
        self.blocks: list[ConfigurationBlock] = []
        self._name = name
        self._problems = problems
        self._entries: dict[str, ConfigurationEntry] = {}

    def _problem(self, reason: str, line: int) -> None:
        self._problems(InputError(self._name, line, reason))

    def read(self, root: etree._Element, lines: Iterable[int]) -> None:
        """Read the document; `lines` are those of its start tags."""
        parents: list[tuple[etree._Element, str]] = []  # with the prefix of the keys of their settings
        for element, line in zip(root.iter("*"), lines, strict=True):
            while parents and parents[-1][0] is not element.getparent():
                parents.pop()
            prefix = ""
            if not parents and local_name(root) != _ROOT:
                self._problem(f"expected the root <{_ROOT}>, found <{local_name(root)}>", line)
            elif len(parents) == 1:
                self._entries = {key: ConfigurationEntry(value, line) for key, value in element.items()}
                self.blocks.append(ConfigurationBlock(local_name(element), line, self._entries))
            elif parents:
                key = parents[-1][1] + local_name(element)
                self._setting(key, element, line)
                prefix = f"{key}."
            if any(text and text.strip() for text in (element.text, *(child.tail for child in element))):
                self._problem(f"<{local_name(element)}> holds text; values stand in the attribute value", line)
            parents.append((element, prefix))

    def _setting(self, key: str, element: etree._Element, line: int) -> None:
        tag = local_name(element)
        if element.keys() != ["value"]:
            self._problem(f"<{tag}> has one attribute, value", line)
        elif key in self._entries:
            self._problem(f"<{tag}> is set twice (first on line {self._entries[key].line})", line)
        else:
            self._entries[key] = ConfigurationEntry(element.get("value", "").strip(), line)


XCGEVAL_KEYS = (
    *("TASK", "METRICS", "ALPHA", "DCV", "OVERLAP", "QUANT_FUNCTIONS"),
    *("ASSESSMENTS_DIR", "SUBMISSIONRUNS_DIR", "RESULTS_DIR"),
)
# A key with a colon after it is never TOML; one with an equals sign may be either.
_PROPERTY = re.compile(rf"^[ \t]*(?:[A-Za-z_]\w*[ \t]*:|(?:{'|'.join(XCGEVAL_KEYS)})[ \t]*=)", re.MULTILINE)
_LINE = re.compile(r"(?P<key>[A-Za-z_]\w*)[ \t]*[:=][ \t]*(?P<value>.*)")
_MAX_EXPANSION, _MAX_NESTING = 1 << 16, 100
_PLACEHOLDER = re.compile(r"\$(?:\{(?P<braced>\w+)\}|(?P<bare>[A-Za-z_]\w*))")


def has_property(head: bytes) -> bool:
    """Whether a line belongs to a property file and cannot be TOML."""
    return _PROPERTY.search(head.decode(errors="replace")) is not None


def read_properties(stream: BinaryIO, name: str, _problems: ProblemHandler) -> ConfigurationFile:
    """Read XCGEval's properties: the supported keys with their values, placeholders expanded.

    Raises:
        InputError: a malformed line, a repeated key, a key that is neither supported nor the name of a placeholder, a
            key without value, an undefined or recursive placeholder.
    """
    properties = _parse_properties(read_all_text(stream, name, MAX_CONFIGURATION_BYTES), name)
    used = {
        match["braced"] or match["bare"] for value, _ in properties.values() for match in _PLACEHOLDER.finditer(value)
    }
    entries = {}
    for key, (value, line) in properties.items():
        if key in XCGEVAL_KEYS:
            entries[key] = ConfigurationEntry(
                _Expansion(properties, os.environ, name).expand(value, line, (key,)), line
            )
        elif key not in used:
            raise InputError(name, line, f"no key {key}{did_you_mean(key, XCGEVAL_KEYS)}")
    return ConfigurationFile(name, Dialect.XCGEVAL, entries)


def _parse_properties(text: str, name: str) -> dict[str, tuple[str, int]]:
    """Value and line of each key."""
    properties: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        content = line.strip()
        if not content or content[0] in "#!":
            continue
        parts = _LINE.fullmatch(content)
        if parts is None:
            raise InputError(name, number, f"expected KEY: value or KEY=value, found {quote_value(content)}")
        key = parts["key"]
        if key in properties:
            raise InputError(name, number, f"{key} is set twice (first on line {properties[key][1]})")
        if not parts["value"]:
            raise InputError(name, number, f"{key} has no value")
        properties[key] = parts["value"], number
    return properties


@dataclass(frozen=True, slots=True)
class _Expansion:
    """Replaces placeholders by values of the file or the environment; each key is expanded once."""

    entries: Mapping[str, tuple[str, int]]
    environment: Mapping[str, str]
    name: str
    expanded: dict[str, str] = field(default_factory=dict)

    def expand(self, value: str, line: int, inside: tuple[str, ...]) -> str:
        """A value with its placeholders replaced; `inside` are the keys whose values are being expanded."""
        parts: list[str] = []
        size = end = 0
        for match in _PLACEHOLDER.finditer(value):
            parts += value[end : match.start()], self._replacement(match["braced"] or match["bare"], line, inside)
            end = match.end()
            size += len(parts[-1])
            if size > _MAX_EXPANSION:
                raise InputError(self.name, line, f"${inside[-1]} stands for more than {_MAX_EXPANSION} characters")
        return "".join([*parts, value[end:]])

    def _replacement(self, key: str, line: int, inside: tuple[str, ...]) -> str:
        if key in inside:
            raise InputError(self.name, line, f"${key} stands for itself")
        if len(inside) > _MAX_NESTING:
            raise InputError(self.name, line, f"${key} is nested more than {_MAX_NESTING} deep")
        if key in self.entries:
            if key not in self.expanded:
                text, key_line = self.entries[key]
                self.expanded[key] = self.expand(text, key_line, (*inside, key))
            return self.expanded[key]
        if key in self.environment:
            return self.environment[key]
        raise InputError(self.name, line, f"${key} is defined neither in this file nor in the environment")
