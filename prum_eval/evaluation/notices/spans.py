"""What of the highlighted text is read in another way by measures of spans than it stands in the assessments."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from prum_eval.evaluation.notices.notice import EMPTY_SPANS, MERGED, Notice
from prum_eval.measures.chunks.reading import spans_of
from prum_eval.measures.passages.judged import judged_articles
from prum_eval.records.assessments import Assessments, ElementTopic, PassageTopic
from prum_eval.tabular import plural


def span_notices(assessments: Assessments) -> Iterator[Notice]:
    """Passages without characters, and in text those that overlap.

    Raises:
        InputError: a number too large.
    """
    empty = overlapping = 0
    for topic in assessments.topics.values():
        if isinstance(topic, PassageTopic):
            some = int(np.count_nonzero(topic.length > 0))
            empty += len(topic.length) - some
            overlapping += some - len(spans_of(judged_articles(topic, None)).row)
        elif isinstance(topic, ElementTopic):
            empty += sum(mark.size == 0 for mark in topic.highlights)
    if overlapping:
        what = "overlaps another one and is" if overlapping == 1 else "overlap others and are"
        text = f"{assessments.path}: {plural(overlapping, 'span')} {what} merged in measures of chunks"
        yield Notice(MERGED, text, count=overlapping)
    if empty:
        what = (
            f"{plural(empty, 'span')} of length 0, which {'counts' if empty == 1 else 'count'} in no measure of chunks"
        )
        yield Notice(EMPTY_SPANS, f"{assessments.path}: {what}", count=empty)
