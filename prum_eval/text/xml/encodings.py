"""XML in any encoding as UTF-8, so that all that follows may look at bytes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

from prum_eval.errors import InputError
from prum_eval.text.numbers import shown

_DECLARED = re.compile(rb"<\?xml\s[^>]*?encoding\s*=\s*[\"']([A-Za-z][A-Za-z0-9._-]*)[\"']")
_AS_IT_IS = frozenset((b"utf-8", b"utf8", b"us-ascii", b"ascii"))
_MARKS = (
    (b"\xef\xbb\xbf", ""),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


def utf_8_chunks(chunks: Iterable[bytes], name: str) -> Iterator[bytes]:
    """The same text as UTF-8 without byte-order mark, with line feeds alone between lines.

    Args:
        chunks: the text; an XML declaration stands in the first chunk as a whole.
        name: of the input, in messages.

    The encoding is that of the byte-order mark, else that which the zeros of UTF-16 and UTF-32 show, else the declared
    one, else UTF-8. What is UTF-8 already is not checked: the parser does that.

    Raises:
        InputError: the encoding is not known, or the text is not in it.
    """
    stream = iter(chunks)
    first = next(stream, b"")
    mark, encoding = next(((mark, found) for mark, found in _MARKS if first.startswith(mark)), (b"", None))
    if encoding is None:
        encoding = _without_mark(first, name)
    text = _chain(first[len(mark) :], stream)
    return _with_line_feeds(_decoded(text, encoding, name) if encoding else text)


def is_utf_8(text: bytes, name: str) -> bool:
    """Whether `utf_8_chunks` would leave a document as it is, which most are.

    Raises:
        InputError: the encoding is not known.
    """
    return text.startswith(b"<") and b"\r" not in text and not _without_mark(text, name)


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _without_mark(head: bytes, name: str) -> str:
    """Name of Python's codec of a text that begins so; empty for UTF-8."""
    zeros = tuple(byte == 0 for byte in head[:4])
    if zeros[:2] == (True, True):
        return "utf-32-be"
    if zeros[:1] == (True,):
        return "utf-16-be"
    if zeros[1:4] == (True, True, True):
        return "utf-32-le"
    if zeros[1:2] == (True,):
        return "utf-16-le"
    declared = _DECLARED.match(head)
    if declared is None or declared[1].lower() in _AS_IT_IS:
        return ""
    encoding = declared[1].decode()
    try:
        true = b"<?xml".decode(encoding) == "<?xml"
    except (LookupError, ValueError):  # LookupError also for codecs from bytes to bytes
        true = False
    if not true:
        reason = f"the XML cannot be decoded: the declared encoding {shown(encoding)} is not known or not the true one"
        raise InputError(name, 1, reason)
    return encoding


def _decoded(chunks: Iterator[bytes], encoding: str, name: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    for chunk in _ended(chunks):
        try:
            text = decoder.decode(chunk or b"", final=chunk is None)
        except (UnicodeDecodeError, ValueError) as error:
            raise InputError(name, line, f"the XML cannot be decoded: {error}") from error
        line += text.count("\n")
        try:
            yield text.encode()
        except UnicodeEncodeError as error:
            raise InputError(name, line, f"the XML cannot be decoded: {error}") from error


def _ended(chunks: Iterator[bytes]) -> Iterator[bytes | None]:
    yield from chunks
    yield None


def _with_line_feeds(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """As a parser normalises line ends, before any line is counted."""
    held = b""  # a carriage return at the end of a chunk: whether a line feed follows is not known yet
    for chunk in chunks:
        text = held + chunk if held else chunk
        held = b""
        if b"\r" in text:
            if text.endswith(b"\r"):
                text, held = text[:-1], b"\r"
            text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if text:
            yield text
    if held:
        yield b"\n"
