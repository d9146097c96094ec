"""``prum-eval explain``: why a topic's score is what it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from prum_eval.cli.options import check_standard_input, evaluation_options
from prum_eval.cli.output import write_output
from prum_eval.errors import InputError, UsageError

if TYPE_CHECKING:
    from prum_eval.evaluation.plan import Plan
    from prum_eval.evaluation.settings import Setting
    from prum_eval.measures.specs import ConfiguredMeasure


@click.command("explain")
@click.argument("assessments", metavar="ASSESSMENTS")
@click.argument("run", metavar="RUN")
@click.option("--topic", required=True, metavar="T", help="The topic to explain.")
@evaluation_options
@click.option(
    "-f",
    "--format",
    "style",
    type=click.Choice(["text", "json", "html"]),
    default="text",
    show_default=True,
    help="Text for a terminal of 80 columns, everything as JSON, or a page that draws documents and navigation.",
)
@click.option("-o", "--output", metavar="FILE", help="Write to FILE, whole or not at all.")
def command(
    assessments: str,
    run: str,
    topic: str,
    style: str,
    output: str | None,
    **options: Any,  # noqa: ANN401 - those of eval
) -> None:
    """Explain why RUN has its scores on topic T: what each rank reaches, what is seen by then, and what that adds.

    Measures are those of a navigating user: prum, eprum and gen_recall. Without -m: eprum_map, prum_map where N is
    known, and gen_recall over the whole list. The additions of all ranks sum up to the value.
    """
    from prum_eval.analysis.explanation.explain import explain
    from prum_eval.evaluation.evaluate_runs import read_source
    from prum_eval.evaluation.one_topic import one_topic
    from prum_eval.evaluation.options import Call, prepare
    from prum_eval.evaluation.signature import signature
    from prum_eval.measures.base import Shape
    from prum_eval.version import __version__

    check_standard_input(assessments, options["structure"], options["navigation"], options["config"], run)
    prepared = prepare(Call(assessments=assessments, runs=[run], **options))
    found = read_source(prepared.sources[0], prepared.rank_by)
    if isinstance(found, InputError):
        raise found
    instances, setting = _chosen(prepared.plan.for_task(found.task), asked=_asked(options))
    one = one_topic(prepared.plan, setting, found, topic)
    if not _asked(options):
        whole = (float(max(len(one.data.ranking), 1)),)
        instances = [
            replace(each, cutoffs=whole) if each.measure.shape is Shape.AT_RANKS else each for each in instances
        ]
    explanation = explain(one, found, setting, instances)
    plan = replace(prepared.plan, instances=instances, settings=[setting] * len(instances))
    signed = signature(__version__, plan, options["rank_by"])
    if style == "json":
        from prum_eval.report.data.explanation import as_json

        text = as_json(explanation, __version__, signed)
    elif style == "html":
        from prum_eval.report.html.explanation import page

        text = page(explanation, signed)
    else:
        from prum_eval.report.text.explanation import text as as_text

        text = as_text(explanation)
    for warning in prepared.warnings:
        click.echo(f"prum-eval: warning: {warning}", err=True)
    click.echo(signed, err=True)
    write_output(text, output)


# One topic of one run is no work to share, and nothing to average.
command.params = [one for one in command.params if one.name not in {"jobs", "cluster", "complete"}]


def _asked(options: dict[str, Any]) -> bool:
    """Whether the user chose measures."""
    return any(options[name] for name in ("measures", "task", "config"))


def _chosen(plan: Plan, *, asked: bool) -> tuple[list[ConfiguredMeasure], Setting]:
    """The measures that can be explained, and the one setting that they have.

    Raises:
        UsageError: there is none, or they differ in their user model, targets or quantisation.
    """
    from prum_eval.measures.base import Shape
    from prum_eval.measures.registry import MEASURES

    pairs = [
        (instance, setting)
        for instance, setting in zip(plan.instances, plan.settings, strict=True)
        if instance.measure.split is not None and (asked or instance.measure.shape is not Shape.AT_LEVELS)
    ]
    if not pairs:
        names = ", ".join(instance.called for instance in plan.instances)
        families = dict.fromkeys(measure.family for measure in MEASURES if measure.split is not None)
        raise UsageError(f"explain is about measures of {', '.join(families)}, not {names}")
    if len({setting.key for _, setting in pairs}) > 1:
        names = ", ".join(instance.called for instance, _ in pairs)
        raise UsageError(f"explain follows one user in one call; choose with -m measures of one setting among {names}")
    return [instance for instance, _ in pairs], pairs[0][1]
