"""Pages allow their own inline styles and scripts, by hash, and nothing else."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode

import pytest

from tests.gold import run

DEMO = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml"
PAGES = [
    f"eval -f html -m map {DEMO}",
    f"compare -f html --trials 99 {DEMO} fixtures/demo/run-b.xml",
    f"explain -f html --topic 101 -m eprum_map {DEMO}",
    f"sweep -f html -m eprum_map --vary user_model=none,t2i {DEMO}",
]


@pytest.mark.parametrize("call", PAGES)
def test_a_page_allows_its_own_parts_only(call):
    page = run(call).out
    (policy,) = re.findall('<meta http-equiv="Content-Security-Policy" content="(.*?)">', page)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert {key: rules[key] for key in ("default-src", "base-uri", "form-action")} == dict.fromkeys(
        ("default-src", "base-uri", "form-action"), "'none'"
    )
    for element, rule in (("style", "style-src"), ("script", "script-src")):
        parts = re.findall(f"<{element}>(.*?)</{element}>", page, re.DOTALL)
        hashes = {f"'sha256-{b64encode(hashlib.sha256(part.encode()).digest()).decode()}'" for part in parts}
        assert hashes
        assert set(rules[rule].split()) == hashes
    outside = re.sub(r"<(script|style)[^>]*>.*?</\1>", "", page, flags=re.DOTALL)
    assert not re.search(r"<[^>]* (style|on\w+)=", outside)
