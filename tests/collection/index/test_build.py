"""Building: stopped and continued, the command line, files that cannot be written."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bench.gen_inex import generate
from prum_eval import __version__
from prum_eval.collection import index_sources as documents_module
from prum_eval.collection import index_sources as text_module
from prum_eval.collection import index_writer as writer_module
from prum_eval.collection.documents import ReadingOptions
from prum_eval.collection.index_build import BuildOptions, build_index
from prum_eval.collection.index_writer import IndexWriter
from prum_eval.errors import InputError
from prum_eval.formats.reading import read_structure
from prum_eval.formats.structure_index import read_index_info
from tests.collection.index.test_structures import XML, assert_same
from tests.gold import ROOT, run

KILLED = """
import os, signal, sys
from prum_eval.collection import index_sources, index_writer
from prum_eval.text import lines as text_lines
from prum_eval.collection.index_build import BuildOptions, build_index
index_sources.STRUCTURE_BLOCK_BYTES, index_sources._GROUP_DOCUMENTS, index_sources._DOCUMENTS_PER_PIECE = 3000, 7, 1
index_writer._COMMIT_EVERY = 0
text_lines.BLOCK_BYTES = 3000
calls = []
def progress(counts, total):
    calls.append(counts)
    if len(calls) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
build_index(*sys.argv[1:], BuildOptions(), report=print, progress=progress)
"""


def source_of(kind, folder):
    generate(folder, "small")
    if kind == "structure XML":
        (folder / "structure.xml").write_text(XML)
        return folder / "structure.xml"
    return folder / {"structure text": "structure.tsv", "documents": "docs"}[kind]


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(text_module, "STRUCTURE_BLOCK_BYTES", 3000)
    monkeypatch.setattr("prum_eval.text.lines.BLOCK_BYTES", 3000)
    monkeypatch.setattr(documents_module, "_GROUP_DOCUMENTS", 7)
    monkeypatch.setattr("prum_eval.collection.index_sources._DOCUMENTS_PER_PIECE", 1)
    monkeypatch.setattr(writer_module, "_COMMIT_EVERY", 0)


@pytest.mark.parametrize("kind", ["structure text", "structure XML", "documents"])
def test_a_killed_build_is_continued(tmp_path, built, small_pieces, kind):
    source, target = str(source_of(kind, tmp_path / "work")), tmp_path / "index"
    killed = subprocess.run([sys.executable, "-c", KILLED, source, str(target)], check=False, cwd=ROOT)
    assert killed.returncode == -signal.SIGKILL
    assert not target.exists()
    with pytest.raises(InputError, match=r"the index is not complete, its build was stopped; prum-eval index --resume"):
        read_index_info(f"{target}.partial")
    seen = []
    counts = build_index(
        source, str(target), BuildOptions(resume=True), report=print, progress=lambda now, _: seen.append(dict(now))
    )
    whole = read_structure(built(source, "whole"))
    assert counts["elements"] == whole.elements
    before = {"structure text": 3, "structure XML": 1, "documents": 7}[kind]  # at least, of one committed piece
    assert seen[0]["documents"] > before
    assert_same_index(target, whole)
    assert sorted(path.name for path in tmp_path.glob("index*")) == ["index"]


def assert_same_index(target, whole):
    continued = read_structure(str(target))
    assert (continued.elements, continued.characters, set(continued.names)) == (
        whole.elements,
        whole.characters,
        set(whole.names),
    )
    assert list(continued.links) == list(whole.links)
    for name, document in whole.documents.items():
        other = continued.documents[name]
        assert (other.paths, other.start.tolist(), other.length.tolist()) == (
            document.paths,
            document.start.tolist(),
            document.length.tolist(),
        )


def stop_after(pieces):
    calls = []

    def progress(counts, _total):
        calls.append(counts["position"])
        if len(calls) == pieces:
            raise KeyboardInterrupt

    return progress


@pytest.fixture
def interrupted(tmp_path, small_pieces):
    source, target = source_of("documents", tmp_path / "work"), str(tmp_path / "index")
    with pytest.raises(KeyboardInterrupt):
        build_index(str(source), target, BuildOptions(), report=print, progress=stop_after(3))
    assert sorted(path.name for path in tmp_path.glob("index*")) == ["index.partial"]
    return source, target


def test_an_interrupted_build_is_continued_where_it_stopped(interrupted):
    source, target = interrupted
    seen = []
    build_index(
        str(source),
        target,
        BuildOptions(resume=True),
        report=print,
        progress=lambda now, total: seen.append((now["position"], total)),
    )
    assert seen == [(28, 60), (35, 60), (42, 60), (49, 60), (56, 60), (60, 60)]


def refused(source, target, *, resume=False, **reading):
    with pytest.raises(InputError) as error:
        build_index(str(source), target, BuildOptions(resume=resume, reading=ReadingOptions(**reading)), report=print)
    return str(error.value)


def test_continued_from_another_source(interrupted):
    source, target = interrupted
    other = f"{target}.partial: begun from another source or with other options"
    assert refused(source, target, resume=True, raw=True) == f"{other} (counting); build without --resume"
    assert refused(source, target, resume=True, patterns=("*.xml",)) == f"{other} (patterns); build without --resume"
    first = next(source.iterdir())
    os.utime(first, ns=(0, 0))
    assert refused(source, target, resume=True) == f"{other} (source_sha256); build without --resume"
    first.write_text("<a/>")
    assert refused(source, target, resume=True) == f"{other} (source_size, source_sha256); build without --resume"
    text = source.parent / "structure.tsv"
    assert refused(text, target, resume=True).startswith(f"{target}.partial: begun from another source")
    assert Path(f"{target}.partial").exists()
    build_index(str(text), target, BuildOptions(), report=print)
    assert not Path(f"{target}.partial").exists()


def test_continued_by_another_version(interrupted, monkeypatch):
    monkeypatch.setattr(writer_module, "__version__", "9")
    source, target = interrupted
    reason = "begun by another version; build without --resume"
    assert refused(source, target, resume=True) == f"{target}.partial: {reason}"


@pytest.mark.parametrize("ending", [".partial", ".partial-journal"])
@pytest.mark.parametrize("resume", [True, False])
def test_a_file_of_the_users_in_the_way_is_left_alone(tmp_path, write, ending, resume):
    source, target = write("a\t/x[1]\t0\t1\n"), str(tmp_path / "index")
    for content in ("my notes" * 100, ""):
        Path(target + ending).write_text(content)
        reason = "exists and was not left by a build of an index; remove it"
        assert refused(source, target, resume=resume) == f"{target}{ending}: {reason}"
        assert Path(target + ending).read_text() == content
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"index{ending}", "source"]


def test_a_build_that_is_killed_before_it_has_committed_anything_is_continued(tmp_path, write):
    source, target = write("a\t/x[1]\t0\t1\n"), str(tmp_path / "index")
    script = KILLED.replace("3000, 7, 1, 0", "3000, 7, 1, 99").replace("len(calls) == 2", "calls")
    killed = subprocess.run([sys.executable, "-c", script, source, target], check=False, cwd=ROOT)
    assert killed.returncode == -signal.SIGKILL
    assert build_index(source, target, BuildOptions(resume=True), report=print)["documents"] == 1


def test_a_symbolic_link_is_followed_and_a_device_is_none(tmp_path, write):
    source = write("a\t/x[1]\t0\t1\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/index")
    build_index(source, str(tmp_path / "link"), BuildOptions(), report=print)
    assert (tmp_path / "link").is_symlink()
    assert read_index_info(str(tmp_path / "folder" / "index")).documents == 1
    os.mkfifo(tmp_path / "pipe")
    assert refused(source, tmp_path / "pipe") == f"{tmp_path}/pipe: cannot be written: it is no regular file"


def test_two_builds_of_one_index(tmp_path, write, small_pieces):
    source, target = write("a\t/x[1]\t0\t1\n"), str(tmp_path / "index")
    from prum_eval.collection.index_sources import TextSource

    with open(source, "rb") as stream:  # noqa: PTH123 - a plain stream
        other = IndexWriter(target, TextSource(source, stream, 1), {}, resume=False)
    assert refused(source, target) == f"{target}.partial: another build is writing it"
    other.stop(keep=False)


def test_nothing_to_continue_is_a_build(tmp_path, write):
    source = write("a\t/x[1]\t0\t1\n")
    assert build_index(source, str(tmp_path / "index"), BuildOptions(resume=True), report=print)["documents"] == 1


def test_files_that_cannot_be_used(tmp_path, write):
    source = write("a\t/x[1]\t0\t1\n")
    missing = str(tmp_path / "none" / "index")
    assert refused(source, missing) == f"{missing}: cannot be written: No such file or directory"
    assert refused(tmp_path / "none", missing) == f"{tmp_path / 'none'}: cannot be read: No such file or directory"
    (tmp_path / "folder").mkdir()
    folder = str(tmp_path / "folder")
    assert refused(source, folder) == f"{folder}: cannot be written: Is a directory"
    index = str(tmp_path / "index")
    build_index(source, index, BuildOptions(), report=print)
    assert refused(index, str(tmp_path / "other")) == f"{index}: this is an index already"


def test_the_old_index_stays_where_a_build_fails(tmp_path, write):
    index = str(tmp_path / "index")
    build_index(write("a\t/x[1]\t0\t1\n"), index, BuildOptions(), report=print)
    assert refused(write("a\t/x[1]\t0\t-1\n", "bad"), index).endswith("expected an integer, 0 or more, found '-1'")
    assert read_index_info(index).documents == 1


def test_command_line(tmp_path):
    target = tmp_path / "index"
    output = run(f"index fixtures/demo/structure.tsv -o {target}")
    read = read_structure(str(ROOT / "fixtures/demo/structure.tsv"))
    assert (output.status, output.out) == (0, "")
    assert output.err == f"prum-eval: {target}: {len(read.names)} documents, {read.elements} elements\n"
    assert_same(read_structure(str(target)), read)
    output = run(f"index --info {target}")
    size = (ROOT / "fixtures/demo/structure.tsv").stat().st_size
    lines = output.out.splitlines()
    assert lines[:6] == [
        f"index       {target}",
        "format      2",
        f"made by     prum-eval {__version__}",
        "source      fixtures/demo/structure.tsv",
        "kind        structure text",
        f"bytes       {size}",
    ]
    assert lines[7:] == [
        f"documents   {len(read.names)}",
        f"elements    {read.elements}",
        f"characters  {read.characters}",
        "counted     as the structure says",
        "links       0",
        "left out    0",
    ]
    assert (output.status, output.err) == (0, "")


def test_command_line_reports_broken_documents(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.xml").write_text("<a/>")
    (folder / "b.xml").write_text("<a>")
    target = tmp_path / "index"
    line = f"{folder}/b.xml:1: the XML is cut off: the file ends inside an element\n"
    output = run(f"index {folder} -o {target}")
    last = "prum-eval: broken documents: 1; --skip-broken leaves them out\n"
    assert (output.status, output.out, output.err) == (1, "", line + last)
    assert not target.exists()
    output = run(f"index {folder} -o {target} --skip-broken -j 2")
    last = f"prum-eval: {target}: 1 documents, 1 elements, 1 broken documents left out\n"
    assert (output.status, output.out, output.err) == (0, "", line + last)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "give a SOURCE and -o FILE, or --info INDEX"),
        ("fixtures/demo/structure.tsv", "give a SOURCE and -o FILE, or --info INDEX"),
        ("-o x", "give a SOURCE and -o FILE, or --info INDEX"),
        ("fixtures/demo/structure.tsv --info x", "--info takes no SOURCE and no --output"),
    ],
)
def test_usage(arguments, message):
    output = run(f"index {arguments}")
    assert (output.status, output.out) == (2, "")
    assert output.err.endswith(f"Error: {message}\n")


@pytest.mark.parametrize(
    "option", ["--raw", "--glob *.x", "--html", "--encoding utf-8", "--elements //a", "--without //a", "--links //a"]
)
def test_options_for_documents_with_a_structure(tmp_path, option):
    output = run(f"index fixtures/demo/structure.tsv -o {tmp_path}/index {option}")
    options = "--raw, --glob, --elements, --without, --links, --namespace, --html and --encoding"
    reason = f"fixtures/demo/structure.tsv is a structure text: {options} are for documents"
    assert (output.status, output.out, output.err) == (2, "", f"prum-eval: {reason}\n")
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_no_index():
    output = run("index --info fixtures/demo/structure.tsv")
    assert (output.status, output.out, output.err) == (1, "", "fixtures/demo/structure.tsv: not an index\n")


def test_progress_on_a_terminal(tmp_path, monkeypatch, capsys):
    from prum_eval.cli.commands import index as index_progress

    monkeypatch.setattr(index_progress, "_REFRESH_SECONDS", 0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with index_progress.ProgressLine() as progress:
        progress.show({"documents": 1500, "elements": 2_000_000, "position": 50}, 200)
        progress.report(InputError("f", 3, "no good"))
        progress.show({"documents": 1501, "elements": 2_000_000, "position": 50}, 0)
    line = "[########----------------------]  25% 1,500 documents, 2,000,000 elements"
    bare = "1,501 documents, 2,000,000 elements"
    gone = [f"\r{' ' * len(text)}\r" for text in (line, bare)]
    assert capsys.readouterr().err == f"\r{line}{gone[0]}f:3: no good\n\r{bare}{gone[1]}"
