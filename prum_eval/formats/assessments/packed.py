"""Assessments as a few long arrays and back: what a file can hold that runs no code when it is read.

A field of all records of one type is a column: numbers as they are, strings as codes of a vocabulary, arrays and tuples
end to end beside their lengths, records in tuples field by field. The types of the fields say which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from types import GenericAlias
from typing import Any, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from prum_eval import arrays
from prum_eval.arrays import FloatArray, IntArray, NarrowArray
from prum_eval.formats.assessments.columns import groups_of
from prum_eval.records.assessments import AssessmentKind, Assessments, ElementTopic, FlatTopic, FlatTopics, PassageTopic
from prum_eval.text.word_names import lines_of_names, names_of_lines

Columns = dict[str, NDArray[Any]]

_TOPICS = {AssessmentKind.FLAT: FlatTopic, AssessmentKind.PASSAGES: PassageTopic}  # of all other kinds: ElementTopic
_Type = Any  # of a field: str, int, IntArray, FloatArray, a record, or a tuple of one of these
_ARRAYS: Mapping[_Type, tuple[type, ...]] = {
    IntArray: (np.int64,),
    FloatArray: (np.float64,),
    NarrowArray: (np.int32, np.int64),
}
_NAMES: _Type = Sequence[str]  # of documents, by the million: kept as words
_END = "\n"


def packed_columns(assessments: Assessments) -> Columns:
    """The assessments as arrays, without the name of the whole.

    Raises:
        ValueError: a string that cannot be held: with a line feed, or no Unicode.
    """
    columns: Columns = {}
    _pack(columns, "kind", str, [assessments.kind.value])
    topics = assessments.topics
    if isinstance(topics, FlatTopics):  # columns already, and there may be a million topics
        _pack(columns, "", FlatTopics, [topics])
        return columns
    _pack(columns, "topic", str, list(topics))
    _pack(columns, "", _TOPICS.get(assessments.kind, ElementTopic), list(topics.values()))
    return columns


def unpacked_assessments(columns: Columns, name: str) -> Assessments:
    """The assessments that `packed_columns` took apart, as those of the input called `name`.

    Raises:
        ValueError, KeyError, IndexError, TypeError: the arrays are none that it made.
    """
    (kind,) = map(AssessmentKind, _unpacked(columns, "kind", str))
    if "topic/codes" not in columns:
        (whole,) = _unpacked(columns, "", FlatTopics)
        _check_columns(whole)
        return Assessments(name, kind, whole)
    topics = _unpacked(columns, "", _TOPICS.get(kind, ElementTopic))
    found = dict(zip(_unpacked(columns, "topic", str), topics, strict=True))
    return Assessments(name, kind, found, groups_of(found))


def _check_columns(topics: FlatTopics) -> None:
    """Refuse columns that do not fit together.

    Raises:
        ValueError: the arrays are none that were packed.
    """
    rows, bounds, codes = len(topics.document), topics.bounds, topics.document
    if not (len(topics.names) == len(topics.paths) == len(bounds) - 1 and rows == len(topics.grades)):
        raise ValueError(topics)
    if rows != len(topics.lines):
        raise ValueError(topics)
    if bounds[0] or bounds[-1] != rows or (np.diff(bounds) < 0).any():
        raise ValueError(topics)
    if rows and not 0 <= codes.min() <= codes.max() < len(topics.documents):
        raise ValueError(topics)


def _fields(kind: type) -> dict[str, Any]:
    """The fields of a kind of record, with their types."""
    return get_type_hints(kind, localns=vars(arrays))


def _pack(columns: Columns, name: str, kind: _Type, values: Sequence[Any]) -> None:
    """Add values of one type to the columns."""
    if kind in (int, bool):
        columns[name] = np.array(values, dtype=np.int64)
    elif kind is str:
        codes = {text: code for code, text in enumerate(dict.fromkeys(values))}
        columns[f"{name}/codes"] = np.array([codes[text] for text in values], dtype=np.int64)
        columns[f"{name}/words"] = np.frombuffer(lines_of_names(list(codes)), dtype=np.uint8)
    elif kind == _NAMES:
        (names,) = values  # of FlatTopics, which there is one of
        columns[f"{name}/words"] = np.frombuffer(lines_of_names(names), dtype=np.uint8)
    elif kind in _ARRAYS:
        columns[f"{name}/lengths"] = np.array(list(map(len, values)), dtype=np.int64)
        columns[name] = np.concatenate([np.zeros(0, dtype=_ARRAYS[kind][0]), *values])
    elif isinstance(kind, GenericAlias):
        columns[f"{name}/lengths"] = np.array(list(map(len, values)), dtype=np.int64)
        _pack(columns, name, get_args(kind)[0], [one for value in values for one in value])
    else:
        for field, own in _fields(kind).items():
            _pack(columns, f"{name}/{field}".lstrip("/"), own, [getattr(value, field) for value in values])


def _unpacked(columns: Columns, name: str, kind: _Type) -> Sequence[Any]:
    """The values of one type that were added under that name."""
    if kind in (int, bool):
        return tuple(map(kind, _array(columns, name, np.int64).tolist()))
    if kind is str:
        words = columns[f"{name}/words"].tobytes().decode().split(_END)[:-1]
        codes = _array(columns, f"{name}/codes", np.int64)
        if len(codes) and not 0 <= codes.min() <= codes.max() < len(words):
            raise ValueError(name)
        return tuple([words[code] for code in codes.tolist()])
    if kind == _NAMES:
        return [names_of_lines(columns[f"{name}/words"].tobytes())]
    if kind in _ARRAYS:
        return _cut(columns, name, _array(columns, name, *_ARRAYS[kind]))
    if isinstance(kind, GenericAlias):
        return _cut(columns, name, _unpacked(columns, name, get_args(kind)[0]))
    found = [_unpacked(columns, f"{name}/{field}".lstrip("/"), own) for field, own in _fields(kind).items()]
    return tuple(kind(*values) for values in zip(*found, strict=True))


def _cut(columns: Columns, name: str, whole: Sequence[Any] | NDArray[Any]) -> list[Any]:
    lengths = _array(columns, f"{name}/lengths", np.int64)
    ends = list(accumulate(lengths.tolist(), initial=0))
    if (lengths < 0).any() or ends[-1] != len(whole):
        raise ValueError(name)
    return [whole[low:high] for low, high in pairwise(ends)]


def _array(columns: Columns, name: str, *kinds: type) -> NDArray[Any]:
    array = columns[name]
    if array.dtype not in kinds or array.ndim != 1:
        raise ValueError(name)
    return array
