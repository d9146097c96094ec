"""`prum_eval.simulate_log`: logs of users who follow a given model."""

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
from prum_eval.experiments.simulate import IDEAL, SOURCES, Duplicates, simulate
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

# Lists that users go down: of each result where it leads, as plain numbers that are quick to draw with.


class Lead(NamedTuple):
    """Where a result leads: to a target with probability `reach`, `gap` characters on where users read."""

    target: int
    reach: float
    gap: float


@dataclass(frozen=True)
class ListedPlace:
    """A result of a list.

    `identical_targets`: targets that it is. `leads`: to the others, by number. `readable_length`: characters from its beginning to the end of
    the document, None where users do not read on or nobody knows. `node`: where a walk begins, empty for none.
    """

    rank: int
    place: LoggedPlace
    identical_targets: tuple[int, ...]
    leads: tuple[Lead, ...]
    readable_length: int | None
    node: str


@dataclass(frozen=True)
class UserList:
    """A list of a topic. `targets`: their places. `target_numbers`: of targets, by node, where users walk."""

    topic: str
    results: tuple[ListedPlace, ...]
    targets: tuple[LoggedPlace, ...]
    target_numbers: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class Behaviour:
    """How users of a model get to targets.

    Along `steps` from node to node (by topic, None for all others); by reading on, as far as `reading` says, with
    `value` as its parameter; or else to each target by itself.
    """

    choice: ModelChoice
    steps: Mapping[str | None, Edges] | None
    reading: ReadingDistribution | None
    value: float


def make_behaviour(choice: ModelChoice, inputs: Inputs) -> Behaviour:
    """How users of that model behave; what is changed by parameters that every model has is drawn target by target."""
    model, values = choice.model, choice.values
    if choice.has_modifiers:
        return Behaviour(choice, None, None, 0.0)
    if ModelNeed.GRAPH in model.needs:
        single, edges = graph_edges(inputs.context, float(values.get("damping", 0.0)))
        return Behaviour(choice, edges if single else None, None, 0.0)
    law = model.estimable_parameter(values, inputs.context) if model.estimable_parameter is not None else None
    if law is None or law.reading is None:
        return Behaviour(choice, None, None, 0.0)
    return Behaviour(choice, None, law.reading, float(values[law.key]))


def user_lists(run: Run, placing: ListLocator, behaviour: Behaviour) -> Iterator[UserList]:
    """The lists of a run, for users of that model.

    Raises:
        DataError: a result is a range of elements, or the name of a document is one that logs cannot have.
    """
    choice, inputs = behaviour.choice, placing.inputs
    graph = choice.model.navigation_basis is NavigationBasis.GRAPH
    model = build_model(choice, inputs.context)
    law = (
        choice.model.estimable_parameter(choice.values, inputs.context)
        if behaviour.reading and choice.model.estimable_parameter
        else None
    )
    for placed in placing.lists(run, graph=graph):
        reach = model(placed.ranked_topic).dense()
        own = _columns_by_row_lists(
            *exact_entries(placed.ranked_topic.results, placed.ranked_topic.targets), len(reach)
        )
        leading, gaps = reach > 0, np.zeros_like(reach)
        if graph:
            leading = np.ones_like(leading)
        else:
            rows, columns = same_document_pairs(
                placed.ranked_topic.results.document, placed.ranked_topic.targets.document
            )
            leading[rows, columns] = True
            if law is not None:
                gaps[rows, columns] = law.features(placed.ranked_topic, rows, columns)
        nodes = placed.ranked_topic.result_nodes() if behaviour.steps is not None else [""] * len(reach)
        numbered = {node: number for number, node in enumerate(placed.targets.nodes)} if behaviour.steps else {}
        results = []
        for row in np.flatnonzero(placed.ranking.exists).tolist():
            others = [one for one in np.flatnonzero(leading[row]).tolist() if one not in own[row]]
            leads = tuple(Lead(one, float(reach[row, one]), float(gaps[row, one])) for one in others)
            room = _readable_length(placed, row, run, inputs) if behaviour.reading else None
            place = _result_place(run, placed.first_row + row)
            results.append(ListedPlace(row + 1, place, tuple(own[row]), leads, room, nodes[row]))
        yield UserList(placed.topic, tuple(results), tuple(_target_places(placed.targets)), numbered)


def _columns_by_row_lists(rows: IntArray, columns: IntArray, count: int) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in range(count)]
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        found[row].append(column)
    return found


def _readable_length(placed: LocatedList, row: int, run: Run, inputs: Inputs) -> int | None:
    places = placed.ranked_topic.results
    length = find_document(inputs.lengths, run.documents[int(run.document[placed.first_row + row])])
    if length is None or not places.located[row]:
        return None
    return max(0, length - int(places.start[row]))


def _result_place(run: Run, row: int) -> LoggedPlace:
    document, first, last = run.documents[run.document[row]], int(run.first_path[row]), int(run.last_path[row])
    if first != last:
        raise DataError(f"{run.path}: a range of elements has no name in a log; log lists of elements or passages")
    if first >= 0:
        return _check_nameable(LoggedPlace(document, run.paths[first]))
    return _check_nameable(LoggedPlace(document, "", int(run.start[row]), int(run.length[row])))


def _target_places(targets: TargetSet) -> Iterator[LoggedPlace]:
    """Where targets are, as logs name them."""
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
    found = parse_logged_place(node)
    if found is None:
        raise DataError(f"node {node} of the navigation graph has no name in a log")
    return found


# The users of a simulated log: how many, how patient, and how often a view is not what their model says.


MOST_SESSIONS = 10**7


@dataclass(frozen=True)
class Users:
    """So many `sessions`, one user and one list each.

    `persistence`: probability to go on to the next rank. `leak`: probability that a target is viewed which the model
    did not lead to, and that one is not which it did. `seed`: of all chance.
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


# What one user does: down a list, from each result to what the model leads to, until patience or the list ends.


_LONGEST_WALK = 1000


class Exits(NamedTuple):
    """The steps out of a node: where to, and the sums of their probabilities up to each."""

    nodes: tuple[str, ...]
    cumulative_probabilities: tuple[float, ...]


@dataclass(frozen=True)
class LogPlan:
    """Everything that users of a log share.

    `lists`: session n goes down list n modulo their number. `exits`: by topic and node, where users walk. `reading` and
    `value`: how far they read, where they do. `digits`: of the numbers in names of sessions.
    """

    users: Users
    lists: Sequence[UserList]
    exits: Mapping[str | None, Mapping[str, Exits]] | None = None
    reading: ReadingDistribution | None = None
    value: float = 0.0

    def simulate_session(self, number: int) -> Iterator[Consultation]:
        """The lines of a session, numbered from 0; they depend on the seed and this number alone."""
        users, draws = self.users, RandomStream(f"{self.users.seed} log {number}")
        one = self.lists[number % len(self.lists)]
        name = f"s{number + 1:0{len(str(users.sessions))}d}"
        seen: set[int] = set()
        for place, result in enumerate(one.results):
            seen.update(result.identical_targets)
            viewed, read = self._views(one, result, seen, draws)
            last = place == len(one.results) - 1  # nobody knows who would have gone on
            stop = not last and draws.uniform() >= users.persistence
            yield Consultation(name, one.topic, result.rank, result.place, tuple(viewed), read, stop, 0)
            if stop:
                return

    def _views(
        self, one: UserList, result: ListedPlace, seen: set[int], draws: RandomStream
    ) -> tuple[list[LoggedPlace], int | None]:
        """What the user views from a result, in order, and how far it is read; adds to what is `seen`."""
        waiting = [lead for lead in result.leads if lead.target not in seen]
        nodes: list[str] = []
        way: list[LoggedPlace] = []
        read = None
        if self.exits is not None and result.node:
            nodes = self._walk(one.topic, result.node, draws)
            way = [node_place(node) for node in nodes]
            there = {one.target_numbers[node] for node in nodes if node in one.target_numbers}
            reached = [lead.target in there for lead in waiting]
        elif self.reading is not None and result.readable_length is not None:
            far = int(min(self.reading.inverse_survival(1.0 - draws.uniform(), self.value), result.readable_length))
            reached, read = [lead.gap <= far for lead in waiting], far
        else:
            there = set()
            reached = [draws.uniform() < lead.reach for lead in waiting]
        leaks = [self.users.leak > 0 and draws.uniform() < self.users.leak for _ in waiting]
        drawn = list(zip(waiting, reached, leaks, strict=True))
        found = [lead.target for lead, led, leak in drawn if led != leak]
        seen.update(found)
        if not way:
            return [one.targets[target] for target in found], read
        hidden = {lead.target for lead, led, leak in drawn if led and leak}
        shown = [place for place, node in zip(way, nodes, strict=True) if one.target_numbers.get(node) not in hidden]
        return shown + [one.targets[lead.target] for lead, led, leak in drawn if leak and not led], read

    def _walk(self, topic: str, node: str, draws: RandomStream) -> list[str]:
        """The nodes that a walk visits, without the one where it begins."""
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


_SESSIONS_TOGETHER = 256
"""So many are one task of a process."""


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
    choice = choose_model(*parse_model_spec(user_model))
    if joins_items(choice.values):
        raise UsageError("a log is of results, not of items: items has no meaning")
    judged = load_assessments(assessments)
    word = SOURCES.get(source) if isinstance(source, str) else None
    listed = None if word is not None and word.targets is not None else targets  # such a word lists its own
    made = simulate(
        judged.assessments, source, structure=structure, changes=changes, vary=vary, copies=copies, seed=seed,
        duplicates=duplicates, targets=listed, quantisation=quantisation, run_id=run_id,
    )  # fmt: skip
    inputs = read_inputs(judged, made.structure, navigation, navigation_kind)
    check_buildable_model(choice, inputs)
    placing, behaviour = make_list_locator(inputs, targets, quantisation), make_behaviour(choice, inputs)
    lists = [one for run in made for one in user_lists(run.run, placing, behaviour)]
    lists = [one for one in lists if one.results]
    if not lists:
        raise DataError("there is no list that users could go down")
    exits = None if behaviour.steps is None else {topic: _exits_by_node(own) for topic, own in behaviour.steps.items()}
    plan = LogPlan(users, lists, exits, behaviour.reading, behaviour.value)
    lines = [one for part in _session_lines(plan, jobs) for one in part]
    return UserLog("log", tuple(one._replace(line=number) for number, one in enumerate(lines, 1)))


def _exits_by_node(edges: Edges) -> Mapping[str, Exits]:
    """The steps out of each node, in the order of names."""
    out: dict[str, list[tuple[str, float]]] = {}
    for (source, target), probability in sorted(edges.items()):
        out.setdefault(source, []).append((target, probability))
    return {
        node: Exits(tuple(target for target, _ in steps), tuple(accumulate(probability for _, probability in steps)))
        for node, steps in out.items()
    }


def _session_lines(plan: LogPlan, jobs: int) -> list[list[Consultation]]:
    """The lines of all sessions, in their order."""
    starts = range(0, plan.users.sessions, _SESSIONS_TOGETHER)
    from prum_eval.evaluation.parallel import make_executor

    place = make_executor(jobs, len(starts))
    if place is None:
        return [_chunk_lines(plan, start) for start in starts]
    with place.workers(_chunk_lines, plan) as workers:
        return list(workers.map_in_order(starts))


def _chunk_lines(plan: LogPlan, start: int) -> list[Consultation]:
    end = min(start + _SESSIONS_TOGETHER, plan.users.sessions)
    return [one for number in range(start, end) for one in plan.simulate_session(number)]
