"""Which pairs count of a log, what is remarked on, and that the order of lines does not matter: a log by hand."""

from __future__ import annotations

import random

import pytest

import prum_eval
from prum_eval.errors import DataError
from prum_eval.evaluation.inputs import read_inputs
from prum_eval.evaluation.resolution import make_list_locator
from prum_eval.experiments.fit_log import (
    Remark,
    Remarks,
    collect_pairs,
    collect_visits,
    collect_walks,
    count_persistence,
    locate_places,
)
from prum_eval.formats.reading import read_log
from prum_eval.records import UserLog
from tests.experiments.fit.worlds import GIVEN, WORLD, log_of

PASSAGES = """\
{"topic": "1", "doc": "a", "doc_length": 1000, "spans": [[100, 150], [400, 480], [700, 710]]}
{"topic": "1", "doc": "b", "doc_length": 500, "spans": [[0, 20]]}
{"topic": "1", "doc": "c", "doc_length": 90, "spans": []}
"""
LOG = """\
s2	1	2	a@90:30	a@400:80	a@400:80
s2	1	1	a@700:10	b@0:20	a@3:4	stop=1
s1	1	1	a@90:30	a@400:80	zz@1:2	read=50
s1	1	4	a@0:100	a@400:80	a@100:50	a@0:100
s3	9	1	a@0:10
s1	1	5	zz@0:5
s3	1	1	c@0:90
"""


@pytest.fixture
def made(write):
    def made(text=LOG, assessments=PASSAGES, *, everywhere=False):
        inputs = read_inputs(write(assessments, "gold.jsonl"))
        log = read_log(write(text, "log"))
        remarks = Remarks()
        places = locate_places(log, make_list_locator(inputs, None, "gen"), graph=False)
        visits = collect_visits(log, places, remarks)
        return visits, collect_pairs(visits, remarks, everywhere=everywhere), remarks

    return made


def rows(pairs):
    """(session, ranks before, start of the target, viewed) of each pair."""
    found = []
    place, target = [], []
    for one in pairs.distinct_pairs:
        place += one.place.tolist()
        target += one.places.targets.locations.start[one.target].tolist()
    for session, before, pair, viewed in zip(pairs.session, pairs.ranks_before, pairs.pair, pairs.viewed, strict=True):
        found.append((int(session), int(before), target[pair], bool(viewed)))
    return found


def test_pairs_of_a_result_and_what_was_not_seen_in_its_document(made):
    _, pairs, _ = made()
    assert rows(pairs) == [
        (0, 0, 100, False), (0, 0, 400, True), (0, 0, 700, False),  # s1, rank 1
        (0, 3, 100, True), (0, 3, 700, False),  # rank 4: 400 was seen
        (1, 0, 100, False), (1, 0, 400, False),  # s2, rank 1 is the third target itself
        (1, 1, 100, False), (1, 1, 400, True),  # rank 2: 700 was seen, as a result
    ]  # fmt: skip


def test_along_a_graph_targets_of_all_documents_count(made):
    _, pairs, _ = made(everywhere=True)
    assert (1, 0, 0, True) in rows(pairs)  # b@0:20, viewed from a@700:10
    assert not [row for row in rows(pairs) if row[:2] == (1, 1) and row[2] == 0]  # then it was seen


def test_an_earlier_result_opened_the_document(made):
    _, pairs, _ = made()
    assert pairs.document_opened.tolist() == [False] * 3 + [True] * 2 + [False] * 2 + [True] * 2


def test_remarks_by_line(made):
    _, _, remarks = made()
    assert {one.remark: one.lines for one in remarks.reports()} == {
        Remark.UNASSESSED: (5,),
        Remark.UNKNOWN_RESULT: (6,),
        Remark.NO_TARGET: (1, 3, 4, 7),
        Remark.UNKNOWN_VIEW: (3,),
        Remark.STRAY_VIEW: (2, 4),
        Remark.REPEATED_VIEW: (1, 4),
        Remark.OUTSIDE_VIEW: (2,),
        Remark.OUT_OF_ORDER: (2, 6),
        Remark.EARLY_STOP: (2,),
    }
    texts = [one.text for one in remarks.reports()]
    assert texts[0] == "1 result is of a topic without assessments (line 5)"
    assert "4 results are no targets themselves (lines 1, 3, 4 and 7)" in texts
    assert "2 views are of targets seen before (lines 1 and 4)" in texts


def test_a_view_of_the_result_itself(made):
    _, _, remarks = made("s\t1\t1\ta@400:80\ta@400:80\n")
    assert [one.text for one in remarks.reports()] == ["1 view is of the result itself (line 1)"]


def test_entry_points_are_viewed_where_they_begin(write):
    judged = "1 Q0 a 50 1000 100 100:50\n1 Q0 a2 50 900 70 70:50\n"
    inputs = read_inputs(write(judged, "qrels"))
    log = read_log(write("s\t1\t1\ta@40:9\ta@100:7\ns\t1\t2\ta2@70:1\n", "log"))
    remarks = Remarks()
    visits = collect_visits(log, locate_places(log, make_list_locator(inputs, "bep", "gen"), graph=False), remarks)
    assert rows(collect_pairs(visits, remarks, everywhere=False)) == [(0, 0, 100, True)]
    assert [one.remark for one in remarks.reports()] == [Remark.NO_TARGET]


def test_persistence_counts_ranks_and_stops(made):
    """s1 went on 4 times, s2 once, s3 never; s2 says stop before its last rank, which is no stop."""
    visits, _, _ = made()
    counted = count_persistence(visits)
    assert (counted.part.tolist(), counted.whole.tolist()) == ([4, 1, 0], [4, 1, 0])
    stopped = LOG.replace("a@400:80\ta@400:80\n", "a@400:80\ta@400:80\tstop=1\n")
    visits, _, _ = made(stopped)
    assert count_persistence(visits).share() == 5 / 6


def test_paths_need_a_structure(made):
    with pytest.raises(DataError, match="the log gives element paths, the assessments are of passages"):
        made("s\t1\t1\ta#/x[1]\n")


FLAT = {"1": {"x": 1, "y": 1, "z": 1}}
WALKS = """\
s1	1	1	x	y	z	y
s1	1	2	z	y	stop=1
s2	1	1	x	z
s3	1	1	x	stop=1
s4	1	1	y	y	z	stop=1
"""


def test_steps_by_hand(write):
    """From x: to y, to z, a stop; from y: twice to z, a stop twice; from z: twice to y, a stop; not s2's last."""
    log = read_log(write(WALKS))
    remarks = Remarks()
    placing = make_list_locator(read_inputs(FLAT), None, "gen")
    visits = collect_visits(log, locate_places(log, placing, graph=True), remarks)
    walks = collect_walks(visits, remarks)
    file = walks.navigation()
    steps = dict(zip(zip(file.source, file.target, strict=True), file.probability.tolist(), strict=True))
    assert steps == {("x", "y"): 1 / 3, ("x", "z"): 1 / 3, ("y", "z"): 2 / 4, ("z", "y"): 2 / 3}
    assert walks.damping().share() == 6 / 10
    own = walks.navigation([0])
    assert dict(zip(zip(own.source, own.target, strict=True), own.probability.tolist(), strict=True)) == {
        ("x", "y"): 1.0, ("y", "z"): 1 / 3, ("z", "y"): 1.0,
    }  # fmt: skip
    assert walks.step("y", "z").part.tolist() == [1, 0, 0, 1]
    assert walks.step("y", "z").whole.tolist() == [3, 0, 0, 1]


@pytest.mark.parametrize("model", ["bep-distance", "t2i", "siblings"])
def test_the_order_of_lines_does_not_matter(model):
    log = log_of("bep-distance:A=.3", 60)
    lines = list(log.lines)
    random.Random(4).shuffle(lines)
    shuffled = UserLog("log", tuple(lines))
    first, second = (prum_eval.fit(WORLD.assessments, one, model, trials=50, **GIVEN) for one in (log, shuffled))
    assert first.models == second.models
    assert (first.size, first.persistence, first.baseline) == (second.size, second.persistence, second.baseline)
