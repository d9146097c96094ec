"""Imports that the documentation of 0.2.0 shows: they work, with a deprecation warning where a module has moved."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys

import pytest

from prum_eval.moved import NEW_MODULES, NEW_NAMES, OLD_PACKAGES

DOCUMENTED = {
    "prum_eval.chunks": ["align", "run", "spans"],
    "prum_eval.cli.group": ["COMMANDS", "commands"],
    "prum_eval.cli.output": ["write_output"],
    "prum_eval.collection.texts.texts": ["Texts"],
    "prum_eval.evaluation.notices.notice": ["Notice", "summed"],
    "prum_eval.formats": ["Format"],
    "prum_eval.formats.assessments.read": ["read_assessments"],
    "prum_eval.formats.format": ["Format", "FormatKind", "RunCapacity", "ScoreRule"],
    "prum_eval.frames": ["run_from_rows", "runs_from_rows", "assessments_from_rows"],
    "prum_eval.gallery.answers": ["Answers", "answers"],
    "prum_eval.gallery.situations": ["SITUATIONS"],
    "prum_eval.measures.base": ["Measure", "Need", "Shape"],
    "prum_eval.measures.seen_states": ["SeenStates"],
    "prum_eval.numerics.poisson_binomial": ["count_distribution", "normal_cell"],
    "prum_eval.parameters": ["Parameter"],
    "prum_eval.records.run": ["Run", "RunKind"],
    "prum_eval.records.tree_columns": ["TreeColumns"],
    "prum_eval.report.layout": ["blocks"],
    "prum_eval.report.registry": ["OutputFormat", "render"],
    "prum_eval.user_models.model": ["ModelNeed", "distance", "model_of_pairs"],
    "prum_eval.user_models.modifiers": ["MODIFIERS", "modified"],
}
"""Names by module that pages of the documentation of 0.2.0 import or link."""


@pytest.mark.parametrize("module", DOCUMENTED)
def test_documented_imports_work(module):
    """In a new interpreter, where nothing is imported yet; the warning names the line of the import."""
    line = f"from {module} import {', '.join(DOCUMENTED[module])}"
    call = [sys.executable, "-W", "default", "-c", line]
    run = subprocess.run(call, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    warning = f"<string>:1: DeprecationWarning: {module} is deprecated: use {NEW_MODULES.get(module)}"
    assert run.stderr.splitlines() == ([warning] if module in NEW_MODULES else [])


@pytest.mark.parametrize("old", NEW_MODULES)
def test_an_old_module_has_the_objects_of_the_new_one(old):
    new = importlib.import_module(NEW_MODULES[old])
    sys.modules.pop(old, None)
    with pytest.warns(DeprecationWarning, match=f"^{old} is deprecated: use {new.__name__}$"):
        module = importlib.import_module(old)
    for old_name, new_name in NEW_NAMES.get(old, {}).items():
        assert getattr(module, old_name) is getattr(new, new_name)
    with pytest.raises(AttributeError, match="no_such_name"):
        module.no_such_name  # noqa: B018 -- the access is what fails


def test_old_names_hide_no_present_module():
    present = {
        module.name for module in pkgutil.walk_packages(importlib.import_module("prum_eval").__path__, "prum_eval.")
    }
    assert not present & {*NEW_MODULES, *OLD_PACKAGES}
    for old in [*NEW_MODULES, *OLD_PACKAGES]:  # an import sets the last part as an attribute of the parent
        parent, _, name = old.rpartition(".")
        if parent in present:
            found = getattr(importlib.import_module(parent), name, None)
            assert found is None or getattr(found, "__name__", None) == old


def test_other_modules_are_missing_as_ever():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'prum_eval\.records\.absent'"):
        importlib.import_module("prum_eval.records.absent")
