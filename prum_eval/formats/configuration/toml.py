"""Our own configuration files: TOML with plain keys and ``[[measures]]`` tables."""

from __future__ import annotations

import re
import tomllib
from typing import BinaryIO

from prum_eval.errors import InputError, Problems
from prum_eval.records.configuration import (
    LARGEST_CONFIGURATION,
    ConfigurationBlock,
    ConfigurationEntry,
    ConfigurationFile,
    ConfigurationValue,
    Dialect,
)
from prum_eval.text.streams import whole_text

MEASURES = "measures"
_USER_MODEL = "model"
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?!")'
    r"|'''.*?'''(?!')"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'|#[^\n]*|[\n\[\]{}]",
    re.DOTALL,
)
"""What says where a statement ends: texts, comments, line ends, brackets."""
_DEEP_KEY = re.compile(r"""(?:\.[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*){64}""")
_OPENING, _CLOSING = frozenset("[{"), frozenset("]}")
_POSITION = re.compile(r"\s*\(at (?:line (?P<line>\d+), column \d+|end of document)\)$")


def read_toml(stream: BinaryIO, name: str, _problems: Problems) -> ConfigurationFile:
    """The plain keys, and the tables of measures.

    Raises:
        InputError: it is not TOML, or holds other tables or values than strings, numbers, on and off, lists of strings.
    """
    text = whole_text(stream, name, LARGEST_CONFIGURATION)
    if deep := _DEEP_KEY.search(text):  # tables in tables, which end a process as they are thrown away
        raise InputError(name, text.count("\n", 0, deep.start()) + 1, "not TOML: a key of too many parts")
    try:
        content = tomllib.loads(text)
    except RecursionError as error:
        raise InputError(name, 1, "not TOML: nested too deeply") from error
    except ValueError as error:  # of the parser, or of a number with more digits than Python converts
        found = _POSITION.search(str(error))
        line = int(found["line"]) if found and found["line"] else text.rstrip("\n").count("\n") + 1
        raise InputError(name, line, f"not TOML: {_POSITION.sub('', str(error))}") from error
    lines = _lines(text)
    tables = content.pop(MEASURES, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise InputError(name, lines.get((0, MEASURES), 1), "measures: write each as [[measures]]")
    entries = {key: _entry(key, value, name, lines.get((0, key), 1)) for key, value in content.items()}
    blocks = []
    for number, table in enumerate(tables, 1):
        line = lines.get((number, ""), lines.get((0, MEASURES), 1))
        own = {key: _entry(key, value, name, lines.get((number, key), line)) for key, value in _settings(table).items()}
        blocks.append(ConfigurationBlock(MEASURES, line, own))
    return ConfigurationFile(name, Dialect.OURS, entries, tuple(blocks))


def _settings(table: dict[str, object]) -> dict[str, object]:
    """The keys of a table of measures; those of the user model, ``model.p = 0.3``, make a table in it."""
    inner = table.get(_USER_MODEL)
    if not isinstance(inner, dict):
        return table
    own = {f"{_USER_MODEL}.{key}": value for key, value in inner.items()}
    return {key: value for key, value in table.items() if key != _USER_MODEL} | own


def _entry(key: str, value: object, name: str, line: int) -> ConfigurationEntry:
    found: ConfigurationValue | None = None
    if isinstance(value, str | bool | int | float):
        found = value
    elif isinstance(value, list) and all(isinstance(one, str) for one in value):
        found = tuple(value)
    if found is None:
        raise InputError(name, line, f"{key}: expected a string, a number, true or false, or a list of strings")
    return ConfigurationEntry(found, line)


def _lines(text: str) -> dict[tuple[int, str], int]:
    """Lines of keys by table (0 before the first) and key, and of the headers of tables, whose key is empty.

    The parser tells no lines; but a statement ends with the first line that leaves no bracket and no text open.
    """
    found: dict[tuple[int, str], int] = {}
    table = begin = depth = 0
    line = first = 1
    for token in _TOKEN.finditer(text + "\n"):
        sign = token[0]
        depth += (sign in _OPENING) - (sign in _CLOSING)
        line += sign.count("\n")
        if sign != "\n" or depth:
            continue
        statement = text[begin : token.end()]
        keys = tomllib.loads(statement)
        header = "[[" in statement and isinstance(keys.get(MEASURES), list) and keys[MEASURES] == [{}]
        table += header
        for key in [""] if header else _settings(keys):
            found.setdefault((table, key), first)
        begin, first = token.end(), line
    return found
