"""Best in context: an article is worth the nearness of its one result to its best entry point.

Source: inex_eval 3.1, task -b; Lalmas et al., INEX 2006 Evaluation Measures, section 7.
"""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.passages.generalised import measures_of_articles
from prum_eval.measures.passages.refusals import Demand
from prum_eval.measures.passages.retrieved import Retrieved
from prum_eval.parameters import Parameter


def entry_scores(found: Retrieved, n: float) -> FloatArray:
    """(n - d) / n for d <= n, else 0; d: characters between the best entry point and the start of the article's result.

    0 too in an article without a best entry point, and for a result that points to nothing.
    """
    first = np.unique(found.article, return_index=True)[1]
    bep = np.append(found.judged.bep, -1)[found.row]
    distance = abs(bep - found.start[first])
    scored = found.is_relevant & (bep >= 0) & found.known[first]
    return np.where(scored, (n - np.minimum(distance, n)) / n, 0.0)


MEASURES = measures_of_articles(
    "bic",
    "bic_",
    Parameter(
        "n", 500.0, "distance from the best entry point, in characters, at which the score is 0", low=0.0, open_low=True
    ),
    Demand.ONE_RESULT,
    entry_scores,
    "S is max(0, (n - d) / n), d the distance from the best entry point of a relevant article (best in context).",
)
