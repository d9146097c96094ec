"""User models that are plain functions, which answer for one rank at a time: the simplest form from outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.collection.locations import Locations, own_entries
from prum_eval.collection.trees import DocumentTree
from prum_eval.errors import DataError
from prum_eval.user_models.model import Model, RankedTopic, Reach, UserModel, make_reach

RowModel = Callable[[Locations, int, Locations, Sequence[DocumentTree | None], str], FloatArray]
"""(results, rank from 1, targets, trees, topic) -> R[rank, .] of shape (targets,)."""


def model_of_function(found: object, name: str, where: str) -> UserModel | None:
    """The user model of a function of the shape `RowModel`, explained by its docstring; None if it is no function."""
    if not callable(found):
        return None
    rows = cast("RowModel", found)
    summary = (found.__doc__ or where).strip().splitlines()[0]
    return UserModel(name, summary, summary, where, lambda _values, _context: _by_rows(name, rows), memoryless=False)


def _by_rows(name: str, rows: RowModel) -> Model:
    """Lift a model that answers a rank at a time to one that answers for the whole list.

    Raises (when called):
        DataError: a row has another shape, or a value outside [0, 1].
    """

    def model(ranked: RankedTopic) -> Reach:
        t = len(ranked.targets)
        matrix = np.zeros((len(ranked.results), t))
        for k in range(len(ranked.results)):
            found = rows(ranked.results, k + 1, ranked.targets, ranked.trees, ranked.topic)
            try:
                row = np.asarray(found, dtype=np.float64)
            except (TypeError, ValueError):  # not even numbers
                row = np.full(t, np.nan)
            if row.shape != (t,) or not ((row >= 0) & (row <= 1)).all():
                raise DataError(
                    f"user model {name}: rank {k + 1} of topic {ranked.topic} is no row of {t} probabilities"
                )
            matrix[k] = row
        own = np.zeros(matrix.shape, dtype=np.bool_)
        own[own_entries(ranked.results, ranked.targets)] = True
        rank, target = np.nonzero((matrix > 0) | own)
        return make_reach(*matrix.shape, rank, target, matrix[rank, target], own[rank, target])

    return model
