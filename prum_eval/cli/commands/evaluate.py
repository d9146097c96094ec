"""``prum-eval eval``: scores of runs.

Runs are evaluated together and printed, or with --output-dir, --resume or -f jsonl one by one (`write_each_run`).
--explain-worst writes pages about the topics on which runs are worst.
"""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from prum_eval.cli.help import Command
from prum_eval.cli.options import (
    FILE_OPTIONS,
    PATH,
    TABLE_OPTIONS,
    WholeNumber,
    check_date,
    check_paths,
    check_table_options,
    complete_folders,
    evaluation_options,
    groups_option,
    page_date,
    require_inputs,
    result_options,
)
from prum_eval.cli.output import (
    STANDARD_OUTPUT,
    ResultOutput,
    Verbosity,
    copy_mode,
    is_special,
    print_message,
    print_notices,
    print_summary,
    print_warnings,
    progress_bar,
    protect_inputs,
    refuse_input,
    verbosity,
    write_files,
    write_output,
    write_results,
)
from prum_eval.errors import InputError, PrumEvalError, UsageError
from prum_eval.report.layout import Layout, safe_file_name, unique_file_name
from prum_eval.report.registry import OUTPUT_FORMATS, OutputFormat

if TYPE_CHECKING:
    from prum_eval.analysis.comparison import Comparison
    from prum_eval.evaluation.each_run import RunByRunCall
    from prum_eval.evaluation.options import EvaluationOptions
    from prum_eval.evaluation.results import Evaluation

_FILE_OPTIONS = (
    click.option(
        "--output-dir",
        "folder",
        metavar="DIR",
        shell_complete=complete_folders,
        help="Write the JSON of each run into a file in DIR as soon as the run is done. -f jsonl writes it as lines.",
    ),
    click.option(
        "--resume",
        is_flag=True,
        help="Skip runs that DIR, or the file of -f jsonl, holds already for the same inputs and options.",
    ),
    click.option(
        "--curves",
        metavar="DIR",
        shell_complete=complete_folders,
        help="Write the curves of each run into a folder in DIR: one .dat file per measure (with -q per topic too) and "
        "curves.gp for gnuplot.",
    ),
)
_PAGE_OPTIONS = (
    click.option(
        "--explain-worst",
        type=WholeNumber(1),
        metavar="N",
        help="With -f html -o FILE: explain the N worst topics of each run on pages in the folder FILE-topics.",
    ),
    click.option(
        "--texts",
        type=PATH,
        metavar="SOURCE",
        help="Check the text of results against its source: a directory or archive of documents, or JSON Lines with "
        "doc and text. --explain-worst shows these texts.",
    ),
    click.option(
        "--baseline",
        metavar="RUN",
        help="Mark averages in tables that differ significantly from those of this run (randomisation test, adjusted "
        "p < .05). compare has other tests.",
    ),
    *TABLE_OPTIONS,
)


@click.command("eval", cls=Command)
@click.argument("assessments", required=False, type=PATH, metavar="ASSESSMENTS")
@click.argument("runs", nargs=-1, type=PATH, metavar="RUN [RUN ...]")
@evaluation_options
@groups_option
@click.option("-q", "--per-topic", "per_topic", is_flag=True, help="Print values per topic too.")
@click.option("-n", "no_averages", is_flag=True, help="Print no averages.")
@result_options(
    "Evaluation",
    "trec",
    picture="curves over recall levels or cut-offs, one line per run (with -q per topic); for measures that are costs "
    "recall by reading and quality by cost",
    files=_FILE_OPTIONS,
    more=_PAGE_OPTIONS,
)
def command(
    assessments: str | None,
    runs: tuple[str, ...],
    groups: str | None,
    per_topic: bool,
    no_averages: bool,
    out: ResultOutput,
    folder: str | None,
    resume: bool,
    curves: str | None,
    explain_worst: int | None,
    texts: str | None,
    baseline: str | None,
    **options: Any,  # noqa: ANN401 - those that say what is computed
) -> None:
    """Score RUNs against ASSESSMENTS, and print the values.

    ASSESSMENTS is a file, a directory of XML files, or - for standard input. RUNs are TREC or INEX files or JSON Lines.
    Formats and compression are recognised by content. --config may name the inputs instead. `prum-eval measures` lists
    all measures.

    \b
    Examples:
      prum-eval eval qrels run
      prum-eval eval -f table -m map -m P.5,10 -q qrels run1 run2
      prum-eval eval -s structure.tsv -u hierarchical -m eprum assessments run
    """
    from prum_eval.evaluation.api import evaluate

    style, sort, transpose = out.style, out.layout.sort, out.layout.transpose
    context = click.get_current_context()
    if out.plot is not None and no_averages and not per_topic:
        raise UsageError("--plot: nothing to draw: -n leaves out the averages, and topics need -q")
    check_paths(assessments, *runs, groups, *(options[name] for name in FILE_OPTIONS), texts)
    if explain_worst is not None:
        check_worst_options(style, out.path, assessments or "", *runs)
    if style.has_date or baseline or sort or transpose:
        check_table_options("Evaluation", style, baseline=baseline, sort=sort, transpose=transpose)
        check_date(bears=style.has_date)
    require_inputs(assessments, runs, options["config"])
    if folder is not None or resume or style.is_streamed:
        from prum_eval.evaluation.options import EvaluationOptions

        others = {"--plot": out.plot, "--curves": curves, "--explain-worst": explain_worst, "--baseline": baseline}
        check_each_run_options(style, folder, out.path, resume=resume, others=others)
        call = EvaluationOptions(assessments=assessments, runs=runs or None, groups=groups, **options)
        context.exit(write_each_run(call, folder, out.path, resume=resume))
    outputs = out.outputs
    if curves is not None:
        outputs.insert(-1, (OUTPUT_FORMATS["gnuplot"], curves))
    failures: list[PrumEvalError] = []
    with progress_bar("Runs") as progress:
        evaluation = evaluate(
            assessments,
            runs or None,
            **options,
            groups=groups,
            curves=any(output.needs_curves for output, _ in outputs),
            problems=failures.append,
            progress=progress,
        )
    if not evaluation.runs:
        _print_failures(failures)
        context.exit(1)
    parameters, run_paths = evaluation.parameters, [run.path for run in evaluation.runs]
    if options["config"] is not None:  # it may have named inputs
        check_paths(*(parameters[name] for name in ("assessments", "structure", "navigation")), *run_paths)
    marks = None if baseline is None else _baseline_comparison(evaluation, baseline)
    print_notices(evaluation if marks is None else marks)
    if texts is not None:
        from prum_eval.evaluation.result_texts import changed_text_warnings  # few calls compare texts

        print_warnings(changed_text_warnings(run_paths, texts))
    if groups is not None and not style.has_groups:
        print_warnings([f"{style.name} has no averages by group; the other formats have"])
    if no_averages and not (per_topic or style.has_all):
        print_warnings(["-n leaves out the averages, and topics need -q: nothing is left to print"])
    inputs = [parameters["assessments"], options["config"], *map(parameters.get, FILE_OPTIONS), *run_paths]
    date = page_date(inputs) if style.has_date else ""
    layout = replace(out.layout, per_topic=per_topic, averages=not no_averages, date=date, marks=marks)
    if explain_worst is not None and out.path is not None:
        runs_read = assessments, runs or None
        layout = write_worst_topics(evaluation, explain_worst, runs_read, texts, options, layout, style, out.path)
    write_results(evaluation, layout, outputs)
    if failures:
        _print_failures(failures)
        context.exit(1)


def _baseline_comparison(evaluation: Evaluation, baseline: str) -> Comparison:
    """Comparison of the runs with one of them, with all warnings."""
    from prum_eval.analysis.compare import compare

    comparison = compare(values=evaluation, baseline=baseline, common=True)
    warnings = (*evaluation.warnings, *comparison.matrix.warnings)
    return replace(comparison, matrix=replace(comparison.matrix, warnings=warnings))


def _print_failures(failures: Sequence[PrumEvalError]) -> None:
    """Print what is wrong with runs; equal messages once."""
    for message in dict.fromkeys(failure.message for failure in failures):
        print_message(message)


# --output-dir, -f jsonl and --resume: each run is written when it is done.


_ENDING = ".json"


class _RunStore(ABC):
    """Where the evaluations of single runs are written."""

    @abstractmethod
    def finished_files(self, call: RunByRunCall) -> set[str]:
        """Files of runs with a stored evaluation of the same inputs under the same signature."""

    @abstractmethod
    def write(self, path: str, run_id: str, line: str) -> None:
        """Write the evaluation of a run of a file, one line of JSON."""

    @abstractmethod
    def finish(self) -> None:
        """Called when all runs are done."""


class _FolderStore(_RunStore):
    """One file per run, named like its file with .json appended; more runs of one file add their names."""

    def __init__(self, folder: str, paths: Sequence[str]) -> None:
        used: set[str] = set()
        self._folder = Path(folder)
        self._names = {
            path: unique_file_name(safe_file_name(Path(path).name or "run"), used, _ENDING) for path in paths
        }
        for name in self._names.values():
            refuse_input(str(self._folder / name))
        self._used = used
        self._written: set[str] = set()

    def finished_files(self, call: RunByRunCall) -> set[str]:
        """Files of which all runs have their file."""
        from prum_eval.evaluation.each_run import read_stored_evaluations

        files = sorted(file for file in self._folder.glob("*" + _ENDING) if file.is_file())
        stored = {
            file.name: (evaluation, path)
            for file in files
            for _, evaluation, path in read_stored_evaluations(_read_byte_lines(file))
        }
        first = {path for path, name in self._names.items() if name in stored and stored[name][1] == path}
        return _complete_files(call, [(evaluation, path) for evaluation, path in stored.values() if path in first])

    def write(self, path: str, run_id: str, line: str) -> None:
        """Write the file of a run, whole or not at all."""
        name = self._names[path]
        if name in self._written:
            name = unique_file_name(f"{name.removesuffix(_ENDING)}.{safe_file_name(run_id)}", self._used, _ENDING)
        self._written.add(name)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(str(self._folder), None, f"cannot be written: {error.strerror}") from error
        write_output(line + "\n", str(self._folder / name))

    def finish(self) -> None:
        """Nothing is left to do."""


class _LinesStore(_RunStore):
    """One line per run, on standard output, or in a file that is replaced when all runs are done.

    Until then the lines are in a file beside it, ``FILE.part``, which --resume continues.
    """

    def __init__(self, path: str | None) -> None:
        self._path = path if path not in STANDARD_OUTPUT else None
        is_device = self._path is not None and is_special(self._path)
        self._part = self._path if self._path is None or is_device else f"{os.path.realpath(self._path)}.part"
        self._has_begun = is_device
        if self._path is not None and self._part is not None:
            refuse_input(self._part)
            try:
                Path(self._path).parent.resolve(strict=True)  # as in `write_bytes`
            except OSError as error:
                raise InputError(self._path, None, f"cannot be written: {error.strerror}") from error

    def finished_files(self, call: RunByRunCall) -> set[str]:
        """Files with complete lines, which are all that is left in the unfinished file."""
        from prum_eval.evaluation.each_run import read_stored_evaluations

        if self._path is None or self._part is None:
            return set()
        files = [Path(path) for path in dict.fromkeys((self._path, self._part))]
        files = [file for file in files if os.path.isfile(file) or os.path.isdir(file)]  # noqa: PTH112, PTH113
        stored = {
            text: (evaluation, path)
            for file in files
            for text, evaluation, path in read_stored_evaluations(_read_byte_lines(file))
        }
        done = _complete_files(call, list(stored.values()))
        valid = [text for text, (evaluation, path) in stored.items() if path in done and call.is_done(evaluation, path)]
        if files:
            write_output("".join(f"{text}\n" for text in valid), self._part)
            self._has_begun = True
        return done

    def write(self, path: str, run_id: str, line: str) -> None:  # noqa: ARG002 - the line names the run
        """Write a line without delay."""
        if self._path is None or self._part is None:
            write_output(line + "\n", None)
            sys.stdout.flush()
            return
        try:
            with Path(self._part).open("ab" if self._has_begun else "wb") as file:
                file.write(f"{line}\n".encode(errors="backslashreplace"))
        except OSError as error:
            raise InputError(self._path, None, f"cannot be written: {error.strerror}") from error
        self._has_begun = True

    def finish(self) -> None:
        """Put the complete file in its place."""
        if self._path is None or self._part is None or self._part == self._path:
            return
        try:
            target, part = Path(os.path.realpath(self._path)), Path(self._part)
            if not self._has_begun:
                part.write_bytes(b"")
            copy_mode(target, part)
            part.replace(target)
        except OSError as error:
            raise InputError(self._path, None, f"cannot be written: {error.strerror}") from error


def _read_byte_lines(file: Path) -> list[bytes]:
    """The lines of a file, which may have been cut off anywhere."""
    try:
        return file.read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(str(file), None, f"cannot be read: {error.strerror}") from error


def _complete_files(call: RunByRunCall, stored: Sequence[tuple[Mapping[str, Any], str]]) -> set[str]:
    """Files of which every run has a stored evaluation that is still valid."""
    from prum_eval.evaluation.each_run import RUNS_OF_FILE_KEY

    paths = set(call.paths)
    run_counts: dict[str, list[Any]] = {}  # by path, the number of runs of the file according to each evaluation
    for evaluation, path in stored:
        if path in paths and call.is_done(evaluation, path):
            run_counts.setdefault(path, []).append(evaluation.get(RUNS_OF_FILE_KEY, 1))
    return {path for path, counts in run_counts.items() if all(number == len(counts) for number in counts)}


def check_each_run_options(
    style: OutputFormat, folder: str | None, output: str | None, *, resume: bool, others: Mapping[str, object]
) -> None:
    """Refuse options that cannot be combined when runs are written one by one.

    Raises:
        click.UsageError: an option of `others`, which need all runs, is given, or there is nothing to resume.
    """
    if folder is None and not style.is_streamed:
        raise click.UsageError("--resume is for --output-dir, or for -f jsonl with -o FILE")
    if folder is not None and output is not None:
        raise click.UsageError("--output-dir replaces -o")
    if resume and folder is None and (output is None or output in STANDARD_OUTPUT):
        raise click.UsageError("--resume with -f jsonl needs -o FILE")
    option = "--output-dir" if folder is not None else f"-f {style.name}"
    for name, value in others.items():
        if value:
            raise click.UsageError(f"{option} writes runs one by one; {name} needs all of them")


def write_each_run(call: EvaluationOptions, folder: str | None, output: str | None, *, resume: bool) -> int:
    """Evaluate and write each run as soon as it is done; the exit status is 1 if a run failed.

    Raises:
        InputError, DataError, UsageError: something is wrong with the call, or a file cannot be written.
    """
    from prum_eval.evaluation.each_run import prepare_run_by_run

    prepared = prepare_run_by_run(call)
    if any(path in ("", "-") for path in prepared.paths):
        raise UsageError("runs that are written one by one must be files, not - (standard input)")
    protect_inputs(prepared.paths)
    store = _LinesStore(output) if folder is None else _FolderStore(folder, prepared.paths)
    done = store.finished_files(prepared) if resume else set[str]()
    remaining = prepared.skip_runs(done)
    failures, written = list[PrumEvalError](), 0
    shared = prepared.plan.warnings
    print_warnings(shared)
    with progress_bar("Runs") as progress:
        for number, runs, evaluation in remaining.evaluations(failures.append, progress):
            path, run = remaining.paths[number], evaluation.runs[0]
            print_warnings(evaluation.warnings[len(shared) :])
            store.write(path, run.run_id, prepared.to_json_line(evaluation, path, runs))
            written += 1
    store.finish()
    _print_failures(failures)
    if verbosity() is not Verbosity.QUIET:
        print_message(prepared.signature)
    if folder is not None or resume:
        skipped = f", {len(done)} there already" if resume else ""
        failed = f", {len(failures)} failed" if failures else ""
        print_summary(f"{folder or output}: {written} written{skipped}{failed}")
    return 1 if failures else 0


# --explain-worst: pages about the topics on which runs are worst, linked from the page of the evaluation.


def check_worst_options(style: OutputFormat, output: str | None, *inputs: str) -> None:
    """Refuse --explain-worst without what it needs.

    Raises:
        click.UsageError: something is missing.
    """
    if not style.has_links or output is None or output in STANDARD_OUTPUT:
        raise click.UsageError("--explain-worst is for -f html with -o FILE")
    if "-" in inputs:
        raise click.UsageError("--explain-worst reads its inputs twice, so - (standard input) is not possible")


def write_worst_topics(
    evaluation: Evaluation,
    count: int,
    inputs: tuple[str | None, tuple[str, ...] | None],
    texts: str | None,
    options: Mapping[str, Any],
    layout: Layout,
    style: OutputFormat,
    output: str,
) -> Layout:
    """Write the pages into a folder beside the output; return the layout with links to them.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.explain`; a file cannot be written.
    """
    from prum_eval.analysis.explain import explain_worst
    from prum_eval.evaluation.options import ONE_TOPIC_EXCLUDES
    from prum_eval.report.html_evaluation import topic_pages

    keywords = {key: value for key, value in options.items() if key not in ONE_TOPIC_EXCLUDES}
    worst = explain_worst(evaluation, count, *inputs, texts=texts, **keywords)
    folder = Path(f"{output.removesuffix('.html')}-topics")
    files, pages = topic_pages(worst, evaluation, replace(layout, format=style.name), folder.name)
    write_files(files, str(folder))
    return replace(layout, worst=pages)
