"""Thousands of real documents, those of the GNOME help, against the tool that the project's founders wrote."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from prum_eval import read_structure
from prum_eval.formats.structure_index import read_index_info
from tests.gold import ROOT

PAGES = Path("/usr/share/help")
TOOL = ROOT.parent / "shared" / "tools" / "xml_structure.py"

pytestmark = [
    pytest.mark.skipif(not TOOL.exists(), reason="needs xml_structure.py of the founders"),
    pytest.mark.skipif(not any(PAGES.glob("*/gnome-help/*.page")), reason="needs Debian's gnome-user-docs"),
]


@pytest.mark.parametrize("raw", [False, True])
def test_agree_element_by_element(tmp_path, built, raw):
    expected = tmp_path / "expected.tsv"
    command = [sys.executable, str(TOOL), str(expected), *(["--raw"] if raw else []), str(PAGES)]
    subprocess.run(command, check=True, capture_output=True)
    index = built(str(PAGES), raw=raw)
    theirs, ours = read_structure(str(expected)), read_structure(index)
    assert read_index_info(index).broken_documents == 0
    assert {name.removesuffix(".xml") for name in theirs.documents} == set(ours.documents)
    assert theirs.elements == ours.elements
    for name, other in theirs.documents.items():
        own = ours.documents[name.removesuffix(".xml")]
        assert own.paths == other.paths, name
        assert np.array_equal(own.start, other.start), name
        assert np.array_equal(own.length, other.length), name
