"""--help, --version and `measures`: everything that exists is named and explained."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from importlib.metadata import version

import click
import pytest

from prum_eval import __version__
from prum_eval.cli.commands import COMMANDS
from prum_eval.cli.commands.evaluate import command as eval_command
from prum_eval.measures.registry import all_measures, families
from prum_eval.relevance.quantisations import QUANTISATION_NAMES
from prum_eval.user_models.registry import BUILT_IN, model_parameters
from tests.gold import ROOT, run


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(option):
    output = run(option)
    first, second = output.out.splitlines()
    assert (output.status, first) == (0, f"prum-eval, version {__version__}")
    assert second == f"Python {platform.python_version()}, numpy {version('numpy')}, lxml {version('lxml')}"
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", __version__)


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_names_every_command(option):
    output = run(option)
    assert output.status == 0
    for name in COMMANDS:
        assert re.search(rf"^  {name} ", output.out, re.MULTILINE)


def test_no_command_prints_the_help():
    output = run("")
    assert "Usage: prum-eval [OPTIONS] COMMAND [ARGS]..." in output.out + output.err


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command(name):
    output = run(f"{name} --help")
    assert output.status == 0
    assert output.out.startswith(f"Usage: prum-eval {name} ")


def test_every_option_of_eval_is_explained():
    text = run("eval --help-all").out
    for option in eval_command.params:
        if isinstance(option, click.Option):
            assert option.help
            assert all(name in text for name in option.opts)


def test_short_help_shows_the_common_options_under_headings_and_fits_a_screen():
    lines = run("eval -h").out.splitlines()
    assert len(lines) <= 75
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if line.endswith(":") and not line.startswith("   ")] == [
        *("  Examples:", "Options:", "Input:", "Measures:", "User model:", "Topics:", "Statistics:", "Output:"),
        "Performance:",
    ]
    assert lines[-1] == "These are the most common options. --help-all lists all of them."
    assert not any("--cluster" in line or "<=" in line or "RANGE" in line for line in lines)


def test_options_of_a_command_come_before_those_that_it_shares():
    text = run("compare --help-all").out
    places = [text.index(name) for name in ("--pairs", "--help-all", "\nInput:", "--test", "\nOutput:", "--no-cache")]
    assert places == sorted(places)


@pytest.mark.parametrize("name", [*sorted(COMMANDS.keys() - {"gold"}), "gold write", "gold check", "gold update"])
def test_complete_help_fits_80_columns(name):
    output = run(f"{name} --help-all")
    assert (output.status, output.err) == (0, "")
    assert max(map(len, output.out.splitlines())) <= 80
    assert "RANGE" not in output.out


def test_the_contract_of_eval():
    options = {name for option in eval_command.params for name in option.opts}
    assert options >= {
        *("-s", "--structure", "-m", "--measure", "--set", "-u", "--user-model", "--navigation", "--navigation-kind"),
        *("--targets", "--quantisation", "--prum-mode", "--ideal-list", "--items", "--collection-size"),
        *("-q", "-c", "-n", "-M", "--rank-by", "-f", "--format", "-o", "--output", "--digits"),
        *("-j", "--jobs", "--cluster", "--no-cache"),
    }


def test_measures_lists_every_name():
    output = run("measures")
    assert output.status == 0
    listed = set(output.out.replace(",", " ").split())
    assert listed >= {*families(), *BUILT_IN, *QUANTISATION_NAMES, "official", "all"}
    for measure in all_measures():
        assert measure.name + measure.suffix in listed
        assert measure.summary.split()[0] in listed


@pytest.mark.parametrize("measure", all_measures(), ids=lambda measure: measure.name)
def test_every_measure_is_explained(measure):
    output = run(f"measures {measure.name}")
    assert output.status == 0
    text = " ".join(output.out.split())
    assert text.startswith(f"{measure.name}: {' '.join(measure.summary.split())}")
    assert " ".join(measure.explanation.split()) in text
    assert " ".join(f"Source: {measure.source}".split()) in text
    for parameter in measure.parameters:
        assert f"{parameter.name} = " in text
        assert " ".join(parameter.meaning.split()) in text
    for point in measure.cutoffs:
        assert measure.printed_name(point) in text.split()


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_user_model_is_explained(name):
    output = run(f"measures {name}")
    assert output.status == 0
    text = " ".join(output.out.split())
    assert text.startswith(f"user model {name}: ")
    for parameter in model_parameters(BUILT_IN[name]):
        assert f"{parameter.name} = " in text


def test_a_name_of_a_user_model_and_of_a_family_explains_both():
    first = {line.partition(":")[0] for line in run("measures t2i").out.splitlines() if ":" in line}
    assert first >= {"user model t2i", *(measure.name for measure in all_measures() if measure.family == "t2i")}


@pytest.mark.parametrize("name", [*families(), "official", "all"])
def test_families_and_sets_explain_their_members(name):
    output = run(f"measures {name}")
    assert output.status == 0
    first = {line.partition(":")[0] for line in output.out.splitlines() if ":" in line}
    wanted = [measure.name for measure in all_measures() if name in (measure.family, "all")]
    assert first >= set(wanted)


@pytest.mark.parametrize("command", ["measures", "measures all", *(f"measures {name}" for name in BUILT_IN)])
def test_explanations_fit_80_columns(command):
    assert max(map(len, run(command).out.splitlines())) <= 80


def test_help_does_not_import_numpy():
    script = "import sys; from prum_eval.cli.main import run; run([%r]); sys.exit('numpy' in sys.modules)"
    for option in ("--help", "--version"):
        done = subprocess.run([sys.executable, "-c", script % option], cwd=ROOT, capture_output=True, check=False)
        assert done.returncode == 0


def test_the_module_runs_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "prum_eval", "--version"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, f"prum-eval, version {__version__}")
