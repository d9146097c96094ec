"""``prum-eval eval``: the main job."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from prum_eval.cli.options import (
    FILE_OPTIONS,
    PATH,
    check_date,
    check_paths,
    check_table_options,
    complete_folders,
    digits_option,
    evaluation_options,
    format_option,
    groups_option,
    output_option,
    page_date,
    plot_options,
    raw_csv_option,
    table_options,
)
from prum_eval.cli.output import (
    STANDARD_OUTPUT,
    Output,
    Verbosity,
    print_message,
    print_notices,
    print_warnings,
    progress_bar,
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


@click.command("eval")
@click.argument("assessments", required=False, type=PATH, metavar="ASSESSMENTS")
@click.argument("runs", nargs=-1, type=PATH, metavar="RUN [RUN ...]")
@evaluation_options
@groups_option
@click.option("-q", "per_topic", is_flag=True, help="Print every topic too.")
@click.option("-n", "no_averages", is_flag=True, help="Print no averages.")
@format_option("Evaluation", "trec")
@output_option
@click.option(
    "--output-dir",
    "folder",
    metavar="DIR",
    shell_complete=complete_folders,
    help="Write each run into a file of DIR as soon as it is done: what -f json prints of it, and the sums of its "
    "inputs. -f jsonl writes the same as lines.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Leave out runs that are in DIR, or in the file of -f jsonl, made of the same inputs for the same measures "
    "and with the same signature.",
)
@click.option(
    "--curves",
    metavar="DIR",
    shell_complete=complete_folders,
    help="Write the curves of each run into a folder of DIR: a .dat file a measure with levels or cut-offs (with -q a "
    "topic too) and curves.gp, which draws them: gnuplot curves.gp.",
)
@plot_options(
    "Evaluation",
    "the curves of every selected measure with recall levels or cut-offs, a line a run, or with -q a topic; where "
    "measures are costs, recall by what is read and quality by cost",
)
@click.option(
    "--explain-worst",
    type=click.IntRange(min=1),
    metavar="N",
    help="With -f html -o FILE: a page of explain for each of the N topics on which a run is worst by the first "
    "measure that explain is about, in the folder FILE-topics, linked from FILE.",
)
@click.option(
    "--texts",
    type=PATH,
    metavar="SOURCE",
    help="With --explain-worst, show texts as explain does: a directory or archive of documents, or JSON Lines with "
    "doc and text.",
)
@click.option(
    "--baseline",
    metavar="RUN",
    help="In tables, mark averages that differ from those of this run, by name or path: paired randomisation test, p "
    "corrected by Holm for the runs, below 0.05. compare has other tests.",
)
@table_options
@digits_option
@raw_csv_option
def command(
    assessments: str | None,
    runs: tuple[str, ...],
    groups: str | None,
    per_topic: bool,
    no_averages: bool,
    style: OutputFormat,
    output: str | None,
    folder: str | None,
    resume: bool,
    curves: str | None,
    plot: Output | None,
    plot_size: str,
    explain_worst: int | None,
    texts: str | None,
    baseline: str | None,
    sort: str | None,
    transpose: bool,
    digits: int,
    raw_csv: bool,
    **options: Any,  # noqa: ANN401 - those that say what is computed
) -> None:
    """Evaluate RUNs against ASSESSMENTS (a file, a directory of XML files, or - for standard input).

    Runs are TREC or INEX files; formats and compression are recognised by content. Without -m the official set is
    printed, for assessments in JSON Lines the task chunks; `prum-eval measures` lists all names. ASSESSMENTS and RUNs
    may be left out where --config names some.
    """
    from prum_eval.evaluation.api import evaluate

    outputs = _outputs(plot, curves, (style, output), drawn=per_topic or not no_averages)
    check_paths(assessments, *runs, groups, *(options[name] for name in FILE_OPTIONS), texts)
    if explain_worst is not None or texts is not None:
        check_worst_options(explain_worst, texts, style, output, assessments or "", *runs)
    if style.has_date or baseline or sort or transpose:
        check_table_options("Evaluation", style, baseline=baseline, sort=sort, transpose=transpose)
        check_date(bears=style.has_date)
    context = click.get_current_context()
    if options["config"] is None:
        _require(context, assessments, runs)
    if folder is not None or resume or style.is_streamed:
        from prum_eval.evaluation.options import EvaluationOptions

        others = {"--plot": plot, "--curves": curves, "--explain-worst": explain_worst, "--baseline": baseline}
        check_each_run_options(style, folder, output, resume=resume, others=others)
        call = EvaluationOptions(assessments=assessments, runs=runs or None, groups=groups, **options)
        context.exit(write_each_run(call, folder, output, resume=resume))
    failures: list[PrumEvalError] = []
    with progress_bar("Runs") as progress:
        evaluation = evaluate(
            assessments,
            runs or None,
            **options,
            groups=groups,
            curves=any(one.needs_curves for one, _ in outputs),
            problems=failures.append,
            progress=progress,
        )
    if not evaluation.runs:
        _print_failures(failures)
        context.exit(1)
    if options["config"] is not None:  # it may have named inputs
        named = [evaluation.parameters[name] for name in ("assessments", "structure", "navigation")]
        check_paths(*named, *(run.path for run in evaluation.runs))
    marks = None if baseline is None else _baseline_comparison(evaluation, baseline)
    print_notices(evaluation if marks is None else marks)
    unseen = {
        f"{style.name} has no averages by group; the other formats have": groups is not None and not style.has_groups,
        "-n leaves out the averages, and topics need -q: nothing is left to print": no_averages
        and not (per_topic or style.has_all),
    }
    if any(unseen.values()):
        print_warnings(text for text, is_so in unseen.items() if is_so)
    read = [options["config"], *map(evaluation.parameters.get, FILE_OPTIONS), *(run.path for run in evaluation.runs)]
    date = page_date([evaluation.parameters["assessments"], *read]) if style.has_date else ""
    layout = Layout(
        per_topic,
        not no_averages,
        digits,
        size=plot_size,
        raw_csv=raw_csv,
        date=date,
        sort=sort,
        transpose=transpose,
        marks=marks,
    )
    if explain_worst is not None and output is not None:
        inputs = assessments, runs or None
        layout = write_worst_topics(evaluation, explain_worst, inputs, texts, options, layout, style, output)
    write_results(evaluation, layout, outputs)
    if failures:
        _print_failures(failures)
        context.exit(1)


def _outputs(plot: Output | None, curves: str | None, printed: Output, *, drawn: bool) -> list[Output]:
    """All that is written, what is printed last; `drawn`: whether there are topics or averages to draw.

    Raises:
        UsageError: a picture of neither is asked for.
    """
    if plot is not None and not drawn:
        raise UsageError("--plot: nothing to draw: -n leaves out the averages, and topics need -q")
    files = [] if curves is None else [(OUTPUT_FORMATS["gnuplot"], curves)]
    return [*filter(None, [plot]), *files, printed]


def _require(context: click.Context, *arguments: str | tuple[str, ...] | None) -> None:
    """Refuse a call that lacks one of the arguments, which are the command's first parameters."""
    for given, parameter in zip(arguments, context.command.params, strict=False):
        if not given:
            raise click.MissingParameter(ctx=context, param=parameter)


def _baseline_comparison(evaluation: Evaluation, baseline: str) -> Comparison:
    """The comparison of the runs with one of them, which says what tables mark and has all warnings."""
    from prum_eval.analysis.compare import compare

    found = compare(values=evaluation, baseline=baseline, common=True)
    return replace(found, matrix=replace(found.matrix, warnings=(*evaluation.warnings, *found.matrix.warnings)))


def _print_failures(failures: list[PrumEvalError]) -> None:
    """Say what is wrong with runs; what is wrong with all of them, once."""
    for message in dict.fromkeys(failure.message for failure in failures):
        print_message(message)


# ``--output-dir``, ``-f jsonl`` and ``--resume`` of `eval`: each run is written when it is done.


_ENDING = ".json"


class _RunStore(ABC):
    """Where evaluations go, a run each."""

    @abstractmethod
    def finished_files(self, found: RunByRunCall) -> set[str]:
        """The files of runs whose evaluations are there already, made of the same inputs under the same signature."""

    @abstractmethod
    def write(self, path: str, run_id: str, line: str) -> None:
        """Write the evaluation of a run of a file, one line of JSON."""


class _FolderStore(_RunStore):
    """A file a run, called as its file is, with .json behind; another run of the same file has its own name in it."""

    def __init__(self, folder: str, paths: Sequence[str]) -> None:
        used: set[str] = set()
        self._folder = Path(folder)
        self._names = {
            path: unique_file_name(safe_file_name(Path(path).name or "run"), used, _ENDING) for path in paths
        }
        self._used = used
        self._written: set[str] = set()

    def finished_files(self, found: RunByRunCall) -> set[str]:
        """Those of which the files of all runs are there."""
        from prum_eval.evaluation.each_run import read_stored_evaluations

        files = sorted(self._folder.glob("*" + _ENDING)) if self._folder.is_dir() else []
        there = {
            file.name: (held, path)
            for file in files
            for _, held, path in read_stored_evaluations(_read_byte_lines(file))
        }
        first = {path for path, name in self._names.items() if name in there and there[name][1] == path}
        return _complete_files(found, [(held, path) for held, path in there.values() if path in first])

    def write(self, path: str, run_id: str, line: str) -> None:
        """Write its file, whole or not at all."""
        name = self._names[path]
        if name in self._written:
            name = unique_file_name(f"{name.removesuffix(_ENDING)}.{safe_file_name(run_id)}", self._used, _ENDING)
        self._written.add(name)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(str(self._folder), None, f"cannot be written: {error.strerror}") from error
        write_output(line + "\n", str(self._folder / name))


class _LinesStore(_RunStore):
    """A line a run, of a file or of standard output."""

    def __init__(self, path: str | None) -> None:
        self._path = path if path not in STANDARD_OUTPUT else None
        self._begun = False

    def finished_files(self, found: RunByRunCall) -> set[str]:
        """Those of the lines that are whole; all other lines are taken out of the file."""
        from prum_eval.evaluation.each_run import read_stored_evaluations

        if self._path is None or not Path(self._path).exists():
            return set()
        lines = list(read_stored_evaluations(_read_byte_lines(Path(self._path))))
        done = _complete_files(found, [(held, path) for _, held, path in lines])
        kept = [line + "\n" for line, held, path in lines if path in done and found.is_done(held, path)]
        write_output("".join(kept), self._path)
        self._begun = True
        return done

    def write(self, path: str, run_id: str, line: str) -> None:  # noqa: ARG002 - the line names the run
        """Write a line at once."""
        if self._path is None:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
            return
        try:
            with Path(self._path).open("a" if self._begun else "w", encoding="utf-8", newline="") as file:
                file.write(line + "\n")
        except OSError as error:
            raise InputError(self._path, None, f"cannot be written: {error.strerror}") from error
        self._begun = True


def _read_byte_lines(file: Path) -> list[bytes]:
    """The lines of a file, which may have been cut off anywhere."""
    try:
        return file.read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(str(file), None, f"cannot be read: {error.strerror}") from error


def _complete_files(found: RunByRunCall, stored: Sequence[tuple[Mapping[str, Any], str]]) -> set[str]:
    """The files of which an evaluation that still holds is there for every run."""
    from prum_eval.evaluation.each_run import RUNS_OF_FILE_KEY

    wanted = set(found.paths)
    there: dict[str, list[Any]] = {}
    for held, path in stored:
        if path in wanted and found.is_done(held, path):
            there.setdefault(path, []).append(held.get(RUNS_OF_FILE_KEY, 1))
    return {path for path, runs in there.items() if all(number == len(runs) for number in runs)}


def check_each_run_options(
    style: OutputFormat, folder: str | None, output: str | None, *, resume: bool, others: Mapping[str, object]
) -> None:
    """Refuse options that do not go together where runs are written one by one.

    Raises:
        click.UsageError: `others` are asked for, which need all runs together, or there is nowhere to resume.
    """
    if folder is None and not style.is_streamed:
        raise click.UsageError("--resume is for --output-dir, or for -f jsonl with -o FILE")
    if folder is not None and output is not None:
        raise click.UsageError("--output-dir takes the place of -o")
    if resume and folder is None and (output is None or output in STANDARD_OUTPUT):
        raise click.UsageError("--resume with -f jsonl needs -o FILE")
    option = "--output-dir" if folder is not None else f"-f {style.name}"
    for name, value in others.items():
        if value:
            raise click.UsageError(f"{option} writes runs one by one; {name} needs all of them")


def write_each_run(call: EvaluationOptions, folder: str | None, output: str | None, *, resume: bool) -> int:
    """Evaluate and write each run as soon as it is done; what is wrong with others is said, and the status is 1.

    Raises:
        InputError, DataError, UsageError: what is wrong with the call, or a file cannot be written.
    """
    from prum_eval.evaluation.each_run import prepare_run_by_run

    found = prepare_run_by_run(call)
    if any(path in ("", "-") for path in found.paths):
        raise UsageError("runs that are written one by one come from files, not from - (standard input)")
    store = _LinesStore(output) if folder is None else _FolderStore(folder, found.paths)
    done = store.finished_files(found) if resume else set[str]()
    left = found.skip_runs(done)
    paths, failures, written = left.paths, list[PrumEvalError](), 0
    shared = found.plan.warnings
    print_warnings(shared)
    with progress_bar("Runs") as progress:
        for number, runs, evaluation in left.evaluations(failures.append, progress):
            path, run = paths[number], evaluation.runs[0]
            print_warnings(evaluation.warnings[len(shared) :])
            store.write(path, run.run_id, found.to_json_line(evaluation, path, runs))
            written += 1
    for message in dict.fromkeys(failure.message for failure in failures):
        print_message(message)
    if verbosity() is not Verbosity.QUIET:
        print_message(found.signature)
        if folder is not None or resume:
            there = f", {len(done)} there already" if resume else ""
            failed = f", {len(failures)} failed" if failures else ""
            print_message(f"prum-eval: {folder or output}: {written} written{there}{failed}")
    return 1 if failures else 0


# ``--explain-worst N`` of `eval`: pages about the topics on which runs are worst, which the page of all leads to.


def check_worst_options(
    count: int | None, texts: str | None, style: OutputFormat, output: str | None, *inputs: str
) -> None:
    """Refuse options that do not go together.

    Raises:
        click.UsageError: what they need is not there.
    """
    if count is None:
        if texts is not None:
            raise click.UsageError("--texts is for --explain-worst")
        return
    if not style.has_links or output is None or output in STANDARD_OUTPUT:
        raise click.UsageError("--explain-worst is for -f html with -o FILE")
    if "-" in inputs:
        raise click.UsageError("--explain-worst reads its inputs again, which standard input cannot be")


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
    """Write the pages into a folder beside the output; the layout with the links to them.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.explain`; a file cannot be written.
    """
    from prum_eval.analysis.explain import explain_worst
    from prum_eval.evaluation.options import ONE_TOPIC_EXCLUDES
    from prum_eval.report.html_evaluation import topic_pages

    known = {key: value for key, value in options.items() if key not in ONE_TOPIC_EXCLUDES}
    worst = explain_worst(evaluation, count, *inputs, texts=texts, **known)
    folder = Path(f"{output.removesuffix('.html')}-topics")
    files, pages = topic_pages(worst, evaluation, replace(layout, format=style.name), folder.name)
    write_files(files, str(folder))
    return replace(layout, worst=pages)
