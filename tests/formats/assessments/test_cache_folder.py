"""The folder of the cache: where it is, who may use it, how large it grows, and the command that shows it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from prum_eval.formats import assessments_cache as caching
from prum_eval.formats.assessments_cache import read_cached, user_cache
from tests.gold import ROOT, run

DEMO = "fixtures/demo/assessments"
ELEMENT = '<element path="/article[1]/p[{}]" exhaustivity="2" size="9" rsize="{}"/>'


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such permissions")
def test_nobody_else_may_read_or_write(folder):
    read_cached([DEMO], user_cache())
    (path,) = folder.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_was_not_used_for_longest_goes_first(tmp_path, folder, monkeypatch):
    paths = [tmp_path / f"qrels{number}" for number in range(3)]
    for number, path in enumerate(paths):
        path.write_text(f"1 0 a {number}\n", encoding="utf-8")
        read_cached([str(path)], user_cache())
        (newest,) = [one for one in folder.iterdir() if one.stat().st_mtime > 1000]
        os.utime(newest, (number + 1, number + 1))
    oldest, middle, newest = (path.name for path, _ in user_cache().entries())
    read_cached([str(paths[0])], user_cache())  # used again
    assert [path.name for path, _ in user_cache().entries()] == [middle, newest, oldest]
    monkeypatch.setattr(caching, "MAX_CACHE_BYTES", 1)
    paths[0].write_text("1 0 a 7\n", encoding="utf-8")
    read_cached([str(paths[0])], user_cache())
    (left,) = user_cache().entries()
    assert left[0].name not in {oldest, middle, newest}


CONVENTIONS = [
    ({}, "linux", "/home/u/.cache/prum-eval"),
    ({"XDG_CACHE_HOME": "/x"}, "linux", "/x/prum-eval"),
    ({"XDG_CACHE_HOME": "relative"}, "linux", "/home/u/.cache/prum-eval"),
    ({"XDG_CACHE_HOME": ""}, "freebsd14", "/home/u/.cache/prum-eval"),
    ({"XDG_CACHE_HOME": "/x"}, "darwin", "/home/u/Library/Caches/prum-eval"),
    ({"LOCALAPPDATA": "/l"}, "win32", "/l/prum-eval"),
    ({}, "win32", "/home/u/AppData/Local/prum-eval"),
    ({"PRUM_EVAL_CACHE": "/own", "XDG_CACHE_HOME": "/x"}, "linux", "/own"),
    ({"PRUM_EVAL_CACHE": " "}, "linux", "/home/u/.cache/prum-eval"),
    ({"PRUM_EVAL_CACHE": "off"}, "linux", None),
    ({"PRUM_EVAL_CACHE": "OFF"}, "darwin", None),
]


@pytest.mark.parametrize(("environment", "platform", "place"), CONVENTIONS)
def test_the_folder_is_where_the_system_wants_it(environment, platform, place, monkeypatch):
    monkeypatch.setenv("HOME", "/home/u")
    found = user_cache(environment, platform)
    assert (found.folder.as_posix() if found else None) == place


def test_the_command_shows_and_clears(folder, monkeypatch):
    assert run("cache").out == f"folder: {folder}\nfiles: 0\nsize: 0.0 MB\n"
    assert run("cache clear").status == 0
    command = f"eval -f json -s fixtures/demo/structure.tsv {DEMO} fixtures/demo/run-a.xml"
    cold, warm = run(command), run(command)
    assert len(list(folder.iterdir())) == 1
    assert cold == warm == run(f"{command} --no-cache")
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert run("cache").out == f"folder: {folder}\nfiles: 1\nsize: {size / 1e6:.1f} MB\n"
    (folder / "mine.npz").touch()
    (folder / "assessments-x1.tmp").touch()
    assert run("cache clear").out == f"folder: {folder}\nfiles: 0\nsize: 0.0 MB\n"
    assert [path.name for path in folder.iterdir()] == ["mine.npz"]
    (folder / "mine.npz").unlink()
    run("cache clear")
    assert not folder.exists()
    run(f"{command} --no-cache")
    assert not folder.exists()
    monkeypatch.setenv("PRUM_EVAL_CACHE", "off")
    run(command)
    assert not folder.exists()
    assert run("cache").out == run("cache clear").out == "the cache is off (PRUM_EVAL_CACHE)\n"


def test_an_action_that_does_not_exist():
    output = run("cache empty")
    assert output.status == 2
    assert "Error: Invalid value for '[clear]': 'empty' is not 'clear'." in output.err


@pytest.mark.slow
def test_processes_that_start_at_once(tmp_path):
    judgements = tmp_path / "judged"
    judgements.mkdir()
    for topic in range(8):
        elements = "".join(ELEMENT.format(number, number % 10) for number in range(1, 1100))
        text = f'<assessments topic="{topic}" version="2"><file name="a">{elements}</file></assessments>'
        (judgements / f"{topic}.xml").write_text(text, encoding="utf-8")
    assert sum(path.stat().st_size for path in judgements.iterdir()) > caching.MIN_CACHED_BYTES
    results = "".join(f"{topic} Q0 a {rank} 1 r /article[1]/p[{rank}]\n" for topic in range(8) for rank in (5, 9))
    (tmp_path / "run").write_text(results, encoding="utf-8")
    command = [sys.executable, "-m", "prum_eval", "eval", "-f", "json", "-m", "map", judgements, tmp_path / "run"]
    place = {**os.environ, "PRUM_EVAL_CACHE": str(tmp_path / "cache")}
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, env=place) for _ in range(8)]
    found = [process.communicate(timeout=60)[0] for process in started]
    assert [process.returncode for process in started] == [0] * 8
    (entry,) = (tmp_path / "cache").iterdir()
    written = entry.stat().st_mtime_ns
    warm = subprocess.run(command, stdout=subprocess.PIPE, cwd=ROOT, env=place, check=True).stdout
    without = subprocess.run([*command, "--no-cache"], stdout=subprocess.PIPE, cwd=ROOT, env=place, check=True).stdout
    assert {*found, warm} == {without}
    assert entry.stat().st_mtime_ns > written  # used


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such permissions")
def test_a_folder_into_which_everyone_may_write_is_not_used(folder):
    folder.mkdir(mode=0o700)
    plain = run(f"eval -m num_rel {DEMO} fixtures/demo/run-a.xml")
    kept = [path.name for path, _ in user_cache().entries()]
    folder.chmod(0o777)
    output = run(f"eval -m num_rel {DEMO} fixtures/demo/run-b.xml")
    warning = f"prum-eval: warning: the cache folder {folder} is not used: everyone may write into it\n"
    assert (output.status, output.err.count(warning)) == (0, 1)
    folder.chmod(0o1777)  # as of /tmp: others may put files there, and those are not read
    assert warning not in run(f"eval -m num_rel {DEMO} fixtures/demo/run-b.xml").err
    assert [path.name for path, _ in user_cache().entries()] == kept
    assert plain.status == 0


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only the superuser gives files away")
def test_what_belongs_to_another_user_is_not_used(folder):
    first = read_cached([DEMO], user_cache())
    (path, _) = user_cache().entries()[0]
    path.write_bytes(b"")
    os.chown(path, 12345, -1)
    os.chmod(folder, 0o1777)  # noqa: PTH101, S103 - a folder of everyone's
    assert read_cached([DEMO], user_cache()).topics.keys() == first.topics.keys()
    os.chown(folder, 12345, -1)
    warning = f"prum-eval: warning: the cache folder {folder} is not used: it belongs to another user\n"
    assert warning in run(f"eval -m num_rel {DEMO} fixtures/demo/run-b.xml").err
