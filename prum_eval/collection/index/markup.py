"""Documents as plain text: nothing but tags and characters.

Each search is the cheapest that there is: most documents have no comments, few references and plain line ends, and
even to look for two bytes in a row takes longer than to find all tags.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from prum_eval.arrays import IntArray
from prum_eval.text.fast_lines import PADDING, WORD

SEPARATOR = b"\x00"
"""Stands before, between and behind documents, none of which can hold it."""

_PREDEFINED = frozenset((b"lt", b"gt", b"amp", b"apos", b"quot"))
_CDATA = b"<![CDATA["
_MARKUP = ((b"<!--", b"-->"), (b"<?", b"?>"), (_CDATA, b"]]>"))
_LESS, _EXCLAMATION, _QUESTION = b"<!?"


def plain(bodies: Sequence[bytes | memoryview]) -> bytes:
    """Documents with nothing but tags and text, each reference one character, padded to whole words."""
    text = SEPARATOR.join([PADDING, *bodies, PADDING])
    if b"\r" in text:  # before a comment between \r and \n is gone
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    places = _begins(text)
    if len(places):
        text = _unmarked(text, places.tolist())
    if b"&" in text:
        text = _dereferenced(text)
    return text + bytes(-len(text) % WORD)


def _begins(text: bytes) -> IntArray:
    """Where comments, instructions and CDATA may begin."""
    signs = np.frombuffer(text, dtype=np.uint8)
    begins = signs[1:] == _EXCLAMATION
    begins |= signs[1:] == _QUESTION
    begins &= signs[:-1] == _LESS
    return np.flatnonzero(begins)


def _unmarked(text: bytes, places: list[int]) -> bytes:
    """Nothing for a comment or an instruction, escaped text for CDATA."""
    parts = []
    done = 0
    for place in places:
        if place < done:
            continue  # within the one before
        begin, end = next(pair for pair in _MARKUP if text.startswith(pair[0], place))
        behind = text.index(end, place + len(begin))
        parts.append(text[done:place])
        if begin == _CDATA:
            parts.append(text[place + len(begin) : behind].replace(b"&", b"&amp;").replace(b"<", b"&lt;"))
        done = behind + len(end)
    return b"".join([*parts, text[done:]])


def _dereferenced(text: bytes) -> bytes:
    first, *rest = text.split(b"&")
    parts = [first]
    for part in rest:
        name, _, behind = part.partition(b";")
        parts += (_one_character(name), behind)
    return b"".join(parts)


def _one_character(name: bytes) -> bytes:
    """A character for a reference: blank where it refers to one; nothing for an entity that is not known."""
    if name in _PREDEFINED:
        return b"x"
    if not name.startswith(b"#"):
        return b""
    digits, base = (name[2:], 16) if name.startswith(b"#x") else (name[1:], 10)
    number = int(digits.lstrip(b"0"), base)  # of thousands of digits Python would convert none
    return b" " if chr(number).isspace() else b"x"
