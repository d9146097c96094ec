"""User models fitted to a log, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from prum_eval.evaluation.notices.notice import Notice
from prum_eval.fitting.estimates import ParameterEstimate, Resampling
from prum_eval.fitting.logged.reports import LogReport
from prum_eval.fitting.quality import Quality, Tenth
from prum_eval.parameters import ParameterValues, show
from prum_eval.records.navigation import NavigationFile
from prum_eval.tabular import RowValue, Table, Tabular, plural
from prum_eval.version import __version__


@dataclass(frozen=True)
class FittedModel:
    """A user model with what a log told of it.

    Attributes:
        asked: the specification that it was named by.
        name: of the user model.
        values: every parameter of it as -u takes them, and rank_decay.
        estimates: those that were estimated, and the leak, each with an interval where there is one.
        parameters: how many were estimated.
        quality: likelihood of the views, AIC, sessions held out.
        everywhere: targets of all documents were candidates, not just those of the result's.
        leaked: share of the views that the leak explains.
        calibration: observed against predicted by tenths.
        decay_gain: log-likelihood gained by estimating rank_decay.
        navigation: the steps, of a model that follows those.
        steps: their estimates.
        notes: what there is to say of it.
    """

    asked: str
    name: str
    values: ParameterValues
    estimates: tuple[ParameterEstimate, ...]
    parameters: int
    quality: Quality
    everywhere: bool
    leaked: float
    calibration: tuple[Tenth, ...]
    decay_gain: float
    navigation: NavigationFile | None = None
    steps: tuple[ParameterEstimate, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def spec(self) -> str:
        """The model as -u of `eval` takes it, with every parameter."""
        return f"{self.name}:{','.join(f'{key}={show(value)}' for key, value in self.values.items())}"


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
    told: tuple[Notice | str, ...] = ()
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
        return (*self.told, *reports, *notes)

    @property
    def signature(self) -> str:
        """Every choice that changes a number, and the version, in one line."""
        models = "+".join(one.asked for one in self.models)
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
            [one.spec, one.quality.shared, one.quality.aic, one.quality.log_likelihood, one.parameters, one.leaked]
            for one in self.models
        )
