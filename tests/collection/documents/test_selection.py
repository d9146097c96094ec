"""Which elements are retrievable, which have no text, what a document refers to."""

from pathlib import Path

import pytest

from prum_eval.collection.document_scan import scan_trees
from prum_eval.collection.documents import DocumentReader, ReadingOptions, link_target
from prum_eval.collection.index_batches import Anchor, Reference
from prum_eval.collection.texts import Texts, reading_options_of_index
from prum_eval.formats.reading import read_structure
from tests.gold import ROOT, run

PAGES = ROOT / "fixtures" / "pages"
HELP = Path("/usr/share/help/C/gnome-help")


def read(text, file="a.xml", **reading):
    return DocumentReader(ReadingOptions(**reading)).read(text.encode(), file, file)


def paths(document):
    """Paths of all elements, and of those that are retrievable."""
    trees = scan_trees([document.name], [document.body], raw=False)
    found = []
    for parent, tag, rank in zip(trees.parent.tolist(), trees.tag.tolist(), trees.rank.tolist(), strict=True):
        found.append(f"{found[parent] if parent >= 0 else ''}/{trees.tags[tag]}[{rank}]")
    return found, [path for path, chosen in zip(found, document.retrievable, strict=True) if chosen]


BOOK = (
    "<book xmlns='u' xmlns:m='v'><m:meta>x</m:meta><!-- --><sec>a<p>b</p>&c;<p>d<m:p/></p></sec><sec><p/></sec></book>"
)


@pytest.mark.parametrize(
    ("elements", "chosen"),
    [
        (("//sec",), ["/book[1]/sec[1]", "/book[1]/sec[2]"]),
        (("//sec", "/book"), ["/book[1]", "/book[1]/sec[1]", "/book[1]/sec[2]"]),
        (("//sec/p[1]",), ["/book[1]/sec[1]/p[1]", "/book[1]/sec[2]/p[1]"]),
        (("//m:*",), ["/book[1]/m:meta[1]", "/book[1]/sec[1]/p[2]/m:p[1]"]),
        (("//nothing",), []),
    ],
)
def test_elements(elements, chosen):
    every, found = paths(read(BOOK, elements=elements))
    assert found == chosen
    assert len(every) == 8


def test_text_left_out():
    """Elements stay, with all in them; what stands behind them is text."""
    text = "<a>x<nav>y<b>z</b>z&e;z</nav> v<p>w</p><nav/>u</a>"
    assert read(text, excluded=("//nav",)).body == b"<a>x<nav><b/>&e;</nav> v<p>w</p><nav/>u</a>"
    assert read(text, excluded=("//b", "//p")).body == b"<a>x<nav>y<b/>z&e;z</nav> v<p/><nav/>u</a>"
    assert read("<p>x<b>y", file="a.html", excluded=("//b",)).body == b"<html><body><p>x<b/></p></body></html>"


def test_references():
    text = """<a xmlns:l='v'>
<p><x l:href="two.xml#i"/></p>
<p xml:id="n" ref="#n"><link>../b/c%20d.html</link><x l:href="http://example.org/"/></p></a>"""
    found = read(text, file="s/one.xml", links=("//@l:href", "//@ref", "//link"))
    assert found.references == [
        Reference("s/one", 2, "/a[1]/p[1]/x[1]", "s/two", "i", 2),
        Reference("s/one", 3, "/a[1]/p[2]", "s/one", "n", 3),
        Reference("s/one", 4, "/a[1]/p[2]/link[1]", "b/c d", None, 3),
    ]
    assert found.anchors == [Anchor("s/one", "n", "/a[1]/p[2]")]
    assert read(text).references == read(text).anchors == ()


def test_references_of_retrievable_elements():
    """The nearest that is retrievable carries the link; where none is, nothing does."""
    text = "<a><s><p href='b'/><q><p href='c'/></q></s><p href='d'/></a>"
    found = read(text, links=("//@href",), elements=("//s", "//q"))
    assert found.references == [
        Reference("a", 1, "/a[1]/s[1]", "b", None, 1, is_single_word=True),
        Reference("a", 3, "/a[1]/s[1]/q[1]", "c", None, 1, is_single_word=True),
    ]


def test_anchors():
    """id, xml:id, and name of an `a`; the first of those that are called alike."""
    page = "<p id=x><a name=y></a><p name=z><a id=x name=v>"
    found = read(page, file="a.html", links=("//@href",)).anchors
    body = "/html[1]/body[1]/p"
    assert found == [
        Anchor("a", "x", f"{body}[1]"), Anchor("a", "y", f"{body}[1]/a[1]"), Anchor("a", "v", f"{body}[2]/a[1]"),
    ]  # fmt: skip


def test_paths_of_odd_names():
    found = read("<a\"b><a'b id=x></a'b></a\"b><a<b id=y>", file="a.html", links=("//@href",)).anchors
    assert [anchor.path for anchor in found] == ["/html[1]/body[1]/a_b[1]/a_b[1]", "/html[1]/body[1]/a_b[2]"]


def test_deep_paths():
    text = "<a>" * 2048 + "</a>" * 2048
    assert read(text.replace("<a></a>", "<a id='x'></a>"), links=("//@href",)).anchors[0].path == "/a[1]" * 2048


@pytest.mark.parametrize(
    ("value", "target"),
    [
        ("b", ("s/b", None)), ("b.xml", ("s/b", None)), ("b.page", ("s/b.page", None)), ("./b.html#c", ("s/b", "c")),
        ("../b", ("b", None)), ("../../b", ("../b", None)), ("/t/b.htm", ("t/b", None)), ("#c%20d", ("s/a", "c d")),
        ("b%2Fc%20d.xml?x=1#e", ("s/b/c d", "e")), (" b\n", ("s/b", None)), ("b#", ("s/b", None)),
        ("..", (".", None)), ("t/", ("s/t/index", None)), ("/", ("index", None)), ("", None), ("#", None),
        ("http://example.org/b.xml", None), ("//example.org/b.xml", None), ("mailto:b", None), ("http://[", None),
        ("?x=1", None),
    ],
)  # fmt: skip
def test_targets(value, target):
    assert link_target("s/a.xml", value) == target


def test_lines():
    """Exact as far as libxml2 counts, and then not told."""
    found = read("<a>" + "\n" * 65532 + "<b h='1'/>\n<b h='2'/>\n<b h='3'/>\n<b h='4'/></a>", links=("//@h",))
    assert [reference.line for reference in found.references] == [65533, 65534, -1, -1]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("--elements //p[", "--elements: '//p[' is not an XPath expression: Invalid expression"),
        ("--without 1", "--without: the XPath expression '1' does not select elements or attributes"),
        ("--links foo()", "--links: 'foo()' is not an XPath expression: Unregistered function"),
        ("--elements //@href", "--elements: '//@href' selects something that is not an element"),
        ("--without //p/text()", "--without: '//p/text()' selects something that is not an element"),
        ("--namespace x", "--namespace: expected PREFIX=URI, found 'x'"),
        ("--namespace =u", "--namespace: expected PREFIX=URI, found '=u'"),
        ("--namespace x=", "--namespace: expected PREFIX=URI, found 'x='"),
    ],
)
@pytest.mark.parametrize("jobs", ["", " -j 2"], ids=["one", "two"])
def test_usage(tmp_path, options, reason, jobs):
    output = run(f"index {PAGES} -o {tmp_path}/i {options}{jobs}")
    assert (output.status, output.out, output.err) == (2, "", f"prum-eval: {reason}\n")
    assert not list(tmp_path.iterdir())


def test_info(tmp_path):
    options = "--elements //p --elements //div --without //nav --links //a/@href --encoding utf-8"
    assert run(f"index {PAGES} -o {tmp_path}/i {options}").status == 0
    told = run(f"index --info {tmp_path}/i").out
    assert "\nretrievable //p | //div\nwithout     //nav\nlinks to    //a/@href\nencoding    utf-8\n" in told


def test_namespaces(tmp_path, write):
    """A prefix means what is said, whatever the document calls it."""
    folder = Path(write("<a xmlns:x='u'><x:b>text</x:b><b>more</b></a>", "pages/a.xml")).parent
    assert run(f"index {folder} -o {tmp_path}/i --namespace y=u --without //y:b").status == 0
    assert read_structure(f"{tmp_path}/i").documents["a"].length.tolist() == [4, 0, 4]


@pytest.mark.parametrize("options", ["", "--raw", "--without //nav --without //y:b --namespace y=u --encoding latin-1"])
def test_texts_are_read_as_the_index_was(tmp_path, options):
    """Every element of a page has the characters that the index says."""
    assert run(f"index {PAGES} -o {tmp_path}/i {options}").status == 0
    with Texts(str(PAGES), reading=reading_options_of_index(f"{tmp_path}/i")) as texts:
        for name, document in read_structure(f"{tmp_path}/i").documents.items():
            assert len(texts.text(name)) == document.length[0]
            for path, start, length in zip(document.paths, document.start, document.length, strict=True):
                assert texts.element(name, path) == (start, length)


@pytest.mark.parametrize("jobs", [1, 2])
def test_same_file_with_processes(tmp_path, jobs):
    options = "--elements //p --elements //body --without //nav --links //@href"
    assert run(f"index {PAGES} -o {tmp_path}/i {options} -j {jobs}").status == 0
    assert run(f"index {PAGES} -o {tmp_path}/one {options}").status == 0
    assert Path(tmp_path / "i").read_bytes() == Path(tmp_path / "one").read_bytes()


def test_elements_are_in_the_index(tmp_path):
    """They alone count; all stay in the trees."""
    output = run(f"index {PAGES} -o {tmp_path}/i --elements //p --elements //body")
    assert output.err == f"prum-eval: {tmp_path}/i: 3 documents, 8 of 38 elements\n"
    structure = read_structure(f"{tmp_path}/i")
    assert structure.elements == 8
    page = structure.documents["index"]
    chosen = [path for path, bit in zip(page.paths, page.retrievable, strict=True) if bit]
    assert chosen == ["/html[1]/body[1]", "/html[1]/body[1]/p[1]"]


def test_links_of_pages(tmp_path):
    """To elements and pages, by their files, folders and ids; what leads nowhere is counted, and listed with -v."""
    output = run(f"index {PAGES} -o {tmp_path}/i --links //@href -v")
    nowhere = f"{PAGES}/planets/mars:7: the link to 'planets/venus' leads nowhere: there is no document 'planets/venus'"
    told = f"prum-eval: {tmp_path}/i: 3 documents, 38 elements, 8 links, 1 more leads nowhere"
    assert output.err.splitlines() == [nowhere, told]
    found = [(one.document, one.target, one.target_path) for one in read_structure(f"{tmp_path}/i").links]
    assert found == [
        ("index", "index", None),
        ("index", "stars/index", None),
        ("index", "planets/mars", None),
        ("planets/mars", "index", None),
        ("planets/mars", "stars/index", "/html[1]/body[1]/div[2]/p[2]"),
        ("stars/index", "index", None),
        ("stars/index", "stars/index", "/html[1]/body[1]/div[2]/p[1]"),
        ("stars/index", "planets/mars", "/html[1]/body[1]/h2[1]/a[1]"),
    ]


@pytest.mark.skipif(not HELP.exists(), reason="needs Debian's gnome-user-docs")
def test_references_of_real_documents(tmp_path):
    """Those of Mallard name pages without their ending: 718 of 721 lead to a page, and all 189 ids are found."""
    output = run(f"index {HELP} -o {tmp_path}/i --links //link/@xref -j 2")
    told = "294 documents, 13961 elements, 718 links, 3 more lead nowhere (-v lists them)"
    assert output.err == f"prum-eval: {tmp_path}/i: {told}\n"
    links = read_structure(f"{tmp_path}/i").links
    assert sum(link.target_path is not None for link in links) == 189
