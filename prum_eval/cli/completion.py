"""What a shell may offer after an option: names from the registries, and files. Nothing here runs but on completion."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

Named = Iterable[tuple[str, str]]
"""Names with their meaning, which some shells show."""

_FILES = frozenset({"FILE", "PATH", "ASSESSMENTS", "RUN", "RUN [RUN ...]", "[RUN ...]", "INDEX", "REPORT", "SOURCE"})
"""What options and arguments that take a file are called in their help."""
_FOLDERS = frozenset({"DIR"})


class Completing(StringParamType):
    """Text that a shell completes."""

    def __init__(self, offer: Callable[[str], list[CompletionItem]]) -> None:
        self.offer = offer

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """What may stand here."""
        return self.offer(incomplete)


def with_completion(command: click.Command) -> click.Command:
    """Let the options and arguments of a command, or of those of a group, complete; the same command is returned."""
    for parameter in command.params:
        if type(parameter.type) is StringParamType:
            offer = _offer(parameter)
            if offer is not None:
                parameter.type = Completing(offer)
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        with_completion(inner)
    return command


def _offer(parameter: click.Parameter) -> Callable[[str], list[CompletionItem]] | None:
    for name in (*parameter.opts, parameter.name or ""):
        if name in _NAMED:
            return _of_names(_NAMED[name])
    if parameter.metavar in _FILES:
        return lambda incomplete: [CompletionItem(incomplete, type="file")]
    if parameter.metavar in _FOLDERS:
        return lambda incomplete: [CompletionItem(incomplete, type="dir")]
    return None


def _of_names(listed: Callable[[], Named]) -> Callable[[str], list[CompletionItem]]:
    return lambda incomplete: [
        CompletionItem(name, help=meaning) for name, meaning in listed() if name.startswith(incomplete)
    ]


def _measures() -> Named:
    from prum_eval.measures.registry import FAMILIES, MEASURES, SETS

    families = [(name, "family") for name in FAMILIES if name not in {measure.name for measure in MEASURES}]
    return [*((one.name, one.summary) for one in MEASURES), *families, *((name, "set") for name in SETS)]


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


def _all() -> Named:
    """What `prum-eval measures NAME` explains."""
    return dict([*_tasks(), *_user_models(), *_measures()]).items()


_NAMED: dict[str, Callable[[], Named]] = {
    "--measure": _measures,
    "--task": _tasks,
    "--user-model": _user_models,
    "--quantisation": _quantisations,
    "--targets": _targets,
    "name": _all,
}
