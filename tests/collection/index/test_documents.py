"""Indexes of real documents: directories and archives, what counts as a character, what is refused."""

import io
import re
import tarfile
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

import pytest

from prum_eval.collection import index_sources as module
from prum_eval.collection.documents import ReadingOptions
from prum_eval.collection.index_build import BuildOptions, build_index
from prum_eval.collection.trees import make_forest
from prum_eval.errors import DataError, InputError
from prum_eval.formats.reading import read_structure
from prum_eval.formats.structure_index import read_index_info
from prum_eval.text.xml import ENTITY_REMEDY as REMEDY

DOCUMENTS = {
    "a/one.xml": "<x>ab <y> c</y>\n\n<y><z/>d</y> </x>",
    "a/two.page": "<page xmlns:q='u'><!-- no text -->\u00e9\U0001f600<q:i> \u00a0 </q:i>&lt;<?no text?>&#160;\n</page>",
    "a/b/three.docbook": "<?xml version='1.0' encoding='ISO-8859-1'?><d>\xe9<![CDATA[<y>  &amp;]]></d>",
    "four.nxml": "<!DOCTYPE a SYSTEM 'nowhere.dtd'><a t='>\"'> &nothing; <b u=\"/>'\"/>\r\nx\ry</a>\n<!-- <end> -->",
    "five.tei": "<a><b><c>1</c></b><b/><c>2<c>3</c></c><b>4</b></a>",
    "six.xhtml": "\ufeff<html><a-name-of-more-than-sixteen-letters a='1' b=\"2\" >x\u2003 \u3000y"
    "</a-name-of-more-than-sixteen-letters\n></html>",
    "seven.txt": "<no/>",
    "a.xml/eight.xml": "<only/>",
}


def encoded(content):
    return content.encode("latin-1" if "ISO-8859-1" in content else "utf-8")


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "documents"
    for name, content in DOCUMENTS.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encoded(content))
    (root / "link.xml").symlink_to(root / "six.xhtml")
    (root / "a" / "circle").symlink_to(root)
    return root


def rows(index, name):
    document = read_structure(index, {name}).documents[name]
    return list(zip(document.paths, document.start.tolist(), document.length.tolist(), strict=True))


NAMES = {"a/one", "a/two.page", "a/b/three.docbook", "four.nxml", "five.tei", "six.xhtml", "a.xml/eight"}


def test_directory(folder, built):
    index = built(folder)
    assert set(read_structure(index).names) == NAMES
    # "ab | c| |d |": the blanks around the border of <y> are one, and so are those before and in the second <y>.
    assert rows(index, "a/one") == [
        ("/x[1]", 0, 7), ("/x[1]/y[1]", 3, 1), ("/x[1]/y[2]", 5, 1), ("/x[1]/y[2]/z[1]", 5, 0),
    ]  # fmt: skip
    # Two letters, three blanks that are one, <, one more for &#160; and the line end.
    assert rows(index, "a/two.page") == [("/page[1]", 0, 5), ("/page[1]/q:i[1]", 2, 1)]
    assert rows(index, "a/b/three.docbook") == [("/d[1]", 0, 10)]
    assert rows(index, "four.nxml") == [("/a[1]", 0, 4), ("/a[1]/b[1]", 1, 0)]
    assert rows(index, "six.xhtml")[0] == ("/html[1]", 0, 3)
    assert rows(index, "a.xml/eight") == [("/only[1]", 0, 0)]


def test_raw(folder, built):
    index = built(folder, raw=True)
    assert rows(index, "a/one") == [
        ("/x[1]", 0, 9), ("/x[1]/y[1]", 3, 2), ("/x[1]/y[2]", 7, 1), ("/x[1]/y[2]/z[1]", 7, 0),
    ]  # fmt: skip
    assert rows(index, "a/two.page") == [("/page[1]", 0, 8), ("/page[1]/q:i[1]", 2, 3)]
    assert rows(index, "a/b/three.docbook") == [("/d[1]", 0, 11)]
    assert rows(index, "four.nxml") == [("/a[1]", 0, 6), ("/a[1]/b[1]", 2, 0)]
    assert read_index_info(index).meta["counting"] == "raw"


def test_ranks_and_nesting(folder, built):
    found = make_forest(read_structure(built(folder)).documents)["five.tei"]
    assert found.paths == (
        "/a[1]", "/a[1]/b[1]", "/a[1]/b[1]/c[1]", "/a[1]/b[2]", "/a[1]/c[1]", "/a[1]/c[1]/c[1]", "/a[1]/b[3]",
    )  # fmt: skip
    assert found.parent.tolist() == [-1, 0, 1, 0, 0, 4, 0]
    assert found.end.tolist() == [7, 3, 3, 4, 6, 6, 7]
    assert found.start.tolist() == [0, 0, 0, 1, 1, 2, 3]


def test_globs(folder, built):
    assert set(read_structure(built(folder, patterns=("*.txt", "f*"))).names) == {"seven.txt", "four.nxml", "five.tei"}


def test_several_processes_and_small_groups(folder, built, monkeypatch):
    one = built(folder)
    two = built(folder, "other.index", jobs=2)
    assert Path(one).read_bytes() == Path(two).read_bytes()
    monkeypatch.setattr(module, "_GROUP_DOCUMENTS", 1)
    three = built(folder, "third.index")
    assert {name: rows(one, name) for name in NAMES} == {name: rows(three, name) for name in NAMES}


def archived(folder, path, form):
    if form == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in DOCUMENTS:
                archive.write(folder / name, name)
    else:
        with tarfile.open(path, f"w:{form}") as archive:
            archive.add(folder, ".")
    return path


@pytest.mark.parametrize("form", ["", "gz", "bz2", "xz", "zip"])
def test_archives(folder, built, tmp_path, form):
    index = built(archived(folder, tmp_path / "archive", form))
    assert set(read_structure(index).names) == NAMES
    whole = built(folder, "other.index")
    assert {name: rows(index, name) for name in NAMES} == {name: rows(whole, name) for name in NAMES}


def walked(root, *, raw):
    """An independent walk: the text before each border, collapsed as one string."""
    found = []

    def count(text):
        return len(text if raw else re.sub(r"\s+", " ", text))

    def walk(element, path, before):
        number = len(found)
        found.append(None)
        start, text = count(before), before + (element.text or "")
        ranks = {}
        for child in element:
            ranks[child.tag] = ranks.get(child.tag, 0) + 1
            text = walk(child, f"{path}/{child.tag}[{ranks[child.tag]}]", text) + (child.tail or "")
        found[number] = (path, start, count(text) - start)
        return text

    walk(root, f"/{root.tag}[1]", "")
    return found


PIECES = [
    "a", "bc ", " ", "\n  ", "\u00a0", "\u00e9", "\u2003x", "\U0001f600", "\r\n", "\u3000 ", "[", "/", ">", '"', "'",
    "&amp;", "&#32;", "&#x3c;", "&gt;", "<!-- <p> -->", "<![CDATA[ <q> ]]>", "<?p > ?>",
]  # fmt: skip


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_random_documents(tmp_path, built, raw, seed):
    import random

    random.seed(seed)
    folder = tmp_path / "random"
    folder.mkdir()
    for number in range(60):
        text, stack = ["<r>"], ["r"]
        for _ in range(random.randrange(60)):
            kind = random.randrange(4)
            if kind == 0:
                stack.append(random.choice(["p", "sec", "\u00e9t\u00e9", "seventeen-letters", "sixteen-letters-"]))
                attributes = random.choice(["", " a='1'", ' b="x > y"', " c='\">' d=\"'\"", "\n", ' e="it\'s"'])
                text.append(f"<{stack[-1]}{attributes}>")
            elif kind == 1 and len(stack) > 1:
                text.append(f"</{stack.pop()}{random.choice(['', ' '])}>")
            elif kind == 2:
                text.append(random.choice(["<e/>", "<e />", '<e a="1"/>', '<e a="/"></e>', "<e a='/>'/>"]))
            else:
                text += random.choices(PIECES, k=random.randrange(4))
        text += [f"</{tag}>" for tag in reversed(stack)]
        (folder / f"{number}.xml").write_bytes("".join(text).encode())
    index = built(folder, raw=raw)
    for number in range(60):
        expected = walked(ET.parse(folder / f"{number}.xml").getroot(), raw=raw)  # noqa: S314
        assert rows(index, str(number)) == expected


BROKEN = {
    "empty.xml": ("", "1: the XML is cut off: the file ends inside an element"),
    "cut.xml": ("<a>\n<b>", "2: the XML is cut off: the file ends inside an element"),
    "tags.xml": ("<a>\n</b>", "2: the XML is not well-formed: Opening and ending tag mismatch: a line 1 and b"),
    "two.xml": ("<a/>\n<b/>", "2: the XML is not well-formed: Extra content at the end of the document"),
    "entity.xml": (
        "<!DOCTYPE a [\n<!ENTITY x 'y'>]><a>&x;</a>",
        f"2: declaration of the entity 'x': entity declarations are refused{REMEDY}",
    ),
    "parameter.xml": (
        "<!DOCTYPE a [<!ENTITY % x 'y'>]><a/>",
        f"1: declaration of the parameter entity 'x': entity declarations are refused{REMEDY}",
    ),
    "encoding.xml": (
        "<?xml version='1.0' encoding='x-none'?><a/>",
        "1: the XML cannot be decoded: the declared encoding 'x-none' is not known or not the true one",
    ),
    "deep.xml": ("<a>" * 2049 + "</a>" * 2049, "1: elements are nested more than 2048 deep"),
}


@pytest.mark.parametrize("jobs", [1, 2])
def test_broken_documents(folder, tmp_path, jobs):
    for name, (content, _) in BROKEN.items():
        (folder / name).write_text(content)
    problems = []
    target = tmp_path / "an.index"
    with pytest.raises(DataError) as error:
        build_index(str(folder), str(target), BuildOptions(jobs), report=problems.append)
    assert str(error.value) == f"broken documents: {len(BROKEN)}; --skip-broken leaves them out"
    assert sorted(map(str, problems)) == sorted(f"{folder}/{name}:{text}" for name, (_, text) in BROKEN.items())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["documents"]
    counts = build_index(str(folder), str(target), BuildOptions(jobs, skip_broken=True), report=problems.append)
    assert (counts["documents"], counts["broken"]) == (len(NAMES), len(BROKEN))
    assert set(read_structure(str(target)).names) == NAMES
    assert read_index_info(str(target)).broken_documents == len(BROKEN)


def refused(source, **reading):
    with pytest.raises(InputError) as error:
        build_index(
            str(source), str(source) + ".index", BuildOptions(reading=ReadingOptions(**reading)), report=lambda _: None
        )
    assert not Path(f"{source}.index").exists()
    assert not Path(f"{source}.index.partial").exists()
    return str(error.value).removeprefix(str(source))


def test_no_documents(tmp_path):
    (tmp_path / "empty").mkdir()
    endings = "*.xml, *.page, *.docbook, *.nxml, *.tei, *.xhtml, *.html, *.htm"
    assert refused(tmp_path / "empty") == f": no documents in it ({endings})"
    assert refused(tmp_path / "empty", patterns=("*.a", "*.b")) == ": no documents in it (*.a *.b)"
    with zipfile.ZipFile(tmp_path / "zip", "w"):
        pass
    assert refused(tmp_path / "zip") == f": no documents in it ({endings})"


def test_one_name_twice(tmp_path):
    folder = tmp_path / "twice"
    folder.mkdir()
    (folder / "a").write_text("<a/>")
    (folder / "a.xml").write_text("<a/>")
    (folder / "aa.xml").write_text("<a/>")
    assert refused(folder, patterns=("a*",)) == ": document 'a' appears twice"


def test_damaged_archives(folder, tmp_path):
    whole = archived(folder, tmp_path / "tar", "").read_bytes()
    begin = whole.index(DOCUMENTS["five.tei"].encode())
    (tmp_path / "cut").write_bytes(whole[: begin + 5])
    assert refused(tmp_path / "cut") == ": the archive is damaged: unexpected end of data"
    packed = archived(folder, tmp_path / "gz", "gz").read_bytes()
    (tmp_path / "gz").write_bytes(packed[:-200])
    assert refused(tmp_path / "gz") == ": the compressed data are truncated"
    zipped = archived(folder, tmp_path / "zip", "zip").read_bytes()
    (tmp_path / "zip").write_bytes(zipped[:-30])
    assert refused(tmp_path / "zip") == ": the archive is damaged: File is not a zip file"


def test_a_damaged_member_is_a_broken_document(folder, tmp_path):
    with zipfile.ZipFile(tmp_path / "zip", "w") as archive:
        archive.writestr("a.xml", "<a/>")
        archive.writestr("b.xml", "<b>text</b>")
    path = tmp_path / "zip"
    path.write_bytes(path.read_bytes().replace(b"text", b"texT"))
    problems = []
    build_index(str(path), str(tmp_path / "i"), BuildOptions(skip_broken=True), report=problems.append)
    assert list(map(str, problems)) == [f"{path}/b.xml: the archive is damaged: Bad CRC-32 for file 'b.xml'"]


def test_standard_input(folder, built, tmp_path, monkeypatch):
    data = archived(folder, tmp_path / "tar", "gz").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert set(read_structure(built("-")).names) == NAMES
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BytesIO(archived(folder, tmp_path / "zip", "zip").read_bytes()))
    )
    with pytest.raises(InputError) as error:
        built("-", "zip.index")
    assert str(error.value) == "<stdin>: a zip archive cannot be read from standard input; give its path"


def test_members_that_cannot_be_unpacked(tmp_path):
    """Encrypted, or packed in a way that is not known: neither is damage, and the message does not call it that."""
    path = tmp_path / "zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("b.xml", "<b/>")
        archive.writestr("c.xml", "<c/>")
    plain = path.read_bytes()
    at = plain.index(b"PK\x01\x02")
    for place, sign, reason in (
        (8, 1, "cannot be unpacked: it is encrypted"),
        (10, 99, "cannot be unpacked: That compression method is not supported"),
    ):
        changed = bytearray(plain)
        changed[at + place] = changed[place - 2] = sign  # the flags or the method, in the directory and at the member
        path.write_bytes(changed)
        problems = []
        build_index(str(path), str(tmp_path / reason[-9:]), BuildOptions(skip_broken=True), report=problems.append)
        assert list(map(str, problems)) == [f"{path}/b.xml: {reason}"]
