"""What the tests of several packages share."""

import gc
import importlib
import sys

import pytest
from hypothesis import settings

settings.register_profile("thorough", deadline=None)  # no test is about time: a busy machine fails none
settings.register_profile("quick", deadline=None, max_examples=40)
settings.load_profile("thorough")


def pytest_collection_finish():
    """What was imported and collected stays: the garbage collector need not look at it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def write(tmp_path):
    """Write an input file and return its path."""

    def write(content, name="input"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write


@pytest.fixture
def problems_of():
    """Read an input like ``check`` and return all problems, without the path, as ``LINE: reason``."""

    def problems_of(read, path, **options):
        problems = []
        read(path, problems=problems.append, **options)
        assert {problem.path for problem in problems} <= {path}
        return [str(problem).removeprefix(f"{path}:").strip() for problem in problems]

    return problems_of


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a package of one module with its metadata, as an installer would, for this process and this test."""
    modules = []

    def install(module, source, entry_points):
        modules.append(module)
        name = module.replace("_", "-")
        information = tmp_path / f"{module}-1.0.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
        (information / "entry_points.txt").write_text(entry_points, encoding="utf-8")
        (tmp_path / f"{module}.py").write_text(source, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        importlib.invalidate_caches()

    yield install
    for module in modules:
        sys.modules.pop(module, None)
