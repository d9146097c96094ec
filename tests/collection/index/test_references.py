"""References of documents become links when all documents are in the index."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.collection import index_writer as writer_module
from prum_eval.collection.index_batches import Anchor, Piece, Reference, trees_from_documents
from prum_eval.collection.index_writer import IndexWriter
from prum_eval.formats.structure_index import read_index, read_index_info
from prum_eval.records import Link, StructureDocument
from tests.gold import run
from tests.oracles.worlds import examples

PATHS = ("/p[1]", "/p[1]/s[1]", "/p[1]/s[1]/t[1]", "/p[1]/s[2]")


class Source:
    """Pages of four elements each; `retrievable` has the bits of some."""

    name, kind, total = "site", "directory", 0

    def __init__(self, names, references, anchors, retrievable=None):
        self.names, self.references, self.anchors = names, references, anchors
        self.retrievable = retrievable or {}

    def identity(self):
        return {}

    def pieces(self, position, _line=0, _jobs=1):
        for number, name in enumerate(self.names[position:], position + 1):
            zeros = np.zeros(len(PATHS), dtype=np.int64)
            trees = trees_from_documents([StructureDocument(name, PATHS, zeros, zeros, zeros)], [-1])
            if name in self.retrievable:
                trees = trees.__class__(
                    *(getattr(trees, field) for field in trees.__slots__ if field != "retrievable"),
                    retrievable=np.array(self.retrievable[name]),
                )
            own = [[one for one in listed if one.document == name] for listed in (self.references, self.anchors)]
            yield Piece(trees, number, references=own[0], anchors=own[1])


def reference(document, element, target, fragment=None, line=-1):
    return Reference(document, element, PATHS[element], target, fragment, line)


def build(source, target, stop=None):
    writer = IndexWriter(str(target), source, {}, resume=True)
    begin = writer.counts["position"]
    for piece in source.pieces(begin):
        if piece.position == stop:
            writer.stop(keep=True)
            return None
        writer.add(piece)
    nowhere = []
    writer.finish(nowhere.append)
    return list(map(str, nowhere))


SITE = Source(
    ["a", "b", "c"],
    [
        reference("a", 0, "b", None, 3),
        reference("a", 1, "c", "x"),
        reference("a", 1, "a", "top", 7),
        reference("b", 3, "d", None, 4),
        reference("b", 3, "d", "x"),
        reference("b", 0, "c", "nothing", 5),
        reference("c", 2, "a", "top", 1),
    ],
    [Anchor("c", "x", PATHS[2]), Anchor("c", "x", PATHS[3]), Anchor("a", "top", PATHS[0]), Anchor("b", "x", PATHS[1])],
)
LINKS = [
    Link("a", PATHS[0], "b", None, None, 3),
    Link("a", PATHS[1], "c", PATHS[2], None, -1),
    Link("a", PATHS[1], "a", PATHS[0], None, 7),
    Link("c", PATHS[2], "a", PATHS[0], None, 1),
]
NOWHERE = [
    "site/b:4: the link to 'd' leads nowhere: there is no document 'd'",
    "site/b: the link to 'd#x' leads nowhere: there is no document 'd'",
    "site/b:5: the link to 'c#nothing' leads nowhere: document 'c' has no element with the id 'nothing'",
]


def test_references(tmp_path):
    target = tmp_path / "index"
    assert build(SITE, target) == NOWHERE
    assert list(read_index(str(target)).links) == LINKS
    info = read_index_info(str(target))
    assert (info.links, info.dangling_references, info.elements, info.all_elements) == (4, 3, 12, 12)


def test_nothing_is_left_of_them(tmp_path):
    build(SITE, tmp_path / "index")
    many = [Anchor("a", f"id{number}" * 20, PATHS[0]) for number in range(5000)]
    build(Source(SITE.names, SITE.references, [*SITE.anchors, *many]), tmp_path / "large")
    assert (tmp_path / "large").stat().st_size == (tmp_path / "index").stat().st_size
    assert b"id4999" not in (tmp_path / "large").read_bytes()


@pytest.mark.parametrize("stop", [1, 2, 3])
def test_a_build_that_was_stopped_makes_the_same_index(tmp_path, monkeypatch, stop):
    build(SITE, tmp_path / "whole")
    monkeypatch.setattr(writer_module, "_COMMIT_EVERY", 0)
    assert build(SITE, tmp_path / "index", stop) is None
    assert build(SITE, tmp_path / "index") == NOWHERE
    assert (tmp_path / "index").read_bytes() == (tmp_path / "whole").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index", "whole"]


def test_a_target_that_is_not_retrievable(tmp_path):
    bits = {"c": [False, True, False, False], "b": [True, False, False, True]}
    target = tmp_path / "index"
    site = Source(
        SITE.names,
        [*SITE.references, reference("a", 0, "c"), reference("c", 1, "c", "y", 9), reference("c", 1, "b", "x")],
        [*SITE.anchors, Anchor("c", "y", PATHS[3])],
        bits,
    )
    reason = "leads nowhere: what it leads to is not retrievable, and lies in nothing that is"
    lost = [f"site/a: the link to 'c' {reason}", f"site/c:9: the link to 'c#y' {reason}"]
    assert sorted(build(site, target)) == sorted([*NOWHERE, *lost])
    above = Link("a", PATHS[1], "c", PATHS[1], None, -1)  # of the element with the id, the nearest one around it
    root = Link("c", PATHS[1], "b", PATHS[0], None, -1)
    assert list(read_index(str(target)).links) == [LINKS[0], above, *LINKS[2:], root]
    structure = read_index(str(target))
    assert structure.elements == 4 + 2 + 1
    assert {name: str(one.retrievable) for name, one in structure.documents.items()} == {
        "a": "[ True  True  True  True]",
        "b": "[ True False False  True]",
        "c": "[False  True False False]",
    }
    assert read_index(str(target), {"a"}).documents["a"].retrievable is None


def test_what_a_reference_means(tmp_path):
    names = ["x/a.page", "x/b.page", "x/b", "y"]
    references = [
        reference("x/a.page", 0, "x/b", "one"),  # as it is written
        reference("x/a.page", 1, "x/a", "two"),  # with the ending
        reference("x/a.page", 2, "x/two"),  # an address, two.html for instance
        reference("x/a.page", 2, "x/two")._replace(is_single_word=True),  # an id of its own document
        reference("x/a.page", 2, "x/b")._replace(is_single_word=True),
        reference("x/a.page", 2, "x/c")._replace(is_single_word=True),
        reference("x/a.page", 3, "y/two"),
        reference("y", 0, "two"),
    ]
    anchors = [Anchor("x/a.page", "two", PATHS[3]), Anchor("x/b", "one", PATHS[1]), Anchor("x/b.page", "one", PATHS[2])]
    target = tmp_path / "index"
    lost = build(Source(names, references, anchors), target)
    assert [(one.target, one.target_path) for one in read_index(str(target)).links] == [
        ("x/b", PATHS[1]),
        ("x/a.page", PATHS[3]),
        ("x/a.page", PATHS[3]),
        ("x/b", None),
    ]
    assert lost == [
        "site/x/a.page: the link to 'x/two' leads nowhere: there is no document 'x/two'",
        "site/x/a.page: the link to 'x/c' leads nowhere: there is no document 'x/c'",
        "site/x/a.page: the link to 'y/two' leads nowhere: there is no document 'y/two'",
        "site/y: the link to 'two' leads nowhere: there is no document 'two'",
    ]


names = st.sampled_from(["a", "b", "c", "d"])
ids = st.sampled_from(["x", "y"])


@examples(30)
@given(
    st.lists(st.builds(reference, names, st.integers(0, 3), names, st.none() | ids), max_size=8),
    st.lists(st.builds(Anchor, names, ids, st.sampled_from(PATHS)), max_size=8),
    st.dictionaries(names, st.lists(st.booleans(), min_size=4, max_size=4)),
)
def test_references_one_by_one(tmp_path_factory, references, anchors, bits):
    present = ["a", "b", "c"]
    references, anchors = ([one for one in listed if one.document in present] for listed in (references, anchors))
    target = tmp_path_factory.mktemp("one") / "index"
    source = Source(present, references, anchors, bits)
    lost = build(source, target)
    expected = []
    for name in present:
        for one in (one for one in references if one.document == name):
            found = [PATHS[0]] if one.fragment is None else [
                anchor.path for anchor in anchors if (anchor.document, anchor.id) == (one.target, one.fragment)
            ]  # fmt: skip
            inside = [
                path
                for path, bit in zip(PATHS, bits.get(one.target, [True] * 4), strict=True)
                if bit and found and f"{found[0]}/".startswith(f"{path}/")
            ]
            if one.target in present and inside:
                expected.append((name, one.path, one.target, max(inside, key=len)))
    links = [(one.document, one.path, one.target, one.target_path or PATHS[0]) for one in read_index(str(target)).links]
    assert links == expected
    assert len(lost) == len(references) - len(expected)
    assert Path(target).exists()


def test_links_of_pages_are_counted_and_listed(tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a.html").write_text("<h1 id=top>A</h1>\n<p><a href=b.html>b</a>\n<a href=#top>up</a>")
    command = f"index {tmp_path}/site --links //a/@href -o {tmp_path}/index"
    counted = f"prum-eval: {tmp_path}/index: 1 documents, 6 elements, 1 links, 1 more leads nowhere"
    assert run(command).err == f"{counted} (-v lists them)\n"
    lost = f"{tmp_path}/site/a:2: the link to 'b' leads nowhere: there is no document 'b'\n"
    assert run(f"{command} -v").err == f"{lost}{counted}\n"
    shown = run(f"index --info {tmp_path}/index").out
    assert "links       1\nnowhere     1 more that lead nowhere\n" in shown
    output = run(f"{command} --elements //h1")
    counted = f"prum-eval: {tmp_path}/index: 1 documents, 1 of 6 elements"  # the links lie in no such element
    assert output.err == f"{counted}\n"
    assert "elements    1, of 6 in the documents\n" in run(f"index --info {tmp_path}/index").out


def test_ids_that_docbook_names(tmp_path):
    book = '<book xmlns="http://docbook.org/ns/docbook"><section xml:id="one"><xref linkend="two"/></section>{}</book>'
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "a.xml").write_text(book.format('<section xml:id="two"><link linkend="three"/></section>'))
    command = f"index {tmp_path}/book --elements //section --links //@linkend -o {tmp_path}/index -v"
    lost = f"{tmp_path}/book/a:1: the link to 'three' leads nowhere: there is no document 'three'\n"
    assert run(command).err.startswith(lost)
    (link,) = read_index(str(tmp_path / "index")).links
    assert (link.path, link.target, link.target_path) == ("/book[1]/section[1]", "a", "/book[1]/section[2]")
