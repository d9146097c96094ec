"""How the documents of an index were read, so that texts are counted in the same way."""

from __future__ import annotations

from pathlib import Path

from prum_eval.collection.documents.reading import Reading, reading_of_meta
from prum_eval.formats.structures.index import read_info
from prum_eval.text.streams import SQLITE


def reading_of_index(path: str | None) -> Reading:
    """The options of an index; the usual ones where that is no index of documents.

    Raises:
        InputError: the index cannot be read.
    """
    if path is None or not _is_index(path):
        return Reading()
    return reading_of_meta(read_info(path).meta)


def _is_index(path: str) -> bool:
    try:
        with Path(path).open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except (OSError, ValueError):
        return False
