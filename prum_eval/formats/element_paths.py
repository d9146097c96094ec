"""Element paths and pointers: syntax and normal form, ``/article/sec[2]`` to ``/article[1]/sec[2]``."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Names as the XML recommendation defines them.
_FIRST = (
    "A-Z_a-z:\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = f"[{_FIRST}][{_FIRST}0-9.\\-\u00b7\u0300-\u036f\u203f-\u2040]*"
_POSITION = r"\[[1-9][0-9]*\]"
_NORMAL_PATH = re.compile(f"(?:/{_NAME}{_POSITION})+")
_PATH = re.compile(f"(?:/{_NAME}(?:{_POSITION})?)+")
_NORMAL_STEP_AT_END = re.compile(f"{_NAME}{_POSITION}\n?")
_TAG = re.compile(_NAME)
_TEXT_POINT = re.compile(r"/text\(\)\[[1-9][0-9]*\]\.[0-9]+")

PATH_EXAMPLE = "an element path such as /article[1]/sec[2]"
POINTER_EXAMPLE = "an element path or a point such as /article[1]/p[2]/text()[1].7"


def normal_path(path: str) -> str | None:
    """The path with the position of every step, None where it is no element path.

    >>> normal_path("/article/sec[2]")
    '/article[1]/sec[2]'
    """
    if _NORMAL_PATH.fullmatch(path):
        return path
    if not _PATH.fullmatch(path):
        return None
    return "".join(f"/{step}" if step.endswith("]") else f"/{step}[1]" for step in path[1:].split("/"))


def normal_pointer(pointer: str) -> str | None:
    """A pointer into a document, its path in normal form: a path or ``PATH/text()[n].k``; None for anything else."""
    cut = pointer.find("/text()")
    if cut < 0:
        return normal_path(pointer)
    path, point = normal_path(pointer[:cut]), pointer[cut:]
    return path + point if path is not None and _TEXT_POINT.fullmatch(point) else None


def all_normal(paths: Sequence[str]) -> bool:
    """Whether all paths are in normal form; much faster than one by one, since they share their steps."""
    text = "\n".join(paths)
    if not text.startswith("/") or text.count("\n") != len(paths) - 1:
        return not paths
    return all(map(_NORMAL_STEP_AT_END.fullmatch, set(text[1:].split("/"))))


def is_tag(tag: str) -> bool:
    """Whether the text is the name of an element."""
    return _TAG.fullmatch(tag) is not None
