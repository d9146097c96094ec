"""The help of `prum-eval simulate` lists all that there is, in 80 columns, at once."""

import subprocess
import sys

from prum_eval.cli.completion import complete_names
from prum_eval.experiments.changes import CHANGE_BY_NAME, SOURCES
from tests.gold import ROOT, run


def test_help_lists_sources_and_changes_in_80_columns():
    lines = run("simulate --help").out.splitlines()
    assert max(map(len, lines)) <= 80
    listed = {line.strip() for line in lines}
    assert listed >= {*SOURCES, "RUN", *(one.usage for one in CHANGE_BY_NAME.values())}
    assert listed >= {one.summary for one in (*SOURCES.values(), *CHANGE_BY_NAME.values())}
    assert CHANGE_BY_NAME["keep"].usage == "keep:share=S|n=N"
    assert CHANGE_BY_NAME["move"].usage == "move:m=M,axis=updown|siblings"


def test_help_needs_no_numpy():
    text = "import sys; from prum_eval.cli.main import run; run(['simulate', '-h']); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_shells_are_offered_the_changes():
    assert [one.value for one in complete_names("changes", "s")] == ["siblings", "shuffle"]
