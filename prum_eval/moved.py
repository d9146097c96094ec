"""Modules of earlier versions under their old names, for packages that import what the documentation of 0.2.0 shows.

An old name works with a `DeprecationWarning`. The finder comes last in `sys.meta_path`, so that it is asked only for
modules that no other finder has. Where an old module lay below what is a module now, that module sets ``__path__``.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

NEW_MODULES = {
    "prum_eval.cli.group": "prum_eval.cli.commands",
    "prum_eval.collection.texts.texts": "prum_eval.collection.texts",
    "prum_eval.evaluation.notices.notice": "prum_eval.evaluation.notices",
    "prum_eval.formats.assessments.read": "prum_eval.formats.reading",
    "prum_eval.gallery.answers": "prum_eval.experiments.gallery",
    "prum_eval.gallery.situations": "prum_eval.experiments.gallery",
    "prum_eval.numerics.poisson_binomial": "prum_eval.numerics.count_distributions",
    "prum_eval.records.assessments": "prum_eval.records",
    "prum_eval.records.configuration": "prum_eval.records",
    "prum_eval.records.log": "prum_eval.records",
    "prum_eval.records.navigation": "prum_eval.records",
    "prum_eval.records.run": "prum_eval.records",
    "prum_eval.records.structure": "prum_eval.records",
    "prum_eval.records.tree_columns": "prum_eval.records",
    "prum_eval.user_models.modifiers": "prum_eval.user_models.model",
}
"""New name by old name of a module."""

OLD_PACKAGES = ("prum_eval.formats.assessments", "prum_eval.gallery")
"""Packages of old modules that are no more; as stand-ins they are empty."""

NEW_NAMES: dict[str, dict[str, str]] = {
    "prum_eval.collection.texts.texts": {"possible_files": "candidate_files"},
    "prum_eval.evaluation.notices.notice": {
        "LISTS": "VERBOSE_HINT",
        "counted": "count_notice",
        "ignored_keys": "ignored_key_notices",
    },
    "prum_eval.formats.assessments.read": {"joint_name": "combined_name"},
    "prum_eval.gallery.situations": {"Worsening": "SituationStep"},
    "prum_eval.numerics.poisson_binomial": {
        "NORMAL_FROM": "NORMAL_MIN_EVENTS",
        "any_happens": "probability_of_any",
        "turns": "events_by_turn",
    },
    "prum_eval.records.configuration": {"LARGEST_CONFIGURATION": "MAX_CONFIGURATION_BYTES"},
    "prum_eval.user_models.modifiers": {
        "item_of_results": "item_numbers",
        "modified": "apply_modifiers",
        "modifies": "changes_reach",
    },
}
"""New name by old name of what an old module had, by old module."""


class OldModules:
    """Finder and loader of stand-ins for old modules; `sys.meta_path` takes the class itself."""

    @staticmethod
    def find_spec(
        name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The specification of a stand-in; None for any other name."""
        if name in NEW_MODULES or name in OLD_PACKAGES:
            return ModuleSpec(name, OldModules, is_package=name in OLD_PACKAGES)  # type: ignore[arg-type]
        return None

    @staticmethod
    def create_module(_spec: ModuleSpec) -> None:
        """None: an empty module is made."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Import the new module, warn, and look up all names of the stand-in there."""
        old = module.__name__
        if old in OLD_PACKAGES:
            return
        import warnings

        new = import_module(NEW_MODULES[old])
        warnings.warn(f"{old} is deprecated: use {new.__name__}", DeprecationWarning, stacklevel=2)

        def get(name: str) -> object:
            return getattr(new, NEW_NAMES.get(old, {}).get(name, name))

        vars(module)["__getattr__"] = get
