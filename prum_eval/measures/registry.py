"""The registry of measures: print order, families and sets, and the measures that other packages add.

A measure of one's own joins through the entry point group ``prum_eval.measures``: a `Measure` under its own name. What
stands behind a name is imported when it is asked for, as most calls want one family of many.
"""

from __future__ import annotations

import copyreg
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from importlib import import_module

from prum_eval.errors import UsageError
from prum_eval.measures.base import Measure, with_cutoffs
from prum_eval.parameters import nearest
from prum_eval.plugins import Plugins

_PRINTED = (
    ("counts", "counts", "num_q num_ret num_rel num_rel_ret"),
    ("classic", "classic", "map gm_map Rprec"),
    ("pool", "pool", "bpref"),
    ("classic", "classic", "recip_rank P recall iprec_at_recall ndcg ndcg_cut map_cut success recip_rank_cut"),
    ("sets", "sets", "set_P set_recall set_F"),
    ("pool", "pool", "judged judged_K num_nonrel_judged_ret"),
    ("chunks", "chunk_text", "char_rec_K char_prec_K char_f1_K char_iou"),
    ("chunks", "chunk_spans", "hit answered span_recall span_rr"),
    ("chunks", "chunk_budgets", "size redundancy char_rec_at_size tokens char_rec_at_tokens"),
    ("prum", "prum", "prum_map prum_prec_at_recall"),
    ("eprum", "eprum", "eprum_map eprum_prec_at_recall eprum_P"),
    ("gen_recall", "gen_recall", "gen_recall"),
    ("persistence", "persistence", "rbp u_measure err"),
    ("grp", "grp", "grp_map grp_prec_at_recall"),
    ("ng", "ng", "ng_s_map ng_s_prec_at_recall ng_o_map ng_o_prec_at_recall"),
    ("xcg", "xcg", "xcg nxcg manxcg ep_at_gr maep"),
    ("passage_measures", "ric", "gP gR magp"),
    ("passage_measures", "focused", "iP maip"),
    ("passage_measures", "bic", "bic_gP bic_gR bic_magp"),
    ("passage_measures", "t2i", "t2i_gP t2i_gR t2i_magp"),
    ("bepd", "bepd", "bepd"),
    ("passage_measures", "text_sets", "art_prec art_rec art_f1 char_prec char_rec char_f1"),
    ("passage_measures", "sizes", "ret_size rel_size rel_ret_size"),
    ("passage_measures", "ric", "gP_at_gR"),
    ("passage_measures", "bic", "bic_gP_at_gR"),
    ("passage_measures", "t2i", "t2i_gP_at_gR"),
    ("ng", "ng", "ng_s_recall ng_o_recall"),
)
"""Module, family and names, in the order in which measures print."""
_HOMES = {name: module for module, _, names in _PRINTED for name in names.split()}
PRINT_ORDER = {name: number for number, name in enumerate(_HOMES)}
"""The place of each measure that is built in; those of other packages follow, by name."""
_FAMILIES: dict[str, list[str]] = {}
for _, _family, _names in _PRINTED:
    _FAMILIES.setdefault(_family, []).extend(_names.split())
_SETS = {
    "official": "num_q,num_ret,num_rel,num_rel_ret,map,Rprec,prum_map,eprum_map,eprum_prec_at_recall,gen_recall",
    "all": "",
    "set": "num_q,num_ret,num_rel,num_rel_ret,set_P,set_recall,set_F",
    "all_trec": "num_q,num_ret,num_rel,num_rel_ret,map,gm_map,Rprec,bpref,recip_rank,iprec_at_recall,"
    "P.5,10,15,20,30,100,200,500,1000,recall.5,10,15,20,30,100,200,500,1000,ndcg,ndcg_cut,map_cut,success,"
    "set_P,set_recall,set_F,num_nonrel_judged_ret",
}
SETS = tuple(_SETS)
"""Names of many measures. The last two are trec_eval's, as far as we have its measures."""
LACKING: Mapping[str, str] = {
    "set": "set_map, set_relative_P, utility",
    "all_trec": "11pt_avg, G, Rndcg, Rprec_mult, binG, gm_bpref, infAP, ndcg_rel, relative_P, relstring, set_map, "
    "set_relative_P, utility",
}
"""What those sets of trec_eval have beside that."""
TOPIC_COUNT = "num_q"
"""What tells, beside a mean, over how many topics it is."""
_POINTED = re.compile(r"(?P<name>.+)_(?P<point>[0-9]+(?:\.[0-9]+)?)")

ADDED = Plugins("prum_eval.measures", "measure", Measure)
"""The measures of other packages."""


class _Measures(Mapping[str, Measure]):
    """Measures by name: those built in, in the order in which they print, then those of other packages."""

    def __getitem__(self, name: str) -> Measure:
        if name in _HOMES:
            entries: tuple[Measure, ...] = import_module(f"prum_eval.measures.{_HOMES[name]}").MEASURES
            return next(measure for measure in entries if measure.name == name)
        found = ADDED[name]
        if found.name != name or found.family in _FAMILIES:
            wrong = f"is called {found.name}" if found.name != name else f"is of the family {found.family}, built in"
            raise UsageError(f"measure {name} of another package {wrong}")
        return found

    def __contains__(self, name: object) -> bool:
        return name in _HOMES or name in ADDED  # without an import of the measure

    def __iter__(self) -> Iterator[str]:
        yield from _HOMES
        yield from sorted(name for name in ADDED if name not in _HOMES)

    def __len__(self) -> int:
        return sum(1 for _ in self)


BY_NAME: Mapping[str, Measure] = _Measures()


def all_measures() -> list[Measure]:
    """Every measure, in the order in which they print; what another package breaks is left out."""
    found = []
    for name in BY_NAME:
        try:
            found.append(BY_NAME[name])
        except UsageError:
            continue
    return found


def is_family(name: str) -> bool:
    """Whether it is a family of ours."""
    return name in _FAMILIES


def families() -> dict[str, list[str]]:
    """Names of measures by family, in the order in which they print; what another package breaks is left out."""
    found: dict[str, list[str]] = {}
    for measure in all_measures():
        found.setdefault(measure.family, []).append(measure.name)
    return found


def names_of(name: str) -> tuple[str, ...]:
    """Measures that a name stands for: a measure, a family or a set.

    Raises:
        UsageError: it is none; the nearest known name is given.
    """
    if name == "all":
        return tuple(measure.name for measure in all_measures())
    if name in SETS:
        return tuple(split_cutoffs(part)[0] for part in set_specs(name))
    if name in _FAMILIES:  # before measures: xcg is both, and means the family
        return tuple(_FAMILIES[name])
    if name in _HOMES:
        return (name,)
    known = families()
    if name in known or name in BY_NAME:
        return tuple(known.get(name, (name,)))
    others = [other for measure in all_measures() for other in measure.also]
    raise UsageError(f"no measure {name}{nearest(name, [*BY_NAME, *known, *SETS, *others])}")


def set_specs(name: str) -> list[str]:
    """The specifications that a set but ``all`` stands for."""
    return re.split(",(?=[A-Za-z])", _SETS[name])


def split_cutoffs(text: str) -> tuple[str, str | None]:
    """``NAME``, ``NAME.5,10`` or ``NAME_5`` as name and what follows it, None for nothing.

    With cut-offs or levels NAME is a measure, else it may be a family or a set, or unknown.
    """
    if text in SETS or text in _FAMILIES:
        return text, None
    found = _with_cutoffs(text, _HOMES)
    if found is None:
        found = _with_cutoffs(text, frozenset(ADDED))
    return found or (text.partition(".")[0], None)


def printed_by(names: Iterable[str]) -> dict[str, Measure]:
    """The measures that print these names, ours or as they were given; a name that none prints is absent."""
    heads = {name: name.partition(":")[0] for name in names}
    found = {name: pair[0] for name, head in heads.items() if (pair := _with_cutoffs(head, _HOMES))}
    if len(found) < len(heads):
        from prum_eval.measures.specs import our_heads  # most names are ours

        others = {name: head for name, head in heads.items() if name not in found}
        ours, known = our_heads(others.values()), frozenset(BY_NAME)
        found |= {name: pair[0] for name, head in others.items() if (pair := _with_cutoffs(ours[head], known))}
    return {name: BY_NAME[measure] for name, measure in found.items()}


def point_of(name: str, measure: Measure) -> float | None:
    """The cut-off, level or budget in a name that a measure prints; None where it has none.

    >>> point_of("P_5:quantisation=strict", BY_NAME["P"]), point_of("map", BY_NAME["map"])
    (5.0, None)
    """
    head = name.partition(":")[0]
    if measure.cutoffs and _POINTED.fullmatch(head) is None:
        from prum_eval.measures.specs import our_heads  # most names are ours

        head = our_heads([head])[head].replace(".", "_", 1)
    pointed = _POINTED.fullmatch(head) if measure.cutoffs else None
    return float(pointed["point"]) if pointed else None


def _with_cutoffs(text: str, known: Container[str]) -> tuple[str, str | None] | None:
    """One of the known measures in a text, and the cut-offs or levels after it; None where there is none."""
    if text in known:
        return text, None
    name, dot, listed = text.partition(".")
    pointed = _POINTED.fullmatch(text)
    found = with_cutoffs(name, known) if dot else None
    if found is None and pointed is not None:
        found, listed = with_cutoffs(pointed["name"], known), pointed["point"]
    return None if found is None else (found, listed)


def _registered(name: str) -> Measure:
    return BY_NAME[name]


# The functions of a measure cannot be sent to another process; the registry there has the same measure.
copyreg.pickle(Measure, lambda measure: (_registered, (measure.name,)))
