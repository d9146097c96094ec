"""What the user should be told about a run that was evaluated."""

from __future__ import annotations

from collections.abc import Mapping

from prum_eval.errors import RefusedError
from prum_eval.evaluation.results import MeasuredValue
from prum_eval.evaluation.topics import RunTopics
from prum_eval.records.run import Run, RunKind


def run_warnings(
    of_run: RunTopics, refused: Mapping[str, RefusedError], topics: Mapping[str, Mapping[str, MeasuredValue]]
) -> tuple[str, ...]:
    """Warnings of a run: measures that refused it, by reason; topics left out, results not found, ties broken."""
    plan, run, looked = of_run.plan, of_run.run, of_run.resolvers.values()
    reasons: dict[str, list[str]] = {}
    for name, error in refused.items():
        reasons.setdefault(str(error), []).append(name)
    judged = plan.inputs.assessments.topics
    answered = set(run.topics)
    treated = "count as empty lists" if plan.complete else "are left out; -c counts them as empty"
    said = {
        "topics without judgements, left out": sum(topic not in judged for topic in run.topics),
        f"judged topics missing from the run, which {treated}": sum(topic not in answered for topic in judged),
        "topics without targets, left out of the means of the measures that need some": sum(
            any(value is None for value in values.values()) for values in topics.values()
        ),
        "results that are not in the structure, which keep their rank and find nothing": max(
            resolver.missing for resolver in looked
        ),
        "results that the assessments do not list, of unknown extent, which find nothing": max(
            resolver.unlisted for resolver in looked
        ),
        "results that lie in others or hold others, in documents with relevance": max(
            sum(resolver.overlapping.values()) for resolver in looked
        ),
        f"results with the score of another of their topic, ordered by {_tie_rule(run)}": run.tied,
    }
    return (
        *(f"{reason}; left out: {', '.join(names)}" for reason, names in reasons.items()),
        *(f"{run.path}: {text}: {count}" for text, count in said.items() if count),
    )


def _tie_rule(run: Run) -> str:
    return "document name, descending" if run.kind is RunKind.FLAT else "their order in the file"
