"""prum-eval: evaluation of retrieval systems whose answers are parts of documents.

>>> import prum_eval
>>> result = prum_eval.evaluate("fixtures/toy/qrels", "fixtures/toy/run", measures=["map", "P.5"])
>>> result.runs[0].all["map"]
0.75
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from prum_eval.moved import OldModules
from prum_eval.version import __version__

if TYPE_CHECKING:
    from prum_eval.analysis.compare import compare, correlate
    from prum_eval.analysis.comparison import Comparison
    from prum_eval.analysis.correlation import Correlations
    from prum_eval.analysis.explain import (
        TopicList,
        TwoExplanations,
        explain,
        explain_against,
        explain_topics,
        explain_worst,
    )
    from prum_eval.analysis.explanation import Explanation
    from prum_eval.analysis.regression import GoldCheck, check_gold
    from prum_eval.conversion.convert import Conversion, convert
    from prum_eval.errors import DataError, InputError, PrumEvalError, UsageError
    from prum_eval.evaluation.api import evaluate
    from prum_eval.evaluation.check import Check, check
    from prum_eval.evaluation.each_run import evaluate_each
    from prum_eval.evaluation.results import Evaluation, RunResult
    from prum_eval.evaluation.suggest import suggest_configuration
    from prum_eval.experiments.fit import FittedModels, fit
    from prum_eval.experiments.gallery import Answers, answers
    from prum_eval.experiments.power import Power, power
    from prum_eval.experiments.simulate import Simulation, simulate
    from prum_eval.experiments.simulate_log import simulate_log
    from prum_eval.experiments.sweep import Sweep, sweep
    from prum_eval.formats.reading import (
        read_assessments,
        read_log,
        read_navigation,
        read_run,
        read_runs,
        read_structure,
    )
    from prum_eval.report.layout import Layout
    from prum_eval.report.registry import render
    from prum_eval.schemas import schema
    from prum_eval.user_models.model import RankedTopic, UserModel

sys.meta_path.append(OldModules)

_HOMES = {
    "prum_eval.analysis.compare": (
        "compare",
        "correlate",
    ),
    "prum_eval.analysis.comparison": ("Comparison",),
    "prum_eval.analysis.correlation": ("Correlations",),
    "prum_eval.analysis.explain": (
        "TopicList",
        "TwoExplanations",
        "explain",
        "explain_against",
        "explain_topics",
        "explain_worst",
    ),
    "prum_eval.analysis.explanation": ("Explanation",),
    "prum_eval.analysis.regression": (
        "GoldCheck",
        "check_gold",
    ),
    "prum_eval.conversion.convert": (
        "Conversion",
        "convert",
    ),
    "prum_eval.errors": (
        "DataError",
        "InputError",
        "PrumEvalError",
        "UsageError",
    ),
    "prum_eval.evaluation.api": ("evaluate",),
    "prum_eval.evaluation.check": (
        "Check",
        "check",
    ),
    "prum_eval.evaluation.each_run": ("evaluate_each",),
    "prum_eval.evaluation.results": (
        "Evaluation",
        "RunResult",
    ),
    "prum_eval.evaluation.suggest": ("suggest_configuration",),
    "prum_eval.experiments.fit": (
        "FittedModels",
        "fit",
    ),
    "prum_eval.experiments.gallery": (
        "Answers",
        "answers",
    ),
    "prum_eval.experiments.power": (
        "Power",
        "power",
    ),
    "prum_eval.experiments.simulate": (
        "Simulation",
        "simulate",
    ),
    "prum_eval.experiments.simulate_log": ("simulate_log",),
    "prum_eval.experiments.sweep": (
        "Sweep",
        "sweep",
    ),
    "prum_eval.formats.reading": (
        "read_assessments",
        "read_log",
        "read_navigation",
        "read_run",
        "read_runs",
        "read_structure",
    ),
    "prum_eval.report.layout": ("Layout",),
    "prum_eval.report.registry": ("render",),
    "prum_eval.schemas": ("schema",),
    "prum_eval.user_models.model": (
        "RankedTopic",
        "UserModel",
    ),
}

__all__ = [
    "Answers",
    "Check",
    "Comparison",
    "Conversion",
    "Correlations",
    "DataError",
    "Evaluation",
    "Explanation",
    "FittedModels",
    "GoldCheck",
    "InputError",
    "Layout",
    "Power",
    "PrumEvalError",
    "RankedTopic",
    "RunResult",
    "Simulation",
    "Sweep",
    "TopicList",
    "TwoExplanations",
    "UsageError",
    "UserModel",
    "__version__",
    "answers",
    "check",
    "check_gold",
    "chunks",
    "compare",
    "convert",
    "correlate",
    "evaluate",
    "evaluate_each",
    "explain",
    "explain_against",
    "explain_topics",
    "explain_worst",
    "fit",
    "power",
    "read_assessments",
    "read_log",
    "read_navigation",
    "read_run",
    "read_runs",
    "read_structure",
    "render",
    "schema",
    "simulate",
    "simulate_log",
    "suggest_configuration",
    "sweep",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: ``prum-eval --help`` must not wait for numpy."""
    from importlib import import_module

    if name == "chunks":  # a package of functions, which is asked for by itself
        return import_module("prum_eval.chunks")
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Exactly the public names."""
    return list(__all__)
