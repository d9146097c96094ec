"""What is read beyond results: the integrals of models, characters one by one, modifiers, the worked example."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import evaluate
from prum_eval.measures.reading import read_beyond, read_what_is_reached
from prum_eval.measures.topic_data import JudgedTopic
from prum_eval.user_models.model import ModelContext, make_reach
from prum_eval.user_models.registry import build_model, build_reading, choose_model
from tests.gold import run
from tests.oracles import modifiers
from tests.oracles.documents import ELEMENT, PASSAGE, POINT, Place, matrix_of_model, ranked_topics, record_of
from tests.oracles.worlds import examples

MODELS = ["hierarchical", "none", "logistic:lambda=.1", "bep-distance:A=1", "siblings"]


def choice_of(spec, **modified):
    name, _, settings = spec.partition(":")
    own = dict(part.split("=") for part in settings.split(",") if part)
    return choose_model(name, own | modified)


def model_of(choice):
    return build_model(choice, ModelContext(mean_length=20.0))


def read_by(spec, ranked, lengths=None, **modified):
    """What a model reads beyond each result; `lengths`: of the documents."""
    choice, record = choice_of(spec, **modified), record_of(ranked)
    if lengths is not None:
        numbers = record.results.document
        record.document_lengths = lambda: np.array([-1, *lengths])[numbers + 1]
    context = ModelContext(mean_length=20.0)
    judged = JudgedTopic(
        "1", None, "gen", None, lambda: model_of(choice), reading=lambda: build_reading(choice, context)
    )
    return read_beyond(judged, record)


def one_by_one(R, ranked):
    """The largest R of the targets that hold a character, summed over the characters outside each result."""
    _, results, targets = ranked
    sums = []
    for y, row in zip(results, R, strict=True):
        best = {}
        for x, probability in zip(targets, row, strict=True):
            for character in x.characters():
                if y.document != x.document or character not in y.characters():
                    place = x.document, character
                    best[place] = max(best.get(place, 0.0), probability)
        sums.append(math.fsum(best.values()))
    return sums


@pytest.mark.parametrize("spec", MODELS)
@examples(80)
@given(ranked_topics(targets=(ELEMENT, PASSAGE, POINT)), st.integers(0, 6))
def test_models_read_what_they_reach(spec, ranked, lost):
    documents, results, targets = ranked
    if spec == "siblings":
        targets = [x for x in targets if x.kind == ELEMENT]
    results.insert(min(lost, len(results)), Place(None, PASSAGE))
    ranked = documents, results, targets
    choice = choice_of(spec)
    reach = model_of(choice)(record_of(ranked))
    found = read_what_is_reached(reach, record_of(ranked))
    np.testing.assert_allclose(found, one_by_one(reach.dense(), ranked), rtol=1e-12, atol=1e-12)
    assert found.tolist() == read_by(spec, ranked).tolist()


@examples(80)
@given(ranked_topics(), st.lists(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=4, max_size=4), min_size=7))
def test_characters_of_other_documents_are_read_too(ranked, matrix):
    """As along links: any result may lead to any target."""
    _, results, targets = ranked
    R = np.array(matrix)[: len(results), : len(targets)].reshape(min(len(results), len(matrix)), len(targets))
    results = results[: len(R)]
    for row, y in zip(R, results, strict=True):
        for column, x in enumerate(targets):
            row[column] = 1.0 if y.is_itself(x) else row[column]
    record = record_of((ranked[0], results, targets))
    rank, target = np.nonzero(R)
    exact = np.array([results[k].is_itself(targets[x]) for k, x in zip(rank, target, strict=True)], dtype=bool)
    reach = make_reach(*R.shape, rank, target, R[rank, target], exact)
    expected = one_by_one(R, (ranked[0], results, targets))
    np.testing.assert_allclose(read_what_is_reached(reach, record), expected, rtol=1e-12, atol=1e-12)


def still_reading(decay, tolerance, u):
    """P(still reading at distance u from the start)."""
    if decay == "step":
        return float(u <= tolerance)
    if decay == "inverse":
        return tolerance / (tolerance + u) if tolerance + u else 1.0
    return math.exp(-u / tolerance) if tolerance else float(u == 0)


@pytest.mark.parametrize("decay", ["step", "inverse", "exponential"])
@examples(60)
@given(
    tolerance=st.sampled_from([0.0, 0.5, 7.0, 300.0, 1e9]),
    start=st.integers(0, 40),
    length=st.integers(0, 40),
    document=st.integers(0, 100),
)
def test_t2i_reads_on_to_the_end(decay, tolerance, start, length, document):
    """The integral by the midpoint rule, in small steps."""
    ranked = [None], [Place(0, PASSAGE, start=start, length=length)], []
    (found,) = read_by(f"t2i:tolerance={tolerance},decay={decay}", ranked, [document])
    steps = 20_000
    width = max(0, document - start - length) / steps
    middles = (length + (step + 0.5) * width for step in range(steps))
    expected = math.fsum(still_reading(decay, tolerance, u) for u in middles) * width if tolerance else 0.0
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize(("end", "read"), [(100, 30.0), (70, 20.0), (40, 0.0), (-1, 30.0)])
def test_coverage_reads_what_its_parameter_says(end, read):
    """Up to the end of the document, where that is known; a result without length has its own share."""
    ranked = [None], [Place(0, PASSAGE, start=10, length=40), Place(0, PASSAGE, start=10, length=0)], []
    found = read_by("coverage:beyond=30", ranked, [end])
    assert found.tolist() == [read, 30.0]
    assert read_by("coverage", ranked, [end]).tolist() == [0.0, 0.0]


@examples(80)
@given(
    ranked_topics(),
    st.booleans(),
    st.sampled_from([1.0, 0.5, 0.0]),
    st.booleans(),
    st.sampled_from([1.0, 0.5, "useful:0.25"]),
)
def test_what_lowers_navigation_lowers_what_is_read(ranked, once, decay, articles, consider):
    _, results, targets = ranked
    R = matrix_of_model("hierarchical", {}, ranked)
    own = [[y.is_itself(x) for x in targets] for y in results]
    documents = [y.document for y in results]
    lowered = modifiers.modified(R, own, documents, once=once, decay=decay)  # numbers of results
    if articles:  # the ranks are items
        numbers = modifiers.positions(documents, articles=True)
        opened = [any(d == documents[j] and numbers[j] < numbers[k] for j in range(k)) for k, d in enumerate(documents)]
        factor = [0.0 if once and was else decay**n for was, n in zip(opened, numbers, strict=True)]
        lowered = np.where(own, 1.0, R * np.reshape(factor, (-1, 1))) if len(results) else R
        for item in set(numbers):
            members = [k for k, number in enumerate(numbers) if number == item]
            for k, chance in zip(members, modifiers.considered([lowered[k] for k in members], consider), strict=True):
                lowered = lowered.copy()
                lowered[k] = chance * lowered[k]
    settings = {"once": "on" if once else "off", "rank_decay": str(decay), "consider": str(consider)}
    found = read_by("hierarchical", ranked, items="article" if articles else "none", **settings)
    np.testing.assert_allclose(found, one_by_one(lowered, ranked), rtol=1e-12, atol=1e-12)


# The command line


GOLD = '{"topic": "1", "doc": "d", "doc_length": 1000, "spans": [[300, 340]]}\n'
RUN = '{"topic": "1", "doc": "d", "start": 100, "end": 200, "score": 1, "run": "r"}\n'


def written(folder, gold=GOLD, results=RUN):
    (folder / "gold.jsonl").write_text(gold)
    (folder / "run.jsonl").write_text(results)
    return f"{folder}/gold.jsonl {folder}/run.jsonl"


def averages(command):
    output = run(f"eval -f json {command}")
    assert output.status == 0, output.err
    return json.loads(output.out)["runs"][0]["all"]


def test_worked_numbers(tmp_path):
    """W1: n = 100 and b = 200; the ideal result costs 40 + 260."""
    files = written(tmp_path)
    exact = {
        "read_1": 300,
        "gen_recall_at_read_200": 0,
        "gen_recall_at_read_300": 1,
        "eprum_map": 1,
        "eprum_map:effort=size": 0.4,
        "eprum_map:effort=read": 1,
        "u_measure:L=1000": 0.9,
        "u_measure:L=1000,effort=read": 0.7,
    }
    found = averages(f"-u t2i:tolerance=300 {' '.join(f'-m {name}' for name in exact)} {files}")
    assert found == pytest.approx(exact, rel=0, abs=1e-12)
    inverse = averages(f"-u t2i:tolerance=300,decay=inverse -m read.1 -m gen_recall.1 {files}")
    assert inverse == pytest.approx({"read_1": 100 + 300 * math.log(3), "gen_recall_1": 300 / 500}, rel=0, abs=1e-12)
    assert inverse["read_1"] - 100 == pytest.approx(329.5837, abs=5e-5)
    exponential = averages(f"-u t2i:tolerance=300,decay=exponential -m read.1 {files}")
    assert exponential == pytest.approx({"read_1": 100 + 300 * (math.exp(-1 / 3) - math.exp(-3))}, rel=0, abs=1e-12)
    assert exponential["read_1"] - 100 == pytest.approx(200.0233, abs=5e-5)


def test_a_second_visit_costs_only_the_result_itself(tmp_path):
    files = written(tmp_path, results=RUN + RUN.replace("100", "600").replace("200", "650"))
    model = "-u t2i:tolerance=300"
    assert averages(f"{model} -m read.1,2,9 {files}") == {"read_1": 300, "read_2": 600, "read_9": 600}
    assert averages(f"{model},once=on -m read.2 {files}") == {"read_2": 350}
    assert averages(f"{model},rank_decay=.5 -m read.2 {files}") == {"read_2": 475}
    # one item: consider=.5 halves what is read beyond the second result, not the result
    assert averages(f"{model},items=article,consider=.5 -m read.1 {files}") == {"read_1": 300 + 50 + 125}


def test_an_empty_list_is_read_for_nothing_and_x_costs_nothing(tmp_path):
    gold = GOLD + GOLD.replace('"1"', '"2"')
    (tmp_path / "qrels").write_text("1 Q0 d 40 1000 300 300:40\n2 Q0 d 40 1000 300 300:40\n")
    (tmp_path / "run").write_text("1 Q0 X 1 9 r -1 -1\n1 Q0 d 2 8 r 100 100\n")
    options = {"measures": ["read.1,2", "gen_recall_at_read_300"], "user_model": "t2i", "complete": True}
    (found,) = evaluate(tmp_path / "qrels", tmp_path / "run", cache=False, **options).runs
    assert found.topics["1"] == {"read_1": 1.0, "read_2": 300.0, "gen_recall_at_read_300": 1.0}
    assert found.topics["2"] == {"read_1": 0.0, "read_2": 0.0, "gen_recall_at_read_300": 0.0}
    assert averages(f"-u t2i -m read.1 {written(tmp_path, gold)}") == {"read_1": 150}  # topic 2 counts as empty


@pytest.mark.parametrize("measure", ["read.5", "gen_recall_at_read.500", "u_measure:effort=read", "eprum:effort=read"])
def test_a_document_of_unknown_length_is_refused_with_the_line(tmp_path, measure):
    files = written(tmp_path, results=RUN + RUN.replace('"d"', '"other"'))
    output = run(f"eval -u t2i -m {measure} {files}")
    assert (output.status, output.out) == (1, "")
    assert output.err == (
        f"{tmp_path}/run.jsonl:2: the length of document 'other' is not known, and the user reads on: give "
        "--structure, or doc_length in the assessments (prum-eval spans --lengths writes it)\n"
    )
    assert run(f"eval -u coverage:beyond=9 -m {measure} {files}").status == 0
    with_length = GOLD + '{"topic": "1", "doc": "other", "doc_length": 150, "spans": []}\n'
    (tmp_path / "gold.jsonl").write_text(with_length)
    assert run(f"eval -u t2i -m {measure} {files}").status == 0


def test_a_target_in_a_document_of_unknown_length_is_refused(tmp_path):
    gold = GOLD + '{"topic": "1", "doc": "other", "spans": [[0, 9]]}\n'
    output = run(f"eval -u t2i -m eprum_map:effort=read {written(tmp_path, gold)}")
    assert (output.status, output.out) == (1, "")
    assert output.err == (
        f"prum-eval: {tmp_path}/gold.jsonl: topic 1: the length of document 'other' is not known, and the user reads "
        "on: give --structure, or doc_length in the assessments (prum-eval spans --lengths writes it)\n"
    )


def test_lengths_are_those_of_the_structure(tmp_path):
    """Of unjudged documents too; the assessments are of another length."""
    (tmp_path / "structure.tsv").write_text("d\t/a[1]\t0\t500\nother\t/a[1]\t0\t80\n")
    results = RUN + RUN.replace('"d"', '"other"').replace("100", "30").replace("200", "50")
    files = written(tmp_path, GOLD.replace(', "doc_length": 1000', ""), results)
    found = averages(f"-s {tmp_path}/structure.tsv -u t2i:tolerance=1000 -m read.1,2 {files}")
    assert found == {"read_1": 400, "read_2": 450}


def test_explain_divides_what_is_read(tmp_path):
    """Ranks that find nothing are read too."""
    more = [RUN.replace("100", str(at)).replace("200", str(at + 10)).replace("1,", f"{-at},") for at in (400, 950)]
    files = written(tmp_path, results="".join([RUN, *more]))
    names = ["read_1", "read_3", "gen_recall_at_read_300", "u_measure:effort=read", "eprum_map:effort=read"]
    measures = " ".join(f"-m {name}" for name in names)
    told = json.loads(run(f"explain -f json -u t2i:tolerance=300 --topic 1 {measures} {files}").out)
    added = [[rank["added"][name] for rank in told["ranks"]] for name in names]
    assert added[0] == [300, 0, 0]
    assert added[1] == [300, 300, 50]
    assert added[2] == [1, 0, 0]
    for own in told["measures"]:
        columns = added[names.index(own["name"])]
        assert sum(columns) + own["rest"] == pytest.approx(own["value"], rel=1e-12)


@pytest.mark.parametrize("effort", ["size", "read"])
def test_a_list_cut_by_explain_costs_what_its_results_cost(effort, tmp_path):
    """All results are of one document, and no items."""
    results = [RUN.replace("100", str(at)).replace("200", str(at + 20)) for at in (290, 310, 330)]
    measure = f"eprum_map:effort={effort}"
    files = written(tmp_path, results="".join(results))
    told = json.loads(run(f"explain -f json -u coverage:beyond=5 --topic 1 -m {measure} {files}").out)
    values = [0.0]
    for k in (1, 2, 3):
        files = written(tmp_path, results="".join(results[:k]))
        values.append(averages(f"-u coverage:beyond=5 -m {measure} {files}")[measure])
    assert [rank["added"][measure] for rank in told["ranks"]] == pytest.approx(np.diff(values).tolist(), rel=1e-12)
