"""`prum_eval.fit`: parameters of user models, estimated from a log of what users did."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray
from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.inputs import Inputs, read_inputs
from prum_eval.evaluation.placing import placing_of
from prum_eval.fitting.curves import LawOfPairs
from prum_eval.fitting.estimates import (
    ParameterEstimate,
    Resampling,
    estimate_of_readings,
    estimate_of_share,
    estimate_of_threshold,
    estimates_of_views,
)
from prum_eval.fitting.likelihood import DECAY, LEAK, PARAMETER, WIDEST, leaked_views, leaking, reach_of_cells
from prum_eval.fitting.logged.pairs import ViewPairs, cells_of, pairs_of
from prum_eval.fitting.logged.places import places_of
from prum_eval.fitting.logged.reports import Remarks
from prum_eval.fitting.logged.visits import visits_of
from prum_eval.fitting.logged.walks import Walks, persistence_of, walks_of
from prum_eval.fitting.quality import baseline_quality, calibration, quality_of
from prum_eval.fitting.questions import (
    DAMPING,
    RANK_DECAY,
    AskedModel,
    asked_model,
    check_asked,
    graph_question,
    question_of,
)
from prum_eval.fitting.reading import Readings, readings_of
from prum_eval.fitting.result import FittedModel, FittedModels, LogSize
from prum_eval.fitting.solving import Question, Solution, solved, ten_digits
from prum_eval.formats.given import GivenAssessments, PathName
from prum_eval.formats.registry import read_log
from prum_eval.parameters import ParameterValue
from prum_eval.records.log import UserLog
from prum_eval.records.structure import Structure
from prum_eval.relevance.quantisations import DEFAULT
from prum_eval.text.document_names import possible_documents
from prum_eval.user_models.model import ModelNeed
from prum_eval.user_models.modifiers import MODIFIERS
from prum_eval.user_models.registry import ModelChoice

EVIDENCE = ("auto", "views", "reading")
GRAPHS = ("steps", "links")
LEAK_NAME, PERSISTENCE = "leak", "persistence"


def fit(  # noqa: PLR0913 -- the options of the command line, by name
    assessments: GivenAssessments,
    log: PathName | UserLog,
    user_models: str | Sequence[str],
    *,
    structure: PathName | Structure | None = None,
    targets: str | None = None,
    quantisation: str = DEFAULT,
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
    asked = [asked_model(spec) for spec in specs]
    users = log if isinstance(log, UserLog) else read_log(log)
    if not users.lines:
        raise DataError(f"{users.path}: there is no consulted result in it")
    named = {place.document for one in users.lines for place in (one.result, *one.viewed)}
    inputs = read_inputs(assessments, structure, also=possible_documents(named))
    for one in asked:
        check_asked(one, inputs)
    return _Log(users, inputs, targets, quantisation, Resampling(seed, trials, alpha)).fitted(asked, evidence, graph)


@dataclass(frozen=True, eq=False)
class _Log:
    """A log with the inputs that say where its places are."""

    users: UserLog
    inputs: Inputs
    targets: str | None
    quantisation: str
    resampling: Resampling

    def fitted(self, asked: Sequence[AskedModel], evidence: str, graph: str) -> FittedModels:
        placing = placing_of(self.inputs, self.targets, self.quantisation)
        follows = [one.follows_graph for one in asked]
        remarks = Remarks()
        places = places_of(self.users, placing, graph=any(follows))
        if not places:
            raise DataError(f"{self.users.path}: no topic in common with {self.inputs.assessments.path}")
        visits = visits_of(self.users, places, remarks)
        pairs = pairs_of(visits, remarks, everywhere=all(follows))
        readings = readings_of(visits, self.inputs.lengths, remarks)
        walks = walks_of(visits, remarks) if any(follows) else None
        wide = pairs if len(set(follows)) < 2 else pairs_of(visits, Remarks(), everywhere=True)
        models = [
            _Fitting(self.inputs, wide if one.follows_graph else pairs, readings, walks, self.resampling).model(
                one, evidence, links=graph == "links", shared=None if wide is pairs else wide.inside
            )
            for one in asked
        ]
        order = sorted(range(len(models)), key=lambda number: (_rank(models[number]), number))
        leak, baseline = baseline_quality(cells_of(pairs, once=False), pairs.viewed)
        size = LogSize(
            len(visits.sessions), len(visits.lists), visits.consulted, len(pairs), int(pairs.viewed.sum()),
            len(readings),
        )  # fmt: skip
        choices = {
            "targets": placing.kind.value, "quantisation": self.quantisation, "evidence": evidence,
            **({"along": graph} if any(follows) else {}),
        }  # fmt: skip
        persistence = estimate_of_share(PERSISTENCE, persistence_of(visits), "ranks", self.resampling.alpha)
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


def _rank(model: FittedModel) -> float:
    shared = model.quality.shared
    return -(model.quality.log_likelihood if shared is None else shared)


@dataclass(frozen=True, eq=False)
class _Fitting:
    """What all models are fitted to."""

    inputs: Inputs
    pairs: ViewPairs
    readings: Readings
    walks: Walks | None
    resampling: Resampling

    def model(self, asked: AskedModel, evidence: str, *, links: bool, shared: BoolArray | None) -> FittedModel:
        """One model, fitted.

        `shared`: distinct pairs of models along a graph that other models have too; None where all are.
        """
        pairs, choice, law = self.pairs, asked.choice, None
        if asked.follows_graph and self.walks is not None:
            question, choice = graph_question(asked, self.inputs.context, pairs, self.walks, links=links)
        else:
            readings = self.readings if evidence != "views" and len(self.readings) else None
            if evidence == "reading" and readings is None:
                raise DataError("the log has no read=, from which the parameter was to come")
            question, law = question_of(asked, self.inputs.context, pairs, readings)
        if not len(pairs) and law is not None and question.held is None and question.reading is None:
            reason = "no result has a target in its document that was not seen: there is nothing to tell from"
            raise DataError(f"-u {asked.spec}: {reason}")
        counts = cells_of(pairs, once=asked.once)
        common = np.ones(len(counts.cells.pair), dtype=np.bool_)
        if shared is not None and asked.follows_graph:
            common = shared[counts.cells.pair]
        solution = solved(question, counts.cells)
        point = solution.fit.point
        reach = reach_of_cells(solution.curve, counts.cells, point)
        predicted = leaking(reach, float(point[LEAK]))
        key = law.law.key if law is not None else ""
        alpha = self.resampling.alpha
        names = (key, LEAK_NAME, RANK_DECAY)
        told = estimates_of_views(solution, counts, pairs, names, alpha)
        own = self._parameter(question, solution, law, ~pairs.again if asked.once else np.ones(len(pairs), np.bool_))
        if own is not None:
            told[PARAMETER] = own
        estimates = [told[number] for number in (PARAMETER, DECAY, LEAK) if number in told]
        navigation, steps = None, tuple[ParameterEstimate, ...]()
        if asked.follows_graph and self.walks is not None:
            damping = estimate_of_share(DAMPING, self.walks.damping(), "steps", alpha)
            if damping is not None and DAMPING in choice.values and DAMPING not in asked.settings:
                estimates.insert(0, damping)
            if not links:
                navigation = self.walks.navigation()
                steps = tuple(self._steps(self.walks))
        return FittedModel(
            asked.spec, choice.model.name, _every_value(choice, self.inputs, solution, law), tuple(estimates),
            solution.parameters,
            quality_of(question, counts, pairs.viewed, solution, common), asked.follows_graph,
            leaked_views(reach, predicted, counts.cells, float(point[LEAK])),
            calibration(predicted, counts.cells.trials, counts.cells.views),
            solution.gain, navigation, steps, tuple(_notes(question, solution, law)),
        )  # fmt: skip

    def _parameter(
        self, question: Question, solution: Solution, law: LawOfPairs | None, reached: BoolArray
    ) -> ParameterEstimate | None:
        """The estimate of a parameter that the likelihood did not tell; None where it did, or it was given."""
        if law is None or question.held is not None:
            return None
        value = solution.value
        if question.reading is not None and question.readings is not None:
            return estimate_of_readings(law.law.key, question.reading, question.readings, value, self.resampling)
        if question.distance is not None:
            distance = question.distance[self.pairs.pair]
            return estimate_of_threshold(law.law.key, distance, self.pairs, reached, value, self.resampling)
        if not solution.fit.free[PARAMETER]:
            return ParameterEstimate(law.law.key, value, source="views")
        return None

    def _steps(self, walks: Walks) -> list[ParameterEstimate]:
        """The step from each node to each other one that was taken."""
        file = walks.navigation()
        found = []
        for source, target in zip(file.source, file.target, strict=True):
            one = estimate_of_share(f"{source} to {target}", walks.step(source, target), "steps", self.resampling.alpha)
            found += [one] if one is not None else []
        return found


def _every_value(
    choice: ModelChoice, inputs: Inputs, solution: Solution, law: LawOfPairs | None
) -> dict[str, ParameterValue]:
    """Every parameter of a model as it was fitted, and of those that every model has rank_decay and what is set."""
    values = dict(choice.values)
    for one in choice.model.parameters:
        if one.name not in values and ModelNeed.MEAN_LENGTH in choice.model.needs and inputs.mean_length is not None:
            values[one.name] = float(inputs.mean_length)
    point = solution.fit.point
    if law is not None:
        values[law.law.key] = solution.value
    values[RANK_DECAY] = ten_digits(math.exp(-float(point[DECAY])))
    unset = {one.name for one in MODIFIERS if one.name != RANK_DECAY and values[one.name] == one.default}
    ordered = [*(one.name for one in choice.model.parameters), *(one.name for one in MODIFIERS)]
    return {key: values[key] for key in ordered if key not in unset and key in values}


def _notes(question: Question, solution: Solution, law: LawOfPairs | None) -> list[str]:
    """What there is to say of a fit."""
    told = law is None or any(one is not None for one in (question.held, question.distance, question.reading))
    if law is None or told or solution.fit.free[PARAMETER]:
        return []
    if abs(solution.fit.point[PARAMETER]) >= WIDEST[law.law.share] - 1e-9:
        return [f"{law.law.key} is at the end of its range: the log does not tell it"]
    return [f"{law.law.key} does not matter to what was viewed: the log does not tell it"]
