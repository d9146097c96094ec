"""Archives in any state: an index, or one line."""

import io
import random
import tarfile
import zipfile

import pytest

from prum_eval.collection import index_build as archives
from prum_eval.collection.index_build import BuildOptions, build_index
from prum_eval.errors import DataError, InputError

DOCUMENTS = {f"{name}.xml": f"<x>{name * size}</x>" for name, size in (("a", 10), ("b", 700), ("é", 3))}


def tar_of(documents=DOCUMENTS, form=tarfile.PAX_FORMAT):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=form) as archive:
        for name, text in documents.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return made.getvalue()


def zip_of(method, documents=DOCUMENTS):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, text in documents.items():
            archive.writestr(name, text)
    return made.getvalue()


def summed(header):
    """A header of a tar archive with its checksum made right."""
    plain = bytes(header[:148]) + b" " * 8 + bytes(header[156:])
    return plain[:148] + b"%06o\0 " % sum(plain) + plain[156:]


@pytest.fixture
def problems_of(tmp_path):
    def problems_of(data, *, skip=False):
        source = tmp_path / "archive"
        source.write_bytes(data)
        found = []
        try:
            build_index(str(source), str(tmp_path / "index"), BuildOptions(skip_broken=skip), report=found.append)
        except InputError as error:
            found.append(error)
        except DataError as error:
            assert str(error).startswith("broken documents: ")  # noqa: PT017 - the message is known only here
        return [str(one).removeprefix(f"{source}") for one in found]

    return problems_of


FORMS = {
    "tar": tar_of(),
    "gnu": tar_of(form=tarfile.GNU_FORMAT),
    "stored": zip_of(zipfile.ZIP_STORED),
    "deflated": zip_of(zipfile.ZIP_DEFLATED),
    "bzip2": zip_of(zipfile.ZIP_BZIP2),
    "lzma": zip_of(zipfile.ZIP_LZMA),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_sound_archive(problems_of, form):
    assert problems_of(FORMS[form]) == []


@pytest.mark.parametrize("form", FORMS)
def test_an_archive_with_any_damage(problems_of, form):
    sound, draw = FORMS[form], random.Random(form)
    for _ in range(120):
        damaged = bytearray(sound)
        for _ in range(draw.choice((1, 1, 3))):
            damaged[draw.randrange(len(damaged))] = draw.choice((0, 0x30, 0x80, 0xFF, draw.randrange(256)))
        if draw.random() < 0.2:
            del damaged[draw.randrange(len(damaged)) :]
        problems_of(bytes(damaged) or b"PK\3\4", skip=draw.random() < 0.5)


def test_a_header_that_is_damaged_is_not_the_end_of_the_archive(problems_of):
    plain = {"a.xml": "<a/>", "b.xml": "<b/>"}
    damaged = bytearray(tar_of(plain))
    damaged[1024 + 3] ^= 1
    assert problems_of(bytes(damaged)) == [": the archive is damaged: bad checksum"]
    assert problems_of(tar_of(plain)[:1024]) == [": the archive is damaged: it ends without its end mark"]


def test_names_that_are_no_text(problems_of):
    data = tar_of({"é.xml": "<x/>"})
    assert problems_of(data.replace("path=é.xml".encode(), b"path=\xc3\xff.xml")) == [
        "/\\udcc3\\udcff.xml: the name is not UTF-8"
    ]
    zipped = zip_of(zipfile.ZIP_STORED, {"é.xml": "<x/>"}).replace("é.xml".encode(), b"\xc3\xff.xml")
    (problem,) = problems_of(zipped)
    assert problem.startswith(": the archive is damaged: 'utf-8' codec can't decode byte 0xc3 in position 0")


def test_a_sparse_member_that_asks_for_gigabytes(problems_of):
    header = bytearray(tar_of({"big.xml": ""}, tarfile.GNU_FORMAT)[:512])
    header[156:157] = b"S"  # sparse, without data
    header[483:495] = b"%011o\0" % (1 << 31)
    archive = summed(header) + bytes(1024)
    assert problems_of(archive, skip=True)[:1] == [
        "/big.xml: a member of 2147483648 bytes; unpack the archive, or leave it out"
    ]


@pytest.mark.parametrize("kind", [b"L", b"x", b"g"])
def test_a_header_that_asks_for_gigabytes(problems_of, kind):
    header = bytearray(tar_of({"a.xml": ""}, tarfile.GNU_FORMAT)[:512])
    header[156:157] = kind
    header[124:136] = b"%011o\0" % (1 << 32)
    assert problems_of(summed(header) + bytes(1024)) == [": the archive is damaged: a header of 4294967296 bytes"]


@pytest.mark.parametrize("form", FORMS)
def test_members_that_are_too_large(problems_of, monkeypatch, form):
    monkeypatch.setattr(archives, "MAX_MEMBER_BYTES", 600)
    assert problems_of(FORMS[form]) == ["/b.xml: a member of 707 bytes; unpack the archive, or leave it out"]


@pytest.mark.parametrize("form", ["stored", "deflated", "bzip2", "lzma"])
def test_members_that_hold_more_than_they_say(problems_of, form):
    data = bytearray(FORMS[form])
    at = data.index(b"PK\1\2", data.index(b"PK\1\2") + 1)  # of b.xml, in the directory
    assert data[at + 24 : at + 28] == (707).to_bytes(4, "little")
    data[at + 24 : at + 28] = (100).to_bytes(4, "little")
    assert problems_of(bytes(data)) == ["/b.xml: the archive is damaged: Bad CRC-32 for file 'b.xml'"]


def test_a_member_that_holds_less_than_it_says(problems_of):
    data = bytearray(FORMS["deflated"])
    at = data.index(b"PK\1\2", data.index(b"PK\1\2") + 1)
    data[at + 24 : at + 28] = (708).to_bytes(4, "little")
    assert problems_of(bytes(data)) == ["/b.xml: the archive is damaged: it is truncated"]
