"""Every task on two generated runs: what it prints, byte for byte."""

from __future__ import annotations

import pytest

from tests.gold import ROOT, run
from tests.measures.tasks.collection import COMMANDS, gold_of, write_inputs


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    write_inputs(folder)
    return folder


@pytest.mark.parametrize("task", COMMANDS)
def test_what_a_task_prints(inputs, task):
    output = run(COMMANDS[task].format(inputs))
    assert output.status == 0
    assert output.out.encode() == gold_of(ROOT, task).read_bytes()


def test_there_is_no_other_gold_file():
    assert {path.stem for path in gold_of(ROOT, "prum").parent.iterdir()} == set(COMMANDS)
