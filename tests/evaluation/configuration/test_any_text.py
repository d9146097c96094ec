"""Any configuration file is taken or refused with an `InputError`, never anything else."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from prum_eval.errors import InputError
from prum_eval.evaluation.configuration import Configuration, load_configuration

WORDS = st.sampled_from([
    "task", "measures", "measure", "id", "only", "limit", "complete", "runs", "A", "user_model", "METRICS", "DCV",
    "TASK", "ALPHA", "QUANT_FUNCTIONS", "SUBMISSIONRUNS_DIR", "$a", "${TASK}", "'map'", "'P.5'", "'eprum'", "'t2i'",
    "'x'", "nxCG", "ep/gr", "Focused", "5", "1e400", "-1", "true", "[", "]", "[[measures]]", "[measures]", "=", ":",
    ",", "{", "}", "'''", '"', "#", "\\", "\x00", "<metrics>", "<EPRUM", "<BEPD/>", "/>", "value='1'", ">",
])  # fmt: skip
TEXT = st.lists(st.lists(WORDS, max_size=5).map(" ".join), max_size=6).map("\n".join)
PAIRS = st.lists(st.tuples(WORDS, st.sampled_from(["=", ": "]), WORDS).map("".join), max_size=6).map("\n".join)


def outcome(path):
    try:
        return load_configuration(str(path))
    except InputError as error:
        return error


def lines_of(text):
    """How many lines there are: in XML a carriage return alone ends one too (XML 1.0, section 2.11)."""
    is_xml = text.lstrip("\ufeff \t\r\n").startswith("<")
    return len(re.split(r"\r\n?|\n" if is_xml else r"\n", text))


@pytest.mark.slow
@settings(deadline=None, max_examples=400)
@given(text=st.one_of(TEXT, PAIRS, st.text(max_size=20)))
@example(text="<A\r")
@example(text="A\r")
def test_any_text(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "configuration"
    path.write_text(text, encoding="utf-8")
    found = outcome(path)
    if isinstance(found, InputError):
        assert found.path == str(path)
        assert found.line in range(1, lines_of(text) + 1)
    else:
        assert isinstance(found, Configuration)


@pytest.mark.parametrize(
    "text",
    [f"limit = {'9' * 5000}", f"runs = {'[' * 20000}", f"[[measures]]\nmeasure = 'bepd'\nA = {'9' * 400}"],
    ids=["digits", "nesting", "large"],
)
def test_what_is_too_much(tmp_path, text):
    (tmp_path / "c").write_text(text, encoding="utf-8")
    with pytest.raises(InputError):
        load_configuration(str(tmp_path / "c"))
