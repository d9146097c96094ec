"""The ordered registry of measures: print order, families, sets."""

from __future__ import annotations

import copyreg
from collections.abc import Mapping

from prum_eval.errors import UsageError
from prum_eval.measures.entries_classic import CLASSIC, COUNTS
from prum_eval.measures.entries_gain import BEPD, GRP
from prum_eval.measures.entries_navigation import NAVIGATION
from prum_eval.measures.entries_ng import NG, NG_RECALL
from prum_eval.measures.entries_passages import PASSAGES, in_articles
from prum_eval.measures.entries_xcg import XCG
from prum_eval.measures.measure import Measure
from prum_eval.parameters import nearest

_PASSAGES: Mapping[str, Measure] = {measure.name: measure for measure in PASSAGES}
_MEANS = ["gP", "gR", "magp", "iP", "maip", "bic_gP", "bic_gR", "bic_magp", "t2i_gP", "t2i_gR", "t2i_magp"]
_OTHERS = [name for name in _PASSAGES if name not in _MEANS]  # sets of articles and characters, sizes, curves

MEASURES: tuple[Measure, ...] = (
    *map(in_articles, COUNTS),
    *CLASSIC,
    *NAVIGATION,
    *GRP,
    *NG,
    *XCG,
    *(_PASSAGES[name] for name in _MEANS),
    *BEPD,
    *(_PASSAGES[name] for name in _OTHERS),
    *NG_RECALL,
)
"""All measures, in the order in which they print."""

BY_NAME: Mapping[str, Measure] = {measure.name: measure for measure in MEASURES}
FAMILIES: tuple[str, ...] = tuple(dict.fromkeys(measure.family for measure in MEASURES))
OFFICIAL = (
    *("num_q", "num_ret", "num_rel", "num_rel_ret"),
    *("map", "Rprec", "prum_map", "eprum_map", "eprum_prec_at_recall", "gen_recall"),
)
SETS: Mapping[str, tuple[str, ...]] = {"official": OFFICIAL, "all": tuple(BY_NAME)}


def names_of(name: str) -> tuple[str, ...]:
    """Measures that a name stands for: a measure, a family or a set.

    Raises:
        UsageError: it is none; the nearest known name is given.
    """
    if name in SETS:
        return SETS[name]
    family = tuple(measure.name for measure in MEASURES if measure.family == name)
    if family:  # before measures: xcg is both, and means the family
        return family
    if name in BY_NAME:
        return (name,)
    raise UsageError(f"no measure {name}{nearest(name, [*BY_NAME, *FAMILIES, *SETS])}")


def _registered(name: str) -> Measure:
    return BY_NAME[name]


# The functions of a measure cannot be sent to another process; the registry there has the same measure.
copyreg.pickle(Measure, lambda measure: (_registered, (measure.name,)))
