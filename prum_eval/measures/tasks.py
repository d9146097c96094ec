"""Tasks: a campaign's official measures and settings in one word (--task).

A task is a list of specifications as -m takes them and defaults for the call; whatever the user sets comes before
them. Sources: [INEX06] Lalmas et al., INEX 2006 Evaluation Measures; [OFF] the official tool of 2007-2010; [ING]
Goevert, Fuhr, Lalmas, Kazai 2006; [LIT] campaign literature, not verified here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from prum_eval.errors import UsageError
from prum_eval.parameters import did_you_mean

_COUNT_MEASURES = ("num_q", "num_ret", "num_rel", "num_rel_ret")
_SIZE_MEASURES = ("ret_size", "rel_size", "rel_ret_size")
_SET_MEASURES = ("art_prec", "art_rec", "art_f1", "char_prec", "char_rec", "char_f1")
_FOCUSED_MEASURES = ("iP.0,0.01,0.05,0.1", "maip")
_A_VALUES = (0.01, 0.1, 1, 10, 100)
"""The five values of A of INEX 2006."""


@dataclass(slots=True, eq=False, repr=False)
class Task:
    """A named choice of measures and settings.

    `specs`: specifications as for -m. `shared_settings`: quantisation, targets, user model and its parameters.
    `family_settings`: measure parameters by family. `limit`: results per topic. `note`: assumptions that no source
    states; effects of a setting.
    """

    name: str
    summary: str
    source: str
    specs: tuple[str, ...]
    shared_settings: Mapping[str, str] = field(default_factory=dict)
    family_settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    limit: int | None = None
    note: str = ""

    @property
    def settings(self) -> list[str]:
        """Settings off the defaults, as ``key=value`` or ``family:key=value``."""
        texts = [f"{key}={value}" for key, value in self.shared_settings.items()]
        texts += [
            f"{family}:{key}={value}" for family, keys in self.family_settings.items() for key, value in keys.items()
        ]
        return texts + ([f"at most {self.limit} results a topic"] if self.limit is not None else [])


def _specs_with_settings(settings: str, *specs: str) -> tuple[str, ...]:
    return tuple(f"{spec}:{settings}" for spec in specs)


def _specs_per_value(key: str, values: tuple[object, ...], *specs: str) -> tuple[str, ...]:
    """Every specification with every value of a parameter: labelled instances."""
    return tuple(spec for value in values for spec in _specs_with_settings(f"{key}={value}", *specs))


def _count_settings(unit: str, **families: dict[str, str]) -> dict[str, dict[str, str]]:
    """Counts and sizes in the official meaning, beside the parameters of other families."""
    sizes = {"counts": unit} if unit != "articles" else {}
    return {**families, "counts": {"counts": unit}, "sizes": {**sizes, **families.get("sizes", {})}}


def _focused_task(name: str, summary: str, source: str, overlap: str, note: str = "") -> Task:
    families = {family: {"overlap": overlap} for family in ("sizes", "text_sets", "focused")}
    specs = (*_COUNT_MEASURES, *_SIZE_MEASURES, *_SET_MEASURES, *_FOCUSED_MEASURES)
    return Task(name, summary, source, specs, family_settings=_count_settings("articles", **families), note=note)


def _in_context_task(name: str, summary: str, source: str, form: str, unit: str, note: str = "", **own: str) -> Task:
    specs = tuple(f"{form}{measure}" for measure in ("gP", "gR", "magp", "gP_at_gR"))
    family = form.rstrip("_") or "ric"
    families = _count_settings(unit, **{family: own})
    return Task(name, summary, source, (*_COUNT_MEASURES, *_SIZE_MEASURES, *specs), family_settings=families, note=note)


def _passage_tasks(year: str, source: str, beta: str, n: str, notes: Sequence[str] = ("", "", "")) -> list[Task]:
    """The passage tasks of a year; `notes`: of focused, relevant in context, best in context."""
    focused, relevant, best = notes
    return [
        _focused_task(f"inex{year}-focused", f"Focused, INEX {year}: interpolated precision over characters", source,
                "reject", focused),
        _in_context_task(f"inex{year}-relevant-in-context",
                    f"Relevant in Context, INEX {year}: generalised precision by F", source, "", "ranks", relevant,
                    beta=beta),
        _in_context_task(f"inex{year}-best-in-context",
                    f"Best in Context, INEX {year}: generalised precision by distance", source, "bic_", "points", best,
                    n=n),
    ]  # fmt: skip


_AS_2009 = "inferred, no source states it: measures and averages are those of the tool of 2009"
_NOTES_2007 = (
    f"{_AS_2009}.",
    f"{_AS_2009}; beta is 1, as later literature reports for 2006 to 2008.",
    f"{_AS_2009}; n is 1000, as later literature reports for earlier years.",
)
_NOTES_2008 = (
    *_NOTES_2007[:2],
    f"{_AS_2009}, and so is n; it may have been 1000, as in 2007 (--set n=1000).",
)


def _xcg_2005(task: str, overlap: str, base: str, *specs: str) -> Task:
    return Task(
        f"inex2005-{task.lower()}",
        f"{task}, INEX 2005: effort-precision and normalised cumulated gain under three quantisations",
        "[LIT]",
        ("num_q", *_specs_per_value("quantisation", ("strict", "gen", "genlifted"), *specs)),
        family_settings={"xcg": {"overlap": overlap, "base": base, "alpha": "1"}},
        limit=1500,
    )


def _ng_2003(kind: str) -> Task:
    return Task(
        f"inex2003-{kind}",
        f"Ad hoc, INEX 2003, {kind} quantisation: GRP and the metrics of size, and of size and overlap",
        "[ING]",
        ("num_q", "grp", "ng"),
        {"quantisation": kind},
        limit=1500,
    )


def _grp_2002(kind: str) -> Task:
    summary = f"Ad hoc, INEX 2002, {kind} quantisation: GRP"
    return Task(f"inex2002-{kind}", summary, "[LIT]", ("num_q", "grp"), {"quantisation": kind}, limit=100)


_SEVEN_QUANTISATIONS = ("strict", "gen", "sog", "s3_e321", "s3_e32", "e3_s321", "e3_s32")
_TASK_LIST = (
    _grp_2002("strict"),
    _grp_2002("gen"),
    _ng_2003("strict"),
    _ng_2003("gen"),
    Task(
        "inex2004",
        "Ad hoc, INEX 2004: GRP under its seven quantisations",
        "[LIT]",
        ("num_q", *_specs_per_value("quantisation", _SEVEN_QUANTISATIONS, "grp")),
        limit=1500,
    ),
    _xcg_2005("Thorough", "off", "full", "maep", "ep_at_gr", "nxcg.10,25,50"),
    _xcg_2005("Focused", "on", "ideal", "nxcg.10,25,50", "maep", "ep_at_gr"),
    Task(
        "inex2006-thorough",
        "Thorough, INEX 2006: effort-precision at gain-recall, overlap not considered",
        "[INEX06] section 4, appendix A",
        ("num_q", "maep", "ep_at_gr"),
        {"quantisation": "gen"},
        {"xcg": {"overlap": "off", "base": "full"}},
        1500,
    ),
    Task(
        "inex2006-focused",
        "Focused, INEX 2006: normalised cumulated gain, with overlap and without",
        "[INEX06] section 5, appendix A",
        ("num_q", *_specs_per_value("overlap", ("on", "off"), "nxcg.5,10,25,50")),
        {"quantisation": "gen"},
        {"xcg": {"base": "ideal", "alpha": "1"}},
        1500,
    ),
    Task(
        "inex2006-relevant-in-context",
        "Relevant in Context, INEX 2006: generalised precision by the F-measure over characters",
        "[INEX06] section 6",
        ("num_q", "gP.5,10,25,50", "magp"),
        family_settings={"ric": {"beta": "1", "short": "divide"}},
    ),
    Task(
        "inex2006-best-in-context",
        "Best in Context, INEX 2006: BEPD and EPRUM over best entry points, five values of A",
        "[INEX06] section 7, appendix A",
        ("num_q", *_specs_per_value("A", _A_VALUES, "bepd", "eprum")),
        {"targets": "bep", "user_model": "bep-distance"},
        {"eprum": {"at_recall": "ratio"}},
        note="EPRUM at recall is 0 as the report words it where so many points are not reached for sure, which is so "
        "unless results begin just there; at_recall=product (--set) counts what is reached by chance.",
    ),
    *_passage_tasks("2007", "[OFF]; beta and n [LIT]", "1", "1000", _NOTES_2007),
    *_passage_tasks("2008", "[LIT]; measures [OFF]", "1", "500", _NOTES_2008),
    _focused_task("inex2009-thorough", "Thorough, INEX 2009: as Focused, overlap allowed, only new text counts",
                  "[OFF] -t", "novel"),
    *_passage_tasks("2009", "[OFF] -f, -r, -b; years of beta [LIT]", "0.25", "500"),
    _in_context_task("inex2010-relevant-in-context",
                     "Relevant in Context, INEX 2010: generalised precision by T2I(300)", "[OFF] -i", "t2i_", "ranks",
                     tolerance="300"),
    Task(
        "chunks",
        "Chunks of retrieval-augmented generation: what arrives of the answers, at which rank, at what cost of reading",
        "our own",
        (
            "num_q", "char_rec.1,3,5,10", "char_prec.5", "char_iou.5", "hit.1,3,5,10", "answered.5", "span_rr",
            "size.5", "redundancy.5", "char_rec_at_size.500,1000,2000,4000,8000", "gen_recall.5", "eprum_map",
        ),
        {"targets": "passages", "user_model": "coverage"},
        note="It is what eval prints for assessments in JSON Lines when no measure is named. Overlapping results are "
        "counted in full. With --targets bep the user is that of best entry points.",
    ),
    Task(
        "prum",
        "PRUM as the article defines it: hypothesis 2.3, user model hierarchical",
        "Piwowarski, Gallinari, Dupret, TOIS 25(1), 2007",
        ("num_q", "num_ret", "num_targets", "num_targets_ret", "prum"),
        {"user_model": "hierarchical", "targets": "ideal"},
        {"prum": {"mode": "paper"}},
    ),
    Task(
        "trec",
        "The classic measures that trec_eval prints by default, for ranked documents",
        "trec_eval 9 (NIST)",
        (*_COUNT_MEASURES, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall",
         "P.5,10,15,20,30,100,200,500,1000"),
    ),
)  # fmt: skip

TASKS: Mapping[str, Task] = {task.name: task for task in _TASK_LIST}


def default_task(*, chunks: bool, classic: bool) -> Task:
    """Task if no measure is requested: chunks for questions to chunks, trec for plain qrels, else the official set."""
    return TASKS["chunks"] if chunks else TASKS["trec"] if classic else Task("", "", "", ("official",))


def find_task(name: str) -> Task:
    """The task of that name.

    Raises:
        UsageError: there is none; the nearest is given.
    """
    if name not in TASKS:
        raise UsageError(f"no task {name}{did_you_mean(name, TASKS)} (prum-eval measures --tasks lists all)")
    return TASKS[name]
