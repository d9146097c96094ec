"""Changes of lists of results: results, ranks, the registry of changes and their specifications.

Conventions. A list is a sequence of ranks, best first; a rank has one result, or several with one score. Results that
are elements of the structure are rows of its forest, so that lists are short and steps in the tree are look-ups.

The functions of the changes are in `apply_changes`, imported on call: this module imports no numpy, as help lists all
changes and the sources of initial lists, in `SOURCES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import Enum, auto
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from prum_eval.errors import UsageError
from prum_eval.parameters import Parameter, ParameterValues, did_you_mean, format_parameter, split_settings

if TYPE_CHECKING:
    from prum_eval.experiments.simulated_topics import Elements, RandomStream
    from prum_eval.records import RunKind


class NamedResult(NamedTuple):
    """A result that is no row of a forest: a document, an element or range by paths, or an extent."""

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
"""A row of the forest of the structure, a named or a missing result."""
SharedRank = list[ListedResult]
Ranks = list[SharedRank]


def iterate_results(ranks: Ranks) -> Iterator[ListedResult]:
    """The results of all ranks."""
    return (item for rank in ranks for item in rank)


def one_per_rank(results: Iterable[ListedResult]) -> Ranks:
    """A list without shared ranks."""
    return [[item] for item in results]


def replace_rank(rank: SharedRank, results: list[ListedResult]) -> Ranks:
    """Ranks that replace a rank: one shared rank if it was shared, else one rank per result."""
    return [results] if len(rank) > 1 else one_per_rank(results)


def remove_repeated_results(ranks: Ranks, placeholder: Callable[[ListedResult], MissingResult] | None) -> Ranks:
    """The list with every result at its first rank; `placeholder` replaces repetitions."""
    seen: set[ListedResult] = set()
    unique: Ranks = []
    for rank in ranks:
        results: SharedRank = []
        for item in rank:
            if isinstance(item, MissingResult) or item not in seen:
                results.append(item)
                seen.add(item)
            elif placeholder is not None:
                results.append(placeholder(item))
        if results:
            unique.append(results)
    return unique


@dataclass(frozen=True)
class ListedTopic:
    """A topic with the initial list of all of its runs, and data for changes.

    `target_documents`: documents with a target. `lengths`: known lengths of documents in characters. `elements`:
    elements of the structure, None without one.
    """

    name: str
    kind: RunKind
    ranks: Ranks
    target_documents: AbstractSet[str]
    lengths: Mapping[str, int]
    elements: Elements | None

    def missing_result(self, item: ListedResult) -> MissingResult:
        """The placeholder for a result."""
        if isinstance(item, int):
            assert self.elements is not None  # noqa: S101 -- it is a row of its forest
            return MissingResult(self.elements.document(item))
        return MissingResult(item.document)


class ChangeNeed(Enum):
    """Requirements of a change besides a list."""

    TREES = auto()  # results that are elements, and a structure
    STRUCTURE = auto()
    ALL_DOCUMENTS = auto()  # of the structure, not just those with targets or results
    EXTENTS = auto()  # results that are passages or entry points


ApplyChange = Callable[[Ranks, ParameterValues, ListedTopic, "RandomStream"], Ranks]
"""(list, parameters, topic, random numbers) -> the changed list, a new object."""


@dataclass(frozen=True)
class Change:
    """A change that --change can name.

    `one_of`: groups of parameters of which exactly one has to be set. `repeats`: results may be repeated.
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
        """The form of its specification."""
        forms = {
            parameter.name: f"{parameter.name}={'|'.join(parameter.choices) or parameter.name[0].upper()}"
            for parameter in self.parameters
        }
        for first, *others in self.one_of:
            forms[first] = "|".join([forms[first], *map(forms.pop, others)])
        return f"{self.name}:{','.join(forms.values())}" if forms else self.name

    def legal(self, key: str) -> str:
        """The legal values of a parameter, in words."""
        return next(parameter.legal_values for parameter in self.parameters if parameter.name == key)


@dataclass(frozen=True)
class ChosenChange:
    """A change with explicit settings, as in the specification."""

    change: Change
    settings: Mapping[str, str]

    @property
    def spec(self) -> str:
        """The specification of the change."""
        settings = ",".join(f"{key}={text}" for key, text in self.settings.items())
        return f"{self.change.name}:{settings}" if settings else self.change.name

    def values(self) -> ParameterValues:
        """Values of all parameters.

        Raises:
            UsageError: a parameter without default is missing, or exclusive ones are set.
        """
        for keys in self.change.one_of:
            explicit = [key for key in keys if key in self.settings]
            if not explicit:
                choices = " or ".join(f"{key} ({self.change.legal(key)})" for key in keys)
                raise UsageError(f"{self.change.name} needs {choices}: {self.change.name}:{keys[0]}=...")
            if len(explicit) > 1:
                raise UsageError(f"{self.change.name} takes {' or '.join(keys)}, not both")
        defaults = {
            parameter.name: parameter.default for parameter in self.change.parameters if parameter.default is not None
        }
        parameters = {parameter.name: parameter for parameter in self.change.parameters}
        return defaults | {key: parameters[key].parse(text) for key, text in self.settings.items()}


def parse_change(spec: str, changes: Mapping[str, Change]) -> ChosenChange:
    """Parse ``NAME:key=value,...``; every value is legal by itself.

    Raises:
        UsageError: an unknown change or key, or an illegal value.
    """
    name, colon, tail = spec.partition(":")
    if name not in changes:
        raise UsageError(f"no change {name} (there are: {', '.join(changes)}){did_you_mean(name, changes)}")
    settings = split_settings(tail) if colon else {}
    return ChosenChange(changes[name], {key: normalise_setting(changes[name], key, settings[key]) for key in settings})


def normalise_setting(change: Change, key: str, text: str) -> str:
    """The canonical text of a value of a parameter: `.30` as `0.3`.

    Raises:
        UsageError: the change has no such parameter, or the value is not legal.
    """
    parameters = {parameter.name: parameter for parameter in change.parameters}
    if key not in parameters:
        listing = f"it has: {', '.join(parameters)}" if parameters else "it has none"
        raise UsageError(f"{change.name} has no parameter {key} ({listing}){did_you_mean(key, parameters)}")
    try:
        return format_parameter(parameters[key].parse(text))
    except UsageError as error:
        raise UsageError(f"{change.name}: {error}") from error


# All changes by name, in the order of the documentation


def _import_when_called(function: str) -> ApplyChange:
    """A function of `apply_changes`, imported when it is called."""

    def apply(ranks: Ranks, values: ParameterValues, topic: ListedTopic, draws: RandomStream) -> Ranks:
        imported: ApplyChange = getattr(import_module("prum_eval.experiments.apply_changes"), function)
        return imported(ranks, values, topic, draws)

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

# Sources of the initial lists


@dataclass(frozen=True)
class NamedSource:
    """A name for --from.

    `targets`: kind of the listed targets; None for that of --targets. `perfect`: list the most specific elements
    instead.
    """

    name: str
    summary: str
    targets: str | None = None
    perfect: bool = False


IDEAL = "ideal"
SOURCES: Mapping[str, NamedSource] = {
    source.name: source
    for source in (
        NamedSource(IDEAL, "targets by decreasing P(x in I), equal ones as they are assessed"),
        NamedSource("relevant", "all that is relevant, in the same order", "relevant"),
        NamedSource("perfect", "the most specific elements by exhaustivity; equal ones share a rank", perfect=True),
        NamedSource("bep", "best entry points", "bep"),
        NamedSource("passages", "highlighted passages", "passages"),
    )
}
