"""Element paths and pointers: syntax and normal form, ``/article/sec[2]`` to ``/article[1]/sec[2]``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

MAX_PATH_DEPTH = 2048
"""Maximum of steps in a path, as in libxml2; the paths of a document grow with the square of its depth."""
MAX_PATH_CHARACTERS, _MAX_MEAN_PATH = 1 << 26, 256
"""Maximum of characters in the paths of a structure, beside 256 per element: deep paths take much more than a file."""
PATH_EXAMPLE = "an element path such as /article[1]/sec[2]"
POINTER_EXAMPLE = "an element path or a point such as /article[1]/p[2]/text()[1].7"

# Names as the XML recommendation defines them.
_NAME_START = (
    "A-Z_a-z:\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_ANY_NAME = f"[{_NAME_START}][{_NAME_START}0-9.\\-\u00b7\u0300-\u036f\u203f-\u2040]*"
_ASCII_NAME = r"[A-Za-z_:][A-Za-z_:0-9.\-]*"
_TEXT_POINT = re.compile(r"/text\(\)\[[1-9][0-9]*\]\.[0-9]+")


class _Syntax(NamedTuple):
    """Patterns of a tag, a path, a path in normal form, and a step in normal form at the end of a line."""

    tag: re.Pattern[str]
    path: re.Pattern[str]
    normal_path: re.Pattern[str]
    normal_step: re.Pattern[str]


@cache
def _syntax(*, ascii_only: bool) -> _Syntax:
    """Patterns of paths; those for Unicode are slow to compile and rarely needed."""
    name, position = _ASCII_NAME if ascii_only else _ANY_NAME, r"\[[1-9][0-9]*\]"
    patterns = name, f"(?:/{name}(?:{position})?)+", f"(?:/{name}{position})+", f"{name}{position}\n?"
    return _Syntax(*map(re.compile, patterns))


@lru_cache(maxsize=1 << 14)  # assessments repeat a few paths
def normalise_path(path: str) -> str | None:
    """The path with the position of every step; None if it is no element path.

    >>> normalise_path("/article/sec[2]")
    '/article[1]/sec[2]'
    """
    syntax = _syntax(ascii_only=path.isascii())
    if syntax.normal_path.fullmatch(path):
        return path
    if not syntax.path.fullmatch(path):
        return None
    return "".join(f"/{step}" if step.endswith("]") else f"/{step}[1]" for step in path[1:].split("/"))


@lru_cache(maxsize=1 << 14)
def normalise_pointer(pointer: str) -> str | None:
    """The pointer, a path or ``PATH/text()[n].k``, with its path in normal form; None if it is no pointer."""
    cut = pointer.find("/text()")
    if cut < 0:
        return normalise_path(pointer)
    path, point = normalise_path(pointer[:cut]), pointer[cut:]
    return path + point if path is not None and _TEXT_POINT.fullmatch(point) else None


def are_normal_paths(paths: Sequence[str]) -> bool:
    """Whether all paths are in normal form; each distinct step is checked once."""
    text = "\n".join(paths)
    if not text.startswith("/") or text.count("\n") != len(paths) - 1:
        return not paths
    return all(map(_syntax(ascii_only=text.isascii()).normal_step.fullmatch, set(text[1:].split("/"))))


def is_tag(tag: str) -> bool:
    """Whether the text is a valid element name."""
    return _syntax(ascii_only=tag.isascii()).tag.fullmatch(tag) is not None


@dataclass(slots=True)
class PathCount:
    """Elements of a structure and the characters of their distinct paths, so far."""

    elements: int = 0
    characters: int = 0

    def add(self, path: str, elements: int = 1) -> None:
        """Count a path that no element had before.

        Raises:
            ValueError: the paths take much more memory than their structure.
        """
        self.elements += elements
        self.characters += len(path)
        if self.characters > MAX_PATH_CHARACTERS:
            limit = MAX_PATH_CHARACTERS + _MAX_MEAN_PATH * self.elements
            if self.characters > limit:
                raise ValueError(f"the paths of {self.elements} elements have more than {limit} characters")


def sanitise_tag(name: str) -> str:
    """The name with "_" for characters that HTML allows in names and element paths do not.

    >>> sanitise_tag('a"b'), sanitise_tag("o:p")
    ('a_b', 'o:p')
    """
    if is_tag(name):
        return name
    return "".join(char if is_tag(f"a{char}") else "_" for char in name)
