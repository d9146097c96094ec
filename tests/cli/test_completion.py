"""Completion in shells: what click's own scripts ask for, and that bash gets it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from prum_eval.cli.commands import COMMANDS
from prum_eval.measures.registry import SETS, all_measures, families
from prum_eval.measures.tasks import TASKS
from prum_eval.user_models.registry import BUILT_IN
from tests import served
from tests.gold import ROOT

PROGRAM = Path(sys.executable).parent / "prum-eval"
pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not installed beside this Python")


def asked(shell, line, **more):
    """What a shell is told that may stand at the end of a line."""
    words = line.split(" ")
    count = words[-1] if shell == "fish" else str(len(words) - 1)
    environment = {**os.environ, "_PRUM_EVAL_COMPLETE": f"{shell}_complete", "COMP_WORDS": line, "COMP_CWORD": count}
    program = Path(served.folder(), PROGRAM.name)
    done = subprocess.run([program], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_commands():
    assert asked("bash", "prum-eval ") == [f"plain,{name}" for name in COMMANDS]
    assert asked("bash", "prum-eval che") == ["plain,check"]


def test_measures_families_and_sets():
    offered = asked("bash", "prum-eval eval -m ")
    assert set(offered) == {f"plain,{name}" for name in (*(one.name for one in all_measures()), *families(), *SETS)}
    assert len(offered) == len(set(offered))
    assert asked("bash", "prum-eval eval --measure num_r") == [f"plain,num_r{end}" for end in ("et", "el", "el_ret")]
    assert asked("bash", "prum-eval gold write -m num_q") == ["plain,num_q"]


def test_names_of_other_tools_and_lists_of_measures():
    assert asked("bash", "prum-eval eval -m recip") == [
        f"plain,recip{end}" for end in ("_rank", "_rank_cut", "rocal_rank")
    ]
    assert asked("bash", "prum-eval eval -m MR") == ["plain,MRR"]
    assert asked("bash", "prum-eval eval -m map,P.5,AP") == [
        f"plain,map,P.5,{name}" for name in ("ap_ia", "AP", "AP_IA")
    ]
    assert asked("bash", "prum-eval eval -t map,inex2004") == [""]


@pytest.mark.parametrize(
    ("option", "names"),
    [
        ("-t", TASKS),
        ("-u", BUILT_IN),
        ("--targets", ("ideal", "relevant", "bep", "passages")),
        ("--prum-mode", ("paper", "exact", "normal")),
    ],
)
def test_names_of_an_option(option, names):
    assert set(asked("bash", f"prum-eval eval {option} ")) >= {f"plain,{name}" for name in names}


def test_what_sweep_varies():
    offered = asked("bash", "prum-eval sweep --vary ")
    assert {"plain,user_model=", "plain,limit=", "plain,value=", "plain,p=", "plain,tolerance="} <= set(offered)
    assert len(offered) == len(set(offered))
    assert asked("bash", "prum-eval sweep --vary toler") == ["plain,tolerance="]


def test_quantisations_begin_with_what_was_typed():
    assert asked("bash", "prum-eval eval --quantisation genl") == ["plain,genlifted"]


def test_what_measures_explains():
    assert {"plain,t2i", "plain,t2i_gP"} <= set(asked("bash", "prum-eval measures t2"))
    assert asked("bash", "prum-eval measures inex2010") == ["plain,inex2010-relevant-in-context"]


@pytest.mark.parametrize(
    "line", ["eval fix", "eval qrels fix", "eval -s fix", "eval -o fix", "check --assessments fix"]
)
def test_files(line):
    assert asked("bash", f"prum-eval {line}") == ["file,fix"]


def test_folders():
    assert asked("bash", "prum-eval eval --curves fix") == ["dir,fix"]


def test_zsh_and_fish_get_the_meaning_too():
    summary = next(one.summary for one in all_measures() if one.name == "bpref")
    assert asked("zsh", "prum-eval eval -m bpr") == ["plain", "bpref", summary]
    assert asked("fish", "prum-eval eval -m bpr") == [f"plain,bpref\t{summary}"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell(shell):
    environment = {**os.environ, "_PRUM_EVAL_COMPLETE": f"{shell}_source"}
    done = subprocess.run([PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert f"_PRUM_EVAL_COMPLETE={shell}_complete" in done.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes():
    script = (
        'eval "$(_PRUM_EVAL_COMPLETE=bash_source prum-eval)"; '
        "COMP_WORDS=(prum-eval eval -m eprum_m); COMP_CWORD=3; "
        '_prum_eval_completion prum-eval eprum_m -m; echo "${COMPREPLY[@]}"'
    )
    environment = {**os.environ, "PATH": os.pathsep.join((str(PROGRAM.parent), os.environ["PATH"]))}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=False)  # noqa: S607
    assert done.stdout == "eprum_map\n"


def test_completion_is_not_loaded_otherwise():
    script = "import sys; from prum_eval.cli.main import run; run(['eval', '--help']); sys.exit('%s' in sys.modules)"
    for module in ("prum_eval.cli.completion", "click.shell_completion"):
        done = subprocess.run([sys.executable, "-c", script % module], capture_output=True, check=False)
        assert done.returncode == 0
