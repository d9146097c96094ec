"""Diversity measures against ndeval (pyndeval), and on chunks against their formulas on sets."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import UsageError, evaluate
from tests.measures.test_facets import worlds
from tests.oracles.facets import World, finds

pyndeval = pytest.importorskip("pyndeval")

NAMES = {
    "alpha_ndcg": "alpha-nDCG", "alpha_dcg": "alpha-DCG", "err_ia": "ERR-IA", "nerr_ia": "nERR-IA", "p_ia": "P-IA",
    "strec": "strec", "ap_ia": "MAP-IA", "nrbp": "NRBP", "nnrbp": "nNRBP",
}  # fmt: skip
"""ndeval's names."""
SCALARS = {"ap_ia", "nrbp", "nnrbp"}

DOCUMENTS = [f"d{number}" for number in range(25)]
judgements = st.dictionaries(
    st.tuples(st.sampled_from(["1", "2", "x"]), st.sampled_from(DOCUMENTS[:15])), st.integers(-1, 3), min_size=1
).filter(lambda grades: max(grades.values()) > 0)
rankings = st.lists(st.sampled_from(DOCUMENTS), min_size=1, unique=True)


def write(tmp_path, grades, ranking):
    """Qrels and a run of one topic."""
    lines = [f"1 {facet} {document} {grade}\n" for (facet, document), grade in grades.items()]
    (tmp_path / "qrels").write_text("".join(lines))
    rows = [f"1 Q0 {document} {k} {-k} r\n" for k, document in enumerate(ranking, 1)]
    (tmp_path / "run").write_text("".join(rows))
    return str(tmp_path / "qrels"), str(tmp_path / "run")


@given(judgements, rankings, st.sampled_from([0.5, 0.25]), st.sampled_from([0.5, 0.75]))
def test_values_are_those_of_ndeval(tmp_path_factory, grades, ranking, alpha, beta):
    """Every measure at its cut-offs, to rounding."""
    files = write(tmp_path_factory.mktemp("files"), grades, ranking)
    computed = evaluate(*files, measures="diversity", facets="column", settings={"alpha": alpha, "beta": beta}).runs[0]
    qrels = [("1", facet, document, grade) for (facet, document), grade in grades.items()]
    run = [("1", document, float(-k)) for k, document in enumerate(ranking)]
    expected = pyndeval.ndeval(qrels, run, alpha=alpha, beta=beta)["1"]
    for name, other in NAMES.items():
        for point in [""] if name in SCALARS else ["5", "10", "20"]:
            own, key = (f"{name}_{point}", f"{other}@{point}") if point else (name, other)
            assert computed.all[own] == pytest.approx(expected[key], abs=1e-9), own


def test_documents_of_a_topic_without_facets_are_facets():
    """Without facets alpha does not matter, and recall of facets is recall."""
    values = evaluate(
        {"1": {"a": 1, "b": 2, "c": 0}, "2": {"a": 0}},
        {"1": {"a": 3, "c": 2, "b": 1}, "2": {"a": 1}},
        measures=["strec.1,3", "alpha_ndcg.3", "ap_ia", "nnrbp", "recall.1,3"],
    ).runs[0]
    assert values.topics["1"] == pytest.approx(
        {"strec_1": 0.5, "strec_3": 1, "recall_1": 0.5, "recall_3": 1, "alpha_ndcg_3": 1.5 / (1 + 1 / log2(3)),
         "ap_ia": (1 + 1 / 3) / 2, "nnrbp": 1.25 / 1.5}
    )  # fmt: skip
    assert set(values.topics["2"].values()) == {0}


def test_one_rank_is_divided_too():
    """At K = 1, where ndeval forgets the division."""
    files = [{"qid": "1", "docno": "a", "label": 1, "iteration": f} for f in (1, 2)], {"1": {"a": 1.0}}
    assert evaluate(*files, measures=["alpha_dcg.1", "err_ia.1"], facets="column").runs[0].all == {
        "alpha_dcg_1": 1,
        "err_ia_1": 1,
    }


@given(worlds(), st.sampled_from(["any", "half", "whole"]))
def test_chunks_cover_the_facets_whose_spans_they_find(world: World, touch: str) -> None:
    """Measures of the first three results of chunks, by the formulas."""
    spans = [{span for way in ways for span in way} for _, ways in world.facets]
    m = len(spans)

    def covers(result):
        return {f for f, of_facet in enumerate(spans) if any(finds(result, span, touch) for span in of_facet)}

    def gains(listed):
        counts, found = [0] * m, []
        for result in listed:
            found.append(sum(0.5 ** counts[f] for f in covers(result)))
            for f in covers(result):
                counts[f] += 1
        return found

    ideal: list[tuple[int, int]] = []
    left = list(world.targets)
    while left:
        best = max(left, key=lambda span: gains([*ideal, span])[-1])
        ideal.append(best)
        left.remove(best)
    run, best = gains(world.results), gains(ideal)
    first = world.results[:3]
    average = 0.0
    for of_facet in spans:
        found, hits = set(), 0
        for k, result in enumerate(world.results, 1):
            new = {span for span in of_facet if finds(result, span, touch)} - found
            found |= new
            hits += bool(new)
            average += hits / k / len(of_facet) / m if new else 0

    def discounted(values):
        return sum(value / log2(k + 2) for k, value in enumerate(values[:3]))

    def rank_biased(values):
        return sum(value * 0.5**k for k, value in enumerate(values))

    expected = {
        "alpha_ndcg_3": discounted(run) / discounted(best),
        "nerr_ia_3": sum(v / k for k, v in enumerate(run[:3], 1)) / sum(v / k for k, v in enumerate(best[:3], 1)),
        "p_ia_3": sum(len(covers(result)) for result in first) / 3 / m,
        "strec_3": len(set().union(*map(covers, first))) / m,
        "ap_ia": average,
        "nrbp": rank_biased(run) * 0.75 / m,
        "nnrbp": rank_biased(run) / rank_biased(best),
    }
    names = ["alpha_ndcg.3", "nerr_ia.3", "p_ia.3", "strec.3", "ap_ia", "nrbp", "nnrbp"]
    computed = evaluate(world.gold(), world.run(), measures=[f"{name}:touch={touch}" for name in names]).runs[0].all
    assert {name.split(":")[0]: value for name, value in computed.items()} == pytest.approx(expected, abs=1e-12)


def test_f1_of_the_contract() -> None:
    """alpha_ndcg_3 on the worked example."""
    f1 = World([(1.0, [[(100, 200)], [(300, 350)]]), (1.0, [[(600, 640)]])], [(300, 360), (150, 250), (600, 620)])
    value = evaluate(f1.gold(), f1.run(), measures="alpha_ndcg.3").runs[0].all["alpha_ndcg_3"]
    assert value == pytest.approx((1 + 0.5 / log2(3) + 1 / 2) / (1 + 1 / log2(3) + 0.5 / 2), abs=1e-12)


def test_column_is_of_qrels_only() -> None:
    """A usage error on other gold, and on assessments that were read without it."""
    gold = [{"topic": "1", "doc": "d", "spans": [[0, 5]]}]
    with pytest.raises(UsageError) as error:
        evaluate(gold, gold, measures="strec", facets="column")
    assert str(error.value) == "--facets column reads the second column of TREC qrels, which assessments has not"
    with pytest.raises(UsageError) as error:
        evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, measures="strec", facets="column")
    assert str(error.value) == (
        "facets=column: these assessments were read without facets; read them with facets='column'"
    )
