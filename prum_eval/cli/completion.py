"""What a shell may offer where a name stands: names from the registries. Nothing here runs but on completion."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from click.shell_completion import CompletionItem

NamesWithMeanings = Iterable[tuple[str, str]]
"""Names with their meaning, which some shells show."""


def complete_names(registry: str, incomplete: str) -> list[CompletionItem]:
    """The names of a registry that begin with what was typed, after the last comma where the option takes a list."""
    before, comma, typed = incomplete.rpartition(",") if registry in _LISTS else ("", "", incomplete)
    folded = typed.casefold()
    known = [*_REGISTRIES[registry](), *(_other_tools_measures() if folded and registry in _LISTS else ())]
    return [
        CompletionItem(before + comma + name, help=meaning)
        for name, meaning in known
        if name.casefold().startswith(folded)
    ]


def _measures() -> NamesWithMeanings:
    from prum_eval.measures.registry import SETS, all_measures, families

    offered = {one.name: one.summary for one in all_measures()}
    for family in families():
        offered.setdefault(family, "family")
    return (offered | dict.fromkeys(SETS, "set")).items()


def _other_tools_measures() -> NamesWithMeanings:
    """What other tools call measures."""
    from prum_eval.measures.registry import all_measures

    return [(name, one.name) for one in all_measures() for name in one.aliases]


def _tasks() -> NamesWithMeanings:
    from prum_eval.measures.tasks import TASKS

    return [(task.name, task.summary) for task in TASKS.values()]


def _user_models() -> NamesWithMeanings:
    from prum_eval.user_models.registry import BUILT_IN, model_names

    return [(name, BUILT_IN[name].summary if name in BUILT_IN else "registered") for name in model_names()]


def _quantisations() -> NamesWithMeanings:
    from prum_eval.relevance.quantisations import QUANTISATIONS_BY_KIND

    return {name: one.summary for table in QUANTISATIONS_BY_KIND.values() for name, one in table.items()}.items()


def _targets() -> NamesWithMeanings:
    from prum_eval.relevance.targets import TargetKind

    return [(kind.value, "") for kind in TargetKind]


def _forms() -> NamesWithMeanings:
    from prum_eval.formats.registry import writable_formats

    return [(name, one.summary) for name, one in writable_formats().items()]


def _changes() -> NamesWithMeanings:
    from prum_eval.experiments.changes import CHANGE_BY_NAME

    return [(name, one.summary) for name, one in CHANGE_BY_NAME.items()]


def _vary_keys() -> NamesWithMeanings:
    """The keys of `prum-eval sweep --vary`, each with the = that follows it."""
    from prum_eval.experiments.sweep_variants import SIMULATED_VALUE, VARIED_OPTIONS
    from prum_eval.measures.registry import all_measures
    from prum_eval.user_models.registry import all_user_models, model_parameters

    own = [one for measure in all_measures() for one in measure.parameters]
    own += [one for model in all_user_models() for one in model_parameters(model)]
    keys = {one.name: one.meaning for one in reversed(own)}
    return [(f"{key}=", keys.get(key, "")) for key in [*VARIED_OPTIONS, SIMULATED_VALUE, *sorted(keys)]]


def _explainable_names() -> NamesWithMeanings:
    """What `prum-eval measures NAME` explains."""
    return dict([*_tasks(), *_user_models(), *_measures()]).items()


_REGISTRIES: dict[str, Callable[[], NamesWithMeanings]] = {
    "measures": _measures,
    "tasks": _tasks,
    "user models": _user_models,
    "quantisations": _quantisations,
    "targets": _targets,
    "forms": _forms,
    "changes": _changes,
    "varied": _vary_keys,
    "explained": _explainable_names,
}
_LISTS = frozenset({"measures"})
"""Those of which an option takes several, with commas between them, and names of other tools."""
