"""Documents as plain text: nothing but tags and characters, each reference one character.

What the serialiser of a tree writes has no comments, instructions or CDATA, `<` and `>` stand in tags alone, and lines
end with line feeds; so little is left to be done.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from prum_eval.text.fast_lines import PADDING, WORD

SEPARATOR = b"\x00"
"""Stands before, between and behind documents, none of which can hold it."""

_OF_ONE_CHARACTER = (b"&lt;", b"&gt;", b"&amp;")
_REFERENCE = re.compile(rb"&(?:#(x?)([0-9A-Fa-f]+)|[^;]*);")


def plain(bodies: Iterable[bytes]) -> bytes:
    """Serialised documents with nothing but tags and text, padded to whole words."""
    parts = [PADDING, *map(_dereferenced, bodies), PADDING]
    parts[-1] += bytes(-(sum(map(len, parts)) + len(parts) - 1) % WORD)
    return SEPARATOR.join(parts)


def _dereferenced(body: bytes) -> bytes:
    if b"&" not in body:
        return body
    for reference in _OF_ONE_CHARACTER:
        body = body.replace(reference, b"x")
    return _REFERENCE.sub(_one_character, body) if b"&" in body else body


def _one_character(reference: re.Match[bytes]) -> bytes:
    """Blank where the reference is to one; nothing for an entity that is not known."""
    if reference[2] is None:
        return b""
    return b" " if chr(int(reference[2], 16 if reference[1] else 10)).isspace() else b"x"
