"""Decompression of zstd, which is in the standard library from Python 3.14 on, before that in an extra package."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import IO, Any

from prum_eval.errors import InputError

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
