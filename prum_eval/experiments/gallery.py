"""Values of measures in the situations of the gallery, each a few steps away from an ideal list.

The runs are simulated on a small, regular, artificial collection, the same for every measure. Every topic has twelve
relevant documents with one target each, so that no run has two results of a document unless a change adds them: in turn
a whole section, a whole paragraph, and half a paragraph. Documents of the other topics serve as noise. The collection
has trees, lengths, highlighted passages, exhaustivity and entry points, so that all measures apply.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from prum_eval.evaluation.api import evaluate_call
from prum_eval.evaluation.notices import REFUSED
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.prepare import prepare
from prum_eval.evaluation.results import RunResult
from prum_eval.experiments.simulate import simulate
from prum_eval.formats.reading import read_assessment_files, read_structure
from prum_eval.measures.base import Shape
from prum_eval.measures.registry import split_cutoffs
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.records import Assessments, Run, Structure
from prum_eval.tabular import RowValue, Table, Tabular, plural
from prum_eval.text.streams import Content

# The collection

_TOPICS, _DOCUMENTS = 6, 12
_SECTIONS, _PARAGRAPHS = 4, 4
_TITLE = 20
_PLACE = "sample"


@dataclass(frozen=True)
class Sample:
    """The collection and its assessments."""

    structure: Structure
    assessments: Assessments


def sample() -> Sample:
    """Make the collection; the same every time."""
    lines, files = [], []
    for topic in range(_TOPICS):
        files_of_topic = []
        for number in range(_DOCUMENTS):
            name = f"d{topic * _DOCUMENTS + number:02d}"
            extents = _element_extents(topic, number)
            lines += [f"{name}\t{path}\t{start}\t{length}\n" for path, (start, length) in extents.items()]
            files_of_topic.append(_document_assessments(name, extents, number))
        topic_id = str(topic + 1)
        text = f'<assessments topic="{topic_id}">\n{"".join(files_of_topic)}</assessments>\n'
        files.append((Content(f"{_PLACE}/{topic_id}.xml", text.encode()), False))
    structure = read_structure(Content(f"{_PLACE}.tsv", "".join(lines).encode()))
    return Sample(structure, read_assessment_files(files, _PLACE))


def _element_extents(topic: int, number: int) -> dict[str, tuple[int, int]]:
    """Start and length of each element of a document, in document order: sections of a title and paragraphs."""
    lengths = [
        [100 + 40 * ((7 * topic + 5 * number + 3 * section + 2 * k) % 11) for k in range(_PARAGRAPHS)]
        for section in range(_SECTIONS)
    ]
    extents: dict[str, tuple[int, int]] = {"/article[1]": (0, 0), "/article[1]/title[1]": (0, _TITLE)}
    extents["/article[1]/body[1]"] = (_TITLE, 0)
    place = _TITLE
    for section, paragraphs in enumerate(lengths, 1):
        path = f"/article[1]/body[1]/section[{section}]"
        extents[path] = (place, _TITLE + sum(paragraphs))
        extents[f"{path}/title[1]"] = (place, _TITLE)
        starts = accumulate(paragraphs[:-1], initial=place + _TITLE)
        extents |= {f"{path}/p[{k}]": extent for k, extent in enumerate(zip(starts, paragraphs, strict=True), 1)}
        place += _TITLE + sum(paragraphs)
    extents["/article[1]"], extents["/article[1]/body[1]"] = (0, place), (_TITLE, place - _TITLE)
    return extents


def _document_assessments(name: str, extents: dict[str, tuple[int, int]], number: int) -> str:
    """Assessments of a document: one passage, its best entry point, and elements with highlighted text."""
    section = f"/article[1]/body[1]/section[{number % _SECTIONS + 1}]"
    paragraph = f"{section}/p[{number // 4 % _PARAGRAPHS + 1}]"
    whole, half = number % 4 == 0, number % 4 == 2
    target = section if whole else paragraph
    start, length = extents[target]
    end = start + (length // 2 if half else length)
    first, last = (f"{section}/title[1]", f"{section}/p[{_PARAGRAPHS}]") if whole else (paragraph, paragraph)
    marked = end - extents[last][0]
    elements = []
    for path, (begin, size) in extents.items():
        highlighted = min(begin + size, end) - max(begin, start)
        if highlighted > 0:
            exhaustivity = 1 if path.startswith(f"{target}/") else 2  # highest for the target and its ancestors
            elements.append(
                f'<element path="{path}" exhaustivity="{exhaustivity}" size="{size}" rsize="{highlighted}"/>\n'
            )
    return (
        f'<file collection="sample" name="{name}">\n<best-entry-point path="{first}/text()[1].0"/>\n'
        f'<passage start="{first}/text()[1].0" end="{last}/text()[1].{marked}" size="{end - start}"/>\n'
        f"{''.join(elements)}</file>\n"
    )


# Situations


@dataclass(frozen=True)
class SituationStep:
    """A step away from the ideal list: its label on the axis, and the changes of `prum_eval.simulate`."""

    name: str
    changes: tuple[str, ...]


@dataclass(frozen=True)
class Situation:
    """An error of a list that grows step by step.

    `name` and `axis`: title and label of its panel. `meaning`: effect on the list. `ideal`: label of the ideal list,
    which precedes the `steps`. `copies`: random runs per step.
    """

    name: str
    axis: str
    meaning: str
    ideal: str
    steps: tuple[SituationStep, ...]
    copies: int = 1

    @property
    def step_names(self) -> tuple[str, ...]:
        """Labels of all steps, the ideal list first."""
        return (self.ideal, *(step.name for step in self.steps))


SITUATIONS = (
    Situation(
        "near misses",
        "m",
        "each result moves up or down its document, one more step with probability m",
        "0",
        tuple(SituationStep(m, (f"move:m={m}",)) for m in (".2", ".4", ".6", ".8")),
        copies=3,
    ),
    Situation(
        "overlap",
        "ancestors",
        "the ancestors of all results are listed too: last of all, mixed in right behind each result, or first of all",
        "none",
        tuple(
            SituationStep(name, (f"ancestors:place={place}",))
            for name, place in (("last", "after"), ("mixed", "around"), ("first", "before"))
        ),
    ),
    Situation(
        "noise in front",
        "elements",
        "so many elements of documents without a target stand before the list",
        "0",
        tuple(SituationStep(n, (f"noise:n={n}",)) for n in ("1", "2", "4", "8")),
    ),
    Situation(
        "missing targets",
        "missing",
        "so many of the 12 targets, those at the end of the list, are missing",
        "0",
        tuple(SituationStep(str(12 - n), (f"keep:n={n}",)) for n in (9, 6, 3, 1)),
    ),
    Situation(
        "reading effort",
        "levels up",
        "in place of each target stands the element that holds it, so many levels up: more to read for the same",
        "0",
        tuple(SituationStep(str(n), ("parents",) * n) for n in (1, 2, 3)),
    ),
)
"""Situations in the order of display."""


StepName = tuple[str, str]
"""Names of a situation and a step; empty for the ideal list."""
_IDEAL = ("", "")
_OMISSION_HEAD = "; left out: "
_REASON = re.compile(r"^.*: document .*, retrieved on line [0-9]+, ")
"""Beginning of a warning about a refused run, before the reason."""
_SEED = 40
"""The first seed without two elements of noise in one document, which some measures refuse."""
TOKENS = 0.25
"""Tokens per character, for measures that count tokens."""
_USUAL_POINTS = {Shape.AT_RANKS: 10.0, Shape.AT_LEVELS: 0.2, Shape.AT_BUDGETS: 2000.0}
"""Of a measure with several cut-offs, levels or budgets, the nearest is shown."""


@dataclass(frozen=True)
class MeasureAnswer:
    """Values of a measure in a situation, one per step, the ideal list first; None for refused runs.

    `reason`: why the measure refuses the first of those. `top`: top of the value axis in all situations: 1, or the
    largest value if greater.
    """

    measure: str
    situation: Situation
    values: tuple[float | None, ...]
    reason: str | None
    top: float


@dataclass(frozen=True, repr=False)
class Answers(Tabular):
    """The result of `answers`: one answer per measure and situation, in the order of the situations."""

    answers: tuple[MeasureAnswer, ...]

    @property
    def by_measure(self) -> Mapping[str, Sequence[MeasureAnswer]]:
        """Answers of each measure."""
        grouped: dict[str, list[MeasureAnswer]] = {}
        for answer in self.answers:
            grouped.setdefault(answer.measure, []).append(answer)
        return grouped

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row per measure, situation and step."""
        for answer in self.answers:
            for step, value in zip(answer.situation.step_names, answer.values, strict=True):
                yield {"measure": answer.measure, "situation": answer.situation.name, "step": step, "value": value}

    def _summary(self) -> str:
        return f"{plural(len(self.by_measure), 'measure')} in {plural(len(SITUATIONS), 'situation')}"

    def _table(self) -> Table:
        rows = list(self.rows())
        return ("measure", "situation", "step", "value"), (list(row.values()) for row in rows)


def answers(measure: str) -> Answers:
    """Values of a measure for near misses, overlap, noise in front, missing targets and reading effort.

    >>> from prum_eval import answers
    >>> result = answers("eprum_map")
    >>> result
    <Answers: 1 measure in 5 situations>
    >>> [round(value, 4) for value in result.answers[3].values]
    [1.0, 0.875, 0.5833, 0.2917, 0.0972]

    The runs are simulated on a small artificial collection, the same for every measure, and evaluated as usual.

    Args:
        measure: a specification as for ``-m``: a measure, a family or a set, with optional settings. If it names no
            cut-offs, levels or budgets, one of each measure is shown.

    Raises:
        UsageError: an unknown name, or a value that is not legal.
        DataError: it cannot be computed on the collection.
    """
    collection = sample()
    runs = list(_runs(collection))
    options = EvaluationOptions(
        assessments=collection.assessments,
        runs=[run for _, run in runs],
        structure=collection.structure,
        measures=measure,
        tokens=TOKENS,
    )
    prepared = prepare(options)
    # a measure that refuses some runs is shown all the same
    pairs = [(replace(instance, explicit=False), setting) for instance, setting in prepared.pairs]
    evaluation = evaluate_call(replace(prepared, pairs=pairs))
    results_by_step: dict[StepName, list[RunResult]] = {}
    for (step, _), result in zip(runs, evaluation.runs, strict=True):
        results_by_step.setdefault(step, []).append(result)
    refusals = [notice for notice in evaluation.warnings if notice.kind == REFUSED]
    all_points = split_cutoffs(measure.partition(":")[0])[1] is not None
    shown: list[MeasureAnswer] = []
    for instance, _ in pairs:
        reasons = {
            notice.run: _REASON.sub("", notice.text).partition(_OMISSION_HEAD)[0]
            for notice in refusals
            if instance.label in notice.text.rpartition(_OMISSION_HEAD)[2].split(", ")
        }
        for name in instance.names if all_points else _shown_names(instance):
            shown += _measure_answers(name, results_by_step, reasons)
    return Answers(tuple(shown))


def _runs(collection: Sample) -> Iterator[tuple[StepName, Run]]:
    """Runs of all steps, the ideal list first."""
    steps: list[tuple[StepName, tuple[str, ...], int]] = [(_IDEAL, (), 1)]
    steps += [
        ((situation.name, step.name), step.changes, situation.copies)
        for situation in SITUATIONS
        for step in situation.steps
    ]
    for step_name, changes, copies in steps:
        made_runs = simulate(
            collection.assessments, structure=collection.structure, changes=changes, copies=copies, seed=_SEED
        )
        for simulated in made_runs:
            name = "-".join(filter(None, (*step_name, str(simulated.copy))))
            yield step_name, replace(simulated.run, run_id=name, path=name)


def _shown_names(instance: ConfiguredMeasure) -> tuple[str, ...]:
    """The names shown of a measure: of several points the usual one."""
    usual = _USUAL_POINTS.get(instance.measure.shape, 0.0)
    points = dict(zip(instance.cutoffs, instance.names, strict=False))
    return (points[min(points, key=lambda point: abs(point - usual))],) if points else instance.names


def _measure_answers(
    name: str, results: Mapping[StepName, Sequence[RunResult]], reasons: Mapping[str | None, str]
) -> list[MeasureAnswer]:
    """Answers of a measure: means over copies; `reasons`: of refusals, by run."""
    values: dict[StepName, float | None] = {}
    for step, runs in results.items():
        defined = [value for run in runs if (value := run.all.get(name)) is not None]
        values[step] = math.fsum(defined) / len(defined) if len(defined) == len(runs) else None
    top = max([1.0, *(value for value in values.values() if value is not None)])
    measure_answers = []
    for situation in SITUATIONS:
        steps = [_IDEAL, *((situation.name, step.name) for step in situation.steps)]
        reason = next((reasons[run.path] for step in steps for run in results[step] if run.path in reasons), None)
        answers_by_step = tuple(values[step] for step in steps)
        if reason is None and None in answers_by_step:
            reason = "has no value on any topic"
        measure_answers.append(MeasureAnswer(name, situation, answers_by_step, reason, top))
    return measure_answers
