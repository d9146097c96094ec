"""A build that is interrupted, whenever, is continued to the same bytes."""

import gc
import io
import sys
from dataclasses import replace

import pytest

from prum_eval.collection import index_build, index_sources, index_writer
from prum_eval.collection.documents import ReadingOptions
from prum_eval.collection.index_build import BuildOptions, build_index
from prum_eval.errors import InputError

TRACED = {index_writer.__file__, index_build.__file__}
DOCUMENTS = 9
MOMENTS = 60
OPTIONS = BuildOptions(reading=ReadingOptions(links=("//@to",)))


class Interrupts:
    """Counts the lines that a build executes in the modules of the index, and interrupts it at one of them."""

    def __init__(self, line=None):
        self.lines = 0
        self._line = line

    def _trace(self, frame, event, _value):
        if frame.f_code.co_filename not in TRACED:
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self._line:
                raise KeyboardInterrupt
        return self._trace

    def __enter__(self):
        self._before = sys.gettrace()
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_):
        sys.settrace(self._before)


@pytest.fixture
def source(tmp_path, monkeypatch):
    """Documents that refer to each other, to ids and to nothing, of which each is a piece and committed."""
    monkeypatch.setattr(index_sources, "_GROUP_DOCUMENTS", 1)
    monkeypatch.setattr(index_writer, "_COMMIT_EVERY", 0)
    folder = tmp_path / "documents"
    folder.mkdir()
    for number in range(DOCUMENTS):
        after = f"d{(number + 1) % DOCUMENTS}.xml"
        anchors = "".join(f"<p id='i{anchor}'>text</p>" for anchor in range(20))
        text = f"<d>{anchors}<see to='{after}#i3'/><see to='{after}'/><see to='d99.xml'/></d>"
        (folder / f"d{number}.xml").write_text(text)
    return str(folder)


def build(source, target, *, resume=False):
    nowhere = []
    options = replace(OPTIONS, resume=resume)
    counts = build_index(source, str(target), options, report=print, nowhere=nowhere.append)
    return counts, [str(problem) for problem in nowhere]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # files not closed before the end
def test_interrupted_at_many_moments(source, tmp_path):
    with Interrupts() as whole:
        expected = build(source, tmp_path / "whole")
    assert (expected[0]["links"], expected[0]["nowhere"]) == (2 * DOCUMENTS, DOCUMENTS)
    content = (tmp_path / "whole").read_bytes()
    stopped = 0
    for moment in range(1, whole.lines + 1, max(1, whole.lines // MOMENTS)):
        target = tmp_path / f"index{moment}"
        with pytest.raises(KeyboardInterrupt), Interrupts(moment):
            build(source, target)
        if not target.exists():  # else it was interrupted after the end
            stopped += 1
            gc.collect()  # closes what the end of the process would
            counts, nowhere = build(source, target, resume=True)
            assert counts == expected[0], moment
            assert nowhere in ([], expected[1]), moment  # reported before, if only the file had to be moved
        assert target.read_bytes() == content, moment
        assert not list(tmp_path.glob(f"index{moment}.*")), moment
    assert stopped > MOMENTS / 2


def test_interrupted_again_while_it_stops(source, tmp_path):
    build(source, tmp_path / "whole")
    for moment in range(1, 40, 3):
        target = tmp_path / f"index{moment}"

        def stop(counts, _total, moment=moment):
            if counts["documents"] == 4:
                sys.settrace(Interrupts(moment)._trace)
                raise KeyboardInterrupt

        before = sys.gettrace()
        try:
            with pytest.raises(KeyboardInterrupt):
                build_index(source, str(target), OPTIONS, report=print, progress=stop)
        finally:
            sys.settrace(before)
        gc.collect()
        build(source, target, resume=True)
        assert target.read_bytes() == (tmp_path / "whole").read_bytes(), moment


def test_standard_input_that_ends_before_the_place_where_the_build_stopped(tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\t/x[1]\t0\t1\n")))
    with pytest.raises(KeyboardInterrupt):
        build_index("-", str(tmp_path / "index"), BuildOptions(), report=print, progress=stop)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\n")))
    with pytest.raises(InputError) as error:
        build_index("-", str(tmp_path / "index"), BuildOptions(resume=True), report=print)
    reason = "it ends before byte 12, which the unfinished index reached; build without --resume"
    assert str(error.value) == f"<stdin>: {reason}"
