"""What --change and --vary take, and what they say of the rest; --from, --to and --duplicates beside them."""

from contextlib import suppress
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import simulate
from prum_eval.errors import UsageError
from prum_eval.experiments.changes import CHANGE_BY_NAME, ChosenChange, parse_change
from prum_eval.experiments.simulate import make_variants
from prum_eval.value_lists import parse_value_list
from tests.measures.collections import examples

DEMO = "fixtures/demo/assessments"
STRUCTURE = "fixtures/demo/structure.tsv"
CHANGES = "move, parents, children, siblings, articles, ancestors, drop, keep, noise, reverse, shuffle, jitter"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ("shift:m=.3", f"no change shift (there are: {CHANGES})"),
        ("Move:m=.3", f"no change Move (there are: {CHANGES}); did you mean move?"),
        ("", f"no change  (there are: {CHANGES})"),
        ("move", "move needs m (a number from 0 to 1): move:m=..."),
        ("move:m=2", "move: m=2: m is a number from 0 to 1"),
        ("move:m=-.1", "move: m=-.1: m is a number from 0 to 1"),
        ("move:m=x", "move: m=x: m is a number from 0 to 1"),
        ("move:m=.3,axis=left", "move: axis=left: axis is updown or siblings"),
        ("move:p=.3", "move has no parameter p (it has: m, axis)"),
        ("parents:m=.3", "parents has no parameter m (it has none)"),
        ("move:m", "'m' is not a setting; write key=value"),
        ("move:m=.1,m=.2", "m is set twice"),
        ("drop", "drop needs p (a number from 0 to 1): drop:p=..."),
        ("keep", "keep needs share (a number from 0 to 1) or n (a whole number from 0 up): keep:share=..."),
        ("keep:share=.5,n=3", "keep takes share or n, not both"),
        ("keep:n=1.5", "keep: n=1.5: n is a whole number from 0 up"),
        ("noise", "noise needs n (a whole number from 0 up): noise:n=..."),
        ("noise:n=1,place=last", "noise: place=last: place is front or between or end"),
        ("ancestors:place=inside", "ancestors: place=inside: place is after or before or around"),
        ("jitter", "jitter needs characters (a whole number from 0 to 1000000000): jitter:characters=..."),
        ("jitter:characters=5", "jitter changes passages and best entry points; these results are elements"),
    ],
)
def test_a_bad_change_is_told_what_is_allowed(changes, message):
    with pytest.raises(UsageError) as caught:
        simulate(DEMO, structure=STRUCTURE, changes=changes)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("changes", "vary", "message"),
    [
        ("move", "m=0:1:.1", "--vary m=0:1:.1: write CHANGE.KEY=VALUES"),
        ("move", "move.m", "--vary move.m: write CHANGE.KEY=VALUES"),
        ("move", "move.m=", "--vary move.m=: write CHANGE.KEY=VALUES"),
        ("move", "movee.m=1", "--vary movee.m=1: no --change movee (there are: move); did you mean move?"),
        ((), "move.m=1", "--vary move.m=1: no --change move (there is none)"),
        ("move", "move.p=1", "--vary move.p=1: move has no parameter p (it has: m, axis)"),
        ("parents", "parents.p=1", "--vary parents.p=1: parents has no parameter p (it has none)"),
        ("move", "move.m=0,2", "--vary move.m=0,2: move: m=2: m is a number from 0 to 1"),
        ("move", "move.axis=siblings", "move needs m (a number from 0 to 1): move:m=..."),
        ("move:m=.3", "move.m=0,1", "--vary move.m=0,1: --change move:m=0.3 says m already"),
        ("move", "move.m=0.1,.1", "--vary move.m=0.1,.1: 0.1 is listed twice"),
        (
            "move",
            "move.m=0:1",
            (
                "--vary move.m=0:1: '0:1' is not a list of values; "
                "write VALUE,VALUE,..., FIRST:LAST:STEP or FIRST:LAST:logN"
            ),
        ),
    ],
)
def test_a_bad_list_of_values_is_told_what_is_allowed(changes, vary, message):
    with pytest.raises(UsageError) as caught:
        simulate(DEMO, structure=STRUCTURE, changes=changes, vary=vary)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0:.9:.1", ["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"]),
        ("0:1:.3", ["0", "0.3", "0.6", "0.9"]),
        ("0:.3:.1", ["0", "0.1", "0.2", "0.3"]),  # .1 + .1 + .1 is more than .3
        ("1:1:5", ["1"]),
        ("-1:1:1", ["-1", "0", "1"]),
        ("0:1e6:250000", ["0", "250000", "500000", "750000", "1000000"]),
        (".01:100:log5", ["0.01", "0.1", "1", "10", "100"]),
        ("8:1:log4", ["8", "4", "2", "1"]),
        ("a,b", ["a", "b"]),
        ("useful:0.5,.2", ["useful:0.5", ".2"]),
        (".50", [".50"]),
    ],
)
def test_values_are_listed_or_counted_up_to_the_last(text, values):
    assert parse_value_list(text) == values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,,2", "'1,,2' has an empty value; write VALUE,VALUE,..., FIRST:LAST:STEP or FIRST:LAST:logN"),
        ("a:b:c", "'a:b:c' is not a list of values; write VALUE,VALUE,..., FIRST:LAST:STEP or FIRST:LAST:logN"),
        ("1:2:3:4", "'1:2:3:4' is not a list of values; write VALUE,VALUE,..., FIRST:LAST:STEP or FIRST:LAST:logN"),
        ("0:1:0", "'0:1:0': FIRST:LAST:STEP takes a LAST from FIRST up, and a STEP above 0"),
        ("1:0:.1", "'1:0:.1': FIRST:LAST:STEP takes a LAST from FIRST up, and a STEP above 0"),
        ("0:1:log3", "'0:1:log3': logN takes two numbers above 0, and N from 2 up"),
        ("1:2:log1", "'1:2:log1': logN takes two numbers above 0, and N from 2 up"),
        ("0:1:1e-9", "'0:1:1e-9': more than 10000 values"),
        ("1:1e400:1", "'1:1e400:1' is not a list of values; write VALUE,VALUE,..., FIRST:LAST:STEP or FIRST:LAST:logN"),
        ("1:2:log99999", "'1:2:log99999': more than 10000 values"),
    ],
)
def test_what_is_no_list_of_values_is_said(text, message):
    with pytest.raises(UsageError) as caught:
        parse_value_list(text)
    assert str(caught.value) == message


PIECES = st.lists(
    st.sampled_from(
        [
            "move",
            "keep",
            "noise",
            ":",
            "=",
            ",",
            ".",
            "m",
            "n",
            "share",
            "0",
            "1",
            "1e400",
            "1e-320",
            "1e-400",
            "log",
            "3",
            "-",
            "x",
        ]
    )
)


@examples(400)
@given(PIECES)
def test_any_text_is_a_list_of_values_or_said_to_be_none(pieces):
    text = "".join(pieces)
    for parse in (parse_value_list, partial(parse_change, changes=CHANGE_BY_NAME)):
        try:
            parse(text)
        except UsageError:
            continue
    with suppress(UsageError):
        make_variants([ChosenChange(CHANGE_BY_NAME["move"], {})], text)


@examples(200)
@given(st.integers(-50, 50), st.integers(1, 400), st.integers(1, 300), st.sampled_from([1, 10, 100]))
def test_steps_hit_every_value_to_the_last(first, step, count, scale):
    text = f"{first / scale}:{(first + step * count) / scale}:{step / scale}"
    found = parse_value_list(text)
    assert [float(one) for one in found] == [(first + step * number) / scale for number in range(count + 1)]


def test_a_value_goes_where_it_is_missing():
    changes = ["move:m=.2", "reverse", "move:axis=siblings"]
    made = simulate(DEMO, structure=STRUCTURE, changes=changes, vary="move.m=0,.90")
    assert [one.changes for one in made] == [
        "move:m=0.2 reverse move:axis=siblings,m=0", "move:m=0.2 reverse move:axis=siblings,m=0.9",
    ]  # fmt: skip
    assert [one.value for one in simulate(DEMO, structure=STRUCTURE, changes="move:m=.5", vary="move.axis=updown")] == [
        "updown"
    ]


@pytest.mark.parametrize(
    "change", ["parents", "children", "siblings", "articles", "ancestors", "move:m=.1", "noise:n=1"]
)
def test_trees_are_asked_for(change):
    name = change.partition(":")[0]
    with pytest.raises(UsageError) as caught:
        simulate(DEMO, changes=change)
    assert str(caught.value) == f"{name} needs the trees of the documents: give --structure"


@pytest.mark.parametrize("change", ["parents", "children", "siblings", "articles", "ancestors", "move:m=.1"])
@pytest.mark.parametrize(
    ("source", "assessments", "kind"),
    [
        ("bep", DEMO, "passages or entry points"),
        ("ideal", "fixtures/toy/qrels", "documents"),
        ("fixtures/demo/run-a.offsets.run", DEMO, "passages or entry points"),
    ],
)
def test_only_elements_have_relatives(change, source, assessments, kind):
    with pytest.raises(UsageError) as caught:
        simulate(assessments, source, structure=STRUCTURE if assessments == DEMO else None, changes=change)
    name = change.partition(":")[0]
    assert str(caught.value) == f"{name} changes elements; these results are {kind}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"to": "qrels-trec"},
            (
                "qrels-trec is not a form of runs (there are: run-trec, run-paths, run-ranges, run-offsets, run-xml, "
                "run-jsonl)"
            ),
        ),
        (
            {"to": "run-jsonl", "duplicates": "hold"},
            (
                "duplicates held are written as X, which run-jsonl has no mark for "
                "(these have: run-paths, run-ranges, run-offsets)"
            ),
        ),
    ],
)
def test_a_form_has_to_hold_the_run(options, message):
    with pytest.raises(UsageError) as caught:
        simulate(DEMO, **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("assessments", "source", "form"),
    [
        (DEMO, "ideal", "run-paths"),
        (DEMO, "bep", "run-offsets"),
        (DEMO, "passages", "run-offsets"),
        ("fixtures/demo/judged.txt", "ideal", "run-offsets"),
        ("fixtures/rag/gold.jsonl", "ideal", "run-jsonl"),
        ("fixtures/rag/gold.jsonl", "fixtures/rag/windows.jsonl", "run-jsonl"),
        ("fixtures/toy/qrels", "ideal", "run-trec"),
        ("fixtures/toy/qrels", "fixtures/toy/run", "run-trec"),
        (DEMO, "fixtures/demo/run-a.xml", "run-paths"),
        (DEMO, "fixtures/demo/run-a.offsets.run", "run-offsets"),
    ],
)
def test_the_form_comes_from_the_results_unless_it_is_said(assessments, source, form):
    structure = STRUCTURE if assessments == DEMO else None
    assert simulate(assessments, source, structure=structure).form == form
    assert simulate(assessments, source, structure=structure, to="run-xml").form == "run-xml"
