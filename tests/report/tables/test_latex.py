"""Tables for papers by a real TeX: in one column and in two, whatever runs are called. Skipped where there is none."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from prum_eval import Layout, compare, evaluate, render
from prum_eval.report.grid import escape_latex
from tests.report.tables.test_tables import STEP, evaluation

TEX = shutil.which("pdflatex")
needs_tex = pytest.mark.skipif(TEX is None, reason="no TeX")
DOCUMENT = r"""\documentclass{options}{{article}}
\usepackage{{booktabs}}
\begin{{document}}
{table}
\end{{document}}
"""
HOSTILE = [
    r"\input{secrets}", "50 % & more #1", "a_b^c~d", "$x$ {y}", "[b]", "*star", "two--three---four",
    "<tag> | \"q\" `t'", "-",
    r"\end{tabular}", "--", "caf\N{LATIN SMALL LETTER E WITH ACUTE}",
]  # fmt: skip


def compiled(table, folder, options=""):
    """The log of TeX, and what can be read in the PDF, if there is a program that says so."""
    (folder / "paper.tex").write_text(DOCUMENT.format(options=options, table=table), encoding="utf-8")
    command = [TEX, "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
    text = None
    if shutil.which("pdftotext"):
        read = ["pdftotext", "-layout", "paper.pdf", "-"]
        text = subprocess.run(read, cwd=folder, capture_output=True, check=True, timeout=60).stdout.decode()
    return (folder / "paper.log").read_text(encoding="utf-8", errors="replace"), text


@needs_tex
@pytest.mark.parametrize("options", ["", "[twocolumn]", "[10pt,twocolumn,a4paper]"])
def test_a_table_in_one_column_and_in_two(tmp_path, options):
    found = evaluation()
    layout = Layout(marks=compare(values=found, baseline="alpha", trials=2000))
    log, text = compiled(render(found, "latex", layout), tmp_path, options)
    assert "Overfull" not in log
    if text is not None:
        assert "Averages over 24 topics, the best in bold." in re.sub(r"\s+", " ", text)
        (row,) = [line for line in text.splitlines() if re.match(r"\s*beta.2 ", line)]  # TeX draws underscores
        assert re.findall(r"[\d.]{3,}", row) == ["240", "0.5500", "0.2500"]


@needs_tex
@pytest.mark.parametrize("transpose", [False, True])
def test_names_are_names(tmp_path, transpose):
    means = {name: 0.01 * number for number, name in enumerate(HOSTILE)}
    table = render(evaluation(means), "latex", Layout(transpose=transpose))
    _, text = compiled(table, tmp_path, "[landscape]")
    if text is not None and not transpose:
        shown = re.sub(r"[ \n]+", " ", text)
        for name in (r"\input{secrets}", "50 % & more #1", "$x$ {y}", "[b]", r"\end{tabular}", "two--three---four"):
            assert name in shown


def test_what_tex_takes_for_its_own_is_escaped():
    assert [escape_latex(name) for name in HOSTILE[:7]] == [
        r"\textbackslash{}input\{secrets\}",
        r"50 \% \& more \#1",
        r"a\_b\textasciicircum{}c\textasciitilde{}d",
        r"\$x\$ \{y\}",
        "{[}b{]}",
        "{*}star",
        "two-{}-three-{}-{}-four",
    ]
    assert escape_latex("\x1b") == r"\textbackslash{}x1b"


def test_hostile_names_reach_the_table_escaped_only():
    table = render(evaluation(dict.fromkeys(HOSTILE, 0.1)), "latex")
    assert r"\input" not in table
    assert table.count(r"\end{tabular}") == 1
    assert list(STEP)  # the other table has plain names


def test_heads_of_columns_take_two_lines_at_most():
    measures = ["char_rec_at_size.2000", "char_prec_omega", "gen_recall.5:user_model=t2i,tolerance=100", "hit.5"]
    runs = ["fixtures/rag/windows.jsonl", "fixtures/rag/paragraphs.jsonl"]
    text = render(evaluate("fixtures/rag/gold.jsonl", runs, measures=measures), "latex")
    (head,) = re.findall(r"\\toprule\n(.*) \\\\\n\\midrule", text)
    assert [cell.count(r"\\") for cell in head.split(" & ")] == [0, 1, 1, 1, 0]
    assert r"{@{}r@{}}char\_rec\_at \\ \_size\_2000\end" in head
