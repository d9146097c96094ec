"""The page on the founding papers: its commands run, its numbers are theirs, its pictures are there and small."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bench.gen_inex import generate
from prum_eval import read_assessments
from prum_eval.records import AssessmentKind
from tests.docs.pages import Command, blocks, new_folder
from tests.docs.paper_page import PAGE, PICTURES, QUICK, SHOWN, differences_in_words, pictures, same_words

TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_commands_say_on_the_smallest_preset_what_the_page_shows_but_for_numbers():
    with new_folder() as folder:
        assert "\n\n".join(differences_in_words(TEXT, Path(folder))) == ""
        assert all(Path(folder, "papers", name).stat().st_size for name in pictures(TEXT))


def test_the_page_says_which_preset_it_shows():
    assert len(re.findall(rf"bench\.gen_inex .* ?{SHOWN}", TEXT)) == TEXT.count("bench.gen_inex") == 2
    words = " ".join(TEXT.split())
    assert f"`{QUICK}`" in words
    assert f"`make papers` runs the page as it stands here, with the preset `{SHOWN.split()[1]}`" in words


def test_numbers_of_the_text_are_those_that_commands_print():
    printed = "".join(blocks(TEXT))
    said = re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)
    numbers = re.findall(r"(?<![\d.])\d+\.\d{4}(?!\d)", said)
    assert len(numbers) > 80
    assert [number for number in numbers if not re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", printed)] == []


def test_pictures_are_those_of_the_page_and_small():
    assert sorted(path.name for path in PICTURES.iterdir()) == sorted(pictures(TEXT))
    assert len(pictures(TEXT)) == 7
    assert sum(path.stat().st_size for path in PICTURES.iterdir()) < 600_000
    for path in PICTURES.iterdir():
        assert ET.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 - our own file


@pytest.mark.parametrize(
    ("shown", "lines", "same"),
    [
        (("a 1 2", "b 3"), ["b 4", "a 5 6"], True),
        (("a 1 2",), ["a 5 6", "b"], False),
        (("a 1 2", "..."), ["a 5 6", "b"], True),
        (("a 1 2", "b"), ["a 5 6"], False),
        (("a", "a"), ["a"], False),
        (("1 2", "---"), ["3"], True),
        (("a (1 topic) -",), ["a (3 topics) nan"], True),
        (("changes (1):", "b: c above d at 1"), ["changes (0):"], True),
        ((), ["prum-eval: no such file"], False),
    ],
)
def test_words_are_compared_and_numbers_not(shown, lines, same):
    assert same_words(Command(("$ x",), shown), lines) is same


def test_the_scales_of_2003_are_consistent_and_move_nothing_else(tmp_path):
    plain, scaled = tmp_path / "plain", tmp_path / "scaled"
    generate(plain, "small", graded=True)
    assert "\nassessed elements on the scales of 2003 " in generate(scaled, "small", graded=True, scales=True)
    assert not (plain / "assessments-2003").exists()
    for path in plain.rglob("*"):
        if path.is_file() and path.name != "MANIFEST.txt":
            assert (scaled / path.relative_to(plain)).read_bytes() == path.read_bytes()
    found = 0
    for path in sorted((scaled / "assessments-2003").iterdir()):
        graded = ET.parse(scaled / "assessments" / path.name)  # noqa: S314 - our own file
        shares = {
            (file.get("name"), one.get("path")): (int(one.get("rsize")), int(one.get("size")))
            for file in graded.iter("file")
            for one in file.iter("element")
        }
        for file in ET.parse(path).iter("file"):  # noqa: S314 - our own file
            levels = {one.get("path"): int(one.get("exhaustiveness")) for one in file.iter("path")}
            for one in file.iter("path"):
                place = one.get("path")
                relevant, size = shares[file.get("file"), place]
                assert int(one.get("specificity")) == 3 - (3 * relevant <= 2 * size) - (3 * relevant <= size)
                assert levels[place] <= levels.get(place.rpartition("/")[0], 3)
                found += 1
    assert found > 30
    assert read_assessments(scaled / "assessments-2003").kind is AssessmentKind.ELEMENTS_2003
