"""`measures --show`: what it prints and draws."""

from __future__ import annotations

from dataclasses import replace

import pytest

from prum_eval import Answers, UsageError, answers, render
from prum_eval.report.plots import answers_svg
from tests.gold import run
from tests.report.drawn import groups, on_one_scale, texts


def test_values_and_bars():
    output = run("measures --show eprum_map")
    assert (output.status, output.err) == (0, "")
    assert output.out == SHOWN
    assert run("measures eprum_map --show").out == SHOWN


@pytest.mark.parametrize("name", ["ric", "chunk_budgets", "bepd", "eprum_map:user_model=t2i,at_recall=ratio"])
def test_it_fits_80_columns(name):
    output = run(f"measures --show {name}")
    assert output.status == 0
    assert max(map(len, output.out.splitlines())) <= 80


def test_what_is_refused_is_told():
    text = run("measures --show magp").out
    assert "\n.4    0.77 ███▏ mixed  refused  2" in text
    assert (
        "refused (overlap): comes back after another one; in context, the results of a\n"
        "  document stand together: --merge document brings them there\n"
    ) in text
    assert run("measures --show size_10").out.startswith("size_10 (1 stands for 48,947)\n")


def test_the_picture(tmp_path):
    path = tmp_path / "a.svg"
    assert run(f"measures --show prum --plot {path}").status == 0
    svg = path.read_bytes()
    said = texts(svg)
    assert {"near misses", "overlap", "noise in front", "missing targets", "reading effort", "prum_map"} <= set(said)
    found = answers("prum")
    drawn = [groups(svg, f"answer-{number}") for number in (0, 1)]
    ys, places = [], []
    for number, own in enumerate(found.by_measure.values()):
        for one in own:
            places += drawn[number][f"{one.situation.name}:{one.measure}"][:, 1].tolist()
            ys += [value - 2 * number for value in one.values]
    count = len(ys) // 2
    for part in (slice(0, count), slice(count, None)):
        assert on_one_scale(ys[part], places[part]) < 0


def test_the_small_picture_has_every_value():
    found = answers("bic")
    svg = answers_svg(found)
    assert svg == answers_svg(answers("bic"))
    assert svg.count("<title>") == 5 * len(found.by_measure)
    assert "<title>bic_magp, missing targets: 0: 1, 3: 0.75, 6: 0.5, 9: 0.25, 11: 0.08333</title>" in svg
    assert svg.count(">refused</text>") == len(found.by_measure)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("--show", "Error: --show needs the NAME of a measure"),
        ("map --plot a.svg", "Error: --plot is for --show"),
        ("--show t2j", "prum-eval: no measure t2j; did you mean t2i?"),
        ("--show rbp:p=2", "prum-eval: p=2: p is a number from 0 to 1"),
    ],
)
def test_bad_usage(command, message):
    output = run(f"measures {command}")
    assert (output.status, output.out) == (2, "")
    assert output.err.splitlines()[-1] == message


def test_too_many_measures_for_a_picture():
    found = answers("gen_recall")
    many = Answers(tuple(replace(one, measure=f"m{number}") for number in range(21) for one in found.answers))
    with pytest.raises(UsageError, match=r"^--plot: 21 measures are too many for one picture, which holds 20$"):
        render(many, "png")


SHOWN = """\
eprum_map
near misses     overlap         noise in front  missing targets reading effort
0     1.00 ████ none  1.00 ████ 0     1.00 ████ 0     1.00 ████ 0     1.00 ████
.2    0.78 ███▏ last  1.00 ████ 1     0.80 ███▎ 3     0.88 ███▌ 1     0.11 ▌
.4    0.61 ██▌  mixed 0.40 █▋   2     0.69 ██▊  6     0.58 ██▍  2     0.05 ▎
.6    0.44 █▊   first 0.23 ▉    4     0.54 ██▏  9     0.29 █▏   3     0.05 ▎
.8    0.34 █▍                   8     0.39 █▌   11    0.10 ▍

near misses     each result moves up or down its document, one more step with
                probability m
overlap         the ancestors of all results are listed too: last of all, mixed
                in right behind each result, or first of all
noise in front  so many elements of documents without a target stand before the
                list
missing targets so many of the 12 targets, those at the end of the list, are
                missing
reading effort  in place of each target stands the element that holds it, so
                many levels up: more to read for the same
"""
