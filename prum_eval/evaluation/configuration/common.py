"""What a configuration file sets, and what its three forms have in common: paths, labels, texts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from prum_eval.errors import InputError
from prum_eval.measures.specs import MeasureSpec
from prum_eval.measures.tasks import Task
from prum_eval.text.numbers import shown
from prum_eval.text.streams import STDIN

if TYPE_CHECKING:
    from prum_eval.records.configuration import ConfigurationEntry, ConfigurationFile, ConfigurationValue


MERGE = "document"
"""What results are merged by, the one thing that there is."""


@dataclass(frozen=True)
class Configuration:
    """What a configuration file sets; arguments and options of the call come before it.

    `task` holds the defaults of the call: those of one of our tasks, or what XCGEval's keys say for all measures.
    """

    requests: tuple[MeasureSpec, ...] = ()
    task: Task | None = None
    assessments: str | None = None
    structure: str | None = None
    runs: tuple[str, ...] | None = None
    complete: bool = False
    limit: int | None = None
    merge: str | None = None
    warnings: tuple[str, ...] = ()


def resolved(file: ConfigurationFile, name: str, line: int) -> str:
    """A path of a configuration file, which is relative to the folder of that file.

    Raises:
        InputError: it is standard input, or nothing.
    """
    if "\0" in name:
        raise InputError(file.path, line, f"{shown(name)} is no path")
    if name in ("", STDIN):
        raise InputError(file.path, line, f"{name or 'an empty name'} cannot be named in a configuration file")
    return str(Path(file.path).parent / name)


def matching(file: ConfigurationFile, names: Sequence[str], line: int) -> tuple[str, ...]:
    """The files that paths and patterns name: each pattern's and each folder's in byte order, none twice.

    Raises:
        InputError: a pattern or a folder has no files.
    """
    import glob  # few calls have a configuration

    found: list[str] = []
    for name in names:
        path = resolved(file, name, line)
        pattern = os.path.join(glob.escape(path), "*") if Path(path).is_dir() else path  # noqa: PTH118 - a pattern
        if glob.has_magic(pattern) and not Path(path).is_file():
            matches = sorted(one for one in glob.glob(pattern, recursive=True) if Path(one).is_file())  # noqa: PTH207
            if not matches:
                raise InputError(file.path, line, f"no file matches {name}")
            found += matches
        else:
            found.append(path)
    return tuple(dict.fromkeys(found))


def unique_label(seen: dict[str, int], file: ConfigurationFile, label: ConfigurationEntry | None) -> str | None:
    """A label that can be printed after a name and read back; `seen` holds those before with their lines.

    Raises:
        InputError: it is used twice, or holds a sign that means something in names.
    """
    if label is None:
        return None
    text = label.value
    if not isinstance(text, str) or not text or any(sign in ":,=" or sign.isspace() for sign in text):
        reason = f"id: expected a word without colon, comma, equals sign or blank, found {said(text)!r}"
        raise InputError(file.path, label.line, reason)
    if text in seen:
        raise InputError(file.path, label.line, f"id {text} is used twice (first on line {seen[text]})")
    seen[text] = label.line
    return text


def said(value: ConfigurationValue) -> str:
    """A value as it is written in specifications: true is on, false is off."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value)


def text_of(entries: Mapping[str, ConfigurationEntry], key: str, path: str) -> str | None:
    """The text under a key, None without the key.

    Raises:
        InputError: it is no text.
    """
    entry = entries.get(key)
    if entry is None:
        return None
    if not isinstance(entry.value, str) or not entry.value:
        raise InputError(path, entry.line, f"{key}: expected a text, found {said(entry.value)!r}")
    return entry.value
