"""Good assessments of every format, in files, directories and pools."""

import gzip
import io
import sys

import numpy as np
import pytest

from prum_eval.formats.reading import read_assessments
from prum_eval.records import AssessmentKind, EntryPoint, Highlight
from prum_eval.text import lines as text_lines


def test_trec_qrels(write):
    read = read_assessments(write("2 0 a 1\r\n1 0 a -2\n\t2\t0\tb 3\n\n \n"))
    assert read.kind is AssessmentKind.FLAT
    assert list(read.topics) == ["2", "1"]
    assert read.topics["2"].documents == ("a", "b")
    assert read.topics["2"].grades.tolist() == [1, 3]
    assert read.topics["2"].lines.tolist() == [1, 3]
    assert read.topics["1"].grades.tolist() == [-2]


PASSAGES = """\
1 Q0 a 100 1000 10 200:40 10:60
2 Q0 d 29 100 -1 5:29
1 Q0 b 0 500
1 Q0 c 7 500 junk
1 Q0 e 20 300 0 0:10 0:10 50:0
"""


@pytest.mark.parametrize("block", [1, 50, 1 << 18])
def test_inex_passages(write, monkeypatch, block):
    monkeypatch.setattr(text_lines, "BLOCK_BYTES", block)
    read = read_assessments(write(PASSAGES))
    assert read.kind is AssessmentKind.PASSAGES
    topic = read.topics["1"]
    assert topic.documents == ("a", "b", "c", "e")
    assert topic.relevant.tolist() == [100, 0, 7, 20]
    assert topic.lengths.tolist() == [1000, 500, 500, 300]
    assert topic.bep.tolist() == [10, -1, -1, 0]
    assert topic.bounds.tolist() == [0, 2, 2, 2, 5]
    assert topic.start.tolist() == [200, 10, 0, 0, 50]
    assert topic.length.tolist() == [40, 60, 10, 10, 0]
    assert topic.lines.tolist() == [1, 3, 4, 5]
    assert read.topics["2"].bep.tolist() == [-1]
    assert read.topics["2"].start.tolist() == [5]


def xml(body, attributes="pool='9' topic='7'"):
    return f"<?xml version='1.0'?>\n<assessments {attributes}>\n{body}\n</assessments>"


def test_2002(write):
    body = """<file file='an/1995/a1004'>
    <path path='/article[1]' relevance='0' coverage='N'/><path path='/article[1]/b' relevance='3' coverage='E'/>
    <path path='/article[1]/c' relevance='2' coverage='L'/><path path='/article[1]/d' relevance='1' coverage='S'/>
    </file>"""
    read = read_assessments(write(xml(body)))
    topic = read.topics["7"]
    assert read.kind is AssessmentKind.ELEMENTS_2002
    assert topic.documents == ("an/1995/a1004",)
    assert topic.paths == ("/article[1]", "/article[1]/b[1]", "/article[1]/c[1]", "/article[1]/d[1]")
    assert topic.exhaustivity.tolist() == [0, 3, 2, 1]
    assert topic.specificity.tolist() == [0, 3, 2, 1]
    assert topic.lines.tolist() == [4, 4, 5, 5]
    assert topic.size.tolist() == topic.rsize.tolist() == [-1] * 4


def test_2003(write):
    body = """<file file='a'><path path='/a' exhaustiveness='3' specificity='2' inpool='yes' inconsistant='no'/>
    <path path='/a/b' exhaustiveness='U' specificity='1'/><path path='/a/c'/></file>"""
    read = read_assessments(write(xml(body)))
    topic = read.topics["7"]
    assert read.kind is AssessmentKind.ELEMENTS_2003
    np.testing.assert_array_equal(topic.exhaustivity, [3, np.nan, np.nan])
    np.testing.assert_array_equal(topic.specificity, [2, 1, np.nan])


def test_2005(write):
    body = """<inex_topic><title>t</title><file name='not this'/></inex_topic>
    <file collection='x' name='a'>
      <best-entry-point path='/a/text()[2].0'/>
      <passage start='/a' end='/a[1]/text()[1].5' size='5'/>
      <element path='/a' exhaustivity='1' size='10' rsize='5'/>
      <element path='/a/b' exhaustivity='?' size='4' rsize='4'/>
      <element path='/a/c' exhaustivity='2' size='0' rsize='0'/>
    </file>
    <file collection='x' name='b'/>
    <file collection='x' name='c'><element path='/a' exhaustivity='0' size='3' rsize='0'/></file>"""
    read = read_assessments(write(xml(body)))
    topic = read.topics["7"]
    assert read.kind is AssessmentKind.ELEMENTS_2005
    assert topic.documents == ("a", "b", "c")
    assert topic.document_lines.tolist() == [4, 11, 12]
    assert topic.bounds.tolist() == [0, 3, 3, 4]
    assert topic.exhaustivity.tolist() == [1, -1, 2, 0]
    assert topic.specificity.tolist() == [0.5, 1, 0, 0]
    assert topic.size.tolist() == [10, 4, 0, 3]
    assert topic.rsize.tolist() == [5, 4, 0, 0]
    assert topic.entry_points == (EntryPoint(0, "/a[1]/text()[2].0", 5),)
    assert topic.highlights == (Highlight(0, "/a[1]", "/a[1]/text()[1].5", 5, 6),)


@pytest.mark.parametrize("attributes", ["topic='7'", "topic='7' version='2'"])
def test_nothing_relevant_at_all(write, attributes):
    read = read_assessments(write(xml("<file name='a'/>", attributes)))
    assert read.kind is AssessmentKind.ELEMENTS_2005
    assert read.topics["7"].bounds.tolist() == [0, 0]


def test_files_without_elements_take_the_kind_of_the_others(write):
    paths = [
        write(xml("<file file='a'/>"), "1"),
        write(xml("<file file='a'><path path='/a' exhaustiveness='3'/></file>", "topic='8'"), "2"),
    ]
    read = read_assessments(paths)
    assert read.kind is AssessmentKind.ELEMENTS_2003
    assert list(read.topics) == ["7", "8"]
    assert read.path == f"{paths[0]} and 1 more"


def test_directory(write, tmp_path):
    write(xml("<file name='a'/>", "topic='2'"), "d/b.xml")
    write(gzip.compress(xml("<file name='a'/>", "topic='1'").encode()), "d/c/x.XML.gz")
    write("nothing of ours", "d/readme.txt")
    write("nothing of ours", "d/.hidden.xml")
    read = read_assessments(str(tmp_path / "d"))
    assert list(read.topics) == ["2", "1"]
    assert read.path == str(tmp_path / "d")


def test_the_main_pool_counts(write, tmp_path):
    for directory in ("a", "main", "second"):
        write(xml(f"<file name='{directory}'/>"), f"main/pools/{directory}/7.xml")
    read = read_assessments(str(tmp_path / "main" / "pools"))
    assert read.topics["7"].documents == ("main",)
    read = read_assessments([str(tmp_path / "main" / "pools" / directory) for directory in ("second", "main")])
    assert read.topics["7"].documents == ("main",)


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"1 0 a 1\n"))))
    read = read_assessments("-")
    assert read.path == read.topics["1"].path == "<stdin>"
