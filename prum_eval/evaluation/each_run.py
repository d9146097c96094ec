"""Runs one after the other: an evaluation of each as soon as it is done, and which of them need not be done again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

from prum_eval.errors import InputError, raise_first
from prum_eval.evaluation.api import EvaluationKeywords, assemble_evaluation
from prum_eval.evaluation.evaluate_run import EvaluatedRun
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.parallel import Job, OnFailure, OnProgress, run_outcomes
from prum_eval.evaluation.plan import call_parameters, signature
from prum_eval.evaluation.prepare import PreparedCall, prepare
from prum_eval.evaluation.results import Evaluation
from prum_eval.formats.gold import checksums
from prum_eval.formats.reading import AssessmentsInput, RunInputs
from prum_eval.version import __version__

INPUTS_KEY = "inputs"
"""Key of an evaluation in JSON: SHA-256 of every input file, by path."""
REQUEST_KEY = "asked"
"""Key of the SHA-256 of all that was asked for: measures, names, parameters, topics, groups."""
RUNS_OF_FILE_KEY = "runs_of_file"
"""Key of the number of runs in the file of a run, where it holds several."""


@dataclass(frozen=True)
class RunByRunCall:
    """A call ready to be computed run by run.

    `shared_checksums`: SHA-256 of the input files that all runs share, by path; `signature`: that of every evaluation; `request_checksum`:
    SHA-256 of what the signature does not tell in full.
    """

    prepared: PreparedCall
    shared_checksums: Mapping[str, str]
    signature: str
    request_checksum: str

    @property
    def paths(self) -> list[str]:
        """The file of each run, in order; empty where a run comes from no file."""
        return [source if isinstance(source, str) else "" for source in self.prepared.sources]

    def skip_runs(self, done: Iterable[str]) -> RunByRunCall:
        """The same without the runs of these files."""
        left_out = set(done)
        kept = [source for source in self.prepared.sources if source not in left_out]
        return replace(self, prepared=replace(self.prepared, sources=kept))

    def input_checksums(self, path: str) -> dict[str, str]:
        """SHA-256 of all input files of the evaluation of one run.

        Raises:
            InputError: a file cannot be read.
        """
        return {**self.shared_checksums, **checksums([path])}

    def is_done(self, known: Mapping[str, Any], path: str) -> bool:
        """Whether an evaluation in JSON is what would come of the run of a file; never where that cannot be read."""
        if known.get("signature") != self.signature or known.get(REQUEST_KEY) != self.request_checksum:
            return False
        try:
            return known.get(INPUTS_KEY) == self.input_checksums(path)
        except InputError:
            return False

    def to_json_line(self, evaluation: Evaluation, path: str, runs: int) -> str:
        """The evaluation of one of so many runs of a file as one line of JSON, with what tells whether it still holds.

        Raises:
            InputError: the file cannot be read.
        """
        found = evaluation.to_dict()
        told = {
            INPUTS_KEY: self.input_checksums(path),
            REQUEST_KEY: self.request_checksum,
            **({RUNS_OF_FILE_KEY: runs} if runs > 1 else {}),
        }
        return json.dumps({**found, **told, "runs": found.pop("runs")}, ensure_ascii=False)

    def evaluations(
        self, problems: OnFailure = raise_first, progress: OnProgress | None = None
    ) -> Iterator[tuple[int, int, Evaluation]]:
        """The number of a source, that of runs in it, and the evaluation of one, as soon as those before are done.

        Runs that fail count too.
        """
        plan, sources = self.prepared.plan, self.prepared.sources
        for number, outcomes in enumerate(
            run_outcomes(Job(plan, self.prepared.rank_by), sources, self.prepared.backend)
        ):
            for outcome in outcomes:
                if isinstance(outcome, EvaluatedRun):
                    yield number, len(outcomes), assemble_evaluation(self.prepared, [outcome])
                else:
                    problems(outcome)
            if progress is not None:
                progress(number + 1, len(sources))


def prepare_run_by_run(call: EvaluationOptions) -> RunByRunCall:
    """Read what all runs share, and its sums.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.evaluate`.
    """
    prepared = prepare(call)
    inputs = prepared.plan.inputs
    files = [one.path for one in (inputs.assessments, inputs.structure, inputs.navigation) if one is not None]
    own = [*files, *([] if call.config is None else [call.config])]
    said = signature(__version__, prepared.plan, prepared.rank_by)
    return RunByRunCall(prepared, checksums([str(path) for path in own]), said, _request_checksum(prepared))


def _request_checksum(prepared: PreparedCall) -> str:
    """SHA-256 of the measures, the names they print under, their parameters, and the topics and groups that count."""
    plan = prepared.plan
    groups = plan.inputs.assessments.groups
    told = [call_parameters(plan, prepared.rank_by), repr(plan.tokens), prepared.names, prepared.requested_names]
    text = json.dumps([*told, sorted(groups.items()) if groups else []])
    return hashlib.sha256(text.encode()).hexdigest()


def evaluate_each(
    assessments: AssessmentsInput | None = None,
    runs: RunInputs | None = None,
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
    found = RunByRunCall(prepared, {}, signature(__version__, prepared.plan, prepared.rank_by), "")
    yield from (evaluation for _, _, evaluation in found.evaluations(problems, progress))


def read_stored_evaluations(lines: Sequence[bytes]) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """Lines that hold an evaluation of one run whole, what they hold, and the path of the run.

    A line that was cut off, even within a letter, or holds something else, is left out.
    """
    for line in lines:
        try:
            text = line.decode()
            known = json.loads(text)
            path = known["runs"][0]["path"]
        except (ValueError, LookupError, TypeError, RecursionError):
            continue
        if isinstance(path, str):
            yield text, known, path
