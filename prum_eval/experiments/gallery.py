"""How measures answer to the situations of the gallery, as values of each step."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from prum_eval.evaluation.api import evaluate_call
from prum_eval.evaluation.notices import REFUSED, Notice
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.prepare import prepare
from prum_eval.evaluation.results import MeasuredValue, RunResult
from prum_eval.experiments.simulate import simulate
from prum_eval.formats.reading import read_assessment_files, read_structure
from prum_eval.measures.base import Shape
from prum_eval.measures.registry import split_cutoffs
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.records import Assessments, Run, Structure
from prum_eval.tabular import RowValue, Table, Tabular, plural
from prum_eval.text.streams import Content

# The collection that the gallery simulates runs on: made up, regular, the same for every measure.
#
# Every topic has twelve relevant documents with one target each, so that no run brings two results of a document together
# unless a change does: a whole section, a whole paragraph, half a paragraph, and again. Documents of the other topics are
# there for noise. It has all that a measure may need: trees, lengths, highlighted passages, exhaustivity, entry points.


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
        judged = []
        for number in range(_DOCUMENTS):
            name = f"d{topic * _DOCUMENTS + number:02d}"
            extents = _element_extents(topic, number)
            lines += [f"{name}\t{path}\t{start}\t{length}\n" for path, (start, length) in extents.items()]
            judged.append(_document_assessments(name, extents, number))
        topic_id = str(topic + 1)
        text = f'<assessments topic="{topic_id}">\n{"".join(judged)}</assessments>\n'
        files.append((Content(f"{_PLACE}/{topic_id}.xml", text.encode()), False))
    structure = read_structure(Content(f"{_PLACE}.tsv", "".join(lines).encode()))
    return Sample(structure, read_assessment_files(files, _PLACE))


def _element_extents(topic: int, number: int) -> dict[str, tuple[int, int]]:
    """Start and length of each element of a document, in document order: sections of a title and paragraphs."""
    lengths = [
        [100 + 40 * ((7 * topic + 5 * number + 3 * section + 2 * one) % 11) for one in range(_PARAGRAPHS)]
        for section in range(_SECTIONS)
    ]
    found: dict[str, tuple[int, int]] = {"/article[1]": (0, 0), "/article[1]/title[1]": (0, _TITLE)}
    found["/article[1]/body[1]"] = (_TITLE, 0)
    place = _TITLE
    for section, own in enumerate(lengths, 1):
        path = f"/article[1]/body[1]/section[{section}]"
        found[path] = (place, _TITLE + sum(own))
        found[f"{path}/title[1]"] = (place, _TITLE)
        starts = accumulate(own[:-1], initial=place + _TITLE)
        found |= {f"{path}/p[{one}]": extent for one, extent in enumerate(zip(starts, own, strict=True), 1)}
        place += _TITLE + sum(own)
    found["/article[1]"], found["/article[1]/body[1]"] = (0, place), (_TITLE, place - _TITLE)
    return found


def _document_assessments(name: str, extents: dict[str, tuple[int, int]], number: int) -> str:
    """The assessments of a document: one passage, where reading should begin, and what every element has of it."""
    section = f"/article[1]/body[1]/section[{number % _SECTIONS + 1}]"
    paragraph = f"{section}/p[{number // 4 % _PARAGRAPHS + 1}]"
    whole, half = number % 4 == 0, number % 4 == 2
    target = section if whole else paragraph
    start, length = extents[target]
    end = start + (length // 2 if half else length)
    first, last = (f"{section}/title[1]", f"{section}/p[{_PARAGRAPHS}]") if whole else (paragraph, paragraph)
    marked = end - extents[last][0]
    return (
        f'<file collection="sample" name="{name}">\n<best-entry-point path="{first}/text()[1].0"/>\n'
        f'<passage start="{first}/text()[1].0" end="{last}/text()[1].{marked}" size="{end - start}"/>\n'
        f"{''.join(_elements(extents, target, start, end))}</file>\n"
    )


def _elements(extents: dict[str, tuple[int, int]], target: str, start: int, end: int) -> Iterator[str]:
    """An element that holds highlighted text: as much as it can below the target, which is the best place to be."""
    for path, (own, length) in extents.items():
        held = min(own + length, end) - max(own, start)
        if held > 0:
            exhaustivity = 1 if path.startswith(f"{target}/") else 2
            yield f'<element path="{path}" exhaustivity="{exhaustivity}" size="{length}" rsize="{held}"/>\n'


# What may be wrong with a list: the situations of the gallery, each a few steps away from the ideal list.


@dataclass(frozen=True)
class SituationStep:
    """A step away from the ideal list: what it is called on the axis, and the changes of `prum_eval.simulate`."""

    name: str
    changes: tuple[str, ...]


@dataclass(frozen=True)
class Situation:
    """Something that goes wrong more and more.

    `name` and `axis`: title and label of its panel. `meaning`: what is done to the list. `steps`: from the first on;
    the ideal list stands before them, as `ideal`. `copies`: runs of each step that differ by chance.
    """

    name: str
    axis: str
    meaning: str
    ideal: str
    steps: tuple[SituationStep, ...]
    copies: int = 1

    @property
    def step_names(self) -> tuple[str, ...]:
        """Names of all steps, that of the ideal list first."""
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
"""In the order in which they are shown."""


_OMISSION_HEAD = "; left out: "
_REASON = re.compile(r"^.*: document .*, retrieved on line [0-9]+, ")
"""What a warning says of a run that a measure refuses, before the reason."""
_SEED = 40
"""The first with which no two elements of noise are in one document, which some measures refuse."""
TOKENS = 0.25
"""Tokens a character, for measures that count tokens."""
_USUAL_POINTS = {Shape.AT_RANKS: 10.0, Shape.AT_LEVELS: 0.2, Shape.AT_BUDGETS: 2000.0}
"""Of a measure with many cut-offs, levels or budgets, the one nearest to this is shown."""


@dataclass(frozen=True)
class MeasureAnswer:
    """A measure in a situation: `values` has one a step, the ideal list first, None where it refuses such runs.

    `reason`: why it refuses the first of those, if it does. `top`: the value at the top of its picture, the same in all
    situations: 1, or the largest one where that is more.
    """

    measure: str
    situation: Situation
    values: tuple[float | None, ...]
    reason: str | None
    top: float


@dataclass(frozen=True, repr=False)
class Answers(Tabular):
    """What `answers` returns: of each measure one answer a situation, in the order of these."""

    answers: tuple[MeasureAnswer, ...]

    @property
    def by_measure(self) -> Mapping[str, Sequence[MeasureAnswer]]:
        """The answers of each measure."""
        found: dict[str, list[MeasureAnswer]] = {}
        for one in self.answers:
            found.setdefault(one.measure, []).append(one)
        return found

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a measure, situation and step."""
        for one in self.answers:
            for step, value in zip(one.situation.step_names, one.values, strict=True):
                yield {"measure": one.measure, "situation": one.situation.name, "step": step, "value": value}

    def _summary(self) -> str:
        return f"{plural(len(self.by_measure), 'measure')} in {plural(len(SITUATIONS), 'situation')}"

    def _table(self) -> Table:
        rows = list(self.rows())
        return ("measure", "situation", "step", "value"), (list(row.values()) for row in rows)


def answers(measure: str) -> Answers:
    """How a measure answers to near misses, overlap, noise in front, missing targets and reading effort.

    >>> from prum_eval import answers
    >>> found = answers("eprum_map")
    >>> found
    <Answers: 1 measure in 5 situations>
    >>> [round(value, 4) for value in found.answers[3].values]
    [1.0, 0.875, 0.5833, 0.2917, 0.0972]

    The runs are simulated on a small collection that is made up, the same for every measure; results are as evaluate
    gives them there.

    Args:
        measure: a specification as ``-m`` takes it: a measure, a family or a set, with settings if need be. If it names
            no cut-offs, levels or budgets, one of each measure is shown.

    Raises:
        UsageError: an unknown name, or a value that is not legal.
        DataError: it cannot be computed on the collection.
    """
    made = sample()
    runs = list(_runs(made))
    options = EvaluationOptions(
        assessments=made.assessments,
        runs=[run for _, run in runs],
        structure=made.structure,
        measures=measure,
        tokens=TOKENS,
    )
    prepared = prepare(options)
    # a measure that refuses some runs is shown all the same
    pairs = [(replace(instance, explicit=False), setting) for instance, setting in prepared.pairs]
    evaluation = evaluate_call(replace(prepared, pairs=pairs))
    found: dict[StepName, list[RunResult]] = {}
    for (place, _), result in zip(runs, evaluation.runs, strict=True):
        found.setdefault(place, []).append(result)
    refused = [notice for notice in evaluation.warnings if notice.kind == REFUSED]
    every = split_cutoffs(measure.partition(":")[0])[1] is not None
    return Answers(
        tuple(
            answer
            for instance, _ in pairs
            for name in (instance.names if every else _shown_names(instance))
            for answer in _measure_answers(
                name, found, [one for one in refused if instance.label in _refused_measures(one)]
            )
        )
    )


StepName = tuple[str, str]
"""A situation and a step of it, by name; those of the ideal list are empty."""
_IDEAL = ("", "")


def _runs(made: Sample) -> Iterator[tuple[StepName, Run]]:
    """The runs of all steps, the ideal list first."""
    steps: list[tuple[StepName, tuple[str, ...], int]] = [(_IDEAL, (), 1)]
    steps += [((one.name, step.name), step.changes, one.copies) for one in SITUATIONS for step in one.steps]
    for place, changes, copies in steps:
        made_runs = simulate(made.assessments, structure=made.structure, changes=changes, copies=copies, seed=_SEED)
        for simulated in made_runs:
            name = "-".join(filter(None, (*place, str(simulated.copy))))
            yield place, replace(simulated.run, run_id=name, path=name)


def _shown_names(instance: ConfiguredMeasure) -> tuple[str, ...]:
    """The name that is shown of a measure: of several, the one whose cut-off, level or budget is a usual one."""
    usual = _USUAL_POINTS.get(instance.measure.shape, 0.0)
    points = dict(zip(instance.cutoffs, instance.names, strict=False))
    return (points[min(points, key=lambda point: abs(point - usual))],) if points else instance.names


def _measure_answers(
    name: str, found: Mapping[StepName, Sequence[RunResult]], refused: Sequence[Notice]
) -> list[MeasureAnswer]:
    """The answers of a measure: means over copies, and why the first step that has none has none."""
    values = {place: _mean([run.all.get(name) for run in runs]) for place, runs in found.items()}
    top = max([1.0, *(value for value in values.values() if value is not None)])
    reasons = {one.run: _REASON.sub("", one.text).partition(_OMISSION_HEAD)[0] for one in refused}
    answered = []
    for situation in SITUATIONS:
        places = [_IDEAL, *((situation.name, step.name) for step in situation.steps)]
        reason = next((reasons[run.path] for place in places for run in found[place] if run.path in reasons), None)
        answered.append(MeasureAnswer(name, situation, tuple(values[place] for place in places), reason, top))
    return answered


def _mean(values: Sequence[MeasuredValue]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if len(known) == len(values) else None


def _refused_measures(notice: Notice) -> list[str]:
    """The measures that refuse a run, as a warning names them."""
    return notice.text.rpartition(_OMISSION_HEAD)[2].split(", ")
