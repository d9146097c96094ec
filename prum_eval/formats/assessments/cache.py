"""Parsed assessments, kept in the user's cache folder: shells call the tool once a run, with the same assessments.

An entry is found by the bytes of all files, the version and the readers' own code, so that nothing stale is ever used.
It is a NumPy archive of plain numbers and text; reading it runs no code, and one that is damaged or not ours counts as
none. It is written aside and renamed, so that processes which start at once do no harm. No failure here is an error.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import prum_eval
from prum_eval.formats.assessments.packed import packed_columns, unpacked_assessments
from prum_eval.formats.assessments.read import assessment_files, joint_name, read_assessment_files
from prum_eval.formats.format import FormatKind
from prum_eval.formats.registry import is_built_in
from prum_eval.records.assessments import Assessments, FlatTopics, Topic
from prum_eval.text.streams import read_content
from prum_eval.version import __version__

VARIABLE = "PRUM_EVAL_CACHE"  # of the environment: the folder, or `off`
SMALLEST = 1 << 19  # bytes of input from which on reading an archive is clearly faster than parsing: by 25 ms or more
MOST_BYTES = 1 << 29  # that the cache may hold; what was not used for longest goes first
_OLD = 3600.0  # seconds after which an unfinished file is no longer being written
_OURS = re.compile(r"assessments-(?:[0-9a-f]{64}\.npz|\w+\.tmp)")

_Files = list[tuple[Path, os.stat_result]]


@dataclass(frozen=True)
class Cache:
    """A folder of archives; other files in it are left alone."""

    folder: Path

    def entries(self) -> _Files:
        """The archives and their state, those used last at the end."""
        return sorted(self._files(".npz"), key=lambda entry: entry[1].st_mtime_ns)

    def doubt(self) -> str | None:
        """Why what is in the folder may be another's work; None where it is ours or not there yet."""
        import stat

        try:
            state = self.folder.stat()
        except OSError:
            return None
        if not hasattr(os, "geteuid"):
            return None
        if state.st_uid != os.geteuid():
            return "it belongs to another user"
        if state.st_mode & stat.S_IWOTH and not state.st_mode & stat.S_ISVTX:
            return "everyone may write into it"
        return None

    def clear(self) -> None:
        """Delete all archives, and the folder if nothing else is in it."""
        _delete(self._files(".npz") + self._files(".tmp"))
        with suppress(OSError):  # it is not there, or holds something else
            self.folder.rmdir()

    def holds(self, key: str) -> bool:
        """Whether something is under that key, be it damaged."""
        return self._archive(key).exists()

    def _archive(self, key: str) -> Path:
        return self.folder / f"assessments-{key}.npz"

    def load(self, key: str, name: str, files: Sequence[str]) -> Assessments | None:
        """The assessments under that key, as those of the input `name` with these files; None where there are none."""
        path = self._archive(key)
        try:
            with path.open("rb") as file:
                if hasattr(os, "geteuid") and os.fstat(file.fileno()).st_uid != os.geteuid():
                    return None  # put there by another, in a folder that all may write into
                with np.load(file, allow_pickle=False) as archive:
                    columns = dict(archive)
            found = unpacked_assessments(columns, name)
            topics = _in_files(found.topics, lambda number: files[int(number)])
            if columns["key"].tobytes().decode() != key:
                return None
        except Exception:  # noqa: BLE001 - a foreign file may fail in any way
            return None
        with suppress(OSError):  # another's, or deleted by now
            os.utime(path)
        return replace(found, topics=topics)

    def store(self, key: str, assessments: Assessments, files: Sequence[str]) -> None:
        """Keep assessments under that key, if that is possible."""
        import tempfile

        number = {file: str(position) for position, file in enumerate(files)}
        topics = _in_files(assessments.topics, number.__getitem__)
        with suppress(OSError, ValueError):  # no such folder, no space, a name with a line feed
            columns = packed_columns(replace(assessments, topics=topics))
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, unfinished = tempfile.mkstemp(".tmp", "assessments-", self.folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    np.savez(file, key=np.frombuffer(key.encode(), dtype=np.uint8), **columns)  # type: ignore[arg-type]
                Path(unfinished).replace(self._archive(key))
            finally:
                Path(unfinished).unlink(missing_ok=True)
            _delete([entry for entry in self._files(".tmp") if time.time() - entry[1].st_mtime > _OLD])
            entries = self.entries()
            while sum(state.st_size for _, state in entries) > MOST_BYTES and len(entries) > 1:
                _delete([entries.pop(0)])

    def _files(self, ending: str) -> _Files:
        found = []
        with suppress(OSError):  # there is no such folder
            for path in self.folder.iterdir():
                if path.suffix == ending and _OURS.fullmatch(path.name):
                    with suppress(OSError):  # deleted by another process
                        found.append((path, path.stat()))
        return found


def _in_files(topics: Mapping[str, Topic], rename: Callable[[str], str]) -> Mapping[str, Topic]:
    """The topics with other names of the files that they come from."""
    if isinstance(topics, FlatTopics):
        return replace(topics, paths=tuple(map(rename, topics.paths)))
    return {topic: replace(one, path=rename(one.path)) for topic, one in topics.items()}


def user_cache(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Cache | None:
    """The cache of this user, where the system's conventions put it; None where it is switched off."""
    chosen = environment.get(VARIABLE, "").strip()
    if chosen:
        return None if chosen.lower() == "off" else Cache(Path(chosen))
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
    files, name = list(assessment_files(paths)), joint_name(paths)
    names = [file for file, _ in files]
    if cache is None or not _worth_it(names):
        return read_assessment_files(files, name)
    # Parsed is what was hashed: a file that changes meanwhile cannot slip in under another's key.
    contents = [(read_content(file), main) for file, main in files]
    key = _key([(content.data, main) for content, main in contents])
    found = None
    if cache.holds(key):
        del contents  # which may be as much to hold as what is kept of them
        found = cache.load(key, name, names)
        if found is None:
            contents = [(read_content(file), main) for file, main in files]
            key = _key([(content.data, main) for content, main in contents])
    if found is None:
        found = read_assessment_files(contents, name)
        known = all(is_built_in(FormatKind.ASSESSMENTS, content) for content, _ in contents)
        del contents
        if known:  # of other formats the key knows nothing
            cache.store(key, found, names)
    return found


def _worth_it(files: Sequence[str]) -> bool:
    """Are they files (what is not can be read only once), and large enough?"""
    paths = [Path(file) for file in files]
    with suppress(OSError):
        return all(path.is_file() for path in paths) and sum(path.stat().st_size for path in paths) >= SMALLEST
    return False


def _key(contents: Sequence[tuple[bytes, bool]]) -> str:
    """Digest of the files in their order, each with whether it is of the main pool, and of what will read them."""
    import hashlib

    digest = hashlib.sha256(f"{__version__} {np.dtype(np.int64).str}".encode())
    for room in ("text", "records", "formats"):
        for path in sorted(Path(prum_eval.__file__).parent.joinpath(room).rglob("*.py")):
            digest.update(path.read_bytes())
    for data, main in contents:
        digest.update(f" {len(data)} {main} ".encode())
        digest.update(data)
    return digest.hexdigest()


def _delete(files: _Files) -> None:
    for path, _ in files:
        with suppress(OSError):  # in use, or another's
            path.unlink()
