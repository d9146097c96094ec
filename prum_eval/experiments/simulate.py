"""Simulated runs: the call `simulate`, made of assessments or of a run with changes, and the files that it writes.

Runs are made one at a time, topic by topic, so that only one is in memory; iterating again makes the same runs. A
folder of simulated runs has one file per run and simulated.tsv, the list of the runs. The registry `SOURCES` names the
kinds of initial lists.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from os import PathLike
from pathlib import Path

from prum_eval.conversion.convert import convert
from prum_eval.errors import DataError, InputError, UsageError, escape_unprintable
from prum_eval.evaluation.inputs import Inputs, read_inputs
from prum_eval.evaluation.notices import spans_file_notices
from prum_eval.evaluation.settings import target_kind
from prum_eval.experiments.changes import (
    CHANGE_BY_NAME,
    IDEAL,
    SOURCES,
    ChangeNeed,
    ChosenChange,
    ListedTopic,
    NamedSource,
    Ranks,
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
from prum_eval.text.streams import is_there
from prum_eval.value_lists import parse_value_list

# Variants


@dataclass(frozen=True)
class Variant:
    """Changes of a run; `value`: the value of --vary, empty without it."""

    value: str
    changes: tuple[ChosenChange, ...]

    @property
    def spec(self) -> str:
        """Specifications of the changes."""
        return " ".join(chosen.spec for chosen in self.changes)


def make_variants(changes: Sequence[ChosenChange], vary: str | None) -> list[Variant]:
    """The changes with each value of ``CHANGE.KEY=VALUES``, for changes of that name without KEY.

    Raises:
        UsageError: an unknown change or parameter, a bad value, or a change without a required parameter.
    """
    variants = [Variant("", tuple(changes))]
    if vary is not None:
        target, equals, text = vary.partition("=")
        name, dot, key = target.partition(".")
        if not (name and dot and key and equals and text):
            raise UsageError(f"--vary {vary}: write CHANGE.KEY=VALUES")
        names = list(dict.fromkeys(chosen.change.name for chosen in changes))
        matching = [chosen for chosen in changes if chosen.change.name == name]
        if not matching:
            choices = f"there are: {', '.join(names)}" if names else "there is none"
            raise UsageError(f"--vary {vary}: no --change {name} ({choices}){did_you_mean(name, names)}")
        try:
            values = [normalise_setting(matching[0].change, key, value) for value in parse_value_list(text)]
        except UsageError as error:
            raise UsageError(f"--vary {vary}: {error}") from error
        if all(key in chosen.settings for chosen in matching):
            raise UsageError(f"--vary {vary}: --change {matching[0].spec} says {key} already")

        def with_value(chosen: ChosenChange, value: str) -> ChosenChange:
            if chosen.change.name != name or key in chosen.settings:
                return chosen
            return replace(chosen, settings={**chosen.settings, key: value})

        variants = [Variant(value, tuple(with_value(chosen, value) for chosen in changes)) for value in values]
        repeated = [value for number, value in enumerate(values) if value in values[:number]]
        if repeated:
            raise UsageError(f"--vary {vary}: {repeated[0]} is listed twice")
    for variant in variants:
        for chosen in variant.changes:
            chosen.values()
    return variants


# Results


class Duplicates(StrEnum):
    """Treatment of results that a change repeats."""

    DROP = "drop"
    HOLD = "hold"


@dataclass(frozen=True)
class SimulatedRun:
    """A run and its changes; `value`: the value of --vary, empty without it."""

    file: str
    changes: str
    value: str
    copy: int
    run: Run


@dataclass(frozen=True, repr=False, eq=False)
class Simulation(Tabular):
    """The result of `simulate`: runs made on iteration; iterating again makes the same runs.

    `name`: beginning of file names. `notes`: remarks on all runs.
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
        """Write all runs, and simulated.tsv, into a new or empty folder; on errors remove them.

        Returns:
            Remarks on the runs.

        Raises:
            InputError: the folder is not empty, or cannot be written.
            DataError: a run has no results, or there are too few documents for noise.
        """
        return write_simulation(self, folder)

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row per run: file, from, changes, value, copy, seed."""
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
        """Variant, copy and name of each run."""
        for variant in self.variants:
            stem = f"{self.name}-{variant.value}" if variant.value else self.name
            for copy in range(1, self.copies + 1):
                yield variant, copy, f"{stem}-{copy}"

    def _lists(self, variant: Variant, copy: int) -> Iterator[tuple[str, Ranks]]:
        """Lists of a run by topic."""
        steps = [(chosen.change, chosen.values()) for chosen in variant.changes]
        hold = self.duplicates is Duplicates.HOLD
        for topic in self.topics:
            ranks = topic.ranks
            streams = make_streams(self.seed, topic.name, copy, len(steps))
            for (change, values), draws in zip(steps, streams, strict=True):
                ranks = change.apply(ranks, values, topic, draws)
                if change.repeats:
                    ranks = remove_repeated_results(ranks, topic.missing_result if hold else None)
            yield topic.name, ranks


# Formats of simulated runs


def default_form(kind: RunKind, *, ranges: bool, chunks: bool) -> str:
    """The first format that can store such results: with `ranges`, ranges; for `chunks`, tokens if possible."""
    names = [
        name
        for name, entry in FORMATS.items()
        if isinstance(entry.holds, RunCapacity) and entry.holds.kind is kind and (entry.holds.ranges or not ranges)
    ]
    return next((name for name in names if chunks and _capacity(name).tokens), names[0])


def check_form(form: str, *, hold: bool) -> None:
    """Reject formats that do not store runs, or with `hold` have no mark for missing results.

    Raises:
        UsageError: with the suitable formats.
    """
    names = [name for name, entry in writable_formats().items() if isinstance(entry.holds, RunCapacity)]
    if form not in names:
        raise UsageError(f"{form} is not a form of runs (there are: {', '.join(names)})")
    if hold and not _capacity(form).missing_results:
        suitable = ", ".join(name for name in names if _capacity(name).missing_results)
        raise UsageError(f"duplicates held are written as X, which {form} has no mark for (these have: {suitable})")


def _capacity(form: str) -> RunCapacity:
    _, holds = format_writer(form)
    assert isinstance(holds, RunCapacity)  # noqa: S101 -- asked of forms of runs only
    return holds


# The call


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
    """Simulate runs with known deviations from ideal lists.

    >>> import prum_eval
    >>> simulation = prum_eval.simulate({"1": {"tides": 1, "moon": 2}}, changes="keep", vary="keep.n=1,2")
    >>> [(simulated.file, simulated.run.documents) for simulated in simulation]
    [('ideal-1-1.run', ('moon',)), ('ideal-2-1.run', ('moon', 'tides'))]

    Args:
        assessments: as for `prum_eval.evaluate`.
        source: the initial lists: `ideal`, `relevant`, `perfect`, `bep`, `passages`, or a run (a path, or another run
            input of `prum_eval.evaluate`).
        structure: the collection structure, for changes that step in document trees, and for noise.
        changes: specifications of the changes, in order, as for --change: `move:m=.3`, `drop:p=.5`.
        vary: `CHANGE.KEY=VALUES`: make runs for each value.
        copies: number of runs per value, with different random numbers.
        seed: seed of all random numbers; those of a topic depend on it, the topic and the number of the copy.
        duplicates: `drop` keeps a repeated result only at its first rank, `hold` writes X at the others.
        to: the format to write, as for `prum_eval.convert`; by default one that suits the results.
        targets: targets of the ideal run, which documents of noise do not contain, as for `prum_eval.evaluate`.
        quantisation: how assessments become P(x in I).
        run_id: the run that lists begin with, if a file has several.
        name: beginning of the names of runs and files; by default that of the source.

    Raises:
        UsageError: an unknown name, an illegal value, or a change that such results cannot have.
        InputError, DataError: bad data, or inputs that do not tell what is needed.
    """
    if duplicates not in list(Duplicates):
        raise UsageError(f"duplicates={duplicates}: duplicates is {' or '.join(Duplicates)}")
    if copies < 1 or seed < 0:
        raise UsageError("copies is a whole number from 1 up, seed one from 0 up")
    if name is not None and not re.fullmatch(r"[\w.+=-]+", name):
        raise UsageError(f"name={name}: a name has letters, digits and _ . + = - only")
    chosen = [parse_change(spec, CHANGE_BY_NAME) for spec in ([changes] if isinstance(changes, str) else changes)]
    variants = make_variants(chosen, vary)
    named_source = SOURCES.get(source) if isinstance(source, str) else None
    if named_source is not None and run_id is not None:
        raise UsageError(f"{named_source.name} is not a file of runs: --run has no effect")
    if named_source is not None and named_source.targets is not None and targets is not None:
        raise UsageError(f"--from {named_source.name} lists targets of its own kind: --targets has no effect")
    run = None if named_source is not None else _read_source(source, run_id)
    needs = frozenset[ChangeNeed]().union(*(change.change.needs for change in chosen))
    if structure is not None and ChangeNeed.ALL_DOCUMENTS in needs and not isinstance(structure, Structure):
        structure = read_structure(structure)  # all documents; else only those of assessments and run
    documents = frozenset[str]() if run is None else candidate_documents(run.documents)
    inputs = read_inputs(assessments, structure, also=documents)
    list_source = _make_list_source(inputs, named_source or run, targets, quantisation)
    elements = None if inputs.trees is None else Elements(inputs.trees)
    check_kind(chosen, list_source.kind, structure=elements is not None)
    ranges = run is not None and bool((run.first_path != run.last_path).any())
    form = to or default_form(list_source.kind, ranges=ranges, chunks=inputs.assessments.chunks)
    check_form(form, hold=duplicates == Duplicates.HOLD)
    lengths = inputs.lengths if ChangeNeed.EXTENTS in needs else {}
    topics, notes = make_listed_topics(inputs, list_source, elements, lengths)
    if not topics:
        raise DataError(f"{inputs.assessments.path}: no topic is left; " + "; ".join(notes))
    source_text, source_name = (str(source),) * 2 if run is None else _source_names(source, run)
    notes = [*filter(None, [inputs.cache_note]), *map(str, spans_file_notices(inputs.assessments)), *notes]
    return Simulation(
        source_text, name or source_name, list_source.kind, topics, tuple(variants), copies, seed,
        Duplicates(duplicates), form, elements, inputs.structure, tuple(notes),
    )  # fmt: skip


def check_kind(changes: Sequence[ChosenChange], kind: RunKind, *, structure: bool) -> None:
    """Reject changes that do not apply to results of a kind.

    Raises:
        UsageError: the results are of another kind, or a structure is needed.
    """
    for chosen in changes:
        name, needs = chosen.change.name, chosen.change.needs
        if ChangeNeed.TREES in needs and kind is not RunKind.ELEMENTS:
            raise UsageError(f"{name} changes elements; these results are {KIND_WORDS[kind]}")
        if ChangeNeed.EXTENTS in needs and kind is not RunKind.EXTENTS:
            raise UsageError(f"{name} changes passages and best entry points; these results are {KIND_WORDS[kind]}")
        if ChangeNeed.STRUCTURE in needs and not structure:
            raise UsageError(f"{name} needs the trees of the documents: give --structure")


KIND_WORDS = {RunKind.FLAT: "documents", RunKind.ELEMENTS: "elements", RunKind.EXTENTS: "passages or entry points"}
"""Kinds of results, in words."""


def _read_source(source: RunInput, run_id: str | None) -> Run:
    """Read the run that lists begin with; `run_id`: its name, if a file has several.

    Raises:
        UsageError: an unknown name that is no file.
    """
    if isinstance(source, str) and not re.search(r"[/\\.]|^-$", source) and not is_there(source):
        names = ", ".join(SOURCES)
        raise UsageError(f"no source {source} (there are: {names}, or a run){did_you_mean(source, SOURCES)}")
    return select_run(read_run_input(source), run_id, "lists begin with one")


def _make_list_source(
    inputs: Inputs, source: NamedSource | Run | None, targets: str | None, quantisation: str
) -> ListSource:
    """Source of the initial lists, with the kind of targets.

    Raises:
        UsageError: the assessments have no such targets or quantisation.
    """
    kind = inputs.assessments.kind
    weights = quantisation_of(quantisation, kind)
    kind_of_targets = default_targets(kind) if targets is None else target_kind(targets, kind)
    if not isinstance(source, NamedSource):
        assert source is not None  # noqa: S101 -- a word or a run
        return ListSource(source.kind, kind_of_targets, weights, run=source)
    if source.targets is not None:
        kind_of_targets = TargetKind(source.targets)
        check_targets(kind, kind_of_targets)
    if source.perfect:
        results = result_kind(kind, TargetKind.RELEVANT)
        return ListSource(results, kind_of_targets, weights, exhaustivity_of_most_specific(kind))
    return ListSource(result_kind(kind, kind_of_targets), kind_of_targets, weights)


def _source_names(source: RunInput, run: Run) -> tuple[str, str]:
    """Name of the source in simulated.tsv, and beginning of file names."""
    path = str(source) if isinstance(source, str | PathLike) else run.path
    text = Path(path).stem if isinstance(source, str | PathLike) and path != "-" else run.run_id
    return path, re.sub(r"[^\w.+=-]+", "_", text)


# Files


def write_simulation(simulation: Simulation, folder: str | PathLike[str]) -> list[str]:
    """Write the runs of a simulation, and its list; see `Simulation.write`."""
    target, written = Path(folder), list[Path]()
    losses, missing_topics = Counter[str](), Counter[str]()
    is_new = _prepare_folder(target)

    def write(name: str, content: bytes) -> None:
        path = target / name
        written.append(path)
        try:
            path.write_bytes(content)
        except OSError as error:
            raise InputError(str(path), None, f"cannot be written: {error.strerror}") from error

    try:
        for simulated in simulation:
            if not simulated.run.topics:
                raise DataError(f"{simulated.file}: no result is left")  # noqa: TRY301 -- removes what was written
            if len(simulated.run.topics) < len(simulation.topics):
                missing_topics[simulated.file] = len(simulation.topics) - len(simulated.run.topics)
            conversion = convert(simulated.run, simulation.form, structure=simulation.structure, lossy=True)
            losses.update({loss.description: loss.count for loss in conversion.losses})
            write(simulated.file, conversion.content)
        rows = list(simulation.rows())
        lines = [list(rows[0]), *([escape_unprintable(str(cell)) for cell in row.values()] for row in rows)]
        write(SIMULATED_FILE_NAME, "".join("\t".join(cells) + "\n" for cells in lines).encode())
    except BaseException:
        for path in written:
            with suppress(OSError):  # its name was refused
                path.unlink(missing_ok=True)
        if is_new:
            target.rmdir()
        raise
    notes = []
    if missing_topics:
        left = f"{plural(sum(missing_topics.values()), 'topic')} of {plural(len(missing_topics), 'run')}"
        notes.append(f"no result is left in {left}; eval -c counts them as empty lists")
    for description, count in losses.items():
        things, _, fate = description.partition(": ")
        notes.append(f"lost: {things}: {count}; {fate}")
    return notes


def _prepare_folder(folder: Path) -> bool:
    """Make a folder; return whether it is new.

    Raises:
        InputError: it is not empty, or cannot be made.
    """
    try:
        is_new = not is_there(folder)
        folder.mkdir(parents=True, exist_ok=True)
        if not is_new and any(folder.iterdir()):
            raise InputError(str(folder), None, "is not empty; simulated runs are written into a new or empty folder")
    except OSError as error:
        raise InputError(str(folder), None, f"cannot be made: {error.strerror}") from error
    return is_new
