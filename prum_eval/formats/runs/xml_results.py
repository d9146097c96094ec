"""The results of a topic of a run in XML that is written as nearly all are: by columns, with no object a result."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.text.lines import Vocabulary
from prum_eval.text.numbers import decimals, integers

if TYPE_CHECKING:
    from lxml import etree

FIELDS = ("file", "path", "rank", "rsv")
_LAYOUT = """
<element name="topic" xmlns="http://relaxng.org/ns/structure/1.0">
  <oneOrMore><attribute><anyName/></attribute></oneOrMore>
  <zeroOrMore>
    <element name="result">
      <element name="file"><text/></element>
      <element name="path"><text/></element>
      <optional><element name="rank"><text/></element></optional>
      <optional><element name="rsv"><text/></element></optional>
    </element>
  </zeroOrMore>
</element>
"""


class Names(dict[str, int]):
    """Codes of texts, those without the blanks around them, in the order in which they were met."""

    def __init__(self) -> None:
        super().__init__()
        self.vocabulary = Vocabulary()

    def __missing__(self, text: str) -> int:
        code = self[text] = self.vocabulary[text.strip().encode()]
        return code

    def codes(self, texts: list[str]) -> IntArray:
        """Code of each text."""
        return np.fromiter(map(self.__getitem__, texts), dtype=np.int64, count=len(texts))


class Results(NamedTuple):
    """Some results: codes of documents and paths, ranks and scores, or None where no result has one."""

    document: IntArray
    path: IntArray
    rank: IntArray | None
    score: FloatArray | None


def plain_results(topic: etree._Element, documents: Names, paths: Names) -> Results | None:
    """All results of a topic; None where it is not plain, or a result is not what it should be."""
    if not _layout().validate(topic):
        return None
    file, path, rank, score = ([element.text or "" for element in topic.iter(field)] for field in FIELDS)
    if any(len(column) not in {0, len(file)} for column in (rank, score)):
        return None
    ranks = integers([text.strip().encode() for text in rank])
    scores = decimals([text.strip().encode() for text in score])
    names = documents.codes(file), paths.codes(path)
    if ranks is None or scores is None or b"" in documents.vocabulary or b"" in paths.vocabulary:
        return None
    return Results(*names, ranks if rank else None, scores if score else None)


@cache
def _layout() -> etree.RelaxNG:
    from lxml import etree

    return etree.RelaxNG(etree.fromstring(_LAYOUT))
