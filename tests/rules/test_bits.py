"""Bytes are taken as numbers of 64 bits in one place, where it was measured to pay: the fast line reader."""

from __future__ import annotations

import ast

from tests.rules.source import modules

FAST_READER = {"text/fast_lines.py", "text/fast_tags.py", "text/names.py", "text/word_names.py"}
ELSEWHERE = {
    "collection/documents/scan.py": "the scanner of documents compares signs of two or three bytes",
    "numerics/resampling.py": "random bits become numbers from 0 to 1",
}


def test_bit_tricks_stay_in_the_fast_reader():
    tricks = {
        name
        for name, tree in modules().items()
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and node.attr == "uint64")
        or (isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.BitXor))
    }
    assert tricks <= FAST_READER | set(ELSEWHERE)
