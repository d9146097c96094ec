"""A path or ``-`` to a stream of plain bytes: decompressed by content, byte-order mark dropped, errors named."""

from __future__ import annotations

import importlib
import io
import itertools
import os
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeVar, cast

from prum_eval.errors import InputError, ProblemHandler
from prum_eval.processes import available_threads
from prum_eval.text.numbers import quote_value

_Read = TypeVar("_Read")

READ_BYTES = 1 << 18
STDIN = "-"

_GZIP = b"\x1f\x8b"
_BZIP2 = b"BZh"
_XZ = b"\xfd7zXZ\x00"
_ZSTD = b"\x28\xb5\x2f\xfd"
SQLITE_MAGIC = b"SQLite format 3\x00"
"""First bytes of an index, which is no stream of text."""
_MAGIC_LENGTH = 6
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UTF_16_MARKUP = re.compile(rb"(?:[\t\n\r ]\x00)*<\x00|(?:\x00[\t\n\r ])*\x00<")  # without mark
_UTF_16 = "the text is UTF-16, expected UTF-8"
_WIDE_ENCODINGS: dict[tuple[bool, ...], str] = {
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
        return Content(name, _translate_errors(source.read, name))
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
        plain = _open_decompressed(head, raw, name)
        start = _read_exactly(plain, READ_BYTES, name)
        chunks = itertools.chain([_strip_byte_order_mark(start, name)], _chunks_of(plain))
    except BaseException:
        if path != STDIN:
            source.close()
        raise
    return io.BufferedReader(_Chunks(chunks, name, None if path == STDIN else source), READ_BYTES)


def open_with_head(path: str | Content, problems: ProblemHandler) -> tuple[BinaryIO, bytes]:
    """An open input and its head, see `peek_head`; an empty stream where there is nothing to read, which is reported."""
    try:
        stream = open_input(path)
    except InputError as problem:
        problems(problem)
        return io.BytesIO(), b""
    try:
        head = peek_head(stream, display_name(path), problems)
    except BaseException:
        stream.close()
        raise
    if not head:
        stream.close()
        stream = io.BytesIO()
    return stream, head


def peek_head(stream: BinaryIO, name: str, problems: ProblemHandler) -> bytes:
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


MAX_TEXT_BYTES = 1 << 28
"""Bytes of what is read as a whole, decompressed."""


def read_all_bytes(stream: BinaryIO, name: str, largest: int = MAX_TEXT_BYTES) -> bytes:
    """All of a stream.

    Raises:
        InputError: it has more than `largest` bytes, or cannot be read.
    """
    content = stream.read(largest + 1)
    if len(content) > largest:
        raise InputError(name, None, f"more than {largest} bytes, the most that is read of such a file")
    return content


def read_all_text(stream: BinaryIO, name: str, largest: int = MAX_TEXT_BYTES) -> str:
    """All of a stream, as text whose lines end with line feeds alone.

    Raises:
        InputError: it is not UTF-8, has more than `largest` bytes, or cannot be read.
    """
    content = read_all_bytes(stream, name, largest)
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
            chunk = _translate_errors(lambda: next(self._chunks, None), self._name)
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


def _translate_errors(read: Callable[[], _Read], name: str) -> _Read:
    try:
        return read()
    except EOFError as error:
        raise InputError(name, None, "the compressed data are truncated") from error
    except _decompression_errors() as error:
        raise InputError(name, None, f"the compressed data are corrupt: {error}") from error
    except OSError as error:
        # Of gzip and bz2, an OSError without a number is bad data.
        reason = _reason(error) if error.errno is not None else f"the compressed data are corrupt: {error}"
        raise InputError(name, None, reason) from error


def _decompression_errors() -> tuple[type[Exception], ...]:
    """What else says that data are bad; imported when something was raised, as most inputs are plain."""
    import lzma
    import zlib

    return zlib.error, lzma.LZMAError


def _read_exactly(stream: IO[bytes], count: int, name: str) -> bytes:
    """Read `count` bytes, fewer only at the end: a pipe may hand out less at once."""
    head = b""
    while len(head) < count:
        chunk = _translate_errors(partial(stream.read, count - len(head)), name)
        if not chunk:
            break
        head += chunk
    return head


def _chunks_of(stream: IO[bytes]) -> Iterator[bytes]:
    # read1 of a buffered stream returns what a pipe has; an unbuffered file has only read, which does the same.
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    return iter(lambda: read(READ_BYTES), b"")


def _strip_byte_order_mark(start: bytes, name: str) -> bytes:
    if start.startswith(_UTF_16_MARKS):
        raise InputError(name, 1, _UTF_16)
    wide = _WIDE_ENCODINGS.get(tuple(byte == 0 for byte in start[:4]))
    if wide is not None and start.lstrip(b"\0")[:1] != b"<":  # readers of XML know encodings
        raise InputError(name, 1, f"the text is {wide}, expected UTF-8")
    return start.removeprefix(_BYTE_ORDER_MARK)


def _open_decompressed(head: bytes, raw: IO[bytes], name: str) -> IO[bytes]:
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
        return cast("IO[bytes]", io.BufferedReader(_Chunks(zstd_chunks(raw, name, READ_BYTES), name), READ_BYTES))
    return raw


# Decompression of zstd, which is in the standard library from Python 3.14 on, before that in an extra package.


_STEP = 512


def zstd_chunks(raw: IO[bytes], name: str, size: int) -> Iterator[bytes]:
    """Decompressed chunks of a zstd file, of which `size` bytes are read at once.

    It goes frame by frame, so that a frame cut off is noticed, and by few bytes, which can unpack to 32,768 times as
    many.

    Raises:
        InputError: the data are corrupt, or no package reads them.
        EOFError: a frame is cut off.
    """
    new_frame, failure = _zstd(name)
    pieces = _pieces(raw, size)
    data = next(pieces, b"")
    while data:
        frame = new_frame()
        while not frame.eof:
            if not data:
                raise EOFError
            try:
                chunk = frame.decompress(data)
            except failure as error:
                raise InputError(name, None, f"the compressed data are corrupt: {error}") from error
            if chunk:
                yield chunk
            data = frame.unused_data if frame.eof else next(pieces, b"")
        data = data or next(pieces, b"")


def _pieces(raw: IO[bytes], size: int) -> Iterator[bytes]:
    while data := raw.read(size):
        for begin in range(0, len(data), _STEP):
            yield data[begin : begin + _STEP]


def _zstd(name: str) -> tuple[Callable[[], Any], type[Exception]]:
    """Maker of one-frame decompressors and the exception they raise, from whichever zstd module is there."""
    try:
        module: Any = importlib.import_module("compression.zstd")
    except ImportError:
        try:
            module = importlib.import_module("zstandard")
        except ImportError:
            reason = "compressed with zstd, which needs the package zstandard (extra `zstd`)"
            raise InputError(name, None, reason) from None
        return lambda: module.ZstdDecompressor().decompressobj(), module.ZstdError
    return module.ZstdDecompressor, module.ZstdError


# What the writers share: names that a form can hold, numbers as they are read back.


class Contents(Enum):
    """Names that a form cannot hold: a pattern, and what to say of them."""

    COLUMN = r"[ \t\n\v\f\r]", "columns cannot hold white space"
    FIRST_COLUMN = r"[ \t\n\v\f\r]|^[<{\ufeff]|^\[[{\]]", "a line cannot begin so, nor hold white space in a name"
    FIRST_TAB_COLUMN = r"[\t\n\r]|^[#<\ufeff]|^\s*$", "a line cannot begin so, nor hold tabs in a name"
    XML = (
        r"[\x00-\x1f\x7f\ufffe\uffff]|^\s|\s$",
        "XML cannot hold control characters and blanks at the ends",
    )
    JSON = r"[\x00-\x1f\x7f]", "JSON Lines cannot hold control characters in a name"

    def check(self, path: str, field: str, names: Iterable[str], line_of: Callable[[int], int]) -> None:
        """Refuse names that the form cannot hold; `line_of` tells the line of the name of a number, below 1 for none.

        Raises:
            InputError: on the first such name.
        """
        pattern, reason = re.compile(self.value[0]), self.value[1]  # now: most calls write nothing
        for number, name in enumerate(names):
            if pattern.search(name):
                line = int(line_of(number))
                raise InputError(path, line if line > 0 else None, f"{field} {quote_value(name)}: {reason}")


def encode_lines(lines: Iterable[str]) -> bytes:
    """Lines as UTF-8, each with its end."""
    return "".join(f"{line}\n" for line in lines).encode()


# Work on the items of a stream, some items ahead: numpy lets other threads run while it computes.


_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_MIN_ITEMS = 4
"""Items that are not worth a thread."""


def prefetch(
    work: Callable[[_Item], _Result],
    items: Iterable[_Item],
    threads: int | None = None,
    *,
    in_turn: Callable[[_Item], bool] | None = None,
) -> Iterator[tuple[_Item, _Result]]:
    """Each item with what `work` makes of it, in order; `work` must not depend on what is done with items before.

    `threads`: if not given, as many as there are processors that this process need not share; with one, `work` is
    called when its item's turn has come, and so where `in_turn` is true of the first item. What `work` raises is
    raised in its turn.
    """
    stream = iter(items)
    first = list(islice(stream, _MIN_ITEMS))
    if len(first) < _MIN_ITEMS or (threads or available_threads()) == 1 or (in_turn is not None and in_turn(first[0])):
        yield from ((item, work(item)) for item in first)
        yield from ((item, work(item)) for item in stream)
        return
    from concurrent.futures import ThreadPoolExecutor  # most inputs are small

    with ThreadPoolExecutor(threads or available_threads()) as pool:
        waiting = deque((item, pool.submit(work, item)) for item in first)
        while waiting:
            item, answer = waiting.popleft()
            found = answer.result()
            waiting.extend((item, pool.submit(work, item)) for item in islice(stream, 1))
            yield item, found
