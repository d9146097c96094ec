"""The list of simulated runs: what it says, and what is wrong with it."""

from __future__ import annotations

import pytest

from prum_eval import InputError
from prum_eval.formats.simulated import SimulatedRunEntry, find_simulated_list, read_simulated_list, varied_parameter

HEAD = "file\tfrom\tchanges\tvalue\tcopy\tseed\n"
LINE = "ideal-0.5-1.run\tideal\tmove:m=0.5\t0.5\t1\t1\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "simulated.tsv").write_text(HEAD + LINE)
    return tmp_path


def test_a_list_is_found_by_its_first_line_and_in_its_folder(folder):
    path = str(folder / "simulated.tsv")
    assert find_simulated_list(path) == find_simulated_list(str(folder)) == path
    (folder / "renamed").write_text(HEAD + LINE)
    assert find_simulated_list(str(folder / "renamed")) == str(folder / "renamed")
    (folder / "run").write_text("1 Q0 a 1 1.0 x\n")
    (folder / "other").mkdir()
    for other in ("run", "other", "gone", "bad\0name"):
        assert find_simulated_list(str(folder / other)) is None


def test_what_it_says(folder):
    (one,) = read_simulated_list(str(folder / "simulated.tsv"))
    assert one == SimulatedRunEntry(str(folder / "ideal-0.5-1.run"), "move:m=0.5", "0.5", 1)
    assert one.name == "ideal"
    assert SimulatedRunEntry("d/my-run-2.run", "shuffle", "", 2).name == "my-run"


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        ("", 1, "no run is listed"),
        ("a.run\tideal\n", 2, "expected 6 columns (file, from, changes, value, copy, seed), found 2"),
        ("\tideal\t\t\t1\t1\n", 2, "file: expected the name of a run, found ''"),
        (LINE + "b.run\tideal\t\t\tx\t1\n", 3, "copy: expected a whole number, found 'x'"),
        (LINE + LINE, 3, "file 'ideal-0.5-1.run' is listed twice (first on line 2)"),
    ],
)
def test_bad_lists(tmp_path, lines, line, reason):
    path = tmp_path / "simulated.tsv"
    path.write_text(HEAD + lines)
    with pytest.raises(InputError) as caught:
        read_simulated_list(str(path))
    assert str(caught.value) == f"{path}:{line}: {reason}"


def test_what_was_varied():
    def runs(*changes):
        return [SimulatedRunEntry(f"a-{value}-1.run", change, value, 1) for value, change in changes]

    assert varied_parameter(runs(("1", "noise:n=1"), ("2", "noise:n=2"))) == "noise.n"
    assert varied_parameter(runs(("1", "keep:n=1 noise:n=1"), ("2", "keep:n=1 noise:n=2"))) == "noise.n"
    assert varied_parameter(runs(("", "shuffle"))) is None
    assert varied_parameter([]) is None
