"""One user model, fitted: estimates, quality, and every parameter as `eval` takes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray
from prum_eval.errors import DataError
from prum_eval.evaluation.inputs import Inputs
from prum_eval.fitting.curves import LawOfPairs
from prum_eval.fitting.estimates import (
    ParameterEstimate,
    Resampling,
    estimate_of_readings,
    estimate_of_share,
    estimate_of_threshold,
    estimates_of_views,
)
from prum_eval.fitting.likelihood import (
    DECAY,
    LEAK,
    PARAMETER,
    WIDEST,
    leaked_views,
    leaking,
    rank_decay_of,
    reach_of_cells,
)
from prum_eval.fitting.logged.pairs import ViewPairs, cells_of
from prum_eval.fitting.logged.walks import Walks
from prum_eval.fitting.quality import calibration, quality_of
from prum_eval.fitting.questions import DAMPING, RANK_DECAY, AskedModel, graph_question, question_of
from prum_eval.fitting.reading import Readings
from prum_eval.fitting.result import FittedModel
from prum_eval.fitting.solving import Question, Solution, solved, ten_digits
from prum_eval.parameters import ParameterValue
from prum_eval.user_models.model import ModelNeed
from prum_eval.user_models.modifiers import MODIFIERS
from prum_eval.user_models.registry import ModelChoice

LEAK_NAME = "leak"


@dataclass(frozen=True, eq=False)
class Fitting:
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
    values[RANK_DECAY] = ten_digits(rank_decay_of(float(point[DECAY])))
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
