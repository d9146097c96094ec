"""Texts of documents: from a directory, an archive or JSON Lines, with characters counted as in an index.

The text of an XML or HTML document is that of its serialised body without tags, with every run of white space as one
blank unless `raw`. All other files and JSON Lines are plain text, used as they are.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, Self

from prum_eval.collection.documents import DocumentReader, ReadingOptions, reading_options_from_meta
from prum_eval.collection.index_build import DOCUMENT_ENDINGS, archive_kind, archive_members, files_below
from prum_eval.errors import InputError, raise_first
from prum_eval.formats.structure_index import read_index, read_index_info
from prum_eval.text.json_lines import BadValueError, JsonKeys, json_objects
from prum_eval.text.names import strip_document_suffix
from prum_eval.text.numbers import quote_value
from prum_eval.text.streams import SQLITE_MAGIC, STDIN, display_name, is_folder, open_input

__path__: list[str] = []  # old modules were below this one: prum_eval.moved

_TAGS = re.compile(rb"<([^>]*)>")
_TAG_NAME = re.compile(rb"[^\s/>]+")
_REFERENCE = re.compile(r"&([^;]*);")
_BLANKS = re.compile(r"\s+")
_STEP_WITHOUT_POSITION = re.compile(r"(?<![\]/])(?=/|$)")
_PREDEFINED = {"lt": "<", "gt": ">", "amp": "&", "apos": "'", "quot": '"'}
_HIDDEN = re.compile(r"(?:^|/)\.")
_MARKUP_SUFFIXES = (".xml", ".html", ".htm")
_PLAIN_TEXT_SUFFIX = ".txt"


# Serialised documents


def extract_characters(body: bytes, *, raw: bool) -> str:
    """Text of a document serialised by `prum_eval.collection.documents`.

    A run of white space is one blank, unless `raw`; unknown entities are dropped.

    >>> extract_characters(b"<a>x &lt; y<b/>  <c> z&#33;&nbsp;</c></a>", raw=False)
    'x < y z!'
    """
    text = _TAGS.sub(b"", body).decode()
    if "&" in text:
        text = _REFERENCE.sub(_reference_text, text)
    return text if raw else _BLANKS.sub(" ", text)


def element_extent(body: bytes, path: str, *, raw: bool) -> tuple[int, int] | None:
    """Start and length of an element in `extract_characters`; None if no element has the path.

    >>> element_extent(b"<a>x <b> y</b> <b>zz</b></a>", "/a/b[2]", raw=False)
    (4, 2)
    """
    steps = [step.encode() for step in _STEP_WITHOUT_POSITION.sub("[1]", path).split("/")[1:]]
    counts: list[dict[bytes, int]] = [{}]
    matching = 0  # number of steps that the open elements match
    begin: int | None = None
    for tag in _TAGS.finditer(body):
        inside = tag[1]
        if not inside.startswith(b"/"):
            name_match = _TAG_NAME.match(inside)
            name = b"" if name_match is None else name_match[0]
            rank = counts[-1][name] = counts[-1].get(name, 0) + 1
            depth = len(counts)
            if matching == depth - 1 and depth <= len(steps) and steps[depth - 1] == b"%b[%d]" % (name, rank):
                matching = depth
                if depth == len(steps):
                    begin = tag.end()
            counts.append({})
        if inside.startswith(b"/") or inside.endswith(b"/"):
            counts.pop()
            if begin is not None and len(counts) == len(steps):
                start = len(extract_characters(body[:begin], raw=raw))
                return start, len(extract_characters(body[: tag.start()], raw=raw)) - start
            matching = min(matching, len(counts) - 1)
    return None


def _reference_text(reference: re.Match[str]) -> str:
    name = reference[1]
    if name.startswith("#"):
        return chr(int(f"0{name[1:]}", 16 if name[1:2] == "x" else 10))
    return _PREDEFINED.get(name, "")


# Files by name


def open_store(source: str, names: AbstractSet[str] | None) -> _DirectoryStore | _SpooledStore:
    """Files of a source with some names, or all.

    Raises:
        InputError: the source cannot be read, or is of another kind.
    """
    if source != STDIN and is_folder(source):
        return _DirectoryStore(source)
    name = display_name(source)
    with open_input(source) as stream:
        archive, head = archive_kind(source, stream)
        if archive:
            members = archive_members(
                source, stream, archive, lambda file: names is None or file.removeprefix("./") in names
            )
            return _SpooledStore(((file.removeprefix("./"), content) for file, _, content in members), name)
        if not head.lstrip().startswith(b"{"):
            kinds = "a directory, a tar or zip archive, JSON Lines with doc and text, or an index of documents"
            raise InputError(name, None, f"expected texts: {kinds}")
        return _SpooledStore(_json_texts(name, stream, names), name, plain=True)


class _DirectoryStore:
    """Files below a directory, without symbolic links, as in an index."""

    is_plain_text = False

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def has(self, file: str) -> bool:
        """Whether a file exists."""
        return self._find(file) is not None

    def files(self) -> Iterator[str]:
        """Names of all files that are not hidden."""
        return (entry.name for entry in files_below(str(self._path), lambda name: not _HIDDEN.search(name)))

    def read(self, file: str) -> bytes | None:
        """Bytes of a file; None if it does not exist.

        Raises:
            InputError: they cannot be read.
        """
        path = self._find(file)
        try:
            return None if path is None else path.read_bytes()
        except OSError as error:
            raise InputError(str(path), None, f"cannot be read: {error.strerror}") from error

    def _find(self, file: str) -> Path | None:
        """Path of an existing file below the directory."""
        parts = file.split("/")
        if "\0" in file or any(part in {"", ".", ".."} for part in parts):
            return None
        paths = [self._path.joinpath(*parts[:depth]) for depth in range(1, len(parts) + 1)]
        try:
            return paths[-1] if paths[-1].is_file() and not any(path.is_symlink() for path in paths) else None
        except OSError:  # the name is too long for the file system
            return None

    def close(self) -> None:
        """Nothing is open."""


class _SpooledStore:
    """Files read once and stored in a temporary file, which bounds memory."""

    def __init__(self, files: Iterable[tuple[str, bytes | InputError]], name: str, *, plain: bool = False) -> None:
        self.is_plain_text = plain
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the store
        self._extents: dict[str, tuple[int, int] | InputError] = {}
        offset = 0
        try:
            for file, content in files:
                if file in self._extents:
                    content = InputError(name, None, f"document {quote_value(file)} appears twice")  # noqa: PLW2901
                if isinstance(content, InputError):
                    self._extents[file] = content
                else:
                    self._extents[file] = offset, self._file.write(content)
                    offset += len(content)
        except BaseException:
            self._file.close()
            raise

    def has(self, file: str) -> bool:
        """Whether a file exists."""
        return file in self._extents

    def files(self) -> Iterator[str]:
        """Names of all files."""
        return iter(self._extents)

    def read(self, file: str) -> bytes | None:
        """Bytes of a file; None if it does not exist.

        Raises:
            InputError: they cannot be read.
        """
        extent = self._extents.get(file)
        if extent is None:
            return None
        if isinstance(extent, InputError):
            raise extent
        self._file.seek(extent[0])
        return self._file.read(extent[1])

    def close(self) -> None:
        """Remove the temporary file."""
        self._file.close()


def _json_texts(
    name: str, stream: BinaryIO, names: AbstractSet[str] | None
) -> Iterator[tuple[str, bytes | InputError]]:
    lines: dict[str, int] = {}
    for item in json_objects(stream, name, raise_first, JsonKeys({"doc": (), "text": ()}), "an object"):
        try:
            document, text = item.name("doc").decode(), item.text("text")
        except BadValueError as error:
            raise InputError(name, item.line, str(error)) from None
        if document in lines:
            reason = f"document {quote_value(document)} appears twice (first on line {lines[document]})"
            raise InputError(name, item.line, reason)
        lines[document] = item.line
        if names is None or document in names:
            yield document, text


# Texts by document


class Texts:
    """Texts of the documents of a source, read on demand; only the last one is cached.

    Args:
        source: a directory, a tar or zip archive, or JSON Lines with `doc` and `text` (compressed or not); or an index
            of documents, whose documents are read as it did.
        documents: those that may be requested; None for any. An archive is read once, for these only.
        reading: options of the reading of documents, as in an index.

    Raises:
        InputError: the source cannot be read, or is of another kind.
    """

    def __init__(
        self, source: str, documents: Iterable[str] | None = None, reading: ReadingOptions | None = None
    ) -> None:
        indexed = _indexed_source(source)
        self._indexed = frozenset() if indexed is None else indexed.documents
        if indexed is not None:
            source, reading = indexed.source, indexed.reading
        self.name = display_name(source)
        self._reading = ReadingOptions() if reading is None else reading
        self._reader = DocumentReader(self._reading)
        names = None if documents is None else {file for document in documents for file in candidate_files(document)}
        self._store = open_store(source, names)
        self._last = ""
        self._body: bytes | None = None
        self._text: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    def __contains__(self, document: str) -> bool:
        """Whether the source has a file for a document, readable or not."""
        return any(self._store.has(file) for file in candidate_files(document))

    def documents(self) -> dict[str, str]:
        """File of each document by name, which is the file name without ``.xml``, ``.html``, ``.htm`` or ``.txt``.

        If several files would share a name, the first of `candidate_files` has it; the others keep their file name.
        """
        files = list(self._store.files())
        if self._store.is_plain_text:
            return dict(zip(files, files, strict=True))
        file_set = set(files)
        documents = {}
        for file in files:
            name = strip_document_suffix(file.removesuffix(_PLAIN_TEXT_SUFFIX))
            first = next(candidate for candidate in candidate_files(name) if candidate in file_set)
            documents[name if first == file else file] = file
        return {name: file for name, file in documents.items() if name in self._indexed} if self._indexed else documents

    def is_text(self, file: str) -> bool:
        """Whether a file is text: by its ending, or UTF-8 without NUL; a picture is none.

        Raises:
            InputError: it cannot be read.
        """
        if self._store.is_plain_text or file.endswith((*DOCUMENT_ENDINGS, _PLAIN_TEXT_SUFFIX)):
            return True
        data = self._store.read(file) or b""
        if b"\0" in data:
            return False
        try:
            data.decode()
        except UnicodeDecodeError:
            return False
        return True

    def text(self, document: str) -> str | None:
        """Text of a document; None if the source lacks it.

        Raises:
            InputError: it cannot be read.
        """
        self._load_text(document)
        return self._text

    def extent(self, document: str, start: int, length: int) -> str | None:
        """Characters of a document, fewer at its end; None if the source lacks it."""
        text = self.text(document)
        return None if text is None else text[start : start + length]

    def element(self, document: str, first: str, last: str | None = None) -> tuple[int, int] | None:
        """Start and length of an element, or from one to the end of another; None if there is none.

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
        """Load the text of a document unless it is the last one."""
        if self._last == document:
            return
        self._last, self._body, self._text = document, None, None
        for file in candidate_files(document):
            data = self._store.read(file)
            if data is None:
                continue
            shown = f"{self.name.rstrip('/')}/{file}"
            if self._store.is_plain_text or not _is_markup(file, data):
                try:
                    self._text = data.decode().removeprefix("\ufeff")
                except UnicodeDecodeError as error:
                    line = data.count(b"\n", 0, error.start) + 1
                    raise InputError(shown, line, "the text is not UTF-8") from error
            else:
                self._body = self._reader.read(data, file, shown).body
                self._text = extract_characters(self._body, raw=self._reading.raw)
            break


class _IndexedSource(NamedTuple):
    """The documents of an index: where they are, how they were read, their names."""

    source: str
    reading: ReadingOptions
    documents: frozenset[str]


def _indexed_source(path: str) -> _IndexedSource | None:
    """The source of an index; None if the file is none.

    Raises:
        InputError: the index cannot be read, was not made of documents, or these are gone.
    """
    if path == STDIN or not _is_index(path):
        return None
    meta = read_index_info(path).meta
    if not str(meta.get("kind")).endswith("of documents"):
        raise InputError(path, None, f"an index of {meta.get('kind')} has no texts: give the documents")
    source = Path(str(meta["source"]))
    # Not a pipe, which an index from elsewhere may name.
    places = [place for place in (source, Path(path).parent / source) if place.is_file() or place.is_dir()]
    if not places:
        raise InputError(path, None, f"its documents, {quote_value(str(source))}, are not there: give them instead")
    names = frozenset(read_index(path, frozenset()).names)
    return _IndexedSource(str(places[0]), reading_options_from_meta(meta), names)


def _is_index(path: str) -> bool:
    try:
        with Path(path).open("rb") as file:
            return file.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC
    except (OSError, ValueError):
        return False


def _is_markup(file: str, data: bytes) -> bool:
    is_likely = file.endswith(DOCUMENT_ENDINGS) or data[:64].lstrip().startswith((b"<", b"\xef\xbb\xbf<"))
    return is_likely and not file.endswith(_PLAIN_TEXT_SUFFIX)


def candidate_files(document: str) -> list[str]:
    """Files that may contain a document, the likeliest first.

    >>> candidate_files("a")
    ['a', 'a.xml', 'a.html', 'a.htm', 'a.txt']
    """
    names = dict.fromkeys((document, strip_document_suffix(document)))
    endings = ("", *_MARKUP_SUFFIXES, _PLAIN_TEXT_SUFFIX)
    return list(dict.fromkeys(name + ending for name in names for ending in endings))


def reading_options_of_index(path: str | None) -> ReadingOptions:
    """Options with which an index counts characters; the defaults if the file is not an index.

    Raises:
        InputError: the index cannot be read.
    """
    if path is None:
        return ReadingOptions()
    return reading_options_from_meta(read_index_info(path).meta) if _is_index(path) else ReadingOptions()
