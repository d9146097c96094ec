"""The documents that chunks name: by themselves, by a file, or by a path that ends so."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath


class DocumentNames:
    r"""Finds documents of a source by what chunks say.

    >>> names = DocumentNames({"tickets": "tickets.txt", "faq/index": "faq/index.html"})
    >>> names.find("tickets"), names.find("/home/me/docs/tickets.txt"), names.find(r"C:\docs\faq\index.pdf")
    ('tickets', 'tickets', 'faq/index')
    """

    def __init__(self, documents: Mapping[str, str]) -> None:
        self._known = {**{file: name for name, file in documents.items()}, **{name: name for name in documents}}

    def find(self, said: str) -> str | None:
        """The document that a name or path means: the longest end of it that is known, else without the file's suffix.

        None where there is none.
        """
        if said in self._known:
            return self._known[said]
        path = PurePosixPath(said.replace("\\", "/"))
        ways = (path, path.with_suffix("")) if path.name else ()
        ends = ("/".join(way.parts[number:]) for way in ways for number in range(len(way.parts)))
        return next((self._known[end] for end in ends if end in self._known), None)
