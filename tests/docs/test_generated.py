"""The generated documentation is what the code generates."""

from __future__ import annotations

import pytest

from tests.gold import ROOT, run


@pytest.fixture(scope="module")
def scripts():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        import generate
        import layers

        yield generate, layers


@pytest.fixture(scope="module")
def generated(scripts):
    return scripts[0].generated()


def test_no_generated_page_is_stale(generated):
    stale = [name for name, text in generated.items() if (ROOT / name).read_text(encoding="utf-8") != text]
    assert not stale, "run `make docs` and commit what it changes"


def test_the_demonstration_of_the_readme_is_what_make_demo_prints(generated):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    command = makefile.partition("DEMO = prum-eval ")[2].partition("\n\n")[0].replace("\\\n", " ")
    shown = generated["README.md"].partition("<!-- demo -->\n```\n")[2].partition("```")[0]
    assert run(command).out == shown
    assert 4 <= len(shown.splitlines()) - 2 <= 7  # without the two lines of the head


def test_a_page_of_measures_that_no_family_writes_is_gone(generated):
    assert {f"docs/measures/{page.name}" for page in (ROOT / "docs" / "measures").iterdir()} <= set(generated)


def test_arrows_between_packages_lead_to_all_that_is_imported_and_to_nothing_else(scripts):
    _, layers = scripts
    edges = layers.imports()
    drawn = {package: {below for above, below in layers.arrows(edges) if above == package} for package in edges}
    drawing = layers.drawing()
    assert {"cli", "evaluation", "formats"} <= edges.keys()
    for package in edges:
        assert layers.reachable(drawn, package) == layers.reachable(edges, package)
        assert drawn[package] <= edges[package]
        for below in drawn[package]:
            assert f"{package} imports from {below}" in drawing


def test_imports_are_those_of_the_modules(scripts):
    edges = scripts[1].imports()
    assert "records" in edges["formats"]
    assert "cli" not in set().union(*edges.values())
