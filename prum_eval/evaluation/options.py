"""The options of an evaluation: the one place that declares each.

A field of `EvaluationOptions` has the keyword, type and default that `prum_eval.evaluate` has in its signature, and an
`Option`: the keyword's documentation, its flags and help on the command line, and which values are legal. From these
are made the Args of `prum_eval.evaluate`, click's options, the pages with their help, and the check of legal values. A
subclass with one more field has one more option in all of these. ``--help`` needs this module, so it imports no numpy.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from prum_eval.errors import UsageError
from prum_eval.parameters import text_counter

if TYPE_CHECKING:  # for annotations only
    from collections.abc import Collection

    from prum_eval.formats.reading import AssessmentsInput, RunInputs
    from prum_eval.formats.topic_files import ExclusionsInput, GroupsInput
    from prum_eval.measures.specs import MeasuresInput
    from prum_eval.records import NavigationFile, Structure
    from prum_eval.user_models.registry import UserModelInput

FilePath = str | PathLike[str]
TokenCount: TypeAlias = float | Callable[[str], int] | Callable[[str, int, int], int]
"""Tokens per character, or a function of a document's name and where a result starts and ends in it, in characters."""
TopicsInput: TypeAlias = "str | PathLike[str] | Collection[str]"
"""The path of a file with a topic per line, a list ``1,2,7-9`` as text, or names of topics."""
CANONICAL_NAMES, TYPED_NAMES = ("ours", "as-given")
"""Under which names values print."""

PATH, TEXT, NAMES, FLAG, SETTINGS, JOBS, TOKENS = "path", "text", "names", "flag", "settings", "jobs", "tokens"
"""Kinds of values that are neither one of a few names nor whole numbers of a range."""
LARGEST_COUNT = 2**31 - 1
_LARGEST_COLLECTION = 2**53
_ARGUMENTS = ("assessments", "runs", "variants")
"""Fields of `EvaluationOptions` that are no options."""
ONE_TOPIC_EXCLUDES = frozenset({"complete", "jobs", "cluster"})
"""Options without a meaning for one topic of one run."""


@dataclass(slots=True, eq=False, repr=False)
class Option:
    """What is declared of an option beside its keyword, type and default.

    `meaning`: the documentation of the keyword. `flags`: on the command line; without any, it is a keyword only.
    `help`, `metavar`: there. `values`: a kind, or the legal names, or the range of legal numbers. `checked_elsewhere`:
    by the parameters of measures that the option sets. `registry`: whose names a shell completes. `repeatable`: may be
    given several times. `added_singly`: commands that have it add it themselves.
    """

    meaning: str
    flags: tuple[str, ...] = ()
    help: str = ""
    metavar: str | None = None
    values: str | tuple[str, ...] | range = TEXT
    checked_elsewhere: bool = False
    registry: str | None = None
    repeatable: bool = False
    added_singly: bool = False


def option(meaning: str, *flags: str, default: object = None, **declaration: Any) -> Any:  # noqa: ANN401 - any field
    """Declare an option as a field of `EvaluationOptions`."""
    return field(default=default, metadata={"option": Option(meaning, flags, **declaration)})


@dataclass(eq=False, repr=False)
class OptionVariant:
    """Options in place of those of the call. `label`: what the names of measures end with that are computed so."""

    label: str
    options: Mapping[str, Any]


@dataclass(kw_only=True, slots=True, eq=False, repr=False)
class EvaluationOptions:
    """The values of all options of a call.

    `variants`: measures are computed with each of these in place of the call's own options, side by side.
    """

    assessments: AssessmentsInput | None = None
    runs: RunInputs | None = None
    config: FilePath | None = option(
        "configuration file: measures with labels and parameters, inputs; whatever else is given comes first.",
        "--config",
        help="Read measures, parameters and inputs from a configuration: TOML, or a file of EvalJ.",
        metavar="FILE",
        values=PATH,
    )
    structure: FilePath | Structure | None = option(
        "the collection structure; without it, trees are taken from the assessments as far as they tell.",
        "-s",
        "--structure",
        help="Collection structure: text, XML or an index.",
        metavar="PATH",
        values=PATH,
    )
    measures: MeasuresInput | None = option(
        "specifications as ``-m`` takes them: names, families, sets, cut-offs, parameters, in the notations of other "
        "tools too; measures of ir_measures, `Measure` records, or functions of one topic. If neither these nor a task "
        "are given: the set ``official``; of TREC qrels without structure and user model the task ``trec``; of JSON "
        "Lines the task ``chunks``.",
        "-m",
        "--measure",
        help="Measures, families or sets, as map, P.5,10, nDCG@10 or eprum_map:targets=bep; names of other tools too. "
        "Repeatable, or a list with commas.  [default: for TREC qrels without -s and -u those of -t trec; for JSON "
        "Lines those of -t chunks; else official]",
        metavar="SPEC",
        registry="measures",
        repeatable=True,
    )
    task: str | Sequence[str] | None = option(
        "a campaign's official measures and settings, or those of several; whatever else is given comes before them.",
        "-t",
        "--task",
        help="Official measures and settings of a campaign; measures --tasks lists them. Repeatable.",
        metavar="NAME",
        values=NAMES,
        registry="tasks",
        repeatable=True,
    )
    settings: Mapping[str, str | float] | None = option(
        "parameters for every selected measure that has them, as ``--set``.",
        "--set",
        help="Set a parameter of all selected measures that have it. Repeatable.",
        metavar="KEY=VALUE",
        values=SETTINGS,
        repeatable=True,
    )
    user_model: UserModelInput | None = option(
        "specification as ``-u`` takes it, a function ``(results, targets) -> R`` or a `UserModel`, or several: then "
        "names of measures end with the model; chosen from the inputs if not given.",
        "-u",
        "--user-model",
        help="User model: none, hierarchical, coverage, t2i:tolerance=300, bep-distance:A=1, logistic, siblings, "
        "graph, or the name of a plug-in. Repeatable; names of measures then end with the model.  [default: from the "
        "inputs]",
        metavar="SPEC",
        values=NAMES,
        registry="user models",
        repeatable=True,
    )
    navigation: FilePath | NavigationFile | None = option(
        "navigation file of the ``graph`` user model, which it stands for.",
        "--navigation",
        help="Link probabilities; implies -u graph.",
        metavar="FILE",
        values=PATH,
    )
    navigation_kind: str = option(
        "``reach`` or ``step``, what the numbers of that file are.",
        "--navigation-kind",
        default="reach",
        help="Meaning of the numbers in the navigation file.",
        values=("reach", "step"),
    )
    targets: str | None = option(
        "ideal, relevant, bep or passages; chosen from the kind of assessments if not given.",
        "--targets",
        help="Targets of navigation: ideal, relevant, bep or passages.  [default: from the assessments]",
        metavar="NAME",
        registry="targets",
    )
    quantisation: str | None = option(
        "how assessments become values in [0, 1]; ``gen`` if not given.",
        "--quantisation",
        help="Quantisation: how assessments become values in 0..1.  [default: gen]",
        metavar="NAME",
        registry="quantisations",
    )
    prum_mode: str | None = option(
        "paper, exact or normal.",
        "--prum-mode",
        help="Computation of PRUM.",
        values=("paper", "exact", "normal"),
        checked_elsewhere=True,
    )
    ideal_list: str | None = option(
        "targets or greedy.",
        "--ideal-list",
        help="Ideal list of EPRUM.",
        values=("targets", "greedy"),
        checked_elsewhere=True,
    )
    items: str | None = option(
        "``article`` for fetch and browse.",
        "--items",
        help="Count successive results of one article as one item.",
        values=("article",),
    )
    collection_size: int | None = option(
        "N, where no structure tells it.",
        "-N",
        "--collection-size",
        help="Number of retrievable elements in the collection.",
        metavar="N",
        values=range(1, _LARGEST_COLLECTION + 1),
    )
    complete: bool | None = option(
        "average over all judged topics; those that a run lacks count as empty lists. By default so for assessments in "
        "JSON Lines.",
        "-c",
        help="Average over all judged topics; count missing ones as empty lists.  [default: for JSON Lines]",
        values=FLAG,
    )
    limit: int | None = option(
        "use at most that many results per topic.",
        "-M",
        help="Use at most N results per topic.",
        metavar="N",
        values=range(1, LARGEST_COUNT + 1),
    )
    relevance_level: int | None = option(
        "of graded documents, the smallest grade that is relevant, 1 if not given; the gains of ndcg are grades "
        "whatever it is, as those of trec_eval.",
        "-l",
        "--relevance-level",
        help="Smallest relevant grade of graded documents.  [default: 1]",
        metavar="N",
        values=range(1, LARGEST_COUNT + 1),
        checked_elsewhere=True,
    )
    judged_only: bool = option(
        "use only results in documents that are judged for their topic, as the switch ``-J`` of trec_eval; `limit` "
        "counts before.",
        "-J",
        "--judged-only",
        default=False,
        help="Use only results in judged documents.",
        values=FLAG,
    )
    topics: TopicsInput | None = option(
        "only these count: names, or in a text a file with a topic per line, or a list ``301,307,310-320``.",
        "--topics",
        help="Evaluate these topics only: a list as 301,307,310-320, or a file with one topic per line.",
        metavar="TOPICS",
    )
    names: str = option(
        "``ours``, or ``as-given``: a measure prints under the name that asks for it.",
        "--names",
        default=CANONICAL_NAMES,
        help="Print canonical names, or names as typed.",
        values=(CANONICAL_NAMES, TYPED_NAMES),
    )
    merge: str | None = option(
        "``document``: a document's results are brought together at the rank of its first, and those that overlap or "
        "touch are one passage; what tasks in context ask for. Against qrels of documents, each document counts once, "
        "at its first result.",
        "--merge",
        help="Merge the results of each document; against qrels of documents, count it at its first result.",
        values=("document",),
    )
    exclude: ExclusionsInput | None = option(
        "results that are dropped before all else, such as a query's own document: a file of lines ``topic document``, "
        "or ``{topic: [document, ...]}``.",
        "--exclude",
        help="Drop the results in FILE, which has topic and document in each line.",
        metavar="FILE",
        values=PATH,
    )
    tokens: TokenCount | None = option(
        "of results whose run does not count them: tokens per character, rounded up, at least 1; or a function of the "
        "text of a result, which it needs then, or of (document, start, end), the offsets in characters.",
        "--tokens-per-char",
        help="Count X tokens per character where a run has no token counts.",
        metavar="X",
        values=TOKENS,
    )
    facets: str | None = option(
        "``column``: the second column of TREC qrels names facets of topics, such as the subtopics of diversity tasks; "
        "``ignore``: facets that judgements declare are ignored.",
        "--facets",
        help="column: the second column of TREC qrels names facets (subtopics); ignore: evaluate without facets.  "
        "[default: facets that the assessments declare]",
        values=("column", "ignore"),
    )
    rank_by: str | None = option(
        "file, rank or score; each format's own rule if not given.",
        "--rank-by",
        help="Order results by their place in the file, their rank or their score.",
        values=("file", "rank", "score"),
    )
    groups: GroupsInput | None = option(
        "averages by group of topics too: a file of ``topic<TAB>group``, or ``{topic: group}``; the assessments' own "
        "if not given.",
        "--groups",
        help="Print averages per group of topics too. FILE has lines topic TAB group.  "
        "[default: groups in the assessments]",
        metavar="FILE",
        values=PATH,
        added_singly=True,
    )
    curves: bool = option(
        "also compute the curve of every measure with levels or cut-offs, at all levels of its curve.",
        default=False,
        values=FLAG,
    )
    jobs: int = option(
        "number of processes that share the runs; 0: one per processor. The values are the same.",
        "-j",
        "--jobs",
        default=1,
        help="Number of worker processes; 0 or auto: one per CPU.",
        metavar="N",
        values=JOBS,
    )
    cluster: str | None = option(
        "address of a Dask scheduler whose workers evaluate the runs, or ``local``; the values are the same.",
        "--cluster",
        help="Address of a Dask scheduler whose workers evaluate the runs; local: start one with -j workers.",
        metavar="ADDRESS",
    )
    cache: bool = option(
        "look for parsed assessments in the user's cache folder, and keep them there.",
        "--no-cache",
        default=True,
        help="Bypass the cache of parsed assessments.",
        values=FLAG,
    )
    variants: Sequence[OptionVariant] = ()


def declared_options(table: type[EvaluationOptions] = EvaluationOptions) -> dict[str, tuple[Option, Any]]:
    """The declaration and default of each option, by keyword."""
    return {one.name: (one.metadata["option"], one.default) for one in fields(table) if one.name not in _ARGUMENTS}


def file_options(table: type[EvaluationOptions] = EvaluationOptions) -> tuple[str, ...]:
    """Keywords of the options of every evaluating command that name a file, which may be standard input."""
    declared = declared_options(table).items()
    return tuple(name for name, (one, _) in declared if one.values == PATH and not one.added_singly)


def check_options(options: EvaluationOptions) -> None:
    """Check the values of options that take one of a few names, a whole number of a range, or tokens.

    Raises:
        UsageError: a value is not legal.
    """
    for name, (declared, _) in declared_options(type(options)).items():
        value, legal = getattr(options, name), declared.values
        if value is None or declared.checked_elsewhere:
            continue
        if isinstance(legal, tuple) and value not in legal:
            raise UsageError(f"{name}={value}: {name} is {' or '.join(legal)}")
        if isinstance(legal, range) and not (isinstance(value, Integral) and legal.start <= int(value) < legal.stop):
            raise UsageError(f"{name}={value}: {name} is a whole number from {legal.start} to {legal.stop - 1}")
        if legal == TOKENS and not callable(value):
            number = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf
            if not number:
                raise UsageError(f"tokens={value}: tokens is a number of tokens per character above 0, or a function")
        if legal == TOKENS:
            text_counter(value)


def name_list(names: Any) -> tuple[str, ...]:  # noqa: ANN401 - of the types of several options
    """The names of an option that takes one or several, each once.

    >>> name_list("none"), name_list(["none", "t2i", "none"]), name_list(None)
    (('none',), ('none', 't2i'), ())
    """
    return () if names is None else (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))


def keyword_documentation(table: type[EvaluationOptions] = EvaluationOptions) -> str:
    """The lines of a docstring's Args that document the options."""
    return "\n".join(
        textwrap.fill(f"{name}: {declared.meaning}", 120, initial_indent=" " * 8, subsequent_indent=" " * 12)
        for name, (declared, _) in declared_options(table).items()
    )


Function = TypeVar("Function", bound=Callable[..., object])


def document_options(function: Function) -> Function:
    """Put the documentation of the options into a docstring, in place of ``{options}``."""
    if function.__doc__ is not None:  # python -OO drops docstrings
        function.__doc__ = function.__doc__.replace("{options}", keyword_documentation().lstrip())
    return function
