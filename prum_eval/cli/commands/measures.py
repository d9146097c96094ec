"""``prum-eval measures``: the list of measures and user models, or one of them explained."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

import click

from prum_eval.cli.options import completing, plot_options
from prum_eval.cli.output import Output, write_output, write_results
from prum_eval.parameters import Parameter
from prum_eval.report.layout import Layout
from prum_eval.report.registry import format_names, output_format

_WIDTH = 80


@click.command("measures")
@click.argument("name", required=False, shell_complete=completing("explained"))
@click.option("--tasks", is_flag=True, help="List the tasks, a campaign's official settings in one word each.")
@click.option(
    "--show",
    is_flag=True,
    help="Show how the measure or family NAME answers to near misses, overlap, noise in front, missing targets and "
    "reading effort, on simulated runs.",
)
@plot_options("Answers", "that, the same picture for every measure")
def command(name: str | None, tasks: bool, show: bool, plot: Output | None, plot_size: str) -> None:
    """List measures, sets and user models; explain the measure, family, set, user model or task called NAME.

    With --show NAME is a measure as -m takes it, with settings if need be.
    """
    if tasks and name is not None:
        raise click.UsageError("give a NAME or --tasks, not both")
    if show and name is None:
        raise click.UsageError("--show needs the NAME of a measure")
    if plot is not None and not show:
        raise click.UsageError("--plot is for --show")
    if show and name is not None:
        from prum_eval.experiments.gallery import answers

        found = answers(name)
        first = output_format(format_names(type(found).__name__)[0])
        write_results(found, Layout(size=plot_size), [*filter(None, [plot]), (first, None)])
        return
    text = task_listing() if tasks else listing() if name is None else explanation(name)
    write_output(text, None)


def listing() -> str:
    """Every name with its one-line meaning."""
    from prum_eval.measures.registry import SETS, all_measures, names_of
    from prum_eval.relevance.quantisations import BY_KIND
    from prum_eval.user_models.registry import names

    lines = ["Measures (-m):"]
    families: dict[str, list[tuple[str, str]]] = {}
    for measure in all_measures():
        families.setdefault(measure.family, []).append((measure.name + measure.suffix, measure.summary))
    for family, entries in families.items():
        lines += [f"  {family}", *_entries(entries)]
    members = {name: ", ".join(names_of(name)) for name in SETS} | {"all": "every measure whose inputs are there"}
    lines += ["Sets (-m):", *_entries(members.items())]
    lines += ["User models (-u):", *_entries((key, _summary(key)) for key in names())]
    lines += ["Quantisations (--quantisation):", *_entries((kind, ", ".join(table)) for kind, table in BY_KIND.items())]
    return "\n".join(lines) + "\n"


def task_listing() -> str:
    """Every task with its one-line meaning."""
    from prum_eval.measures.tasks import TASKS

    return "\n".join(["Tasks (--task):", *_entries((task.name, task.summary) for task in TASKS.values())]) + "\n"


def _task(name: str) -> str:
    """A task: what it asks for, its settings, its source."""
    from prum_eval.measures.tasks import TASKS

    task = TASKS[name]
    settings = ", ".join(task.settings) or "defaults"
    lines = [f"task {task.name}: {task.summary}", "", f"Measures: {' '.join(task.specs)}", f"Settings: {settings}"]
    lines.append(f"Source: {task.source}")
    lines += [f"Note: {task.note}"] if task.note else []
    filled = (textwrap.fill(line, _WIDTH, subsequent_indent="  ", break_on_hyphens=False) for line in lines)
    return "\n".join(filled) + "\n"


def _summary(name: str) -> str:
    """What a user model does; of one from a broken package what is wrong with it."""
    from prum_eval.errors import UsageError
    from prum_eval.user_models.registry import user_model

    try:
        return user_model(name).summary
    except UsageError as error:
        return str(error)


def _entries(rows: Iterable[tuple[str, str]]) -> list[str]:
    indent = " " * 28
    lines = []
    for key, meaning in rows:
        if len(key) > 23:  # too long to stand beside its meaning
            lines.append(f"    {key}")
        start = indent if len(key) > 23 else f"    {key:<23} "
        lines.append(textwrap.fill(meaning, _WIDTH, initial_indent=start, subsequent_indent=indent))
    return lines


def explanation(name: str) -> str:
    """A measure, family, set, user model or task: meaning, formula, parameters, source.

    Raises:
        UsageError: there is none of that name; the nearest is given.
    """
    from prum_eval.measures.base import Need, with_cutoffs
    from prum_eval.measures.registry import BY_NAME, SETS, families, names_of
    from prum_eval.measures.specs import RELEVANCE_LEVEL, our_name
    from prum_eval.measures.tasks import TASKS
    from prum_eval.user_models.registry import names, parameters_of, user_model

    measured = {*BY_NAME, *families(), *SETS}
    if name in TASKS and name not in measured:
        return _task(name)
    texts = [_task(name)] if name in TASKS else []
    if name in names():
        model = user_model(name)
        parts = (model.summary, model.explanation, parameters_of(model), (), model.source)
        texts.append(_explained(f"user model {name}", *parts))
    if not texts or name in measured:  # t2i is a user model and a family of measures
        name = name if name in measured else our_name(name)
        for member in dict.fromkeys([*names_of(name), *filter(None, [with_cutoffs(name, BY_NAME)])]):
            measure = BY_NAME[member]
            points = tuple(measure.printed(point) for point in measure.cutoffs)
            graded = not measure.needs.isdisjoint({Need.REACH, Need.GAINS})
            own = (*measure.parameters, *([RELEVANCE_LEVEL] if graded else []))
            about = (measure.summary, measure.explanation, own, points, measure.source, measure.also)
            texts.append(_explained(member, *about))
    return "\n".join(texts)


def _explained(
    title: str,
    summary: str,
    text: str,
    parameters: tuple[Parameter, ...],
    prints: tuple[str, ...],
    source: str,
    also: tuple[str, ...] = (),
) -> str:
    lines = [textwrap.fill(f"{title}: {summary}", _WIDTH), "", textwrap.fill(text, _WIDTH), ""]
    if also:
        lines += [textwrap.fill(f"Also known as: {', '.join(also)}", _WIDTH, subsequent_indent="  "), ""]
    if prints:
        lines += [textwrap.fill(f"Prints: {' '.join(prints)}", _WIDTH, subsequent_indent="        "), ""]
    for parameter in parameters:
        default = "chosen from the inputs" if parameter.default is None else parameter.default
        said = f"{parameter.name} = {default}  ({parameter.legal}) {parameter.meaning}"
        lines.append(textwrap.fill(said, _WIDTH, initial_indent="  ", subsequent_indent="      "))
    lines += [*([""] if parameters else []), textwrap.fill(f"Source: {source}", _WIDTH)]
    return "\n".join(lines) + "\n"
