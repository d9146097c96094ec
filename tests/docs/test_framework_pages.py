"""The page on chunk frameworks shows what its scripts print; the frameworks are there in `make frameworks` only."""

import ast

import pytest

from tests.chunks.frameworks import FRAMEWORKS, REAL
from tests.docs.framework_pages import blocks_of, printed_by, sections


def test_every_framework_has_a_section():
    assert set(sections()) == set(FRAMEWORKS)


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_what_prum_eval_adds_to_a_script_is_less_than_ten_lines(name):
    (added,) = (text for kind, text in blocks_of(sections()[name]) if "prum_eval.compare" in text)
    assert len([line for line in added.splitlines() if line]) < 10
    ast.parse(added)


@pytest.mark.skipif(not REAL, reason="needs the frameworks: make frameworks")
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_the_script_of_a_section_prints_what_it_shows(name):
    section = sections()[name]
    assert printed_by(section) == [shown for kind, shown in blocks_of(section) if kind == "text"]
