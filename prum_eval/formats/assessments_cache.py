"""The cache of parsed assessments in the user's cache folder, for scripts that evaluate run after run.

The key of an entry is a digest of all files, the version and the code of the readers, so that no entry is stale. An
entry is a digest and a pickle; the unpickler makes records and arrays only. Damaged or foreign files are ignored.
Entries are written to a temporary file and renamed, so that processes may run in parallel. No failure of the cache is
an error.
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
    Facets,
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
MIN_CACHED_BYTES = 1 << 19  # of input; from this size on, loading an entry is faster than parsing by 25 ms or more
MAX_CACHE_BYTES = 1 << 29  # the least recently used entries are deleted first
_DIGEST = 32  # bytes of a digest at the front of an entry
_STALE_SECONDS = 3600.0  # age of unfinished files that no process is writing any more
_FILE = re.compile(r"assessments-(?:[0-9a-f]{64}\.(?:pickle|npz)|\w+\.tmp)")  # .npz: of version 0.2.0
_RECORDS = (
    AssessmentKind,
    Assessments,
    ElementTopic,
    EntryPoint,
    Facets,
    FlatTopics,
    Highlight,
    PassageTopic,
    TextNames,
)
_NAMES = {
    *((kind.__module__, kind.__name__) for kind in (*_RECORDS, np.dtype, np.ndarray)),
    *(("numpy._core.multiarray", "_reconstruct"), ("numpy._core.numeric", "_frombuffer")),
}
"""Module and name of all that an entry may contain."""


class _Unpickler(pickle.Unpickler):
    """Unpickler of records and arrays, which refuses everything else."""

    def find_class(self, module: str, name: str) -> object:
        if (module, name) not in _NAMES:
            raise pickle.UnpicklingError(f"{module}.{name}")
        return super().find_class(module, name)


@dataclass(eq=False, repr=False)
class AssessmentCache:
    """A folder of entries; other files in it are not touched."""

    folder: Path

    def entries(self) -> list[tuple[Path, os.stat_result]]:
        """Finished entries and their state, least recently used first."""
        return [(path, state) for path, state in self._files() if path.suffix != ".tmp"]

    def ownership_problem(self) -> str | None:
        """Why the folder is not trusted; None if it is, or does not exist."""
        with suppress(OSError, AttributeError):  # it does not exist; the system has no such owners
            state = self.folder.stat()
            if state.st_uid != os.geteuid():
                return "it belongs to another user"
            if state.st_mode & stat.S_IWOTH and not state.st_mode & stat.S_ISVTX:
                return "everyone may write into it"
        return None

    def clear(self) -> None:
        """Delete all entries, and the folder if it is empty then."""
        _delete([path for path, _ in self._files()])
        with suppress(OSError):  # it does not exist, or is not empty
            self.folder.rmdir()

    def entry(self, key: str) -> Path:
        """Path of the entry with that key."""
        return self.folder / f"assessments-{key}.pickle"

    def load(self, key: str, name: str, files: Sequence[str]) -> Assessments | None:
        """The entry with that key, as the assessments `name` of these files; None if there is none."""
        path = self.entry(key)
        try:
            with path.open("rb") as file:
                if hasattr(os, "geteuid") and os.fstat(file.fileno()).st_uid != os.geteuid():
                    return None  # of another user, in a folder with write access for all
                digest, payload = file.read(_DIGEST), file.read()
            if digest != _sha256([key.encode(), payload]).digest():
                return None
            judged = _Unpickler(io.BytesIO(payload)).load()
            judged = replace(judged, path=name, topics=_with_paths(judged.topics, lambda number: files[int(number)]))
        except Exception:  # noqa: BLE001 - a foreign file may fail in any way
            return None
        with suppress(OSError):  # of another user, or deleted by now
            os.utime(path)
        return judged if isinstance(judged, Assessments) else None

    def store(self, key: str, assessments: Assessments, files: Sequence[str]) -> None:
        """Store assessments under that key, if possible."""
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
        """Finished and unfinished entries with their state, least recently used first."""
        files = []
        with suppress(OSError):  # the folder does not exist
            for path in filter(lambda path: _FILE.fullmatch(path.name), self.folder.iterdir()):
                with suppress(OSError):  # deleted by another process
                    files.append((path, path.stat()))
        return sorted(files, key=lambda file: file[1].st_mtime_ns)


def user_cache(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> AssessmentCache | None:
    """The user's cache, by the conventions of the system; None if it is switched off."""
    folder = environment.get(CACHE_VARIABLE, "").strip()
    if folder:
        return None if folder.lower() == "off" else AssessmentCache(Path(folder))
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if platform == "darwin":
        return AssessmentCache(home / "Library" / "Caches" / "prum-eval")
    variable, default = ("LOCALAPPDATA", "AppData/Local") if platform == "win32" else ("XDG_CACHE_HOME", ".cache")
    parent = Path(environment.get(variable, "").strip())
    return AssessmentCache((parent if parent.is_absolute() else home / default) / "prum-eval")


def read_cached(
    paths: Sequence[str], cache: AssessmentCache | None, *, structured: bool = False, facets: str | None = None
) -> Assessments:
    """Read assessments as `read_assessments` does, from the cache if possible.

    Raises:
        InputError: bad data, as without a cache.
    """
    files, name = list(assessment_files(paths)), combined_name(paths)
    names = [file for file, _ in files]
    # Streams can be read only once, and small files are parsed as fast.
    if cache is None or not all(map(os.path.isfile, names)) or sum(map(os.path.getsize, names)) < MIN_CACHED_BYTES:
        return read_assessment_files(files, name, structured=structured, facets=facets)
    # The bytes that were hashed are parsed, so that a file that changes meanwhile cannot get a wrong key.
    contents = [(read_content(file), main) for file, main in files]
    key = _cache_key(contents, f"{structured} {facets}")
    if cache.entry(key).exists():
        del contents  # may be as large as the entry
        cached = cache.load(key, name, names)
        if cached is not None:
            return cached
        contents = [(read_content(file), main) for file, main in files]
        key = _cache_key(contents, f"{structured} {facets}")
    judged = read_assessment_files(contents, name, structured=structured, facets=facets)
    built_in = all(is_built_in(FormatKind.ASSESSMENTS, content, structured=structured) for content, _ in contents)
    del contents
    if built_in:  # the key does not depend on the code of other formats
        cache.store(key, judged, names)
    return judged


def _cache_key(contents: Sequence[tuple[Content, bool]], options: str) -> str:
    """Digest of the files in their order, with whether they are of the main pool, options, and of the code."""
    parts = [f"{__version__} {np.__version__} {np.dtype(np.int64).str} {options}".encode()]
    package = Path(prum_eval.__file__).parent
    for folder in ("text", "formats"):
        parts += [path.read_bytes() for path in sorted((package / folder).rglob("*.py"))]
    parts.append((package / "records.py").read_bytes())
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
    """The topics with renamed source files."""
    if isinstance(topics, FlatTopics):
        return replace(topics, paths=tuple(map(rename, topics.paths)))
    return {name: replace(topic, path=rename(topic.path)) for name, topic in topics.items()}


def _delete(paths: Sequence[Path]) -> None:
    for path in paths:
        with suppress(OSError):  # in use, or of another user
            path.unlink()
