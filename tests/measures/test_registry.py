"""The registry's table of names: it says of every entry what the entry says of itself."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from prum_eval import measures
from prum_eval.measures import registry
from prum_eval.measures.registry import BY_NAME, FAMILIES, MEASURES, names_of


def test_every_name_finds_its_measure():
    assert [measure.name for measure in MEASURES] == list(BY_NAME)
    assert all(BY_NAME[measure.name] is measure for measure in MEASURES)


def test_families_are_those_of_their_members():
    for family in FAMILIES:
        assert {BY_NAME[name].family for name in names_of(family)} == {family}


def test_no_entry_is_forgotten():
    folder = Path(measures.__file__).parent
    files = [path.relative_to(folder).with_suffix("") for path in folder.rglob("entries_*.py")]
    modules = [import_module("prum_eval.measures." + ".".join(file.parts)) for file in files]
    entries = [one.name for module in modules for one in getattr(module, "MEASURES", ())]
    assert sorted(entries) == sorted(BY_NAME)


def test_nothing_else_is_made_up():
    assert "no_measure" not in BY_NAME
    assert not hasattr(registry, "MEASURE")
