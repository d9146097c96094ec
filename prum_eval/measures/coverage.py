"""Overlap of the results of one list: which ones earlier results cover, and how much of each is new.

Two elements of one tree nest or are apart, so all follows from two ranks: the first result that is an element, and
the first result that strictly contains it. Ranks count from 0; `NO_RANK` means none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray, IntArray, concatenated_ranges
from prum_eval.collection.locations import Locations

NO_RANK = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Coverage:
    """For each result, shape (o,): the first result that strictly contains it, and whether an earlier one covers it.

    `is_covered`: an earlier result is the same element or contains it. `contains_other`: it contains another result.
    """

    first_container: IntArray
    is_covered: BoolArray
    contains_other: BoolArray


def contained_pairs(inner: Locations, outer: Locations) -> tuple[IntArray, IntArray]:
    """All pairs (row of inner, row of outer) where the one lies in the other or is the same element.

    In pre-order all that lies in an element comes in one stretch, so there are as many steps as pairs.
    """
    width = int(max(inner.end.max(initial=0), outer.end.max(initial=0))) + 1
    rows = np.flatnonzero(inner.element >= 0)
    key = inner.document[rows] * width + inner.element[rows]
    order = np.argsort(key, kind="stable")
    key, rows = key[order], rows[order]
    begin = outer.document * width
    low = np.searchsorted(key, begin + outer.element)
    count = np.where(outer.element >= 0, np.searchsorted(key, begin + outer.end) - low, 0)
    holders = np.repeat(np.arange(len(outer)), count)
    return rows[concatenated_ranges(low, count)], holders


def coverage(results: Locations) -> Coverage:
    """Coverage of the results that are elements of a tree.

    Sorted by document and element, what lies in an element follows it, and the same element by rank.
    """
    width, elements = int(results.end.max(initial=0)) + 1, np.flatnonzero(results.element >= 0)
    key = results.document[elements] * width + results.element[elements]
    order = np.argsort(key, kind="stable")
    key, rows = key[order], elements[order]
    end = results.document[rows] * width + results.end[rows]
    holders = np.flatnonzero(key[1:] < end[:-1])  # most elements are before one that lies outside
    count = np.searchsorted(key, end[holders]) - holders - 1
    inner, outer = rows[concatenated_ranges(holders + 1, count)], np.repeat(rows[holders], count)
    same = results.element[inner] == results.element[outer]
    rank = np.arange(len(results))
    above, first = np.full(len(results), NO_RANK), rank.copy()
    np.minimum.at(above, inner[~same], outer[~same])
    np.minimum.at(first, inner[same], outer[same])
    nested = np.zeros(len(results), dtype=np.bool_)
    nested[outer[~same]] = True
    return Coverage(above, (above < rank) | (first < rank), nested)


def count_overlapping(cover: Coverage) -> int:
    """Number of results that lie in another one, contain another one or repeat one."""
    return int(np.count_nonzero(cover.is_covered | cover.contains_other | (cover.first_container != NO_RANK)))


def new_lengths(length: IntArray, cover: Coverage) -> IntArray:
    """|U_i|, the characters of each result that no earlier result covers; shape (o,).

    A covered result has nothing new. Of any other, the union of the earlier results in it is missing. That union is
    made of results j that nothing before the result i covers, and those are the j whose first container is i: an
    earlier container of j would either cover i too or stand for j in the union.
    """
    new = np.where(cover.is_covered, 0, length)
    inner = np.flatnonzero(~cover.is_covered & (cover.first_container != NO_RANK))
    np.subtract.at(new, cover.first_container[inner], length[inner])
    return new
