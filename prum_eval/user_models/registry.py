"""The registry of user models, and the choice of one with its parameters.

A model of one's own joins through the entry point group ``prum_eval.user_models``: either a `UserModel`, or a
function of the shape `RowModel`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from prum_eval.errors import UsageError
from prum_eval.parameters import Parameter, ParameterValue, ParameterValues, nearest, show, split_settings
from prum_eval.plugins import Plugins
from prum_eval.user_models import extents
from prum_eval.user_models.graph import graph
from prum_eval.user_models.model import Model, ModelContext, ModelNeed, RankedTopic, UserModel, by_rows
from prum_eval.user_models.reach import Reach, combine_items, decay_with_rank, open_once, opens_item

GROUP = "prum_eval.user_models"

MODIFIERS = (
    Parameter("once", "off", "do not navigate again from a document that an earlier rank opened", ("on", "off")),
    Parameter("rank_decay", 1.0, "navigation at rank k is multiplied by this to the k - 1", low=0.0, high=1.0),
    Parameter("items", "none", "article: successive results of one article form one item", ("none", "article")),
    Parameter("consider", 1.0, "the j-th element of an item is considered with this to the j - 1", low=0.0, high=1.0),
)
"""Parameters that every user model has."""

_ARTICLE = "[PRUM]: Piwowarski, Gallinari, Dupret, TOIS 25(1), 2007"
_POSITIONS = frozenset({ModelNeed.POSITIONS})

BUILT_IN: Mapping[str, UserModel] = {
    model.name: model
    for model in (
        UserModel(
            "none",
            "no navigation: only the result itself is seen",
            "R[k, x] = 1 where rank k points to x, else 0. PRUM and EPRUM then are classic precision and recall.",
            _ARTICLE,
            extents.none,
        ),
        UserModel(
            "hierarchical",
            "from an element to those that contain it or lie in it",
            "R = |x n y| / max(|x|, |y|) within a document: length of the inner over length of the outer element when "
            "one contains the other, 0 when they are apart; passages that overlap in part fall under the same formula.",
            f"{_ARTICLE}, equation 9; Piwowarski, Dupret, SIGIR 2006, section 7",
            extents.hierarchical,
            needs=frozenset({ModelNeed.LENGTHS}),
        ),
        UserModel(
            "t2i",
            "reading forward from the start, with a tolerance to irrelevance",
            "R = 1 if the target ends after the result's start and begins no more than `tolerance` characters on, else "
            "0. All text counts; reading does not stop at the first target. decay=inverse: "
            "tolerance / (tolerance + d) instead of the step.",
            f"{_ARTICLE}, section 2.2",
            extents.t2i,
            (
                Parameter("tolerance", 300.0, "characters read before the user gives up", low=0.0),
                Parameter("decay", "step", "how the probability falls with the distance", ("step", "inverse")),
            ),
            _POSITIONS,
        ),
        UserModel(
            "bep-distance",
            "nearness of the beginnings, scaled by the mean document length",
            "R = A L / (A L + d), d the distance in characters between the beginnings within one document.",
            "Lalmas et al., INEX 2006 Evaluation Measures, section 7",
            extents.bep_distance,
            (
                Parameter("A", 1.0, "how far from a target a start still helps, in documents", low=0.0, open_low=True),
                Parameter("L", None, "mean document length in characters", low=0.0, open_low=True),
            ),
            _POSITIONS,
        ),
        UserModel(
            "logistic",
            "nearness of the beginnings, by a logistic law",
            "R = 2 / (1 + exp(lambda d)), d as in bep-distance. The article's formula gives 1/2 at d = 0; it is scaled "
            "to 1 here, because a result that begins at the target shows it.",
            _ARTICLE,
            extents.logistic,
            (Parameter("lambda", 0.01, "fall per character", low=0.0, open_low=True),),
            _POSITIONS,
        ),
        UserModel(
            "siblings",
            "hierarchical, and on to neighbouring elements",
            "R[y, x] = max over siblings z of x at distance j >= 0 of p^j hierarchical(z, y).",
            "prum-eval",
            extents.siblings,
            (Parameter("p", 0.25, "probability to go on to the next sibling", low=0.0, high=1.0),),
            frozenset({ModelNeed.LENGTHS, ModelNeed.SIBLINGS}),
        ),
        UserModel(
            "graph",
            "probabilities from a navigation file or the structure's links",
            "With --navigation-kind reach the file's probabilities are R; with step they are single steps, and R is "
            "the probability that a walk of these steps ever visits the target. Links of the structure are steps, with "
            "probability damping / out-degree where they have none.",
            f"{_ARTICLE}, section 3",
            graph,
            (Parameter("damping", 0.85, "probability to follow some link of a page", low=0.0, high=1.0),),
            frozenset({ModelNeed.GRAPH}),
        ),
    )
}


def _from_function(found: object, name: str, where: str) -> UserModel | None:
    """A function of the shape `RowModel` as a user model."""
    if not callable(found):
        return None
    rows: Callable[..., object] = found
    summary = (rows.__doc__ or where).strip().splitlines()[0]
    build = lambda _values, _surroundings: by_rows(name, rows)  # type: ignore[arg-type] # noqa: E731
    return UserModel(name, summary, summary, where, build, memoryless=False)


REGISTERED = Plugins(GROUP, "user model", UserModel, _from_function, "neither a UserModel nor a function")
"""User models of other packages; a name that is built in stays what it is."""


def names() -> list[str]:
    """Names of all user models, built in and registered."""
    return list(dict.fromkeys([*BUILT_IN, *REGISTERED]))


def user_model(name: str) -> UserModel:
    """The user model of that name.

    Raises:
        UsageError: there is none (the nearest name is given), or its package does not hold one.
    """
    if name in BUILT_IN:
        return BUILT_IN[name]
    if name in REGISTERED:
        return REGISTERED[name]
    raise UsageError(f"no user model {name} (there are: {', '.join(names())}){nearest(name, names())}")


@dataclass(frozen=True)
class ModelChoice:
    """A user model with all its parameters set."""

    model: UserModel
    values: ParameterValues

    @property
    def spec(self) -> str:
        """The choice as ``-u`` takes it: the name, and what is off its default."""
        defaults = {parameter.name: parameter.default for parameter in parameters_of(self.model)}
        off = [f"{key}={show(value)}" for key, value in self.values.items() if value != defaults[key]]
        return f"{self.model.name}:{','.join(off)}" if off else self.model.name


def parameters_of(model: UserModel) -> tuple[Parameter, ...]:
    """A model's own parameters and those that every model has."""
    return (*model.parameters, *MODIFIERS)


def choose(name: str, settings: Mapping[str, str]) -> ModelChoice:
    """The user model of that name with those settings, in text.

    Raises:
        UsageError: unknown name or key, or a value that is not legal.
    """
    model = user_model(name)
    known = {parameter.name: parameter for parameter in parameters_of(model)}
    for key in settings:
        if key not in known:
            raise UsageError(
                f"user model {name} has no parameter {key} (it has: {', '.join(known)}){nearest(key, known)}"
            )
    values: dict[str, ParameterValue] = {}
    for key, parameter in known.items():
        if key in settings:
            values[key] = parameter.parse(settings[key].removeprefix("geometric:"))
        elif parameter.default is not None:
            values[key] = parameter.default
    return ModelChoice(model, values)


def parse(spec: str) -> tuple[str, dict[str, str]]:
    """``NAME`` or ``NAME:key=value,...`` as name and settings."""
    name, colon, settings = spec.partition(":")
    return name, split_settings(settings) if colon else {}


def build(choice: ModelChoice, surroundings: ModelContext) -> Model:
    """The model as one function of a scene, with once, rank_decay and items applied."""
    base = choice.model.build(choice.values, surroundings)
    once, decay = choice.values["once"] == "on", float(choice.values["rank_decay"])
    articles, consider = choice.values["items"] == "article", float(choice.values["consider"])
    if not (once or articles or decay < 1):
        return base

    def model(scene: RankedTopic) -> Reach:
        reach = base(scene)
        document = scene.results.document
        position = np.arange(len(document))
        if articles:
            fresh = opens_item(document)
            within = position - np.maximum.accumulate(np.where(fresh, position, 0))
            position = np.cumsum(fresh) - 1
        if once:
            reach = open_once(reach, document, position)
        if decay < 1:
            reach = decay_with_rank(reach, decay, position)
        return combine_items(reach, position, consider ** within.astype(np.float64)) if articles else reach

    return model
