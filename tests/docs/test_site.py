"""The documentation as a site, where mkdocs is installed (``make site``): formulas, search, nothing from elsewhere."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys

import pytest

from tests.docs.pages import ROOT
from tests.report.browser import CHROMIUM, FLAGS, needs_chromium

pytest.importorskip("material", reason="mkdocs and its theme are not installed: make site")
_ELSEWHERE = re.compile(
    r"""<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=["']?(?:https?:)?//|url\(["']?(?:https?:)?//"""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def words(page):
    """What a page of the site says, without code and tags."""
    text = re.sub(r"<(script|style|pre|code)\b.*?</\1>", "", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", "", text))


def test_no_formula_is_left_as_tex(site):
    formulas = 0
    for path in site.rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        formulas += page.count("<math ")
        assert "language-math" not in page
        left = re.findall(r"[$\\].{0,20}|[\ue000-\ue003].{0,20}", words(page))
        assert not left, path.name
    assert formulas > 200


def test_a_formula_stands_by_itself_or_in_its_line(site):
    page = (site / "measures" / "prum.html").read_text(encoding="utf-8")
    assert '<div class="formula"><math xmlns="http://www.w3.org/1998/Math/MathML" display="block">' in page
    assert '<p>Of the <math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">' in page


def test_the_site_loads_nothing_from_elsewhere(site):
    pages = [path for path in site.rglob("*") if path.suffix in (".html", ".css", ".svg")]
    assert len(pages) > 50
    assert [path.name for path in pages if _ELSEWHERE.search(path.read_text(encoding="utf-8"))] == []


def test_what_search_needs_is_there_as_scripts(site):
    index = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    found = json.loads(index.removeprefix("var __index = "))
    assert {entry["location"] for entry in found["docs"]} >= {"measures/prum.html", "measures/prum.html#in-formulas"}
    for page in ("index.html", "measures/prum.html"):
        assert re.search(r'<script src="(\.\./)?iframe-worker\.js">', (site / page).read_text(encoding="utf-8"))
    assert (site / "iframe-worker.js").is_file()


@needs_chromium
def test_search_works_from_files(site, tmp_path):
    page = (site / "measures" / "prum.html").as_uri()
    time = "--virtual-time-budget=20000"
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path}", time, "--dump-dom", f"{page}?q=tolerance"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    assert re.search(r'md-search-result__meta">\d+ matching documents<', shown)
    first = re.search(r'<a href="(file:[^"?]*)[^"]*" class="md-search-result__link"', shown)
    assert first is not None
    assert first[1] == (site / "measures" / "t2i.html").as_uri()
