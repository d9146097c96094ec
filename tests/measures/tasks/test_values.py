"""The gold files of the tasks against plain transcriptions of the measures, which read the inputs by themselves.

Four printed digits are compared, for every topic of both runs.
"""

from __future__ import annotations

from math import nan

import pytest

from tests.gold import ROOT
from tests.measures.passages import characters
from tests.measures.tasks import files
from tests.measures.tasks.collection import gold_of, write_inputs
from tests.oracles.transcription import law, prum_paper, seen

RUNS = pytest.mark.parametrize("number", [1, 2])
TOPICS = ["289", "290", "291", "292", "293"]
HUNDREDTHS = [step / 100 for step in range(1, 101)]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    write_inputs(folder)
    return folder


def check(task, number, name, wanted):
    """What a task printed of a run, topic by topic and as mean, is what is wanted."""
    printed = files.gold(gold_of(ROOT, task))[number - 1]
    assert list(wanted) == TOPICS
    known = [value for value in wanted.values() if value == value]  # noqa: PLR0124 - nan is not itself
    assert known
    mean = sum(known) / len(known)
    found = {topic: printed[topic, name] for topic in [*wanted, "all"]}
    assert found == pytest.approx({**wanted, "all": mean}, abs=5.01e-5, nan_ok=True)


# GRP and the metric of 2003

OLD = {
    ("inex2002-gen", "2002"): {"3E": 1, "2E": 0.75, "3L": 0.75, "1E": 0.5, "2L": 0.5, "2S": 0.5, "1S": 0.25,
                               "1L": 0.25},
    ("inex2002-strict", "2002"): {"3E": 1},
    ("inex2003-gen", "2003"): {"33": 1, "23": 0.75, "32": 0.75, "31": 0.75, "13": 0.5, "22": 0.5, "21": 0.5,
                               "12": 0.25, "11": 0.25},
    ("inex2003-strict", "2003"): {"33": 1},
}  # fmt: skip
SEVEN = {
    "sog": {"33": 1, "23": 0.9, "13": 0.75, "32": 0.75, "22": 0.5, "12": 0.25, "31": 0.25, "21": 0.1, "11": 0.1},
    "s3_e32": {"33": 1, "23": 1},
    "e3_s321": {"33": 1, "32": 1, "31": 1},
    "gen": OLD["inex2003-gen", "2003"],
}


def quantised(judged, table):
    grades = (("relevance", "coverage"), ("exhaustiveness", "specificity"))
    return {
        key: table.get("".join(one[name] for pair in grades for name in pair if name in one), 0)
        for key, one in judged.items()
    }


def precall(q, ranked, size):
    """Mean over 100 levels, a result a rank, all others the last one."""
    total, gains = sum(q.values()), [q.get(key, 0) for key in ranked]
    if not total:
        return nan
    rest = total - sum(gains)
    ranks = [*((gain, 1 - gain) for gain in gains), (rest, size - len(gains) - rest)]
    values = []
    for level in HUNDREDTHS:
        wanted, found, wasted = level * total, 0.0, 0.0
        for relevant, irrelevant in ranks:
            if found + relevant >= wanted - 1e-9:
                searched = wasted + (wanted - found) * irrelevant / (relevant + 1)
                values.append(wanted / (wanted + searched))
                break
            found, wasted = found + relevant, wasted + irrelevant
    return sum(values) / 100


@RUNS
@pytest.mark.parametrize(("task", "year"), OLD)
def test_grp_of_2002_and_2003(inputs, number, task, year):
    size = len(files.structure(inputs / "2005" / "structure.tsv"))
    run = files.submission(inputs / "2005" / f"run{number}.thorough.xml")
    judged = files.judged(inputs / year, "path")
    values = {topic: quantised(judged[topic], OLD[task, year]) for topic in TOPICS}
    check(task, number, "grp_map", {topic: precall(values[topic], run[topic], size) for topic in TOPICS})


@RUNS
@pytest.mark.parametrize("name", SEVEN)
def test_grp_of_2004(inputs, number, name):
    size = len(files.structure(inputs / "2005" / "structure.tsv"))
    run = files.submission(inputs / "2005" / f"run{number}.thorough.xml")
    judged = files.judged(inputs / "2003", "path")
    values = {topic: precall(quantised(judged[topic], SEVEN[name]), run[topic], size) for topic in TOPICS}
    check("inex2004", number, f"grp_map:quantisation={name}", values)


@RUNS
@pytest.mark.parametrize(("kind", "thirds"), [("gen", [0, 1 / 3, 2 / 3, 1]), ("strict", [0, 0, 0, 1])])
def test_size_of_2003(inputs, number, kind, thirds):
    extents = files.structure(inputs / "2005" / "structure.tsv")
    run = files.submission(inputs / "2005" / f"run{number}.thorough.xml")
    judged = files.judged(inputs / "2003", "path")
    ends, means = {}, {}
    for topic in TOPICS:
        exh = {key: thirds[int(one["exhaustiveness"])] for key, one in judged[topic].items()}
        spec = {key: thirds[int(one["specificity"])] for key, one in judged[topic].items()}
        total, curve, good, size, recall = sum(exh.values()), [], 0.0, 0.0, 0.0
        for key in run[topic]:
            length = extents[key][1] - extents[key][0]
            good, size, recall = good + spec.get(key, 0) * length, size + length, recall + exh.get(key, 0)
            curve.append((recall / total if total else nan, good / size))
        ends[topic] = curve[-1][0]
        best = [max([p for r, p in curve if r >= level - 1e-9], default=0) for level in HUNDREDTHS]
        means[topic] = sum(best) / 100 if total else nan
    check(f"inex2003-{kind}", number, "ng_s_recall", ends)
    check(f"inex2003-{kind}", number, "ng_s_map", means)


# The xCG family

SCALES = {
    "gen": lambda e, s: max(e, 0) * s / 2,
    "strict": lambda e, s: float((e, s) == (2, 1)),
    "genlifted": lambda e, s: (max(e, 0) + 1) * s / 3,
}


def gains(judged, scale):
    return {
        key: SCALES[scale](-1 if one["exhaustivity"] == "?" else int(one["exhaustivity"]),
                           int(one["rsize"]) / int(one["size"]))
        for key, one in judged.items()
    }  # fmt: skip


def inside(inner, outer):
    return inner[0] == outer[0] and inner[1].startswith(f"{outer[1]}/")


def ideal_elements(q):
    """The ideal recall base, the outer one of two that nest."""
    relevant = [key for key, gain in q.items() if gain > 0]
    chosen = set()
    for leaf in relevant:
        if not any(inside(other, leaf) for other in relevant):
            path = sorted((key for key in relevant if key == leaf or inside(leaf, key)), key=lambda key: len(key[1]))
            chosen.add(max(path, key=q.__getitem__))  # the first of the highest: the ancestor
    return {key for key in chosen if not any(inside(key, other) for other in chosen)}


def cumulated(listed):
    return [sum(listed[:k]) for k in range(len(listed) + 1)]


def effort(gained, ideal):
    """MAep on the piecewise linear ideal curve."""
    curve, found = cumulated(ideal), cumulated(gained)
    values = []
    for rank, gain in enumerate(gained, 1):
        if gain > 0:
            below = max(k for k in range(len(curve)) if curve[k] <= found[rank] + 1e-12)
            past = below == len(ideal)
            values.append((below if past else below + (found[rank] - curve[below]) / ideal[below]) / rank)
    return sum(values) / len(ideal) if ideal else nan


@RUNS
@pytest.mark.parametrize(
    ("task", "scale", "label"),
    [("inex2006-thorough", "gen", ""), *(("inex2005-thorough", name, f":quantisation={name}") for name in SCALES)],
)
def test_effort_precision_of_thorough(inputs, number, task, scale, label):
    year = task[4:8]
    run = files.submission(inputs / year / f"run{number}.thorough.xml")
    wanted = {}
    for topic, judged in files.judged(inputs / year / "assessments").items():
        q = gains(judged, scale)
        ideal = sorted((gain for gain in q.values() if gain > 0), reverse=True)
        wanted[topic] = effort([q.get(key, 0) for key in run[topic]], ideal)
    check(task, number, f"maep{label}", wanted)


@RUNS
@pytest.mark.parametrize(
    ("task", "scale", "overlap", "label"),
    [
        ("inex2006-focused", "gen", "on", ""),
        ("inex2006-focused", "gen", "off", ":overlap=off"),
        *(("inex2005-focused", name, "on", f":quantisation={name}") for name in SCALES),
    ],
)
def test_normalised_gain_of_focused(inputs, number, task, scale, overlap, label):
    """The runs have no overlap, so that overlap=on is the cap alone."""
    year = task[4:8]
    run = files.submission(inputs / year / f"run{number}.focused.xml")
    at_ten, at_fifty = {}, {}
    for topic, judged in files.judged(inputs / year / "assessments").items():
        q = gains(judged, scale)
        ideal = ideal_elements(q)
        left, gained = {key: q[key] for key in ideal}, []
        for key in run[topic]:
            gain = q.get(key, 0)
            if overlap == "on":
                for outer in ideal:
                    if inside(key, outer):
                        gain = min(gain, left[outer])
                        left[outer] -= gain
            gained.append(gain)
        best = sorted((q[key] for key in ideal), reverse=True)
        at_ten[topic] = sum(gained[:10]) / sum(best[:10]) if best else nan
        at_fifty[topic] = sum(gained[:50]) / sum(best[:50]) if best else nan
    check(task, number, f"nxcg_10{label}", at_ten)
    check(task, number, f"nxcg_50{label}", at_fifty)


# Best entry points and passages


def passages(inputs):
    """Of each topic what the oracle of characters takes: {article: (length, best entry point, passages)}."""
    found = {}
    for topic, rows in files.columns(inputs / "2006" / "qrels.txt").items():
        found[topic] = {}
        for _, name, _, length, *rest in rows:
            spans = [tuple(map(int, part.split(":"))) for part in rest[1:]]
            point = int(rest[0]) if rest else -1
            found[topic][name] = (int(length), point, [(start, start + size) for start, size in spans])
    return found


def results(inputs, number, task):
    listed = files.columns(inputs / "2006" / f"run{number}.{task}.offsets.run")
    return {topic: [(row[1], int(row[5]), int(row[5]) + int(row[6])) for row in rows] for topic, rows in listed.items()}


@RUNS
@pytest.mark.parametrize("shape", [0.01, 0.1, 1, 10, 100])
def test_best_entry_points_of_2006(inputs, number, shape):
    """No document has two entry points, so that E[ML*_r] = r; r over E[ML_r], 0 where that is infinite."""
    extents = files.structure(inputs / "2006" / "structure.tsv")
    lengths = [end for (_, path), (_, end) in extents.items() if path == "/article[1]"]
    scale = shape * sum(lengths) / len(lengths)
    run, judged = results(inputs, number, "bic"), passages(inputs)
    nearness, precision = {}, {}
    for topic in TOPICS:
        points = [(name, point) for name, (_, point, spans) in judged[topic].items() if spans]
        reach = [
            [scale / (scale + abs(start - point)) if name == own else 0.0 for name, point in points]
            for own, start, _ in run[topic]
        ]
        nearness[topic] = sum(map(sum, reach)) / len(points)
        laws = [law(p, float) for p in seen(reach, len(points), float)]
        ends = [sum(laws[-1][r:]) > 1 - 1e-9 for r in range(1, len(points) + 1)]
        lengths = [sum(sum(one[:r]) for one in laws[:-1]) for r in range(1, len(points) + 1)]
        found = [r / length for r, (length, end) in enumerate(zip(lengths, ends, strict=True), 1) if end]
        precision[topic] = sum(found) / len(points)
    label = "" if shape == 1 else f":A={shape}"
    check("inex2006-best-in-context", number, f"bepd{label}", nearness)
    check("inex2006-best-in-context", number, f"eprum_map{label}", precision)


@RUNS
@pytest.mark.parametrize(
    ("task", "form", "novel"),
    [("inex2007-focused", "focused", False), ("inex2008-focused", "focused", False),
     ("inex2009-focused", "focused", False), ("inex2009-thorough", "thorough", True)],
)  # fmt: skip
def test_interpolated_precision(inputs, number, task, form, novel):
    run, judged = results(inputs, number, form), passages(inputs)
    curves = {topic: characters.interpolate(judged[topic], run[topic], novel=novel) for topic in TOPICS}
    check(task, number, "iP_0.01", {topic: curve[1] for topic, curve in curves.items()})
    check(task, number, "maip", {topic: sum(curve) / 101 for topic, curve in curves.items()})


IN_CONTEXT = {
    "inex2006-relevant-in-context": ("", "ric", lambda *world: characters.f_score(*world, 1)),
    "inex2008-relevant-in-context": ("", "ric", lambda *world: characters.f_score(*world, 1)),
    "inex2008-best-in-context": ("bic_", "bic", lambda *world: characters.entry_score(*world, 500)),
    "inex2007-relevant-in-context": ("", "ric", lambda *world: characters.f_score(*world, 1)),
    "inex2009-relevant-in-context": ("", "ric", lambda *world: characters.f_score(*world, 0.25)),
    "inex2010-relevant-in-context": ("t2i_", "ric", lambda *world: characters.reading_score(*world, 300)),
    "inex2007-best-in-context": ("bic_", "bic", lambda *world: characters.entry_score(*world, 1000)),
    "inex2009-best-in-context": ("bic_", "bic", lambda *world: characters.entry_score(*world, 500)),
}


@RUNS
@pytest.mark.parametrize("task", IN_CONTEXT)
def test_articles_in_context(inputs, number, task):
    prefix, form, score = IN_CONTEXT[task]
    run, judged = results(inputs, number, form), passages(inputs)
    at_five, averages = {}, {}
    for topic in TOPICS:
        world = judged[topic], run[topic]
        scores = [score(*world, article) for article in characters.articles(run[topic])]
        precision, _, averages[topic], _ = characters.generalised(*world, scores)
        at_five[topic] = precision[4]
    check(task, number, f"{prefix}gP_5", at_five)
    check(task, number, f"{prefix}magp", averages)


# Whole documents, and PRUM


@RUNS
def test_the_classic_measures(inputs, number):
    judged = files.columns(inputs / "2006" / "qrels.trec")
    run = files.columns(inputs / "2006" / f"run{number}.doc.trec")
    average, at_five, first = {}, {}, {}
    for topic in TOPICS:
        relevant = {name for _, name, grade in judged[topic] if grade == "1"}
        hits = [name in relevant for _, name, *_ in run[topic]]
        average[topic] = sum(sum(hits[:k]) / k for k, hit in enumerate(hits, 1) if hit) / len(relevant)
        at_five[topic], first[topic] = sum(hits[:5]) / 5, 1 / (hits.index(True) + 1) if any(hits) else 0
    check("trec", number, "map", average)
    check("trec", number, "P_5", at_five)
    check("trec", number, "recip_rank", first)


@RUNS
def test_prum(inputs, number):
    extents = files.structure(inputs / "2006" / "structure.tsv")
    run = files.columns(inputs / "2006" / f"run{number}.thorough.paths.run")
    wanted = {}
    for topic, judged in files.judged(inputs / "2006" / "assessments").items():
        targets = sorted(ideal_elements(gains(judged, "gen")))
        listed = [(row[1], row[5]) for row in run[topic]]

        def reach(key, target):
            if key == target:
                return 1.0
            sizes = sorted(extents[one][1] - extents[one][0] for one in (key, target))
            return sizes[0] / sizes[1] if inside(key, target) or inside(target, key) else 0.0

        matrix = [[reach(key, target) for target in targets] for key in listed]
        values = prum_paper(matrix, len(targets), len(extents), len(listed), float)
        wanted[topic] = sum(values) / len(targets)
    check("prum", number, "prum_map", wanted)
