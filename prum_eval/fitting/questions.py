"""What is asked of a log for a user model: which of its parameters, and from what."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.inputs import Inputs, check_model
from prum_eval.fitting.curves import LawOfPairs, fixed_curve, law_of_pairs
from prum_eval.fitting.likelihood import FASTEST_DECAY, ReachCurve
from prum_eval.fitting.logged.pairs import FOLDS, ViewPairs
from prum_eval.fitting.logged.walks import Walks
from prum_eval.fitting.reading import Readings
from prum_eval.fitting.solving import Question
from prum_eval.user_models.model import ModelContext, ModelNeed
from prum_eval.user_models.modifiers import joins_items
from prum_eval.user_models.registry import ModelChoice, choose, parse_choice

ONCE, RANK_DECAY, DAMPING = "once", "rank_decay", "damping"


@dataclass(frozen=True)
class AskedModel:
    """A user model as -u names it, and which of its parameters were set there, so are not estimated."""

    spec: str
    choice: ModelChoice
    settings: Mapping[str, str]

    @property
    def follows_graph(self) -> bool:
        """Whether it goes along a navigation graph."""
        return ModelNeed.GRAPH in self.choice.model.needs

    @property
    def once(self) -> bool:
        """Whether nothing leads on from a document that an earlier result opened."""
        return self.choice.values[ONCE] == "on"


def asked_model(spec: str) -> AskedModel:
    """The user model of a -u SPEC; what it sets is held, what it does not is estimated where that can be.

    Raises:
        UsageError: an unknown name or value, or a model that looks at a list in ways that logs do not tell.
    """
    name, settings = parse_choice(spec)
    choice = choose(name, settings)
    if joins_items(choice.values):
        raise UsageError(f"-u {spec}: a log is of results, not of items: items has no meaning")
    if not choice.model.memoryless:
        raise UsageError(f"-u {spec}: {name} looks at earlier ranks in ways of its own, which a log does not tell")
    return AskedModel(spec, choice, settings)


def check_asked(asked: AskedModel, inputs: Inputs) -> None:
    """Refuse a model that must know more of the documents.

    Raises:
        DataError: it needs a structure.
    """
    check_model(asked.choice, inputs)


def question_of(
    asked: AskedModel, context: ModelContext, pairs: ViewPairs, readings: Readings | None
) -> tuple[Question, LawOfPairs | None]:
    """What is asked for a model that follows no graph; `readings`: where the parameter is to come from them."""
    choice, decay = asked.choice, _decay(asked)
    law = law_of_pairs(choice, context, pairs)
    if law is None:
        curve = fixed_curve(_without_modifiers(choice), context, pairs)
        return Question(lambda _: curve, decay=decay), None
    curve = law.curve
    key = law.law.key
    if key in asked.settings:
        return Question(lambda _: curve, float(choice.values[key]), decay=decay), law
    if readings is not None and law.law.reading is not None:
        return Question(lambda _: curve, reading=law.law.reading, readings=readings, decay=decay), law
    distance = law.distance if law.law.slope is None else None
    return Question(lambda _: curve, distance=distance, decay=decay), law


def graph_question(
    asked: AskedModel, context: ModelContext, pairs: ViewPairs, walks: Walks, *, links: bool
) -> tuple[Question, ModelChoice]:
    """What is asked for a model along a graph: of steps that are counted, or of links that are followed at times.

    Returns:
        The question, and the model with what counts told of its parameters.

    Raises:
        DataError: the log has no step, or the structure no links.
    """
    if links and not context.links:
        raise DataError("the structure has no links: leave --graph links out")
    if not len(walks.source):
        raise DataError("nothing was viewed from anywhere: the log has no step of a graph")
    context = replace(context, navigation=None)

    @cache
    def curve(fold: int | None) -> ReachCurve:
        sessions = None if fold is None else [one for one in range(walks.sessions) if one % FOLDS != fold]
        own = _without_modifiers(with_damping(asked, walks, sessions))
        graph = context if links else replace(
            context, links=(), navigation=walks.navigation(sessions), navigation_kind="step"
        )  # fmt: skip
        return fixed_curve(own, graph, pairs)

    @cache
    def counted(fold: int | None) -> int:
        if links:
            return int(DAMPING not in asked.settings)
        sessions = None if fold is None else [one for one in range(walks.sessions) if one % FOLDS != fold]
        return len(walks.navigation(sessions).source)

    return Question(curve, decay=_decay(asked), counted=counted), with_damping(asked, walks, None)


def with_damping(asked: AskedModel, walks: Walks, sessions: list[int] | None) -> ModelChoice:
    """The model with the damping that sessions tell, unless it was given."""
    if DAMPING in asked.settings or DAMPING not in asked.choice.values:
        return asked.choice
    counted = walks.damping()
    own = np.arange(walks.sessions) if sessions is None else np.array(sessions, dtype=np.int64)
    whole = float(counted.whole[own].sum())
    value = float(counted.part[own].sum()) / whole if whole > 0 else 0.0
    return replace(asked.choice, values={**asked.choice.values, DAMPING: value})


def _decay(asked: AskedModel) -> float | None:
    """Minus the logarithm of rank_decay where that is given."""
    if RANK_DECAY not in asked.settings:
        return None
    given = float(asked.choice.values[RANK_DECAY])
    return min(-math.log(given), FASTEST_DECAY) if given > 0 else FASTEST_DECAY


def _without_modifiers(choice: ModelChoice) -> ModelChoice:
    """The model by itself: what ranks change is told by the pairs."""
    return replace(choice, modified=False)
