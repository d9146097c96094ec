"""Smoke test of an installed prum-eval: nothing but the standard library and the package itself.

Usage: python smoke.py FIXTURES

FIXTURES is the folder of the demonstration: structure.tsv, assessments, run-a.xml, run-b.xml.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

RUNTIME = {"click", "lxml", "numpy", "tabulate"}
RUNS = ("run-a.xml", "run-b.xml")


def check(holds: object, complaint: str) -> None:
    """Stop with a complaint, also under ``python -O``."""
    if not holds:
        sys.exit(f"smoke test: {complaint}")


def call(*command: str | Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command that must end with ``status``."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    check(
        done.returncode == status,
        f"exit status {done.returncode} instead of {status}: {' '.join(done.args)}\n{done.stdout}{done.stderr}",
    )
    check("Traceback" not in done.stderr, f"a traceback: {' '.join(done.args)}\n{done.stderr}")
    return done


def check_installation(command: str) -> None:
    """The package is the installed one, complete, with the dependencies that it promises."""
    import prum_eval

    installed = distribution("prum-eval")
    folder = Path(prum_eval.__file__).parent
    check(folder.is_relative_to(sys.prefix), f"prum_eval was imported from {folder}, not from the environment")
    check((folder / "py.typed").is_file(), "py.typed is not in the wheel")
    check(installed.version == prum_eval.__version__, f"installed as {installed.version}, is {prum_eval.__version__}")
    required = {
        re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        for requirement in installed.requires or ()
        if "extra" not in requirement
    }
    check(required == RUNTIME, f"runtime dependencies are {sorted(required)}")
    shown = call(command, "--version").stdout
    check(prum_eval.__version__ in shown, f"--version prints {shown!r}")
    check("prum_map" in call(sys.executable, "-m", "prum_eval", "measures").stdout, "measures does not list prum_map")


def check_evaluation(command: str, fixtures: Path) -> None:
    """Both runs are evaluated, and PRUM's mean is a probability."""
    options = ("-s", fixtures / "structure.tsv", "-u", "hierarchical", "-f", "json")
    runs = [fixtures / name for name in RUNS]
    report = json.loads(call(command, "eval", *options, fixtures / "assessments", *runs).stdout)
    check(len(report["runs"]) == len(RUNS), f"{len(report['runs'])} runs in the report")
    for run in report["runs"]:
        check("prum_map" in run["all"], f"no prum_map for {run['run_id']}: {sorted(run['all'])}")
        check(0 <= run["all"]["prum_map"] <= 1, f"prum_map of {run['run_id']} is {run['all']['prum_map']}")


def check_page(command: str, fixtures: Path) -> None:
    """The page has its style and its script, and a picture without matplotlib is refused with what it needs."""
    inputs = ("-s", fixtures / "structure.tsv", fixtures / "assessments", fixtures / RUNS[0])
    page = call(command, "eval", "-f", "html", *inputs).stdout
    check(page.endswith("</html>\n"), f"the page ends with {page[-40:]!r}")
    check("</style>" in page and "addEventListener" in page, "the page lacks its style or its script")
    if find_spec("matplotlib") is None:
        done = call(command, "eval", "--plot", "curves.png", *inputs, status=2)
        check("pip install matplotlib" in done.stderr, f"no hint at the extra:\n{done.stderr}")


def check_bad_run(command: str, fixtures: Path) -> None:
    """A bad line is named by file and line, and nothing is printed as a result."""
    with tempfile.TemporaryDirectory() as folder:
        bad = Path(folder, "bad.run")
        bad.write_text("1 Q0 d1 1 0.9 bad /a[1]\n1 Q0 d2 2 high bad /a[1]\n", encoding="utf-8")
        done = call(command, "eval", "-s", fixtures / "structure.tsv", fixtures / "assessments", bad, status=1)
        check(f"{bad}:2:" in done.stderr, f"the bad line is not named:\n{done.stderr}")
        check(done.stdout == "", f"results of a bad run:\n{done.stdout}")


def main() -> None:
    """Run every check."""
    check(len(sys.argv) == 2, str(__doc__))
    fixtures = Path(sys.argv[1]).resolve()
    command = shutil.which("prum-eval", path=sysconfig.get_path("scripts"))
    if command is None:
        sys.exit("smoke test: the command prum-eval is not installed")
    check_installation(command)
    check_evaluation(command, fixtures)
    check_page(command, fixtures)
    check_bad_run(command, fixtures)
    print("smoke test: the installed package works")


if __name__ == "__main__":
    main()
