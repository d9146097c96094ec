"""The cache of parsed assessments: the same values, whatever is in its folder and whoever writes there."""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import threading
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from prum_eval import InputError, read_assessments
from prum_eval.formats import assessments_cache as caching
from prum_eval.formats.assessments_cache import AssessmentCache, read_cached, user_cache
from tests.gold import ROOT

DEMO = "fixtures/demo/assessments"
ELEMENT = '<element path="/article[1]/p[{}]" exhaustivity="2" size="9" rsize="{}"/>'


def assert_same(one, other):
    """Every field of every record, by type and value."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    elif hasattr(one, "__dataclass_fields__"):
        for field in fields(one):
            assert_same(getattr(one, field.name), getattr(other, field.name))
    elif isinstance(one, dict):
        assert list(one) == list(other)
        for key in one:
            assert_same(one[key], other[key])
    elif isinstance(one, tuple):
        assert len(one) == len(other)
        for left, right in zip(one, other, strict=True):
            assert_same(left, right)
    else:
        assert one == other


XML = {
    "2002": '<assessments topic="1"><file file="a"><path path="/article[1]" relevance="3" coverage="E"/></file>'
    "</assessments>",
    "2003": '<assessments topic="1"><file file="a"><path path="/article[1]" exhaustiveness="U" specificity="2"/></file>'
    '<file file="b"/></assessments>',
    "2006": '<assessments topic="1" version="2"><file name="é"><best-entry-point path="/article[1]/text()[1].3"/>'
    '<passage start="/article[1]/text()[1].0" end="/article[1]/text()[1].9" size="9"/>'
    '<element path="/article[1]" exhaustivity="?" size="90" rsize="9"/></file><file name="b"/></assessments>',
    "nothing": '<assessments topic="1" version="2"/>',
    "passages": "1 Q0 a 9 90 -1 0:4 7:5\n1 Q0 b 0 80\n2 Q0 a 3 90 2 2:3\n",
    "documents": "1 0 a 1\n1 0 b 0\n2 0 c 3\n",
}


@pytest.mark.parametrize("kind", XML)
def test_records_of_every_kind_come_back(kind, tmp_path, folder):
    path = tmp_path / "judged.xml"
    path.write_text(XML[kind], encoding="utf-8")
    parsed = read_assessments(str(path))
    for _ in range(2):
        assert_same(read_cached([str(path)], user_cache()), parsed)
    assert len(list(folder.iterdir())) == 1


def test_a_folder_of_files_comes_back(folder):
    parsed = read_assessments(DEMO)
    for _ in range(2):
        assert_same(read_cached([DEMO], user_cache()), parsed)
    # The same bytes under other names are found too, and have those names.
    assert_same(read_cached([f"./{DEMO}"], user_cache()), read_assessments(f"./{DEMO}"))
    assert_same(read_cached([str(ROOT / DEMO)], user_cache()), read_assessments(str(ROOT / DEMO)))
    files = sorted(str(path) for path in Path(DEMO).iterdir())
    assert_same(read_cached(files, user_cache()), read_assessments(files))
    assert len(list(folder.iterdir())) == 1


def test_what_is_found_is_not_parsed(folder, monkeypatch):
    read_cached([DEMO], user_cache())
    monkeypatch.setattr(caching, "read_assessment_files", None)
    read_cached([DEMO], user_cache())
    with pytest.raises(TypeError):  # without a cache it would be parsed
        read_cached([DEMO], None)


def judged(path, relevant):
    path.write_text(
        f'<assessments topic="1" version="2"><file name="a">{ELEMENT.format(1, relevant)}</file></assessments>',
        encoding="utf-8",
    )


@pytest.mark.parametrize(
    "change", ["one byte", "another file", "the main pool", "the order", "the version", "a reader", "the records"]
)
def test_whatever_changes_is_read_anew(change, tmp_path, folder, monkeypatch):
    files = [tmp_path / "a.xml", tmp_path / "b.xml"]
    judged(files[0], 5)
    paths = [str(tmp_path / "a.xml")]
    if change == "the order":
        (tmp_path / "b.xml").write_text(files[0].read_text(encoding="utf-8").replace('topic="1"', 'topic="2"'), "utf-8")
        paths = [str(file) for file in files]
    read_cached(paths, user_cache())
    if change == "one byte":
        judged(files[0], 6)
    elif change == "another file":
        (tmp_path / "b.xml").write_text(files[0].read_text(encoding="utf-8").replace('topic="1"', 'topic="2"'), "utf-8")
        paths = [str(file) for file in files]
    elif change == "the main pool":
        (tmp_path / "main").mkdir()
        files[0].rename(tmp_path / "main" / "a.xml")
        paths = [str(tmp_path / "main" / "a.xml")]
    elif change == "the order":
        paths.reverse()
    elif change == "the version":
        monkeypatch.setattr(caching, "__version__", "99")
    else:
        package = tmp_path / "package"
        shutil.copytree(Path(caching.prum_eval.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
        changed = package / ("text/lines.py" if change == "a reader" else "records.py")
        changed.write_text(changed.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        monkeypatch.setattr(caching.prum_eval, "__file__", str(package / "__init__.py"))
    assert_same(read_cached(paths, user_cache()), read_assessments(paths))
    assert len(list(folder.iterdir())) == 2


def folder_in_its_place(path):
    path.unlink()
    path.mkdir()


def another_entry(path):
    parsed, key = read_assessments(DEMO), "0" * 64
    cache = AssessmentCache(path.parent)
    cache.store(key, parsed, sorted(topic.path for topic in parsed.topics.values()))
    cache.entry(key).replace(path)


def signed(path, found):
    """An entry with a right digest that holds something else."""
    payload = pickle.dumps(found)
    key = path.stem.removeprefix("assessments-")
    path.write_bytes(hashlib.sha256(key.encode() + payload).digest() + payload)


class Harmful:
    """What prints when it is unpickled."""

    def __reduce__(self):
        return print, ("harm",)


CONTENT = {
    "empty": lambda _: b"",
    "cut off": lambda whole: whole[: len(whole) // 2],
    "one byte": lambda whole: whole.replace(b"article", b"Article", 1),  # in a path; only the digest tells
    "text": lambda _: b"not ours\n",
    "too short": lambda whole: whole[:-1],
    "too long": lambda whole: whole + b".",
}
OTHERS = {
    "code": lambda path: signed(path, Harmful()),
    "a function": lambda path: signed(path, print),
    "other data": lambda path: signed(path, {"topics": {}}),
    "a topic": lambda path: signed(path, next(iter(read_assessments(DEMO).topics.values()))),
    "a file that is not there": lambda path: signed(path, read_assessments(DEMO)),
    "another entry": another_entry,
    "an array": lambda path: np.save(path, np.arange(3)) or path.with_name(f"{path.name}.npy").replace(path),
    "a folder": folder_in_its_place,
}


@pytest.mark.parametrize("how", [*CONTENT, *OTHERS])
def test_a_damaged_or_foreign_file_is_ignored_and_written_anew(how, folder, capfd):
    parsed = read_cached([DEMO], user_cache())
    (path,) = folder.iterdir()
    good = path.read_bytes()
    if how in CONTENT:
        path.write_bytes(CONTENT[how](good))
    else:
        OTHERS[how](path)
    assert path.is_dir() or path.read_bytes() != good
    assert_same(read_cached([DEMO], user_cache()), parsed)
    assert path.is_dir() or path.read_bytes() == good
    assert [entry.name for entry in folder.iterdir()] == [path.name]
    assert capfd.readouterr() == ("", "")


def test_bad_assessments_are_reported_each_time_and_not_kept(tmp_path, folder):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b high\n", encoding="utf-8")
    texts = []
    for cache in (None, user_cache(), user_cache()):
        with pytest.raises(InputError) as raised:
            read_cached([str(tmp_path / "qrels")], cache)
        texts.append(str(raised.value))
    assert len(set(texts)) == 1
    with pytest.raises(InputError, match="missing: cannot be read: No such file or directory"):
        read_cached(["missing"], user_cache())
    assert not folder.exists()


def test_a_name_with_a_line_end_comes_back(tmp_path, folder):
    text = '<assessments topic="1" version="2"><file name="a&#10;b">' + ELEMENT.format(1, 5) + "</file></assessments>"
    (tmp_path / "a.xml").write_text(text, encoding="utf-8")
    for _ in range(2):
        (topic,) = read_cached([str(tmp_path / "a.xml")], user_cache()).topics.values()
        assert topic.documents == ("a\nb",)
    assert len(list(folder.iterdir())) == 1


def test_small_inputs_and_what_is_no_file_need_no_cache(tmp_path, folder, monkeypatch):
    monkeypatch.setattr(caching, "MIN_CACHED_BYTES", 1 << 19)
    read_cached([DEMO], user_cache())
    assert not folder.exists()
    monkeypatch.setattr(caching, "MIN_CACHED_BYTES", 0)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[b"1 0 a 1\n1 0 b 0\n"])
    writer.start()
    assert read_cached([str(pipe)], user_cache()).topics["1"].documents == ("a", "b")
    writer.join()
    assert not folder.exists()


def test_a_folder_that_cannot_be_written_does_no_harm(tmp_path, monkeypatch):
    monkeypatch.setattr(caching, "MIN_CACHED_BYTES", 0)
    monkeypatch.chdir(ROOT)
    (tmp_path / "file").touch()
    assert_same(read_cached([DEMO], AssessmentCache(tmp_path / "file" / "cache")), read_assessments(DEMO))
    assert (tmp_path / "file").read_bytes() == b""
