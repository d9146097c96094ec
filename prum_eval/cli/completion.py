"""What a shell may offer where a name stands: names from the registries. Nothing here runs but on completion."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from click.shell_completion import CompletionItem

Named = Iterable[tuple[str, str]]
"""Names with their meaning, which some shells show."""


def offered(registry: str, incomplete: str) -> list[CompletionItem]:
    """The names of a registry that begin with what was typed, after the last comma where the option takes a list."""
    before, comma, typed = incomplete.rpartition(",") if registry in _LISTS else ("", "", incomplete)
    folded = typed.casefold()
    known = [*_REGISTRIES[registry](), *(_others() if folded and registry in _LISTS else ())]
    return [
        CompletionItem(before + comma + name, help=meaning)
        for name, meaning in known
        if name.casefold().startswith(folded)
    ]


def _measures() -> Named:
    from prum_eval.measures.registry import SETS, all_measures, families

    offered = {one.name: one.summary for one in all_measures()}
    for family in families():
        offered.setdefault(family, "family")
    return (offered | dict.fromkeys(SETS, "set")).items()


def _others() -> Named:
    """What other tools call measures."""
    from prum_eval.measures.registry import all_measures

    return [(name, one.name) for one in all_measures() for name in one.also]


def _tasks() -> Named:
    from prum_eval.measures.tasks import TASKS

    return [(task.name, task.summary) for task in TASKS.values()]


def _user_models() -> Named:
    from prum_eval.user_models.registry import BUILT_IN, names

    return [(name, BUILT_IN[name].summary if name in BUILT_IN else "registered") for name in names()]


def _quantisations() -> Named:
    from prum_eval.relevance.quantisations import BY_KIND

    return {name: one.summary for table in BY_KIND.values() for name, one in table.items()}.items()


def _targets() -> Named:
    from prum_eval.relevance.targets import TargetKind

    return [(kind.value, "") for kind in TargetKind]


def _forms() -> Named:
    from prum_eval.formats.registry import writable

    return [(name, one.summary) for name, one in writable().items()]


def _changes() -> Named:
    from prum_eval.experiments.changes import CHANGE_BY_NAME

    return [(name, one.summary) for name, one in CHANGE_BY_NAME.items()]


def _varied() -> Named:
    """The keys of `prum-eval sweep --vary`, each with the = that follows it."""
    from prum_eval.experiments.sweep_variants import SIMULATED_VALUE, VARIED_OPTIONS
    from prum_eval.measures.registry import all_measures
    from prum_eval.user_models.registry import parameters_of, user_models

    own = [one for measure in all_measures() for one in measure.parameters]
    own += [one for model in user_models() for one in parameters_of(model)]
    keys = {one.name: one.meaning for one in reversed(own)}
    return [(f"{key}=", keys.get(key, "")) for key in [*VARIED_OPTIONS, SIMULATED_VALUE, *sorted(keys)]]


def _explained() -> Named:
    """What `prum-eval measures NAME` explains."""
    return dict([*_tasks(), *_user_models(), *_measures()]).items()


_REGISTRIES: dict[str, Callable[[], Named]] = {
    "measures": _measures,
    "tasks": _tasks,
    "user models": _user_models,
    "quantisations": _quantisations,
    "targets": _targets,
    "forms": _forms,
    "changes": _changes,
    "varied": _varied,
    "explained": _explained,
}
_LISTS = frozenset({"measures"})
"""Those of which an option takes several, with commas between them, and names of other tools."""
