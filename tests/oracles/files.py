"""Flat judgements, runs and navigation files, written as the formats say, and evaluated through the public call."""

import prum_eval


def write_qrels(path, judgements):
    """{topic: {document: grade}}"""
    lines = [f"{topic} 0 {name} {grade}\n" for topic, grades in judgements.items() for name, grade in grades.items()]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def write_run(path, results):
    """{topic: {document: score}}; a score is written with all its digits."""
    lines = [
        f"{topic} Q0 {name} {rank} {score!r} run\n"
        for topic, scores in results.items()
        for rank, (name, score) in enumerate(scores.items(), 1)
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def write_navigation(path, edges):
    """{(source, target): probability}"""
    lines = [f"{source}\t{target}\t{probability!r}\n" for (source, target), probability in edges.items()]
    path.write_text("# source, target, probability\n" + "".join(lines), encoding="utf-8")
    return path


def ranked(names):
    """Scores that keep the documents in this order."""
    return {name: float(len(names) - place) for place, name in enumerate(names)}


def evaluate(folder, judgements, results, edges=None, **options):
    """The only run, evaluated with files in `folder`."""
    if edges:
        options |= {"navigation": write_navigation(folder / "navigation", edges), "user_model": "graph"}
    qrels, run = write_qrels(folder / "qrels", judgements), write_run(folder / "run", results)
    return prum_eval.evaluate(qrels, run, **options).runs[0]
