"""Files for other programs: curves for gnuplot, and gold checks as JUnit XML for CI systems."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

from prum_eval.analysis.regression import ComparedRun, GoldCheck
from prum_eval.errors import PrumEvalError
from prum_eval.evaluation.results import Curve, Evaluation, RunResult
from prum_eval.parameters import format_parameter
from prum_eval.report.layout import Layout, safe_file_name, unique_file_name
from prum_eval.report.text_experiments import format_change, format_gold_value

SCRIPT = "curves.gp"

_Points = Sequence[tuple[float, float]]


def curve_files(evaluation: Evaluation, layout: Layout) -> dict[str, str]:
    """Contents by name: ``RUN/MEASURE.dat``, ``RUN/MEASURE.TOPIC.dat`` where topics are shown, ``RUN/curves.gp``.

    Characters of names that file systems or shells reject become underscores; equal names are numbered.
    """
    files: dict[str, str] = {}
    folders: set[str] = set()
    for run, curves in zip(evaluation.runs, evaluation.curves, strict=True):
        folder = unique_file_name(safe_file_name(run.run_id), folders)
        files.update((f"{folder}/{name}", text) for name, text in _run_files(run, curves, layout).items())
    return files


def _run_files(run: RunResult, curves: Sequence[Curve], layout: Layout) -> dict[str, str]:
    files: dict[str, str] = {}
    plots: dict[str, list[str]] = {}  # by measure
    axes: dict[str, str] = {}
    averages: dict[str, int] = {}  # number of averages by measure
    used: set[str] = {SCRIPT}
    for curve in curves:
        measure_plots = plots.setdefault(curve.measure, [])
        axes[curve.measure] = curve.axis
        for topic, points in _selected_points(curve, layout):
            stem = safe_file_name(curve.name) + (f".{safe_file_name(topic)}" if topic is not None else "")
            name = unique_file_name(stem, used, ".dat")
            files[name] = _numbers(curve, topic, points)
            if points:  # gnuplot stops at a file without numbers
                averages[curve.measure] = averages.get(curve.measure, 0) + (topic is None)
                mean = f"linespoints linetype {averages[curve.measure]} title {_quote(curve.name)}"
                style = mean if topic is None else "lines linecolor rgb 'gray' notitle"
                measure_plots.append(f"{_quote(name)} using 1:2 with {style}")
    files[SCRIPT] = _script(run.run_id, plots, axes)
    return files


def _selected_points(curve: Curve, layout: Layout) -> Iterator[tuple[str | None, _Points]]:
    """Topics, then the average, which is drawn over them."""
    if layout.per_topic:
        yield from curve.topics.items()
    if layout.averages:
        yield None, curve.all


def _numbers(curve: Curve, topic: str | None, points: _Points) -> str:
    lines = [f"# {curve.axis} {curve.name}{'' if topic is None else f', topic {topic}'}"]
    return "\n".join([*lines, *(f"{format_parameter(point)} {value!r}" for point, value in points)]) + "\n"


def _script(run_id: str, plots: dict[str, list[str]], axes: dict[str, str]) -> str:
    lines = [
        f"# Curves of run {_join_words(run_id)}. Run this in its folder: it writes a picture a measure.",
        "set terminal pngcairo noenhanced size 800,600",
        "set key outside below",
        "set yrange [0:*]",
    ]
    for measure, measure_plots in plots.items():
        if measure_plots:
            lines += [
                "",
                f"set output {_quote(safe_file_name(measure) + '.png')}",
                f"set title {_quote(f'{measure}, {run_id}')}",
                f"set xlabel {_quote(axes[measure])} offset 0,0.5",
                f"set xrange {'[0:1]' if axes[measure] == 'recall' else '[0:*]'}",
                "plot " + ", \\\n     ".join(measure_plots),
            ]
    return "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    """String of gnuplot, in which only the quote is escaped."""
    return "'" + _join_words(text).replace("'", "''") + "'"


def _join_words(text: str) -> str:
    return " ".join(text.split())


# JUnit.


_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML forbids."""


def gold_check_junit(check: GoldCheck, layout: Layout) -> str:
    """Test suites, one per run, with test cases per measure and threshold; failures list the values that moved."""
    root = ET.Element("testsuites", name=f"prum-eval gold {layout.title}")
    for run in check.runs:
        suite = ET.SubElement(root, "testsuite", name=run.run_id, file=run.path)
        for measure in run.measures:
            case = _add_case(suite, run, measure)
            moved = [value for value in run.failing_values if value.measure == measure]
            if moved:
                failure = ET.SubElement(case, "failure", message=f"values moved: {len(moved)}", type="moved")
                failure.text = "\n".join(
                    f"{value.topic}: {format_gold_value(value.gold)} -> {format_gold_value(value.now)} "
                    f"{format_change(value.difference)}".rstrip()
                    for value in moved
                )
        for threshold in check.thresholds:
            case = _add_case(suite, run, threshold.text)
            for unmet in check.unmet_thresholds:
                if (unmet.run_id, unmet.path, unmet.threshold) == (run.run_id, run.path, threshold):
                    message = f"not met: {format_gold_value(unmet.value)}"
                    ET.SubElement(case, "failure", message=message, type="threshold")
        if check.notes:
            ET.SubElement(suite, "system-out").text = "\n".join(check.notes)
    return _xml_text(root)


def error_junit(error: PrumEvalError, layout: Layout) -> str:
    """One test case with an error, for a check that could not be done."""
    root = ET.Element("testsuites", name=f"prum-eval gold {layout.title}")
    suite = ET.SubElement(root, "testsuite", name=layout.title)
    case = ET.SubElement(suite, "testcase", classname=layout.title, name="evaluation")
    ET.SubElement(case, "error", message=str(error))
    return _xml_text(root)


def _add_case(suite: ET.Element, run: ComparedRun, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=f"{run.run_id} ({run.path})", name=name)


def _xml_text(root: ET.Element) -> str:
    """The document with counts in all suites; forbidden characters are replaced."""
    for element in root.iter():
        if element.tag.startswith("testsuite"):
            for key, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
                element.set(key, str(sum(1 for _ in element.iter(tag))))
        for key, value in element.items():
            element.set(key, _FORBIDDEN.sub("\ufffd", value))
        element.text = element.text and _FORBIDDEN.sub("\ufffd", element.text)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
