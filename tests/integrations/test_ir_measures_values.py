"""Every name of ir_measures gives the values and the mean of ir_measures, on random collections.

Their topics include some without relevant documents, some that the run lacks and some that nobody judged; half of the
collections have equal scores, negative scores and negative grades.
"""

from __future__ import annotations

import logging
import math
import random
import shutil

import ir_measures
import pytest
from ir_measures import (
    AP,
    BPM,
    ERR,
    INSQ,
    INST,
    NERR8,
    NERR9,
    NERR10,
    NERR11,
    RBP,
    RR,
    SDCG,
    Accuracy,
    Bpref,
    Compat,
    IPrec,
    Judged,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    Rprec,
    SetAP,
    SetF,
    SetP,
    SetR,
    SetRelP,
    Success,
    infAP,
    nDCG,
)

from prum_eval import evaluate

SEEDS = [0, 1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 20))]
TOPICS = [str(number) for number in range(8)]
MEASURES = [
    *(AP, AP @ 5, AP(rel=2), AP(rel=2) @ 10, AP(judged_only=True), AP(judged_only=True) @ 3),
    *(P @ 5, P @ 50, P(rel=2) @ 3, P(judged_only=True, rel=2) @ 5, R @ 5, R(rel=2) @ 20, R(judged_only=True) @ 5),
    *(RR, RR(rel=2), RR(judged_only=True), RR @ 3, RR(rel=2) @ 5, Rprec, Rprec(rel=2), Rprec(judged_only=True)),
    *(nDCG, nDCG @ 5, nDCG(judged_only=True) @ 5, nDCG(dcg="log2") @ 3),
    *(nDCG(gains={0: 0, 1: 3, 2: 1, 4: 9}) @ 5, nDCG(gains={0: 1, 2: 7}), nDCG(gains={1: 0}), nDCG(gains={0: 0, 1: 1})),
    *(nDCG(gains={0: 2, 2: 5}, judged_only=True) @ 5, Bpref, Bpref(rel=2), infAP, infAP(rel=2)),
    *(IPrec @ 0.0, IPrec @ 0.1, IPrec @ 0.37, IPrec @ 0.7, IPrec @ 1.0, IPrec(rel=2) @ 0.5),
    *(Success @ 1, Success(rel=2) @ 5, Success(judged_only=True) @ 2, SetP, SetP(rel=2), SetP(judged_only=True)),
    *(SetRelP, SetRelP(rel=2, judged_only=True), SetR, SetR(rel=2), SetAP, SetAP(rel=2), SetAP(judged_only=True)),
    *(SetF, SetF(beta=2.0), SetF(rel=2, beta=0.5), SetF(judged_only=True)),
    *(NumQ, NumRel, NumRet, NumRelRet, NumRet(rel=2), Judged, Judged @ 1, Judged @ 7, Accuracy(rel=4)),
    *(
        Accuracy(rel=4) @ 9,
        RBP(rel=1),
        RBP(rel=2, p=0.5),
        RBP(rel=1, p=0.999),
        Compat,
        Compat(p=0.8),
        Compat(normalize=False, p=0.5),
    ),
    *(INST(max_rel=4), INST(max_rel=4, T=2.5), INST(max_rel=3, min_rel=1), INST(max_rel=2, min_rel=-1)),
    *(INSQ(max_rel=4), INSQ(max_rel=2, T=0.5), BPM(max_rel=4) @ 5, BPM(max_rel=2, T=2.0) @ 10, SDCG(max_rel=4) @ 5),
    *(NERR8(max_rel=4) @ 5, NERR9(max_rel=2, min_rel=1) @ 10, NERR10(max_rel=4), NERR10(max_rel=4, p=0.5)),
    *(NERR11(max_rel=4), NERR11(max_rel=4, T=3.0), SDCG(max_rel=3, dcg="log2") @ 20),
]
GDEVAL = [ERR @ 3, ERR @ 20, nDCG(dcg="exp-log2") @ 3, nDCG(dcg="exp-log2") @ 50]
"""Measures of a script in Perl, which prints five digits."""


def collection(seed):
    """Judgements and a run; odd seeds: equal and negative scores, negative grades."""
    rng = random.Random(seed)
    names = [f"d{number}" for number in range(rng.choice([8, 40]))]
    grades = [0, 0, 1, 1, 2, 4, -1] if seed % 2 else [0, 0, 1, 2, 3, 4]
    qrels = {topic: {name: rng.choice(grades) for name in rng.sample(names, rng.randint(4, 8))} for topic in TOPICS}
    qrels["7"] = dict.fromkeys(names[:4], 0)
    run = {}
    for topic in [*TOPICS[1:], "99"]:
        listed = rng.sample(names, rng.randint(3, len(names)))
        run[topic] = {name: float(rng.randint(-2, 4)) if seed % 2 else rng.random() for name in listed}
    run["7"] |= {"other": 0.5}
    run["6"] |= {"other": 9.0}  # so that some result is not relevant
    return qrels, run


@pytest.fixture(autouse=True)
def _quiet():
    logging.getLogger("ir_measures.cwl_eval").setLevel("ERROR")


def assert_equal_values(measures, seed, tolerance):
    """Compare measures of ir_measures computed one by one: beside others, some of its values depend on their order."""
    qrels, run = collection(seed)
    ours = evaluate(qrels, run, measures=measures, complete=True, names="as-given").runs[0]
    for measure in measures:
        name = str(measure)
        mean, values = measure.calc(qrels, run)
        theirs = {value.query_id: value.value for value in values}
        found = {topic: row[name] for topic, row in ours.topics.items() if row.get(name) is not None}
        if measure != NumQ:
            assert found == pytest.approx(theirs, rel=1e-12, abs=tolerance), name
        expected = None if math.isnan(mean) else pytest.approx(mean, rel=1e-12, abs=tolerance)
        assert ours.all[name] == expected, name


@pytest.mark.parametrize("seed", SEEDS)
def test_values_and_means(seed):
    assert_equal_values(MEASURES, seed, 1e-15)


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a script in Perl")
@pytest.mark.parametrize("seed", SEEDS)
def test_values_of_gdeval(seed):
    assert_equal_values(GDEVAL, seed, 0.000005001)


def test_every_name_is_there():
    needing_facets = {"alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "AP_IA", "P_IA", "StRecall", "NRBP", "nNRBP"}
    tested = {measure.NAME for measure in [*MEASURES, *GDEVAL]}
    registered = {measure.NAME for measure in ir_measures.measures.registry.values()}
    assert {name for name in registered if hasattr(ir_measures, str(name))} == tested | needing_facets
