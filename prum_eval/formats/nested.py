"""Nested dictionaries, ``{topic: {document: number}}``, as columns: all at once, where there is nothing odd in them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.text.lines import Vocabulary

CONTROL = re.compile(r"[\x00-\x20\x7f]")
"""What no name holds."""
_NUMBERS = {int, float, np.float64, np.float32, np.int64, np.int32}


class RowPlaces(NamedTuple):
    """Topic and document of each row: codes, beside the names; and its number, from 1."""

    topics: Vocabulary
    topic: IntArray
    documents: Collection[bytes]
    document: IntArray
    line: IntArray


def nested_columns(nested: Mapping[Any, Any]) -> tuple[RowPlaces, FloatArray] | None:
    """The columns of a nested dictionary, a row a number; None where something is odd, or where there is none."""
    if not all(isinstance(documents, dict) for documents in nested.values()):
        return None
    filled = {topic: documents for topic, documents in nested.items() if documents}
    topics, parts = list(filled), list(filled.values())
    documents, numbers = list(chain.from_iterable(parts)), [*chain.from_iterable(map(dict.values, parts))]
    if not (numbers and _plain(topics) and _plain(documents) and set(map(type, numbers)) <= _NUMBERS):
        return None
    try:
        number = np.array(numbers, dtype=np.float64)
    except OverflowError:
        return None
    if not np.isfinite(number).all():
        return None
    code = dict.fromkeys(documents)
    code = dict(zip(code, range(len(code)), strict=True))
    vocabulary = Vocabulary()
    topic = np.repeat(vocabulary.codes(_encoded(topics)), [len(part) for part in parts])
    document = np.fromiter(map(code.__getitem__, documents), dtype=np.int64, count=len(documents))
    places = RowPlaces(vocabulary, topic, _encoded(code), document, np.arange(1, len(topic) + 1))
    return places, number


def _encoded(names: Iterable[str]) -> list[bytes]:
    """The names, none of which holds a blank, as bytes."""
    return " ".join(names).encode().split(b" ")


def _plain(names: Sequence[Any]) -> bool:
    """Whether all names are such as a file can hold."""
    if set(map(type, names)) != {str} or not all(names):
        return False
    joined = "".join(names)
    if joined.isascii():
        return joined.isprintable() and " " not in joined
    try:
        joined.encode()
    except UnicodeEncodeError:
        return False
    return CONTROL.search(joined) is None
