"""What all passage measures share: sources, needs, and how counts are summed.

What the official tasks of INEX 2007-2010 ask for, with the parameters that differ from the defaults here:

* thorough (-t): ret_size rel_size rel_ret_size art_* char_* iP maip, with ``overlap=novel``; num_* ``counts=articles``
* focused (-f): the same with ``overlap=reject``
* relevant in context (-r): gP gR magp gP_at_gR; num_* and sizes ``counts=ranks``
* best in context (-b): the bic_ forms; num_* and sizes ``counts=cutoffs``
* relevant in context of 2010 (-i): the t2i_ forms; num_* and sizes ``counts=ranks``
"""

from __future__ import annotations

from prum_eval.measures.base import Need
from prum_eval.parameters import ParameterValues

INEX_EVAL = "inex_eval 3.1 (INEX 2007-2010)"
INEX06 = "Lalmas et al., INEX 2006 Evaluation Measures, section 6"
NEEDS = frozenset({Need.PASSAGES, Need.EXTENTS})

COUNTED = "articles: distinct articles; ranks: as in context, sums over all judged topics; points: as best in context"


def over_all(values: ParameterValues) -> bool:
    """Whether a count sums over all judged topics: the official in-context tasks do."""
    return values["counts"] in ("ranks", "points")
