"""`prum_eval.fit`: parameters of user models, estimated from a log of what users did."""

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
    MAX_SCALED_VALUES,
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
    leaked_share,
    rank_decay_from_scaled,
    round_to_ten_digits,
    solve_problem,
)
from prum_eval.experiments.fit_log import (
    FOLDS,
    LogReport,
    Remarks,
    TopicPairs,
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

# What a user model says of the pairs of a log, for every value of the parameter that is estimated.


@dataclass(frozen=True, eq=False)
class PairReach:
    """A law with the features of all distinct pairs; 0 is reached of those that are not `inside` one document."""

    reach_function: EstimableParameter
    features: FloatArray
    inside: BoolArray

    def reach(self, value: float) -> FloatArray:
        """R of all distinct pairs."""
        return np.where(self.inside, self.reach_function.reach(self.features, value), 0.0)

    def slope(self, value: float) -> FloatArray:
        """The derivative of R by the scaled parameter; 0 of a threshold."""
        if self.reach_function.slope is None:
            return np.zeros(len(self.inside))
        return np.where(self.inside, self.reach_function.slope(self.features, value), 0.0)

    @property
    def curve(self) -> ReachCurve:
        """As likelihoods take it."""
        return ReachCurve(self.reach, self.slope, self.reach_function.is_share)

    @property
    def distance(self) -> FloatArray:
        """Of a threshold: what is compared with it, infinite where no threshold reaches."""
        return np.where(self.inside, self.features, np.inf)


def make_pair_reach(choice: ModelChoice, context: ModelContext, pairs: ViewPairs) -> PairReach | None:
    """The law of a model's parameter; None where it has none."""
    if choice.model.estimable_parameter is None:
        return None
    law = choice.model.estimable_parameter(choice.values, context)
    parts = [law.features(one.places.ranked, one.place, one.target) for one in pairs.distinct_pairs]
    return PairReach(law, _stack_features(parts), pairs.inside)


def _stack_features(parts: Sequence[FloatArray]) -> FloatArray:
    """Features of all topics; rows of different lengths are filled up with zeros."""
    if not parts:
        return np.zeros(0)
    if parts[0].ndim == 1:
        return np.concatenate(parts)
    widest = max(part.shape[1] for part in parts)
    return np.concatenate([np.pad(part, ((0, 0), (0, widest - part.shape[1]))) for part in parts])


def fixed_curve(choice: ModelChoice, context: ModelContext, pairs: ViewPairs) -> ReachCurve:
    """The curve of a model of which no parameter is estimated: R of all distinct pairs, whatever the value."""
    model = choice.model.build(choice.values, context)
    parts = [_entries(model(one.places.ranked).dense(), one) for one in pairs.distinct_pairs]
    reach = np.concatenate([np.zeros(0), *parts])
    return ReachCurve(lambda _: reach, None)


def _entries(matrix: FloatArray, pairs: TopicPairs) -> FloatArray:
    found: FloatArray = matrix[pairs.place, pairs.target]
    return found


# What is asked of a log for a user model: which of its parameters, and from what.


ONCE, RANK_DECAY, DAMPING = "once", "rank_decay", "damping"


@dataclass(frozen=True)
class RequestedModel:
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


def parse_requested_model(spec: str) -> RequestedModel:
    """The user model of a -u SPEC; what it sets is held, what it does not is estimated where that can be.

    Raises:
        UsageError: an unknown name or value, or a model that looks at a list in ways that logs do not tell.
    """
    name, settings = parse_model_spec(spec)
    choice = choose_model(name, settings)
    if joins_items(choice.values):
        raise UsageError(f"-u {spec}: a log is of results, not of items: items has no meaning")
    if not choice.model.memoryless:
        raise UsageError(f"-u {spec}: {name} looks at earlier ranks in ways of its own, which a log does not tell")
    return RequestedModel(spec, choice, settings)


def check_requested_model(asked: RequestedModel, inputs: Inputs) -> None:
    """Refuse a model that must know more of the documents.

    Raises:
        DataError: it needs a structure.
    """
    check_model(asked.choice, inputs)


def make_problem(
    asked: RequestedModel, context: ModelContext, pairs: ViewPairs, readings: Readings | None
) -> tuple[EstimationProblem, PairReach | None]:
    """What is asked for a model that follows no graph; `readings`: where the parameter is to come from them."""
    choice, decay = asked.choice, _fixed_scaled_decay(asked)
    law = make_pair_reach(choice, context, pairs)
    if law is None:
        curve = fixed_curve(_without_modifiers(choice), context, pairs)
        return EstimationProblem(lambda _: curve, fixed_decay=decay), None
    curve = law.curve
    key = law.reach_function.key
    if key in asked.settings:
        return EstimationProblem(lambda _: curve, float(choice.values[key]), fixed_decay=decay), law
    if readings is not None and law.reach_function.reading is not None:
        return EstimationProblem(
            lambda _: curve, reading=law.reach_function.reading, readings=readings, fixed_decay=decay
        ), law
    distance = law.distance if law.reach_function.slope is None else None
    return EstimationProblem(lambda _: curve, distance=distance, fixed_decay=decay), law


def make_graph_problem(
    asked: RequestedModel, context: ModelContext, pairs: ViewPairs, walks: Walks, *, links: bool
) -> tuple[EstimationProblem, ModelChoice]:
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

    return EstimationProblem(curve, fixed_decay=_fixed_scaled_decay(asked), counted_parameters=counted), with_damping(
        asked, walks, None
    )


def with_damping(asked: RequestedModel, walks: Walks, sessions: list[int] | None) -> ModelChoice:
    """The model with the damping that sessions tell, unless it was given."""
    if DAMPING in asked.settings or DAMPING not in asked.choice.values:
        return asked.choice
    counted = walks.damping()
    own = np.arange(walks.sessions) if sessions is None else np.array(sessions, dtype=np.int64)
    whole = float(counted.whole[own].sum())
    value = float(counted.part[own].sum()) / whole if whole > 0 else 0.0
    return replace(asked.choice, values={**asked.choice.values, DAMPING: value})


def _fixed_scaled_decay(asked: RequestedModel) -> float | None:
    """Minus the logarithm of rank_decay where that is given."""
    if RANK_DECAY not in asked.settings:
        return None
    given = float(asked.choice.values[RANK_DECAY])
    return min(-math.log(given), FASTEST_DECAY) if given > 0 else FASTEST_DECAY


def _without_modifiers(choice: ModelChoice) -> ModelChoice:
    """The model by itself: what ranks change is told by the pairs."""
    return replace(choice, has_modifiers=False)


# User models fitted to a log, side by side.


@dataclass(frozen=True)
class FittedModel:
    """A user model with what a log told of it.

    Attributes:
        requested_spec: the specification that it was named by.
        name: of the user model.
        values: every parameter of it as -u takes them, and rank_decay.
        estimates: those that were estimated, and the leak, each with an interval where there is one.
        parameters: how many were estimated.
        quality: likelihood of the views, AIC, sessions held out.
        all_documents: targets of all documents were candidates, not just those of the result's.
        leaked_view_share: share of the views that the leak explains.
        calibration: observed against predicted by tenths.
        decay_gain: log-likelihood gained by estimating rank_decay.
        navigation: the steps, of a model that follows those.
        steps: their estimates.
        notes: what there is to say of it.
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
        """The model as -u of `eval` takes it, with every parameter."""
        return f"{self.name}:{','.join(f'{key}={format_parameter(value)}' for key, value in self.values.items())}"


@dataclass(frozen=True)
class LogSize:
    """How much a log holds of topics that are assessed; `pairs` of a result and a target, `views` of these."""

    sessions: int
    lists: int
    consulted: int
    pairs: int
    views: int
    readings: int


@dataclass(frozen=True, repr=False)
class FittedModels(Tabular):
    """What `fit` returns: models, the best first by the likelihood of sessions held out, of pairs that all have.

    `persistence`: how often users go on to the next rank, as rbp takes it; None where nobody went on or stopped.
    `baseline`: the leak of users who do not navigate, and how well that predicts. `choices`: of targets, quantisation,
    evidence and graph.
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
        """The best model as -u of `eval` takes it."""
        return self.best.spec

    @property
    def warnings(self) -> tuple[Notice | str, ...]:
        """What the user should know: what of the log does not count, by line, and what the models have to say."""
        reports = [f"{self.path}: {one.text}" for one in self.reports]
        notes = [f"{one.name}: {note}" for one in self.models for note in one.notes]
        return (*self.input_notices, *reports, *notes)

    @property
    def signature(self) -> str:
        """Every choice that changes a number, and the version, in one line."""
        models = "+".join(one.requested_spec for one in self.models)
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
        """One row a parameter of each model, the leak too; quality of the model in each."""
        for one in self.models:
            for own in one.estimates:
                yield {
                    "model": one.spec,
                    "parameter": own.name,
                    "value": own.value,
                    "low": own.low,
                    "high": own.high,
                    "se": own.se,
                    "source": own.source,
                    "log_likelihood": one.quality.log_likelihood,
                    "aic": one.quality.aic,
                    "held_out": one.quality.held_out,
                    "shared": one.quality.shared,
                }

    def _summary(self) -> str:
        return (
            f"{plural(len(self.models), 'user model')} fitted to {plural(self.size.sessions, 'session')}, {self.spec}"
        )

    def _table(self) -> Table:
        columns = ("model", "held out", "AIC", "log-likelihood", "parameters", "views leaked")
        return columns, (
            [
                one.spec,
                one.quality.shared,
                one.quality.aic,
                one.quality.log_likelihood,
                one.parameters,
                one.leaked_view_share,
            ]
            for one in self.models
        )


# One user model, fitted: estimates, quality, and every parameter as `eval` takes it.


LEAK_NAME = "leak"


@dataclass(frozen=True, eq=False)
class ModelFitter:
    """What all models are fitted to."""

    inputs: Inputs
    pairs: ViewPairs
    readings: Readings
    walks: Walks | None
    resampling: Resampling

    def fit_model(self, asked: RequestedModel, evidence: str, *, links: bool, shared: BoolArray | None) -> FittedModel:
        """One model, fitted.

        `shared`: distinct pairs of models along a graph that other models have too; None where all are.
        """
        pairs, choice, law = self.pairs, asked.choice, None
        if asked.follows_graph and self.walks is not None:
            question, choice = make_graph_problem(asked, self.inputs.context, pairs, self.walks, links=links)
        else:
            readings = self.readings if evidence != "views" and len(self.readings) else None
            if evidence == "reading" and readings is None:
                raise DataError("the log has no read=, from which the parameter was to come")
            question, law = make_problem(asked, self.inputs.context, pairs, readings)
        if not len(pairs) and law is not None and question.fixed_value is None and question.reading is None:
            reason = "no result has a target in its document that was not seen: there is nothing to tell from"
            raise DataError(f"-u {asked.spec}: {reason}")
        counts = count_cells(pairs, once=asked.once)
        common = np.ones(len(counts.cells.pair), dtype=np.bool_)
        if shared is not None and asked.follows_graph:
            common = shared[counts.cells.pair]
        solution = solve_problem(question, counts.cells)
        point = solution.fit.point
        reach = cell_reach(solution.curve, counts.cells, point)
        predicted = add_leak(reach, float(point[LEAK]))
        key = law.reach_function.key if law is not None else ""
        alpha = self.resampling.alpha
        names = (key, LEAK_NAME, RANK_DECAY)
        told = estimate_from_views(solution, counts, pairs, names, alpha)
        own = self._parameter(
            question, solution, law, ~pairs.document_opened if asked.once else np.ones(len(pairs), np.bool_)
        )
        if own is not None:
            told[PARAMETER] = own
        estimates = [told[number] for number in (PARAMETER, DECAY, LEAK) if number in told]
        navigation, steps = None, tuple[ParameterEstimate, ...]()
        if asked.follows_graph and self.walks is not None:
            damping = estimate_share(DAMPING, self.walks.damping(), "steps", alpha)
            if damping is not None and DAMPING in choice.values and DAMPING not in asked.settings:
                estimates.insert(0, damping)
            if not links:
                navigation = self.walks.navigation()
                steps = tuple(self._steps(self.walks))
        return FittedModel(
            asked.spec, choice.model.name, _fitted_parameters(choice, self.inputs, solution, law), tuple(estimates),
            solution.parameters,
            assess_fit(question, counts, pairs.viewed, solution, common), asked.follows_graph,
            leaked_share(reach, predicted, counts.cells, float(point[LEAK])),
            calibration(predicted, counts.cells.trials, counts.cells.views),
            solution.gain, navigation, steps, tuple(_fit_notes(question, solution, law)),
        )  # fmt: skip

    def _parameter(
        self, question: EstimationProblem, solution: Solution, law: PairReach | None, reached: BoolArray
    ) -> ParameterEstimate | None:
        """The estimate of a parameter that the likelihood did not tell; None where it did, or it was given."""
        if law is None or question.fixed_value is not None:
            return None
        value = solution.value
        if question.reading is not None and question.readings is not None:
            return estimate_from_readings(
                law.reach_function.key, question.reading, question.readings, value, self.resampling
            )
        if question.distance is not None:
            distance = question.distance[self.pairs.pair]
            return estimate_threshold(law.reach_function.key, distance, self.pairs, reached, value, self.resampling)
        if not solution.fit.free[PARAMETER]:
            return ParameterEstimate(law.reach_function.key, value, source="views")
        return None

    def _steps(self, walks: Walks) -> list[ParameterEstimate]:
        """The step from each node to each other one that was taken."""
        file = walks.navigation()
        found = []
        for source, target in zip(file.source, file.target, strict=True):
            one = estimate_share(f"{source} to {target}", walks.step(source, target), "steps", self.resampling.alpha)
            found += [one] if one is not None else []
        return found


def _fitted_parameters(
    choice: ModelChoice, inputs: Inputs, solution: Solution, law: PairReach | None
) -> dict[str, ParameterValue]:
    """Every parameter of a model as it was fitted, and of those that every model has rank_decay and what is set."""
    values = dict(choice.values)
    for one in choice.model.parameters:
        if one.name not in values and ModelNeed.MEAN_LENGTH in choice.model.needs and inputs.mean_length is not None:
            values[one.name] = float(inputs.mean_length)
    point = solution.fit.point
    if law is not None:
        values[law.reach_function.key] = solution.value
    values[RANK_DECAY] = round_to_ten_digits(rank_decay_from_scaled(float(point[DECAY])))
    unset = {one.name for one in MODIFIERS if one.name != RANK_DECAY and values[one.name] == one.default}
    ordered = [*(one.name for one in choice.model.parameters), *(one.name for one in MODIFIERS)]
    return {key: values[key] for key in ordered if key not in unset and key in values}


def _fit_notes(question: EstimationProblem, solution: Solution, law: PairReach | None) -> list[str]:
    """What there is to say of a fit."""
    told = law is None or any(one is not None for one in (question.fixed_value, question.distance, question.reading))
    if law is None or told or solution.fit.free[PARAMETER]:
        return []
    if abs(solution.fit.point[PARAMETER]) >= MAX_SCALED_VALUES[law.reach_function.is_share] - 1e-9:
        return [f"{law.reach_function.key} is at the end of its range: the log does not tell it"]
    return [f"{law.reach_function.key} does not matter to what was viewed: the log does not tell it"]


EVIDENCE = ("auto", "views", "reading")
GRAPHS = ("steps", "links")
PERSISTENCE = "persistence"


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
    """Estimate the parameters of user models from what users did.

    >>> import prum_eval
    >>> judged = {"1": {"tides": 1, "moon": 1}}
    >>> users = prum_eval.simulate_log(judged, user_model="none", sessions=400, persistence=0.5)
    >>> round(prum_eval.fit(judged, users, "none").persistence.value, 1)
    0.5

    Args:
        assessments: as for `prum_eval.evaluate`.
        log: path of a log, or what `read_log` or `simulate_log` returned.
        user_models: specifications as -u takes them, one or several; what they set is held, what they do not is
            estimated where that can be.
        structure: the collection structure.
        targets: which targets users are after; as `prum_eval.evaluate` chooses them for the assessments if not given,
            for bep-distance too.
        quantisation: how assessments become values.
        evidence: ``reading``: what can be told from how far users read is told from that; ``views``: all comes from
            views; ``auto``: from reading where the log has some.
        graph: of models along a graph: ``steps`` between nodes as they were counted, or ``links`` of the structure
            with the damping that was counted.
        seed: of the bootstrap.
        trials: of the bootstrap.
        alpha: intervals hold 1 - alpha.

    Returns:
        The models, the best first by the log-likelihood of sessions held out; `spec` of each is what `evaluate` takes
        as `user_model`, `navigation` the steps of a graph.

    Raises:
        InputError: bad data in a file.
        DataError: a log that does not tell what is asked, or inputs that do not fit together.
        UsageError: an unknown name, or a value that is not legal.
    """
    specs = [user_models] if isinstance(user_models, str) else list(user_models)
    for name, value, known in (("evidence", evidence, EVIDENCE), ("graph", graph, GRAPHS)):
        if value not in known:
            raise UsageError(f"{name}={value}: {name} is {', '.join(known[:-1])} or {known[-1]}")
    if not specs:
        raise UsageError("no user model is named")
    if not 0 < alpha < 1:
        raise UsageError(f"alpha={alpha}: alpha is a number between 0 and 1")
    if trials < 1 or seed < 0:
        raise UsageError("trials is a whole number from 1 up, seed one from 0 up")
    asked = [parse_requested_model(spec) for spec in specs]
    users = log if isinstance(log, UserLog) else read_log(log)
    if not users.lines:
        raise DataError(f"{users.path}: there is no consulted result in it")
    named = {place.document for one in users.lines for place in (one.result, *one.viewed)}
    inputs = read_inputs(assessments, structure, also=candidate_documents(named))
    for one in asked:
        check_requested_model(one, inputs)
    return _LogInputs(users, inputs, targets, quantisation, Resampling(seed, trials, alpha)).fit_models(
        asked, evidence, graph
    )


@dataclass(frozen=True, eq=False)
class _LogInputs:
    """A log with the inputs that say where its places are."""

    users: UserLog
    inputs: Inputs
    targets: str | None
    quantisation: str
    resampling: Resampling

    def fit_models(self, asked: Sequence[RequestedModel], evidence: str, graph: str) -> FittedModels:
        placing = make_list_locator(self.inputs, self.targets, self.quantisation)
        follows = [one.follows_graph for one in asked]
        remarks = Remarks()
        places = locate_places(self.users, placing, graph=any(follows))
        if not places:
            raise DataError(f"{self.users.path}: no topic in common with {self.inputs.assessments.path}")
        visits = collect_visits(self.users, places, remarks)
        pairs = collect_pairs(visits, remarks, everywhere=all(follows))
        readings = collect_readings(visits, self.inputs.lengths, remarks)
        walks = collect_walks(visits, remarks) if any(follows) else None
        wide = pairs if len(set(follows)) < 2 else collect_pairs(visits, Remarks(), everywhere=True)
        models = [
            ModelFitter(self.inputs, wide if one.follows_graph else pairs, readings, walks, self.resampling).fit_model(
                one, evidence, links=graph == "links", shared=None if wide is pairs else wide.inside
            )
            for one in asked
        ]
        order = sorted(range(len(models)), key=lambda number: (_ranking_key(models[number]), number))
        leak, baseline = baseline_quality(count_cells(pairs, once=False), pairs.viewed)
        size = LogSize(
            len({one.session for one in visits.lists}), len(visits.lists), visits.consulted_count, len(pairs),
            int(pairs.viewed.sum()), len(readings),
        )  # fmt: skip
        choices = {
            "targets": placing.kind.value, "quantisation": self.quantisation, "evidence": evidence,
            **({"along": graph} if any(follows) else {}),
        }  # fmt: skip
        persistence = estimate_share(PERSISTENCE, count_persistence(visits), "ranks", self.resampling.alpha)
        return FittedModels(
            self.users.path, choices, self.resampling, size,
            tuple(models[number] for number in order), leak, baseline, persistence, remarks.reports(),
            tuple(filter(None, [self.inputs.cache_note])), self._paths(),
        )  # fmt: skip

    def _paths(self) -> dict[str, str | None]:
        structure = self.inputs.structure
        return {
            "assessments": self.inputs.assessments.path,
            "structure": None if structure is None else structure.path,
            "log": self.users.path,
        }


def _ranking_key(model: FittedModel) -> float:
    shared = model.quality.shared
    return -(model.quality.log_likelihood if shared is None else shared)
