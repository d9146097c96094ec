"""`prum_eval.simulate`: runs made of assessments or of a run, with changes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.inputs import Inputs, read_inputs
from prum_eval.evaluation.notices.notice import gold_notices
from prum_eval.evaluation.settings.setting import target_kind
from prum_eval.formats.given import GivenAssessments, GivenRun, PathName, chosen_run, read_given_runs
from prum_eval.formats.reading import read_structure
from prum_eval.parameters import nearest
from prum_eval.records.run import Run
from prum_eval.records.structure import Structure
from prum_eval.relevance.quantisations import DEFAULT
from prum_eval.relevance.quantisations import quantisation as quantisation_of
from prum_eval.relevance.targets import TargetKind, check_targets, default_targets
from prum_eval.simulation.change import ChangeNeed, ChosenChange, check_kind, chosen_change
from prum_eval.simulation.changes.registry import CHANGE_BY_NAME
from prum_eval.simulation.elements import Elements
from prum_eval.simulation.forms import check_form, default_form
from prum_eval.simulation.simulated import Duplicates, Simulation
from prum_eval.simulation.sources import IDEAL, SOURCES, SourceWord
from prum_eval.simulation.target_lists import exhaustivity_of_most_specific, kind_of_results
from prum_eval.simulation.topics import Beginning, listed_topics
from prum_eval.simulation.varying import variants
from prum_eval.text.document_names import possible_documents

_NAME, _NOT_OF_NAMES = r"[\w.+=-]+", r"[^\w.+=-]+"


def simulate(
    assessments: GivenAssessments,
    source: GivenRun = IDEAL,
    *,
    structure: PathName | Structure | None = None,
    changes: str | Sequence[str] = (),
    vary: str | None = None,
    copies: int = 1,
    seed: int = 1,
    duplicates: str = Duplicates.DROP,
    to: str | None = None,
    targets: str | None = None,
    quantisation: str = DEFAULT,
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
    chosen = [chosen_change(spec, CHANGE_BY_NAME) for spec in ([changes] if isinstance(changes, str) else changes)]
    varied = variants(chosen, vary)
    word = SOURCES.get(source) if isinstance(source, str) else None
    if word is not None and run_id is not None:
        raise UsageError(f"{word.name} is no file of runs: --run has no meaning")
    if word is not None and word.targets is not None and targets is not None:
        raise UsageError(f"--from {word.name} lists targets of its own kind: --targets has no meaning")
    run = None if word is not None else _read(source, run_id)
    inputs = _inputs(assessments, structure, chosen, run)
    begin = _beginning(inputs, word or run, targets, quantisation)
    elements = None if inputs.trees is None else Elements(inputs.trees)
    check_kind(chosen, begin.kind, structure=elements is not None)
    ranges = run is not None and bool((run.first_path != run.last_path).any())
    form = to or default_form(begin.kind, ranges=ranges, chunks=inputs.assessments.chunks)
    check_form(form, hold=duplicates == Duplicates.HOLD)
    located = any(ChangeNeed.EXTENTS in one.change.needs for one in chosen)
    topics, notes = listed_topics(inputs, begin, elements, inputs.lengths if located else {})
    if not topics:
        raise DataError(f"{inputs.assessments.path}: no topic is left; " + "; ".join(notes))
    said, own_name = (str(source),) * 2 if run is None else _names(source, run)
    notes = [*filter(None, [inputs.cache_note]), *map(str, gold_notices(inputs.assessments)), *notes]
    return Simulation(
        said, name or own_name, begin.kind, topics, tuple(varied), copies, seed, Duplicates(duplicates), form, elements,
        inputs.structure, tuple(notes),
    )  # fmt: skip


def _read(source: GivenRun, run_id: str | None) -> Run:
    """The run that lists begin with; `run_id`: its name, where a file holds several.

    Raises:
        UsageError: it is a word that means nothing, and no file.
    """
    if isinstance(source, str) and not re.search(r"[/\\.]|^-$", source) and not Path(source).exists():
        known = ", ".join(SOURCES)
        raise UsageError(f"no source {source} (there are: {known}, or a run){nearest(source, SOURCES)}")
    return chosen_run(read_given_runs(source), run_id, "lists begin with one")


def _inputs(
    assessments: GivenAssessments,
    structure: PathName | Structure | None,
    changes: Sequence[ChosenChange],
    run: Run | None,
) -> Inputs:
    """Assessments and structure: of the latter all documents where noise is drawn from them, else what is listed."""
    if structure is not None and any(ChangeNeed.ALL_DOCUMENTS in one.change.needs for one in changes):
        structure = structure if isinstance(structure, Structure) else read_structure(structure)
    also = frozenset[str]() if run is None else possible_documents(run.documents)
    return read_inputs(assessments, structure, also=also)


def _beginning(inputs: Inputs, source: SourceWord | Run | None, targets: str | None, quantisation: str) -> Beginning:
    """What lists begin with, and what its targets are.

    Raises:
        UsageError: the assessments have no such targets or quantisation.
    """
    kind = inputs.assessments.kind
    scale = quantisation_of(quantisation, kind)
    wanted = default_targets(kind) if targets is None else target_kind(targets, kind)
    if not isinstance(source, SourceWord):
        assert source is not None  # noqa: S101 -- a word or a run
        return Beginning(source.kind, wanted, scale, run=source)
    if source.targets is not None:
        wanted = TargetKind(source.targets)
        check_targets(kind, wanted)
    if source.perfect:
        results = kind_of_results(kind, TargetKind.RELEVANT)
        return Beginning(results, wanted, scale, exhaustivity_of_most_specific(kind))
    return Beginning(kind_of_results(kind, wanted), wanted, scale)


def _names(source: GivenRun, run: Run) -> tuple[str, str]:
    """What simulated.tsv calls the run that lists begin with, and what names of files begin with."""
    path = str(source) if isinstance(source, str | PathLike) else run.path
    text = Path(path).stem if isinstance(source, str | PathLike) and path != "-" else run.run_id
    return path, re.sub(_NOT_OF_NAMES, "_", text)
