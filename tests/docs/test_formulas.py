"""Formulas of the pages: all of them become MathML, and what the converter does not understand is found."""

from __future__ import annotations

import pytest

from prum_eval.measures.registry import families
from tests.docs.pages import PAGES, ROOT

NAMES = [str(page.relative_to(ROOT)) for page in PAGES if "$`" in page.read_text(encoding="utf-8")]
WITHOUT = {"counts", "sizes"}
"""Families that only count."""


@pytest.fixture
def formulas(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    import formulas

    return formulas


@pytest.mark.parametrize("name", NAMES)
def test_every_formula_of_a_page_is_understood(name, formulas):
    found = list(formulas.formulas((ROOT / name).read_text(encoding="utf-8")))
    assert len(found) >= 3
    for tex, block in found:
        assert formulas.mathml(tex, block=block).startswith("<math ")


def test_every_family_that_computes_says_how_in_formulas():
    pages = {f"docs/measures/{family}.md" for family in families() if family not in WITHOUT}
    assert pages | {"docs/user-models.md"} <= set(NAMES)
    for name in NAMES:
        assert "\n## In formulas\n" in (ROOT / name).read_text(encoding="utf-8")


def test_a_formula_has_the_parts_that_its_tex_says(formulas):
    assert formulas.mathml(r"\frac{p_k}{2}", block=False) == (
        '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow><mfrac>'
        "<mrow><msub><mi>p</mi><mi>k</mi></msub></mrow><mrow><mn>2</mn></mrow></mfrac></mrow></math>"
    )
    assert '<mo stretchy="false">' in formulas.mathml("(x)", block=True)
    assert 'display="block"' in formulas.mathml("x", block=True)


@pytest.mark.parametrize(
    ("tex", "said"),
    [
        (r"1 + \notknown{x}", r"\notknown is not known"),
        (r"\begin{aligned} a &= b \end{aligned}", "EntityRef"),
        (r"\frac{a", "mfrac of 1 parts"),
        ("{x", "a brace is open"),
        (r"a \} }", "a brace is open"),
        ("x_", "MissingSuperScriptOrSubscriptError"),
        (r"\left( x", "ExtraLeftOrMissingRightError"),
    ],
)
def test_tex_that_is_not_understood_is_an_error(tex, said, formulas):
    with pytest.raises(formulas.FormulaError, match=said.replace("\\", "\\\\")) as raised:
        formulas.mathml(tex, block=True)
    assert str(raised.value).startswith(tex)


def test_formulas_are_marked_before_markdown_and_shown_after_it(formulas):
    page = "Of $`x_1`$ and $`x_2`$:\n\n```math\na < b\n```\n\n```console\n$ echo '$x$'\n```\nas `$` says.\n"
    assert list(formulas.formulas(page)) == [("x_1", False), ("x_2", False), ("a < b", True)]
    marked = formulas.marked(page)
    assert "math" not in marked
    assert "x_1" not in marked
    assert "$ echo '$x$'\n" in marked
    assert marked.endswith("as `$` says.\n")
    shown = formulas.shown("<p>" + marked.replace("\n\n", "</p><p>"))
    assert shown.count("<math ") == 3
    assert f'</p><div class="formula">{formulas.mathml("a < b", block=True)}</div><p>' in shown
    assert not set(shown) & set("\ue000\ue001\ue002\ue003")
