"""Files that results go to: regular ones appear whole or not at all, devices and pipes are written into."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from prum_eval.errors import InputError, printable

STANDARD_OUTPUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


def write_output(text: str, path: str | None) -> None:
    """Write a result; without a path, or to ``-``, to standard output, where a terminal obeys nothing in it.

    Raises:
        InputError: the file cannot be written.
    """
    if path is None or path in STANDARD_OUTPUT:
        sys.stdout.write(printable(text, lines=True) if sys.stdout.isatty() else text)
        return
    write_bytes(text.encode(), path)


def write_bytes(content: bytes, path: str) -> None:
    """Write a file, whole or not at all; what is there and is no regular file, such as a pipe, is written into.

    A symbolic link is followed: the file that it leads to is written.

    Raises:
        InputError: the file cannot be written.
    """
    target = Path(path)
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            target.write_bytes(content)
        else:
            _replace(Path(os.path.realpath(target)), content)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(path, None, f"cannot be written: {reason}") from error


def _replace(target: Path, content: bytes) -> None:
    import tempfile  # most calls print

    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_files(files: Mapping[str, str], folder: str) -> None:
    """Write files, each whole or not at all, into a folder that is made if need be; names may have folders.

    Raises:
        InputError: a folder cannot be made, or a file cannot be written.
    """
    for name, text in files.items():
        target = Path(folder) / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(str(target.parent), None, f"cannot be made: {error.strerror}") from error
        write_output(text, str(target))


def same_file(path: str, other: str) -> bool:
    """Whether two paths lead to one file that is there; ``-`` as the second is standard input."""
    try:
        here = Path(path).stat()
        there = os.fstat(0) if other == "-" else Path(other).stat()
    except (OSError, ValueError):
        return False
    return os.path.samestat(here, there) and Path(path).is_file()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
