"""BEPD, the distance to best entry points: how near the results begin to where reading should begin.

Source: [INEX06] Lalmas et al., INEX 2006 Evaluation Measures, section 7.
"""

from __future__ import annotations

import numpy as np

from prum_eval.collection.locations import Locations, same_document_pairs
from prum_eval.numerics.levels import total
from prum_eval.user_models.pairs import distance


def bepd(results: Locations, points: Locations, scale: float) -> float:
    """Sum over results x of s(x, b), over the number of best entry points b; one at least.

    s(x, b) = A L / (A L + d(x, b)) within the document of b, else 0; d is the distance in characters between the
    beginnings. Of several points in the document of a result the one of largest s counts.

    Args:
        results: the results of a topic; what is nowhere, or at an unknown place, scores 0.
        points: its best entry points.
        scale: A L.
    """
    rows, columns = same_document_pairs(results.document, points.document)
    known = results.located[rows] & points.located[columns]
    rows, columns = rows[known], columns[known]
    nearness = scale / (scale + distance(results, points, rows, columns))
    best = np.zeros(len(results))
    np.maximum.at(best, rows, nearness)
    return total(best.tolist()) / len(points)
