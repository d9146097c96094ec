"""The page of `eval -f html` in a real browser: wide and narrow, light and dark, by mouse, by keys, as it is heard.

Skipped where there is no Chromium.
"""

from __future__ import annotations

import json

import pytest

from tests.gold import DEMO, run
from tests.report.html.browser import CHROMIUM, Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")

OPTIONS = f"-q -s fixtures/demo/structure.tsv -u hierarchical {DEMO}"
FOLDS = "for (const one of document.querySelectorAll('details')) one.open = true;"
ON = "[...document.querySelectorAll('{}.on')].map(one => one.dataset.{}).join()"
HIDDEN = """[...document.querySelectorAll('table, figure svg')]
    .filter(one => one.getBoundingClientRect().height === 0).length"""
PRESSED = "[...document.querySelectorAll('[aria-pressed=true]')].map(one => one.textContent.trim()).join()"


@pytest.fixture(scope="module")
def browser():
    one = Browser()
    yield one
    one.close()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    assert run(f"eval -f html -o {path} {OPTIONS}").status == 0
    return path


@pytest.fixture(scope="module")
def report():
    return json.loads(run(f"eval -f json {OPTIONS}").out)["runs"]


def look(browser, width, mode):
    """Show pages so wide, in that colour scheme."""
    browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
    browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": mode}])


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 400])
def test_nothing_is_wider_than_the_window(browser, page, width, mode):
    look(browser, width, mode)
    browser.open(page)
    assert browser.value(f"{FOLDS} document.documentElement.scrollWidth") <= width
    assert browser.value(HIDDEN) == 0
    look(browser, 1400, "light")


def luminance(colour):
    """Relative luminance of WCAG 2.2 of a colour such as ``rgb(22, 24, 27)``."""
    parts = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_contrast(browser, page, mode):
    """Text 4.5 to 1, lines of drawings 3 to 1, as WCAG asks for."""
    look(browser, 1400, mode)
    browser.open(page)
    found = browser.value("""(() => {
      const paper = getComputedStyle(document.body).backgroundColor;
      const texts = 'h1, .quiet, a, dt, td, th button, footer p, summary, label, svg text';
      const all = [...document.querySelectorAll(texts)];
      const lines = [...document.querySelectorAll('#curves .line > path')];
      const fill = (one) => one.namespaceURI.endsWith('svg') ? 'fill' : 'color';
      return JSON.stringify([paper, all.map((one) => getComputedStyle(one)[fill(one)]),
        lines.map((one) => getComputedStyle(one).stroke)]);
    })()""")
    paper, texts, lines = json.loads(found)
    assert (luminance(paper) > 0.5) == (mode == "light")
    for colours, least in ((texts, 4.5), (lines, 3)):
        assert len(colours) >= 4
        for colour in set(colours):
            high, low = sorted((luminance(colour), luminance(paper)), reverse=True)
            assert (high + 0.05) / (low + 0.05) >= least, (colour, paper)
    look(browser, 1400, "light")


def topics_table(browser):
    cells = browser.value("""JSON.stringify([...document.querySelectorAll('#by-topic tr')]
        .filter((row) => !row.hidden).map((row) => [...row.cells].map((one) => one.textContent)))""")
    return json.loads(cells)


@pytest.mark.parametrize("measure", ["map", "gen_recall_5", "num_ret", "prum_map"])
def test_topics_of_the_measure_that_is_chosen(browser, page, report, measure):
    browser.open(page)
    number = browser.value(f"[...document.querySelectorAll('#measure option')].find(o => o.text === '{measure}').value")
    browser.value(f"""(() => {{ const one = document.getElementById('measure'); one.value = '{number}';
        one.dispatchEvent(new Event('change')); }})()""")
    head, *body, foot = topics_table(browser)

    def shown(value):
        return "" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)

    assert head == ["topic", *(one["run_id"] for one in report)]
    assert body == [
        [topic, *(shown(one["topics"].get(topic, {}).get(measure)) for one in report)]
        for topic in ("101", "102", "103")
    ]
    assert foot == ["all", *(shown(one["all"][measure]) for one in report)]


def test_topics_are_searched(browser, page):
    browser.open(page)
    browser.click("#search")
    browser.ask("Input.insertText", text=" 03")
    assert [row[0] for row in topics_table(browser)] == ["topic", "103", "all"]
    assert browser.value("document.getElementById('found').textContent") == "1 of 3"


def test_a_name_and_a_line_bring_a_run_out(browser, page):
    browser.open(page)
    assert browser.value(ON.format(".line", "run")) == ""
    browser.click(".legend button[data-run='1']")
    browser.away()
    assert set(browser.value(ON.format(".line", "run")).split(",")) == {"1"}
    assert browser.value("getComputedStyle(document.querySelector('.line[data-run=\"0\"]')).opacity") == "0.16"
    assert set(browser.value(PRESSED).split(",")) == {"article-only"}
    browser.press("Escape", 27)
    assert browser.value(ON.format(".line", "run")) == ""


def test_pointing_at_a_line_reads_its_value(browser, page, report):
    browser.open(page)
    corner = browser.value("""(() => {
      const line = document.querySelector('#curves figure .line[data-run="0"] path');
      line.closest('svg').scrollIntoView({block: 'center'});
      const [x, y] = line.getAttribute('d').slice(1).split('L')[2].split(',').map(Number);
      const at = new DOMPoint(x, y).matrixTransform(line.getScreenCTM());
      return JSON.stringify([at.x, at.y]); })()""")
    x, y = json.loads(corner)
    browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    title = browser.value("document.querySelector('#curves figure h3').textContent")
    said = browser.value("document.querySelector('#curves figure .readout').textContent")
    label = browser.value("document.querySelector('#curves figure').dataset.labels").split()[2]
    (one,) = [one for one in report if said.startswith(one["run_id"])]
    assert said == f"{one['run_id']}, {label}: {one['all'][f'{title}_{label}']:.4f}"


def test_topics_have_lines_of_the_run_that_is_chosen(browser, page):
    browser.open(page)
    count = "document.querySelectorAll('.of-topics .line').length"
    figures = browser.value("document.querySelectorAll('.of-topics').length")
    first = browser.value("document.querySelector('.of-topics .line path').getAttribute('d')")
    assert browser.value(count) >= 2 * figures
    browser.value("""(() => { const one = document.getElementById('run'); one.value = '1';
        one.dispatchEvent(new Event('change')); })()""")
    assert browser.value("document.querySelector('.of-topics .line path').getAttribute('d')") != first
    browser.value("document.querySelector('#by-topic button.topic').focus()")
    browser.press("Enter", 13)
    browser.press(" ", 32)
    assert browser.value("document.activeElement.dataset.topic") == "0"
    assert set(browser.value(ON.format(".line", "topic")).split(",")) == {"0"}


def test_all_that_can_be_used_has_a_name_that_is_heard(browser, page):
    browser.open(page)
    browser.ask("Accessibility.enable")
    nodes = browser.ask("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "link", "combobox", "searchbox", "region", "navigation", "table", "image"}
    named = {}
    for node in nodes:
        role = node.get("role", {}).get("value")
        if not node.get("ignored") and role in roles:
            name = node.get("name", {}).get("value", "")
            assert name.strip(), node
            named.setdefault(role, []).append(name)
    assert {"combobox", "searchbox", "table", "navigation"} <= set(named)
    assert "map by topic" in named["table"]
    assert browser.value("document.querySelectorAll('h1').length") == 1
    assert browser.value("document.documentElement.lang") == "en"


def test_the_page_asks_for_nothing_and_complains_of_nothing(browser, page):
    browser.open(page)
    asked = [e["params"]["request"]["url"] for e in browser.events if e.get("method") == "Network.requestWillBeSent"]
    assert {url.partition(":")[0] for url in asked} == {"file"}
    assert len(asked) == 1
    assert not [e for e in browser.events if e.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")]


def test_names_are_names_and_no_part_of_the_page(browser, tmp_path):
    evil = "</script><img/src=x>"
    (tmp_path / "qrels").write_text(f"2 0 a 1\n{evil} 0 a 1\n", encoding="utf-8")
    (tmp_path / "run").write_text(f"2 Q0 b 1 1 {evil}\n{evil} Q0 a 1 1 {evil}\n", encoding="utf-8")
    assert run(f"eval -q -f html -m map -m P.1,2 -o {tmp_path}/page.html {tmp_path}/qrels {tmp_path}/run").status == 0
    browser.open(tmp_path / "page.html")
    assert browser.value("document.querySelectorAll('img').length") == 0
    assert topics_table(browser)[0] == ["topic", evil]
    assert evil in [row[0] for row in topics_table(browser)]


def test_topics_with_a_page_of_explain_lead_there(browser, tmp_path):
    path = tmp_path / "report.html"
    assert run(f"eval -f html -m eprum_map --explain-worst 1 -o {path} {OPTIONS}").status == 0
    browser.open(path)
    count = browser.value("document.querySelectorAll('#worst tbody a').length")
    assert count == 2  # a topic a run
    cells = json.loads(
        browser.value("""JSON.stringify([...document.querySelectorAll('#by-topic td a')]
            .map((one) => [decodeURI(one.getAttribute('href')), one.textContent]))""")
    )
    listed = json.loads(
        browser.value("""JSON.stringify([...document.querySelectorAll('#worst tbody a')]
            .map((one) => [decodeURI(one.getAttribute('href')), one.closest('td').nextElementSibling.textContent]))""")
    )
    assert sorted(cells) == sorted(listed)
    assert all((tmp_path / href).is_file() for href, _ in cells)
