"""`prum_eval.simulate`: runs made of assessments or of a run, with changes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from os import PathLike
from pathlib import Path

from prum_eval.conversion.convert import Conversion, convert
from prum_eval.errors import DataError, InputError, UsageError, escape_unprintable
from prum_eval.evaluation.inputs import Inputs, read_inputs
from prum_eval.evaluation.notices import gold_notices
from prum_eval.evaluation.settings import target_kind
from prum_eval.experiments.changes import (
    CHANGE_BY_NAME,
    ChangeNeed,
    ChosenChange,
    ListedTopic,
    Ranks,
    check_kind,
    normalise_setting,
    parse_change,
    remove_repeated_results,
)
from prum_eval.experiments.simulated_topics import (
    Elements,
    ListSource,
    exhaustivity_of_most_specific,
    make_listed_topics,
    make_streams,
    result_kind,
    run_from_lists,
)
from prum_eval.formats.format import RunCapacity
from prum_eval.formats.reading import AssessmentsInput, PathName, RunInput, read_run_input, read_structure, select_run
from prum_eval.formats.registry import FORMATS, format_writer, writable_formats
from prum_eval.formats.simulated import SIMULATED_COLUMNS, SIMULATED_FILE_NAME
from prum_eval.parameters import did_you_mean
from prum_eval.records import Run, RunKind, Structure
from prum_eval.relevance.quantisations import DEFAULT_QUANTISATION
from prum_eval.relevance.quantisations import find_quantisation as quantisation_of
from prum_eval.relevance.targets import TargetKind, check_targets, default_targets
from prum_eval.tabular import RowValue, Tabular, plural
from prum_eval.text.names import candidate_documents
from prum_eval.value_lists import parse_value_list

# The values that --vary gives to a parameter of a change, and the changes with each of them.


@dataclass(frozen=True)
class Variant:
    """The changes of a run; `value`: what --vary says, empty without it."""

    value: str
    changes: tuple[ChosenChange, ...]

    @property
    def spec(self) -> str:
        """The changes as --change takes them."""
        return " ".join(one.spec for one in self.changes)


def make_variants(changes: Sequence[ChosenChange], vary: str | None) -> list[Variant]:
    """The changes with each value of ``CHANGE.KEY=VALUES``; the changes of that name get it that do not say KEY.

    Raises:
        UsageError: no such change or parameter, a bad value, or a change that lacks a parameter.
    """
    if vary is None:
        found = [Variant("", tuple(changes))]
    else:
        target, equals, text = vary.partition("=")
        name, dot, key = target.partition(".")
        if not (name and dot and key and equals and text):
            raise UsageError(f"--vary {vary}: write CHANGE.KEY=VALUES")
        named = list(dict.fromkeys(one.change.name for one in changes))
        meant = [one for one in changes if one.change.name == name]
        if not meant:
            there = f"there are: {', '.join(named)}" if named else "there is none"
            raise UsageError(f"--vary {vary}: no --change {name} ({there}){did_you_mean(name, named)}")
        try:
            listed = parse_value_list(text)
            values = [normalise_setting(meant[0].change, key, value) for value in listed]
        except UsageError as error:
            raise UsageError(f"--vary {vary}: {error}") from error
        if all(key in one.settings for one in meant):
            raise UsageError(f"--vary {vary}: --change {meant[0].spec} says {key} already")
        found = [Variant(value, tuple(_set_parameter(one, name, key, value) for one in changes)) for value in values]
        again = [value for number, value in enumerate(values) if value in values[:number]]
        if again:
            raise UsageError(f"--vary {vary}: {again[0]} is listed twice")
    for variant in found:
        for one in variant.changes:
            one.values()
    return found


def _set_parameter(one: ChosenChange, name: str, key: str, value: str) -> ChosenChange:
    if one.change.name != name or key in one.settings:
        return one
    return replace(one, settings={**one.settings, key: value})


# Simulated runs: made one at a time, topic by topic, so that no more than one is in memory.


class Duplicates(StrEnum):
    """What becomes of a result that a change brings a second time."""

    DROP = "drop"
    HOLD = "hold"


@dataclass(frozen=True)
class SimulatedRun:
    """A run and how it was made; `value`: what --vary gave, empty without it."""

    file: str
    changes: str
    value: str
    copy: int
    run: Run


@dataclass(frozen=True, repr=False, eq=False)
class Simulation(Tabular):
    """What `simulate` returns: runs, made when they are asked for; going through them again makes the same again.

    `name`: what names of files begin with. `notes`: what there is to say of all runs.
    """

    source: str
    name: str
    kind: RunKind
    topics: tuple[ListedTopic, ...]
    variants: tuple[Variant, ...]
    copies: int
    seed: int
    duplicates: Duplicates
    form: str
    elements: Elements | None
    structure: Structure | None
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.variants) * self.copies

    def __iter__(self) -> Iterator[SimulatedRun]:
        for variant, copy, stem in self._named_variants():
            run = run_from_lists(stem, self.kind, self._lists(variant, copy), self.elements)
            yield SimulatedRun(f"{stem}.run", variant.spec, variant.value, copy, run)

    def write(self, folder: str | PathLike[str]) -> list[str]:
        """Write all runs, and simulated.tsv, into a folder that is new or empty: all of it or nothing.

        Returns:
            What there is to say of the runs.

        Raises:
            InputError: the folder is not empty, or cannot be written to.
            DataError: no result is left in a run, or there are too few documents for noise.
        """
        return write_simulation(self, folder)

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a run: file, from, changes, value, copy, seed."""
        for variant, copy, stem in self._named_variants():
            cells = (f"{stem}.run", self.source, variant.spec, variant.value, copy, self.seed)
            yield dict(zip(SIMULATED_COLUMNS, cells, strict=True))

    @property
    def summary(self) -> str:
        """The simulation in a few words."""
        return f"{plural(len(self), 'run')} of {plural(len(self.topics), 'topic')} from {self.source}, {self.form}"

    def _summary(self) -> str:
        return self.summary

    def _named_variants(self) -> Iterator[tuple[Variant, int, str]]:
        """Changes, copy and name of each run."""
        for variant in self.variants:
            stem = f"{self.name}-{variant.value}" if variant.value else self.name
            for copy in range(1, self.copies + 1):
                yield variant, copy, f"{stem}-{copy}"

    def _lists(self, variant: Variant, copy: int) -> Iterator[tuple[str, Ranks]]:
        """The lists of a run, topic by topic."""
        steps = [(one.change, one.values()) for one in variant.changes]
        hold = self.duplicates is Duplicates.HOLD
        for topic in self.topics:
            ranks = topic.ranks
            streams = make_streams(self.seed, topic.name, copy, len(steps))
            for (change, values), draws in zip(steps, streams, strict=True):
                ranks = change.apply(ranks, values, topic, draws)
                if change.repeats:
                    ranks = remove_repeated_results(ranks, topic.missing_result if hold else None)
            yield topic.name, ranks


# The form in which simulated runs are written, unless --to says otherwise.


def default_form(kind: RunKind, *, ranges: bool, chunks: bool) -> str:
    """Name of the first form that holds such results: with `ranges` ranges too, and for `chunks` their tokens."""
    fitting = [
        name
        for name, one in FORMATS.items()
        if isinstance(one.holds, RunCapacity) and one.holds.kind is kind and (one.holds.ranges or not ranges)
    ]
    return next((name for name in fitting if chunks and _capacity(name).tokens), fitting[0])


def check_form(form: str, *, hold: bool) -> None:
    """Refuse what is no form of runs, and with `hold` one that has no mark for what does not exist.

    Raises:
        UsageError: the forms that there are, are named.
    """
    names = [name for name, one in writable_formats().items() if isinstance(one.holds, RunCapacity)]
    if form not in names:
        raise UsageError(f"{form} is no form of runs (there are: {', '.join(names)})")
    if hold and not _capacity(form).missing_results:
        able = ", ".join(name for name in names if _capacity(name).missing_results)
        raise UsageError(f"duplicates held are written as X, which {form} has no mark for (these have: {able})")


def _capacity(form: str) -> RunCapacity:
    _, holds = format_writer(form)
    assert isinstance(holds, RunCapacity)  # noqa: S101 -- asked of forms of runs only
    return holds


# What lists can begin with, by the words that --from knows. Nothing here imports numpy: help lists them.


@dataclass(frozen=True)
class NamedSource:
    """A word that --from knows.

    `targets`: the kind of targets that it lists; None: those of --targets. `perfect`: it lists not these but what is
    most specific.
    """

    name: str
    summary: str
    targets: str | None = None
    perfect: bool = False


IDEAL = "ideal"
SOURCES: Mapping[str, NamedSource] = {
    one.name: one
    for one in (
        NamedSource(IDEAL, "targets by decreasing P(x in I), equal ones as they are assessed"),
        NamedSource("relevant", "all that is relevant, in the same order", "relevant"),
        NamedSource("perfect", "the most specific elements by exhaustivity; equal ones share a rank", perfect=True),
        NamedSource("bep", "best entry points", "bep"),
        NamedSource("passages", "highlighted passages", "passages"),
    )
}


_NAME, _NOT_IN_NAMES = r"[\w.+=-]+", r"[^\w.+=-]+"


def simulate(
    assessments: AssessmentsInput,
    source: RunInput = IDEAL,
    *,
    structure: PathName | Structure | None = None,
    changes: str | Sequence[str] = (),
    vary: str | None = None,
    copies: int = 1,
    seed: int = 1,
    duplicates: str = Duplicates.DROP,
    to: str | None = None,
    targets: str | None = None,
    quantisation: str = DEFAULT_QUANTISATION,
    run_id: str | None = None,
    name: str | None = None,
) -> Simulation:
    """Make runs of which the truth is known.

    >>> import prum_eval
    >>> made = prum_eval.simulate({"1": {"tides": 1, "moon": 2}}, changes="keep", vary="keep.n=1,2")
    >>> [(one.file, one.run.documents) for one in made]
    [('ideal-1-1.run', ('moon',)), ('ideal-2-1.run', ('moon', 'tides'))]

    Args:
        assessments: as for `prum_eval.evaluate`.
        source: what lists begin with: `ideal`, `relevant`, `perfect`, `bep`, `passages`, or a run (a path, or whatever
            else `prum_eval.evaluate` takes for one).
        structure: the collection structure, for changes that step in document trees, and for noise.
        changes: what is done to the lists, in this order, as --change takes it: `move:m=.3`, `drop:p=.5`.
        vary: `CHANGE.KEY=VALUES`: runs for each value.
        copies: how many runs for each value, each with random numbers of its own.
        seed: of all random numbers; those of a topic depend on it, the topic and the number of the copy.
        duplicates: `drop` keeps a result that a change brings twice at its first rank, `hold` writes X at the others.
        to: the form to write, as for `prum_eval.convert`; if not given, from what the results are.
        targets: which targets the ideal run lists, and documents with noise do not hold, as for `prum_eval.evaluate`.
        quantisation: how assessments become P(x in I).
        run_id: which run lists begin with, of a file that holds several.
        name: what the names of the runs and their files begin with; if not given, that of the source.

    Raises:
        UsageError: an unknown name, an illegal value, or a change that such results cannot have.
        InputError, DataError: bad data, or inputs that do not tell what is needed.
    """
    if duplicates not in list(Duplicates):
        raise UsageError(f"duplicates={duplicates}: duplicates is {' or '.join(Duplicates)}")
    if copies < 1 or seed < 0:
        raise UsageError("copies is a whole number from 1 up, seed one from 0 up")
    if name is not None and not re.fullmatch(_NAME, name):
        raise UsageError(f"name={name}: a name has letters, digits and _ . + = - only")
    chosen = [parse_change(spec, CHANGE_BY_NAME) for spec in ([changes] if isinstance(changes, str) else changes)]
    varied = make_variants(chosen, vary)
    word = SOURCES.get(source) if isinstance(source, str) else None
    if word is not None and run_id is not None:
        raise UsageError(f"{word.name} is no file of runs: --run has no meaning")
    if word is not None and word.targets is not None and targets is not None:
        raise UsageError(f"--from {word.name} lists targets of its own kind: --targets has no meaning")
    run = None if word is not None else _read_source(source, run_id)
    inputs = _read_simulation_inputs(assessments, structure, chosen, run)
    begin = _make_list_source(inputs, word or run, targets, quantisation)
    elements = None if inputs.trees is None else Elements(inputs.trees)
    check_kind(chosen, begin.kind, structure=elements is not None)
    ranges = run is not None and bool((run.first_path != run.last_path).any())
    form = to or default_form(begin.kind, ranges=ranges, chunks=inputs.assessments.chunks)
    check_form(form, hold=duplicates == Duplicates.HOLD)
    located = any(ChangeNeed.EXTENTS in one.change.needs for one in chosen)
    topics, notes = make_listed_topics(inputs, begin, elements, inputs.lengths if located else {})
    if not topics:
        raise DataError(f"{inputs.assessments.path}: no topic is left; " + "; ".join(notes))
    said, own_name = (str(source),) * 2 if run is None else _source_names(source, run)
    notes = [*filter(None, [inputs.cache_note]), *map(str, gold_notices(inputs.assessments)), *notes]
    return Simulation(
        said, name or own_name, begin.kind, topics, tuple(varied), copies, seed, Duplicates(duplicates), form, elements,
        inputs.structure, tuple(notes),
    )  # fmt: skip


def _read_source(source: RunInput, run_id: str | None) -> Run:
    """The run that lists begin with; `run_id`: its name, where a file holds several.

    Raises:
        UsageError: it is a word that means nothing, and no file.
    """
    if isinstance(source, str) and not re.search(r"[/\\.]|^-$", source) and not Path(source).exists():
        known = ", ".join(SOURCES)
        raise UsageError(f"no source {source} (there are: {known}, or a run){did_you_mean(source, SOURCES)}")
    return select_run(read_run_input(source), run_id, "lists begin with one")


def _read_simulation_inputs(
    assessments: AssessmentsInput,
    structure: PathName | Structure | None,
    changes: Sequence[ChosenChange],
    run: Run | None,
) -> Inputs:
    """Assessments and structure: of the latter all documents where noise is drawn from them, else what is listed."""
    if structure is not None and any(ChangeNeed.ALL_DOCUMENTS in one.change.needs for one in changes):
        structure = structure if isinstance(structure, Structure) else read_structure(structure)
    also = frozenset[str]() if run is None else candidate_documents(run.documents)
    return read_inputs(assessments, structure, also=also)


def _make_list_source(
    inputs: Inputs, source: NamedSource | Run | None, targets: str | None, quantisation: str
) -> ListSource:
    """What lists begin with, and what its targets are.

    Raises:
        UsageError: the assessments have no such targets or quantisation.
    """
    kind = inputs.assessments.kind
    scale = quantisation_of(quantisation, kind)
    wanted = default_targets(kind) if targets is None else target_kind(targets, kind)
    if not isinstance(source, NamedSource):
        assert source is not None  # noqa: S101 -- a word or a run
        return ListSource(source.kind, wanted, scale, run=source)
    if source.targets is not None:
        wanted = TargetKind(source.targets)
        check_targets(kind, wanted)
    if source.perfect:
        results = result_kind(kind, TargetKind.RELEVANT)
        return ListSource(results, wanted, scale, exhaustivity_of_most_specific(kind))
    return ListSource(result_kind(kind, wanted), wanted, scale)


def _source_names(source: RunInput, run: Run) -> tuple[str, str]:
    """What simulated.tsv calls the run that lists begin with, and what names of files begin with."""
    path = str(source) if isinstance(source, str | PathLike) else run.path
    text = Path(path).stem if isinstance(source, str | PathLike) and path != "-" else run.run_id
    return path, re.sub(_NOT_IN_NAMES, "_", text)


# Simulated runs as files, and simulated.tsv, which says what each is.


def write_simulation(simulation: Simulation, folder: str | PathLike[str]) -> list[str]:
    """Write the runs of a simulation, and its list; see `Simulation.write`."""
    target, written = Path(folder), list[Path]()
    losses, emptied = Counter[str](), Counter[str]()
    new = _prepare_folder(target)
    try:
        for one in simulation:
            if len(one.run.topics) < len(simulation.topics):
                emptied[one.file] = len(simulation.topics) - len(one.run.topics)
            made = _convert_run(one, simulation)
            losses.update({loss.description: loss.count for loss in made.losses})
            _write(target / one.file, made.content, written)
        _write(
            target / SIMULATED_FILE_NAME, "".join(f"{line}\n" for line in _table_lines(simulation)).encode(), written
        )
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        if new:
            target.rmdir()
        raise
    notes = []
    if emptied:
        left = f"{plural(sum(emptied.values()), 'topic')} of {plural(len(emptied), 'run')}"
        notes.append(f"no result is left in {left}; eval -c counts them as empty lists")
    for what, count in losses.items():
        things, _, fate = what.partition(": ")
        notes.append(f"lost: {things}: {count}; {fate}")
    return notes


def _convert_run(one: SimulatedRun, simulation: Simulation) -> Conversion:
    if not one.run.topics:
        raise DataError(f"{one.file}: no result is left")
    return convert(one.run, simulation.form, structure=simulation.structure, lossy=True)


def _table_lines(simulation: Simulation) -> Iterator[str]:
    """The lines of simulated.tsv: names of columns, then a line a run."""
    for number, row in enumerate(simulation.rows()):
        if number == 0:
            yield "\t".join(row)
        yield "\t".join(escape_unprintable(str(cell)) for cell in row.values())


def _prepare_folder(folder: Path) -> bool:
    """Make a folder; whether it is new.

    Raises:
        InputError: it holds something, or cannot be made.
    """
    try:
        new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        if not new and any(folder.iterdir()):
            raise InputError(str(folder), None, "is not empty; simulated runs are written into a new or empty folder")
    except OSError as error:
        raise InputError(str(folder), None, f"cannot be made: {error.strerror}") from error
    return new


def _write(path: Path, content: bytes, written: list[Path]) -> None:
    written.append(path)
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InputError(str(path), None, f"cannot be written: {error.strerror}") from error
