"""A path or ``-`` to a stream of plain bytes: decompressed by content, byte-order mark dropped, errors named."""

from __future__ import annotations

import io
import itertools
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeVar, cast

from prum_eval.errors import InputError, Problems

_Read = TypeVar("_Read")

READ_BYTES = 1 << 18
STDIN = "-"

_GZIP = b"\x1f\x8b"
_BZIP2 = b"BZh"
_XZ = b"\xfd7zXZ\x00"
_ZSTD = b"\x28\xb5\x2f\xfd"
SQLITE = b"SQLite format 3\x00"
"""First bytes of an index, which is no stream of text."""
_MAGIC_LENGTH = 6
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UTF_16_MARKUP = re.compile(rb"(?:[\t\n\r ]\x00)*<\x00|(?:\x00[\t\n\r ])*\x00<")  # without mark
_UTF_16 = "the text is UTF-16, expected UTF-8"
_WIDE: dict[tuple[bool, ...], str] = {
    (False, True, False, True): "UTF-16",
    (True, False, True, False): "UTF-16",
    (False, True, True, True): "UTF-32",
    (True, True, True, False): "UTF-32",
}
"""Encodings by which of the first four bytes are zero."""


@dataclass(frozen=True, slots=True)
class Content:
    """An input that was read before, perhaps by another machine: its name in messages, and its bytes as they were."""

    name: str
    data: bytes


def read_content(path: str) -> Content:
    """Read an input as it is, without decompressing it.

    Raises:
        InputError: it cannot be read.
    """
    name = display_name(path)
    source = _open_raw(path, name)
    try:
        return Content(name, _guarded(source.read, name))
    finally:
        if path != STDIN:
            source.close()


def display_name(path: str | Content) -> str:
    """Name of an input in messages: the path itself, ``<stdin>`` for ``-``."""
    if isinstance(path, Content):
        return path.name
    return "<stdin>" if path == STDIN else path


def open_input(path: str | Content) -> BinaryIO:
    """Open an input for reading its bytes, decompressed (gzip, bzip2, xz, zstd) and without byte-order mark.

    Raises `InputError` where the file cannot be opened; reading from the stream raises it where the file cannot be read
    or its compressed data are truncated or corrupt.
    """
    name = display_name(path)
    source = _open_raw(path, name)
    try:
        head = _read_exactly(source, _MAGIC_LENGTH, name)
        raw = cast(
            "IO[bytes]", io.BufferedReader(_Chunks(itertools.chain([head], _chunks_of(source)), name), READ_BYTES)
        )
        plain = _decompressed(head, raw, name)
        start = _read_exactly(plain, READ_BYTES, name)
        chunks = itertools.chain([_without_mark(start, name)], _chunks_of(plain))
    except BaseException:
        if path != STDIN:
            source.close()
        raise
    return io.BufferedReader(_Chunks(chunks, name, None if path == STDIN else source), READ_BYTES)


def opened_with_head(path: str | Content, problems: Problems) -> tuple[BinaryIO, bytes]:
    """An open input and its head, see `head_of`; an empty stream where there is nothing to read, which is reported."""
    try:
        stream = open_input(path)
    except InputError as problem:
        problems(problem)
        return io.BytesIO(), b""
    try:
        head = head_of(stream, display_name(path), problems)
    except BaseException:
        stream.close()
        raise
    if not head:
        stream.close()
        stream = io.BytesIO()
    return stream, head


def head_of(stream: BinaryIO, name: str, problems: Problems) -> bytes:
    """The beginning from the first byte that is no white space, not taken away; empty if none or UTF-16: reported."""
    try:
        head = cast("io.BufferedReader", stream).peek(READ_BYTES)
    except InputError as problem:
        problems(problem)
        return b""
    if _UTF_16_MARKUP.match(head):
        problems(InputError(name, 1, _UTF_16))
        return b""
    # A first buffer of nothing but blanks is left to the reader, which names the blank line.
    content = head.lstrip() or (head if len(head) >= READ_BYTES - len(_BYTE_ORDER_MARK) else b"")
    if not content:
        problems(InputError(name, 1, "the file is empty"))
    return content


LARGEST_TEXT = 1 << 28
"""Bytes of what is read as a whole, decompressed."""


def whole_bytes(stream: BinaryIO, name: str, largest: int = LARGEST_TEXT) -> bytes:
    """All of a stream.

    Raises:
        InputError: it has more than `largest` bytes, or cannot be read.
    """
    content = stream.read(largest + 1)
    if len(content) > largest:
        raise InputError(name, None, f"more than {largest} bytes, the most that is read of such a file")
    return content


def whole_text(stream: BinaryIO, name: str, largest: int = LARGEST_TEXT) -> str:
    """All of a stream, as text whose lines end with line feeds alone.

    Raises:
        InputError: it is not UTF-8, has more than `largest` bytes, or cannot be read.
    """
    content = whole_bytes(stream, name, largest)
    try:
        return content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(name, line, "the text is not UTF-8") from error


class _Chunks(io.RawIOBase):
    """Raw stream over an iterator of chunks that turns every failure to read into an `InputError`."""

    def __init__(self, chunks: Iterator[bytes], name: str, source: IO[bytes] | None = None) -> None:
        self._chunks = chunks
        self._name = name
        self._source = source
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 -- any writable buffer
        while not self._rest:
            chunk = _guarded(lambda: next(self._chunks, None), self._name)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def close(self) -> None:
        if self._source is not None:
            self._source.close()
        super().close()


def _open_raw(path: str | Content, name: str) -> IO[bytes]:
    if isinstance(path, Content):
        return io.BytesIO(path.data)
    if path == STDIN:
        if sys.stdin is None:
            raise InputError(name, None, "standard input is closed")
        return cast("IO[bytes]", sys.stdin.buffer)
    try:
        return Path(path).open("rb", buffering=0)
    except (OSError, ValueError) as error:
        raise InputError(name, None, _reason(error)) from error


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno is not None:
        return f"cannot be read: {os.strerror(error.errno)}"
    return f"cannot be read: {error}"


def _guarded(read: Callable[[], _Read], name: str) -> _Read:
    try:
        return read()
    except EOFError as error:
        raise InputError(name, None, "the compressed data are truncated") from error
    except _corruption() as error:
        raise InputError(name, None, f"the compressed data are corrupt: {error}") from error
    except OSError as error:
        # Of gzip and bz2, an OSError without a number is bad data.
        reason = _reason(error) if error.errno is not None else f"the compressed data are corrupt: {error}"
        raise InputError(name, None, reason) from error


def _corruption() -> tuple[type[Exception], ...]:
    """What else says that data are bad; imported when something was raised, as most inputs are plain."""
    import lzma
    import zlib

    return zlib.error, lzma.LZMAError


def _read_exactly(stream: IO[bytes], count: int, name: str) -> bytes:
    """Read `count` bytes, fewer only at the end: a pipe may hand out less at once."""
    head = b""
    while len(head) < count:
        chunk = _guarded(partial(stream.read, count - len(head)), name)
        if not chunk:
            break
        head += chunk
    return head


def _chunks_of(stream: IO[bytes]) -> Iterator[bytes]:
    # read1 of a buffered stream returns what a pipe has; an unbuffered file has only read, which does the same.
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    return iter(lambda: read(READ_BYTES), b"")


def _without_mark(start: bytes, name: str) -> bytes:
    if start.startswith(_UTF_16_MARKS):
        raise InputError(name, 1, _UTF_16)
    wide = _WIDE.get(tuple(byte == 0 for byte in start[:4]))
    if wide is not None and start.lstrip(b"\0")[:1] != b"<":  # readers of XML know encodings
        raise InputError(name, 1, f"the text is {wide}, expected UTF-8")
    return start.removeprefix(_BYTE_ORDER_MARK)


def _decompressed(head: bytes, raw: IO[bytes], name: str) -> IO[bytes]:
    if head.startswith(_GZIP):
        import gzip

        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    if head.startswith(_BZIP2):
        import bz2

        return cast("IO[bytes]", bz2.BZ2File(raw))
    if head.startswith(_XZ):
        import lzma

        return cast("IO[bytes]", lzma.LZMAFile(raw))
    if head.startswith(_ZSTD):
        from prum_eval.text.zstd import zstd_chunks

        return cast("IO[bytes]", io.BufferedReader(_Chunks(zstd_chunks(raw, name, READ_BYTES), name), READ_BYTES))
    return raw
