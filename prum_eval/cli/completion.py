"""Shell completion of names from the registries; imported on completion only."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from click.shell_completion import CompletionItem

NamesWithMeanings = Iterable[tuple[str, str]]
"""Names and meanings, which some shells show."""


def complete_names(registry: str, incomplete: str) -> list[CompletionItem]:
    """Names of a registry that begin with the text, or with its part after the last comma in lists."""
    before, comma, typed = incomplete.rpartition(",") if registry in _LISTS else ("", "", incomplete)
    folded = typed.casefold()
    names = [*_REGISTRIES[registry](), *(_other_tools_measures() if folded and registry in _LISTS else ())]
    return [
        CompletionItem(before + comma + name, help=meaning)
        for name, meaning in names
        if name.casefold().startswith(folded)
    ]


def _measures() -> NamesWithMeanings:
    from prum_eval.measures.registry import SETS, all_measures, families

    meanings = {measure.name: measure.summary for measure in all_measures()}
    for family in families():
        meanings.setdefault(family, "family")
    return (meanings | dict.fromkeys(SETS, "set")).items()


def _other_tools_measures() -> NamesWithMeanings:
    """Names of measures in other tools."""
    from prum_eval.measures.registry import all_measures

    return [(name, measure.name) for measure in all_measures() for name in measure.other_names]


def _tasks() -> NamesWithMeanings:
    from prum_eval.measures.tasks import TASKS

    return [(task.name, task.summary) for task in TASKS.values()]


def _user_models() -> NamesWithMeanings:
    from prum_eval.user_models.registry import BUILT_IN, model_names

    return [(name, BUILT_IN[name].summary if name in BUILT_IN else "registered") for name in model_names()]


def _quantisations() -> NamesWithMeanings:
    from prum_eval.relevance.quantisations import QUANTISATIONS_BY_KIND

    summaries: dict[str, str] = {}
    for table in QUANTISATIONS_BY_KIND.values():
        for name, quantisation in table.items():
            summaries.setdefault(name, quantisation.summary)
    return list(summaries.items())


def _targets() -> NamesWithMeanings:
    from prum_eval.relevance.targets import TargetKind

    return [(kind.value, "") for kind in TargetKind]


def _forms() -> NamesWithMeanings:
    from prum_eval.formats.registry import writable_formats

    return [(name, form.summary) for name, form in writable_formats().items()]


def _changes() -> NamesWithMeanings:
    from prum_eval.experiments.changes import CHANGE_BY_NAME

    return [(name, change.summary) for name, change in CHANGE_BY_NAME.items()]


def _vary_keys() -> NamesWithMeanings:
    """Keys of `prum-eval sweep --vary`, each followed by =."""
    from prum_eval.experiments.sweep_variants import SIMULATED_VALUE, VARIED_OPTIONS
    from prum_eval.measures.registry import all_measures
    from prum_eval.user_models.registry import all_user_models, model_parameters

    parameters = [parameter for measure in all_measures() for parameter in measure.parameters]
    parameters += [parameter for model in all_user_models() for parameter in model_parameters(model)]
    keys = {parameter.name: parameter.meaning for parameter in reversed(parameters)}
    return [(f"{key}=", keys.get(key, "")) for key in [*VARIED_OPTIONS, SIMULATED_VALUE, *sorted(keys)]]


def _explainable_names() -> NamesWithMeanings:
    """Names that `prum-eval measures NAME` explains."""
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
"""Registries whose options take several names, separated by commas, and names of other tools."""
