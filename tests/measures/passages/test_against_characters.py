"""All passage measures against an oracle that reads character by character."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import prum_eval
from tests.measures.passages import characters as oracle

LENGTH = 40
ARTICLES = "abcd"
STARTS = st.integers(-5, LENGTH + 9).filter(lambda start: start != -1)  # -1 points to nothing


def spans(count):
    """Sorted pairs of offsets, none overlapping, some touching, some empty."""
    return st.lists(st.integers(0, LENGTH), max_size=2 * count).map(
        lambda cuts: list(zip(sorted(cuts)[::2], sorted(cuts)[1::2], strict=False))
    )


@st.composite
def judgements(draw):
    """Articles with passages (merged where empty), some without."""
    judged = {}
    for article in draw(st.lists(st.sampled_from(ARTICLES), min_size=1, unique=True)):
        passages = [(start, end) for start, end in draw(spans(3)) if end > start]
        judged[article] = (LENGTH, draw(st.integers(-1, LENGTH)) if passages else -1, passages)
    return judged


@st.composite
def runs(draw, *, overlap, single=False, blocks=True):
    """Results: in blocks of an article or mixed, overlapping or not."""
    chosen = draw(st.lists(st.sampled_from("abcdxy"), min_size=1, unique=True))
    results = []
    for article in chosen:
        if overlap:
            pairs = draw(st.lists(st.tuples(STARTS, st.integers(0, 15)), min_size=1, max_size=6))
            own = [(start, start + size) for start, size in pairs]
        else:
            own = apart(draw(st.permutations(draw(spans(3)) or [(3, 8)])))
        own = own[:1] if single else own
        if draw(st.integers(0, 4)) == 0:
            own[0] = (None, None)
        results += [(article, *span) for span in own]
    return results if blocks else draw(st.permutations(results))


def apart(pairs):
    """Of spans that only touch, those that are not strictly inside another one."""
    return [
        (start, end)
        for start, end in pairs
        if not any(s < end and e > start for s, e in pairs if (s, e) != (start, end))
    ] or pairs[:1]


def evaluated(judged, results, measures):
    """Our values of one topic."""
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = Path(folder, "qrels"), Path(folder, "run")
        qrels.write_text("".join(judgement(*item) for item in judged.items()))
        lines = (f"1 Q0 {article} 1 1 r {'X X' if start is None else f'{start} {end - start}'}\n"
                 for article, start, end in results)  # fmt: skip
        run.write_text("".join(lines))
        return prum_eval.evaluate(qrels, run, measures=measures).runs[0].topics["1"]


def judgement(article, data):
    length, bep, passages = data
    if not passages:
        return f"1 Q0 {article} 0 {length}\n"
    cells = " ".join(f"{start}:{end - start}" for start, end in passages)
    return f"1 Q0 {article} {sum(end - start for start, end in passages)} {length} {bep} {cells}\n"


def points(name, levels, label=""):
    return [f"{name}_{level}{label}" for level in levels]


def at(name, levels, label=""):
    return f"{name}.{','.join(map(str, levels))}{label}"


many = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
HUNDREDTHS = [f"{k / 100:.2f}" for k in range(101)]
TENTHS = [f"{k / 10:.2f}" for k in range(11)]
RANKS = [1, 2, 3, 7]


@many
@given(judgements(), runs(overlap=False, blocks=False), st.just(""))
def test_focused(judged, results, label):
    check_prefix(judged, results, label, novel=False)


@pytest.mark.slow
@many
@given(judgements(), runs(overlap=True, blocks=False), st.just(":overlap=novel"))
def test_thorough(judged, results, label):
    check_prefix(judged, results, label, novel=True)


def check_prefix(judged, results, label, *, novel):
    names = [*points("iP", HUNDREDTHS, label), f"maip{label}", f"ret_size{label}", f"rel_ret_size{label}"]
    others = [f"{name}{label}" for name in ("maip", "ret_size", "rel_ret_size", "char_rec", "art_prec")]
    own = evaluated(judged, results, [at("iP", HUNDREDTHS, label), *others])
    curve = oracle.interpolated(judged, results, novel=novel)
    sizes = oracle.lengths(judged, results, novel=novel)
    wanted = [*curve, sum(curve) / 101, sum(size for size, _ in sizes), sum(good for _, good in sizes)]
    assert [own[name] for name in names] == pytest.approx(wanted, rel=1e-12)
    total = sum(len(oracle.relevant_of(judged, article)) for article in judged)
    assert own[f"char_rec{label}"] == (pytest.approx(wanted[-1] / total) if total else None)
    ranked = oracle.articles(results)
    found = sum(bool(oracle.relevant_of(judged, article)) for article in ranked)
    assert own[f"art_prec{label}"] == pytest.approx(found / len(ranked))


def check_in_context(judged, results, prefix, label, scores):
    asked = [at(f"{prefix}gP", RANKS, label), at(f"{prefix}gR", RANKS, "")]
    asked += [f"{prefix}magp{label}", at(f"{prefix}gP_at_gR", TENTHS, label)]
    own = evaluated(judged, results, asked)
    precision, recall, agp, curve = oracle.generalised(judged, results, scores)
    wanted = [values[min(k, len(values)) - 1] for values in (precision, recall) for k in RANKS]
    assert own.pop(f"{prefix}magp{label}") == (None if agp is None else pytest.approx(agp, rel=1e-12))
    assert list(own.values()) == pytest.approx([*wanted, *curve], rel=1e-12)


@many
@given(judgements(), runs(overlap=False), st.sampled_from([0.25, 1, 2]))
def test_relevant_in_context(judged, results, beta):
    scores = [oracle.f_score(judged, results, article, beta) for article in oracle.articles(results)]
    check_in_context(judged, results, "", f":beta={beta}" if beta != 0.25 else "", scores)


@many
@given(judgements(), runs(overlap=True, single=True), st.sampled_from([500, 7, 30]))
def test_best_in_context(judged, results, n):
    assume(all(start is None or start >= 0 for _, start, _ in results))
    scores = [oracle.entry_score(judged, results, article, n) for article in oracle.articles(results)]
    check_in_context(judged, results, "bic_", f":n={n}" if n != 500 else "", scores)


@many
@given(judgements(), runs(overlap=False), st.sampled_from([0, 1, 2, 5, 10, 300]))
def test_reading(judged, results, tolerance):
    scores = [oracle.reading_score(judged, results, article, tolerance) for article in oracle.articles(results)]
    check_in_context(judged, results, "t2i_", f":tolerance={tolerance}" if tolerance != 300 else "", scores)


@many
@given(judgements(), runs(overlap=True, blocks=False))
def test_overlap_is_refused_exactly_where_there_is_some(judged, results):
    known = [(article, start, end) for article, start, end in results if start is not None]
    clash = [
        (i, j) for j, (article, start, end) in enumerate(known) for i, (other, s, e) in enumerate(known[:j])
        if article == other and s < end and e > start
    ]  # fmt: skip
    if not clash:
        evaluated(judged, results, ["maip"])
        return
    line = [i for i, result in enumerate(results) if result[1] is not None][clash[0][1]] + 1
    with pytest.raises(prum_eval.InputError, match="has results that overlap") as caught:
        evaluated(judged, results, ["maip"])
    assert caught.value.line == line
