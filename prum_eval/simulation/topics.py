"""The topics of a simulation: the list that all runs of a topic begin with, and what changes may look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from prum_eval.evaluation.inputs import Inputs
from prum_eval.records.assessments import Topic
from prum_eval.records.run import Run, RunKind
from prum_eval.relevance.quantisations import Quantisation
from prum_eval.relevance.targets import TargetKind, TargetSet, make_targets
from prum_eval.simulation.change import ListedTopic
from prum_eval.simulation.elements import Elements
from prum_eval.simulation.results import NamedResult, Ranks, items
from prum_eval.simulation.runs import ranks_of_run
from prum_eval.simulation.target_lists import ranks_of_targets
from prum_eval.tabular import listed, plural


@dataclass(frozen=True)
class Beginning:
    """What lists begin with: those of a run, or targets of a kind under a quantisation.

    `perfect`: the quantisation whose targets are listed, by rank, instead. `kind`: of the results.
    """

    kind: RunKind
    targets: TargetKind
    quantisation: Quantisation
    perfect: Quantisation | None = None
    run: Run | None = None


def listed_topics(
    inputs: Inputs, begin: Beginning, elements: Elements | None, lengths: Mapping[str, int]
) -> tuple[tuple[ListedTopic, ...], list[str]]:
    """The topics that have targets and results, and what there is to say of others and of results out of reach."""
    own = None if begin.run is None else ranks_of_run(begin.run, elements)
    found, aimless, empty = [], [], []
    for name, topic in inputs.assessments.topics.items():
        if own is not None and name not in own:
            continue
        targets = _targets(inputs, topic, begin.targets, begin.quantisation)
        ranks = own[name] if own is not None else _ranks(inputs, topic, begin, targets)
        if not len(targets):
            aimless.append(name)
        elif not ranks:
            empty.append(name)
        else:
            holding = frozenset(targets.documents)
            found.append(ListedTopic(name, begin.kind, ranks, holding, lengths, elements))
    unassessed = [name for name in own or () if name not in inputs.assessments.topics]
    notes = [
        *_left_out(aimless, "has no targets", "have no targets"),
        *_left_out(empty, "has no result to begin with", "have no results to begin with"),
        *_left_out(unassessed, "has no assessments", "have no assessments"),
    ]
    if own is not None and elements is not None and begin.kind is RunKind.ELEMENTS:
        stray = sum(isinstance(item, NamedResult) for one in found for item in items(one.ranks))
        if stray:
            are = "is no element" if stray == 1 else "are no elements"
            notes.append(f"{plural(stray, 'result')} {are} of the structure; changes in its trees pass over them")
    return tuple(found), notes


def _ranks(inputs: Inputs, topic: Topic, begin: Beginning, targets: TargetSet) -> Ranks:
    if begin.perfect is None:
        return ranks_of_targets(targets, begin.kind)
    specific = _targets(inputs, topic, TargetKind.RELEVANT, begin.perfect)
    return ranks_of_targets(specific, begin.kind, shared=True)


def _targets(inputs: Inputs, topic: Topic, kind: TargetKind, scale: Quantisation) -> TargetSet:
    return make_targets(topic, kind, scale, inputs.trees, largest_grade=inputs.largest_grade)


def _left_out(names: list[str], one: str, many: str) -> Iterator[str]:
    if names:
        said = f"{one} and is" if len(names) == 1 else f"{many} and are"
        yield f"{plural(len(names), 'topic')} {said} left out: {listed(names)}"
