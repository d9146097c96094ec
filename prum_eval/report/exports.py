"""Curves for gnuplot: a file of numbers a curve, and a script a run that draws them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

from prum_eval.analysis.regression import ComparedRun, GoldCheck, UnmetThreshold
from prum_eval.errors import PrumEvalError
from prum_eval.evaluation.results import Curve, Evaluation, RunResult
from prum_eval.formats.gold import Threshold
from prum_eval.parameters import format_parameter
from prum_eval.report.layout import Layout, safe_file_name, unique_file_name
from prum_eval.report.text_experiments import format_change, format_gold_value

SCRIPT = "curves.gp"

_Points = Sequence[tuple[float, float]]


def curve_files(evaluation: Evaluation, layout: Layout) -> dict[str, str]:
    """Contents by name: ``RUN/MEASURE.dat``, ``RUN/MEASURE.TOPIC.dat`` where topics are shown, ``RUN/curves.gp``.

    Signs of names that file systems or shells take amiss become underscores; names that fall together are numbered.
    """
    files: dict[str, str] = {}
    folders: set[str] = set()
    for run, curves in zip(evaluation.runs, evaluation.curves, strict=True):
        folder = unique_file_name(safe_file_name(run.run_id), folders)
        files.update((f"{folder}/{name}", text) for name, text in _run_files(run, curves, layout).items())
    return files


def _run_files(run: RunResult, curves: Sequence[Curve], layout: Layout) -> dict[str, str]:
    files: dict[str, str] = {}
    drawn: dict[str, list[str]] = {}  # what the picture of each measure shows
    axes: dict[str, str] = {}
    lines: dict[str, int] = {}  # averages in each picture
    used: set[str] = {SCRIPT}
    for curve in curves:
        own = drawn.setdefault(curve.measure, [])
        axes[curve.measure] = curve.axis
        for topic, points in _selected_points(curve, layout):
            stem = safe_file_name(curve.name) + (f".{safe_file_name(topic)}" if topic is not None else "")
            name = unique_file_name(stem, used, ".dat")
            files[name] = _numbers(curve, topic, points)
            if points:  # gnuplot stops at a file without numbers
                lines[curve.measure] = lines.get(curve.measure, 0) + (topic is None)
                mean = f"linespoints linetype {lines[curve.measure]} title {_quote(curve.name)}"
                style = mean if topic is None else "lines linecolor rgb 'gray' notitle"
                own.append(f"{_quote(name)} using 1:2 with {style}")
    files[SCRIPT] = _script(run.run_id, drawn, axes)
    return files


def _selected_points(curve: Curve, layout: Layout) -> Iterator[tuple[str | None, _Points]]:
    """Topics first, so that the averages are drawn over them."""
    if layout.per_topic:
        yield from curve.topics.items()
    if layout.averages:
        yield None, curve.all


def _numbers(curve: Curve, topic: str | None, points: _Points) -> str:
    lines = [f"# {curve.axis} {curve.name}{'' if topic is None else f', topic {topic}'}"]
    return "\n".join([*lines, *(f"{format_parameter(point)} {value!r}" for point, value in points)]) + "\n"


def _script(run_id: str, drawn: dict[str, list[str]], axes: dict[str, str]) -> str:
    lines = [
        f"# Curves of run {_join_words(run_id)}. Run this in its folder: it writes a picture a measure.",
        "set terminal pngcairo noenhanced size 800,600",
        "set key outside below",
        "set yrange [0:*]",
    ]
    for measure, plots in drawn.items():
        if plots:
            lines += [
                "",
                f"set output {_quote(safe_file_name(measure) + '.png')}",
                f"set title {_quote(f'{measure}, {run_id}')}",
                f"set xlabel {_quote(axes[measure])} offset 0,0.5",
                f"set xrange {'[0:1]' if axes[measure] == 'recall' else '[0:*]'}",
                "plot " + ", \\\n     ".join(plots),
            ]
    return "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    """A string of gnuplot, in which only the quote itself means something."""
    return "'" + _join_words(text).replace("'", "''") + "'"


def _join_words(text: str) -> str:
    return " ".join(text.split())


# What moved, as the JUnit XML that CI systems read: a test case for every run and measure.


_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def gold_check_junit(check: GoldCheck, layout: Layout) -> str:
    """The check of a gold file as test suites, one a run; what moved is a failure that lists the values."""
    root = ET.Element("testsuites", name=_remove_forbidden(f"prum-eval gold {layout.title}"))
    for run in check.runs:
        suite = ET.SubElement(root, "testsuite", name=_remove_forbidden(run.run_id), file=_remove_forbidden(run.path))
        for measure in run.measures:
            _measure_case(suite, run, measure)
        for threshold in check.thresholds:
            _threshold_case(suite, run, threshold, check.unmet_thresholds)
        if check.notes:
            ET.SubElement(suite, "system-out").text = _remove_forbidden("\n".join(check.notes))
    return _xml_text(root)


def error_junit(error: PrumEvalError, layout: Layout) -> str:
    """The file for a check that could not be done: one test case with an error."""
    root = ET.Element("testsuites", name=_remove_forbidden(f"prum-eval gold {layout.title}"))
    suite = ET.SubElement(root, "testsuite", name=_remove_forbidden(layout.title))
    case = ET.SubElement(suite, "testcase", classname=_remove_forbidden(layout.title), name="evaluation")
    ET.SubElement(case, "error", message=_remove_forbidden(str(error)))
    return _xml_text(root)


def _measure_case(suite: ET.Element, run: ComparedRun, measure: str) -> None:
    case = ET.SubElement(
        suite, "testcase", classname=_remove_forbidden(f"{run.run_id} ({run.path})"), name=_remove_forbidden(measure)
    )
    moved = [cell for cell in run.failing_values if cell.measure == measure]
    if moved:
        lines = [
            f"{cell.topic}: {format_gold_value(cell.gold)} -> {format_gold_value(cell.now)} {format_change(cell.difference)}".rstrip()
            for cell in moved
        ]
        failure = ET.SubElement(case, "failure", message=f"values moved: {len(moved)}", type="moved")
        failure.text = _remove_forbidden("\n".join(lines))


def _threshold_case(
    suite: ET.Element, run: ComparedRun, threshold: Threshold, listed: Sequence[UnmetThreshold]
) -> None:
    """The test case of one threshold."""
    case = ET.SubElement(
        suite,
        "testcase",
        classname=_remove_forbidden(f"{run.run_id} ({run.path})"),
        name=_remove_forbidden(threshold.text),
    )
    for unmet in listed:
        if (unmet.run_id, unmet.path, unmet.threshold) == (run.run_id, run.path, threshold):
            ET.SubElement(
                case,
                "failure",
                message=_remove_forbidden(f"not met: {format_gold_value(unmet.value)}"),
                type="threshold",
            )


def _xml_text(root: ET.Element) -> str:
    for element in root.iter():  # every suite, and the whole, tells its counts
        if element.tag.startswith("testsuite"):
            for key, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
                element.set(key, str(sum(1 for _ in element.iter(tag))))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _remove_forbidden(text: str) -> str:
    """A text without the characters that XML forbids."""
    return _FORBIDDEN.sub("\ufffd", text)
