"""Curves for gnuplot: a file of numbers a curve, and a script a run that draws them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

from prum_eval.analysis.regression import ComparedRun, GoldCheck, Unmet
from prum_eval.errors import PrumEvalError
from prum_eval.evaluation.results import Curve, Evaluation, RunResult
from prum_eval.formats.gold import Threshold
from prum_eval.parameters import show
from prum_eval.report.layout import Layout, plain_name, unused_name
from prum_eval.report.text_experiments import change, number

SCRIPT = "curves.gp"

_Points = Sequence[tuple[float, float]]


def curve_files(evaluation: Evaluation, layout: Layout) -> dict[str, str]:
    """Contents by name: ``RUN/MEASURE.dat``, ``RUN/MEASURE.TOPIC.dat`` where topics are shown, ``RUN/curves.gp``.

    Signs of names that file systems or shells take amiss become underscores; names that fall together are numbered.
    """
    files: dict[str, str] = {}
    folders: set[str] = set()
    for run, curves in zip(evaluation.runs, evaluation.curves, strict=True):
        folder = unused_name(plain_name(run.run_id), folders)
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
        for topic, points in _shown(curve, layout):
            stem = plain_name(curve.name) + (f".{plain_name(topic)}" if topic is not None else "")
            name = unused_name(stem, used, ".dat")
            files[name] = _numbers(curve, topic, points)
            if points:  # gnuplot stops at a file without numbers
                lines[curve.measure] = lines.get(curve.measure, 0) + (topic is None)
                mean = f"linespoints linetype {lines[curve.measure]} title {_quoted(curve.name)}"
                style = mean if topic is None else "lines linecolor rgb 'gray' notitle"
                own.append(f"{_quoted(name)} using 1:2 with {style}")
    files[SCRIPT] = _script(run.run_id, drawn, axes)
    return files


def _shown(curve: Curve, layout: Layout) -> Iterator[tuple[str | None, _Points]]:
    """Topics first, so that the averages are drawn over them."""
    if layout.per_topic:
        yield from curve.topics.items()
    if layout.averages:
        yield None, curve.all


def _numbers(curve: Curve, topic: str | None, points: _Points) -> str:
    lines = [f"# {curve.axis} {curve.name}{'' if topic is None else f', topic {topic}'}"]
    return "\n".join([*lines, *(f"{show(point)} {value!r}" for point, value in points)]) + "\n"


def _script(run_id: str, drawn: dict[str, list[str]], axes: dict[str, str]) -> str:
    lines = [
        f"# Curves of run {_one_line(run_id)}. Run this in its folder: it writes a picture a measure.",
        "set terminal pngcairo noenhanced size 800,600",
        "set key outside below",
        "set yrange [0:*]",
    ]
    for measure, plots in drawn.items():
        if plots:
            lines += [
                "",
                f"set output {_quoted(plain_name(measure) + '.png')}",
                f"set title {_quoted(f'{measure}, {run_id}')}",
                f"set xlabel {_quoted(axes[measure])} offset 0,0.5",
                f"set xrange {'[0:1]' if axes[measure] == 'recall' else '[0:*]'}",
                "plot " + ", \\\n     ".join(plots),
            ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A string of gnuplot, in which only the quote itself means something."""
    return "'" + _one_line(text).replace("'", "''") + "'"


def _one_line(text: str) -> str:
    return " ".join(text.split())


# What moved, as the JUnit XML that CI systems read: a test case for every run and measure.


_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def gold_check_junit(check: GoldCheck, layout: Layout) -> str:
    """The check of a gold file as test suites, one a run; what moved is a failure that lists the values."""
    root = ET.Element("testsuites", name=_legal(f"prum-eval gold {layout.title}"))
    for run in check.runs:
        suite = ET.SubElement(root, "testsuite", name=_legal(run.run_id), file=_legal(run.path))
        for measure in run.measures:
            _case(suite, run, measure)
        for threshold in check.thresholds:
            _bound(suite, run, threshold, check.unmet)
        if check.notes:
            ET.SubElement(suite, "system-out").text = _legal("\n".join(check.notes))
    return _written(root)


def error_junit(error: PrumEvalError, layout: Layout) -> str:
    """The file for a check that could not be done: one test case with an error."""
    root = ET.Element("testsuites", name=_legal(f"prum-eval gold {layout.title}"))
    suite = ET.SubElement(root, "testsuite", name=_legal(layout.title))
    case = ET.SubElement(suite, "testcase", classname=_legal(layout.title), name="evaluation")
    ET.SubElement(case, "error", message=_legal(str(error)))
    return _written(root)


def _case(suite: ET.Element, run: ComparedRun, measure: str) -> None:
    case = ET.SubElement(suite, "testcase", classname=_legal(f"{run.run_id} ({run.path})"), name=_legal(measure))
    moved = [cell for cell in run.failing if cell.measure == measure]
    if moved:
        lines = [
            f"{cell.topic}: {number(cell.gold)} -> {number(cell.now)} {change(cell.difference)}".rstrip()
            for cell in moved
        ]
        failure = ET.SubElement(case, "failure", message=f"values moved: {len(moved)}", type="moved")
        failure.text = _legal("\n".join(lines))


def _bound(suite: ET.Element, run: ComparedRun, threshold: Threshold, listed: Sequence[Unmet]) -> None:
    """The test case of one threshold."""
    case = ET.SubElement(suite, "testcase", classname=_legal(f"{run.run_id} ({run.path})"), name=_legal(threshold.text))
    for unmet in listed:
        if (unmet.run_id, unmet.path, unmet.threshold) == (run.run_id, run.path, threshold):
            ET.SubElement(case, "failure", message=_legal(f"not met: {number(unmet.value)}"), type="threshold")


def _written(root: ET.Element) -> str:
    for element in root.iter():  # every suite, and the whole, tells its counts
        if element.tag.startswith("testsuite"):
            for key, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
                element.set(key, str(sum(1 for _ in element.iter(tag))))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _legal(text: str) -> str:
    """A text without the characters that XML forbids."""
    return _FORBIDDEN.sub("\ufffd", text)
