"""HTML pages in an index: element by element what a walk over lxml's tree finds."""

import io
import itertools
import random
import re
from pathlib import Path

import pytest
from lxml import etree

from prum_eval.collection.document_scan import scan_trees
from prum_eval.collection.documents import DocumentReader, ReadingOptions
from prum_eval.collection.index_build import BuildOptions, build_index
from prum_eval.errors import DataError
from prum_eval.formats.reading import read_structure
from prum_eval.formats.structure_index import read_index_info
from prum_eval.text.element_paths import is_tag
from tests.gold import ROOT, run

PAGES = ROOT / "fixtures" / "pages"
FOLDERS = sorted(Path("/usr/share/doc").glob("python3*/html"))
PYTHON = next((path for path in FOLDERS if any(path.rglob("*.html"))), None)


def walked(data, *, raw=False):
    """Path, first character and length of every element of a page; the text counted as one string up to each border."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    tree = etree.parse(io.BytesIO(data), parser)
    hidden = set(tree.xpath("//script | //style | //template | //template//*"))
    texts, borders = [], {}
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        borders.setdefault(element, []).append(len(texts))
        parent = element.getparent()
        if event == "start" and element not in hidden:
            texts.append(element.text or "")
        elif event == "end" and parent is not None and parent not in hidden:
            texts.append(element.tail or "")
    text = "".join(texts)
    ends = [0, *itertools.accumulate(map(len, texts))]
    if raw:
        counted = range(len(text) + 1)
    else:
        solid = [not (text[k].isspace() and k and text[k - 1].isspace()) for k in range(len(text))]
        counted = [0, *itertools.accumulate(solid)]
    found = []
    for element in tree.iter():
        start, end = (counted[ends[border]] for border in borders[element])
        found.append((re.sub(r"(?<!\])(?=/|$)", "[1]", tree.getpath(element))[3:], start, end - start))
    return found


def rows(document):
    return list(zip(document.paths, document.start.tolist(), document.length.tolist(), strict=True))


SMALL = {
    "nothing of html and body": "<p>one<p>two <b>three",
    "only text": " hello  world ",
    "head": "<title> T </title><meta charset=utf-8><p>x",
    "comments": "<p>a<!-- <b> -->b<!-- --><?php echo '<i>' ?>c",
    "no text": "<p>a<script>if (a<b) '</p>'</script><style>p > q {}</style> b<template> c <i>d</i> e</template> f",
    "references": "<p>a&nbsp; &lt;b&gt;&amp;&#32;&bogus;&eacute &#150;",
    "blanks": "<p>\n\t a\u3000 \u00a0<b> \n</b> x</p>\r\n\r\n<p> </p> ",
    "blanks of controls": "<p>a\x0c \x0bb\x1c\x1fc",
    "form feed in a tag": "<p\x0cclass=a>b",
    "tables": "<table><tr><td>1<td>2<tr><td><table><td>3</table></table>",
    "lists": "<ul><li>a<ul><li>b</ul><li>c</ul><dl><dt>d<dd>e",
    "crossing": "<p>x<b>y<i>z</b>w</i>v</p></p></div>",
    "after the end": "<html><body>a</body></html> b <p>c",
    "prefix": "<o:p>x</o:p><svg xmlns='u' xmlns:xlink='v'><g xlink:href='#a'>y</g></svg>",
    "long names": "<my-very-own-and-very-long-element>a<my-very-own-and-very-long-elephant>b",
    "XHTML": "<?xml version='1.0'?><!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'd'>"
    "<html xmlns='http://www.w3.org/1999/xhtml'><head></head><body><br /><p></p></body></html>",
    "attributes": "<p title='a > b' alt=\"it's\" ' \" a<b c=d>x</p>",
    "preformatted": "<pre>\n a\n  b\n</pre><textarea>\n<b></textarea>",
    "only a comment in html": "<html><!-- --></html>",
}


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("jobs", [1, 2])
def test_small_pages(tmp_path, built, raw, jobs):
    folder = tmp_path / "pages"
    folder.mkdir()
    for name, page in SMALL.items():
        (folder / f"{name}.html").write_bytes(page.encode())
    documents = read_structure(built(folder, raw=raw, jobs=jobs)).documents
    for name, page in SMALL.items():
        blanks = page.translate(dict.fromkeys(map(ord, "\x0b\x0c\x1c\x1f"), " "))
        assert rows(documents[name]) == walked(blanks.encode(), raw=raw), name


def test_by_hand(built):
    """`Stars |Home |A star is a ball of gas. |The star next to us has planets with moons. |`."""
    assert rows(read_structure(built(PAGES)).documents["stars/index"]) == [
        ("/html[1]", 0, 80),
        ("/html[1]/head[1]", 0, 6),
        ("/html[1]/head[1]/title[1]", 0, 5),
        ("/html[1]/head[1]/style[1]", 6, 0),
        ("/html[1]/body[1]", 6, 74),
        ("/html[1]/body[1]/div[1]", 6, 4),
        ("/html[1]/body[1]/div[1]/a[1]", 6, 4),
        ("/html[1]/body[1]/div[2]", 11, 69),
        ("/html[1]/body[1]/div[2]/p[1]", 11, 25),
        ("/html[1]/body[1]/div[2]/p[1]/b[1]", 31, 3),
        ("/html[1]/body[1]/div[2]/p[2]", 36, 44),
        ("/html[1]/body[1]/div[2]/p[2]/a[1]", 40, 4),
        ("/html[1]/body[1]/div[2]/p[2]/a[2]", 60, 18),
    ]


ODD = {
    "a page that is empty": (b"", ["/html[1]", "/html[1]/body[1]"]),
    "nothing but blanks": (b" \n", ["/html[1]", "/html[1]/body[1]"]),
    "nothing but a comment": (b"<!-- <p> -->", ["/html[1]", "/html[1]/body[1]"]),
    "quotes in names": (b"<a\"b><a'b>", ["/html[1]", *(f"/html[1]/body[1]/{t}" for t in ("a_b[1]", "a_b[1]/a_b[1]"))]),
    "signs in names": (
        b"<a<b>x</a<b><a[1]>y</a[1]><a=>z",
        ["/html[1]/body[1]", "/html[1]/body[1]/a_b[1]", "/html[1]/body[1]/a_1_[1]", "/html[1]/body[1]/a_[1]"],
    ),
    "names alike": (b"<a\"b></a\"b><a'b></a'b><a<b>", [f"/html[1]/body[1]/a_b[{n}]" for n in (1, 2, 3)]),
    "controls": (b"<a\x01b>\x00</a\x01b><p\x0bq>", ["/html[1]/body[1]/a_b[1]", "/html[1]/body[1]/p[1]"]),
    "attributes without sense": (
        b"<p <b <i='\">' =x><q \"'>y",
        ["/html[1]/body[1]/p[1]", "/html[1]/body[1]/p[1]/q[1]"],
    ),
    "no UTF-8": (b"<p>\xff\xfe\x80<\xc3>", ["/html[1]", "/html[1]/body[1]", "/html[1]/body[1]/p[1]"]),
    "cut off": (b"<p>a<div cl", ["/html[1]", "/html[1]/body[1]", "/html[1]/body[1]/p[1]"]),
}


@pytest.mark.parametrize(("page", "paths"), ODD.values(), ids=ODD)
def test_odd_pages(built, write, page, paths):
    write(page, "pages/a.htm")
    found = read_structure(built(Path(write(page, "pages/b.html")).parent)).documents
    assert list(found["a"].paths) == list(found["b"].paths)
    assert [path for path in found["a"].paths if path in paths] == paths


def test_depth(tmp_path, write):
    """2,048 with html and body is as deep as it goes."""
    folder = Path(write("<div>" * 2046 + "x", "deep/in.html")).parent
    assert build_index(str(folder), str(tmp_path / "i"), BuildOptions(), report=print)["elements"] == 2048
    write("<p>\n" * 2 + "<div>" * 2047, "deep/out.html")
    problems = []
    with pytest.raises(DataError):
        build_index(str(folder), str(tmp_path / "i"), BuildOptions(), report=problems.append)
    assert list(map(str, problems)) == [f"{folder}/out.html:3: elements are nested more than 2048 deep"]


E_ACUTE = "<p>\u00e9\u20ac</p>"
ENCODINGS = {
    "UTF-8": (E_ACUTE.encode(), None),
    "mark": (E_ACUTE.encode("utf-8-sig"), None),
    "UTF-16 with mark": (E_ACUTE.encode("utf-16"), None),
    "UTF-16 without mark": (E_ACUTE.encode("utf-16-be"), None),
    "meta charset": ("<meta charset='windows-1252'>" + E_ACUTE, "cp1252"),
    "meta charset of Latin 1": ("<!-- <meta charset=utf-8> --><META CHARSET=iso-8859-1>" + E_ACUTE, "cp1252"),
    "http-equiv": (
        "<meta http-equiv=Content-Type content='text/html; charset=iso-8859-15' />" + E_ACUTE,
        "iso-8859-15",
    ),
    "XML declaration": ("<?xml version='1.0' encoding='iso-8859-15'?><html>" + E_ACUTE, "iso-8859-15"),
    "unknown": ("<meta charset=x-none>" + E_ACUTE, "utf-8"),
    "no codec of text": ("<meta charset=hex>" + E_ACUTE, "utf-8"),
    "impossible": ("<meta charset=utf-16>" + E_ACUTE, "utf-8"),
    "mark before the declared": ("\ufeff<meta charset=windows-1252>" + E_ACUTE, "utf-8"),
}


@pytest.mark.parametrize(("page", "encoding"), ENCODINGS.values(), ids=ENCODINGS)
def test_encodings(built, write, page, encoding):
    index = built(Path(write(page if encoding is None else page.encode(encoding), "pages/a.html")).parent, raw=True)
    assert read_index_info(index).characters == 2


def test_the_encoding_that_is_given(tmp_path, write):
    """It goes before what the page declares, but not before a byte-order mark."""
    write("<meta charset=utf-8><p>\u00e9".encode("latin-1"), "pages/a.html")
    folder = Path(write("\ufeff<p>\u00e9", "pages/b.html")).parent
    output = run(f"index {folder} -o {tmp_path}/i --encoding latin1")
    assert (output.status, output.err) == (0, f"prum-eval: {tmp_path}/i: 2 documents, 8 elements\n")
    assert read_index_info(f"{tmp_path}/i").characters == 2
    assert "\nencoding    latin1\n" in run(f"index --info {tmp_path}/i").out
    output = run(f"index {folder} -o {tmp_path}/i --encoding x-none")
    assert (output.status, output.out) == (2, "")
    assert output.err == "prum-eval: --encoding: 'x-none' is an unknown encoding\n"


def test_any_name_as_html(tmp_path, write):
    folder = Path(write("<p>a<p>b", "pages/a.txt")).parent
    write("<p>a</p>", "pages/b.xml")
    output = run(f"index {folder} -o {tmp_path}/i --html --glob *.txt --glob *.xml")
    assert (output.status, output.err) == (0, f"prum-eval: {tmp_path}/i: 2 documents, 7 elements\n")
    assert set(read_structure(f"{tmp_path}/i").names) == {"a.txt", "b"}


def test_one_name_twice(tmp_path, write):
    folder = Path(write("<p>", "pages/a.html")).parent
    write("<p/>", "pages/a.xml")
    output = run(f"index {folder} -o {tmp_path}/i")
    assert (output.status, output.out, output.err) == (1, "", f"{folder}: document 'a' appears twice\n")


@pytest.mark.parametrize("name", ["b", "b.html", "b.htm"])
def test_both_names(tmp_path, write, name):
    """A run names a page by its file, or without the ending."""
    folder = Path(write("<p>a<p>b", "pages/b.html")).parent
    index, assessments = tmp_path / "i", write("1 Q0 b 1 2 0 0:1\n", "assessments")
    assert run(f"index {folder} -o {index}").status == 0
    for place in ("/html[1]/body[1]/p[1]", "0 1"):
        result = write(f"1 Q0 {name} 1 1 a {place}\n", "run")
        output = run(f"eval -s {index} -m gP.1 {assessments} {result}")
        assert (output.status, output.out) == (0, "gP_1                  \tall\t1.0000\n")


PIECES = [
    "<p>", "</p>", "<div>", "</div>", "<b>", "</b>", "<table>", "<tr>", "<td>", "</table>", "<script>", "</script>",
    "<style>", "</style>", "<template>", "</template>", "<!--", "-->", "<?x", "?>", "<![CDATA[", "]]>", "a", "  ", "\n",
    " \u00a0", "&amp;", "&nbsp", "&#32;", "&#0;", "&x;", "<br/>", "<a href='x>y'>", '<a b="<">', "<a <b>", "</html>",
    "<html>", "<head>", "<body>", "<title>", "</title>", "<textarea>", "</textarea>", "<svg>", "<plaintext>",
    "<frameset>", "<select><option>", "<", "</", ">", "\u00e9", "<li>", "<o:p>", "<a-name-of-seventeen>", "\r\n",
    "\r", "'", '"', "<h1>", "</h1>", "<p\n>", "<iframe>", "</iframe>", "<base>", "<xmp>", "\ufffd", "\x85", '<a"b>',
    "<a'b>", "<a<b>",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(300))
def test_random_pages(seed):
    """Whatever stands in a page; where names have signs that no path can have, at least as many elements."""
    draw = random.Random(seed)
    page = "".join(draw.choices(PIECES, k=draw.randrange(60))).encode()
    raw = draw.random() < 0.5
    trees = scan_trees(["a"], [DocumentReader(ReadingOptions()).read(page, "a.html", "a.html").body], raw=raw)
    if etree.fromstring(page, etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)) is None:
        assert len(trees.tag) == 2
        return
    expected = walked(page, raw=raw)
    assert trees.start.tolist() == [start for _, start, _ in expected]
    assert trees.length.tolist() == [length for _, _, length in expected]
    names = [path.rpartition("/")[2] for path, _, _ in expected]
    if all(is_tag(name.rpartition("[")[0]) for name in names):
        found = [
            f"{trees.tags[tag]}[{rank}]" for tag, rank in zip(trees.tag.tolist(), trees.rank.tolist(), strict=True)
        ]
        assert found == names


@pytest.mark.skipif(PYTHON is None, reason="needs Debian's python3-doc")
@pytest.mark.parametrize("raw", [False, True])
def test_real_pages(built, raw):
    documents = read_structure(built(PYTHON, raw=raw, jobs=2, patterns=("*.html",))).documents
    pages = [path for path in sorted(PYTHON.rglob("*.html")) if path.is_file() and not path.is_symlink()]
    assert len(documents) == len(pages) > 500
    for path in pages[:: 10 if raw else 1]:
        found = documents[str(path.relative_to(PYTHON)).removesuffix(".html")]
        assert rows(found) == walked(path.read_bytes(), raw=raw), path
