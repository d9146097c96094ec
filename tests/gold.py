"""The gold files, each with the command whose standard output it holds; as a script, rewrites them.

Commands run from the root of the repository. A gold file is only as good as whoever reads its difference: before it is
committed every changed number needs a derivation, such as those beside the worked examples.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent

_GRAPH = "-u graph --navigation fixtures/worked/{row}/navigation.tsv"
_PRUM = "-m prum_map -m prum_prec_at_recall"
_BOTH = f"{_PRUM}.0.5,1 -m prum_map:mode=exact -m prum_prec_at_recall.0.5,1:mode=exact"

WORKED = {
    "P1": f"{_GRAPH} --collection-size 4 {_PRUM}.0.5,1",
    "P1x": f"{_GRAPH} --collection-size 4 --prum-mode exact {_PRUM}.0.5,1",
    "P2": f"{_GRAPH} --collection-size 3 {_PRUM}.1",
    "P3": f"{_GRAPH} --collection-size 3 {_PRUM}.1 -m gen_recall.1,2,3",
    "P4": f"{_GRAPH} --collection-size 100 {_PRUM}.0.5,1",
    "P5": f"{_GRAPH} --collection-size 4 {_BOTH}",
    "P6": f"{_GRAPH} --collection-size 100 {_BOTH}",
    "P7": f"--collection-size 10 {_PRUM}.0.33,0.66,1",
    "P8": f"{_GRAPH} -m gen_recall.1,2,3,4",
    "E1": f"{_GRAPH} -m eprum_map -m eprum_prec_at_recall.0.5,1",
    "E2": f"{_GRAPH} -m eprum_map -m eprum_prec_at_recall.0.5,1 "
    "-m eprum_map:ideal_list=greedy -m eprum_prec_at_recall.0.5,1:ideal_list=greedy",
    "E3": f"{_GRAPH} -m eprum_map -m eprum_prec_at_recall.0.33,0.66,1 "
    "-m eprum_map:at_recall=ratio -m eprum_prec_at_recall.0.33,0.66,1:at_recall=ratio -m eprum_P.1,2,3,4",
    "E4": "-m eprum_map -m eprum_prec_at_recall.0.33,0.66,1",
    "C1": "-m char_rec.1,2,3 -m char_prec.1,2,3 -m char_prec_2:overlap=novel -m char_f1.1,2,3 -m char_iou.1,2,3 "
    "-m char_iou.2,3:overlap=novel -m char_prec_omega -m hit_1 -m hit_1:touch=half "
    "-m hit_1:touch=whole -m answered.1,2,3 "
    "-m span_recall_3 -m span_recall_3:touch=whole -m span_rr -m span_rr:touch=whole -m size.1,2,3 "
    "-m redundancy.1,2,3 -m char_rec_at_size_150 -m char_rec_at_size_150:cut=whole -m tokens.1,2,3 "
    "-m char_rec_at_tokens_40 -m gen_recall.2,3 -m eprum_map -m eprum_map:effort=size",
    "D1": "--facets column -m strec_5 -m ap_ia -m p_ia_5 -m nrbp -m nnrbp",
    "F1": "-m char_rec.1,3 -m char_prec.1,3 -m char_iou.1,3 -m span_recall.1,3 -m span_recall.1,3:touch=whole "
    "-m answered.1,3 -m answered.1,3:touch=half -m gen_recall.1,3 -m complete.1,3 -m eprum_map "
    "-m eprum_prec_at_recall.0.5,1 -m eprum_map:effort=size",
    "W1": f"{_GRAPH} --navigation-kind step -m gen_recall.1",
}
"""Options of each worked example in fixtures/worked."""


def worked(row: str, style: str) -> str:
    """The command of a worked example, in an output format."""
    inputs = f"fixtures/worked/{row}/qrels fixtures/worked/{row}/run"
    return f"eval {WORKED[row].format(row=row)} -q -f {style} {inputs}"


DEMO = "fixtures/demo/assessments fixtures/demo/run-a.xml fixtures/demo/run-b.xml"
"""Assessments and runs of the demonstration."""
_STRUCTURE = "-s fixtures/demo/structure.tsv -u hierarchical"
_FOUR = "-m num_ret -m map -m eprum_map -m gen_recall.5"

GOLD = {
    **{f"fixtures/worked/{row}/expected.trec": worked(row, "trec") for row in WORKED},
    "fixtures/demo/expected/table.txt": f"eval {_STRUCTURE} -f table {DEMO}",
    "fixtures/demo/expected/report.trec": f"eval {_STRUCTURE} {DEMO}",
    "fixtures/demo/expected/topics.trec": f"eval {_STRUCTURE} {_FOUR} -q {DEMO}",
    "fixtures/demo/expected/topics.txt": f"eval {_STRUCTURE} {_FOUR} -q -f table {DEMO}",
    "fixtures/demo/expected/topics.csv": f"eval {_STRUCTURE} -m counts -m map -m P.1,5 -q -f csv {DEMO}",
    "fixtures/demo/expected/table.md": f"eval {_STRUCTURE} {_FOUR} -f markdown {DEMO}",
    "fixtures/demo/expected/table.tex": f"eval {_STRUCTURE} {_FOUR} -f latex {DEMO}",
}
"""Gold file and command."""


class Output(NamedTuple):
    """What a command left behind."""

    status: int
    out: str
    err: str


def run(command: str) -> Output:
    """Run a command in this process, from the root of the repository. Its parts are separated by blanks, unquoted."""
    from prum_eval.cli.main import run as run_command_line

    out, err = io.StringIO(), io.StringIO()
    with _in_root(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run_command_line(command.split())
    return Output(status, out.getvalue(), err.getvalue())


@contextlib.contextmanager
def _in_root() -> Iterator[None]:
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        yield
    finally:
        os.chdir(before)


def main() -> None:
    """Rewrite the gold files that changed, those of the tasks too, and name them."""
    sys.path.insert(0, str(ROOT))
    from tests.measures.tasks.collection import COMMANDS, gold_of, write_inputs

    for name, command in GOLD.items():
        _rewrite(ROOT / name, command)
    with tempfile.TemporaryDirectory() as folder:
        write_inputs(Path(folder))
        for task, command in COMMANDS.items():
            _rewrite(gold_of(ROOT, task), command.format(folder))


def _rewrite(path: Path, command: str) -> None:
    name = path.relative_to(ROOT)
    output = run(command)
    if output.status:
        sys.exit(f"{name}: exit status {output.status}\n{output.err}")
    if not path.exists() or path.read_text(encoding="utf-8") != output.out:
        path.write_text(output.out, encoding="utf-8", newline="")
        print(f"rewritten: {name}")


if __name__ == "__main__":
    main()
