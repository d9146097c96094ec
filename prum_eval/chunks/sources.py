"""Texts by the names of their documents, wherever they are: paths as `--texts` takes them, or a mapping."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol, TypeAlias

from prum_eval.collection.texts.texts import Texts
from prum_eval.errors import UsageError
from prum_eval.formats.given import PathName

GivenTexts: TypeAlias = "PathName | Mapping[str, str]"
"""A directory, an archive or JSON Lines with `doc` and `text`; or texts by the names of their documents."""


class TextSource(Protocol):
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
def opened_texts(given: GivenTexts, documents: Iterable[str] | None = None) -> Iterator[TextSource]:
    """The texts of a source, while they are needed; of an archive those of some documents, if these are given.

    Raises:
        InputError: the source cannot be read.
        UsageError: a text is no text.
    """
    if not isinstance(given, Mapping):
        with Texts(str(given), documents) as texts:
            yield texts
        return
    for name, text in given.items():
        if not all(isinstance(one, str) for one in (name, text)):
            raise UsageError(f"texts: expected names and texts, found {name!r}: {reprlib.repr(text)}")
    yield _Mapped(given)
