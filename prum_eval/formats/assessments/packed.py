"""Records as a few long arrays and back: what a file can hold that runs no code when it is read.

A field of one record becomes a column of all: numbers as they are, strings as codes of a vocabulary, arrays and tuples
end to end with their lengths. Which field is what, its annotation says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import accumulate, pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from prum_eval.records.assessments import (
    AssessmentKind,
    Assessments,
    ElementTopic,
    EntryPoint,
    FlatTopic,
    Highlight,
    PassageTopic,
)

Columns = dict[str, NDArray[Any]]
R = TypeVar("R")

_TOPICS: Mapping[AssessmentKind, type[FlatTopic | PassageTopic | ElementTopic]] = {
    AssessmentKind.FLAT: FlatTopic,
    AssessmentKind.PASSAGES: PassageTopic,
    AssessmentKind.ELEMENTS_2002: ElementTopic,
    AssessmentKind.ELEMENTS_2003: ElementTopic,
    AssessmentKind.ELEMENTS_2005: ElementTopic,
}
_ARRAYS = {"IntArray": np.dtype(np.int64), "FloatArray": np.dtype(np.float64)}
_MEMBERS = {"tuple[EntryPoint, ...]": EntryPoint, "tuple[Highlight, ...]": Highlight}
_END = "\n"


def pack(assessments: Assessments) -> Columns:
    """The judgements as arrays, without the name of the whole.

    Raises:
        ValueError: a string that cannot be held: with a line feed, or no Unicode.
    """
    columns: Columns = {}
    _pack_strings(columns, "kind", [assessments.kind.value])
    _pack_strings(columns, "topic", assessments.topics)
    _pack_records(columns, "", _TOPICS[assessments.kind], list(assessments.topics.values()))
    return columns


def unpack(columns: Mapping[str, NDArray[Any]], name: str) -> Assessments:
    """The judgements that `pack` took apart, as those of the input called `name`.

    Raises:
        ValueError, KeyError, IndexError, TypeError: the arrays are none that `pack` made.
    """
    (kind,) = map(AssessmentKind, _strings(columns, "kind"))
    topics = _strings(columns, "topic")
    records = _records(columns, "", _TOPICS[kind], len(topics))
    return Assessments(name, kind, dict(zip(topics, records, strict=True)))


def _pack_records(columns: Columns, prefix: str, record: type[Any], records: Sequence[Any]) -> None:
    for field in fields(record):
        name, values = prefix + field.name, [getattr(one, field.name) for one in records]
        if field.type == "str":
            _pack_strings(columns, name, values)
        elif field.type == "int":
            columns[name] = np.array(values, dtype=np.int64)
        else:
            columns[f"{name}/lengths"] = np.array([len(value) for value in values], dtype=np.int64)
            if field.type == "tuple[str, ...]":
                _pack_strings(columns, name, [text for value in values for text in value])
            elif field.type in _MEMBERS:
                _pack_records(columns, f"{name}/", _MEMBERS[field.type], [one for value in values for one in value])
            else:
                columns[name] = np.concatenate([np.zeros(0, dtype=_ARRAYS[str(field.type)]), *values])


def _records(columns: Mapping[str, NDArray[Any]], prefix: str, record: type[R], count: int) -> list[R]:
    found = []
    for field in fields(record):  # type: ignore[arg-type]
        name = prefix + field.name
        if field.type == "str":
            values: Sequence[Any] = _strings(columns, name)
        elif field.type == "int":
            values = _array(columns, name, "IntArray").tolist()
        else:
            lengths = _array(columns, f"{name}/lengths", "IntArray")
            if (lengths < 0).any():
                raise ValueError(name)
            if field.type == "tuple[str, ...]":
                whole: Any = tuple(_strings(columns, name))
            elif field.type in _MEMBERS:
                whole = tuple(_records(columns, f"{name}/", _MEMBERS[field.type], int(lengths.sum())))
            else:
                whole = _array(columns, name, str(field.type))
            ends = list(accumulate(lengths.tolist(), initial=0))
            if ends[-1] != len(whole):
                raise ValueError(name)
            values = [whole[low:high] for low, high in pairwise(ends)]
        if len(values) != count:
            raise ValueError(name)
        found.append(values)
    return [record(*values) for values in zip(*found, strict=True)]


def _array(columns: Mapping[str, NDArray[Any]], name: str, kind: str) -> NDArray[Any]:
    array = columns[name]
    if array.dtype != _ARRAYS[kind] or array.ndim != 1:
        raise ValueError(name)
    return array


def _pack_strings(columns: Columns, name: str, texts: Iterable[str]) -> None:
    vocabulary: dict[str, int] = {}
    codes = [vocabulary.setdefault(text, len(vocabulary)) for text in texts]
    if any(_END in text for text in vocabulary):
        raise ValueError(name)
    columns[f"{name}/codes"] = np.array(codes, dtype=np.int64)
    joined = "".join(text + _END for text in vocabulary).encode()
    columns[f"{name}/words"] = np.frombuffer(joined, dtype=np.uint8)


def _strings(columns: Mapping[str, NDArray[Any]], name: str) -> list[str]:
    words = columns[f"{name}/words"].tobytes().decode().split(_END)[:-1]
    codes = _array(columns, f"{name}/codes", "IntArray")
    if len(codes) and not 0 <= codes.min() <= codes.max() < len(words):
        raise ValueError(name)
    return [words[code] for code in codes.tolist()]
