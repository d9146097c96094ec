"""What every result offers to formats: dictionaries, which json prints, and tables, which markdown prints."""

from __future__ import annotations

import json

import pytest

from prum_eval import Layout, evaluate, render
from prum_eval.errors import UsageError
from prum_eval.report.grid import markdown_text
from prum_eval.report.registry import tables, to_dict

TOY = ("fixtures/toy/qrels", "fixtures/toy/run")


def test_json_prints_the_dictionaries():
    evaluation = evaluate(*TOY, measures="map")
    assert json.loads(render(evaluation, "json")) == to_dict(evaluation) == evaluation.to_dict()


def test_markdown_prints_the_tables():
    evaluation, layout = evaluate(*TOY, measures="map"), Layout(format="markdown")
    assert render(evaluation, "markdown") == "".join(map(markdown_text, tables(evaluation, layout)))


@pytest.mark.parametrize("form", [to_dict, lambda result: tables(result, Layout())])
def test_a_result_without_that_form_is_refused(form):
    with pytest.raises(UsageError, match="object has no"):
        form(object())
