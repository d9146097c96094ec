"""Opening inputs: compression recognised by content, standard input, failures that name the file."""

import bz2
import gzip
import importlib
import io
import lzma
import sys
import tracemalloc

import pytest

from prum_eval.errors import InputError
from prum_eval.formats.reading import read_assessments, read_configuration, read_navigation, read_run, read_structure
from prum_eval.formats.scores import read_scores
from prum_eval.text.streams import READ_BYTES, display_name, open_input, zstd_chunks
from tests.slow import slow

TEXT = b"1 Q0 a 1 0.5 r\n" * 3
LONG = bytes(range(256)) * (READ_BYTES // 64)  # several chunks
COMPRESS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


def zstd_module():
    try:
        return importlib.import_module("compression.zstd")
    except ImportError:
        return importlib.import_module("zstandard")


def content(path):
    with open_input(path) as stream:
        return stream.read()


@pytest.mark.parametrize("text", [TEXT, LONG, b"", b"x"], ids=["short", "long", "empty", "one byte"])
def test_plain_bytes_come_back(write, text):
    assert content(write(text)) == text


@pytest.mark.parametrize("method", COMPRESS)
@pytest.mark.parametrize("text", [TEXT, LONG, b""], ids=["short", "long", "empty"])
def test_compressed_bytes_come_back_whatever_the_name(write, method, text):
    assert content(write(COMPRESS[method](text), "run.txt")) == text


@pytest.mark.parametrize("method", COMPRESS)
def test_several_members_are_one_stream(write, method):
    compress = COMPRESS[method]
    assert content(write(compress(TEXT) + compress(LONG))) == TEXT + LONG


def test_zstd_bytes_come_back(write):
    module = zstd_module()
    assert content(write(module.compress(TEXT) + module.compress(LONG))) == TEXT + LONG


def test_truncated_zstd_is_named(write):
    path = write(zstd_module().compress(LONG)[:-4])
    with pytest.raises(InputError, match="the compressed data are truncated"):
        content(path)


def test_zstd_without_a_module_is_named(write, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    path = write(b"\x28\xb5\x2f\xfd and more")
    with pytest.raises(InputError) as error:
        content(path)
    assert str(error.value) == f"{path}: compressed with zstd, which needs the package zstandard (extra `zstd`)"


@pytest.mark.parametrize("method", COMPRESS)
@pytest.mark.parametrize("text", [TEXT, LONG], ids=["short", "long"])
def test_truncated_data_are_named(write, method, text):
    path = write(COMPRESS[method](text)[:-5])
    with pytest.raises(InputError) as error:
        content(path)
    assert str(error.value) == f"{path}: the compressed data are truncated"


@pytest.mark.parametrize("method", COMPRESS)
def test_corrupt_data_are_named(write, method):
    data = bytearray(COMPRESS[method](LONG))
    data[len(data) // 2] ^= 0xFF
    path = write(bytes(data))
    with pytest.raises(InputError, match=r"the compressed data are (corrupt|truncated)"):
        content(path)


def test_garbage_after_the_data_is_named(write):
    path = write(gzip.compress(TEXT) + b"garbage")
    with pytest.raises(InputError, match="the compressed data are corrupt: Not a gzipped file"):
        content(path)


def test_byte_order_mark_is_dropped_once(write):
    mark = b"\xef\xbb\xbf"
    assert content(write(mark + TEXT)) == TEXT
    assert content(write(gzip.compress(mark + TEXT))) == TEXT
    assert content(write(mark + mark)) == mark


def test_standard_input_is_read_and_left_open(monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO(gzip.compress(TEXT)))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert content("-") == TEXT
    assert not stdin.buffer.closed
    assert display_name("-") == "<stdin>"


def test_closed_standard_input_is_named(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="<stdin>: standard input is closed"):
        open_input("-")


def test_slow_pipes_are_read_whole(monkeypatch):
    class Slow(io.RawIOBase):
        data = gzip.compress(TEXT)

        def readable(self):
            return True

        def readinto(self, buffer):
            buffer[:1], self.data = self.data[:1], self.data[1:]
            return 1 if self.data else 0

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Slow())))
    with pytest.raises(InputError, match="truncated"):  # the last byte is lost above
        content("-")
    Slow.data = TEXT + b"\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Slow())))
    assert content("-") == TEXT


def test_what_cannot_be_opened_is_named(tmp_path):
    missing = str(tmp_path / "missing")
    with pytest.raises(InputError) as error:
        read_run(missing)
    assert str(error.value) == f"{missing}: cannot be read: No such file or directory"
    with pytest.raises(InputError) as error:
        read_run(str(tmp_path))
    assert str(error.value) == f"{tmp_path}: cannot be read: Is a directory"


def test_problems_of_opening_are_collected(tmp_path, write):
    problems = []
    read_run(str(tmp_path / "missing"), problems=problems.append)
    read_run(write(gzip.compress(TEXT)[:-5]), problems=problems.append)
    assert [problem.reason for problem in problems] == [
        "cannot be read: No such file or directory",
        "the compressed data are truncated",
    ]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("read", [read_run, read_structure, read_navigation, read_configuration, read_scores])
def test_wide_text_without_a_mark_is_named(write, encoding, read):
    for text in ("1 Q0 a 1 0.5 r\n", '{"topic": "1", "doc": "a", "start": 0, "end": 1}\n'):
        path = write(text.encode(encoding))
        with pytest.raises(InputError) as error:
            read(path)
        assert str(error.value) == f"{path}:1: the text is {encoding[:6].upper()}, expected UTF-8"


BLANKS = 64 << 20


@pytest.mark.parametrize("compress", [slow(gzip.compress), zstd_module().compress], ids=["gzip", "zstd"])
@pytest.mark.parametrize(
    ("read", "reason"),
    [
        (read_run, ":1: a blank line, expected a result"),
        (read_structure, ":1: a blank line, expected an element"),
        (read_navigation, ":1: a blank line, expected a step"),
        (read_assessments, ":1: a blank line, expected an assessment"),
        (read_configuration, ": more than 1048576 bytes, the limit for such a file"),
    ],
)
def test_blank_lines_without_end_take_no_memory(write, compress, read, reason):
    path = write(compress(b"\n" * BLANKS + b"x"))
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as error:
            read(path)
        assert str(error.value) == f"{path}{reason}"
        assert tracemalloc.get_traced_memory()[1] < BLANKS * 3 // 4
    finally:
        tracemalloc.stop()


def test_zstd_is_unpacked_piece_by_piece():
    packed = zstd_module().compress(b"\n" * (1 << 28))
    assert len(packed) < READ_BYTES
    assert max(map(len, zstd_chunks(io.BytesIO(packed), "f", READ_BYTES))) <= 1 << 24
