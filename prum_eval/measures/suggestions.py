"""Which measures to begin with, by what was judged: the advice of docs/which.md in the form of a configuration."""

from __future__ import annotations

from dataclasses import dataclass

from prum_eval.records.assessments import AssessmentKind


@dataclass(frozen=True, slots=True)
class SuggestedMeasures:
    """What to ask for first.

    `specs`: as -m takes them, the main one first; `with_size`: more, where the number of elements of the collection is
    known; `others`: what else fits, each with a word on when.
    """

    specs: tuple[str, ...]
    with_size: tuple[str, ...] = ()
    others: tuple[tuple[str, str], ...] = ()


_ELEMENTS = SuggestedMeasures(
    ("eprum_map", "gen_recall"),
    ("prum_map",),
    (
        ("map", "elements as documents: nobody navigates, overlap counts again"),
        ("maep", "to compare with INEX 2005 and 2006; see task"),
    ),
)
_OLDER = SuggestedMeasures(
    _ELEMENTS.specs,
    _ELEMENTS.with_size,
    (("grp_map", "to compare with INEX 2002 to 2004; see task"), ("ng_o_map", "the metric of INEX 2003")),
)
_BY_KIND = {
    AssessmentKind.FLAT: SuggestedMeasures(
        ("map", "ndcg", "P.10", "recall.100"),
        (),
        (
            ("recip_rank", "if one relevant document is enough"),
            ("Rprec", "if topics differ in how much is relevant"),
        ),
    ),
    AssessmentKind.PASSAGES: SuggestedMeasures(
        ("iP.0.01,0.1", "maip", "char_prec", "char_rec"),
        (),
        (
            ("magp", "results grouped by article: relevant in context"),
            ("eprum_map", "a user who goes on from what is retrieved"),
        ),
    ),
    AssessmentKind.ELEMENTS_2002: _OLDER,
    AssessmentKind.ELEMENTS_2003: _OLDER,
    AssessmentKind.ELEMENTS_2005: _ELEMENTS,
}
_CHUNKS = SuggestedMeasures(
    ("char_rec_at_size.2000", "char_rec.5", "hit.5", "size.5", "redundancy.5"),
    (),
    (("answered.5", "whether all that is needed is there"), ("char_iou", "how exact chunks are")),
)


def suggested_measures(kind: AssessmentKind, *, chunks: bool) -> SuggestedMeasures:
    """What to begin with for assessments of that kind; `chunks`: they are answers for systems that retrieve chunks."""
    return _CHUNKS if chunks else _BY_KIND[kind]
