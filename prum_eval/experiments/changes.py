"""Changes of lists of results: what one is, and the list of them that --change gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import Enum, auto
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from prum_eval.errors import UsageError
from prum_eval.parameters import Parameter, ParameterValues, did_you_mean, format_parameter, split_settings
from prum_eval.records import RunKind

if TYPE_CHECKING:
    from prum_eval.experiments.simulated_topics import Elements, RandomStream


# Simulated results: what stands in the lists that changes work on.
#
# A list is a sequence of ranks, best first; a rank holds one result, or several that share it (they get one score). Of
# results that are elements of a known structure only the row of the forest is kept, so that lists are short and steps in
# the tree are look-ups.


class NamedResult(NamedTuple):
    """A result that is no row of a forest: a document, an element or range by its paths, or an extent."""

    document: str
    first_path: str = ""
    last_path: str = ""
    start: int = -1
    length: int = -1
    tokens: int = 0


class MissingResult(NamedTuple):
    """A result that does not exist (X), in a document."""

    document: str


ListedResult = int | NamedResult | MissingResult
"""A result: row of an element in the forest of the structure, or named, or none."""
SharedRank = list[ListedResult]
Ranks = list[SharedRank]


def iterate_results(ranks: Ranks) -> Iterator[ListedResult]:
    """The results one after the other."""
    return (item for rank in ranks for item in rank)


def one_per_rank(listed: Iterable[ListedResult]) -> Ranks:
    """A list in which no rank is shared."""
    return [[item] for item in listed]


def replace_rank(rank: SharedRank, others: list[ListedResult]) -> Ranks:
    """What stands where one rank stood: shared by all if it was shared, else a rank each."""
    return [others] if len(rank) > 1 else one_per_rank(others)


def remove_repeated_results(ranks: Ranks, held: Callable[[ListedResult], MissingResult] | None) -> Ranks:
    """Every result once, at its first rank; with `held` what that makes of it stands where it came again."""
    seen: set[ListedResult] = set()
    left: Ranks = []
    for rank in ranks:
        kept: SharedRank = []
        for item in rank:
            if isinstance(item, MissingResult) or item not in seen:
                kept.append(item)
                seen.add(item)
            elif held is not None:
                kept.append(held(item))
        if kept:
            left.append(kept)
    return left


@dataclass(frozen=True)
class ListedTopic:
    """A topic with the list that all of its runs begin with, and what changes may look at.

    `target_documents`: the documents that hold a target. `lengths`: of documents in characters, as far as they are known.
    `elements`: those of the structure, None where there is none.
    """

    name: str
    kind: RunKind
    ranks: Ranks
    target_documents: AbstractSet[str]
    lengths: Mapping[str, int]
    elements: Elements | None

    def missing_result(self, item: ListedResult) -> MissingResult:
        """What marks the rank of a result without the result."""
        if isinstance(item, int):
            assert self.elements is not None  # noqa: S101 -- it is a row of its forest
            return MissingResult(self.elements.document(item))
        return MissingResult(item.document)


class ChangeNeed(Enum):
    """What a change asks for beyond a list."""

    TREES = auto()  # results that are elements, and a structure
    STRUCTURE = auto()
    ALL_DOCUMENTS = auto()  # of the structure, not just those with targets or results
    EXTENTS = auto()  # results that are passages or entry points


ApplyChange = Callable[[Ranks, ParameterValues, ListedTopic, "RandomStream"], Ranks]
"""(list, parameters, topic, random numbers) -> the changed list; what is given stays as it is."""


@dataclass(frozen=True)
class Change:
    """A change that --change can name.

    `one_of`: groups of parameters of which exactly one has to be set. `repeats`: a result may come of it twice.
    """

    name: str
    summary: str
    apply: ApplyChange
    parameters: tuple[Parameter, ...] = ()
    one_of: tuple[tuple[str, ...], ...] = ()
    needs: frozenset[ChangeNeed] = frozenset()
    repeats: bool = False

    @property
    def usage(self) -> str:
        """The change with its parameters, as --change takes it."""
        said = {one.name: f"{one.name}={'|'.join(one.choices) or one.name[0].upper()}" for one in self.parameters}
        for first, *others in self.one_of:
            said[first] = "|".join([said[first], *map(said.pop, others)])
        return f"{self.name}:{','.join(said.values())}" if said else self.name

    def legal(self, key: str) -> str:
        """The legal values of a parameter, in words."""
        return next(parameter.legal_values for parameter in self.parameters if parameter.name == key)


@dataclass(frozen=True)
class ChosenChange:
    """A change with what was set of its parameters, in the words that --change takes."""

    change: Change
    settings: Mapping[str, str]

    @property
    def spec(self) -> str:
        """As --change takes it."""
        said = ",".join(f"{key}={text}" for key, text in self.settings.items())
        return f"{self.change.name}:{said}" if said else self.change.name

    def values(self) -> ParameterValues:
        """All its parameters.

        Raises:
            UsageError: one is missing that has no default, or two are set that exclude each other.
        """
        for keys in self.change.one_of:
            said = [key for key in keys if key in self.settings]
            if not said:
                wanted = " or ".join(f"{key} ({self.change.legal(key)})" for key in keys)
                raise UsageError(f"{self.change.name} needs {wanted}: {self.change.name}:{keys[0]}=...")
            if len(said) > 1:
                raise UsageError(f"{self.change.name} takes {' or '.join(keys)}, not both")
        defaults = {one.name: one.default for one in self.change.parameters if one.default is not None}
        known = {one.name: one for one in self.change.parameters}
        return defaults | {key: known[key].parse(text) for key, text in self.settings.items()}


def parse_change(spec: str, known: Mapping[str, Change]) -> ChosenChange:
    """``NAME:key=value,...`` as a change with its settings, of which each is legal by itself.

    Raises:
        UsageError: an unknown change or key, or a value that is not legal; what there is, is named.
    """
    name, colon, tail = spec.partition(":")
    if name not in known:
        raise UsageError(f"no change {name} (there are: {', '.join(known)}){did_you_mean(name, known)}")
    settings = split_settings(tail) if colon else {}
    return ChosenChange(known[name], {key: normalise_setting(known[name], key, settings[key]) for key in settings})


def normalise_setting(change: Change, key: str, text: str) -> str:
    """A value of a parameter as it is written in names: `.30` as `0.3`.

    Raises:
        UsageError: the change has no such parameter, or the value is not legal.
    """
    known = {one.name: one for one in change.parameters}
    if key not in known:
        has = f"it has: {', '.join(known)}" if known else "it has none"
        raise UsageError(f"{change.name} has no parameter {key} ({has}){did_you_mean(key, known)}")
    try:
        return format_parameter(known[key].parse(text))
    except UsageError as error:
        raise UsageError(f"{change.name}: {error}") from error


def check_kind(changes: Sequence[ChosenChange], kind: RunKind, *, structure: bool) -> None:
    """Refuse changes that cannot be applied to such results.

    Raises:
        UsageError: the results are of another kind, or a structure is needed.
    """
    for one in changes:
        name, needs = one.change.name, one.change.needs
        if ChangeNeed.TREES in needs and kind is not RunKind.ELEMENTS:
            raise UsageError(f"{name} changes elements; these results are {KIND_WORDS[kind]}")
        if ChangeNeed.EXTENTS in needs and kind is not RunKind.EXTENTS:
            raise UsageError(f"{name} changes passages and best entry points; these results are {KIND_WORDS[kind]}")
        if ChangeNeed.STRUCTURE in needs and not structure:
            raise UsageError(f"{name} needs the trees of the documents: give --structure")


KIND_WORDS = {RunKind.FLAT: "documents", RunKind.ELEMENTS: "elements", RunKind.EXTENTS: "passages or entry points"}
"""Kinds of results, in words."""


# All changes by name, in the order of the documentation; what each does is imported when it is done.
#
# So that help can list them at once, nothing here imports numpy.


def _import_when_called(function: str) -> ApplyChange:
    """A function of `apply_changes`, imported when it is called."""

    def apply(ranks: Ranks, values: ParameterValues, topic: ListedTopic, draws: RandomStream) -> Ranks:
        done: ApplyChange = getattr(import_module("prum_eval.experiments.apply_changes"), function)
        return done(ranks, values, topic, draws)

    return apply


_TREES = frozenset({ChangeNeed.TREES, ChangeNeed.STRUCTURE})

# fmt: off
_CHANGES = (
    Change("move", "each result a random number of steps up or down, or aside", _import_when_called("move"),
           (Parameter("m", None, "probability of each further step", low=0.0, high=1.0),
            Parameter("axis", "updown", "up or down by a fair coin, or to siblings", choices=("updown", "siblings"))),
           one_of=(("m",),), needs=_TREES, repeats=True),
    Change("parents", "each result replaced by its parent", _import_when_called("parents"),
           needs=_TREES, repeats=True),
    Change("children", "each result replaced by its children", _import_when_called("children"),
           needs=_TREES, repeats=True),
    Change("siblings", "each result replaced by its siblings", _import_when_called("siblings"),
           needs=_TREES, repeats=True),
    Change("articles", "each result replaced by its article", _import_when_called("articles"),
           needs=_TREES, repeats=True),
    Change("ancestors", "all ancestors of the results too", _import_when_called("ancestors"),
           (Parameter("place", "after", "in one single rank behind or before the list, or behind each result",
                      choices=("after", "before", "around")),), needs=_TREES),
    Change("drop", "each result dropped with probability p", _import_when_called("drop"),
           (Parameter("p", None, "probability of each result to be dropped", low=0.0, high=1.0),), one_of=(("p",),)),
    Change("keep", "the first results only", _import_when_called("keep_first"),
           (Parameter("share", None, "share of the list that is kept, rounded up", low=0.0, high=1.0),
            Parameter("n", None, "results that are kept", low=0.0, whole=True)), one_of=(("share", "n"),)),
    Change("noise", "elements of documents without a target too", _import_when_called("noise"),
           (Parameter("n", None, "how many, or how many between each two ranks", low=0.0, whole=True),
            Parameter("place", "front", "before, between or behind the ranks", choices=("front", "between", "end"))),
           one_of=(("n",),), needs=frozenset({ChangeNeed.STRUCTURE, ChangeNeed.ALL_DOCUMENTS})),
    Change("reverse", "the ranks in reverse order", _import_when_called("reverse")),
    Change("shuffle", "the results in random order, none sharing a rank", _import_when_called("shuffle")),
    Change("jitter", "each passage or entry point moved by up to C characters",
           _import_when_called("jitter"),
           (Parameter("characters", None, "how far at most, forward or back", low=0.0, high=1e9, whole=True),),
           one_of=(("characters",),), needs=frozenset({ChangeNeed.EXTENTS}), repeats=True),
)
# fmt: on
CHANGE_BY_NAME: Mapping[str, Change] = {change.name: change for change in _CHANGES}
