"""Parsed assessments, kept in the user's cache folder: shells call the tool once a run, with the same assessments.

The key of an entry is a digest of all files, the version and the code of the readers, so that nothing stale is used.
An entry is a pickle behind its digest; the unpickler makes records and arrays and refuses everything else. A damaged or
foreign file counts as none. Files are written aside and renamed, so that processes may start at once. No failure here
is an error.
"""

from __future__ import annotations

import io
import os
import pickle
import re
import stat
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import prum_eval
from prum_eval.formats.format import FormatKind
from prum_eval.formats.reading import assessment_files, combined_name, read_assessment_files
from prum_eval.formats.registry import is_built_in
from prum_eval.records import (
    AssessmentKind,
    Assessments,
    ElementTopic,
    EntryPoint,
    FlatTopics,
    Highlight,
    PassageTopic,
    Topic,
)
from prum_eval.text.names import TextNames
from prum_eval.text.streams import Content, read_content
from prum_eval.version import __version__

if TYPE_CHECKING:
    import hashlib


CACHE_VARIABLE = "PRUM_EVAL_CACHE"  # of the environment: the folder, or `off`
MIN_CACHED_BYTES = (
    1 << 19
)  # bytes of input from which on loading an entry is clearly faster than parsing: by 25 ms or more
MAX_CACHE_BYTES = 1 << 29  # that the cache may hold; what was not used for longest goes first
_DIGEST = 32  # bytes of a digest at the front of an entry
_STALE_SECONDS = 3600.0  # seconds after which an unfinished file is no longer being written
_FILE = re.compile(r"assessments-(?:[0-9a-f]{64}\.(?:pickle|npz)|\w+\.tmp)")  # .npz: of version 0.2.0
_RECORDS = (AssessmentKind, Assessments, ElementTopic, EntryPoint, FlatTopics, Highlight, PassageTopic, TextNames)
_NAMES = {
    *((kind.__module__, kind.__name__) for kind in (*_RECORDS, np.dtype, np.ndarray)),
    *(("numpy._core.multiarray", "_reconstruct"), ("numpy._core.numeric", "_frombuffer")),
}
"""What an entry may name: module and name."""


class _Unpickler(pickle.Unpickler):
    """Makes records and arrays of a pickle, and nothing else."""

    def find_class(self, module: str, name: str) -> object:
        if (module, name) not in _NAMES:
            raise pickle.UnpicklingError(f"{module}.{name}")
        return super().find_class(module, name)


@dataclass(eq=False, repr=False)
class AssessmentCache:
    """A folder of entries; other files in it are left alone."""

    folder: Path

    def entries(self) -> list[tuple[Path, os.stat_result]]:
        """The finished entries and their state, those used last at the end."""
        return [(path, state) for path, state in self._files() if path.suffix != ".tmp"]

    def ownership_problem(self) -> str | None:
        """Why what is in the folder may be another's work; None where it is ours or not there yet."""
        with suppress(OSError, AttributeError):  # it is not there; the system has no such owners
            state = self.folder.stat()
            if state.st_uid != os.geteuid():
                return "it belongs to another user"
            if state.st_mode & stat.S_IWOTH and not state.st_mode & stat.S_ISVTX:
                return "everyone may write into it"
        return None

    def clear(self) -> None:
        """Delete all entries, and the folder if nothing else is in it."""
        _delete([path for path, _ in self._files()])
        with suppress(OSError):  # it is not there, or holds something else
            self.folder.rmdir()

    def entry(self, key: str) -> Path:
        """The file under that key."""
        return self.folder / f"assessments-{key}.pickle"

    def load(self, key: str, name: str, files: Sequence[str]) -> Assessments | None:
        """The assessments under that key, as those of the input `name` with these files; None where there are none."""
        path = self.entry(key)
        try:
            with path.open("rb") as file:
                if hasattr(os, "geteuid") and os.fstat(file.fileno()).st_uid != os.geteuid():
                    return None  # put there by another, in a folder that all may write into
                digest, payload = file.read(_DIGEST), file.read()
            if digest != _sha256([key.encode(), payload]).digest():
                return None
            found = _Unpickler(io.BytesIO(payload)).load()
            found = replace(found, path=name, topics=_with_paths(found.topics, lambda number: files[int(number)]))
        except Exception:  # noqa: BLE001 - a foreign file may fail in any way
            return None
        with suppress(OSError):  # another's, or deleted by now
            os.utime(path)
        return found if isinstance(found, Assessments) else None

    def store(self, key: str, assessments: Assessments, files: Sequence[str]) -> None:
        """Keep assessments under that key, if that is possible."""
        import tempfile

        number = {file: str(position) for position, file in enumerate(files)}
        topics = _with_paths(assessments.topics, number.__getitem__)
        payload = pickle.dumps(replace(assessments, path="", topics=topics), protocol=5)
        with suppress(OSError):  # no such folder, no space
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, unfinished = tempfile.mkstemp(".tmp", "assessments-", self.folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.writelines([_sha256([key.encode(), payload]).digest(), payload])
                Path(unfinished).replace(self.entry(key))
            finally:
                Path(unfinished).unlink(missing_ok=True)
            long_ago, entries = time.time() - _STALE_SECONDS, self.entries()
            _delete([path for path, state in self._files() if path.suffix == ".tmp" and state.st_mtime < long_ago])
            while sum(state.st_size for _, state in entries) > MAX_CACHE_BYTES and len(entries) > 1:
                _delete([entries.pop(0)[0]])

    def _files(self) -> list[tuple[Path, os.stat_result]]:
        """All files that this module wrote, finished or not, those used last at the end."""
        found = []
        with suppress(OSError):  # there is no such folder
            for path in filter(lambda path: _FILE.fullmatch(path.name), self.folder.iterdir()):
                with suppress(OSError):  # deleted by another process
                    found.append((path, path.stat()))
        return sorted(found, key=lambda one: one[1].st_mtime_ns)


def user_cache(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> AssessmentCache | None:
    """The cache of this user, where the system's conventions put it; None where it is switched off."""
    chosen = environment.get(CACHE_VARIABLE, "").strip()
    if chosen:
        return None if chosen.lower() == "off" else AssessmentCache(Path(chosen))
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if platform == "darwin":
        return AssessmentCache(home / "Library" / "Caches" / "prum-eval")
    variable, default = ("LOCALAPPDATA", "AppData/Local") if platform == "win32" else ("XDG_CACHE_HOME", ".cache")
    given = Path(environment.get(variable, "").strip())
    return AssessmentCache((given if given.is_absolute() else home / default) / "prum-eval")


def read_cached(paths: Sequence[str], cache: AssessmentCache | None) -> Assessments:
    """What `read_assessments` returns for these paths, from the cache if it is there.

    Raises:
        InputError: bad data, as without a cache.
    """
    files, name = list(assessment_files(paths)), combined_name(paths)
    names = [file for file, _ in files]
    # What is no file can be read only once, and what is small is parsed as fast.
    if cache is None or not all(map(os.path.isfile, names)) or sum(map(os.path.getsize, names)) < MIN_CACHED_BYTES:
        return read_assessment_files(files, name)
    # Parsed is what was hashed: a file that changes meanwhile cannot slip in under another's key.
    contents = [(read_content(file), main) for file, main in files]
    key = _cache_key(contents)
    if cache.entry(key).exists():
        del contents  # which may be as much to hold as what is kept of them
        found = cache.load(key, name, names)
        if found is not None:
            return found
        contents = [(read_content(file), main) for file, main in files]
        key = _cache_key(contents)
    found = read_assessment_files(contents, name)
    known = all(is_built_in(FormatKind.ASSESSMENTS, content) for content, _ in contents)
    del contents
    if known:  # of other formats the key knows nothing
        cache.store(key, found, names)
    return found


def _cache_key(contents: Sequence[tuple[Content, bool]]) -> str:
    """Digest of the files in their order, each with whether it is of the main pool, and of what will read them."""
    parts = [f"{__version__} {np.__version__} {np.dtype(np.int64).str}".encode()]
    for folder in ("text", "records", "formats"):
        parts += [path.read_bytes() for path in sorted((Path(prum_eval.__file__).parent / folder).rglob("*.py"))]
    for content, main in contents:
        parts += [f" {len(content.data)} {main} ".encode(), content.data]
    return _sha256(parts).hexdigest()


def _sha256(parts: Iterable[bytes]) -> hashlib._Hash:
    import hashlib

    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest


def _with_paths(topics: Mapping[str, Topic], rename: Callable[[str], str]) -> Mapping[str, Topic]:
    """The topics with other names of the files that they come from."""
    if isinstance(topics, FlatTopics):
        return replace(topics, paths=tuple(map(rename, topics.paths)))
    return {topic: replace(one, path=rename(one.path)) for topic, one in topics.items()}


def _delete(paths: Sequence[Path]) -> None:
    for path in paths:
        with suppress(OSError):  # in use, or another's
            path.unlink()
