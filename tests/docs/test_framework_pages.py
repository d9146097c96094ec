"""The pages on chunk frameworks show what their scripts print; the frameworks are there in `make frameworks` only."""

import ast

import pytest

from tests.chunks.frameworks import FRAMEWORKS, REAL
from tests.docs.framework_pages import PAGES, blocks_of, printed_by


def test_every_framework_has_a_page():
    assert {page.stem for page in PAGES} == {f"chunks-{name.lower()}" for name in FRAMEWORKS}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_prum_eval_adds_to_a_script_is_less_than_ten_lines(page):
    (added,) = (text for kind, text in blocks_of(page.read_text(encoding="utf-8")) if "prum_eval.compare" in text)
    assert len([line for line in added.splitlines() if line]) < 10
    ast.parse(added)


@pytest.mark.skipif(not REAL, reason="needs the frameworks: make frameworks")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_script_of_a_page_prints_what_it_shows(page):
    text = page.read_text(encoding="utf-8")
    assert printed_by(text) == [shown for kind, shown in blocks_of(text) if kind == "text"]
