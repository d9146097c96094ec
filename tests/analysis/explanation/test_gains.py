"""Measures without a user model are explained by gains and overlap, not by what a user reaches."""

from __future__ import annotations

import json

from prum_eval import explain
from tests.gold import run

ELEMENTS = "--topic 101 -s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml"
TEXT = "--topic 101 fixtures/demo/judged.txt fixtures/demo/run-a.offsets.run"


def lines(command):
    output = run(f"explain {command}")
    assert output.status == 0, output.err
    return output.out.splitlines()


def test_gains_and_overlap_of_elements():
    shown = lines(f"-m map {ELEMENTS}")
    assert shown[1] == "no user model, targets relevant, quantisation gen, N 65"
    assert "5 of 11 relevant items among the results" in shown
    # rank 5, section 2 of harbours (577 characters, 200 highlighted), holds the paragraph of rank 3 (298)
    place = shown.index("    5  harbours /article[1]/body[1]/section[2]")
    assert shown[place + 1 : place + 3] == [
        "       gain 0.3466, overlap 298 of 577 characters",
        "       adds map +0.0727",
    ]
    assert not [line for line in shown if "reach" in line or "seen" in line]


def test_gains_and_overlap_of_passages():
    shown = lines(f"-m maip:overlap=novel {TEXT}")
    place = shown.index("    6  tides 5+820")
    # the paragraph of rank 2 (412 characters) lies in it; two passages of 562 characters are highlighted in it
    assert shown[place + 1] == "       gain 562 of 820 characters, overlap 412"
    assert shown[place + 2].startswith("       adds maip:overlap=novel +0.0")
    assert not [line for line in shown if "reach" in line or "seen" in line]


def test_documents_have_a_gain_and_no_extent():
    shown = lines("-m ndcg --topic 1 fixtures/toy/qrels fixtures/toy/run")
    assert "       gain 1.0000" in shown
    assert not [line for line in shown if "overlap " in line or "reach" in line]


def test_a_measure_of_a_user_still_shows_what_is_reached():
    shown = lines(f"-m map -m eprum_map {ELEMENTS}")
    assert any("can be reached" in line for line in shown)
    assert not [line for line in shown if line.strip().startswith("gain ")]


def test_gains_in_json_and_python():
    data = json.loads(run(f"explain -f json -m map {ELEMENTS}").out)
    result = data["ranks"][4]["results"][0]
    assert (round(result["gain"], 4), result["size"], result["overlap"], result["relevant"]) == (0.3466, 577, 298, 200)
    explanation = explain("fixtures/toy/qrels", "fixtures/toy/run", "1", measures="map")
    assert [gain.gain for (gain,) in explanation.gains] == [1.0, 1.0, 0.0]
    assert explain("fixtures/toy/qrels", "fixtures/toy/run", "1", measures="eprum_map").gains == ()


def test_the_page_shows_gains():
    page = run(f"explain -f html -m map {ELEMENTS}").out
    assert "gain 0.3466, overlap 298 of 577 characters" in page
    assert "gain and overlap" in page
    assert "reaches" not in page.partition("<main>")[2].partition("<script>")[0]
