"""BEPD, the distance to best entry points: how near the results begin to where reading should begin.

Source: [INEX06] Lalmas et al., INEX 2006 Evaluation Measures, section 7.
"""

from __future__ import annotations

import math

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.collection.locations import Locations, same_document_pairs
from prum_eval.errors import DataError
from prum_eval.measures.base import Measure, Need, Shape
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.user_models.bep_distance import distance_decay
from prum_eval.user_models.model import distance


def bepd(results: Locations, points: Locations, scale: float, length: float) -> float:
    """Sum over results x of s(x, b), over the number of best entry points b; one at least.

    s(x, b) = A L / (A L + d(x, b)) within the document of b, else 0; d is the distance in characters between the
    beginnings. Of several points in the document of a result the one of largest s counts.

    Args:
        results: the results of a topic; what is nowhere, or at an unknown place, scores 0.
        points: its best entry points.
        scale: A.
        length: L, the mean length of a document in characters.
    """
    rows, columns = same_document_pairs(results.document, points.document)
    known = results.located[rows] & points.located[columns]
    rows, columns = rows[known], columns[known]
    best = np.zeros(len(results))
    np.maximum.at(best, rows, distance_decay(distance(results, points, rows, columns), scale, length))
    return math.fsum(best.tolist()) / len(points)


def _bepd(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
    length = values.get("L", data.judged.mean_length)
    if not length:
        raise DataError("bepd needs the mean document length: give --structure or set L")
    return bepd(data.ranking.locations, data.judged.targets.locations, float(values["A"]), float(length))


MEASURES = (
    Measure(
        "bepd",
        "bepd",
        "nearness of results to best entry points",
        "Sum over the results of s(x, b), over the number of best entry points. s(x, b) = A L / (A L + d) in the "
        "document of a point b, else 0; d is the distance of the beginnings in characters. Of several points in one "
        "document the nearest counts; several results in one document all count. The targets are the best entry "
        "points, whatever --targets says.",
        "Lalmas et al., INEX 2006 Evaluation Measures, section 7.2",
        Shape.SCALAR,
        _bepd,
        frozenset({Need.ENTRY_POINTS}),
        parameters=(
            Parameter("A", 1.0, "how far from the point a start still helps, in documents", low=0.0, open_low=True),
            Parameter("L", None, "mean document length in characters", low=0.0, open_low=True),
        ),
        bounded=False,
    ),
)
