"""What the benchmarks write: sentences, tables and a picture, of figures that are made up."""

from __future__ import annotations

import pytest

from bench import figures, growth, memory
from bench.__main__ import with_floors
from bench.aims import AIMS, PACE, Aim, aims_table
from bench.cases import elements, tables
from bench.commands import Case, Folders
from bench.gen_inex import generate
from bench.growth_picture import write_picture
from bench.memory import Pair, Sized
from bench.page import PAGE, table, write_section
from bench.processes import Measured
from bench.sentences import sentence, span
from bench.work import NAMES

GROWTH = [
    growth.Growth(name, [growth.Point(10, 2, 0.2), growth.Point(100, 2, 0.3), growth.Point(1000, 2, 1.2)])
    for name in ("results a topic", "targets a topic", "topics", "runs")
]


@pytest.fixture(scope="module")
def all_tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    generate(folder, "small", topics=1)
    return tables(Folders(folder, *[folder] * len(NAMES)))


def test_every_sentence_has_its_numbers_from_rows(all_tables):
    rows = {case.name: Measured(1.25, 77) for cases in all_tables.values() for case in cases}
    for title in all_tables:
        said = sentence(title, rows)
        assert "1.2" in said
        assert said.endswith(".")
        assert sentence(title, {}) == "Not measured."


def test_what_a_row_is_compared_with_is_measured_too():
    cases = [Case("a", []), Case("b", [], "a"), Case("c", [], "b"), Case("d", [], "a")]
    assert [case.name for case in with_floors(cases, "c")] == ["a", "b", "c"]


def test_every_aim_is_about_rows(all_tables):
    names = {case.name for cases in all_tables.values() for case in cases} | {
        "trec_eval, a million lines",
        "inex_eval, thorough",
    }
    assert {aim.row for aim in AIMS} | {aim.to for aim in AIMS if aim.to} <= names


def test_aims_are_ratios_seconds_or_memory():
    aims = (Aim("a", 2.0, "b"), Aim("a", 1.0), Aim("b", 9.0, megabytes=50), Aim("c", 1.0))
    rows = {"a": Measured(3, 10), "b": Measured(2, 60)}
    said, _, _, _, *lines = aims_table(rows, aims)
    assert said.startswith("1 of 4 are reached, 2 missed, 1 not measured. ")
    assert lines == [
        "| a | 1.50 times, 10 MB | 2 times b | yes |",
        "| a | 3.00 s, 10 MB | 1.0 s (1) | no |",
        "| b | 2.00 s, 60 MB | 9.0 s (9), 50 MB | no |",
        "| c | not measured | 1.0 s (1) |  |",
    ]


def test_seconds_are_those_of_a_machine_as_slow_as_this():
    rows = {"a": Measured(3, 10), elements.STRUCTURE: Measured(4 * PACE, 1)}
    said, _, _, _, line, ratio = aims_table(rows, (Aim("a", 1.0), Aim("a", 1.0, "a")))
    assert "takes 4.00 times what it took" in said
    assert line == "| a | 3.00 s, 10 MB | 4.0 s (1) | yes |"
    assert ratio == "| a | 1.00 times, 10 MB | 1 times a | yes |"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0012, "1.2 ms"), (0.045, "45 ms"), (0.314, "0.31 s"), (1.31, "1.3 s"), (12.3, "12 s")]
)
def test_times_are_said_with_two_digits(seconds, text):
    assert span(seconds) == text


def test_what_is_held_is_a_slope():
    assert memory.slope(100, 110, 1000, 2000) == 10 * 2**20 / 1000
    assert memory.slope(100, 99, 1000, 2000) == 0
    pair = Pair("result", "a run", Sized(1000, ["few"]), Sized(2000, ["many"]))
    peaks = {"few": 100.0, "many": 110.0}
    (line,) = memory.rows([pair], lambda command: peaks[command[0]])
    assert line == ["result", "a run", "1,000", "2,000", "100", "110", "10,486"]


def test_growth_is_said_by_its_power():
    assert growth.slope(GROWTH[0].points, 0.2) == pytest.approx(1)
    lines = growth.tables(0.2, GROWTH)
    assert len([line for line in lines if "with the power 1.00 " in line]) == 4
    assert "| 100 | 0.30 | 500.0 |" in lines
    assert "| 100 | 0.30 | 1.0 |" in lines


def test_growth_is_drawn_in_four_panels(tmp_path):
    write_picture(0.1, GROWTH, tmp_path / "growth.svg")
    svg = (tmp_path / "growth.svg").read_text(encoding="utf-8")
    assert [name for name, _ in GROWTH if f">{name}</text>" in svg] == [name for name, _ in GROWTH]
    assert svg.count(">seconds</text>") == 4


def test_a_section_is_replaced_between_its_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- one -->\nold\n<!-- /one -->\nafter\n", encoding="utf-8")
    for _ in range(2):
        write_section("one", table("a | b", [[1, 2]]), page)
    assert page.read_text(encoding="utf-8") == (
        "before\n<!-- one -->\n| a | b |\n|---|---|\n| 1 | 2 |\n<!-- /one -->\nafter\n"
    )


@pytest.mark.parametrize("name", ["aims", "measured", "memory", "many runs", "cluster runs", "growth"])
def test_the_page_has_a_place_for_every_section(name):
    text = PAGE.read_text(encoding="utf-8")
    assert text.count(f"<!-- {name} -->\n") == text.count(f"\n<!-- /{name} -->") == 1


def test_figures_are_kept_and_joined(tmp_path):
    figures.save_rows("small", {"a": Measured(1, 2), "b": Measured(3, 4, 5)}, tmp_path)
    figures.save_rows("small", {"a": Measured(6, 7)}, tmp_path)
    assert figures.load_rows("small", tmp_path) == {"a": Measured(6, 7), "b": Measured(3, 4, 5)}
    assert figures.load("nothing", tmp_path) is None
