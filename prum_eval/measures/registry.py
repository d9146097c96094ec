"""The registry of measures: print order, families and sets, and the measures that other packages add.

Another package adds a measure through the entry-point group ``prum_eval.measures``: a `Measure` under its own name. A
measure is imported when it is looked up, as most calls need one family of many.
"""

from __future__ import annotations

import copyreg
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import fields
from importlib import import_module
from typing import Any

from prum_eval.errors import UsageError
from prum_eval.measures.base import Measure, cutoff_measure_name
from prum_eval.parameters import did_you_mean, partition_settings
from prum_eval.plugins import Plugins

_PRINT_TABLE = (
    ("counts", "counts", "num_q num_ret num_rel num_rel_ret num_targets num_targets_ret"),
    ("classic", "classic", "map gm_map Rprec"),
    ("pool", "pool", "bpref"),
    ("classic", "classic", "recip_rank iprec_at_recall P"),
    ("trec", "trec_eval", "relstring"),
    ("classic", "classic", "recall"),
    ("pool", "pool", "infAP gm_bpref"),
    ("classic", "classic", "Rprec_mult"),
    ("sets", "sets", "utility"),
    ("classic", "classic", "11pt_avg"),
    ("trec", "trec_eval", "binG G"),
    ("classic", "classic", "ndcg"),
    ("trec", "trec_eval", "ndcg_rel Rndcg"),
    ("classic", "classic", "ndcg_cut map_cut relative_P success"),
    ("sets", "sets", "set_P set_relative_P set_recall set_map set_F"),
    ("pool", "pool", "num_nonrel_judged_ret"),
    ("persistence", "persistence", "rbp"),
    ("persistence", "trec_eval", "rbp_resid"),
    ("pool", "pool", "unj judged judged_K"),
    ("classic", "classic", "recip_rank_cut"),
    ("preferences", "preferences", "Compat Accuracy Accuracy_K"),
    ("cwl", "cwl", "INST INSQ NERR8 NERR9 NERR10 NERR11 BPM SDCG cwl_rbp"),
    ("chunks", "chunk_text", "char_rec_K char_prec_K char_f1_K char_iou char_prec_omega"),
    ("chunks", "chunk_spans", "hit answered span_recall span_rr"),
    (
        "chunks",
        "chunk_budgets",
        "size redundancy char_rec_at_size answered_at_size tokens char_rec_at_tokens answered_at_tokens",
    ),
    ("diversity", "diversity", "alpha_ndcg alpha_dcg err_ia nerr_ia ap_ia p_ia strec nrbp nnrbp"),
    ("prum", "prum", "prum_map prum_prec_at_recall"),
    ("eprum", "eprum", "eprum_map eprum_prec_at_recall eprum_P"),
    ("gen_recall", "gen_recall", "gen_recall"),
    ("gen_recall", "complete", "complete"),
    ("reading", "reading", "read gen_recall_at_read"),
    ("persistence", "persistence", "u_measure err"),
    ("grp", "grp", "grp_map grp_prec_at_recall"),
    ("grp", "esl", "esl_at_recall"),
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
"""Module, family and names, in the order in which measures print: trec_eval's own for its measures."""
_MODULE_OF_MEASURE = {name: module for module, _, names in _PRINT_TABLE for name in names.split()}
PRINT_ORDER = {name: number for number, name in enumerate(_MODULE_OF_MEASURE)}
"""The place of each measure that is built in; those of other packages follow, by name."""
_FAMILIES: dict[str, list[str]] = {}
for _, _family, _names in _PRINT_TABLE:
    _FAMILIES.setdefault(_family, []).extend(_names.split())
_TREC_CUTOFFS = ".5,10,15,20,30,100,200,500,1000"
_TREC_SET = "num_q,num_ret,num_rel,num_rel_ret,map,gm_map,Rprec,bpref,recip_rank,iprec_at_recall,P" + _TREC_CUTOFFS
_SETS = {
    "official": "num_q,num_ret,num_rel,num_rel_ret,num_targets,num_targets_ret,map,Rprec,prum_map,eprum_map,"
    "eprum_prec_at_recall,gen_recall",
    "all": "",
    "set": "num_q,num_ret,num_rel,num_rel_ret,utility,set_P,set_relative_P,set_recall,set_map,set_F",
    "trec": _TREC_SET,
    "all_trec": f"{_TREC_SET},relstring,recall{_TREC_CUTOFFS},infAP,gm_bpref,Rprec_mult,utility,11pt_avg,binG,G,ndcg,"
    "ndcg_rel,Rndcg,ndcg_cut,map_cut,relative_P,success,set_P,set_relative_P,set_recall,set_map,set_F,"
    "num_nonrel_judged_ret,rbp,rbp_resid,unj",
}
SETS = tuple(_SETS)
"""Names of many measures. The last three are trec_eval's; what it calls official is ``trec``."""
TREC_SETS = ("set", "trec", "all_trec")
TOPIC_COUNT = "num_q"
"""Measure that counts the topics of a mean."""
READING_COST = "read"
"""Measure of what a navigating user reads."""
PRECISION_OMEGA = "char_prec_omega"
"""Measure that equals its source only if lists hold all chunks."""
_NAME_WITH_POINT = re.compile(r"(?P<name>.+)_(?P<point>[0-9]+(?:\.[0-9]+)?)")

MEASURE_PLUGINS = Plugins("prum_eval.measures", "measure", Measure)
"""The measures of other packages."""


class _Measures(Mapping[str, Measure]):
    """Measures by name: built-in ones in print order, then those of other packages."""

    def __getitem__(self, name: str) -> Measure:
        if name in _MODULE_OF_MEASURE:
            entries: tuple[Measure, ...] = import_module(f"prum_eval.measures.{_MODULE_OF_MEASURE[name]}").MEASURES
            return next(measure for measure in entries if measure.name == name)
        found = MEASURE_PLUGINS[name]
        if found.name != name or found.family in _FAMILIES:
            wrong = f"is called {found.name}" if found.name != name else f"is of the family {found.family}, built in"
            raise UsageError(f"measure {name} of another package {wrong}")
        return found

    def __contains__(self, name: object) -> bool:
        return name in _MODULE_OF_MEASURE or name in MEASURE_PLUGINS  # without an import of the measure

    def __iter__(self) -> Iterator[str]:
        yield from _MODULE_OF_MEASURE
        yield from sorted(name for name in MEASURE_PLUGINS if name not in _MODULE_OF_MEASURE)

    def __len__(self) -> int:
        return sum(1 for _ in self)


MEASURES_BY_NAME: Mapping[str, Measure] = _Measures()


def all_measures() -> list[Measure]:
    """Every measure, in print order, without broken ones of other packages."""
    measures = []
    for name in MEASURES_BY_NAME:
        try:
            measures.append(MEASURES_BY_NAME[name])
        except UsageError:
            continue
    return measures


def is_family(name: str) -> bool:
    """Whether it is a built-in family."""
    return name in _FAMILIES


def families() -> dict[str, list[str]]:
    """Names of measures by family, in print order, without broken ones of other packages."""
    names: dict[str, list[str]] = {}
    for measure in all_measures():
        names.setdefault(measure.family, []).append(measure.name)
    return names


NO_OTHER_CASE = {"GR": "gen_recall"}
"""Names that are not those of a measure in other case (gR), with what they stand for."""


def expand_name(name: str) -> tuple[str, ...]:
    """Names of the measures of a measure, family or set.

    Raises:
        UsageError: an unknown name; the message has the nearest.
    """
    if name == "all":
        return tuple(measure.name for measure in all_measures())
    if name in SETS:
        return tuple(split_cutoffs(part)[0] for part in set_specs(name))
    if name in _FAMILIES:  # before measures: xcg is both, and means the family
        return tuple(_FAMILIES[name])
    if name in _MODULE_OF_MEASURE:
        return (name,)
    known = families()
    if name in known or name in MEASURES_BY_NAME:
        return tuple(known.get(name, (name,)))
    others = [other for measure in all_measures() for other in measure.other_names]
    near = did_you_mean(name, [*MEASURES_BY_NAME, *known, *SETS, *others])
    hint = f"; did you mean {NO_OTHER_CASE[name]}?" if name in NO_OTHER_CASE else near
    raise UsageError(f"no measure {name}{hint or '; prum-eval measures lists them'}")


def set_specs(name: str) -> list[str]:
    """Specifications of a set other than ``all``."""
    return re.split(",(?=[A-Za-z]|[0-9]+[a-z])", _SETS[name])


def split_point(text: str) -> tuple[str, str] | None:
    """Measure and parameters of ``NAME.PARAMETERS`` as trec_eval writes them, also with ``_``; None if it is none.

    >>> split_point("utility.2,-1,0,0"), split_point("rbp_resid_p=.8"), split_point("ndcg.10")
    (('utility', '2,-1,0,0'), ('rbp_resid', 'p=.8'), None)
    """
    names = [name for name in _MODULE_OF_MEASURE if text.startswith((f"{name}.", f"{name}_"))]
    for name in sorted(names, key=len, reverse=True):
        parameters = text[len(name) + 1 :]
        if MEASURES_BY_NAME[name].settings_after_point(parameters) is not None:
            return name, parameters
    return None


def split_cutoffs(text: str) -> tuple[str, str | None]:
    """Name and cut-offs of ``NAME``, ``NAME.5,10`` or ``NAME_5``; None if it has no cut-offs.

    With cut-offs or levels NAME is a measure, else it may be a family or a set, or unknown.
    """
    if text in SETS or text in _FAMILIES:
        return text, None
    parts = _split_name(text)
    if parts is None:
        parts = _split_known_cutoffs(text, frozenset(MEASURE_PLUGINS))
    return parts or (text.partition(".")[0], None)


def measures_by_printed_name(names: Iterable[str]) -> dict[str, Measure]:
    """Measures by printed name, canonical or as typed; names that no measure prints are absent."""
    heads = {name: partition_settings(name)[0] for name in names}
    found = {name: pair[0] for name, head in heads.items() if (pair := _split_name(head))}
    if len(found) < len(heads):
        from prum_eval.measures.specs import canonical_base_names  # most names are ours

        others = {name: head for name, head in heads.items() if name not in found}
        ours, known = canonical_base_names(others.values()), frozenset(MEASURES_BY_NAME)
        found |= {name: pair[0] for name, head in others.items() if (pair := _split_known_cutoffs(ours[head], known))}
    return {name: MEASURES_BY_NAME[measure] for name, measure in found.items()}


def cutoff_of_name(name: str, measure: Measure) -> float | None:
    """Cut-off, level or budget in a printed name; None if it has none.

    >>> cutoff_of_name("P_5:quantisation=strict", MEASURES_BY_NAME["P"]), cutoff_of_name("map", MEASURES_BY_NAME["map"])
    (5.0, None)
    """
    head = partition_settings(name)[0]
    if measure.cutoffs and _NAME_WITH_POINT.fullmatch(head) is None:
        from prum_eval.measures.specs import canonical_base_names  # most names are ours

        head = canonical_base_names([head])[head].replace(".", "_", 1)
    pointed = _NAME_WITH_POINT.fullmatch(head) if measure.cutoffs else None
    return float(pointed["point"]) if pointed else None


def _split_name(text: str) -> tuple[str, str | None] | None:
    """One of our measures in a text, and what follows; None if there is none."""
    return _split_known_cutoffs(text, _MODULE_OF_MEASURE) or split_point(text)


def _split_known_cutoffs(text: str, known: Container[str]) -> tuple[str, str | None] | None:
    """One of the known measures in a text, and the cut-offs or levels after it; None if there is none."""
    if text in known:
        return text, None
    name, dot, points = text.partition(".")
    pointed = _NAME_WITH_POINT.fullmatch(text)
    measure = cutoff_measure_name(name, known) if dot else None
    if measure is None and pointed is not None:
        measure, points = cutoff_measure_name(pointed["name"], known), pointed["point"]
    return None if measure is None else (measure, points)


def _unpickle_measure(name: str) -> Measure:
    return MEASURES_BY_NAME[name]


def _restore_measure(values: Mapping[str, Any]) -> Measure:
    return Measure(**values)


def _reduce_measure(measure: Measure) -> tuple[Callable[..., Measure], tuple[object, ...]]:
    """How another process makes the measure: by its registry, or of its fields if no package registers it."""
    if measure.name in MEASURES_BY_NAME:
        return _unpickle_measure, (measure.name,)
    return _restore_measure, ({field.name: getattr(measure, field.name) for field in fields(measure)},)


# The functions of a registered measure cannot be pickled; the registry of the other process has the same measure.
copyreg.pickle(Measure, _reduce_measure)
