"""Every target for a moment, and on all inputs that it once failed on; `make fuzz` runs them for longer."""

from pathlib import Path

import pytest

from tests.fuzz import command_lines
from tests.fuzz.mutation import EDITS, mutated
from tests.fuzz.run import fuzzed
from tests.fuzz.targets import TARGETS, seeds_of

FOUND = sorted((Path(__file__).parent / "found").glob("*.*"))


@pytest.mark.parametrize("name", TARGETS)
def test_a_moment(name):
    assert fuzzed(name, 0.01, 1, at_once=20) > 0


@pytest.mark.parametrize("name", TARGETS)
def test_there_is_something_to_begin_with(name):
    assert len(list(seeds_of(name))) > 1


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.name)
def test_what_once_failed(path):
    TARGETS[path.name.partition(".")[0]].read(path.read_bytes())


def test_a_failure_is_reported():
    broken = []
    TARGETS["broken"] = TARGETS["streams"].__class__(lambda data: 1 // (len(data) < 5), lambda: [b"abcdefgh"], [b"x"])
    try:
        with pytest.raises(ZeroDivisionError):
            fuzzed("broken", 1, 1, broken.append, 20)
    finally:
        del TARGETS["broken"]
    assert all(len(data) >= 5 for data in broken)
    assert broken


@pytest.mark.parametrize("kind", range(len(EDITS)))
def test_every_edit_takes_any_place(kind):
    for data in (b"", b"a", b"1 Q0 a 1 0.5 r\n<a b='c'>"):
        for place in (0.0, 0.5, 1.0):
            assert isinstance(mutated(data, [(kind, place, place, b"")]), bytes)


@pytest.mark.parametrize("call", command_lines.CALLS)
def test_a_call_is_right_without_more_options(call):
    assert command_lines.call_status(call.split(), command_lines.small_inputs()) == 0


@pytest.mark.parametrize("content", [b"", None])
def test_an_input_that_a_call_changes_is_noticed(monkeypatch, content):
    def change(_arguments):
        Path("qrels").unlink()
        if content is not None:
            Path("qrels").write_bytes(content)
        return 0

    monkeypatch.setattr(command_lines, "run", change)
    with pytest.raises(AssertionError, match=r"^qrels is (changed|gone)"):
        command_lines.read_call(b"eval\nqrels\nrun")
