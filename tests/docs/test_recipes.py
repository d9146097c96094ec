"""The recipes of CONTRIBUTING.md work as they stand there, and stay inside what they promise."""

from __future__ import annotations

import pytest

from tests.docs.pages import ROOT, blocks, commands, differing
from tests.docs.recipes import followed, recipes

RECIPES = {recipe.title: recipe for recipe in recipes()}


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_does_what_it_shows(title):
    with followed(RECIPES[title]) as folder:
        assert "\n\n".join(differing(RECIPES[title].text, folder)) == ""


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_is_one_file_and_one_line(title):
    recipe = RECIPES[title]
    assert len(recipe.files.keys() - {"pyproject.toml"}) == 1
    registered = recipe.files.get("pyproject.toml", "").count(" = ") - 2  # without name and version
    assert sum(text.count("\n+") for _, text in recipe.lines) + max(registered, 0) == 1
    assert any(command.runs for block in blocks(recipe.text) for command in commands(block))


def test_every_kind_of_thing_has_a_recipe():
    assert list(RECIPES) == ["A measure", "A format", "A user model", "An output format", "A command"]


def test_no_page_holds_what_only_one_machine_has():
    """An output that was written down from a failed command, say."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md")]
    texts = {page.name: page.read_text(encoding="utf-8") for page in pages}
    assert len(texts) > 30
    assert [name for name, text in texts.items() if "site-packages" in text or str(ROOT) in text] == []
