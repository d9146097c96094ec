"""The start of a process: what is set before anything is imported that reads it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.evaluation.parallel.calls import script
from tests.gold import ROOT

ENTRIES = (["-m", "prum_eval"], ["-c", "from prum_eval.cli.main import main; main()"])
"""Our two doors: the module, and what the installed program does."""


@pytest.mark.parametrize("entry", ENTRIES, ids=["module", "program"])
@pytest.mark.parametrize(("given", "wanted"), [(None, "1"), ("3", "3")])
def test_numpy_is_told_to_start_no_threads_unless_the_user_says_so(tmp_path, entry, given, wanted):
    (tmp_path / "numpy.py").write_text(
        "import os; os.write(1, os.environ['OPENBLAS_NUM_THREADS'].encode()); os._exit(7)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    environment["PYTHONPATH"] = os.pathsep.join((str(tmp_path), str(ROOT)))
    if given is not None:
        environment["OPENBLAS_NUM_THREADS"] = given
    command = [sys.executable, *entry, "eval", "judgements", "run"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (7, wanted)


def test_the_end_of_the_process_passes_over_what_is_left():
    text = (
        "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count() > 0)); "
        "from prum_eval.cli.main import main; main(['--version'])"
    )
    assert script(text).stdout.splitlines()[-1] == "True"


def test_collections_are_rare_before_anything_large_is_imported():
    text = (
        "import gc, sys; "
        "spy = lambda name, *_: print(gc.get_threshold()[0]) if name == 'click' else None; "
        "sys.meta_path.insert(0, type('Spy', (), {'find_spec': spy})); "
        "from prum_eval.cli.main import main; main(['--version'])"
    )
    assert int(script(text).stdout.splitlines()[0]) > 10_000


def imported(command):
    """What a command imports beside what numpy, click and pathlib do; these differ between versions."""
    text = (
        "import sys, numpy, click, pathlib; before = set(sys.modules); from prum_eval.cli.main import run; "
        f"status = run({command.split()!r}); print(status, *sorted(set(sys.modules) - before), sep='\\n')"
    )
    _, done, modules = script(text, PRUM_EVAL_CACHE="off").stdout.partition("\n0\n")
    assert done
    return set(modules.split())


TINY = "fixtures/toy/qrels fixtures/toy/run"


FAMILIES = {
    "prum_eval.measures.coverage",
    "prum_eval.measures.eprum",
    "prum_eval.measures.grp",
    "prum_eval.measures.ng",
    "prum_eval.measures.passages",
    "prum_eval.measures.prum",
    "prum_eval.measures.xcg",
}


def test_a_small_evaluation_imports_only_what_it_uses():
    found = imported(f"eval -m map {TINY}")
    assert {"prum_eval.evaluation.api", "prum_eval.measures.classic", "prum_eval.report.data"} <= found
    libraries = {"bz2", "glob", "gzip", "json", "lzma", "multiprocessing", "numpy.ma", "signal", "tempfile", "xml"}
    ours = {
        "prum_eval.evaluation.parallel",
        "prum_eval.text.json_lines",
        "prum_eval.report.exports",
        "prum_eval.report.pictures",
    }
    assert not found & (libraries | ours | FAMILIES)


def test_a_family_imports_itself_only():
    demo = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml"
    found = imported(f"eval -m prum -m gen_recall {demo}")
    assert found & FAMILIES == {"prum_eval.measures.prum"}
    assert "importlib.metadata" not in found


def test_the_official_measures_import_their_own_families_only():
    found = imported(f"eval -m official {TINY}")
    assert found & FAMILIES == {"prum_eval.measures.eprum", "prum_eval.measures.prum"}
