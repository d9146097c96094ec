"""Where texts lie: files of a directory, members of an archive, lines of JSON."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, Protocol, cast

from prum_eval.collection.index.containers import files_below
from prum_eval.errors import InputError, raise_first
from prum_eval.text.json.json_lines import JsonKeys, json_objects
from prum_eval.text.json.json_values import BadValueError
from prum_eval.text.numbers import shown
from prum_eval.text.streams import STDIN, display_name, open_input

if TYPE_CHECKING:
    from io import BufferedReader

_TAR_HEADER, _TAR_MARK = 512, 257
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_HIDDEN = re.compile(r"(?:^|/)\.")
_KINDS = "expected texts: a directory, a tar or zip archive, or JSON Lines with doc and text"


class Store(Protocol):
    """Files by name."""

    plain: bool  # whether all are text as they are, whatever they are called

    def has(self, file: str) -> bool:
        """Whether there is a file of that name."""

    def files(self) -> Iterator[str]:
        """The names of all files, but for hidden ones of a directory."""

    def read(self, file: str) -> bytes | None:
        """The bytes of a file, None where there is none of that name.

        Raises:
            InputError: they cannot be read.
        """

    def close(self) -> None:
        """Let go of what is open."""


def open_store(source: str, wanted: AbstractSet[str] | None) -> Store:
    """What a source holds under these names, or at all.

    Raises:
        InputError: the source cannot be read, or is nothing of the kind.
    """
    if source != STDIN and Path(source).is_dir():
        return _Directory(source)
    name = display_name(source)
    with open_input(source) as stream:
        head = cast("BufferedReader", stream).peek(_TAR_HEADER)
        if head.startswith(_ZIP):
            if source == STDIN:
                raise InputError(name, None, "a zip archive cannot be read from standard input; give its path")
            return _Spool(_zip(source, wanted), name)
        if head[_TAR_MARK:].startswith(b"ustar"):
            return _Spool(_tar(name, stream, wanted), name)
        if not head.lstrip().startswith(b"{"):
            raise InputError(name, None, _KINDS)
        return _Spool(_json_lines(name, stream, wanted), name, plain=True)


class _Directory:
    """Files below a directory; symbolic links are not followed, as an index does not."""

    plain = False

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def has(self, file: str) -> bool:
        return self._find(file) is not None

    def files(self) -> Iterator[str]:
        return (entry.name for entry in files_below(str(self._path), lambda name: not _HIDDEN.search(name)))

    def read(self, file: str) -> bytes | None:
        path = self._find(file)
        try:
            return None if path is None else path.read_bytes()
        except OSError as error:
            raise InputError(str(path), None, f"cannot be read: {error.strerror}") from error

    def _find(self, file: str) -> Path | None:
        """A file that is there, by no way but down."""
        parts = file.split("/")
        if "\0" in file or any(part in {"", ".", ".."} for part in parts):
            return None
        paths = [self._path.joinpath(*parts[:depth]) for depth in range(1, len(parts) + 1)]
        try:
            return paths[-1] if paths[-1].is_file() and not any(path.is_symlink() for path in paths) else None
        except OSError:  # a name that is too long for the file system
            return None

    def close(self) -> None:
        pass


class _Spool:
    """Files that were read in one go and stand in a temporary file, so that memory stays bounded."""

    def __init__(self, files: Iterable[tuple[str, bytes | InputError]], name: str, *, plain: bool = False) -> None:
        self.plain = plain
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the store
        self._places: dict[str, tuple[int, int] | InputError] = {}
        at = 0
        try:
            for file, content in files:
                if file in self._places:
                    content = InputError(name, None, f"document {shown(file)} is there twice")  # noqa: PLW2901
                if isinstance(content, InputError):
                    self._places[file] = content
                else:
                    self._places[file] = at, self._file.write(content)
                    at += len(content)
        except BaseException:
            self._file.close()
            raise

    def has(self, file: str) -> bool:
        return file in self._places

    def files(self) -> Iterator[str]:
        return iter(self._places)

    def read(self, file: str) -> bytes | None:
        place = self._places.get(file)
        if place is None:
            return None
        if isinstance(place, InputError):
            raise place
        self._file.seek(place[0])
        return self._file.read(place[1])

    def close(self) -> None:
        self._file.close()


def _tar(name: str, stream: BinaryIO, wanted: AbstractSet[str] | None) -> Iterator[tuple[str, bytes | InputError]]:
    from prum_eval.collection.index.archives import tar_members  # and the modules of archives

    members = tar_members(name, stream, lambda file: wanted is None or file.removeprefix("./") in wanted)
    return ((file.removeprefix("./"), content) for file, _, content in members)


def _zip(path: str, wanted: AbstractSet[str] | None) -> Iterator[tuple[str, bytes | InputError]]:
    from prum_eval.collection.index.archives import zip_members

    members = zip_members(path, lambda file: wanted is None or file.removeprefix("./") in wanted)
    return ((file.removeprefix("./"), content) for file, _, content in members)


def _json_lines(
    name: str, stream: BinaryIO, wanted: AbstractSet[str] | None
) -> Iterator[tuple[str, bytes | InputError]]:
    lines: dict[str, int] = {}
    for one in json_objects(stream, name, raise_first, JsonKeys({"doc": (), "text": ()}), "an object"):
        try:
            document, text = one.name("doc").decode(), one.text("text")
        except BadValueError as error:
            raise InputError(name, one.line, str(error)) from None
        if document in lines:
            reason = f"document {shown(document)} is there twice (first on line {lines[document]})"
            raise InputError(name, one.line, reason)
        lines[document] = one.line
        if wanted is None or document in wanted:
            yield document, text
