"""What a gold file shall hold, and the evaluation that one tells."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from prum_eval.errors import DataError, InputError, UsageError
from prum_eval.evaluation.api import evaluate
from prum_eval.evaluation.results import Evaluation
from prum_eval.formats.values.gold import Gold, GoldRun, checksums
from prum_eval.formats.values.thresholds import Threshold

_STDIN = "-"
EFFORT = frozenset({"jobs", "cluster", "cache", "curves"})
"""Arguments of an evaluation that say how it is done and change no number: a gold file leaves them out."""
PATHS = ("structure", "navigation", "config")
"""Arguments that are paths, beside the assessments and the runs."""


def make_gold(
    assessments: str, runs: Sequence[str], options: Mapping[str, Any], thresholds: Sequence[Threshold] = ()
) -> tuple[Gold, Evaluation]:
    """Evaluate, and put together what a gold file shall hold.

    Args:
        assessments: path of the assessments.
        runs: paths of the runs.
        options: the other arguments of `prum_eval.evaluate`; those left at their defaults are not written down.
        thresholds: what the averages of every run must reach.

    Raises:
        UsageError: standard input is among the inputs: it could not be read again.
        InputError, DataError: as `prum_eval.evaluate`.
    """
    defaults = {name: one.default for name, one in inspect.signature(evaluate).parameters.items()}
    given = {
        name: _plain(value)
        for name, value in options.items()
        if name not in EFFORT and value != defaults.get(name) and value not in ((), {})
    }
    arguments = {"assessments": assessments, "runs": list(runs), **given}
    if _STDIN in input_paths(arguments):
        raise UsageError("a gold file names its inputs, so none can be - (standard input)")
    evaluation = evaluate(assessments, runs, **options)
    if "topics" in arguments:  # names stay what they are, whatever becomes of a file of them
        arguments["topics"] = evaluation.parameters["topics"]
    return gold_values(evaluation, arguments, thresholds), evaluation


def gold_values(
    evaluation: Evaluation, arguments: Mapping[str, Any], thresholds: Sequence[Threshold] = (), directory: str = ""
) -> Gold:
    """What a gold file shall hold of an evaluation of these arguments, whose relative paths lead on from `directory`.

    Raises:
        InputError: an input cannot be read.
    """
    paths = input_paths(arguments)
    named = {_from(directory, path): path for path in paths}
    if "config" in arguments and "structure" not in arguments and evaluation.parameters["structure"] != "assessments":
        paths.append(evaluation.parameters["structure"])  # the configuration file names it
    results = [GoldRun(run.run_id, named.get(run.path, run.path), dict(run.topics), run.all) for run in evaluation.runs]
    sums = checksums(paths, directory)
    return Gold(
        evaluation.version,
        evaluation.signature,
        arguments,
        sums,
        evaluation.parameters,
        results,
        tuple(thresholds),
    )


def _from(directory: str, path: str) -> str:
    return os.path.join(directory, path)  # noqa: PTH118 - paths stay as given


def _plain(value: Any) -> Any:  # noqa: ANN401 - any value that JSON can hold
    return list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value


def input_paths(arguments: Mapping[str, Any]) -> list[str]:
    """All paths among the arguments of an evaluation, in a fixed order."""
    more = [arguments[name] for name in PATHS if arguments.get(name) is not None]
    return [arguments["assessments"], *arguments["runs"], *more]


def evaluate_again(gold: Gold, name: str, directory: str = "") -> Evaluation:
    """The evaluation that a gold file tells, with relative paths leading on from `directory`.

    Raises:
        InputError: an argument that this version does not know or cannot take; else as `prum_eval.evaluate`.
    """
    known = inspect.signature(evaluate).parameters
    for key, value in gold.arguments.items():
        if key not in known:
            raise InputError(name, None, f"arguments.{key}: this version of prum-eval knows no such argument")
        if not _fits(key, value):
            raise InputError(name, None, f"arguments.{key}: {value!r} is no value of it")
    arguments = dict(gold.arguments)
    for key in ("assessments", *PATHS):
        if key in arguments:
            arguments[key] = _from(directory, arguments[key])
    arguments["runs"] = [_from(directory, run) for run in gold.arguments["runs"]]
    try:
        return evaluate(**arguments)
    except UsageError as error:  # not of this command, but of the one whose options the file holds
        raise DataError(f"{name}: {error}") from error


_KINDS = {
    "complete": bool,
    "limit": int,
    "relevance_level": int,
    "judged_only": bool,
    "topics": list,
    "collection_size": int,
    "tokens": Real,
    "settings": dict,
    "runs": list,
    "measures": list,
}


def _fits(key: str, value: object) -> bool:
    """Whether a value read from a file is of the type that the argument has; all that are not listed are texts."""
    if not isinstance(value, _KINDS.get(key, str)) or (isinstance(value, bool) and _KINDS.get(key) is not bool):
        return False
    inner = list(value) if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    return all(isinstance(one, str) for one in inner)
