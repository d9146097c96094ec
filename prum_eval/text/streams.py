"""Inputs as streams of plain bytes, and names and lines as outputs write them.

An input is a path, ``-`` for standard input, or the `Content` of a file that was read before. Streams are decompressed
by content, without byte-order mark, and raise `InputError` with the name of the input. `Contents` tells which names an
output format cannot represent; `prefetch` works ahead in threads.
"""

from __future__ import annotations

import importlib
import io
import os
import re
import stat
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeVar, cast

from prum_eval.errors import InputError, ProblemHandler
from prum_eval.processes import available_threads
from prum_eval.text.numbers import quote_value

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

READ_BYTES = 1 << 18
MAX_TEXT_BYTES = 1 << 28
"""Maximum of bytes, decompressed, of an input that is read as a whole."""
NO_REGULAR_FILE = "cannot be read: it is no regular file"
STDIN = "-"
SQLITE_MAGIC = b"SQLite format 3\x00"
"""First bytes of an index, which is no stream of text."""

_GZIP, _BZIP2, _XZ, _ZSTD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
_MAGIC_LENGTH = len(_XZ)
_ZSTD_STEP = 512  # bytes decompressed at once: they expand to up to 32,768 times as many
_FIRST_COMMENTS = re.compile(rb"(?:#[^\n]*(?:\n\s*|\Z))+")
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
_MIN_ITEMS = 4  # fewer items are not worth a thread


@dataclass(slots=True, eq=False, repr=False)
class Content:
    """An input read before, perhaps by another machine: its name in messages, and its bytes, still compressed."""

    name: str
    data: bytes


def read_content(path: str) -> Content:
    """Read an input without decompressing it.

    Raises:
        InputError: the input cannot be read.
    """
    name = display_name(path)
    source = _open_raw(path, name)
    try:
        return Content(name, _translate_errors(source.read, name))
    finally:
        if path != STDIN:
            source.close()


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a folder; not if the system cannot look it up, as a name that is too long."""
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises errors


def is_regular_file(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a regular file; not if the system cannot look it up."""
    return os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises errors


def is_there(path: str | os.PathLike[str]) -> bool:
    """Whether a path exists; not if the system cannot look it up."""
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises errors


def display_name(path: str | Content) -> str:
    """Name of an input in messages: the path, or ``<stdin>`` for ``-``."""
    if isinstance(path, Content):
        return path.name
    return "<stdin>" if path == STDIN else path


def open_input(path: str | Content) -> BinaryIO:
    """Open an input: decompressed bytes (gzip, bzip2, xz, zstd) without byte-order mark.

    Raises `InputError` if the file cannot be opened; reading from the stream raises it if the file cannot be read or
    its compressed data are truncated or corrupt.
    """
    name = display_name(path)
    source = _open_raw(path, name)
    try:
        head = _read_exactly(source, _MAGIC_LENGTH, name)
        plain = _decompress(head, _buffer(chain([head], _chunks_of(source)), name), name)
        start = _read_exactly(plain, READ_BYTES, name)
        chunks = chain([_strip_byte_order_mark(start, name)], _chunks_of(plain))
    except BaseException:
        if path != STDIN:
            source.close()
        raise
    return _buffer(chunks, name, None if path == STDIN else source)


def open_with_head(path: str | Content, problems: ProblemHandler) -> tuple[BinaryIO, bytes]:
    """Open an input and peek at its head (see `peek_head`); report errors and return an empty stream."""
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
    """The first bytes from the first non-blank one, without consuming them.

    Empty if there are none or the text is UTF-16, which is reported.
    """
    try:
        head = cast("io.BufferedReader", stream).peek(READ_BYTES)
    except InputError as problem:
        problems(problem)
        return b""
    if _UTF_16_MARKUP.match(head):
        problems(InputError(name, 1, _UTF_16))
        return b""
    # If the whole first buffer is blank, the reader reports the blank line.
    content = head.lstrip() or (head if len(head) >= READ_BYTES - len(_BYTE_ORDER_MARK) else b"")
    if not content:
        problems(InputError(name, 1, "the file is empty"))
    return content


def skip_comments(head: bytes) -> bytes:
    """The beginning of an input from the first line that is not blank and does not begin with ``#``."""
    comments = _FIRST_COMMENTS.match(head)
    return head[comments.end() :] if comments else head


def is_special_file(path: Path) -> bool:
    """Whether this is a pipe, a device or a socket, reading which may never end."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False  # reading it says what is wrong
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def read_all_bytes(stream: BinaryIO, name: str, largest: int = MAX_TEXT_BYTES) -> bytes:
    """Read a whole stream.

    Raises:
        InputError: it has more than `largest` bytes, or cannot be read.
    """
    content = stream.read(largest + 1)
    if len(content) > largest:
        raise InputError(name, None, f"more than {largest} bytes, the limit for such a file")
    return content


def read_all_text(stream: BinaryIO, name: str, largest: int = MAX_TEXT_BYTES) -> str:
    """Read a whole stream as text with line feeds as line ends.

    Raises:
        InputError: it is not UTF-8, has more than `largest` bytes, or cannot be read.
    """
    content = read_all_bytes(stream, name, largest)
    try:
        return content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(name, line, "the text is not UTF-8") from error


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


class _Chunks(io.RawIOBase):
    """Raw stream over an iterator of chunks; every read error becomes an `InputError`."""

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


def _buffer(chunks: Iterator[bytes], name: str, source: IO[bytes] | None = None) -> BinaryIO:
    return io.BufferedReader(_Chunks(chunks, name, source), READ_BYTES)


def _chunks_of(stream: IO[bytes]) -> Iterator[bytes]:
    # read1 of a buffered stream returns what a pipe has; an unbuffered file has only read, which does the same.
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    return iter(lambda: read(READ_BYTES), b"")


def _strip_byte_order_mark(start: bytes, name: str) -> bytes:
    if start.startswith(_UTF_16_MARKS):
        raise InputError(name, 1, _UTF_16)
    wide = _WIDE_ENCODINGS.get(tuple(byte == 0 for byte in start[:4]))
    if wide is not None and start.lstrip(b"\0")[:1] != b"<":  # XML readers detect encodings themselves
        raise InputError(name, 1, f"the text is {wide}, expected UTF-8")
    return start.removeprefix(_BYTE_ORDER_MARK)


def _read_exactly(stream: IO[bytes], count: int, name: str) -> bytes:
    """Read `count` bytes, fewer only at the end; one read of a pipe may return fewer."""
    head = b""
    while len(head) < count:
        chunk = _translate_errors(partial(stream.read, count - len(head)), name)
        if not chunk:
            break
        head += chunk
    return head


def _translate_errors(read: Callable[[], _Result], name: str) -> _Result:
    try:
        return read()
    except EOFError as error:
        raise InputError(name, None, "the compressed data are truncated") from error
    except _decompression_errors() as error:
        raise InputError(name, None, f"the compressed data are corrupt: {error}") from error
    except OSError as error:
        # gzip and bz2 raise OSError without a number for bad data.
        reason = _reason(error) if error.errno is not None else f"the compressed data are corrupt: {error}"
        raise InputError(name, None, reason) from error


def _decompression_errors() -> tuple[type[Exception], ...]:
    """Errors of decompressors, imported after an exception only, since most inputs are plain."""
    import lzma
    import zlib

    return zlib.error, lzma.LZMAError


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno is not None:
        return f"cannot be read: {os.strerror(error.errno)}"
    return f"cannot be read: {error}"


def _decompress(head: bytes, raw: BinaryIO, name: str) -> IO[bytes]:
    if head.startswith(_GZIP):
        import gzip

        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    if head.startswith(_BZIP2):
        import bz2

        return cast("IO[bytes]", bz2.BZ2File(raw))
    if head.startswith(_XZ):
        import lzma

        return cast("IO[bytes]", lzma.LZMAFile(raw))
    return _buffer(zstd_chunks(raw, name, READ_BYTES), name) if head.startswith(_ZSTD) else raw


def zstd_chunks(raw: IO[bytes], name: str, size: int) -> Iterator[bytes]:
    """Decompressed chunks of a zstd file, frame by frame, so that a truncated frame is noticed.

    Args:
        raw: the compressed stream.
        name: name of the input, for messages.
        size: bytes per read.

    Raises:
        InputError: the data are corrupt, or no package can decompress them.
        EOFError: a frame is truncated.
    """
    new_frame, failure = _zstd(name)
    reads = iter(lambda: raw.read(size), b"")
    pieces = (data[begin : begin + _ZSTD_STEP] for data in reads for begin in range(0, len(data), _ZSTD_STEP))
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


def _zstd(name: str) -> tuple[Callable[[], Any], type[Exception]]:
    """Factory of decompressors for one frame, and their exception: standard library (3.14) or package zstandard."""
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


class Contents(Enum):
    """Names that an output format cannot represent: a pattern and the reason."""

    COLUMN = r"[ \t\n\v\f\r]", "columns cannot hold white space"
    FIRST_COLUMN = r"[ \t\n\v\f\r]|^[#<{\ufeff]|^\[[{\]]", "a line cannot begin so, nor hold white space in a name"
    FIRST_TAB_COLUMN = r"[\t\n\r]|^[#<\ufeff]|^\s*$", "a line cannot begin so, nor hold tabs in a name"
    XML = r"[\x00-\x1f\x7f\ufffe\uffff]|^\s|\s$", "XML cannot hold control characters and blanks at the ends"
    JSON = r"[\x00-\x1f\x7f]", "JSON Lines cannot hold control characters in a name"

    def check(self, path: str, field: str, names: Iterable[str], line_of: Callable[[int], int]) -> None:
        """Reject names that the format cannot represent.

        Args:
            path: the input, for messages.
            field: what the names are, for messages.
            names: the names.
            line_of: returns the input line of a name by its index; below 1 if it has none.

        Raises:
            InputError: for the first such name.
        """
        pattern, reason = re.compile(self.value[0]), self.value[1]  # compiled here: most calls write nothing
        for number, name in enumerate(names):
            if pattern.search(name):
                line = int(line_of(number))
                raise InputError(path, line if line > 0 else None, f"{field} {quote_value(name)}: {reason}")


def encode_lines(lines: Iterable[str]) -> bytes:
    """Lines as UTF-8, each with a line feed."""
    return "".join(f"{line}\n" for line in lines).encode()


def prefetch(
    work: Callable[[_Item], _Result],
    items: Iterable[_Item],
    threads: int | None = None,
    *,
    in_turn: Callable[[_Item], bool] | None = None,
) -> Iterator[tuple[_Item, _Result]]:
    """Items with their results of `work`, in order, computed ahead in threads (numpy releases the lock).

    Args:
        work: must not depend on what the caller does with earlier items. Its exceptions are raised in turn.
        items: the items.
        threads: number of threads, by default that of the processors available; 1 computes in turn.
        in_turn: compute in turn if this is true of the first item.
    """
    stream = iter(items)
    first = list(islice(stream, _MIN_ITEMS))
    threads = threads or available_threads()
    if len(first) < _MIN_ITEMS or threads == 1 or (in_turn is not None and in_turn(first[0])):
        yield from ((item, work(item)) for item in chain(first, stream))
        return
    from concurrent.futures import ThreadPoolExecutor  # most inputs are small

    with ThreadPoolExecutor(threads) as pool:
        pending = deque((item, pool.submit(work, item)) for item in first)
        while pending:
            item, future = pending.popleft()
            result = future.result()
            pending.extend((item, pool.submit(work, item)) for item in islice(stream, 1))
            yield item, result
