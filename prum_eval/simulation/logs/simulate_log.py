"""`prum_eval.simulate_log`: logs of users who follow a given model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.inputs import read_inputs, read_judged
from prum_eval.evaluation.placing import checked_model, placing_of
from prum_eval.formats.given import GivenAssessments, GivenRun, PathName
from prum_eval.records.log import Consultation, UserLog
from prum_eval.records.navigation import NavigationFile
from prum_eval.records.structure import Structure
from prum_eval.relevance.quantisations import DEFAULT
from prum_eval.simulation.logs.consulted import behaviour_of, user_lists
from prum_eval.simulation.logs.users import Users
from prum_eval.simulation.logs.visits import Exits, LogPlan
from prum_eval.simulation.simulate import simulate
from prum_eval.simulation.simulated import Duplicates
from prum_eval.simulation.sources import IDEAL, SOURCES
from prum_eval.user_models.graph_edges import Edges
from prum_eval.user_models.modifiers import joins_items
from prum_eval.user_models.registry import choose, parse_choice

_SESSIONS_TOGETHER = 256
"""So many are one task of a process."""


def simulate_log(
    assessments: GivenAssessments,
    source: GivenRun = IDEAL,
    *,
    user_model: str,
    structure: PathName | Structure | None = None,
    navigation: PathName | NavigationFile | None = None,
    navigation_kind: str = "reach",
    sessions: int = 100,
    persistence: float = 0.8,
    leak: float = 0.0,
    changes: str | Sequence[str] = (),
    vary: str | None = None,
    copies: int = 1,
    seed: int = 1,
    duplicates: str = Duplicates.DROP,
    targets: str | None = None,
    quantisation: str = DEFAULT,
    run_id: str | None = None,
    jobs: int = 1,
) -> UserLog:
    """Make a log of users who follow a given model, down the lists that `prum_eval.simulate` makes.

    >>> import prum_eval
    >>> made = prum_eval.simulate_log({"1": {"tides": 1, "moon": 2}}, user_model="none", sessions=2, persistence=0)
    >>> [(one.session, one.rank, one.result.text, one.stop) for one in made.lines]
    [('s1', 1, 'moon', True), ('s2', 1, 'moon', True)]

    A user goes from rank to rank with probability `persistence`; at the end of a list nobody knows who would have gone
    on. From each result every target that was not seen in the session, in the result's document, is viewed with
    probability e + (1 - 2 e) R, e the leak; users of a graph of steps walk from node to node, and those who read on
    read as far as the model's law says, and view what begins there.

    Args:
        assessments: as for `prum_eval.simulate`, and so are the arguments that have a name there; `vary` and `copies`
            make more lists, which users take in turn.
        source: likewise.
        user_model: as -u takes it, with its parameters.
        structure: likewise.
        navigation: navigation file of a user model that follows a graph.
        navigation_kind: ``reach`` or ``step``, what its numbers are.
        sessions: how many there are, each of one user with one list.
        persistence: probability to go on to the next rank.
        leak: probability, of each target, that it is viewed where the model says not, or the other way round.
        changes: likewise.
        vary: likewise.
        copies: likewise.
        seed: likewise; a session depends on it and its number alone.
        duplicates: likewise.
        targets: which targets users are after, and the ideal run lists.
        quantisation: likewise.
        run_id: likewise.
        jobs: number of processes that share the sessions; 0: one a processor. The log is the same.

    Raises:
        UsageError: an unknown name, or an illegal value.
        InputError, DataError: bad data, or inputs that do not tell what is needed.
    """
    users = Users(sessions, persistence, leak, seed)
    if navigation_kind not in {"reach", "step"}:
        raise UsageError(f"navigation_kind={navigation_kind}: navigation_kind is reach or step")
    choice = choose(*parse_choice(user_model))
    if joins_items(choice.values):
        raise UsageError("a log is of results, not of items: items has no meaning")
    judged = read_judged(assessments)
    word = SOURCES.get(source) if isinstance(source, str) else None
    listed = None if word is not None and word.targets is not None else targets  # such a word lists its own
    made = simulate(
        judged.assessments, source, structure=structure, changes=changes, vary=vary, copies=copies, seed=seed,
        duplicates=duplicates, targets=listed, quantisation=quantisation, run_id=run_id,
    )  # fmt: skip
    inputs = read_inputs(judged, made.structure, navigation, navigation_kind)
    checked_model(choice, inputs)
    placing, behaviour = placing_of(inputs, targets, quantisation), behaviour_of(choice, inputs)
    lists = [one for run in made for one in user_lists(run.run, placing, behaviour)]
    lists = [one for one in lists if one.results]
    if not lists:
        raise DataError("there is no list that users could go down")
    exits = None if behaviour.steps is None else {topic: _exits(own) for topic, own in behaviour.steps.items()}
    plan = LogPlan(users, lists, exits, behaviour.reading, behaviour.value)
    lines = [one for part in _parts(plan, jobs) for one in part]
    return UserLog("log", tuple(one._replace(line=number) for number, one in enumerate(lines, 1)))


def _exits(edges: Edges) -> Mapping[str, Exits]:
    """The steps out of each node, in the order of names."""
    out: dict[str, list[tuple[str, float]]] = {}
    for (source, target), probability in sorted(edges.items()):
        out.setdefault(source, []).append((target, probability))
    return {
        node: Exits(tuple(target for target, _ in steps), tuple(accumulate(probability for _, probability in steps)))
        for node, steps in out.items()
    }


def _parts(plan: LogPlan, jobs: int) -> list[list[Consultation]]:
    """The lines of all sessions, in their order."""
    starts = range(0, plan.users.sessions, _SESSIONS_TOGETHER)
    from prum_eval.evaluation.parallel.workplaces import place_of

    place = place_of(jobs, len(starts))
    if place is None:
        return [_some(plan, start) for start in starts]
    with place.workers(_some, plan) as workers:
        return list(workers.in_order(starts))


def _some(plan: LogPlan, start: int) -> list[Consultation]:
    end = min(start + _SESSIONS_TOGETHER, plan.users.sessions)
    return [one for number in range(start, end) for one in plan.session(number)]
