"""Texts by the names of their documents, wherever they are: paths as `--texts` takes them, or in memory."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from typing import Any, Protocol, TypeAlias

from prum_eval.chunks.shapes import document_and_text
from prum_eval.collection.texts.texts import Texts
from prum_eval.errors import UsageError
from prum_eval.formats.given import PathName

GivenTexts: TypeAlias = "PathName | Mapping[str, str] | Iterable[Any]"
"""A directory, an archive or JSON Lines with `doc` and `text`; texts by the names of their documents; or documents of
a framework."""


class NamedTexts(Protocol):
    """Where texts are read from."""

    name: str

    def documents(self) -> Mapping[str, str]:
        """What each document has to be asked for by, in their order."""

    def text(self, document: str) -> str | None:
        """The text of a document, None where there is none of that name.

        Raises:
            InputError: it cannot be read.
        """


class _Mapped:
    """Texts that are there already."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.name = "texts"
        self._texts = texts

    def documents(self) -> Mapping[str, str]:
        return {name: name for name in self._texts}

    def text(self, document: str) -> str | None:
        return self._texts.get(document)


@contextmanager
def opened_texts(
    given: GivenTexts, documents: Iterable[str] | None = None, *, document: str | None = None
) -> Iterator[NamedTexts]:
    """The texts of a source, while they are needed; of an archive those of some documents, if these are given.

    `document` is the key of documents of a framework that names them, if it is none of the usual.

    Raises:
        InputError: the source cannot be read.
        UsageError: a text is no text, or a document has none or no name, or the name of another.
    """
    if isinstance(given, str | PathLike):
        with Texts(str(given), documents) as texts:
            yield texts
        return
    if not isinstance(given, Mapping):
        given = _named(given, document)
    for name, text in given.items():
        if not all(isinstance(one, str) for one in (name, text)):
            raise UsageError(f"texts: expected names and texts, found {name!r}: {reprlib.repr(text)}")
    yield _Mapped(given)


def _named(given: Iterable[Any], document: str | None) -> dict[str, str]:
    """The texts of documents of a framework by their names."""
    if not isinstance(given, Iterable):
        raise UsageError(f"texts: expected a path, {{document: text}} or documents, found {reprlib.repr(given)}")
    found: dict[str, str] = {}
    for number, one in enumerate(given, 1):
        pair = document_and_text(one, document)
        if pair is None:
            raise UsageError(f"texts: expected documents with name and text, number {number} is {reprlib.repr(one)}")
        if pair[0] in found:
            raise UsageError(f"texts: document {pair[0]!r} is there twice; another key of its name is document=KEY")
        found[pair[0]] = pair[1]
    return found
