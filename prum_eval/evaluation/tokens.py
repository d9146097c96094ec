"""Tokens of results whose run does not count them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from numbers import Integral
from typing import TypeAlias

import numpy as np

from prum_eval.errors import UsageError
from prum_eval.measures.topic_data import Ranking

TokenCount: TypeAlias = float | Callable[[str, int, int], int]
"""Tokens a character, or a function of a document's name and where a result starts and ends in it, in characters."""
_NOISE = 1e-9  # of a product that should be a whole number


def check_tokens(tokens: object) -> None:
    """Refuse what tells no number of tokens.

    Raises:
        UsageError: it is neither a number above 0 nor a function.
    """
    number = isinstance(tokens, int | float) and not isinstance(tokens, bool) and 0 < tokens < math.inf
    if not callable(tokens) and not number:
        raise UsageError(f"tokens={tokens}: tokens is a number above 0, of tokens a character, or a function")


def with_tokens(ranking: Ranking, tokens: TokenCount) -> Ranking:
    """The ranking with tokens where its run tells none: those of the function, or max(1, ceil(tokens * characters)).

    Results whose characters are not known get none.

    Raises:
        UsageError: the function returns no whole number above 0.
    """
    locations = ranking.locations
    found = np.zeros(len(ranking), dtype=np.int64) if ranking.tokens is None else ranking.tokens.copy()
    rows = np.flatnonzero((found <= 0) & locations.located & ranking.exists)
    if callable(tokens):
        names = ranking.document_names()
        start, end = locations.start[rows].tolist(), (locations.start + locations.length)[rows].tolist()
        places = zip([names[row] for row in rows.tolist()], start, end, strict=True)
        found[rows] = [_counted(tokens, *place) for place in places]
    else:
        found[rows] = np.maximum(1, np.ceil(tokens * locations.length[rows] - _NOISE))
    return replace(ranking, tokens=found)


def _counted(count: Callable[[str, int, int], int], document: str, start: int, end: int) -> int:
    found = count(document, start, end)
    if not isinstance(found, Integral) or isinstance(found, bool) or found < 1:
        what = f"tokens: the function returned {found!r} for document {document}, {start} to {end}"
        raise UsageError(f"{what}: expected a whole number above 0")
    return int(found)
