"""The generated inputs read without prum_eval: elements, assessments, runs."""

from __future__ import annotations

from collections import defaultdict
from xml.etree import ElementTree as ET


def structure(path):
    """{(document, path): (start, end)} of all elements."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    return {(name, place): (int(start), int(start) + int(length)) for name, place, start, length in rows}


def judged(folder, tag="element"):
    """{topic: {(document, path): attributes}}, in the order of the files."""
    found = {}
    for path in sorted(folder.iterdir()):
        root = ET.parse(path).getroot()  # noqa: S314 - our own file
        found[root.get("topic")] = {
            (file.get("name") or file.get("file"), one.get("path")): one.attrib
            for file in root.iter("file")
            for one in file.iter(tag)
        }
    return found


def submission(path):
    """{topic: [(document, path)]} of a run in XML."""
    root = ET.parse(path).getroot()  # noqa: S314 - our own file
    return {
        topic.get("topic-id"): [(one.findtext("file"), one.findtext("path")) for one in topic.iter("result")]
        for topic in root.iter("topic")
    }


def columns(path):
    """{topic: rows} of a file of words."""
    found = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        topic, *row = line.split()
        found[topic].append(row)
    return dict(found)


def gold(path):
    """Of each run {(topic, name): value}; nan where a topic has none."""
    runs, before = [], "all"
    for line in path.read_text(encoding="utf-8").splitlines():
        name, topic, value = (part.strip() for part in line.split("\t"))
        if before == "all" and topic != "all":
            runs.append({})
        if name != "runid":
            runs[-1][topic, name] = float(value)
        before = topic
    return runs
