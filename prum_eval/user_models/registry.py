"""Registry of user models, and the choice of one with its parameters.

A built-in model is the `MODEL` of its module, which is imported on first use. Other packages add models through the
entry point group ``prum_eval.user_models``: a `UserModel`, or a plain function of the shape `RowModel`, which computes
one rank at a time.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from importlib import import_module
from typing import Any, TypeAlias, cast

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
    Reading,
    UserModel,
    apply_modifiers,
    changes_reach,
    make_reach,
)

NO_NAVIGATION_MODEL, HIERARCHICAL_MODEL, COVERAGE_MODEL = "none", "hierarchical", "coverage"
BEP_DISTANCE_MODEL, GRAPH_MODEL = "bep-distance", "graph"
_MODEL_NAMES = (
    *(NO_NAVIGATION_MODEL, HIERARCHICAL_MODEL, COVERAGE_MODEL, "t2i"),
    *(BEP_DISTANCE_MODEL, "logistic", "siblings", GRAPH_MODEL),
)


class _BuiltIn(Mapping[str, UserModel]):
    """Built-in models by name; most calls import one of many."""

    def __getitem__(self, name: str) -> UserModel:
        if name not in _MODEL_NAMES:
            raise KeyError(name)
        model: UserModel = import_module(f"prum_eval.user_models.{name.replace('-', '_')}").MODEL
        return model

    def __contains__(self, name: object) -> bool:
        return name in _MODEL_NAMES

    def __iter__(self) -> Iterator[str]:
        return iter(_MODEL_NAMES)

    def __len__(self) -> int:
        return len(_MODEL_NAMES)


BUILT_IN: Mapping[str, UserModel] = _BuiltIn()
"""Built-in models in the order of their listing."""
RowModel = Callable[[Locations, int, Locations, Sequence[DocumentTree | None], str], FloatArray]
"""(results, rank from 1, targets, trees, topic) -> R[rank, .] of shape (targets,)."""


def model_from_function(function: object, name: str, source: str) -> UserModel | None:
    """User model of a `RowModel`, described by its docstring; None if it is no function."""
    if not callable(function):
        return None
    rows = cast("RowModel", function)
    summary = (function.__doc__ or source).strip().splitlines()[0]
    return UserModel(
        name, summary, summary, source, lambda _values, _context: _model_from_rows(name, rows), memoryless=False
    )


def _model_from_rows(name: str, rows: RowModel) -> Model:
    """Model of a whole list from a function of one rank.

    Raises (when called):
        DataError: a row has another shape, or a value outside [0, 1].
    """

    def model(ranked: RankedTopic) -> Reach:
        t = len(ranked.targets)
        matrix = np.zeros((len(ranked.results), t))
        for k in range(len(ranked.results)):
            values = rows(ranked.results, k + 1, ranked.targets, ranked.trees, ranked.topic)
            try:
                row = np.asarray(values, dtype=np.float64)
            except (TypeError, ValueError):  # not even numbers
                row = np.full(t, np.nan)
            if row.shape != (t,) or not ((row >= 0) & (row <= 1)).all():
                where = f"rank {k + 1} of topic {ranked.topic}"
                raise DataError(f"user model {name}: {where} is not a row of {t} probabilities")
            matrix[k] = row
        exact = np.zeros(matrix.shape, dtype=np.bool_)
        exact[exact_entries(ranked.results, ranked.targets)] = True
        rank, target = np.nonzero((matrix > 0) | exact)
        return make_reach(*matrix.shape, rank, target, matrix[rank, target], exact[rank, target])

    return model


MatrixFunction = Callable[[Locations, Locations], object]
"""(results, targets) -> R of shape (results, targets), the probabilities that a user gets from one to the other."""


class FunctionModelName(str):
    """Name of a user model that is a function of the call, wherever names of user models are expected."""

    __slots__ = ("model",)
    model: UserModel


@dataclass(slots=True, eq=False, repr=False)
class _FunctionModel:
    """Builds the model of a `MatrixFunction`."""

    name: str
    function: MatrixFunction

    def __call__(self, _values: ParameterValues, _context: ModelContext) -> Model:
        return self._reach

    def _reach(self, ranked: RankedTopic) -> Reach:
        """The reach matrix of a list.

        Raises:
            DataError: the function returns another shape, or a value outside [0, 1].
        """
        results, targets = ranked.results, ranked.targets
        shape = len(results), len(targets)
        try:
            matrix = np.asarray(self.function(results, targets), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise DataError(f"user model {self.name}: topic {ranked.topic}: {error}") from error
        if matrix.shape != shape or not ((matrix >= 0) & (matrix <= 1)).all():
            raise DataError(
                f"user model {self.name}: topic {ranked.topic}: expected probabilities of shape {shape}, found "
                f"{'other numbers' if matrix.shape == shape else f'shape {matrix.shape}'}"
            )
        exact = np.zeros(shape, dtype=np.bool_)
        exact[exact_entries(results, targets)] = True
        rank, target = np.nonzero((matrix > 0) | exact)
        return make_reach(*shape, rank, target, matrix[rank, target], exact[rank, target])


UserModelInput: TypeAlias = "str | UserModel | MatrixFunction | Sequence[str | UserModel | MatrixFunction]"
"""User models as an argument of `evaluate`."""


def name_function_models(given: UserModelInput | None) -> str | list[str] | None:
    """An argument `user_model` with a name in place of each function or record.

    Raises:
        UsageError: one has no name, or that of another user model.
    """
    if given is None or isinstance(given, str):
        return given
    return [_name_of_model(one) for one in given] if isinstance(given, Sequence) else _name_of_model(given)


def _name_of_model(given: str | UserModel | MatrixFunction) -> str:
    if isinstance(given, str):
        return given
    model = given if isinstance(given, UserModel) else _model_of_matrices(given)
    if model.name in BUILT_IN or model.name in PLUGIN_MODELS:
        if find_user_model(model.name) is model:
            return model.name
        raise UsageError(f"user_model: {model.name} is the name of another user model; rename the function")
    name = FunctionModelName(model.name)
    name.model = model
    return name


def _model_of_matrices(function: object) -> UserModel:
    name = getattr(function, "__name__", "")
    if not callable(function) or not str(name).isidentifier():
        raise UsageError(f"user_model: expected names or functions that def makes, found {function!r}")
    summary = (function.__doc__ or name).strip().splitlines()[0]
    build = _FunctionModel(name, cast("MatrixFunction", function))
    return UserModel(name, summary, summary, "a function", build, memoryless=False)


PLUGIN_MODELS = Plugins(
    "prum_eval.user_models", "user model", UserModel, model_from_function, "neither a UserModel nor a function"
)
"""User models of other packages; built-in names take precedence."""


def model_names() -> list[str]:
    """Names of all user models, built-in and registered."""
    return list(dict.fromkeys([*BUILT_IN, *PLUGIN_MODELS]))


def all_user_models() -> list[UserModel]:
    """All user models, without those of other packages that cannot be loaded."""
    plugins = PLUGIN_MODELS.usable()
    return [*BUILT_IN.values(), *(model for name, model in plugins.items() if name not in BUILT_IN)]


def find_user_model(name: str) -> UserModel:
    """User model of a name.

    Raises:
        UsageError: there is none (with the nearest name), or its package cannot provide it.
    """
    if isinstance(name, FunctionModelName):
        return name.model
    if name in BUILT_IN:
        return BUILT_IN[name]
    if name in PLUGIN_MODELS:
        return PLUGIN_MODELS[name]
    raise UsageError(f"no user model {name} (there are: {', '.join(model_names())}){did_you_mean(name, model_names())}")


def _restore_model(values: Mapping[str, Any]) -> UserModel:
    return UserModel(**values)


def _reduce_model(model: UserModel) -> tuple[Callable[..., UserModel], tuple[object, ...]]:
    """How another process makes the model: by its registry, or of its fields if no package registers it."""
    if model.name in BUILT_IN or model.name in PLUGIN_MODELS:
        return find_user_model, (model.name,)
    return _restore_model, ({field.name: getattr(model, field.name) for field in fields(model)},)


# Some models of other packages hold functions that do not pickle; a worker finds the same model by name.
copyreg.pickle(UserModel, _reduce_model)


def takes_navigation(name: str) -> bool:
    """Whether a user model is built from a navigation file."""
    return name in {*BUILT_IN, *PLUGIN_MODELS} and ModelNeed.GRAPH in find_user_model(name).needs


def default_model(kind: AssessmentKind, targets: TargetKind, *, structure: bool, chunks: bool = False) -> str:
    """Name of the default user model.

    It is coverage for `chunks` (answers in passages), bep-distance for best entry points, hierarchical if extents are
    known, else none.
    """
    if chunks:
        return COVERAGE_MODEL
    if targets is TargetKind.BEP:
        return BEP_DISTANCE_MODEL
    has_extents = kind is not AssessmentKind.FLAT and (structure or kind is AssessmentKind.PASSAGES or kind.has_sizes)
    return HIERARCHICAL_MODEL if has_extents else NO_NAVIGATION_MODEL


@dataclass(eq=False, repr=False)
class ModelChoice:
    """A user model with its parameters, except those that are derived from the inputs.

    `has_modifiers`: parameters of all models change it.
    """

    model: UserModel
    values: ParameterValues
    has_modifiers: bool = False

    @cached_property
    def spec(self) -> str:
        """The argument of ``-u``: the name and all values other than defaults."""
        defaults = {parameter.name: parameter.default for parameter in model_parameters(self.model)}
        settings = [f"{key}={format_parameter(value)}" for key, value in self.values.items() if value != defaults[key]]
        return f"{self.model.name}:{','.join(settings)}" if settings else self.model.name

    @cached_property
    def memoryless(self) -> bool:
        """Whether a row of R depends only on its result."""
        return self.model.memoryless and not self.has_modifiers

    @property
    def input_parameters(self) -> list[str]:
        """Parameters that are derived from the inputs."""
        return [parameter.name for parameter in self.model.parameters if parameter.name not in self.values]


def model_parameters(model: UserModel) -> tuple[Parameter, ...]:
    """Parameters of a model, including those of all models."""
    return (*model.parameters, *MODIFIERS)


def choose_model(name: str, settings: Mapping[str, str]) -> ModelChoice:
    """User model of a name with settings in text.

    Raises:
        UsageError: unknown name or key, or an illegal value.
    """
    model = find_user_model(name)
    parameters = {parameter.name: parameter for parameter in model_parameters(model)}
    for key in settings:
        if key not in parameters:
            hint = did_you_mean(key, parameters)
            raise UsageError(f"user model {name} has no parameter {key} (it has: {', '.join(parameters)}){hint}")
    values: dict[str, ParameterValue] = {}
    for key, parameter in parameters.items():
        if key in settings:
            values[key] = parameter.parse(settings[key])
        elif parameter.default is not None:
            values[key] = parameter.default
    return ModelChoice(model, values, bool(settings) and changes_reach(values))


def parse_model_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Name and settings of ``NAME`` or ``NAME:key=value,...``."""
    if isinstance(spec, FunctionModelName):
        return spec, {}
    name, colon, settings = spec.partition(":")
    return name, split_settings(settings) if colon else {}


def reads_beyond(choice: ModelChoice) -> bool:
    """Whether a user may read anything beyond the results."""
    return choice.model.navigates and choice.values.get("beyond") != 0


def build_reading(choice: ModelChoice, context: ModelContext) -> Reading | None:
    """Build what the model reads beyond results, without its modifiers; None if that is what they reach.

    Raises (when called):
        DataError: a model of another package returns something else than a number from 0 up, or NaN, per result.
    """
    if choice.model.reading is None:
        return None
    reading = choice.model.reading(choice.values, context)

    def checked_reading(ranked: RankedTopic) -> FloatArray:
        n = len(ranked.results)
        try:
            beyond = np.asarray(reading(ranked), dtype=np.float64)
        except (TypeError, ValueError):  # not even numbers
            beyond = np.full(n, -1.0)
        if beyond.shape != (n,) or np.isinf(beyond).any() or (beyond < 0).any():
            what = f"what is read beyond the results of topic {ranked.topic}"
            raise DataError(f"user model {choice.model.name}: {what} is not a row of {n} numbers from 0 up")
        return beyond

    return checked_reading


def build_model(choice: ModelChoice, context: ModelContext) -> Model:
    """Build the model with its modifiers."""
    base = choice.model.build(choice.values, context)
    return apply_modifiers(base, choice.values) if choice.has_modifiers else base
