"""Parsed assessments, kept in the user's cache folder: shells call the tool once a run, with the same judgements.

An entry is found by the bytes of all files, the version and the readers' own code, so that nothing stale is ever used.
It is a NumPy archive of plain numbers and text; reading it runs no code, and one that is damaged or not ours counts as
none. It is written aside and renamed, so that processes which start at once do no harm. No failure here is an error.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import prum_eval
from prum_eval.formats.assessments.packed import pack, unpack
from prum_eval.formats.assessments.read import assessment_files, joint_name, read_assessment_files
from prum_eval.records.assessments import Assessments
from prum_eval.text.streams import Content, read_content
from prum_eval.version import __version__

VARIABLE = "PRUM_EVAL_CACHE"
"""Environment variable with the folder, or `off`."""
FORMAT = 1
"""Number of the archive's format."""
SMALLEST = 1 << 19
"""Bytes of input from which on reading an archive is clearly faster than parsing (25 ms or more are saved)."""
MOST_BYTES = 1 << 29
"""Bytes that the cache may hold; what was not used for longest goes first."""
_OLD = 3600.0
"""Seconds after which an unfinished file is no longer being written."""
_ENTRY = re.compile(r"assessments-[0-9a-f]{64}\.npz")
_UNFINISHED = re.compile(r"assessments-\w+\.tmp")


@dataclass(frozen=True)
class Cache:
    """A folder of archives; other files in it are left alone."""

    folder: Path

    def entries(self) -> list[tuple[Path, os.stat_result]]:
        """The archives and their state, those used last at the end."""
        return sorted(self._files(_ENTRY), key=lambda entry: entry[1].st_mtime_ns)

    def clear(self) -> None:
        """Delete all archives, and the folder if nothing else is in it."""
        for pattern in (_ENTRY, _UNFINISHED):
            for path, _ in self._files(pattern):
                _delete(path)
        with suppress(OSError):  # it is not there, or holds something else
            self.folder.rmdir()

    def load(self, key: str, name: str, files: Sequence[str]) -> Assessments | None:
        """The judgements under that key, as those of the input `name` with these files; None where there are none."""
        path = self._path(key)
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
                columns = {column: archive[column] for column in archive.files}
            if columns["key"].tobytes().decode() != key:
                return None
            packed = unpack(columns, name)
            topics = {topic: replace(one, path=files[int(one.path)]) for topic, one in packed.topics.items()}
        except Exception:  # noqa: BLE001 - a foreign file may fail in any way
            return None
        with suppress(OSError):  # another's, or deleted by now
            os.utime(path)
        return replace(packed, topics=topics)

    def store(self, key: str, assessments: Assessments, files: Sequence[str]) -> None:
        """Keep judgements under that key, if that is possible."""
        import tempfile

        number = {file: str(position) for position, file in enumerate(files)}
        topics = {topic: replace(one, path=number[one.path]) for topic, one in assessments.topics.items()}
        with suppress(OSError, ValueError):  # no such folder, no space, a name with a line feed
            columns = pack(replace(assessments, topics=topics))
            columns["key"] = np.frombuffer(key.encode(), dtype=np.uint8)
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, unfinished = tempfile.mkstemp(".tmp", "assessments-", self.folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    np.savez(file, **columns)  # type: ignore[arg-type]
                Path(unfinished).replace(self._path(key))
            except BaseException:
                _delete(Path(unfinished))
                raise
            self._trim()

    def _trim(self) -> None:
        for path, state in self._files(_UNFINISHED):
            if time.time() - state.st_mtime > _OLD:
                _delete(path)
        entries = self.entries()
        size = sum(state.st_size for _, state in entries)
        for path, state in entries[:-1]:
            if size > MOST_BYTES:
                _delete(path)
                size -= state.st_size

    def _path(self, key: str) -> Path:
        return self.folder / f"assessments-{key}.npz"

    def _files(self, pattern: re.Pattern[str]) -> Iterator[tuple[Path, os.stat_result]]:
        try:
            found = [entry for entry in os.scandir(self.folder) if pattern.fullmatch(entry.name)]
        except OSError:
            return
        for entry in found:
            try:
                yield Path(entry.path), entry.stat()
            except OSError:  # deleted by another process
                continue


def user_cache(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Cache | None:
    """The cache of this user, where the system's conventions put it; None where it is switched off."""
    chosen = environment.get(VARIABLE, "").strip()
    if chosen.lower() == "off":
        return None
    if chosen:
        return Cache(Path(chosen))
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if platform == "darwin":
        return Cache(home / "Library" / "Caches" / "prum-eval")
    variable, default = ("LOCALAPPDATA", "AppData/Local") if platform == "win32" else ("XDG_CACHE_HOME", ".cache")
    given = Path(environment.get(variable, "").strip())
    return Cache((given if given.is_absolute() else home / default) / "prum-eval")


def read_cached(paths: Sequence[str], cache: Cache | None) -> Assessments:
    """What `read_assessments` returns for these paths, from the cache if it is there.

    Raises:
        InputError: bad data, as without a cache.
    """
    files = list(assessment_files(paths))
    name = joint_name(paths)
    if cache is None or not _worth_it([file for file, _ in files]):
        return read_assessment_files(files, name)
    # Parsed is what was hashed: a file that changes meanwhile cannot slip in under another's key.
    contents = [(read_content(file), main) for file, main in files]
    key, names = _key(contents), [file for file, _ in files]
    found = cache.load(key, name, names)
    if found is None:
        found = read_assessment_files(contents, name)
        cache.store(key, found, names)
    return found


def _worth_it(files: Sequence[str]) -> bool:
    """Are they files (what is not can be read only once), and large enough?"""
    try:
        return (
            all(Path(file).is_file() for file in files) and sum(Path(file).stat().st_size for file in files) >= SMALLEST
        )
    except OSError:
        return False


def _key(contents: Sequence[tuple[Content, bool]]) -> str:
    """Digest of the files in their order, each with whether it is of the main pool, and of what will read them."""
    import hashlib

    digest = hashlib.sha256(f"{FORMAT} {__version__} {np.dtype(np.int64).str}".encode())
    for room in ("text", "records", "formats/assessments"):
        for path in sorted(Path(prum_eval.__file__).parent.joinpath(room).glob("*.py")):
            digest.update(path.read_bytes())
    for content, main in contents:
        digest.update(f" {len(content.data)} {main} ".encode())
        digest.update(content.data)
    return digest.hexdigest()


def _delete(path: Path) -> None:
    with suppress(OSError):  # in use, or another's
        path.unlink(missing_ok=True)
