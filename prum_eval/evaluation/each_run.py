"""Runs evaluated one by one: each result as soon as it is done, and which stored results are still valid."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from prum_eval.errors import InputError, raise_first
from prum_eval.evaluation.api import assemble_evaluation
from prum_eval.evaluation.evaluate_run import EvaluatedRun, OnFailure, OnProgress, run_outcomes
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.plan import Plan, call_parameters, signature
from prum_eval.evaluation.prepare import prepare
from prum_eval.evaluation.results import Evaluation
from prum_eval.formats.gold import checksums
from prum_eval.formats.reading import AssessmentsInput, RunInputs
from prum_eval.text.json_lines import unique_members

INPUTS_KEY = "inputs"
"""Key of an evaluation in JSON: SHA-256 of every input file, by path."""
REQUEST_KEY = "asked"
"""Key of the SHA-256 of all that was asked for: measures, names, parameters, topics, groups."""
RUNS_OF_FILE_KEY = "runs_of_file"
"""Key of the number of runs in the file of a run, where it holds several."""


@dataclass(frozen=True, eq=False)
class RunByRunCall:
    """A call whose runs are evaluated and written one by one.

    `shared_checksums`: SHA-256 of the input files that all runs share, by path; `signature`: that of every evaluation;
    `request_checksum`: SHA-256 of what the signature does not have in full.
    """

    plan: Plan
    shared_checksums: Mapping[str, str]
    signature: str
    request_checksum: str

    @property
    def paths(self) -> list[str]:
        """The file of each run, in order; empty if a run comes from no file."""
        return [source if isinstance(source, str) else "" for source in self.plan.sources]

    def skip_runs(self, paths: Iterable[str]) -> RunByRunCall:
        """The same call without the runs of these files."""
        skipped = set(paths)
        sources = [source for source in self.plan.sources if source not in skipped]
        return replace(self, plan=replace(self.plan, sources=sources))

    def input_checksums(self, path: str) -> dict[str, str]:
        """SHA-256 of all input files of the evaluation of one run.

        Raises:
            InputError: a file cannot be read.
        """
        return {**self.shared_checksums, **checksums([path])}

    def is_done(self, stored: Mapping[str, Any], path: str) -> bool:
        """Whether a stored evaluation is what the run of a file would give; never if the file cannot be read."""
        if stored.get("signature") != self.signature or stored.get(REQUEST_KEY) != self.request_checksum:
            return False
        try:
            return stored.get(INPUTS_KEY) == self.input_checksums(path)
        except InputError:
            return False

    def to_json_line(self, evaluation: Evaluation, path: str, runs: int) -> str:
        """The evaluation of one of the n `runs` of a file as one line of JSON, with its checksums.

        Raises:
            InputError: the file cannot be read.
        """
        entries = evaluation.to_dict()
        entries |= {INPUTS_KEY: self.input_checksums(path), REQUEST_KEY: self.request_checksum}
        if runs > 1:
            entries[RUNS_OF_FILE_KEY] = runs
        return json.dumps(entries, ensure_ascii=False)

    def evaluations(
        self, problems: OnFailure = raise_first, progress: OnProgress | None = None
    ) -> Iterator[tuple[int, int, Evaluation]]:
        """Number of a source, number of its runs, and the evaluation of one run, in order as they are done.

        Runs that fail count too.
        """
        for number, outcomes in enumerate(run_outcomes(self.plan)):
            for outcome in outcomes:
                if isinstance(outcome, EvaluatedRun):
                    yield number, len(outcomes), assemble_evaluation(self.plan, [outcome])
                else:
                    problems(outcome)
            if progress is not None:
                progress(number + 1, len(self.plan.sources))


def prepare_run_by_run(call: EvaluationOptions) -> RunByRunCall:
    """Read what all runs share, and compute its checksums.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.evaluate`.
    """
    plan = prepare(call)
    inputs = plan.inputs
    paths = [shared.path for shared in (inputs.assessments, inputs.structure, inputs.navigation) if shared is not None]
    if call.config is not None:
        paths.append(str(call.config))
    groups = inputs.assessments.groups
    request = [call_parameters(plan), repr(plan.tokens), plan.names, plan.requested_names]
    text = json.dumps([*request, sorted(groups.items()) if groups else []])
    return RunByRunCall(
        plan, checksums([str(path) for path in paths]), signature(plan), hashlib.sha256(text.encode()).hexdigest()
    )


def evaluate_each(
    assessments: AssessmentsInput | None = None,
    runs: RunInputs | None = None,
    *,
    problems: OnFailure = raise_first,
    progress: OnProgress | None = None,
    **options: Any,  # noqa: ANN401 - those of evaluate
) -> Iterator[Evaluation]:
    """Evaluate runs, and return the evaluation of each as soon as it and those before it are done.

    However many runs there are, one evaluation is held at a time. The arguments are those of `prum_eval.evaluate`.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.evaluate`, when the first is requested.
    """
    plan = prepare(EvaluationOptions(assessments=assessments, runs=runs, **options))
    call = RunByRunCall(plan, {}, signature(plan), "")
    yield from (evaluation for _, _, evaluation in call.evaluations(problems, progress))


def read_stored_evaluations(lines: Sequence[bytes]) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """Lines that hold a whole evaluation of one run, their contents, and the path of the run.

    A line that was cut off, even within a letter, or holds something else, is left out.
    """
    for line in lines:
        try:
            text = line.decode()
            stored = json.loads(text, object_pairs_hook=unique_members)
            path = stored["runs"][0]["path"]
        except (ValueError, LookupError, TypeError, RecursionError):
            continue
        if isinstance(path, str):
            yield text, stored, path
