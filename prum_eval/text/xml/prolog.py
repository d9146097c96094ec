"""What stands before the root of an XML document: entities are refused there, defaults of attributes dropped.

The parser would replace entities in attributes whatever it is told, and defaults of attributes can make a small
document a huge one; so both are found in the bytes before the parser sees them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from prum_eval.errors import InputError
from prum_eval.text.numbers import shown

_LARGEST = 1 << 24
_SIGN = re.compile(rb"[<\"']")
_ENTITY = re.compile(rb"<!ENTITY\s+(%\s+)?([^\s\"'>]*)")
_NOT_LINE_FEED = re.compile(rb"[^\n]")
_DECLARATION = re.compile(rb"<\?xml\s[^>]*?\?>")
_STANDALONE = re.compile(rb"(\s)standalone\s*=\s*(?:\"[^\"]*\"|'[^']*')")
_QUOTE_OR_END = re.compile(rb"[>\"']")
_TAG = re.compile(rb"<(?:[^\s/>:]+:)?([^\s/>:]+)(?![^\s/>])")
_NAME_ENDS = re.compile(rb"[\s/>]")
_ENDS = ((b"<!--", b"-->"), (b"<?", b"?>"), (b'"', b'"'), (b"'", b"'"))
_ENTITY_BEGINS, _DEFAULTS = b"<!ENTITY", b"<!ATTLIST"
_LONGEST = len(_DEFAULTS)


def safe_chunks(chunks: Iterable[bytes], name: str, *, alone: bool) -> Iterator[bytes]:
    """The same document in UTF-8 with a prolog that is safe to parse; lines stay where they are.

    The first chunk holds the whole prolog and the name of the root, if there is one.

    Args:
        chunks: the document in UTF-8, with line feeds alone between lines.
        name: of the input, in messages.
        alone: whether a reference to an entity that only an external DTD may declare is to be an error; else it is a
            node of its own in the tree. (Nothing external is ever read.)

    Raises:
        InputError: an entity is declared.
    """
    stream = iter(chunks)
    prolog, at = b"", 0
    parts: list[tuple[int, int]] = []
    while True:
        at, root = _scan(prolog, at, parts, name)
        more = None if root else next(stream, None)
        if more is None:
            break
        prolog += more
        if at > _LARGEST:
            raise InputError(name, None, f"no element in the first {_LARGEST >> 20} MiB of the XML")
    for begin, end in parts:
        prolog = prolog[:begin] + _NOT_LINE_FEED.sub(b" ", prolog[begin:end]) + prolog[end:]
    yield _standalone(prolog) if alone else prolog
    yield from stream


def root_of(prolog: bytes) -> tuple[int, str]:
    """Where the root begins in the first of the `safe_chunks`, and its name without prefix, none where that is odd."""
    begin, _ = _scan(prolog, 0, [], "")
    tag = _TAG.match(prolog, begin)
    return begin, tag[1].decode(errors="replace") if tag is not None else ""


def _scan(text: bytes, at: int, defaults: list[tuple[int, int]], name: str) -> tuple[int, bool]:
    """Go on towards the root: the place behind the last whole declaration or string, and whether the root is there.

    The extents of declarations of attributes are added to `defaults`.
    """
    while (sign := _SIGN.search(text, at)) is not None:
        begin = sign.start()
        if len(text) - begin < _LONGEST:
            return begin, False  # what it begins may go on in the next chunk
        if sign[0] == b"<" and text[begin + 1] not in b"!?":
            return begin, _NAME_ENDS.search(text, begin) is not None
        end = _end(text, begin, name)
        if end == 0:
            return begin, False
        if text.startswith(_DEFAULTS, begin):
            defaults.append((begin, end))
        at = end
    return len(text), False


def _end(text: bytes, begin: int, name: str) -> int:
    """Where what begins with that sign ends, 0 where that is not there yet; of most declarations behind ``<!``."""
    for first, last in _ENDS:
        if text.startswith(first, begin):
            end = text.find(last, begin + len(first))
            return end + len(last) if end >= 0 else 0
    if text.startswith(_ENTITY_BEGINS, begin):
        declared = _ENTITY.match(text, begin)
        if declared is None or declared.end() == len(text):
            return 0
        kind = "parameter entity" if declared[1] else "entity"
        what = shown(declared[2].decode(errors="replace"))
        reason = f"declaration of the {kind} {what}: entity declarations are refused"
        raise InputError(name, text.count(b"\n", 0, begin) + 1, reason)
    return _declaration_end(text, begin) if text.startswith(_DEFAULTS, begin) else begin + 2


def _declaration_end(text: bytes, at: int) -> int:
    """Behind the ``>`` that ends the declaration; 0 where it is not there yet."""
    while (sign := _QUOTE_OR_END.search(text, at)) is not None:
        if sign[0] == b">":
            return sign.end()
        at = text.find(sign[0], sign.end()) + 1
        if at == 0:
            break
    return 0


def _standalone(prolog: bytes) -> bytes:
    """The beginning of a document, declared to stand alone.

    A document that names an external DTD may use entities that only the DTD declares. The parser, which never loads it,
    would drop such a reference in an attribute without a word; in a document that stands alone it is an error.
    """
    declaration = _DECLARATION.match(prolog)
    if declaration is None:
        return b"<?xml version='1.0' standalone='yes'?>" + prolog
    head = _STANDALONE.sub(rb"\1", declaration[0][:-2]) + b" standalone='yes'?>"
    return head + prolog[declaration.end() :]
