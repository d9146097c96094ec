"""One run: the facts of each topic, the values of each measure, the averages."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.collection.places import NOWHERE, Places
from prum_eval.errors import DataError, InputError, RefusedError
from prum_eval.evaluation.plan import Plan
from prum_eval.evaluation.resolution import Resolver
from prum_eval.evaluation.results import RunResult, Value
from prum_eval.evaluation.settings import Setting, SettingKey, fits
from prum_eval.formats.records import Kind, Run, Shape
from prum_eval.measures.coverage import overlapping
from prum_eval.measures.facts import JudgedTopic, Ranking, TopicFacts
from prum_eval.measures.measure import Need
from prum_eval.measures.measure import Shape as Print
from prum_eval.measures.selection import Instance
from prum_eval.numerics.levels import mean

Refused = dict[str, RefusedError]
"""Measures of a set that refuse a run, by the name that they are called."""


@dataclass(frozen=True)
class Evaluated:
    """A run's values, and what the user should be told about it."""

    result: RunResult
    warnings: tuple[str, ...]


def evaluate_run(plan: Plan, run: Run) -> Evaluated:
    """All values of one run.

    Raises:
        DataError: run and judgements do not fit, or have no topic in common.
        InputError: a result that a measure cannot place.
    """
    reason = fits(run.shape, plan.inputs)
    if reason is not None:
        raise DataError(f"{run.path}: {reason}")
    judged = plan.inputs.assessments.topics
    position = {topic: number for number, topic in enumerate(run.topics)}
    common = sorted(position.keys() & judged.keys())
    if not common:
        raise DataError(f"{run.path}: no topic in common with {plan.inputs.assessments.path}")
    topics = sorted(judged) if plan.complete else common
    resolvers = {
        key: Resolver(run, plan.inputs.trees if setting.extents else None) for key, setting in plan.distinct().items()
    }
    pairs = list(zip(plan.instances, plan.settings, strict=True))
    refused: Refused = {}
    values = {
        topic: _topic_values(plan, run, position.get(topic), topic, resolvers, pairs, refused) for topic in topics
    }
    over_all = [pair for pair in pairs if pair[0].over_all]
    absent = [topic for topic in judged if over_all and topic not in values]
    beside = [_topic_values(plan, run, None, topic, resolvers, over_all, refused) for topic in absent]
    kept = [instance for instance in plan.instances if instance.called not in refused]
    averages = {
        name: _average(instance, [topic[name] for topic in [*values.values(), *beside] if name in topic])
        for instance in kept
        for name in instance.printed()
    }
    per_topic = {
        topic: {name: value for name, value in found.items() if name in averages and name != "num_q"}
        for topic, found in values.items()
    }
    said = [*_refusals(refused), *(f"{run.path}: {text}" for text in _warnings(plan, run, per_topic, resolvers))]
    warnings = tuple(said)
    return Evaluated(RunResult(run.run_id, run.path, per_topic, averages), warnings)


def _refusals(refused: Refused) -> list[str]:
    """One warning for each reason, with the measures that it leaves out."""
    reasons: dict[str, list[str]] = {}
    for name, error in refused.items():
        reasons.setdefault(str(error), []).append(name)
    return [f"{reason}; left out: {', '.join(names)}" for reason, names in reasons.items()]


def _topic_values(
    plan: Plan,
    run: Run,
    position: int | None,
    topic: str,
    resolvers: Mapping[SettingKey, Resolver],
    pairs: Sequence[tuple[Instance, Setting]],
    refused: Refused,
) -> dict[str, Value]:
    facts: dict[SettingKey, TopicFacts] = {}
    values: dict[str, Value] = {}
    for instance, setting in pairs:
        if instance.called in refused:
            continue
        if setting.key not in facts:
            facts[setting.key] = _facts(plan, run, position, topic, setting, resolvers[setting.key])
        own = facts[setting.key]
        try:
            _check(instance, own, plan, run, position)
            if "cap" in instance.values and topic not in resolvers[setting.key].overlapping:  # the xCG family
                resolvers[setting.key].overlapping[topic] = overlapping(own.ranking.places)
            values.update(zip(instance.printed(), _values(instance, own), strict=True))
        except RefusedError as error:
            if instance.explicit:
                raise
            refused[instance.called] = error
    return values


def _facts(plan: Plan, run: Run, position: int | None, topic: str, setting: Setting, resolver: Resolver) -> TopicFacts:
    judged: JudgedTopic = plan.judged(setting, topic)
    ranking = empty_ranking(run.path) if position is None else resolver.rank(_rows(plan, run, position), judged.targets)
    return TopicFacts(judged, ranking, plan.inputs.collection_size)


def _rows(plan: Plan, run: Run, position: int) -> slice:
    low, high = int(run.bounds[position]), int(run.bounds[position + 1])
    return slice(low, high if plan.limit is None else min(high, low + plan.limit))


def empty_ranking(path: str) -> Ranking:
    """The ranking of a topic that a run does not answer."""
    nothing = np.zeros(0, dtype=np.int64)
    flags = np.zeros(0, dtype=np.bool_)
    places = Places(nothing, nothing, nothing, nothing, nothing, flags)
    return Ranking(places, flags, np.zeros(0), list, path, nothing, list)


def _check(instance: Instance, facts: TopicFacts, plan: Plan, run: Run, position: int | None) -> None:
    """Refuse what a measure cannot be computed on."""
    needs = instance.needs
    if Need.PASSAGES in needs and run.shape is Shape.FLAT and plan.inputs.assessments.kind is Kind.PASSAGES:
        reason = "6 columns name a document; passage measures need an offset and a length (8 columns)"
        raise RefusedError(run.path, int(run.line[0]), reason)
    if Need.GAINS in needs and position is not None and run.shape is not Shape.FLAT:
        places = facts.ranking.places
        inside = places.document >= 0
        if Need.EXTENTS not in needs:  # other documents were not looked up
            inside &= places.document < len(facts.judged.targets.documents)
        for rank in np.flatnonzero(inside & (places.element == NOWHERE) & places.located).tolist():
            row = _rows(plan, run, position).start + rank
            document = run.documents[int(run.document[row])]
            structure = plan.inputs.structure
            if structure is not None and structure.names.isdisjoint({document, document.removesuffix(".xml")}):
                continue  # not in the collection at all, as X is not
            start, length = int(places.start[rank]), int(places.length[rank])
            raise InputError(
                run.path,
                int(run.line[row]),
                f"offset {start}, length {length} of document {document} is no element; "
                f"{instance.measure.name} counts elements",
            )
    if Need.SIZE in needs and facts.collection_size is not None:
        missing = int(np.count_nonzero(facts.found < 0))
        if facts.collection_size < facts.existing + missing:
            raise DataError(
                f"{run.path}: topic {facts.judged.name} has {facts.existing} results and {missing} targets that are "
                f"not among them, more than the collection's {facts.collection_size} elements"
            )


def _values(instance: Instance, facts: TopicFacts) -> list[Value]:
    measure = instance.measure
    if not measure.without_targets and not len(facts.judged.targets):
        return [None] * len(instance.printed())
    found = measure.per_topic(facts, instance.values, np.array(instance.points))
    listed = np.atleast_1d(found).tolist()
    if measure.shape is Print.COUNT:
        return [int(value) for value in listed]
    return [None if math.isnan(value) else value for value in listed]


def _average(instance: Instance, values: list[Value]) -> Value:
    known = [value for value in values if value is not None]
    if instance.measure.shape is Print.COUNT:
        return int(sum(known))
    return mean(known)


def _warnings(
    plan: Plan,
    run: Run,
    topics: Mapping[str, Mapping[str, Value]],
    resolvers: Mapping[SettingKey, Resolver],
) -> list[str]:
    judged = plan.inputs.assessments.topics
    unjudged = sum(topic not in judged for topic in run.topics)
    answered = set(run.topics)
    absent = sum(topic not in answered for topic in judged)
    without = {topic for topic, values in topics.items() if any(value is None for value in values.values())}
    missing = max(resolver.missing for resolver in resolvers.values())
    unlisted = max(resolver.unlisted for resolver in resolvers.values())
    overlap = max(sum(resolver.overlapping.values()) for resolver in resolvers.values())
    treated = "count as empty lists" if plan.complete else "are left out; -c counts them as empty"
    said = {
        f"topics without judgements, left out: {unjudged}": unjudged,
        f"judged topics missing from the run, which {treated}: {absent}": absent,
        f"topics without targets, left out of the means of the measures that need some: {len(without)}": len(without),
        f"results that are not in the structure, which keep their rank and find nothing: {missing}": missing,
        f"results that the assessments do not list, of unknown extent, which find nothing: {unlisted}": unlisted,
        f"results that lie in others or hold others, in documents with relevance: {overlap}": overlap,
        f"results with the score of another of their topic, ordered by {_tie_rule(run)}: {run.tied}": run.tied,
    }
    return [text for text, count in Counter(said).items() if count]


def _tie_rule(run: Run) -> str:
    return "document name, descending" if run.shape is Shape.FLAT else "their order in the file"
