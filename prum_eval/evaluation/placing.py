"""Lists of results in their places, topic by topic, as user models see them: without any measure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from prum_eval.collection.forest import NamedPlaces
from prum_eval.evaluation.inputs import Inputs, check_model
from prum_eval.evaluation.resolution import Resolver
from prum_eval.evaluation.settings.setting import target_kind
from prum_eval.measures.topic_data import Ranking, ranked_topic
from prum_eval.records.run import Run
from prum_eval.relevance.quantisations import Quantisation
from prum_eval.relevance.quantisations import quantisation as quantisation_of
from prum_eval.relevance.targets import TargetKind, TargetSet, default_targets, make_targets
from prum_eval.user_models.model import RankedTopic
from prum_eval.user_models.registry import ModelChoice, build


@dataclass(frozen=True, eq=False)
class PlacedList:
    """The results of a topic with its targets; `first`: the row of the run where they begin."""

    topic: str
    targets: TargetSet
    ranking: Ranking
    ranked: RankedTopic
    first: int


@dataclass(frozen=True, eq=False)
class Placing:
    """What places results: the inputs, and which targets there are. Targets of a topic are made once."""

    inputs: Inputs
    kind: TargetKind
    scale: Quantisation

    def targets(self, topic: str) -> TargetSet:
        """The targets of a topic.

        Raises:
            InputError: one cannot be placed.
        """
        assessed = self.inputs.assessments.topics[topic]
        return make_targets(assessed, self.kind, self.scale, self.inputs.trees, largest_grade=self.inputs.largest_grade)

    def lists(self, run: Run, *, graph: bool, repeats: bool = False) -> Iterator[PlacedList]:
        """The lists of the topics of a run that are assessed.

        Args:
            run: its results; those in documents without targets are looked up too.
            graph: a navigation graph goes on from the elements that lie in passages.
            repeats: an element may come twice, in two spellings.
        """
        inputs = self.inputs
        linked = inputs.structure.names if graph and inputs.structure and inputs.navigation is None else None
        inside = inputs.trees if graph else None
        named = None if inputs.trees is None else NamedPlaces(inputs.trees, run)
        resolver = Resolver(
            run, inputs.holding, inputs.trees, inside, linked, inputs.lengths, repeats=repeats, named=named
        )
        for number, topic in enumerate(run.topics):
            if topic not in inputs.assessments.topics:
                continue
            low, high = run.bounds[number : number + 2].tolist()
            targets = self.targets(topic)
            ranking = resolver.rank(slice(low, high), targets)
            ranked = ranked_topic(topic, targets, ranking.locations, ranking.nodes, ranking.entered)
            yield PlacedList(topic, targets, ranking, ranked, low)


def placing_of(inputs: Inputs, targets: str | None, quantisation: str) -> Placing:
    """Targets and quantisation by name, as `prum_eval.evaluate` has them.

    Raises:
        UsageError: an unknown name, or one that such assessments do not have.
    """
    kind = inputs.assessments.kind
    wanted = default_targets(kind) if targets is None else target_kind(targets, kind)
    return Placing(inputs, wanted, quantisation_of(quantisation, kind))


def checked_model(choice: ModelChoice, inputs: Inputs) -> None:
    """Refuse a model that these inputs do not suffice for.

    Raises:
        DataError: it needs to know more of the documents, or a navigation graph.
    """
    check_model(choice, inputs)
    build(choice, inputs.context)
