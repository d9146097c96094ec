"""What the tests of the index share."""

import pytest

from prum_eval.collection.documents import ReadingOptions
from prum_eval.collection.index_build import BuildOptions, build_index


@pytest.fixture
def write(write):
    """Write a file, called source unless the test says otherwise, and return its path."""
    return lambda content, name="source": write(content, name)


@pytest.fixture
def built(tmp_path):
    """Index a source and return the path of the index."""

    def built(source, name="an.index", jobs=1, **reading):
        target = str(tmp_path / name)
        build_index(str(source), target, BuildOptions(jobs, reading=ReadingOptions(**reading)), report=lambda _: None)
        assert [path.name for path in tmp_path.glob(f"{name}*")] == [name]
        return target

    return built
