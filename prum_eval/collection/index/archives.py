"""The members of tar and zip archives, whatever state these are in: sizes are bounded, a failure is an `InputError`."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import Any, BinaryIO, Self

from prum_eval.errors import InputError
from prum_eval.text.numbers import shown

LARGEST_MEMBER = 1 << 28
"""Bytes of a document in an archive, which is held in memory."""
_LONGEST_HEADER = 1 << 20
_STEP = 1 << 12
_ENCRYPTED = 1  # bit of a member's flags

Member = tuple[str, int, bytes | InputError]
"""Name, bytes that it has unpacked, and these; or why they cannot be had."""


def tar_members(name: str, stream: BinaryIO, wanted: Callable[[str], bool]) -> Iterator[Member]:
    """The files of a tar archive, read as it streams by.

    Raises:
        InputError: the archive is damaged or truncated: what follows cannot be found.
    """
    try:
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=_TarMember) as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isfile() and wanted(member.name) else None
                if file is None:
                    continue
                if member.size > LARGEST_MEMBER:
                    yield member.name, member.size, _too_large(name, member.name, member.size)
                    continue
                content = file.read()
                if len(content) < member.size:
                    raise InputError(name, None, f"the archive is truncated inside {member.name}")  # noqa: TRY301
                yield member.name, len(content), content
    except InputError:
        raise
    except Exception as error:  # of bad numbers, names, maps and more; the module has no list of what it raises
        raise _damaged(name, error) from error


class _TarMember(tarfile.TarInfo):
    """A member whose header is sound: the module takes any other but the first for the end of the archive."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(archive)
        except tarfile.HeaderError as error:
            if type(error).__name__ == "EOFHeaderError":  # the mark at the end
                raise
            reason = "it ends without its end mark" if not archive.fileobj.read(1) else str(error)
            raise tarfile.ReadError(reason) from error

    def _proc_member(self, archive: tarfile.TarFile) -> Any:  # noqa: ANN401 - the module has no types here
        # Headers that are texts are read whole, however long they say they are.
        if self.type not in tarfile.REGULAR_TYPES and self.size > _LONGEST_HEADER and not self.issparse():
            raise tarfile.ReadError(f"a header of {self.size} bytes")
        return super()._proc_member(archive)  # type: ignore[misc]


def zip_members(path: str, wanted: Callable[[str], bool]) -> Iterator[Member]:
    """The files of a zip archive.

    Raises:
        InputError: the archive is damaged.
    """
    try:
        archive = zipfile.ZipFile(path)
    except OSError as error:
        raise InputError(path, None, f"cannot be read: {error.strerror}") from error
    except Exception as error:
        raise _damaged(path, error) from error
    with closing(archive):
        for member in archive.infolist():
            if not member.filename:
                raise InputError(path, None, "the archive is damaged: a member without a name")
            if not member.is_dir() and wanted(member.filename):
                yield member.filename, member.file_size, _unzipped(archive, member, path)


def _unzipped(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: str) -> bytes | InputError:
    if member.file_size > LARGEST_MEMBER:
        return _too_large(path, member.filename, member.file_size)
    name = f"{path}/{member.filename}"
    # A member may hold more than it says; with these two methods reading is bounded, other ones unpack all they read.
    known = member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    step = member.file_size + 1 if known else _STEP
    try:
        with archive.open(member) as file:
            data = b"".join(iter(partial(file.read, step), b""))
    except RuntimeError as error:  # what zipfile raises for an encrypted member and for a method that it does not know
        reason = "it is encrypted" if member.flag_bits & _ENCRYPTED else str(error)
        return InputError(name, None, f"cannot be unpacked: {reason}")
    except Exception as error:  # noqa: BLE001 - each method has its own
        return _damaged(name, error)
    return data if len(data) == member.file_size else _damaged(name, EOFError("it is truncated"))


def _too_large(path: str, member: str, size: int) -> InputError:
    return InputError(f"{path}/{member}", None, f"a member of {size} bytes; unpack the archive, or leave it out")


def _damaged(name: str, error: Exception) -> InputError:
    return InputError(name, None, f"the archive is damaged: {shown(str(error) or type(error).__name__)[1:-1]}")
