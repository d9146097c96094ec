"""Documents that are too large for a tree as a whole: the same trees, the same refusals."""

import io
import random
from pathlib import Path

import pytest

from prum_eval.collection import document_scan as streamed
from prum_eval.collection import index_sources as module
from prum_eval.collection.document_scan import read_streamed, scan_trees
from prum_eval.collection.documents import DocumentReader, ReadingOptions
from prum_eval.errors import InputError

PAGES = Path("/usr/share/help/C/gnome-help")

DOCUMENTS = {
    "blanks": "<a> x <b> y<c/> z</b> <b>\u3000</b>\n</a>",
    "references": "<a>x&e;y<b>&f;</b>&amp;&#32;<!-- z -->&g;</a>",
    "prefixes": "<a xmlns:x='u'><x:b/><x:b xmlns:x='v'/><y:b/><b xmlns='u'/></a>",
    "CDATA": "<a><![CDATA[<b> ]]>]]&gt;<?p <c>?></a>",
    "nothing": "",
    "cut off": "<a>\n<b>",
    "in CDATA": "<a><![CDATA[x]]",
    "tags": "<a>\n</b>",
    "tags behind an entity": "<a>&e;<b></a>",
    "two roots": "<a/>\n<b/>",
    "an entity": "<!DOCTYPE a [\n<!ENTITY b 'c'>]><a/>",
    "half a reference": "<a>&b</a>",
    "depth": "<a>" * 2048 + "</a>" * 2048,
    "too deep": "\n" + "<a>" * 2049,
}


def whole(data, *, raw):
    document = DocumentReader(ReadingOptions(raw=raw)).read(data, "a.xml", "a.xml")
    return scan_trees([document.name], [document.body], raw=raw)


def piece_by_piece(data, *, raw):
    return read_streamed(io.BytesIO(data), "a.xml", "a", raw=raw)


def rows(read, data, *, raw):
    """Name, position, parent, size, start and length of every element; or what is wrong."""
    try:
        trees = read(data, raw=raw)
    except InputError as error:
        return str(error)
    columns = trees.rank, trees.parent, trees.size, trees.start, trees.length
    return [(trees.tags[tag], *row) for tag, *row in zip(trees.tag.tolist(), *map(list, columns), strict=True)]


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("chunk", [20, 1 << 20])
@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=DOCUMENTS)
def test_as_the_whole(monkeypatch, text, chunk, raw):
    monkeypatch.setattr(streamed, "_CHUNK", chunk)
    for encoding in ("utf-8", "utf-16"):
        data = text.encode(encoding)
        assert rows(piece_by_piece, data, raw=raw) == rows(whole, data, raw=raw)


@pytest.mark.parametrize("seed", range(20))
def test_damaged(monkeypatch, seed):
    """A sign too few or too many anywhere."""
    draw = random.Random(seed)
    monkeypatch.setattr(streamed, "_CHUNK", draw.randint(20, 60))
    text = "<a b='c'>x &e; <p:d>y<!-- z --></p:d> <d/>&#65;<![CDATA[ <e> ]]><d f=\"'\"/></a>"
    for _ in range(30):
        place = draw.randrange(len(text))
        data = (text[:place] + draw.choice(["", "<", ">", "&", "'", "/", "a"]) + text[place + 1 :]).encode()
        one, other = (rows(read, data, raw=True) for read in (piece_by_piece, whole))
        assert isinstance(one, str) == isinstance(other, str)
        assert isinstance(one, str) or one == other


@pytest.mark.skipif(not PAGES.exists(), reason="needs Debian's gnome-user-docs")
def test_real_documents(monkeypatch):
    monkeypatch.setattr(streamed, "_CHUNK", 1000)
    for path in sorted(PAGES.glob("*.page"))[::10]:
        data = path.read_bytes()
        assert rows(piece_by_piece, data, raw=False) == rows(whole, data, raw=False)


def test_the_same_index(tmp_path, built, monkeypatch):
    for number in range(20):
        (tmp_path / f"source{number % 2}").mkdir(exist_ok=True)
        (tmp_path / f"source{number % 2}" / f"{number}.xml").write_text("<a>" + "<b>x</b> " * 10 * number + "</a>")
    one = built(tmp_path / "source1")
    monkeypatch.setattr(module, "_GROUP_BYTES", 500)
    monkeypatch.setattr(module, "_LARGEST_TREE", 500)
    assert Path(built(tmp_path / "source1", "other.index")).read_bytes() == Path(one).read_bytes()


@pytest.mark.slow
def test_memory(tmp_path):
    """Of a document of 30 MB, a small part."""
    import subprocess
    import sys

    with (tmp_path / "a.xml").open("w") as file:
        file.write("<a>")
        for _ in range(30):
            file.write("<sec>" + f"<p>{'text ' * 20000}</p>" * 10 + "</sec>")
        file.write("</a>")
    code = (
        "import resource, sys; from prum_eval.collection import document_scan;"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
        "document_scan.read_streamed(open(sys.argv[1], 'rb'), 'a', 'a', raw=False);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "a.xml")]
    grown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert int(grown) < 25_000
