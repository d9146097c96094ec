"""The HTML page in a real browser: what a mouse, a key or an address does to it. Skipped where there is no Chromium."""

from __future__ import annotations

import json

import pytest

from tests.gold import run
from tests.report.html.browser import CHROMIUM, Browser
from tests.report.html.test_evaluation_in_a_browser import luminance

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")

DEMO = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml"
# Topic 101: rank 1 leads to T2, rank 2 to T1, ranks 3 and 5 to T3, rank 6 to T1; 4 and 7 lead nowhere.
CHOSEN = "[...document.querySelectorAll('section.chosen h3')].map(one => one.textContent).join()"
RANKS = "[...document.querySelectorAll('.rank.on')].map(one => one.id).join()"
EDGES = "[...document.querySelectorAll('.edge.on')].map(one => one.dataset.in).join()"
TARGETS = "[...document.querySelectorAll('.target.on .name')].map(one => one.textContent.trim()).join()"
CHOOSING = "document.body.classList.contains('choosing')"
HASH = "location.hash"


@pytest.fixture(scope="module")
def browser():
    one = Browser()
    yield one
    one.close()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "explain.html"
    assert run(f"explain --topic 101 {DEMO} -f html -o {path}").status == 0
    return path


def state(browser):
    return tuple(browser.value(one) for one in (CHOSEN, RANKS, EDGES, TARGETS, HASH))


NOTHING = ("", "", "", "", "")
RANK_2 = ("Rank 2", "r2", "r2 t1", "T1", "#r2")
TARGET_1 = ("Target T1", "r2,r6", "r2 t1,r6 t1", "T1", "#t1")


def test_nothing_is_chosen_at_first(browser, page):
    browser.open(page)
    assert state(browser) == NOTHING
    assert browser.value(CHOOSING) is False


def test_a_click_on_a_rank_shows_what_it_reaches(browser, page):
    browser.open(page)
    browser.click("#r2")
    assert state(browser) == RANK_2
    assert browser.value(CHOOSING) is True
    shown = browser.value("document.querySelector('section.chosen').innerText")
    assert "tides /article[1]/body[1]/section[1]/p[1]" in shown
    assert "inside" in shown
    assert browser.value("getComputedStyle(document.querySelector('.picture .edge:not(.on)')).opacity") == "0.18"
    assert browser.value("getComputedStyle(document.querySelector('.edge.on')).opacity") == "1"


def test_another_click_changes_and_the_same_lets_go(browser, page):
    browser.open(page)
    browser.click("#r2")
    browser.click("#r3")
    assert state(browser) == ("Rank 3", "r3", "r3 t3", "T3", "#r3")
    browser.click("#r3")
    browser.away()
    assert state(browser) == NOTHING


def test_a_click_on_a_target_shows_who_reaches_it(browser, page):
    browser.open(page)
    browser.click(".target[data-key=t1]")
    assert state(browser) == TARGET_1


def test_a_click_on_a_row_of_the_table_does_the_same(browser, page):
    browser.open(page)
    browser.click("tr[data-key=r2]")
    assert state(browser) == RANK_2


def test_pointing_shows_for_as_long_as_it_lasts(browser, page):
    browser.open(page)
    browser.click("#r2")
    browser.point("#r3")
    assert state(browser)[:2] == ("Rank 3", "r3")
    browser.away()
    assert state(browser) == RANK_2


def test_keys(browser, page):
    browser.open(page)
    browser.value("document.querySelector('#r2').focus()")
    browser.press("Enter", 13)
    assert state(browser) == RANK_2
    browser.press("Escape", 27)
    assert state(browser) == NOTHING


@pytest.mark.parametrize(("key", "wanted"), [("r2", RANK_2), ("t1", TARGET_1)])
def test_an_address_chooses(browser, page, key, wanted):
    browser.open(page, key)
    assert state(browser) == wanted


def test_an_address_of_nothing_chooses_nothing(browser, page):
    browser.open(page, "r99")
    assert state(browser)[:4] == NOTHING[:4]


def test_the_page_asks_for_nothing_and_complains_of_nothing(browser, page):
    browser.open(page)
    browser.click("#r1")
    asked = [e["params"]["request"]["url"] for e in browser.events if e.get("method") == "Network.requestWillBeSent"]
    assert {url.partition(":")[0] for url in asked} == {"file"}
    assert len(asked) == 1
    assert not [e for e in browser.events if e.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")]


def test_on_a_narrow_screen_the_page_is_no_wider(browser, tmp_path):
    """Tables of many measures scroll by themselves; ranks that only add to what was read have a row and no keys."""
    inputs = "fixtures/rag/gold.jsonl fixtures/rag/windows.jsonl"
    options = f"--texts fixtures/rag/documents -o {tmp_path}/page.html"
    assert run(f"explain --topic pass -t chunks -f html {options} {inputs}").status == 0
    browser.ask("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=False)
    try:
        browser.open(tmp_path / "page.html")
        assert browser.value("document.documentElement.scrollWidth <= 400")
        rows = "document.querySelectorAll('.scroll tr{}').length"
        assert browser.value(rows.format("[data-key^=r]")) == 2
        assert browser.value("document.body.innerText.includes('other rank')") is False
    finally:
        browser.ask("Emulation.clearDeviceMetricsOverride")


LABELS = """[...document.querySelectorAll('.picture text:not(.rank > .name)')].map(
    one => [...one.querySelectorAll('tspan')].filter(line => !line.classList.contains('name'))
        .map(line => line.textContent).join('|'))"""


def test_long_paths_lose_their_beginning_and_have_a_full_title(browser, tmp_path):
    deep = "".join(f"/a-step-of-a-long-path[{number}]" for number in range(1, 6))
    paths = [f"{deep}/p[{number}]" for number in (27, 28)]
    (tmp_path / "qrels").write_text("".join(f"1 0 d{path} 1\n" for path in paths), encoding="utf-8")
    lines = [f"1 Q0 d{path} {rank} {9 - rank} r\n" for rank, path in enumerate(paths, 1)]
    (tmp_path / "run").write_text("".join(lines), encoding="utf-8")
    command = f"explain --topic 1 -m eprum_map -f html -o {tmp_path}/page.html {tmp_path}/qrels {tmp_path}/run"
    assert run(command).status == 0
    browser.open(tmp_path / "page.html")
    found = json.loads(browser.value(f"JSON.stringify({LABELS})"))
    for last in ("p[27]", "p[28]"):
        labels = [label for label in found if label.endswith(last)]
        assert len(labels) == 2  # of the rank and of the document
        assert all("\N{HORIZONTAL ELLIPSIS}/" in label and len(label) <= 44 for label in labels)
    titles = browser.value("[...document.querySelectorAll('.rank title')].map(one => one.textContent)")
    assert titles == [f"d{path}" for path in paths]
    boxes = browser.value("""(() => { const svg = document.querySelector('.picture svg').getBoundingClientRect();
        return [...document.querySelectorAll('.picture text')].every((one) => {
          const box = one.getBoundingClientRect();
          return box.left >= svg.left && box.right <= svg.right && box.top >= svg.top && box.bottom <= svg.bottom; });
        })()""")
    assert boxes is True  # nothing is cut off


def test_a_legend_says_what_the_signs_are(browser, page):
    browser.open(page)
    said = browser.value("document.querySelector('.legend').innerText")
    for text in ("a rank that reaches something", "a target that is never reached", "the wider the more probable"):
        assert text in said
    assert "link" not in said  # no links are followed here


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 400])
def test_no_page_is_wider_than_its_window(browser, page, width, mode):
    browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
    browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": mode}])
    try:
        browser.open(page)
        assert browser.value("document.documentElement.scrollWidth") <= width
        paper = browser.value("getComputedStyle(document.body).backgroundColor")
        letters = browser.value("getComputedStyle(document.querySelector('.picture text')).fill")
        assert (luminance(paper) > luminance(letters)) == (mode == "light")
        high, low = sorted((luminance(paper), luminance(letters)), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 4.5
    finally:
        browser.ask("Emulation.clearDeviceMetricsOverride")
        browser.ask("Emulation.setEmulatedMedia", features=[])


def test_ranks_and_targets_are_buttons_with_names_that_are_heard(browser, page):
    browser.open(page)
    browser.ask("Accessibility.enable")
    nodes = browser.ask("Accessibility.getFullAXTree")["nodes"]
    names = [
        node["name"]["value"]
        for node in nodes
        if not node.get("ignored") and node.get("role", {}).get("value") == "button"
    ]
    assert "rank 2: tides /article[1]/body[1]/section[1]/p[1]" in names
    assert any(name.startswith("T1 tides /article[1]") and "seen in the end with" in name for name in names)
    assert all(names)
