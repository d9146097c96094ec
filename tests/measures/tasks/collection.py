"""Assessments and runs of every task, on the scale of its year, made from the small generated collection.

The generator writes the scales of 2005 (graded) and 2006. Those of 2002 and 2003 are derived from the graded one:
exhaustivity ?, 1, 2 becomes 1, 2, 3, and rsize/size, cut at the thirds, specificity 1, 2, 3. In 2002 an element that is
too small (?) covers too little (S), specificity 3 is exact coverage (E), any other too much (L). The root of a judged
document without relevance is judged 0.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

from bench.gen_inex import generate
from prum_eval.measures.tasks import TASKS

_EXHAUSTIVENESS = {"?": 1, "1": 2, "2": 3}


def write_inputs(folder):
    """Everything that the commands of `COMMANDS` read."""
    generate(folder / "2006", "small", xml=False)
    generate(folder / "2005", "small", xml=False, graded=True)
    for year, attributes in (("2002", _of_2002), ("2003", _of_2003)):
        (folder / year).mkdir()
        for path in sorted((folder / "2005" / "assessments").iterdir()):
            _rewrite(path, folder / year / path.name, attributes)


def grades(exhaustivity, size, rsize):
    """Exhaustiveness and specificity, each 1 to 3."""
    return _EXHAUSTIVENESS[exhaustivity], 1 + (3 * rsize > size) + (3 * rsize > 2 * size)


def coverage(exhaustivity, specificity):
    """The coverage letter of 2002."""
    return "S" if exhaustivity == 1 else "E" if specificity == 3 else "L"


def _of_2002(exhaustivity, specificity):
    letter = "N" if exhaustivity == 0 else coverage(exhaustivity, specificity)
    return {"relevance": str(exhaustivity), "coverage": letter}


def _of_2003(exhaustivity, specificity):
    return {"exhaustiveness": str(exhaustivity), "specificity": str(specificity)}


def _rewrite(source, target, attributes):
    graded = ET.parse(source).getroot()  # noqa: S314 - our own file
    root = ET.Element("assessments", pool=graded.get("pool"), topic=graded.get("topic"))
    for file in graded.iter("file"):
        written = ET.SubElement(root, "file", file=file.get("name"))
        judged = [
            (one.get("path"), *grades(one.get("exhaustivity"), int(one.get("size")), int(one.get("rsize"))))
            for one in file.iter("element")
        ]
        for path, *pair in judged or [("/article[1]", 0, 0)]:
            ET.SubElement(written, "path", path=path, **attributes(*pair))
    ET.indent(root)
    target.write_bytes(ET.tostring(root) + b"\n")


def _command(task):
    """Options and inputs of a task; {0} stands for the folder of the inputs."""
    year, _, kind = task.removeprefix("inex").partition("-")
    structure = "-s {0}/2006/structure.tsv"
    if task == "trec":
        return "{0}/2006/qrels.trec {0}/2006/run1.doc.trec {0}/2006/run2.doc.trec"
    if task == "chunks":
        return f"{{0}}/2006/qrels.txt {_runs('2006', 'thorough', 'offsets.run')}"
    if task == "prum":
        return f"{structure} {{0}}/2006/assessments {_runs('2006', 'thorough', 'paths.run')}"
    if year in ("2002", "2003", "2004"):
        judged = "2002" if year == "2002" else "2003"
        return f"-s {{0}}/2005/structure.tsv {{0}}/{judged} {_runs('2005', 'thorough', 'xml')}"
    form = {"relevant-in-context": "ric", "best-in-context": "bic"}.get(kind, kind)
    if year in ("2005", "2006"):
        return f"-s {{0}}/{year}/structure.tsv {{0}}/{year}/assessments {_runs(year, form, 'xml')}"
    return f"{{0}}/2006/qrels.txt {_runs('2006', form, 'offsets.run')}"


def _runs(year, form, ending):
    return " ".join(f"{{0}}/{year}/run{number}.{form}.{ending}" for number in (1, 2))


COMMANDS = {task: f"eval -t {task} -q {_command(task)}" for task in TASKS}
"""The command of each task, whose output fixtures/tasks/TASK.trec holds."""


def gold_of(root, task):
    """Where the expected output of a task stands."""
    return Path(root) / "fixtures" / "tasks" / f"{task}.trec"
