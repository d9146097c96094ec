"""The texts of documents, for everything that shows or compares them: characters as an index counts them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from prum_eval.collection.documents.document import DocumentReader
from prum_eval.collection.documents.reading import Reading
from prum_eval.collection.index.containers import ENDINGS
from prum_eval.collection.texts.characters import characters, element_extent
from prum_eval.collection.texts.stores import Store, open_store
from prum_eval.errors import InputError
from prum_eval.text.document_names import document_of
from prum_eval.text.streams import display_name

_MARKED_UP = (".xml", ".html", ".htm")
PLAIN = ".txt"
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

    def __init__(self, source: str, documents: Iterable[str] | None = None, reading: Reading | None = None) -> None:
        self.name = display_name(source)
        self._reading = Reading() if reading is None else reading
        self._reader = DocumentReader(self._reading)
        wanted = None if documents is None else {file for one in documents for file in possible_files(one)}
        self._store: Store = open_store(source, wanted)
        self._last = ""
        self._body: bytes | None = None
        self._text: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    def __contains__(self, document: str) -> bool:
        """Whether the source has a file for that document, which need not be a good one."""
        return any(self._store.has(file) for file in possible_files(document))

    def documents(self) -> dict[str, str]:
        """The file of each document, by its name: that of the file without ``.xml``, ``.html``, ``.htm`` or ``.txt``.

        Where several files would have one name, only the first of `possible_files` has it, others that of the file.
        """
        files = list(self._store.files())
        if self._store.plain:
            return dict(zip(files, files, strict=True))
        known = set(files)
        found = {}
        for file in files:
            name = document_of(file.removesuffix(PLAIN))
            first = next(one for one in possible_files(name) if one in known)
            found[name if first == file else file] = file
        return found

    def text(self, document: str) -> str | None:
        """The text of a document, None where the source lacks it.

        Raises:
            InputError: it cannot be read.
        """
        self._get(document)
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
        self._get(document)
        if self._body is None:
            return None
        begin = element_extent(self._body, first, raw=self._reading.raw)
        end = begin if last is None else element_extent(self._body, last, raw=self._reading.raw)
        return None if begin is None or end is None else (begin[0], sum(end) - begin[0])

    def _get(self, document: str) -> None:
        """Have the text of that document at hand."""
        if self._last == document:
            return
        self._last, self._body, self._text = document, None, None
        for file in possible_files(document):
            data = self._store.read(file)
            if data is None:
                continue
            shown = f"{self.name.rstrip('/')}/{file}"
            if self._store.plain or not self._is_markup(file, data):
                self._text = _decoded(data, shown)
            else:
                self._body = self._reader.read(data, file, shown).body
                self._text = characters(self._body, raw=self._reading.raw)
            break

    def _is_markup(self, file: str, data: bytes) -> bool:
        if file.endswith(PLAIN):
            return False
        return file.endswith(ENDINGS) or data[:64].lstrip().startswith((b"<", b"\xef\xbb\xbf<"))


def possible_files(document: str) -> list[str]:
    """Files that may hold a document, the likeliest first.

    >>> possible_files("a")
    ['a', 'a.xml', 'a.html', 'a.htm', 'a.txt']
    """
    names = dict.fromkeys((document, document_of(document)))
    endings = ("", *_MARKED_UP, PLAIN)
    return list(dict.fromkeys(name + ending for name in names for ending in endings))


def _decoded(data: bytes, shown: str) -> str:
    try:
        return data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise InputError(shown, data.count(b"\n", 0, error.start) + 1, "the text is not UTF-8") from error
