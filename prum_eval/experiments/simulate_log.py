"""Simulated logs of users who follow a user model: the call `simulate_log`.

Users consult the results of a list rank by rank. From each result they reach targets by following links of a graph, by
reading on, or independently with the probability R of the model. `user_lists` prepares the lists with plain numbers
that are quick to draw with; `LogPlan.simulate_session` simulates one user.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.locations import exact_entries, same_document_pairs
from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.inputs import Inputs, load_assessments, read_inputs
from prum_eval.evaluation.resolution import ListLocator, LocatedList, check_buildable_model, make_list_locator
from prum_eval.experiments.changes import IDEAL, SOURCES
from prum_eval.experiments.simulate import Duplicates, simulate
from prum_eval.experiments.simulated_topics import RandomStream
from prum_eval.formats.log import is_round_trip_safe, parse_logged_place
from prum_eval.formats.reading import AssessmentsInput, PathName, RunInput
from prum_eval.records import Consultation, LoggedPlace, NavigationFile, Run, Structure, UserLog
from prum_eval.relevance.quantisations import DEFAULT_QUANTISATION
from prum_eval.relevance.targets import TargetSet
from prum_eval.text.names import find_document
from prum_eval.user_models.graph import Edges, graph_edges
from prum_eval.user_models.model import ModelNeed, NavigationBasis, ReadingDistribution, joins_items
from prum_eval.user_models.registry import ModelChoice, build_model, choose_model, parse_model_spec

MOST_SESSIONS = 10**7
_LONGEST_WALK = 1000
_SESSIONS_TOGETHER = 256
"""Number of sessions per task of a process."""

# Lists


class Lead(NamedTuple):
    """A link from a result to a target: R as `reach`, and `gap` in characters for users who read on."""

    target: int
    reach: float
    gap: float


@dataclass(frozen=True)
class ListedPlace:
    """A result of a list.

    `identical_targets`: targets identical to it. `leads`: links to other targets. `readable_length`: characters to the
    end of the document, None if unknown or not needed. `node`: start of a walk, empty without one.
    """

    rank: int
    place: LoggedPlace
    identical_targets: tuple[int, ...]
    leads: tuple[Lead, ...]
    readable_length: int | None
    node: str


@dataclass(frozen=True)
class UserList:
    """A list of a topic. `targets`: their places. `target_numbers`: by node, for users who walk."""

    topic: str
    results: tuple[ListedPlace, ...]
    targets: tuple[LoggedPlace, ...]
    target_numbers: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class Behaviour:
    """How users of a model reach targets.

    Along `steps` between nodes (by topic, None for all others); by reading on with the distribution `reading` and its
    parameter `value`; or else each target independently.
    """

    choice: ModelChoice
    steps: Mapping[str | None, Edges] | None
    reading: ReadingDistribution | None
    value: float


def make_behaviour(choice: ModelChoice, inputs: Inputs) -> Behaviour:
    """Behaviour of users of a model; with modifiers they reach each target independently."""
    model, values = choice.model, choice.values
    if choice.has_modifiers:
        return Behaviour(choice, None, None, 0.0)
    if ModelNeed.GRAPH in model.needs:
        single, edges = graph_edges(inputs.context, float(values.get("damping", 0.0)))
        return Behaviour(choice, edges if single else None, None, 0.0)
    parameter = model.estimable_parameter(values, inputs.context) if model.estimable_parameter is not None else None
    if parameter is None or parameter.reading is None:
        return Behaviour(choice, None, None, 0.0)
    return Behaviour(choice, None, parameter.reading, float(values[parameter.key]))


def user_lists(run: Run, locator: ListLocator, behaviour: Behaviour) -> Iterator[UserList]:
    """Lists of a run for users of a model.

    Raises:
        DataError: a result is a range of elements, or a document has a name that logs cannot have.
    """
    choice, inputs = behaviour.choice, locator.inputs
    graph = choice.model.navigation_basis is NavigationBasis.GRAPH
    model = build_model(choice, inputs.context)
    parameter = (
        choice.model.estimable_parameter(choice.values, inputs.context)
        if behaviour.reading and choice.model.estimable_parameter
        else None
    )
    for located in locator.lists(run, graph=graph):
        reach = model(located.ranked_topic).dense()
        identical = _columns_by_row(
            *exact_entries(located.ranked_topic.results, located.ranked_topic.targets), len(reach)
        )
        is_lead, gaps = reach > 0, np.zeros_like(reach)
        if graph:
            is_lead = np.ones_like(is_lead)
        else:
            rows, columns = same_document_pairs(
                located.ranked_topic.results.document, located.ranked_topic.targets.document
            )
            is_lead[rows, columns] = True
            if parameter is not None:
                gaps[rows, columns] = parameter.features(located.ranked_topic, rows, columns)
        nodes = located.ranked_topic.result_nodes() if behaviour.steps is not None else [""] * len(reach)
        target_numbers = {node: number for number, node in enumerate(located.targets.nodes)} if behaviour.steps else {}
        results = []
        for row in np.flatnonzero(located.ranking.exists).tolist():
            others = [target for target in np.flatnonzero(is_lead[row]).tolist() if target not in identical[row]]
            leads = tuple(Lead(target, float(reach[row, target]), float(gaps[row, target])) for target in others)
            readable = _readable_length(located, row, run, inputs) if behaviour.reading else None
            place = _result_place(run, located.first_row + row)
            results.append(ListedPlace(row + 1, place, tuple(identical[row]), leads, readable, nodes[row]))
        yield UserList(located.topic, tuple(results), tuple(_target_places(located.targets)), target_numbers)


def _columns_by_row(rows: IntArray, columns: IntArray, count: int) -> list[list[int]]:
    columns_by_row: list[list[int]] = [[] for _ in range(count)]
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        columns_by_row[row].append(column)
    return columns_by_row


def _readable_length(located: LocatedList, row: int, run: Run, inputs: Inputs) -> int | None:
    locations = located.ranked_topic.results
    length = find_document(inputs.lengths, run.documents[int(run.document[located.first_row + row])])
    if length is None or not locations.located[row]:
        return None
    return max(0, length - int(locations.start[row]))


def _result_place(run: Run, row: int) -> LoggedPlace:
    document, first, last = run.documents[run.document[row]], int(run.first_path[row]), int(run.last_path[row])
    if first != last:
        raise DataError(f"{run.path}: a range of elements has no name in a log; log lists of elements or passages")
    if first >= 0:
        return _check_nameable(LoggedPlace(document, run.paths[first]))
    return _check_nameable(LoggedPlace(document, "", int(run.start[row]), int(run.length[row])))


def _target_places(targets: TargetSet) -> Iterator[LoggedPlace]:
    """Places of targets, as logs name them."""
    trees, places = targets.trees, targets.locations
    columns: Sequence[IntArray | FloatArray] = (places.document, places.element, places.start, places.length)
    for number, element, start, length in zip(*(column.tolist() for column in columns), strict=True):
        tree, document = trees[number], targets.documents[number]
        if tree is not None and element >= 0:
            yield _check_nameable(LoggedPlace(document, tree.paths[element]))
        elif element < 0:
            yield _check_nameable(LoggedPlace(document, "", start, length))
        else:
            yield _check_nameable(LoggedPlace(document))


def _check_nameable(place: LoggedPlace) -> LoggedPlace:
    """The place, if logs have a name for it.

    Raises:
        DataError: they have none.
    """
    if not is_round_trip_safe(place):
        raise DataError(f"document {place.document} has no name in a log, which would read it as something else")
    return place


def node_place(node: str) -> LoggedPlace:
    """The place of a node of a navigation graph.

    Raises:
        DataError: logs have no name for it.
    """
    place = parse_logged_place(node)
    if place is None:
        raise DataError(f"node {node} of the navigation graph has no name in a log")
    return place


# Users


@dataclass(frozen=True)
class Users:
    """Number of `sessions`, each of one user with one list, and their behaviour.

    `persistence`: probability of going on to the next rank. `leak`: probability of viewing a target against the model,
    and of not viewing one that the model reaches. `seed`: of all random numbers.
    """

    sessions: int = 100
    persistence: float = 0.8
    leak: float = 0.0
    seed: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.sessions <= MOST_SESSIONS:
            raise UsageError(f"sessions={self.sessions}: sessions is a whole number from 1 to {MOST_SESSIONS}")
        if not 0 <= self.persistence < 1:
            raise UsageError(f"persistence={self.persistence}: persistence is a number from 0 on and below 1")
        if not 0 <= self.leak < 0.5:
            raise UsageError(f"leak={self.leak}: leak is a number from 0 on and below 0.5")
        if not 0 <= self.seed < 2**63:
            raise UsageError(f"seed={self.seed}: seed is a whole number from 0 to {2**63 - 1}")


# Sessions


class Exits(NamedTuple):
    """Steps out of a node, with cumulative probabilities."""

    nodes: tuple[str, ...]
    cumulative_probabilities: tuple[float, ...]


@dataclass(frozen=True)
class LogPlan:
    """Data shared by all users of a log.

    `lists`: session n has list n modulo their number. `exits`: by topic and node, for users who walk. `reading` and
    `value`: distribution and parameter for users who read on.
    """

    users: Users
    lists: Sequence[UserList]
    exits: Mapping[str | None, Mapping[str, Exits]] | None = None
    reading: ReadingDistribution | None = None
    value: float = 0.0

    def simulate_session(self, number: int) -> Iterator[Consultation]:
        """Lines of a session, numbered from 0; they depend only on the seed and this number."""
        users, draws = self.users, RandomStream(f"{self.users.seed} log {number}")
        user_list = self.lists[number % len(self.lists)]
        name = f"s{number + 1:0{len(str(users.sessions))}d}"
        seen: set[int] = set()
        for index, result in enumerate(user_list.results):
            seen.update(result.identical_targets)
            viewed, read = self._views(user_list, result, seen, draws)
            last = index == len(user_list.results) - 1  # censored: the list has no next rank
            stop = not last and draws.uniform() >= users.persistence
            yield Consultation(name, user_list.topic, result.rank, result.place, tuple(viewed), read, stop, 0)
            if stop:
                return

    def _views(
        self, user_list: UserList, result: ListedPlace, seen: set[int], draws: RandomStream
    ) -> tuple[list[LoggedPlace], int | None]:
        """Views of a result, in order, and the length read; adds new targets to `seen`."""
        candidates = [lead for lead in result.leads if lead.target not in seen]
        nodes: list[str] = []
        path: list[LoggedPlace] = []
        read = None
        if self.exits is not None and result.node:
            nodes = self._walk(user_list.topic, result.node, draws)
            path = [node_place(node) for node in nodes]
            visited = {user_list.target_numbers[node] for node in nodes if node in user_list.target_numbers}
            reached = [lead.target in visited for lead in candidates]
        elif self.reading is not None and result.readable_length is not None:
            length = int(min(self.reading.inverse_survival(1.0 - draws.uniform(), self.value), result.readable_length))
            reached, read = [lead.gap <= length for lead in candidates], length
        else:
            visited = set()
            reached = [draws.uniform() < lead.reach for lead in candidates]
        leaks = [self.users.leak > 0 and draws.uniform() < self.users.leak for _ in candidates]
        drawn = list(zip(candidates, reached, leaks, strict=True))
        viewed = [lead.target for lead, is_reached, is_leak in drawn if is_reached != is_leak]
        seen.update(viewed)
        if not path:
            return [user_list.targets[target] for target in viewed], read
        hidden = {lead.target for lead, is_reached, is_leak in drawn if is_reached and is_leak}
        shown = [
            place for place, node in zip(path, nodes, strict=True) if user_list.target_numbers.get(node) not in hidden
        ]
        return shown + [
            user_list.targets[lead.target] for lead, is_reached, is_leak in drawn if is_leak and not is_reached
        ], read

    def _walk(self, topic: str, node: str, draws: RandomStream) -> list[str]:
        """Nodes of a walk, without its start."""
        assert self.exits is not None  # noqa: S101 -- asked of walking users only
        exits = self.exits.get(topic, self.exits.get(None, {}))
        visited: list[str] = []
        while node in exits and len(visited) < _LONGEST_WALK:
            u = draws.uniform()
            nodes, sums = exits[node]
            step = next((number for number, total in enumerate(sums) if u < total), None)
            if step is None:
                break
            node = nodes[step]
            visited.append(node)
        return visited


# The call


def simulate_log(
    assessments: AssessmentsInput,
    source: RunInput = IDEAL,
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
    quantisation: str = DEFAULT_QUANTISATION,
    run_id: str | None = None,
    jobs: int = 1,
) -> UserLog:
    """Simulate a log of users who follow a user model, on the lists of `prum_eval.simulate`.

    >>> import prum_eval
    >>> log = prum_eval.simulate_log({"1": {"tides": 1, "moon": 2}}, user_model="none", sessions=2, persistence=0)
    >>> [(line.session, line.rank, line.result.text, line.stop) for line in log.lines]
    [('s1', 1, 'moon', True), ('s2', 1, 'moon', True)]

    A user goes from rank to rank with probability `persistence`; the end of a list is censored. From each result every
    unseen target in its document is viewed with probability e + (1 - 2 e) R, e the leak. Users of a graph of steps walk
    from node to node. Users who read on draw a length from the model's distribution, and view targets that begin within
    it.

    Args:
        assessments: as for `prum_eval.simulate`, like all arguments with a name of that call; `vary` and `copies`
            make more lists, which users take in turn.
        source: likewise.
        user_model: specification of the user model, as for -u.
        structure: likewise.
        navigation: navigation file of a user model that follows a graph.
        navigation_kind: ``reach`` or ``step``, the kind of its numbers.
        sessions: number of sessions, each of one user with one list.
        persistence: probability of going on to the next rank.
        leak: probability, per target, of viewing it against the model, or not viewing it although reached.
        changes: likewise.
        vary: likewise.
        copies: likewise.
        seed: likewise; a session depends only on it and its number.
        duplicates: likewise.
        targets: targets of the users, and of the ideal run.
        quantisation: likewise.
        run_id: likewise.
        jobs: number of processes that share the sessions; 0: one per processor. The log is the same.

    Raises:
        UsageError: an unknown name, or an illegal value.
        InputError, DataError: bad data, or inputs that do not tell what is needed.
    """
    users = Users(sessions, persistence, leak, seed)
    if navigation_kind not in {"reach", "step"}:
        raise UsageError(f"navigation_kind={navigation_kind}: navigation_kind is reach or step")
    choice = choose_model(*parse_model_spec(user_model))
    if joins_items(choice.values):
        raise UsageError("a log is of results, not of items: items has no effect")
    loaded = load_assessments(assessments, structured=structure is not None)
    named_source = SOURCES.get(source) if isinstance(source, str) else None
    listed_targets = (
        None if named_source is not None and named_source.targets is not None else targets
    )  # it has its own kind of targets
    simulation = simulate(
        loaded.assessments, source, structure=structure, changes=changes, vary=vary, copies=copies, seed=seed,
        duplicates=duplicates, targets=listed_targets, quantisation=quantisation, run_id=run_id,
    )  # fmt: skip
    inputs = read_inputs(loaded, simulation.structure, navigation, navigation_kind)
    check_buildable_model(choice, inputs)
    locator, behaviour = make_list_locator(inputs, targets, quantisation), make_behaviour(choice, inputs)
    lists = [user_list for run in simulation for user_list in user_lists(run.run, locator, behaviour)]
    lists = [user_list for user_list in lists if user_list.results]
    if not lists:
        raise DataError("no list of results for users")
    exits = (
        None if behaviour.steps is None else {topic: _exits_by_node(edges) for topic, edges in behaviour.steps.items()}
    )
    plan = LogPlan(users, lists, exits, behaviour.reading, behaviour.value)
    lines = [line for chunk in _session_lines(plan, jobs) for line in chunk]
    return UserLog("log", tuple(line._replace(line=number) for number, line in enumerate(lines, 1)))


def _exits_by_node(edges: Edges) -> Mapping[str, Exits]:
    """Steps out of each node, in the order of names."""
    steps_by_node: dict[str, list[tuple[str, float]]] = {}
    for (source, target), probability in sorted(edges.items()):
        steps_by_node.setdefault(source, []).append((target, probability))
    return {
        node: Exits(tuple(target for target, _ in steps), tuple(accumulate(probability for _, probability in steps)))
        for node, steps in steps_by_node.items()
    }


def _session_lines(plan: LogPlan, jobs: int) -> list[list[Consultation]]:
    """Lines of all sessions in order, in chunks."""
    starts = range(0, plan.users.sessions, _SESSIONS_TOGETHER)
    from prum_eval.evaluation.parallel import make_executor

    executor = make_executor(jobs, len(starts))
    if executor is None:
        return [_chunk_lines(plan, start) for start in starts]
    with executor.workers(_chunk_lines, plan) as workers:
        return list(workers.map_in_order(starts))


def _chunk_lines(plan: LogPlan, start: int) -> list[Consultation]:
    end = min(start + _SESSIONS_TOGETHER, plan.users.sessions)
    return [line for number in range(start, end) for line in plan.simulate_session(number)]
