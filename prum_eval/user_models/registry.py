"""The registry of user models, and the choice of one with its parameters.

A built-in model is the `MODEL` of its module. A model of one's own joins through the entry point group
``prum_eval.all_user_models``: either a `UserModel`, or a function of the shape `RowModel`.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import cast

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.collection.locations import Locations, exact_entries
from prum_eval.collection.trees import DocumentTree
from prum_eval.errors import DataError, UsageError
from prum_eval.parameters import (
    Parameter,
    ParameterValue,
    ParameterValues,
    did_you_mean,
    format_parameter,
    split_settings,
)
from prum_eval.plugins import Plugins
from prum_eval.records import AssessmentKind
from prum_eval.relevance.targets import TargetKind
from prum_eval.user_models.model import (
    MODIFIERS,
    Model,
    ModelContext,
    ModelNeed,
    RankedTopic,
    Reach,
    UserModel,
    apply_modifiers,
    changes_reach,
    make_reach,
)

NO_NAVIGATION_MODEL, HIERARCHICAL_MODEL, COVERAGE_MODEL = "none", "hierarchical", "coverage"
BEP_DISTANCE_MODEL, GRAPH_MODEL = "bep-distance", "graph"
_MODEL_MODULES = {
    name: name.replace("-", "_")
    for name in (
        NO_NAVIGATION_MODEL,
        HIERARCHICAL_MODEL,
        COVERAGE_MODEL,
        "t2i",
        BEP_DISTANCE_MODEL,
        "logistic",
        "siblings",
        GRAPH_MODEL,
    )
}


class _BuiltIn(Mapping[str, UserModel]):
    """Built-in models by name; the module of one is imported when it is asked for, as most calls want one of many."""

    def __getitem__(self, name: str) -> UserModel:
        model: UserModel = import_module(f"prum_eval.user_models.{_MODEL_MODULES[name]}").MODEL
        return model

    def __contains__(self, name: object) -> bool:
        return name in _MODEL_MODULES

    def __iter__(self) -> Iterator[str]:
        return iter(_MODEL_MODULES)

    def __len__(self) -> int:
        return len(_MODEL_MODULES)


BUILT_IN: Mapping[str, UserModel] = _BuiltIn()
"""In the order in which they are listed."""


def _adapt_function(found: object, name: str, where: str) -> UserModel | None:
    """The user model of a function of another package; None if it is no function."""
    return model_from_function(found, name, where)


PLUGIN_MODELS = Plugins(
    "prum_eval.user_models", "user model", UserModel, _adapt_function, "neither a UserModel nor a function"
)
"""User models of other packages; a name that is built in stays what it is."""


def model_names() -> list[str]:
    """Names of all user models, built in and registered."""
    return list(dict.fromkeys([*BUILT_IN, *PLUGIN_MODELS]))


def all_user_models() -> list[UserModel]:
    """All user models; of other packages those that can be loaded."""
    registered = PLUGIN_MODELS.usable()
    return [*BUILT_IN.values(), *(model for name, model in registered.items() if name not in BUILT_IN)]


def find_user_model(name: str) -> UserModel:
    """The user model of that name.

    Raises:
        UsageError: there is none (the nearest name is given), or its package does not hold one.
    """
    if name in BUILT_IN:
        return BUILT_IN[name]
    if name in PLUGIN_MODELS:
        return PLUGIN_MODELS[name]
    raise UsageError(f"no user model {name} (there are: {', '.join(model_names())}){did_you_mean(name, model_names())}")


# Some models of other packages hold functions that cannot be sent to another process; the registry there has the same.
copyreg.pickle(UserModel, lambda model: (find_user_model, (model.name,)))


def takes_navigation(name: str) -> bool:
    """Whether the user model of that name is built from a navigation file."""
    return name in {*BUILT_IN, *PLUGIN_MODELS} and ModelNeed.GRAPH in find_user_model(name).needs


def default_model(kind: AssessmentKind, targets: TargetKind, *, structure: bool, chunks: bool = False) -> str:
    """Name of the default: bep-distance for best entry points, hierarchical wherever extents are known, else none.

    `chunks`: for the answers of questions to systems that retrieve chunks, as passages, it is coverage.
    """
    if chunks:
        return COVERAGE_MODEL
    if targets is TargetKind.BEP:
        return BEP_DISTANCE_MODEL
    known = {AssessmentKind.PASSAGES: True, AssessmentKind.ELEMENTS_2005: True, AssessmentKind.FLAT: False}
    return HIERARCHICAL_MODEL if known.get(kind, structure) else NO_NAVIGATION_MODEL


@dataclass(frozen=True)
class ModelChoice:
    """A user model with all its parameters set, but for those that are chosen from the inputs.

    `has_modifiers`: parameters that every model has change it.
    """

    model: UserModel
    values: ParameterValues
    has_modifiers: bool = False

    @cached_property
    def spec(self) -> str:
        """The choice as ``-u`` takes it: the name, and what is off its default."""
        defaults = {parameter.name: parameter.default for parameter in model_parameters(self.model)}
        off = [f"{key}={format_parameter(value)}" for key, value in self.values.items() if value != defaults[key]]
        return f"{self.model.name}:{','.join(off)}" if off else self.model.name

    @cached_property
    def memoryless(self) -> bool:
        """Whether a row of R depends on its own result only."""
        return self.model.memoryless and not self.has_modifiers

    @property
    def input_parameters(self) -> list[str]:
        """Parameters that are chosen from the inputs."""
        return [parameter.name for parameter in self.model.parameters if parameter.name not in self.values]


def model_parameters(model: UserModel) -> tuple[Parameter, ...]:
    """A model's own parameters and those that every model has."""
    return (*model.parameters, *MODIFIERS)


def choose_model(name: str, settings: Mapping[str, str]) -> ModelChoice:
    """The user model of that name with those settings, in text.

    Raises:
        UsageError: unknown name or key, or a value that is not legal.
    """
    model = find_user_model(name)
    known = {parameter.name: parameter for parameter in model_parameters(model)}
    for key in settings:
        if key not in known:
            raise UsageError(
                f"user model {name} has no parameter {key} (it has: {', '.join(known)}){did_you_mean(key, known)}"
            )
    values: dict[str, ParameterValue] = {}
    for key, parameter in known.items():
        if key in settings:
            values[key] = parameter.parse(settings[key])
        elif parameter.default is not None:
            values[key] = parameter.default
    return ModelChoice(model, values, bool(settings) and changes_reach(values))


def parse_model_spec(spec: str) -> tuple[str, dict[str, str]]:
    """``NAME`` or ``NAME:key=value,...`` as name and settings."""
    name, colon, settings = spec.partition(":")
    return name, split_settings(settings) if colon else {}


def build_model(choice: ModelChoice, context: ModelContext) -> Model:
    """The model as one function of a ranked topic."""
    base = choice.model.build(choice.values, context)
    return apply_modifiers(base, choice.values) if choice.has_modifiers else base


# User models that are plain functions, which answer for one rank at a time: the simplest form from outside.


RowModel = Callable[[Locations, int, Locations, Sequence[DocumentTree | None], str], FloatArray]
"""(results, rank from 1, targets, trees, topic) -> R[rank, .] of shape (targets,)."""


def model_from_function(found: object, name: str, where: str) -> UserModel | None:
    """The user model of a function of the shape `RowModel`, explained by its docstring; None if it is no function."""
    if not callable(found):
        return None
    rows = cast("RowModel", found)
    summary = (found.__doc__ or where).strip().splitlines()[0]
    return UserModel(
        name, summary, summary, where, lambda _values, _context: _model_from_rows(name, rows), memoryless=False
    )


def _model_from_rows(name: str, rows: RowModel) -> Model:
    """Lift a model that answers a rank at a time to one that answers for the whole list.

    Raises (when called):
        DataError: a row has another shape, or a value outside [0, 1].
    """

    def model(ranked: RankedTopic) -> Reach:
        t = len(ranked.targets)
        matrix = np.zeros((len(ranked.results), t))
        for k in range(len(ranked.results)):
            found = rows(ranked.results, k + 1, ranked.targets, ranked.trees, ranked.topic)
            try:
                row = np.asarray(found, dtype=np.float64)
            except (TypeError, ValueError):  # not even numbers
                row = np.full(t, np.nan)
            if row.shape != (t,) or not ((row >= 0) & (row <= 1)).all():
                raise DataError(
                    f"user model {name}: rank {k + 1} of topic {ranked.topic} is no row of {t} probabilities"
                )
            matrix[k] = row
        own = np.zeros(matrix.shape, dtype=np.bool_)
        own[exact_entries(ranked.results, ranked.targets)] = True
        rank, target = np.nonzero((matrix > 0) | own)
        return make_reach(*matrix.shape, rank, target, matrix[rank, target], own[rank, target])

    return model
