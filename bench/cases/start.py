"""What a process and a call from Python cost before they evaluate anything worth it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec

from bench.commands import Case, ours, python

TITLE = "Start, and calls from Python"
CLICK = "import click"
NUMPY = "import numpy"
BOTH = "import numpy, click"
HELP = "help"
TINY = "tiny evaluation"
IMPORT = "import prum_eval"
EVALUATE = "from prum_eval import evaluate"
THEIRS = "pytrec_eval, dicts of 50 topics, in a process"
THEIR_FRAME = "ir_measures, DataFrame of 91,000 rows, in a process"
FRAME = "prum_eval.evaluate, DataFrame of 91,000 rows, in a process"
OURS = "prum_eval.evaluate, dicts of 50 topics, in a process"


def cases() -> Iterator[Case]:
    """Start of the program, of the package, and a call that needs no file."""
    yield Case("bare Python", python("pass"))
    yield Case(CLICK, python("import click"))
    yield Case(NUMPY, python("import numpy"))
    yield Case(BOTH, python("import numpy, click"))
    yield Case(HELP, ours("--help"), CLICK)
    yield Case(TINY, ours("eval", "-m", "map", "fixtures/toy/qrels", "fixtures/toy/run"), BOTH)
    yield Case(IMPORT, python("import prum_eval"), NUMPY)
    yield Case(EVALUATE, python("from prum_eval import evaluate"), NUMPY)
    for name, package, against in ((THEIRS, "pytrec_eval", None), (OURS, "prum_eval", THEIRS)):
        yield Case(name, [sys.executable, "-m", "bench.dict_calls", package], against, inside=True)
    if find_spec("pandas") is not None:
        for name, package, against in ((THEIR_FRAME, "ir_measures", None), (FRAME, "prum_eval", THEIR_FRAME)):
            if find_spec(package) is not None:
                yield Case(name, [sys.executable, "-m", "bench.dict_calls", package, "--frame"], against, inside=True)
