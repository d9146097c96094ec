"""Runs one after the other: an evaluation of each as soon as it is done, and which of them need not be done again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

from prum_eval.errors import raise_first
from prum_eval.evaluation.api import EvaluationKeywords, evaluation_of
from prum_eval.evaluation.evaluate_run import Evaluated
from prum_eval.evaluation.evaluate_runs import Job, OnFailure, OnProgress, outcomes_of
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.plan import signature
from prum_eval.evaluation.prepare import Prepared, prepare
from prum_eval.evaluation.results import Evaluation
from prum_eval.formats.given import GivenAssessments, GivenRuns
from prum_eval.formats.values.gold import checksums
from prum_eval.version import __version__

INPUTS = "inputs"
"""Key of an evaluation in JSON: SHA-256 of every input file, by path."""


@dataclass(frozen=True)
class EachRun:
    """A call ready to be computed run by run.

    `shared`: SHA-256 of the input files that all runs share, by path; `signature`: that of every evaluation.
    """

    prepared: Prepared
    shared: Mapping[str, str]
    signature: str

    @property
    def paths(self) -> list[str]:
        """The file of each run, in order; empty where a run comes from no file."""
        return [source if isinstance(source, str) else "" for source in self.prepared.sources]

    def without(self, done: Iterable[str]) -> EachRun:
        """The same without the runs of these files."""
        left_out = set(done)
        kept = [source for source in self.prepared.sources if source not in left_out]
        return replace(self, prepared=replace(self.prepared, sources=kept))

    def inputs_of(self, path: str) -> dict[str, str]:
        """SHA-256 of all input files of the evaluation of one run.

        Raises:
            InputError: a file cannot be read.
        """
        return {**self.shared, **checksums([path])}

    def is_done(self, known: Mapping[str, Any], path: str) -> bool:
        """Whether an evaluation in JSON is what would come of the run of a file."""
        return known.get("signature") == self.signature and known.get(INPUTS) == self.inputs_of(path)

    def evaluations(
        self, problems: OnFailure = raise_first, progress: OnProgress | None = None
    ) -> Iterator[tuple[int, Evaluation]]:
        """The number of a source and the evaluation of a run of it, each as soon as it and those before it are done."""
        plan, sources = self.prepared.plan, self.prepared.sources
        for number, outcomes in enumerate(outcomes_of(Job(plan, self.prepared.rank_by), sources, self.prepared.place)):
            for outcome in outcomes:
                if isinstance(outcome, Evaluated):
                    yield number, evaluation_of(self.prepared, [outcome])
                else:
                    problems(outcome)
            if progress is not None:
                progress(number + 1, len(sources))


def each_run(call: EvaluationOptions) -> EachRun:
    """Read what all runs share, and its sums.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.evaluate`.
    """
    prepared = prepare(call)
    inputs = prepared.plan.inputs
    files = [one.path for one in (inputs.assessments, inputs.structure, inputs.navigation) if one is not None]
    own = [*files, *([] if call.config is None else [call.config])]
    said = signature(__version__, prepared.plan, prepared.rank_by)
    return EachRun(prepared, checksums([str(path) for path in own]), said)


def evaluate_each(
    assessments: GivenAssessments | None = None,
    runs: GivenRuns | None = None,
    **options: Unpack[EvaluationKeywords],
) -> Iterator[Evaluation]:
    """Evaluate runs, and return the evaluation of each as soon as it and those before it are done.

    However many runs there are, one evaluation is held at a time. The arguments are those of `prum_eval.evaluate`.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.evaluate`, when the first is asked for.
    """
    problems, progress = options.pop("problems", raise_first), options.pop("progress", None)
    call = EvaluationOptions(assessments=assessments, runs=runs, **options)  # type: ignore[misc]
    prepared = prepare(call)
    found = EachRun(prepared, {}, signature(__version__, prepared.plan, prepared.rank_by))
    yield from (evaluation for _, evaluation in found.evaluations(problems, progress))


def stored_line(evaluation: Evaluation, inputs: Mapping[str, str]) -> str:
    """The evaluation of one run as one line of JSON, with the sums of its inputs."""
    found = evaluation.to_dict()
    runs = found.pop("runs")
    return json.dumps({**found, INPUTS: dict(inputs), "runs": runs}, ensure_ascii=False)


def stored_evaluations(lines: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Lines that hold an evaluation of one run whole, and what they hold; a line that was cut off is left out."""
    for line in lines:
        try:
            known = json.loads(line)
        except ValueError:
            continue
        if isinstance(known, dict) and isinstance(known.get("runs"), list):
            yield line, known
