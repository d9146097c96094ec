"""`prum_eval.fit`: parameters of user models, estimated from a log of what users did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.inputs import Inputs, read_inputs
from prum_eval.evaluation.placing import placing_of
from prum_eval.fitting.estimates import Resampling, estimate_of_share
from prum_eval.fitting.logged.pairs import cells_of, pairs_of
from prum_eval.fitting.logged.places import places_of
from prum_eval.fitting.logged.reports import Remarks
from prum_eval.fitting.logged.visits import visits_of
from prum_eval.fitting.logged.walks import persistence_of, walks_of
from prum_eval.fitting.one_model import Fitting
from prum_eval.fitting.quality import baseline_quality
from prum_eval.fitting.questions import AskedModel, asked_model, check_asked
from prum_eval.fitting.reading import readings_of
from prum_eval.fitting.result import FittedModel, FittedModels, LogSize
from prum_eval.formats.given import GivenAssessments, PathName
from prum_eval.formats.reading import read_log
from prum_eval.records.log import UserLog
from prum_eval.records.structure import Structure
from prum_eval.relevance.quantisations import DEFAULT
from prum_eval.text.document_names import possible_documents

EVIDENCE = ("auto", "views", "reading")
GRAPHS = ("steps", "links")
PERSISTENCE = "persistence"


def fit(
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
            Fitting(self.inputs, wide if one.follows_graph else pairs, readings, walks, self.resampling).model(
                one, evidence, links=graph == "links", shared=None if wide is pairs else wide.inside
            )
            for one in asked
        ]
        order = sorted(range(len(models)), key=lambda number: (_rank(models[number]), number))
        leak, baseline = baseline_quality(cells_of(pairs, once=False), pairs.viewed)
        size = LogSize(
            len({one.session for one in visits.lists}), len(visits.lists), visits.consulted, len(pairs),
            int(pairs.viewed.sum()), len(readings),
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
