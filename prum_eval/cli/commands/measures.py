"""``prum-eval measures``: the list of measures and user models, or one of them explained."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

import click

from prum_eval.cli.help import Command
from prum_eval.cli.options import complete_from, plot_options
from prum_eval.cli.output import Output, write_output, write_results
from prum_eval.parameters import Parameter
from prum_eval.report.layout import Layout
from prum_eval.report.registry import output_format

_WIDTH = 80


@click.command("measures", cls=Command)
@click.argument("name", required=False, shell_complete=complete_from("explained"))
@click.option("--tasks", is_flag=True, help="List the tasks: official settings of campaigns.")
@click.option(
    "--show",
    is_flag=True,
    help="Show how NAME (a measure or family, with parameters as for -m) reacts to near misses, overlap, noise, "
    "missing targets and reading effort in simulated runs.",
)
@plot_options("Answers", "these reactions")
def command(name: str | None, tasks: bool, show: bool, plot: Output | None, plot_size: str) -> None:
    """List measures, sets and user models, or explain the measure, family, set, user model or task NAME.

    \b
    Examples:
      prum-eval measures
      prum-eval measures eprum_map
    """
    if tasks and name is not None:
        raise click.UsageError("give a NAME or --tasks, not both")
    if show and name is None:
        raise click.UsageError("--show needs the NAME of a measure")
    if plot is not None and not show:
        raise click.UsageError("--plot is for --show")
    if show and name is not None:
        from prum_eval.experiments.gallery import answers

        outputs = [*filter(None, [plot]), (output_format("text"), None)]
        write_results(answers(name), Layout(size=plot_size), outputs)
        return
    text = list_tasks() if tasks else list_measures() if name is None else explain_name(name)
    write_output(text, None)


def list_measures() -> str:
    """All measures, sets, user models and quantisations with one-line meanings."""
    from prum_eval.errors import UsageError
    from prum_eval.measures.registry import SETS, all_measures, expand_name
    from prum_eval.relevance.quantisations import QUANTISATIONS_BY_KIND
    from prum_eval.user_models.registry import find_user_model, model_names

    def model_summary(name: str) -> str:
        try:
            return find_user_model(name).summary
        except UsageError as error:  # of another package
            return str(error)

    lines = ["Measures (-m):"]
    families: dict[str, list[tuple[str, str]]] = {}
    for measure in all_measures():
        families.setdefault(measure.family, []).append((measure.name + measure.suffix, measure.summary))
    for family, entries in families.items():
        lines += [f"  {family}", *_format_entries(entries)]
    members = {name: ", ".join(expand_name(name)) for name in SETS} | {"all": "every measure whose inputs are there"}
    lines += ["Sets (-m):", *_format_entries(members.items())]
    lines += ["User models (-u):", *_format_entries((key, model_summary(key)) for key in model_names())]
    quantisations = [(kind, ", ".join(table)) for kind, table in QUANTISATIONS_BY_KIND.items()]
    lines += ["Quantisations (--quantisation):", *_format_entries(quantisations)]
    return "\n".join(lines) + "\n"


def list_tasks() -> str:
    """All tasks with one-line meanings."""
    from prum_eval.measures.tasks import TASKS

    return "\n".join(["Tasks (--task):", *_format_entries((task.name, task.summary) for task in TASKS.values())]) + "\n"


def _format_entries(rows: Iterable[tuple[str, str]]) -> list[str]:
    indent = " " * 28
    lines = []
    for key, meaning in rows:
        is_long = len(key) > 23
        if is_long:
            lines.append(f"    {key}")
        start = indent if is_long else f"    {key:<23} "
        lines.append(textwrap.fill(meaning, _WIDTH, initial_indent=start, subsequent_indent=indent))
    return lines


def explain_name(name: str) -> str:
    """A measure, family, set, user model or task: meaning, formula, parameters, source.

    Raises:
        UsageError: there is none of that name; the nearest is given.
    """
    from prum_eval.measures.base import Need, cutoff_measure_name
    from prum_eval.measures.registry import MEASURES_BY_NAME, SETS, expand_name, families
    from prum_eval.measures.specs import RELEVANCE_LEVEL, canonical_name
    from prum_eval.measures.tasks import TASKS
    from prum_eval.user_models.registry import find_user_model, model_names, model_parameters

    measured = {*MEASURES_BY_NAME, *families(), *SETS}
    if name in TASKS and name not in measured:
        return _explain_task(name)
    texts = [_explain_task(name)] if name in TASKS else []
    if name in model_names():
        model = find_user_model(name)
        parts = (model.summary, model.explanation, model_parameters(model), (), model.source)
        texts.append(_format_explanation(f"user model {name}", *parts))
    if not texts or name in measured:  # t2i is a user model and a family of measures
        name = name if name in measured else canonical_name(name)
        for member in dict.fromkeys([*expand_name(name), *filter(None, [cutoff_measure_name(name, MEASURES_BY_NAME)])]):
            measure = MEASURES_BY_NAME[member]
            points = tuple(measure.printed_name(point) for point in measure.cutoffs)
            of_relevance = not measure.needs.isdisjoint({Need.REACH, Need.GAINS, Need.RECALL_BASE})
            is_graded = of_relevance and not measure.without_level
            parameters = (*measure.parameters, *([RELEVANCE_LEVEL] if is_graded else []))
            about = (measure.summary, measure.explanation, parameters, points, measure.source)
            texts.append(_format_explanation(member, *about, measure.aliases))
    return "\n".join(texts)


def _explain_task(name: str) -> str:
    """Measures, settings and source of a task."""
    from prum_eval.measures.tasks import TASKS

    task = TASKS[name]
    settings = ", ".join(task.settings) or "defaults"
    lines = [f"task {task.name}: {task.summary}", "", f"Measures: {' '.join(task.specs)}", f"Settings: {settings}"]
    lines.append(f"Source: {task.source}")
    lines += [f"Note: {task.note}"] if task.note else []
    wrapped = (textwrap.fill(line, _WIDTH, subsequent_indent="  ", break_on_hyphens=False) for line in lines)
    return "\n".join(wrapped) + "\n"


def _format_explanation(
    title: str,
    summary: str,
    explanation: str,
    parameters: tuple[Parameter, ...],
    prints: tuple[str, ...],
    source: str,
    aliases: tuple[str, ...] = (),
) -> str:
    lines = [textwrap.fill(f"{title}: {summary}", _WIDTH), "", textwrap.fill(explanation, _WIDTH), ""]
    if aliases:
        names = ", ".join(alias.replace(":", " with ") for alias in aliases)
        lines += [textwrap.fill(f"Also known as: {names}", _WIDTH, subsequent_indent="  "), ""]
    if prints:
        lines += [textwrap.fill(f"Prints: {' '.join(prints)}", _WIDTH, subsequent_indent="        "), ""]
    for parameter in parameters:
        default = "chosen from the inputs" if parameter.default is None else parameter.default
        text = f"{parameter.name} = {default}  ({parameter.legal_values}) {parameter.meaning}"
        lines.append(textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="      "))
    lines += [*([""] if parameters else []), textwrap.fill(f"Source: {source}", _WIDTH)]
    return "\n".join(lines) + "\n"
