"""``python -m bench.dict_calls PACKAGE``: time calls on dicts of 50 topics, inside one process, or on data frames.

With ``--frame`` the run is a data frame of 91 topics of 1,000 results each.

A call takes milliseconds, far less than the start of a process, so that it is timed from within: after one call that
imports what it needs, the median of `CALLS` that follow, each from the two dicts to the values of every topic. Both
packages get the same dicts, of 1,000 results and 200 judged documents a topic, and three measures.
Prints seconds and the peak of memory in MB.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import time
from collections.abc import Callable
from importlib import import_module

TOPICS, RESULTS, JUDGED = 50, 1000, 200
CALLS = 21

Judged = dict[str, dict[str, int]]
Ranked = dict[str, dict[str, float]]


def dicts(topics: int = TOPICS, results: int = RESULTS, judged: int = JUDGED) -> tuple[Judged, Ranked]:
    """Grades and scores by topic and document."""
    draw = random.Random(1)
    grades: Judged = {}
    scores: Ranked = {}
    for topic in map(str, range(topics)):
        names = [f"D{number:06d}" for number in draw.sample(range(100_000), judged + results)]
        grades[topic] = {name: int(draw.random() < 0.2) for name in names[:judged]}
        scores[topic] = {name: draw.random() for name in names[judged // 2 : judged // 2 + results]}
    return grades, scores


def call_of(package: str, grades: Judged, scores: Ranked) -> Callable[[], object]:
    """The call that is timed."""
    module = import_module(package)
    if package == "pytrec_eval":
        return lambda: module.RelevanceEvaluator(grades, {"map", "P_10", "ndcg"}).evaluate(scores)
    return lambda: module.evaluate(grades, scores, measures=["map", "P.10", "ndcg"])


def frame_call(package: str) -> Callable[[], object]:
    """The call with data frames that is timed."""
    import pandas as pd  # the benchmark of dicts does without it

    grades, scores = dicts(91)
    keys = ("query_id", "doc_id") if package == "ir_measures" else ("topic", "doc")
    judged, ranked = (
        pd.DataFrame(
            [(topic, doc, value) for topic, by_doc in values.items() for doc, value in by_doc.items()],
            columns=[*keys, value_name],
        )
        for values, value_name in ((grades, "relevance"), (scores, "score"))
    )
    module = import_module(package)
    if package == "ir_measures":
        return lambda: module.calc([module.AP, module.P @ 10, module.nDCG], judged, ranked)
    return lambda: module.evaluate(judged, ranked, measures=["map", "P.10", "ndcg"])


def median(call: Callable[[], object], calls: int = CALLS) -> float:
    """Seconds of a call, after a first one."""
    call()
    times = []
    for _ in range(calls):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    """Time the calls of one package."""
    parser = argparse.ArgumentParser(prog="python -m bench.dict_calls", description=__doc__)
    parser.add_argument("package", choices=["pytrec_eval", "ir_measures", "prum_eval"])
    parser.add_argument("--frame", action="store_true", help="time data frames")
    asked = parser.parse_args()
    call = frame_call(asked.package) if asked.frame else call_of(asked.package, *dicts())
    seconds = median(call, 5 if asked.frame else CALLS)
    print(f"{seconds:.6f} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.1f}")


if __name__ == "__main__":
    main()
