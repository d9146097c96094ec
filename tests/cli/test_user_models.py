"""The user models through -u, on topic 103 of the demonstration, where everything can be worked out by hand.

Targets: paragraphs 2 (from 331, 275 characters) and 3 (from 606, 180) of section 1 (from 15, 771) of sourdough (1134).
Results: paragraph 1 (from 26, 305), paragraph 2, section 2 (from 786), section 1, a section of windmills.
"""

from __future__ import annotations

import json
import math

import pytest

from tests.gold import run

INPUTS = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml"
MEAN = (1743 + 1135 + 964 + 1003 + 1134 + 466) / 6
IN_SECTION = 180 / 771


def recall(options, inputs=INPUTS, topic="103"):
    output = run(f"eval -f json -m gen_recall.1,2,3,4,5 {options} {inputs}")
    assert output.status == 0, output.err
    return list(json.loads(output.out)["runs"][0]["topics"][topic].values())


def logistic(distance, rate=0.01):
    return 2 / (1 + math.exp(rate * distance))


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("none", [0, 0.5, 0.5, 0.5, 0.5]),
        ("hierarchical", [0, 0.5, 0.5, (1 + IN_SECTION) / 2, (1 + IN_SECTION) / 2]),
        ("hierarchical:once=on", [0, 0.5, 0.5, 0.5, 0.5]),
        ("hierarchical:rank_decay=0.5", [0, 0.5, 0.5, (1 + IN_SECTION / 8) / 2, (1 + IN_SECTION / 8) / 2]),
        ("t2i", [0, 1, 1, 1, 1]),  # 305 to the first target; from the second result 275 to paragraph 3
        ("t2i:tolerance=300", [0, 1, 1, 1, 1]),
        ("t2i:tolerance=305", [0.5, 1, 1, 1, 1]),
        ("t2i:tolerance=580", [1, 1, 1, 1, 1]),
        ("t2i:tolerance=200", [0, 0.5, 0.5, 0.5, 0.5]),
        ("logistic", [(logistic(305) + logistic(580)) / 2]),
        ("logistic:lambda=0.1", [(logistic(305, 0.1) + logistic(580, 0.1)) / 2]),
        ("siblings", [(0.25 + 0.25**2) / 2]),
        ("siblings:p=0.5", [(0.5 + 0.5**2) / 2, (1 + 1 - 0.75 * 0.5) / 2]),
        ("siblings:p=0", [0, 0.5, 0.5, (1 + IN_SECTION) / 2]),
        ("t2i:tolerance=305,decay=inverse", [(305 / 610 + 305 / 885) / 2]),
    ],
)
def test_what_a_reader_has_seen(model, expected):
    assert recall(f"-u {model}")[: len(expected)] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("options", "scale"),
    [
        ("", MEAN),
        ("-u bep-distance", MEAN),
        ("-u bep-distance:A=0.1", 0.1 * MEAN),
        ("-u bep-distance:A=2,L=500", 1000),
        ("-u bep-distance --set L=500", 500),
    ],
)
def test_nearness_of_the_best_entry_point(options, scale):
    # the best entry point is the beginning of paragraph 2
    expected = [scale / (scale + 305), 1, 1, 1, 1]
    assert recall(f"--targets bep {options}") == pytest.approx(expected, abs=1e-12)


def test_hierarchical_is_the_default_where_extents_are_known():
    assert recall("") == recall("-u hierarchical")
    assert recall("", "fixtures/demo/assessments fixtures/demo/run-a.xml") != recall("-u none")


def test_without_a_structure_extents_are_those_of_the_assessments():
    # paragraph 1 and section 2 are not listed, section 1 is
    seen = recall("", "fixtures/demo/assessments fixtures/demo/run-a.xml")
    assert seen == pytest.approx([0, 0.5, 0.5, (1 + IN_SECTION) / 2, (1 + IN_SECTION) / 2], abs=1e-12)


def linked(tmp_path, *links):
    documents = {"a": [], "b": [], "c": []}
    for source, target, probability in links:
        attribute = "" if probability is None else f' probability="{probability}"'
        documents[source].append(f'<link path="/article[1]" to="{target}"{attribute}/>')
    text = "".join(
        f'<document id="{name}"><element tag="article" start="0" length="10"/>{"".join(own)}</document>'
        for name, own in documents.items()
    )
    (tmp_path / "structure.xml").write_text(f"<collection>{text}</collection>", encoding="utf-8")
    (tmp_path / "qrels").write_text("1 0 c 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("1 Q0 a 1 1 r\n", encoding="utf-8")
    return f"-s {tmp_path}/structure.xml {tmp_path}/qrels {tmp_path}/run"


@pytest.mark.parametrize(
    ("links", "options", "seen"),
    [
        ([("a", "c", None)], "-u graph", 0.85),
        ([("a", "c", None)], "-u graph:damping=0.5", 0.5),
        ([("a", "b", None), ("a", "c", None)], "-u graph", 0.85 / 2),
        ([("a", "b", None), ("b", "c", None)], "-u graph", 0.85**2),
        ([("a", "b", None), ("b", "a", None), ("b", "c", None)], "-u graph", 0.85 * 0.425 / (1 - 0.85 * 0.425)),
        ([("a", "b", 0.5), ("b", "c", 0.4), ("a", "c", 0.1)], "-u graph", 0.1 + 0.5 * 0.4),
    ],
)
def test_links_of_the_structure_are_steps(tmp_path, links, options, seen):
    assert recall(options, linked(tmp_path, *links), topic="1")[0] == pytest.approx(seen, abs=1e-12)


@pytest.mark.parametrize(("kind", "seen"), [("reach", 0.5), ("step", 0.536)])
def test_navigation_kind(kind, seen):
    folder = "fixtures/worked/W1"
    inputs = f"-u graph --navigation {folder}/navigation.tsv {folder}/qrels {folder}/run"
    assert recall(f"--navigation-kind {kind}", inputs, topic="y")[0] == pytest.approx(seen, abs=1e-12)


def test_lines_of_one_topic_come_before_those_of_all(tmp_path):
    (tmp_path / "navigation").write_text("x\ty\t.5\nz\tx\ty\t.25\nz\tx\tz\t.75\n", encoding="utf-8")
    inputs = f"-u graph --navigation {tmp_path}/navigation fixtures/worked/W1/qrels fixtures/worked/W1/run"
    assert [recall("", inputs, topic)[0] for topic in "yz"] == [0.5, 0.75]


@pytest.mark.parametrize("text", ["tolerance=300", "tolerance=100,decay=inverse"])
def test_labels_keep_the_parameters_asked_for(text):
    inputs = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml"
    out = run(f"eval -m gen_recall.1:user_model=t2i,{text} {inputs}").out
    label = ",".join(sorted([*text.split(","), "user_model=t2i"]))
    assert out.startswith(f"gen_recall_1:{label}\tall\t")
    assert run(f"eval -m {out.split(chr(9))[0]} {inputs}").out == out  # a printed name is accepted as input
