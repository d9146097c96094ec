"""The generated documentation is what the code generates."""

from __future__ import annotations

import pytest

from tests.gold import ROOT


@pytest.fixture(scope="module")
def generated():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        import generate

        return generate.generated()


def test_no_generated_page_is_stale(generated):
    stale = [name for name, text in generated.items() if (ROOT / name).read_text(encoding="utf-8") != text]
    assert not stale, "run `make docs` and commit what it changes"


def test_a_page_of_measures_that_no_family_writes_is_gone(generated):
    assert {f"docs/measures/{page.name}" for page in (ROOT / "docs" / "measures").iterdir()} <= set(generated)
