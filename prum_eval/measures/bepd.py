"""BEPD, the distance to best entry points: how near the results begin to where reading should begin.

Source: [INEX06] Lalmas et al., INEX 2006 Evaluation Measures, section 7.
"""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray, exact_sums_of_groups
from prum_eval.collection.locations import same_document_pairs
from prum_eval.errors import DataError
from prum_eval.measures.base import Measure, Need, Shape
from prum_eval.measures.topic_data import TopicBatch
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.user_models.bep_distance import distance_decay
from prum_eval.user_models.model import distance


def bepd(batch: TopicBatch, values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    """Sum over results x of s(x, b), over the number of best entry points b; one at least.

    s(x, b) = A L / (A L + d(x, b)) within the document of b, else 0; d is the distance in characters between the
    beginnings, L the mean length of a document in characters. Of several points in the document of a result the one of
    largest s counts. What is nowhere, or at an unknown place, scores 0.
    """
    length = values.get("L", batch.topics[0].judged.mean_length)
    if length is None:
        raise DataError("bepd needs the mean document length: give --structure or set L")
    results, points = batch.places
    rows, columns = same_document_pairs(results.document, points.document)
    known = results.located[rows] & points.located[columns]
    rows, columns = rows[known], columns[known]
    best = np.zeros(len(results))
    decay = distance_decay(distance(results, points, rows, columns), float(values["A"]), float(length))
    np.maximum.at(best, rows, decay)
    return np.asarray(exact_sums_of_groups(best, batch.bounds) / batch.target_counts)[:, None]


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
        per_batch=bepd,
        needs=frozenset({Need.ENTRY_POINTS}),
        parameters=(
            Parameter("A", 1.0, "how far from the point a start still helps, in documents", low=0.0, open_low=True),
            Parameter("L", None, "mean document length in characters", low=0.0, open_low=True),
        ),
        bounded=False,
    ),
)
