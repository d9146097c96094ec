"""An id that a document has twice: it is valid, and the first element with it counts."""

import pytest

from prum_eval.collection import index_sources
from prum_eval.formats.reading import read_structure
from prum_eval.records import Link

TEXT = "<a><b xml:id='x'>one</b><c xml:id='x'>two</c><see to='#x'/></a>"


@pytest.fixture
def source(tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "a.xml").write_text(TEXT)
    return tmp_path / "source"


@pytest.mark.parametrize("largest_tree", [10, 1000])
def test_it_is_indexed(source, built, monkeypatch, largest_tree):
    monkeypatch.setattr(index_sources, "_LARGEST_TREE", largest_tree)
    assert read_structure(built(source)).documents["a"].paths == ("/a[1]", "/a[1]/b[1]", "/a[1]/c[1]", "/a[1]/see[1]")


def test_the_first_is_the_target_of_links(source, built):
    structure = read_structure(built(source, links=("//@to",)))
    assert list(structure.links) == [Link("a", "/a[1]/see[1]", "a", "/a[1]/b[1]", None, 1)]


def test_the_first_is_the_element_of_an_id(source, built):
    document = read_structure(built(source, elements=("id('x')",))).documents["a"]
    assert document.retrievable.tolist() == [False, True, False, False]
