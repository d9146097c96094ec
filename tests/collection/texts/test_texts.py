"""Texts: the characters of an index, element by element; directories, archives and JSON Lines; what is bad."""

import io
import json
import re
import tarfile
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from prum_eval.collection.documents import ReadingOptions
from prum_eval.collection.index_build import BuildOptions, build_index
from prum_eval.collection.texts import Texts, reading_options_of_index
from prum_eval.errors import InputError
from prum_eval.formats.reading import read_structure

PIECES = ["x", "word ", " ", "\n\t ", "\xa0", "\u2003 ", "é", "\U0001f600", "&lt;", "&#32;", "&#x41;", "&amp; ", "]"]
ELSEWHERE = ["<!-- <b> -->", "<?p <a> ?>", "<![CDATA[ <a> & ]]>", "&nbsp;"]


@st.composite
def elements(draw, depth=0):
    tag = draw(st.sampled_from(["a", "b", "p:c"]))
    more = ' xmlns:p="urn:p"' if depth == 0 else ""
    inside = draw(st.lists(st.sampled_from(PIECES + ELSEWHERE) | st.none(), max_size=7 if depth < 4 else 2))
    text = "".join(draw(elements(depth + 1)) if one is None and depth < 4 else one or "" for one in inside)
    return f'<{tag}{more} k=">">{text}</{tag}>' if text or draw(st.booleans()) else f"<{tag}{more}/>"


def texts_of_elements(document, *, raw):
    """Of all elements in document order, slowly: what of the whole text lies between their borders."""
    root = etree.fromstring(document, etree.XMLParser(resolve_entities=False, remove_comments=True, remove_pis=True))
    etree.strip_tags(root, etree.Entity)
    parts, spans = [], []

    def walk(element):
        place = len(spans)
        spans.append(None)
        begin = len("".join(parts))
        parts.append(element.text or "")
        for child in element:
            walk(child)
            parts.append(child.tail or "")
        spans[place] = begin, len("".join(parts))

    walk(root)
    whole = "".join(parts)
    counts = [raw or not (sign.isspace() and i and whole[i - 1].isspace()) for i, sign in enumerate(whole)]
    signs = [" " if sign.isspace() and not raw else sign for sign in whole]
    return ["".join(sign for sign, one in zip(signs[a:b], counts[a:b], strict=True) if one) for a, b in spans]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(elements(), min_size=1, max_size=4), st.booleans())
def test_extents_of_an_index_are_the_texts_of_its_elements(tmp_path_factory, documents, raw):
    folder = tmp_path_factory.mktemp("source")
    whole = [f"<!DOCTYPE a SYSTEM 'x.dtd'>\n{text}" for text in documents]
    for number, text in enumerate(whole):
        (folder / f"d{number}.xml").write_text(text, encoding="utf-8")
    index = str(tmp_path_factory.mktemp("index") / "an.index")
    build_index(str(folder), index, BuildOptions(reading=ReadingOptions(raw=raw)), report=lambda _: None)
    trees = read_structure(index).documents
    with Texts(str(folder), reading=reading_options_of_index(index)) as texts:
        for number, text in enumerate(whole):
            tree = trees[f"d{number}"]
            extents = list(zip(tree.start.tolist(), tree.length.tolist(), strict=True))
            assert [texts.extent(tree.name, *one) for one in extents] == texts_of_elements(text.encode(), raw=raw)
            assert [texts.element(tree.name, path) for path in tree.paths] == extents


DOCUMENTS = {"a.xml": "<a>one <b>two</b></a>", "sub/b.xml": "<a> three</a>", "sub/c.txt": "four  <b>\r\n"}
SPOKEN = {"a": "one two", "a.xml": "one two", "sub/b": " three", "sub/c": "four  <b>\r\n", "sub/c.txt": "four  <b>\r\n"}


def directory(folder):
    for name, text in DOCUMENTS.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return str(folder / "docs")


def zip_archive(folder):
    with zipfile.ZipFile(folder / "docs.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in DOCUMENTS.items():
            archive.writestr(name, text)
    return str(folder / "docs.zip")


def tar_archive(folder):
    with tarfile.open(folder / "docs.tar.gz", "w:gz") as archive:
        for name, text in DOCUMENTS.items():
            member = tarfile.TarInfo(f"./{name}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return str(folder / "docs.tar.gz")


def json_lines(folder):
    path = folder / "docs.jsonl"
    rows = {"a": "one two", "sub/b": " three", "sub/c": DOCUMENTS["sub/c.txt"]}
    lines = (json.dumps({"doc": name, "title": "T", "text": text}) for name, text in rows.items())
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("make", [directory, zip_archive, tar_archive, json_lines])
@pytest.mark.parametrize("known", [True, False])
def test_every_kind_of_source(tmp_path, make, known):
    wanted = [*SPOKEN, "none"] if known else None
    with Texts(make(tmp_path), wanted) as texts:
        found = {name: texts.text(name) for name in (*SPOKEN, "none", "sub", "../docs/a", "/", "", "n" * 300)}
    lacking = dict.fromkeys(("none", "sub", "../docs/a", "/", "", "n" * 300))
    if make is json_lines:  # a name is what it is, no file is called so
        lacking["sub/c.txt"] = None
    assert found == {**SPOKEN, **lacking}


@pytest.mark.parametrize("make", [directory, zip_archive, tar_archive, json_lines])
def test_all_documents(tmp_path, make):
    with Texts(make(tmp_path)) as texts:
        found = {name: texts.text(file) for name, file in texts.documents().items()}
    assert found == {name: text for name, text in SPOKEN.items() if not name.endswith((".xml", ".txt"))}


def test_documents_of_files_that_share_a_name(tmp_path):
    for name in ("a.xml", "a.txt", "b.htm", "b.txt", "c.md", ".d.txt", ".git/e.txt", "f"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("<a/>", encoding="utf-8")
    (tmp_path / "g.txt").symlink_to(tmp_path / "f")
    with Texts(str(tmp_path)) as texts:
        documents = texts.documents()
    assert documents == {
        "a.txt": "a.txt", "a": "a.xml", "b": "b.htm", "b.txt": "b.txt", "c.md": "c.md", "f": "f"
    }  # fmt: skip


def test_links_lead_nowhere(tmp_path):
    source = directory(tmp_path)
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    (tmp_path / "docs" / "link.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "docs" / "up").symlink_to(tmp_path)
    with Texts(source) as texts:
        assert [texts.text(name) for name in ("link", "up/secret", "../secret")] == [None, None, None]


EXPECTED = "expected texts: a directory, a tar or zip archive, JSON Lines with doc and text, or an index of documents"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("x.jsonl", '{"doc": "a", "text": "t"}\n{"doc": "a", "text": "u"}\n',
         "x.jsonl:2: document 'a' appears twice (first on line 1)"),
        ("x.jsonl", '{"doc": "a"}\n', "x.jsonl:1: the key 'text' is missing"),
        ("x.jsonl", '{"doc": "a", "text": 3}\n', "x.jsonl:1: text: expected text, found '3'"),
        ("x.jsonl", '{"doc": "a", "text": "\\ud800"}\n',
         "x.jsonl:1: text: expected text that UTF-8 can write, found half of a surrogate pair"),
        ("x.jsonl", '{"doc": "a", "text": "t"\n', "x.jsonl:1: not a JSON object: Expecting ',' delimiter at column 25"),
        ("x", "<a/>", f"x: {EXPECTED}"),
        ("x", "", f"x: {EXPECTED}"),
    ],
)  # fmt: skip
def test_bad_sources(tmp_path, monkeypatch, name, content, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as error:
        Texts(name)
    assert str(error.value) == told


def test_a_source_that_is_not_there():
    with pytest.raises(InputError, match=re.escape("nowhere: cannot be read: No such file or directory")):
        Texts("nowhere")


def test_a_bad_document_is_no_error_until_it_is_asked_for(tmp_path):
    source = directory(tmp_path)
    (tmp_path / "docs" / "bad.xml").write_text("<a>\n<b></a>", encoding="utf-8")
    (tmp_path / "docs" / "latin.txt").write_bytes(b"x\n\xe9")
    with Texts(source) as texts:
        assert texts.text("a") == "one two"
        with pytest.raises(InputError, match=re.escape(f"{source}/bad.xml:2: ")):
            texts.text("bad")
        with pytest.raises(InputError, match=re.escape(f"{source}/latin.txt:2: the text is not UTF-8")):
            texts.text("latin")
        assert texts.extent("a", 4, 100) == "two"
        assert texts.element("a", "/a/b") == texts.element("a", "/a[1]/b[1]") == (4, 3)
        assert texts.element("a", "/a/b", "/a") == (4, 3)
        for document, path in (("a", "/a/b[2]"), ("a", "/b"), ("none", "/a"), ("sub/c", "/b")):
            assert texts.element(document, path) is None


PAGE = """<title>T</title><p>one <script>no()</script> two
<p title='>'>three<nav>menu <b>x</b></nav> &eacute;<br>four&nbsp; five"""


@pytest.mark.parametrize(
    "reading",
    [ReadingOptions(), ReadingOptions(raw=True), ReadingOptions(excluded=("//nav",)), ReadingOptions(html=True)],
)
def test_pages_in_html_and_what_is_no_text(tmp_path, reading):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "docs" / "b.xml").write_text("<a><nav>menu </nav> text <b>in</b></a>", encoding="utf-8")
    index = str(tmp_path / "index")
    build_index(str(tmp_path / "docs"), index, BuildOptions(reading=reading), report=lambda _: None)
    trees = read_structure(index).documents
    with Texts(str(tmp_path / "docs"), reading=reading_options_of_index(index)) as texts:
        for name in ("a", "b"):
            tree = trees[name]
            assert [texts.element(name, path) for path in tree.paths] == list(
                zip(tree.start.tolist(), tree.length.tolist(), strict=True)
            )
            assert len(texts.text(name) or "") == tree.length[0]
        assert "no()" not in (texts.text("a.html") or "")
        assert ("menu" in (texts.text("a") or "")) is (not reading.excluded)
        paragraph = trees["a"].paths.index("/html[1]/body[1]/p[1]")
        extent = (int(trees["a"].start[paragraph]), int(trees["a"].length[paragraph]))
        assert (texts.extent("a", *extent) or "").split() == ["one", "two"]
