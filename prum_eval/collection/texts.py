"""The texts of documents, for everything that shows or compares them: characters as an index counts them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, Protocol, Self, cast

from prum_eval.collection.documents import DocumentReader, ReadingOptions, reading_options_from_meta
from prum_eval.collection.index_build import DOCUMENT_ENDINGS, files_below
from prum_eval.errors import InputError, raise_first
from prum_eval.formats.structure_index import read_index_info
from prum_eval.text.json_lines import BadValueError, JsonKeys, json_objects
from prum_eval.text.names import strip_document_suffix
from prum_eval.text.numbers import quote_value
from prum_eval.text.streams import SQLITE_MAGIC, STDIN, display_name, open_input

if TYPE_CHECKING:
    from io import BufferedReader

__path__: list[str] = []  # old modules were below this one: prum_eval.moved


# A document without its tags: the characters that an index counts, and where elements are in them.


_TAGS = re.compile(rb"<([^>]*)>")
_TAG_NAME = re.compile(rb"[^\s/>]+")
_REFERENCE = re.compile(r"&([^;]*);")
_BLANKS = re.compile(r"\s+")
_STEP_WITHOUT_POSITION = re.compile(r"(?<![\]/])(?=/|$)")
_PREDEFINED = {"lt": "<", "gt": ">", "amp": "&", "apos": "'", "quot": '"'}


def extract_characters(body: bytes, *, raw: bool) -> str:
    """The text of a document that `prum_eval.collection.documents` has serialised: tags and text alone.

    A run of white space is one blank, unless `raw`; an entity that is not known counts nothing.

    >>> extract_characters(b"<a>x &lt; y<b/>  <c> z&#33;&nbsp;</c></a>", raw=False)
    'x < y z!'
    """
    text = _TAGS.sub(b"", body).decode()
    if "&" in text:
        text = _REFERENCE.sub(_reference_text, text)
    return text if raw else _BLANKS.sub(" ", text)


def element_extent(body: bytes, path: str, *, raw: bool) -> tuple[int, int] | None:
    """Start and length of an element in the same characters; None if there is none of that path.

    >>> element_extent(b"<a>x <b> y</b> <b>zz</b></a>", "/a/b[2]", raw=False)
    (4, 2)
    """
    wanted = [step.encode() for step in _STEP_WITHOUT_POSITION.sub("[1]", path).split("/")[1:]]
    counts: list[dict[bytes, int]] = [{}]
    matching = 0  # steps of the path that the open elements are
    begin: int | None = None
    for tag in _TAGS.finditer(body):
        inside = tag[1]
        if not inside.startswith(b"/"):
            named = _TAG_NAME.match(inside)
            name = b"" if named is None else named[0]
            rank = counts[-1][name] = counts[-1].get(name, 0) + 1
            depth = len(counts)
            if matching == depth - 1 and depth <= len(wanted) and wanted[depth - 1] == b"%b[%d]" % (name, rank):
                matching = depth
                if depth == len(wanted):
                    begin = tag.end()
            counts.append({})
        if inside.startswith(b"/") or inside.endswith(b"/"):
            counts.pop()
            if begin is not None and len(counts) == len(wanted):
                start = len(extract_characters(body[:begin], raw=raw))
                return start, len(extract_characters(body[: tag.start()], raw=raw)) - start
            matching = min(matching, len(counts) - 1)
    return None


def _reference_text(reference: re.Match[str]) -> str:
    name = reference[1]
    if name.startswith("#"):
        return chr(int(f"0{name[1:]}", 16 if name[1:2] == "x" else 10))
    return _PREDEFINED.get(name, "")


# Where texts lie: files of a directory, members of an archive, lines of JSON.


_TAR_HEADER, _TAR_MARK = 512, 257
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_HIDDEN = re.compile(r"(?:^|/)\.")
_KINDS = "expected texts: a directory, a tar or zip archive, or JSON Lines with doc and text"


class FileStore(Protocol):
    """Files by name."""

    is_plain_text: bool  # whether all are text as they are, whatever they are called

    def has(self, file: str) -> bool:
        """Whether there is a file of that name."""

    def files(self) -> Iterator[str]:
        """The names of all files, but for hidden ones of a directory."""

    def read(self, file: str) -> bytes | None:
        """The bytes of a file, None where there is none of that name.

        Raises:
            InputError: they cannot be read.
        """

    def close(self) -> None:
        """Let go of what is open."""


def open_store(source: str, wanted: AbstractSet[str] | None) -> FileStore:
    """What a source holds under these names, or at all.

    Raises:
        InputError: the source cannot be read, or is nothing of the kind.
    """
    if source != STDIN and Path(source).is_dir():
        return _DirectoryStore(source)
    name = display_name(source)
    with open_input(source) as stream:
        head = cast("BufferedReader", stream).peek(_TAR_HEADER)
        if head.startswith(_ZIP):
            if source == STDIN:
                raise InputError(name, None, "a zip archive cannot be read from standard input; give its path")
            return _SpooledStore(_zip_files(source, wanted), name)
        if head[_TAR_MARK:].startswith(b"ustar"):
            return _SpooledStore(_tar_files(name, stream, wanted), name)
        if not head.lstrip().startswith(b"{"):
            raise InputError(name, None, _KINDS)
        return _SpooledStore(_json_texts(name, stream, wanted), name, plain=True)


class _DirectoryStore:
    """Files below a directory; symbolic links are not followed, as an index does not."""

    is_plain_text = False

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def has(self, file: str) -> bool:
        return self._find(file) is not None

    def files(self) -> Iterator[str]:
        return (entry.name for entry in files_below(str(self._path), lambda name: not _HIDDEN.search(name)))

    def read(self, file: str) -> bytes | None:
        path = self._find(file)
        try:
            return None if path is None else path.read_bytes()
        except OSError as error:
            raise InputError(str(path), None, f"cannot be read: {error.strerror}") from error

    def _find(self, file: str) -> Path | None:
        """A file that is there, by no way but down."""
        parts = file.split("/")
        if "\0" in file or any(part in {"", ".", ".."} for part in parts):
            return None
        paths = [self._path.joinpath(*parts[:depth]) for depth in range(1, len(parts) + 1)]
        try:
            return paths[-1] if paths[-1].is_file() and not any(path.is_symlink() for path in paths) else None
        except OSError:  # a name that is too long for the file system
            return None

    def close(self) -> None:
        pass


class _SpooledStore:
    """Files that were read in one go and stand in a temporary file, so that memory stays bounded."""

    def __init__(self, files: Iterable[tuple[str, bytes | InputError]], name: str, *, plain: bool = False) -> None:
        self.is_plain_text = plain
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the store
        self._places: dict[str, tuple[int, int] | InputError] = {}
        at = 0
        try:
            for file, content in files:
                if file in self._places:
                    content = InputError(name, None, f"document {quote_value(file)} is there twice")  # noqa: PLW2901
                if isinstance(content, InputError):
                    self._places[file] = content
                else:
                    self._places[file] = at, self._file.write(content)
                    at += len(content)
        except BaseException:
            self._file.close()
            raise

    def has(self, file: str) -> bool:
        return file in self._places

    def files(self) -> Iterator[str]:
        return iter(self._places)

    def read(self, file: str) -> bytes | None:
        place = self._places.get(file)
        if place is None:
            return None
        if isinstance(place, InputError):
            raise place
        self._file.seek(place[0])
        return self._file.read(place[1])

    def close(self) -> None:
        self._file.close()


def _tar_files(
    name: str, stream: BinaryIO, wanted: AbstractSet[str] | None
) -> Iterator[tuple[str, bytes | InputError]]:
    from prum_eval.collection.index_build import tar_members  # and the modules of archives

    members = tar_members(name, stream, lambda file: wanted is None or file.removeprefix("./") in wanted)
    return ((file.removeprefix("./"), content) for file, _, content in members)


def _zip_files(path: str, wanted: AbstractSet[str] | None) -> Iterator[tuple[str, bytes | InputError]]:
    from prum_eval.collection.index_build import zip_members

    members = zip_members(path, lambda file: wanted is None or file.removeprefix("./") in wanted)
    return ((file.removeprefix("./"), content) for file, _, content in members)


def _json_texts(
    name: str, stream: BinaryIO, wanted: AbstractSet[str] | None
) -> Iterator[tuple[str, bytes | InputError]]:
    lines: dict[str, int] = {}
    for one in json_objects(stream, name, raise_first, JsonKeys({"doc": (), "text": ()}), "an object"):
        try:
            document, text = one.name("doc").decode(), one.text("text")
        except BadValueError as error:
            raise InputError(name, one.line, str(error)) from None
        if document in lines:
            reason = f"document {quote_value(document)} is there twice (first on line {lines[document]})"
            raise InputError(name, one.line, reason)
        lines[document] = one.line
        if wanted is None or document in wanted:
            yield document, text


_MARKUP_SUFFIXES = (".xml", ".html", ".htm")
PLAIN_TEXT_SUFFIX = ".txt"
"""The ending of files that are text as they are."""


class Texts:
    """The texts of the documents of a source, each read when it is asked for; only the last one is kept.

    Texts of XML and HTML are those of `prum_eval.collection.index`, so that its offsets hold: white space once unless
    `reading.raw`. Files that are neither, and JSON Lines, are text as they are.

    Args:
        source: a directory, a tar or zip archive, or JSON Lines with `doc` and `text` (compressed or not).
        documents: those that may be asked for; None for any. An archive is read once, for these alone.
        reading: how documents are read, as an index has it.

    Raises:
        InputError: the source cannot be read, or is nothing of the kind.
    """

    def __init__(
        self, source: str, documents: Iterable[str] | None = None, reading: ReadingOptions | None = None
    ) -> None:
        self.name = display_name(source)
        self._reading = ReadingOptions() if reading is None else reading
        self._reader = DocumentReader(self._reading)
        wanted = None if documents is None else {file for one in documents for file in candidate_files(one)}
        self._store: FileStore = open_store(source, wanted)
        self._last = ""
        self._body: bytes | None = None
        self._text: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    def __contains__(self, document: str) -> bool:
        """Whether the source has a file for that document, which need not be a good one."""
        return any(self._store.has(file) for file in candidate_files(document))

    def documents(self) -> dict[str, str]:
        """The file of each document, by its name: that of the file without ``.xml``, ``.html``, ``.htm`` or ``.txt``.

        Where several files would have one name, only the first of `candidate_files` has it, others that of the file.
        """
        files = list(self._store.files())
        if self._store.is_plain_text:
            return dict(zip(files, files, strict=True))
        known = set(files)
        found = {}
        for file in files:
            name = strip_document_suffix(file.removesuffix(PLAIN_TEXT_SUFFIX))
            first = next(one for one in candidate_files(name) if one in known)
            found[name if first == file else file] = file
        return found

    def text(self, document: str) -> str | None:
        """The text of a document, None where the source lacks it.

        Raises:
            InputError: it cannot be read.
        """
        self._load_text(document)
        return self._text

    def extent(self, document: str, start: int, length: int) -> str | None:
        """Some characters of a document, fewer where it ends before; None where the source lacks it."""
        text = self.text(document)
        return None if text is None else text[start : start + length]

    def element(self, document: str, first: str, last: str | None = None) -> tuple[int, int] | None:
        """Start and length of an element by its path, or from one to the end of another; None where there is none.

        Raises:
            InputError: the document cannot be read.
        """
        self._load_text(document)
        if self._body is None:
            return None
        begin = element_extent(self._body, first, raw=self._reading.raw)
        end = begin if last is None else element_extent(self._body, last, raw=self._reading.raw)
        return None if begin is None or end is None else (begin[0], sum(end) - begin[0])

    def _load_text(self, document: str) -> None:
        """Have the text of that document at hand."""
        if self._last == document:
            return
        self._last, self._body, self._text = document, None, None
        for file in candidate_files(document):
            data = self._store.read(file)
            if data is None:
                continue
            shown = f"{self.name.rstrip('/')}/{file}"
            if self._store.is_plain_text or not self._is_markup(file, data):
                self._text = _decode_text(data, shown)
            else:
                self._body = self._reader.read(data, file, shown).body
                self._text = extract_characters(self._body, raw=self._reading.raw)
            break

    def _is_markup(self, file: str, data: bytes) -> bool:
        if file.endswith(PLAIN_TEXT_SUFFIX):
            return False
        return file.endswith(DOCUMENT_ENDINGS) or data[:64].lstrip().startswith((b"<", b"\xef\xbb\xbf<"))


def candidate_files(document: str) -> list[str]:
    """Files that may hold a document, the likeliest first.

    >>> candidate_files("a")
    ['a', 'a.xml', 'a.html', 'a.htm', 'a.txt']
    """
    names = dict.fromkeys((document, strip_document_suffix(document)))
    endings = ("", *_MARKUP_SUFFIXES, PLAIN_TEXT_SUFFIX)
    return list(dict.fromkeys(name + ending for name in names for ending in endings))


def _decode_text(data: bytes, shown: str) -> str:
    try:
        return data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise InputError(shown, data.count(b"\n", 0, error.start) + 1, "the text is not UTF-8") from error


# How the documents of an index were read, so that texts are counted in the same way.


def reading_options_of_index(path: str | None) -> ReadingOptions:
    """The options of an index; the usual ones where that is no index of documents.

    Raises:
        InputError: the index cannot be read.
    """
    if path is None or not _is_index(path):
        return ReadingOptions()
    return reading_options_from_meta(read_index_info(path).meta)


def _is_index(path: str) -> bool:
    try:
        with Path(path).open("rb") as file:
            return file.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC
    except (OSError, ValueError):
        return False
