"""Fit of user models to a log of user behaviour: the call `fit` and its result.

For each model, the log gives pairs of a result and an unseen target. `make_problem` and `make_graph_problem` select
which parameters are estimated, and from which data: views, readings, or counts of steps. Parameters set in the
specification are fixed. Models are ranked by the likelihood of held-out sessions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray
from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.inputs import Inputs, check_model, read_inputs
from prum_eval.evaluation.notices import Notice
from prum_eval.evaluation.resolution import make_list_locator
from prum_eval.experiments.fit_estimates import (
    DECAY,
    FASTEST_DECAY,
    LEAK,
    PARAMETER,
    CalibrationBin,
    EstimationProblem,
    ParameterEstimate,
    Quality,
    ReachCurve,
    Readings,
    Resampling,
    Solution,
    add_leak,
    assess_fit,
    baseline_quality,
    calibration,
    cell_reach,
    collect_readings,
    estimate_from_readings,
    estimate_from_views,
    estimate_share,
    estimate_threshold,
    is_identified,
    leaked_share,
    rank_decay_from_scaled,
    round_to_ten_digits,
    solve_problem,
)
from prum_eval.experiments.fit_log import (
    FOLDS,
    Cells,
    LogReport,
    Remarks,
    ViewPairs,
    Walks,
    collect_pairs,
    collect_visits,
    collect_walks,
    count_cells,
    count_persistence,
    locate_places,
)
from prum_eval.formats.reading import AssessmentsInput, PathName, read_log
from prum_eval.parameters import ParameterValue, ParameterValues, format_parameter
from prum_eval.records import NavigationFile, Structure, UserLog
from prum_eval.relevance.quantisations import DEFAULT_QUANTISATION
from prum_eval.tabular import RowValue, Table, Tabular, plural
from prum_eval.text.names import candidate_documents
from prum_eval.user_models.model import MODIFIERS, EstimableParameter, ModelContext, ModelNeed, joins_items
from prum_eval.user_models.registry import ModelChoice, choose_model, parse_model_spec
from prum_eval.version import __version__

ONCE, RANK_DECAY, DAMPING = "once", "rank_decay", "damping"
LEAK_NAME = "leak"
PERSISTENCE = "persistence"
EVIDENCE = ("auto", "views", "reading")
GRAPHS = ("steps", "links")

# Reach of the pairs of a log


@dataclass(frozen=True, eq=False)
class PairReach:
    """A reach function with the features of all distinct pairs; R is 0 outside of one document (`inside`)."""

    reach_function: EstimableParameter
    features: FloatArray
    inside: BoolArray

    def reach(self, value: float) -> FloatArray:
        """R of all distinct pairs."""
        return np.where(self.inside, self.reach_function.reach(self.features, value), 0.0)

    def slope(self, value: float) -> FloatArray:
        """Derivatives of R by the scaled parameter; 0 for a threshold."""
        if self.reach_function.slope is None:
            return np.zeros(len(self.inside))
        return np.where(self.inside, self.reach_function.slope(self.features, value), 0.0)

    @property
    def curve(self) -> ReachCurve:
        """The curve for likelihoods."""
        return ReachCurve(self.reach, self.slope, self.reach_function.is_share)

    @property
    def distance(self) -> FloatArray:
        """Distances that a threshold is compared with; infinite outside of the document."""
        return np.where(self.inside, self.features, np.inf)


def make_pair_reach(choice: ModelChoice, context: ModelContext, pairs: ViewPairs) -> PairReach | None:
    """Reach of the pairs by a model's estimable parameter; None if it has none."""
    if choice.model.estimable_parameter is None:
        return None
    parameter = choice.model.estimable_parameter(choice.values, context)
    parts = [parameter.features(topic.places.ranked, topic.place, topic.target) for topic in pairs.distinct_pairs]
    if parts and parts[0].ndim > 1:  # rows of different lengths are padded with zeros
        widest = max(part.shape[1] for part in parts)
        parts = [np.pad(part, ((0, 0), (0, widest - part.shape[1]))) for part in parts]
    return PairReach(parameter, np.concatenate(parts) if parts else np.zeros(0), pairs.inside)


def fixed_curve(choice: ModelChoice, context: ModelContext, pairs: ViewPairs) -> ReachCurve:
    """The constant curve of a model without an estimated parameter: R of all distinct pairs."""
    model = choice.model.build(choice.values, context)
    parts = [model(topic.places.ranked).dense()[topic.place, topic.target] for topic in pairs.distinct_pairs]
    reach = np.concatenate([np.zeros(0), *parts])
    return ReachCurve(lambda _: reach, None)


# Estimation problems


@dataclass(frozen=True)
class RequestedModel:
    """A user model of -u, with its explicit settings, which are not estimated."""

    spec: str
    choice: ModelChoice
    settings: Mapping[str, str]

    @property
    def follows_graph(self) -> bool:
        """Whether it follows a navigation graph."""
        return ModelNeed.GRAPH in self.choice.model.needs

    @property
    def once(self) -> bool:
        """Whether opened documents do not lead on."""
        return self.choice.values[ONCE] == "on"


def parse_requested_model(spec: str) -> RequestedModel:
    """Parse a -u SPEC; its settings are fixed, other parameters are estimated if possible.

    Raises:
        UsageError: an unknown name or value, or a model that logs cannot determine.
    """
    name, settings = parse_model_spec(spec)
    choice = choose_model(name, settings)
    if joins_items(choice.values):
        raise UsageError(f"-u {spec}: a log is of results, not of items: items has no effect")
    if not choice.model.memoryless:
        raise UsageError(f"-u {spec}: {name} looks at earlier ranks in ways of its own, which a log does not tell")
    return RequestedModel(spec, choice, settings)


def make_problem(
    requested: RequestedModel, context: ModelContext, pairs: ViewPairs, readings: Readings | None
) -> tuple[EstimationProblem, PairReach | None]:
    """Estimation problem of a model without a graph; with `readings`, its parameter comes from them."""
    choice, decay = requested.choice, _fixed_scaled_decay(requested)
    pair_reach = make_pair_reach(choice, context, pairs)
    if pair_reach is None:
        curve = fixed_curve(_without_modifiers(choice), context, pairs)
        return EstimationProblem(lambda _: curve, fixed_decay=decay), None
    curve = pair_reach.curve
    key = pair_reach.reach_function.key
    if key in requested.settings:
        return EstimationProblem(lambda _: curve, float(choice.values[key]), fixed_decay=decay), pair_reach
    if readings is not None and pair_reach.reach_function.reading is not None:
        return EstimationProblem(
            lambda _: curve, reading=pair_reach.reach_function.reading, readings=readings, fixed_decay=decay
        ), pair_reach
    distance = pair_reach.distance if pair_reach.reach_function.slope is None else None
    return EstimationProblem(lambda _: curve, distance=distance, fixed_decay=decay), pair_reach


def make_graph_problem(
    requested: RequestedModel, context: ModelContext, pairs: ViewPairs, walks: Walks, *, links: bool
) -> tuple[EstimationProblem, ModelChoice]:
    """Estimation problem of a model along a graph, of counted steps or of links, and the model with its damping.

    Raises:
        DataError: the log has no step, or the structure no links.
    """
    if links and not context.links:
        raise DataError("the structure has no links: leave --graph links out")
    if not len(walks.source):
        raise DataError("no views: the log has no steps of a graph")
    context = replace(context, navigation=None)

    def sessions_without(fold: int | None) -> list[int] | None:
        return None if fold is None else [session for session in range(walks.sessions) if session % FOLDS != fold]

    @cache
    def curve(fold: int | None) -> ReachCurve:
        sessions = sessions_without(fold)
        damped = _without_modifiers(with_damping(requested, walks, sessions))
        graph = context
        if not links:
            graph = replace(context, links=(), navigation=walks.navigation(sessions), navigation_kind="step")
        return fixed_curve(damped, graph, pairs)

    @cache
    def counted_parameters(fold: int | None) -> int:
        if links:
            return int(DAMPING not in requested.settings)
        return len(walks.navigation(sessions_without(fold)).source)

    problem = EstimationProblem(
        curve, fixed_decay=_fixed_scaled_decay(requested), counted_parameters=counted_parameters
    )
    return problem, with_damping(requested, walks, None)


def with_damping(requested: RequestedModel, walks: Walks, sessions: list[int] | None) -> ModelChoice:
    """The model with the damping counted in sessions, unless it was set."""
    if DAMPING in requested.settings or DAMPING not in requested.choice.values:
        return requested.choice
    counts = walks.damping()
    rows = np.arange(walks.sessions) if sessions is None else np.array(sessions, dtype=np.int64)
    whole = float(counts.whole[rows].sum())
    value = float(counts.part[rows].sum()) / whole if whole > 0 else 0.0
    return replace(requested.choice, values={**requested.choice.values, DAMPING: value})


def _fixed_scaled_decay(requested: RequestedModel) -> float | None:
    """Minus the logarithm of rank_decay if it was set."""
    if RANK_DECAY not in requested.settings:
        return None
    decay = float(requested.choice.values[RANK_DECAY])
    return min(-math.log(decay), FASTEST_DECAY) if decay > 0 else FASTEST_DECAY


def _without_modifiers(choice: ModelChoice) -> ModelChoice:
    """The model without modifiers; the pairs have the ranks."""
    return replace(choice, has_modifiers=False)


# Results


@dataclass(frozen=True)
class FittedModel:
    """A user model fitted to a log.

    Attributes:
        requested_spec: the requested specification.
        name: name of the user model.
        values: all parameters as for -u, including rank_decay.
        estimates: estimated parameters and the leak, with intervals if available.
        parameters: number of estimated parameters.
        quality: likelihood of the views, AIC, held-out sessions.
        all_documents: whether targets of all documents were candidates, not just those of the result's.
        leaked_view_share: share of the views that the leak explains.
        calibration: observed against predicted shares by tenths.
        decay_gain: log-likelihood gained by estimating rank_decay.
        navigation: counted steps, of a model that follows them.
        steps: estimates of the steps.
        notes: remarks for the user.
    """

    requested_spec: str
    name: str
    values: ParameterValues
    estimates: tuple[ParameterEstimate, ...]
    parameters: int
    quality: Quality
    all_documents: bool
    leaked_view_share: float
    calibration: tuple[CalibrationBin, ...]
    decay_gain: float
    navigation: NavigationFile | None = None
    steps: tuple[ParameterEstimate, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def spec(self) -> str:
        """The specification for -u of `eval`, with all parameters."""
        return f"{self.name}:{','.join(f'{key}={format_parameter(value)}' for key, value in self.values.items())}"


@dataclass(frozen=True)
class LogSize:
    """Sizes of a log over assessed topics; `pairs` of a result and a target, with `views`."""

    sessions: int
    lists: int
    consulted: int
    pairs: int
    views: int
    readings: int


@dataclass(frozen=True, repr=False)
class FittedModels(Tabular):
    """The result of `fit`: models by decreasing likelihood of held-out sessions, over pairs that all have.

    `persistence`: share of steps to the next rank, as for rbp; None without steps and stops. `baseline`: quality of
    `baseline_leak`, for users who do not navigate. `choices`: targets, quantisation, evidence and graph.
    """

    path: str
    choices: Mapping[str, str]
    resampling: Resampling
    size: LogSize
    models: tuple[FittedModel, ...]
    baseline_leak: float
    baseline: Quality
    persistence: ParameterEstimate | None
    reports: Sequence[LogReport]
    input_notices: tuple[Notice | str, ...] = ()
    inputs: Mapping[str, str | None] | None = None

    @property
    def best(self) -> FittedModel:
        """The first model."""
        return self.models[0]

    @property
    def spec(self) -> str:
        """The specification of the best model for -u of `eval`."""
        return self.best.spec

    @property
    def warnings(self) -> tuple[Notice | str, ...]:
        """Notices for the user: remarks on lines of the log, and notes of the models."""
        reports = [f"{self.path}: {item.text}" for item in self.reports]
        notes = [f"{item.name}: {note}" for item in self.models for note in item.notes]
        return (*self.input_notices, *reports, *notes)

    @property
    def signature(self) -> str:
        """Every choice that changes a number, and the version, in one line."""
        models = "+".join(model.requested_spec for model in self.models)
        parts = [
            f"prum-eval {__version__}",
            "fit",
            *(f"{key}:{value}" for key, value in self.choices.items()),
            f"sessions:{self.size.sessions}",
            f"models:{models}",
            f"{self.resampling.trials} trials",
            f"seed:{self.resampling.seed}",
            f"alpha:{self.resampling.alpha}",
        ]
        return "|".join(parts)

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row per model and estimated parameter, with the quality of the model."""
        for model in self.models:
            for estimate in model.estimates:
                yield {
                    "model": model.spec,
                    "parameter": estimate.name,
                    "value": estimate.value,
                    "low": estimate.low,
                    "high": estimate.high,
                    "se": estimate.se,
                    "source": estimate.source,
                    "log_likelihood": model.quality.log_likelihood,
                    "aic": model.quality.aic,
                    "held_out": model.quality.held_out,
                    "shared": model.quality.shared,
                }

    def _summary(self) -> str:
        return (
            f"{plural(len(self.models), 'user model')} fitted to {plural(self.size.sessions, 'session')}, {self.spec}"
        )

    def _table(self) -> Table:
        columns = ("model", "held out", "AIC", "log-likelihood", "parameters", "views leaked")
        return columns, (
            [
                model.spec,
                model.quality.shared,
                model.quality.aic,
                model.quality.log_likelihood,
                model.parameters,
                model.leaked_view_share,
            ]
            for model in self.models
        )


# Fit of one model


@dataclass(frozen=True, eq=False)
class ModelFitter:
    """Data for fitting all models."""

    inputs: Inputs
    pairs: ViewPairs
    readings: Readings
    walks: Walks | None
    resampling: Resampling

    def fit_model(
        self, requested: RequestedModel, evidence: str, *, links: bool, shared: BoolArray | None
    ) -> FittedModel:
        """Fit one model.

        `shared`: of models along a graph, mask of distinct pairs that other models have too; None if all have them.
        """
        pairs, choice, pair_reach = self.pairs, requested.choice, None
        if requested.follows_graph and self.walks is not None:
            problem, choice = make_graph_problem(requested, self.inputs.context, pairs, self.walks, links=links)
        else:
            readings = self.readings if evidence != "views" and len(self.readings) else None
            if evidence == "reading" and readings is None:
                raise DataError("the log has no read=, from which the parameter was to come")
            problem, pair_reach = make_problem(requested, self.inputs.context, pairs, readings)
        if not len(pairs) and pair_reach is not None and problem.fixed_value is None and problem.reading is None:
            reason = "no result has a target in its document that was not seen: there is nothing to tell from"
            raise DataError(f"-u {requested.spec}: {reason}")
        counts = count_cells(pairs, once=requested.once)
        shared_cells = np.ones(len(counts.cells.pair), dtype=np.bool_)
        if shared is not None and requested.follows_graph:
            shared_cells = shared[counts.cells.pair]
        solution = solve_problem(problem, counts.cells)
        point = solution.fit.point
        reach = cell_reach(solution.curve, counts.cells, point)
        predicted = add_leak(reach, float(point[LEAK]))
        key = pair_reach.reach_function.key if pair_reach is not None else ""
        alpha = self.resampling.alpha
        names = (key, LEAK_NAME, RANK_DECAY)
        by_number = estimate_from_views(solution, counts, pairs, names, alpha)
        parameter = self._parameter(
            problem, solution, pair_reach, ~pairs.document_opened if requested.once else np.ones(len(pairs), np.bool_)
        )
        if parameter is not None:
            by_number[PARAMETER] = parameter
        estimates = [by_number[number] for number in (PARAMETER, DECAY, LEAK) if number in by_number]
        navigation, steps = None, tuple[ParameterEstimate, ...]()
        if requested.follows_graph and self.walks is not None:
            damping = estimate_share(DAMPING, self.walks.damping(), "steps", alpha)
            if damping is not None and DAMPING in choice.values and DAMPING not in requested.settings:
                estimates.insert(0, damping)
            if not links:
                navigation = self.walks.navigation()
                ends = zip(navigation.source, navigation.target, strict=True)
                shares = ((f"{start} to {end}", self.walks.step(start, end)) for start, end in ends)
                estimated = (estimate_share(name, share, "steps", alpha) for name, share in shares)
                steps = tuple(estimate for estimate in estimated if estimate is not None)
        return FittedModel(
            requested.spec, choice.model.name, _fitted_parameters(choice, self.inputs, solution, pair_reach),
            tuple(estimates), solution.parameters,
            assess_fit(problem, counts, pairs.viewed, solution, shared_cells), requested.follows_graph,
            leaked_share(reach, predicted, counts.cells, float(point[LEAK])),
            calibration(predicted, counts.cells.trials, counts.cells.views),
            solution.gain, navigation, steps, tuple(_fit_notes(problem, solution, pair_reach, counts.cells)),
        )  # fmt: skip

    def _parameter(
        self, problem: EstimationProblem, solution: Solution, pair_reach: PairReach | None, reached: BoolArray
    ) -> ParameterEstimate | None:
        """Estimate of a parameter that does not come from the likelihood; None if it does, or was set."""
        if pair_reach is None or problem.fixed_value is not None:
            return None
        value = solution.value
        if problem.reading is not None and problem.readings is not None:
            return estimate_from_readings(
                pair_reach.reach_function.key, problem.reading, problem.readings, value, self.resampling
            )
        if problem.distance is not None:
            distance = problem.distance[self.pairs.pair]
            return estimate_threshold(
                pair_reach.reach_function.key, distance, self.pairs, reached, value, self.resampling
            )
        if not solution.fit.free[PARAMETER]:
            return ParameterEstimate(pair_reach.reach_function.key, value, source="views")
        return None


def _fitted_parameters(
    choice: ModelChoice, inputs: Inputs, solution: Solution, pair_reach: PairReach | None
) -> dict[str, ParameterValue]:
    """All parameters of a fitted model, rank_decay, and other modifiers that differ from their defaults."""
    values = dict(choice.values)
    for parameter in choice.model.parameters:
        if (
            parameter.name not in values
            and ModelNeed.MEAN_LENGTH in choice.model.needs
            and inputs.mean_length is not None
        ):
            values[parameter.name] = float(inputs.mean_length)
    point = solution.fit.point
    if pair_reach is not None:
        values[pair_reach.reach_function.key] = solution.value
    values[RANK_DECAY] = round_to_ten_digits(rank_decay_from_scaled(float(point[DECAY])))
    unset = {
        parameter.name
        for parameter in MODIFIERS
        if parameter.name != RANK_DECAY and values[parameter.name] == parameter.default
    }
    ordered = [*(parameter.name for parameter in choice.model.parameters), *(parameter.name for parameter in MODIFIERS)]
    return {key: values[key] for key in ordered if key not in unset and key in values}


def _fit_notes(problem: EstimationProblem, solution: Solution, pair_reach: PairReach | None, cells: Cells) -> list[str]:
    """Remarks on a fit."""
    determined = pair_reach is None or any(
        item is not None for item in (problem.fixed_value, problem.distance, problem.reading)
    )
    if pair_reach is None or determined or solution.fit.free[PARAMETER]:
        return []
    key = pair_reach.reach_function.key
    if is_identified(solution.curve, cells, solution.fit):
        return [f"{key} is estimated at the border of its range: values inside it are less likely"]
    return [f"{key} is not identified: all its values are about as likely"]


# The call


def fit(
    assessments: AssessmentsInput,
    log: PathName | UserLog,
    user_models: str | Sequence[str],
    *,
    structure: PathName | Structure | None = None,
    targets: str | None = None,
    quantisation: str = DEFAULT_QUANTISATION,
    evidence: str = "auto",
    graph: str = "steps",
    seed: int = 1,
    trials: int = 1000,
    alpha: float = 0.05,
) -> FittedModels:
    """Estimate the parameters of user models from a log of user behaviour.

    >>> import prum_eval
    >>> judged = {"1": {"tides": 1, "moon": 1}}
    >>> users = prum_eval.simulate_log(judged, user_model="none", sessions=400, persistence=0.5)
    >>> round(prum_eval.fit(judged, users, "none").persistence.value, 1)
    0.5

    Args:
        assessments: as for `prum_eval.evaluate`.
        log: path of a log, or the result of `read_log` or `simulate_log`.
        user_models: specifications as for -u, one or several; their settings are fixed, other parameters are estimated
            if possible.
        structure: the collection structure.
        targets: targets of the users; by default those of `prum_eval.evaluate` for the assessments, for bep-distance
            too.
        quantisation: how assessments become values.
        evidence: ``reading``: estimate from lengths of readings where possible; ``views``: estimate all from views;
            ``auto``: from readings if the log has some.
        graph: for models along a graph: counted ``steps`` between nodes, or ``links`` of the structure with counted
            damping.
        seed: seed of the bootstrap.
        trials: trials of the bootstrap.
        alpha: intervals have level 1 - alpha.

    Returns:
        The models, the best first by the log-likelihood of held-out sessions; `spec` of each is a `user_model` for
        `evaluate`, `navigation` the steps of a graph.

    Raises:
        InputError: bad data in a file.
        DataError: a log without the necessary data, or inputs that do not fit together.
        UsageError: an unknown name, or a value that is not legal.
    """
    specs = [user_models] if isinstance(user_models, str) else list(user_models)
    for name, value, legal in (("evidence", evidence, EVIDENCE), ("graph", graph, GRAPHS)):
        if value not in legal:
            raise UsageError(f"{name}={value}: {name} is {', '.join(legal[:-1])} or {legal[-1]}")
    if not specs:
        raise UsageError("no user model is named")
    if not 0 < alpha < 1:
        raise UsageError(f"alpha={alpha}: alpha is a number between 0 and 1")
    if trials < 1 or seed < 0:
        raise UsageError("trials is a whole number from 1 up, seed one from 0 up")
    requested = [parse_requested_model(spec) for spec in specs]
    users = log if isinstance(log, UserLog) else read_log(log)
    if not users.lines:
        raise DataError(f"{users.path}: no consulted result")
    documents = {place.document for line in users.lines for place in (line.result, *line.viewed)}
    inputs = read_inputs(assessments, structure, also=candidate_documents(documents))
    for model in requested:
        check_model(model.choice, inputs)
    resampling = Resampling(seed, trials, alpha)
    locator = make_list_locator(inputs, targets, quantisation)
    follows_graph = [model.follows_graph for model in requested]
    remarks = Remarks()
    places = locate_places(users, locator, graph=any(follows_graph))
    if not places:
        raise DataError(f"{users.path}: no topic in common with {inputs.assessments.path}")
    visits = collect_visits(users, places, remarks)
    pairs = collect_pairs(visits, remarks, everywhere=all(follows_graph))
    readings = collect_readings(visits, inputs.lengths, remarks)
    walks = collect_walks(visits, remarks) if any(follows_graph) else None
    graph_pairs, shared = pairs, None
    if len(set(follows_graph)) > 1:
        graph_pairs = collect_pairs(visits, Remarks(), everywhere=True)
        shared = graph_pairs.inside
    models = []
    for model in requested:
        fitter = ModelFitter(inputs, graph_pairs if model.follows_graph else pairs, readings, walks, resampling)
        models.append(fitter.fit_model(model, evidence, links=graph == "links", shared=shared))

    def likelihood(model: FittedModel) -> float:
        return model.quality.log_likelihood if model.quality.shared is None else model.quality.shared

    leak, baseline = baseline_quality(count_cells(pairs, once=False), pairs.viewed)
    size = LogSize(
        len({visited.session for visited in visits.lists}), len(visits.lists), visits.consulted_count, len(pairs),
        int(pairs.viewed.sum()), len(readings),
    )  # fmt: skip
    choices = {"targets": locator.kind.value, "quantisation": quantisation, "evidence": evidence}
    if any(follows_graph):
        choices["along"] = graph
    path = None if inputs.structure is None else inputs.structure.path
    return FittedModels(
        users.path, choices, resampling, size, tuple(sorted(models, key=lambda model: -likelihood(model))), leak,
        baseline, estimate_share(PERSISTENCE, count_persistence(visits), "ranks", alpha), remarks.reports(),
        tuple(filter(None, [inputs.cache_note])),
        {"assessments": inputs.assessments.path, "structure": path, "log": users.path},
    )  # fmt: skip
