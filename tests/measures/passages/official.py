"""The official tool's outputs: parsed, and set against ours under its own names."""

from __future__ import annotations

import math
import re
from pathlib import Path

import prum_eval

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "fixtures" / "official"

_SETS = ("art_prec", "art_rec", "art_f1", "char_prec", "char_rec", "char_f1")
_SIZES = ("ret_size", "rel_size", "rel_ret_size")
_COUNTS = ("num_ret", "num_rel", "num_rel_ret")
_RANKS = (1, 2, 3, 5, 10, 25, 50)


def _specs(task, parameter=""):
    """What an official task prints, as official name -> our specification; `ircl_prn` stands for the averages only."""
    counts = {"t": "articles", "f": "articles", "r": "ranks", "i": "ranks", "b": "points"}[task]
    names = {"num_q": "num_q"} | {name: f"{name}:counts={counts}" for name in _COUNTS}
    if task in "tf":
        overlap = ":overlap=novel" if task == "t" else ""
        names |= {name: name + overlap for name in (*_SIZES, *_SETS)}
        names |= {f"iP[{x / 100:.2f}]": f"iP_{x / 100:.2f}{overlap}" for x in (0, 1, 5, 10)}
        names |= {f"ircl_prn.{x / 100:.2f}": f"iP_{x / 100:.2f}{overlap}" for x in range(101)}
        return names | {"AiP": "maip" + overlap, "MAiP": "maip" + overlap}
    prefix = {"r": "", "b": "bic_", "i": "t2i_"}[task]
    names |= {name: f"{name}:counts={counts}" for name in _SIZES}
    names |= {f"g{x}[{k}]": f"{prefix}g{x}_{k}{own}" for k in _RANKS for x, own in (("P", parameter), ("R", ""))}
    names |= {f"ircl_prn.{x / 10:.2f}": f"{prefix}gP_at_gR_{x / 10:.2f}{parameter}" for x in range(11)}
    return names | {"AgP": f"{prefix}magp{parameter}", "MAgP": f"{prefix}magp{parameter}"}


def specs(task, parameter=""):
    """Specifications of everything that an official task prints."""
    return list(dict.fromkeys(_specs(task, parameter).values()))


def evaluate(task, qrels, run, *, complete=False, parameter=""):
    """Our result of an official task on one run."""
    wanted = specs(task, parameter)
    return prum_eval.evaluate(str(qrels), str(run), measures=wanted, complete=complete).runs[0]


def commands(path):
    """The commands of a folder of outputs: name of the output, task, complete, judgements, run."""
    for line in path.read_text().splitlines():
        name, _, command = line.partition(": ")
        _, task, *options, qrels, run = command.split()
        yield name, task[1], "-c" in options, FIXTURES / qrels, FIXTURES / run


def blocks(path):
    """Head and text of each block of an output file with several."""
    for block in path.read_text().split("### ")[1:]:
        head, _, text = block.partition("\n")
        yield head, text


def parse(text):
    """(name, topic) -> printed value, of one <eval> block."""
    lines = (re.split(r"\t+", line) for line in text.splitlines() if line and line[0] not in "<#")
    return {(name, topic): float(value) for name, topic, value in lines}


def differences(task, text, result, parameter=""):
    """Number of values compared, and what differs: (name, topic, official value, ours).

    Where the official tool prints NaN, ours is 0 for generalised recall, and no value for the others, which are left
    out of the mean.
    """
    names, printed = _specs(task, parameter), parse(text)
    assert {topic for _, topic in printed} - {"all"} == set(result.topics)
    wrong = []
    for (name, topic), value in printed.items():
        own = (result.all if topic == "all" else result.topics[topic])[names[name]]
        if math.isnan(value):
            known = [values[names[name]] for values in result.topics.values() if values[names[name]] is not None]
            nothing = 0.0 if name.startswith("gR") else None
            wanted = sum(known) / len(known) if topic == "all" and known else nothing
            same = own == wanted or (own is not None and wanted is not None and math.isclose(own, wanted))
        else:
            same = own is not None and math.isclose(own, value, rel_tol=1e-12, abs_tol=0.0)
        if not same:
            wrong.append((name, topic, value, own))
    return len(printed), wrong
