"""The notebook of the documentation shows what its cells show."""

from __future__ import annotations

import pytest

from tests.docs.notebook import PAGE, PICTURES, Picture, cells, drawn, page_again, session


def test_the_cells_of_the_page_show_what_stands_below_them():
    page = PAGE.read_text(encoding="utf-8")
    now, pictures = page_again(page)
    assert now == page
    assert sorted(pictures) == sorted(path.name for path in PICTURES.iterdir())
    assert len(pictures) == 2
    for name, picture in pictures.items():
        assert len(drawn(picture)) > 10
        assert drawn(picture) == drawn((PICTURES / name).read_bytes())


def test_a_session_keeps_names_and_shows_the_last_value():
    page = "".join(
        f"```python\n{code}\n```\n\n"
        for code in ("one = 2", "print('seen')\none + 1", "None", "import os\nos.listdir()", "print(one)")
    )
    texts = [shown.text for shown in session(page)]
    assert texts[:3] == ["", "\n```text\nseen\n```\n\n\n```text\n3\n```\n\n", ""]
    assert "fixtures" in texts[3]
    assert texts[4] == "\n```text\n2\n```\n\n"


def test_tables_and_pictures_are_shown_as_a_notebook_does():
    page = (
        "```python\nimport pandas\npandas.DataFrame({'a': [1]})\n```\n\n<!-- output -->\nold\n<!-- /output -->\n"
        "text\n```python\nfrom IPython.display import SVG\nSVG(b'<svg><text>word</text></svg>')\n```\n"
        "\n<!-- output -->\n![a word](old.svg)\n<!-- /output -->\nend\n"
    )
    assert [shown for _, shown in cells(page)] == ["old\n", "![a word](old.svg)\n"]
    now, pictures = page_again(page)
    assert '<!-- output -->\n<div class="output">\n<div>\n<table>\n' in now
    assert "old" not in now
    assert "style" not in now
    assert now.endswith("\n<!-- output -->\n![a word](notebook/2.svg)\n<!-- /output -->\nend\n")
    assert pictures == {"2.svg": b"<svg><text>word</text></svg>"}
    assert drawn(Picture(pictures["2.svg"]).data) == ["word"]


def test_a_cell_that_fails_is_no_page():
    with pytest.raises(ZeroDivisionError):
        page_again("```python\n1 / 0\n```\n")
