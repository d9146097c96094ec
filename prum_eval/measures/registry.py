"""The ordered registry of measures: print order, families, sets.

It knows the names; what stands behind a name is imported when it is asked for, as most calls want one family of many.
"""

from __future__ import annotations

import copyreg
from collections.abc import Iterator, Mapping
from importlib import import_module

from prum_eval.errors import UsageError
from prum_eval.measures.base import Measure
from prum_eval.parameters import nearest

MEASURES: tuple[Measure, ...]
"""All measures, in the order in which they print."""

_PRINTED = (
    ("counts", "entries_counts", "num_q num_ret num_rel num_rel_ret"),
    ("classic", "entries_classic", "map Rprec recip_rank P recall iprec_at_recall ndcg ndcg_cut"),
    ("prum", "entries_navigation", "prum_map prum_prec_at_recall"),
    ("eprum", "entries_navigation", "eprum_map eprum_prec_at_recall eprum_P"),
    ("gen_recall", "entries_navigation", "gen_recall"),
    ("grp", "entries_gain", "grp_map grp_prec_at_recall"),
    ("ng", "entries_ng", "ng_s_map ng_s_prec_at_recall ng_o_map ng_o_prec_at_recall"),
    ("xcg", "entries_xcg", "xcg nxcg manxcg ep_at_gr maep"),
    ("ric", "passages.entries_in_context", "gP gR magp"),
    ("focused", "passages.entries_prefix", "iP maip"),
    ("bic", "passages.entries_in_context", "bic_gP bic_gR bic_magp"),
    ("t2i", "passages.entries_in_context", "t2i_gP t2i_gR t2i_magp"),
    ("bepd", "entries_gain", "bepd"),
    ("text_sets", "passages.entries_prefix", "art_prec art_rec art_f1 char_prec char_rec char_f1"),
    ("sizes", "passages.entries_prefix", "ret_size rel_size rel_ret_size"),
    ("ric", "passages.entries_in_context", "gP_at_gR"),
    ("bic", "passages.entries_in_context", "bic_gP_at_gR"),
    ("t2i", "passages.entries_in_context", "t2i_gP_at_gR"),
    ("ng", "entries_ng", "ng_s_recall ng_o_recall"),
)
"""Family, module with the entries, names: in the order in which measures print."""


class _Measures(Mapping[str, Measure]):
    """Measures by name."""

    def __init__(self) -> None:
        self._modules = {name: module for _, module, names in _PRINTED for name in names.split()}

    def __getitem__(self, name: str) -> Measure:
        entries: tuple[Measure, ...] = import_module(f"prum_eval.measures.{self._modules[name]}").MEASURES
        return next(measure for measure in entries if measure.name == name)

    def __contains__(self, name: object) -> bool:
        return name in self._modules  # without an import

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


BY_NAME: Mapping[str, Measure] = _Measures()
FAMILIES: tuple[str, ...] = tuple(dict.fromkeys(family for family, _, _ in _PRINTED))
OFFICIAL = (
    *("num_q", "num_ret", "num_rel", "num_rel_ret"),
    *("map", "Rprec", "prum_map", "eprum_map", "eprum_prec_at_recall", "gen_recall"),
)
SETS: Mapping[str, tuple[str, ...]] = {"official": OFFICIAL, "all": tuple(BY_NAME)}


def __getattr__(name: str) -> tuple[Measure, ...]:
    if name == "MEASURES":
        return tuple(BY_NAME.values())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def names_of(name: str) -> tuple[str, ...]:
    """Measures that a name stands for: a measure, a family or a set.

    Raises:
        UsageError: it is none; the nearest known name is given.
    """
    if name in SETS:
        return SETS[name]
    if name in FAMILIES:  # before measures: xcg is both, and means the family
        return tuple(one for family, _, names in _PRINTED if family == name for one in names.split())
    if name in BY_NAME:
        return (name,)
    raise UsageError(f"no measure {name}{nearest(name, [*BY_NAME, *FAMILIES, *SETS])}")


def _registered(name: str) -> Measure:
    return BY_NAME[name]


# The functions of a measure cannot be sent to another process; the registry there has the same measure.
copyreg.pickle(Measure, lambda measure: (_registered, (measure.name,)))
