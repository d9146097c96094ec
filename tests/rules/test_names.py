"""A public name means one thing."""

from __future__ import annotations

from collections import Counter

from tests.rules.source import modules, public_names

MOST_IN_TWO = 15
"""Public names that stand at the top of more than one module."""
CONVENTIONAL = {"command", "MEASURES", "MEASURE", "FORMAT", "FORMATS", "MODEL"}
"""What every command, family of measures, format or user model calls its own."""


def test_a_public_name_has_one_meaning():
    count = Counter(name for tree in modules().values() for name in public_names(tree) - CONVENTIONAL)
    doubled = sorted(name for name, modules_with_it in count.items() if modules_with_it > 1)
    assert len(doubled) <= MOST_IN_TWO, doubled
