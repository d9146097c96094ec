"""What moved, as the JUnit XML that CI systems read: a test case for every run and measure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from prum_eval.analysis.regression.moved import ComparedRun, GoldCheck, Unmet
from prum_eval.errors import PrumEvalError
from prum_eval.formats.values.thresholds import Threshold
from prum_eval.report.layout import Layout
from prum_eval.report.text.gold import change, number

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
