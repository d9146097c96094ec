"""What the tests of the cache share."""

import pytest

from prum_eval.formats import assessments_cache as caching
from tests.gold import ROOT


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache that takes inputs of any size."""
    monkeypatch.setenv("PRUM_EVAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(caching, "MIN_CACHED_BYTES", 0)
    monkeypatch.chdir(ROOT)
    return tmp_path / "cache"
