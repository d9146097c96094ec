"""What the first K results cost to read, in characters or tokens, and what is found within such a budget."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.errors import RefusedError
from prum_eval.measures.base import Direction, Measure, Need, Shape
from prum_eval.measures.chunks.reading import ReadText, at_ranks, ratio, reading_of
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import Parameter, ParameterValues

_DRAWN = tuple(step * power for power in (100.0, 1000.0, 10_000.0) for step in (1, 1.5, 2, 3, 5, 7))
"""Budgets of a curve, evenly on a logarithmic axis."""
_CUT = Parameter(
    "cut",
    "inside",
    "inside: the result that crosses the budget is read up to it; whole: it is not read, and reading stops",
    ("inside", "whole"),
)


def _size(data: TopicData, _values: ParameterValues) -> FloatArray:
    return reading_of(data).gross.astype(np.float64)


def _redundancy(data: TopicData, _values: ParameterValues) -> FloatArray:
    reading = reading_of(data)
    return ratio(reading.gross - reading.union, reading.gross)


def _characters(data: TopicData) -> IntArray:
    return reading_of(data).size


def tokens_of(data: TopicData) -> IntArray:
    """Tokens that each result costs, 0 where it has no text.

    Raises:
        RefusedError: a result does not say how many it has, with its line.
    """
    ranking, size = data.ranking, reading_of(data).size
    tokens = np.zeros(len(size), dtype=np.int64) if ranking.tokens is None else ranking.tokens
    missing = np.flatnonzero((tokens <= 0) & ranking.exists)
    if len(missing):
        reason = "the result has no 'tokens', which measures of tokens need of every result; try --tokens-per-char"
        raise RefusedError(ranking.path, int(ranking.lines[missing].min()), reason)
    return np.where(size > 0, tokens, 0)


def _tokens(data: TopicData, _values: ParameterValues) -> FloatArray:
    return np.concatenate(([0.0], np.cumsum(tokens_of(data))))


def found_within(reading: ReadText, cost: IntArray, budget: int, *, inside: bool) -> IntArray:
    """|U n G| of the list cut after k results, of which is read what a budget allows: shape (n + 1,).

    Args:
        reading: the results.
        cost: what each costs, in characters or tokens.
        budget: how much may be spent; a result that fits exactly is read.
        inside: of the result that crosses the budget as large a share of its characters is read as can be paid.
    """
    spent = np.concatenate(([0], np.cumsum(cost)))
    crossing = int(np.searchsorted(spent, budget, side="right")) - 1  # the first result that does not fit, from 0
    found = reading.relevant[np.minimum(np.arange(len(spent)), crossing)]
    if inside and crossing < len(reading):
        read = int(reading.size[crossing]) * (budget - int(spent[crossing])) // int(cost[crossing])
        _, offset, length = (column[reading.new[0] == crossing] for column in reading.new)
        found[crossing + 1 :] += int(np.clip(read - offset, 0, length).sum())
    return found


def _recall_within(cost_of: Callable[[TopicData], IntArray]) -> Callable[..., FloatArray]:
    """Recall of the list cut after each number of results, within each budget: shape (n + 1, budgets)."""

    def curves(data: TopicData, values: ParameterValues, budgets: FloatArray) -> FloatArray:
        reading = reading_of(data)
        if not reading.total:
            return np.full((len(reading) + 1, len(budgets)), np.nan)
        cost, inside = cost_of(data), values["cut"] == "inside"
        found = [found_within(reading, cost, int(budget), inside=inside) for budget in budgets.tolist()]
        return np.array(found).T / reading.total

    return curves


_entry = partial(
    Measure,
    family="chunk_budgets",
    source="our own definition",
    needs=frozenset({Need.SPANS, Need.EXTENTS}),
    without_targets=True,
    needs_relevance=True,
)


def _cost(
    name: str, summary: str, explanation: str, curve: Callable[[TopicData, ParameterValues], FloatArray], *,
    bounded: bool = False,
) -> Measure:  # fmt: skip
    value, split = at_ranks(curve)
    label = summary.replace(" of the first K results", "")
    text = f"{explanation} A topic without highlighted text is left out, so that it averages the same topics as recall."
    return _entry(
        name=name, summary=summary, explanation=text, per_topic=value, split=split, shape=Shape.AT_RANKS,
        cutoffs=(1.0, 3.0, 5.0, 10.0), y_label=label, direction=Direction.LOWER, bounded=bounded,
    )  # fmt: skip


def _recall_at(
    name: str, unit: str, budget: str, explanation: str, cost_of: Callable[[TopicData], IntArray]
) -> Measure:
    curves = _recall_within(cost_of)

    def value(data: TopicData, values: ParameterValues, budgets: FloatArray) -> FloatArray:
        found: FloatArray = curves(data, values, budgets)[-1]
        return found

    def split(
        _measure: Measure, data: TopicData, values: ParameterValues, budgets: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        found = curves(data, values, budgets)
        return np.diff(found, axis=0), found[0]

    return _entry(
        name=name, summary=f"share of highlighted characters within the first N {unit} read",
        explanation=f"Results are read in rank order, each in full also where it repeats an earlier one, until "
        f"N {unit} are read; a result that fits exactly is read. {explanation} A topic without highlighted text is "
        "left out.",
        per_topic=value, split=split, shape=Shape.AT_BUDGETS, cutoffs=(500.0, 1000.0, 2000.0, 4000.0, 8000.0),
        drawn=_DRAWN,
        parameters=(_CUT,), budget=budget, x_label=f"{unit} read", y_label="recall, in characters",
    )  # fmt: skip


MEASURES = (
    _cost(
        "size",
        "characters of the first K results",
        "Characters that someone must read, each result in full, also where results overlap.",
        _size,
    ),
    _cost(
        "redundancy",
        "share of the characters of the first K results that are read twice",
        "1 - characters that the first K results hold together / characters of each of them; 0 for an empty list.",
        _redundancy,
        bounded=True,
    ),
    _recall_at(
        "char_rec_at_size",
        "characters",
        "size",
        "Of the result that crosses the budget the first characters are read (cut=whole: nothing).",
        _characters,
    ),
    _cost(
        "tokens",
        "tokens of the first K results",
        "As the run counts them (key tokens in JSON Lines), which it must for every result of the topic, or as "
        "--tokens-per-char says.",
        _tokens,
    ),
    _recall_at(
        "char_rec_at_tokens",
        "tokens",
        "tokens",
        "Of the result that crosses the budget, of n characters and t tokens, the first floor(n left / t) characters "
        "are read, left being the tokens left (cut=whole: nothing).",
        tokens_of,
    ),
)
