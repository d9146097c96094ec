"""How runs name documents: as assessments and structures do, ``a``, or by their files, ``a.xml`` or ``a.html``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import compress
from typing import TypeVar

import numpy as np

from prum_eval.text.names import NameTable
from prum_eval.text.word_names import TextNames, words_of

_T = TypeVar("_T")

FILE_ENDINGS = (".xml", ".html", ".htm")
"""What a document's file may have after its name."""


def document_of(file: str) -> str:
    """Name of the document of a file; what is no name of a file stays as it is.

    >>> document_of("1995/a1.xml"), document_of("1995/a1"), document_of("faq/index.html")
    ('1995/a1', '1995/a1', 'faq/index')
    """
    for ending in FILE_ENDINGS:
        if file.endswith(ending):
            return file[: -len(ending)]
    return file


def possible_documents(names: Iterable[str]) -> set[str]:
    """All documents that names in runs may mean: those of just that name, and those whose files they name."""
    named = set(names)
    return named.union(map(document_of, named))


def codes_among(names: Sequence[str], documents: AbstractSet[str]) -> dict[str, int]:
    """The places of those names of a run that mean one of the documents, by itself or by its file.

    >>> codes_among(["b", "a.xml", "c", "a"], {"a", "c"})
    {'a.xml': 1, 'c': 2, 'a': 3}
    """
    if isinstance(names, TextNames) and not names.hold(FILE_ENDINGS):
        table = NameTable()
        table.add(words_of(documents, len(names.words)))
        found = np.flatnonzero(table.find(names.words) >= 0)
        named = zip(names.some(found), found.tolist(), strict=True)
        return {name: code for name, code in named if name in documents}  # what is no Unicode has words of others
    coded = zip(names, range(len(names)), strict=True)
    joined = "\n".join(names)
    if not any(ending in joined for ending in FILE_ENDINGS):
        return dict(compress(coded, map(documents.__contains__, names)))
    return {
        name: code
        for name, code in coded
        if name in documents or (name.endswith(FILE_ENDINGS) and document_of(name) in documents)
    }


def find_document(known: Mapping[str, _T], name: str) -> _T | None:
    """What is known under a document's name, else under the name of the document whose file it is; None if nothing.

    >>> find_document({"a": 1}, "a"), find_document({"a": 1}, "a.xml"), find_document({"a.xml": 2, "a": 1}, "a.xml")
    (1, 1, 2)
    """
    found = known.get(name)
    return known.get(document_of(name)) if found is None else found
