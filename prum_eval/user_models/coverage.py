"""User model of users who read only the results: R is the share of the target that a result contains."""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.locations import Locations
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.user_models.model import Model, ModelContext, ModelNeed, RankedTopic, Reading, UserModel, model_of_pairs

_FAR = 2**41  # characters; greater values of `beyond` change nothing


def _build(values: ParameterValues, _context: ModelContext) -> Model:
    beyond, whole = int(min(float(values["beyond"]), _FAR)), values["part"] == "whole"

    def probability(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> FloatArray:
        start, size = results.start[rows], results.length[rows]
        begin, length = targets.start[columns], targets.length[columns]
        end = start + size + beyond
        shared = np.maximum(np.minimum(end, begin + length) - np.maximum(start, begin), 0)
        inside = (start <= begin) & (begin < end)  # for targets without length
        share: FloatArray = np.divide(shared, length, out=inside.astype(np.float64), where=length > 0)
        if whole:
            share = np.floor(share)
        share[size <= 0] = 0.0
        return share

    return model_of_pairs(probability, located=True)


def _reading(values: ParameterValues, _context: ModelContext) -> Reading:
    beyond = float(values["beyond"])

    def characters(ranked: RankedTopic) -> FloatArray:
        """To the end of the document, where that is known."""
        left = np.maximum(ranked.characters_to_end - ranked.results.length, 0.0)
        return np.where(np.isnan(left), beyond, np.minimum(beyond, left))

    return characters


MODEL = UserModel(
    "coverage",
    "reading the result: the share of the target that it holds",
    "R = |x n [s, e + beyond)| / |x| within a document, for a result that goes from s to e; part=whole: 1 if it holds "
    "all of the target, else 0. A target without length counts as held if it lies inside; a result without length "
    "holds nothing but itself. However long a result is, what it holds is found: a long chunk with a short answer has "
    "R = 1, where hierarchical has the ratio of their lengths.",
    "our own",
    _build,
    (
        Parameter(
            "part", "share", "share: the share of the target's characters; whole: 1 for all of them", ("share", "whole")
        ),
        Parameter("beyond", 0, "characters after the end of a result that are read too", low=0.0, whole=True),
    ),
    frozenset({ModelNeed.POSITIONS}),
    reading=_reading,
)
