"""The trees of real documents: encodings, prologs, and that arrays find what another parser finds."""

import random
import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest

from prum_eval.collection.document_scan import scan_trees
from prum_eval.collection.documents import DocumentReader, ReadingOptions
from prum_eval.collection.index_sources import SourceEntry
from prum_eval.errors import InputError
from prum_eval.text.lines import count_true_before

PROLOGS = {
    "nothing": "",
    "blanks": " \r\n\t",
    "mark": "\ufeff",
    "mark and declaration": "\ufeff<?xml version='1.0' encoding='UTF-8'?>",
    "declaration": "<?xml version='1.0'?>\n",
    "encoding": '<?xml version="1.0" encoding = "utf-8" standalone="yes" ?>',
    "another name of the encoding": "<?xml version='1.0' encoding='utf8'?>",
    "ASCII": "<?xml version='1.0' encoding='US-ASCII'?>",
    "comment": "<!-- <root> > - -> '\" -->",
    "two comments": "<!----><!-- --><?p <root> > ?>\n<?q?>",
    "encoding of an instruction": "<?xml version='1.0'?><?p encoding='latin-1'?>",
    "document type": "<!DOCTYPE root>",
    "document type of XHTML": "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'xhtml1-strict.dtd'>",
    "quoted": "<!DOCTYPE root PUBLIC \"it's\" '\">[<root>' >",
    "declarations": "<!DOCTYPE root SYSTEM 'a' [<!ELEMENT root ANY>\n<!ATTLIST root a CDATA ']>root>'>]>",
    "comments in declarations": "<!DOCTYPE root [ <!-- it's ]> <root> --> <?p it's ]> <root>?> ] >\n<!-- x -->",
}


@pytest.mark.parametrize("prolog", PROLOGS.values(), ids=PROLOGS)
def test_the_root(prolog):
    assert body(prolog + "<html>a<!-- <b> --><head/>b</html>\n") == b"<html>a<head/>b</html>"


def body(text):
    data = text if isinstance(text, bytes) else text.encode()
    return DocumentReader(ReadingOptions()).read(data, "a.xml", "a").body


ENCODED = {
    "latin-1": b"<?xml version='1.0' encoding='ISO-8859-1'?>",
    "utf-16": b"",
    "utf-16-le": b"",
    "utf-16-be": b"",
    "utf-32": b"",
    "utf-32-be": b"",
    "utf-8-sig": b"",
    "utf-7": b"<?xml version='1.0' encoding='UTF-7'?>",
}


@pytest.mark.parametrize("before", ["", " ", "\r\n\t"], ids=["nothing", "blank", "blanks"])
@pytest.mark.parametrize(("encoding", "declaration"), ENCODED.items(), ids=ENCODED)
def test_encodings(encoding, declaration, before):
    """With and without mark, with white space before the root."""
    assert body(declaration + f"{before}<a>\xe9<b/></a>".encode(encoding)) == "<a>\xe9<b/></a>".encode()


def test_what_nothing_declares():
    """Entities are no text, prefixes are part of the name."""
    assert scanned_body("<a>x &b; y<c:d/></a>") == ([("/a[1]", 2), ("/a[1]/c:d[1]", 1)], [3, 0])


def scanned_body(text):
    trees = scan_trees(["0"], [body(text)], raw=False)
    return elements(trees)[0], trees.length.tolist()


def walked(element, path, found):
    """Paths and sizes of subtrees in document order."""
    found.append((path, sum(1 for _ in element.iter())))
    ranks = {}
    for child in element:
        ranks[child.tag] = ranks.get(child.tag, 0) + 1
        walked(child, f"{path}/{child.tag}[{ranks[child.tag]}]", found)
    return found


def elements(trees):
    """The same of each document of a batch, by parents, tags and ranks."""
    found = []
    for first, end in pairwise(trees.bounds.tolist()):
        paths = []
        for row in range(first, end):
            above = paths[trees.parent[row]] if trees.parent[row] >= 0 else ""
            paths.append(f"{above}/{trees.tags[trees.tag[row]]}[{trees.rank[row]}]")
        found.append(list(zip(paths, trees.size[first:end].tolist(), strict=True)))
    return found


def scanned(texts):
    """The batch of these documents, after a comparison of its elements with another parser's."""
    trees = scan_trees([str(number) for number in range(len(texts))], list(map(body, texts)), raw=False)
    assert elements(trees) == [walked(root, f"/{root.tag}[1]", []) for root in map(ET.fromstring, texts)]
    return trees


@pytest.mark.parametrize("end", [">", " >", "/>", "\n/>", "\t a='b'>", "\r\n>"])
def test_names_of_every_length(end):
    names = ["a" * length for length in range(1, 16)] + ["a" * length + "b" for length in range(15)] + ["\u00e9a"]
    random.Random(1).shuffle(names)
    inner = "".join(f"<{name}{end}" + ("" if "/" in end else f"</{name}>") for name in names * 2)
    assert set(scanned([f"<r>{inner}</r>", "<r/>"]).tags) == {"r", *names}


def test_long_names():
    """Of more than sixteen bytes, some of them equal up to there."""
    names = ["c" * length for length in range(15, 40)] + ["c" * 16 + sign for sign in "xy\u00e9"]
    inner = "".join(f"<{name} c='d'><{name}/></{name}>" for name in names * 2)
    assert set(scanned([f"<a>{inner}</a>", "<d/>", f"<{names[5]}/>"]).tags) == {"a", "d", *names}


def test_deep_documents_and_many_names():
    """More levels and more names than one byte counts."""
    names = [f"a{depth % 7}" for depth in range(300)]
    deep = "".join(f"<{name}>" for name in names) + "".join(f"</{name}>" for name in reversed(names))
    wide = "<r>" + "".join(f"<b{number}/><b{number % 3}/>" for number in range(5000)) + "</r>"
    scanned([deep, wide, deep])


@pytest.mark.parametrize(
    "markup",
    [
        "<!-->-->", "<!---->", "<!-- <!a <? <![CDATA[ <a> ]]> & -->", "<?p?>", "<?p <!-- <a> ?>", "<![CDATA[]]>",
        "<![CDATA[<!-- <?p ]] > ]>&#32; ]]>", "<!-- ?> -->", "<?p --> ?>", "<![CDATA[-->?>]]>",
    ],
)  # fmt: skip
def test_neither_tags_nor_references(markup):
    """Comments, instructions and CDATA in one another, one after the other and between other things."""
    text = f"<a>{markup}<b>x{markup}{markup}y</b>{markup}<b/>{markup}&lt;</a>"
    found = "".join(ET.fromstring(text).itertext())  # noqa: S314
    assert scanned([text, text]).length.tolist()[:1] == [length(found)]


@pytest.mark.parametrize("markup", ["<!-- -->", "<?p?>", "<![CDATA[]]>"])
@pytest.mark.parametrize(("before", "behind", "characters"), [("\r", "\n", 2), ("\r\n", "\r", 2), ("", "\r\n", 1)])
def test_markup_between_line_ends(markup, before, behind, characters):
    """It parts \r and \n, which are one line end only where they stand together."""
    trees = scan_trees(["0"], [body(f"<a>{before}{markup}{behind}</a>")], raw=True)
    assert trees.length.tolist() == [characters]


@pytest.mark.parametrize("zeros", [0, 1, 5000])
@pytest.mark.parametrize(("number", "characters"), [("65", 3), ("32", 2), ("x41", 3), ("x20", 2)])
def test_references_with_leading_zeros(zeros, number, characters):
    written = number[0] * (number[0] == "x") + "0" * zeros + number.lstrip("x")
    assert scanned([f"<a>b &#{written};</a>"]).length.tolist() == [characters]


BLANKS = [chr(sign) for sign in range(0x7F, 0x3001) if chr(sign).isspace()]


def length(text):
    """Characters of a text without tags, a run of white space one of them."""
    return len(re.sub(r"\s+", " ", text))


@pytest.mark.parametrize("blank", ["\t", "\n", " ", *BLANKS])
def test_every_blank(blank):
    """Counted once where it is doubled, also across tags, but not across documents."""
    texts = [f"<a>x{blank}{blank}<b>{blank}y</b>z{blank}</a>", f"<a>{blank}<b/>{blank}</a>\n", f"<a>{blank}</a>"]
    trees = scanned(texts)
    assert trees.length.tolist() == [5, 1, 1, 0, 1]
    assert trees.start.tolist() == [0, 2, 0, 1, 0]


@pytest.mark.parametrize("blank", BLANKS)
def test_neighbours_of_blanks(blank):
    """What stands beside a blank in Unicode may be none."""
    texts = [chr(ord(blank) + step) * 2 for step in (-1, 1)]
    assert scanned([f"<a>{text}</a>" for text in texts]).length.tolist() == [length(text) for text in texts]


@pytest.mark.parametrize("seed", range(3))
def test_true_before(seed):
    draw = np.random.default_rng(seed)
    mask = draw.random(800) < draw.random()
    places = np.sort(draw.integers(0, 799, 200))
    assert count_true_before(mask, places).tolist() == [int(mask[:place].sum()) for place in places]


@pytest.mark.parametrize("size", [0, 3, 4, 5, 1000])
def test_a_file_that_grew_or_shrank(tmp_path, size):
    (tmp_path / "a").write_bytes(b"<a/>")
    assert SourceEntry("a", size, None, str(tmp_path / "a")).read("a") == b"<a/>"


def test_a_file_that_went_away(tmp_path):
    for method in ("read", "open"):
        with pytest.raises(InputError, match=r"^name: cannot be read: No such file or directory$"):
            getattr(SourceEntry("a", 1, None, str(tmp_path / "a")), method)("name")
