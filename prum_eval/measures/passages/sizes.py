"""Characters retrieved, relevant, and both: summed over topics."""

from __future__ import annotations

from collections.abc import Callable

from prum_eval.arrays import FloatArray
from prum_eval.measures.base import Direction, Measure, Shape
from prum_eval.measures.passages.lengths import OVERLAP, Lengths, read_lengths, whole
from prum_eval.measures.passages.official import COUNTED, INEX_EVAL, NEEDS, over_all
from prum_eval.measures.passages.refusals import demanded
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import Parameter, ParameterValues

_COUNTS = Parameter("counts", "articles", f"{COUNTED}, no lengths", ("articles", "ranks", "points"))


def _size(
    name: str,
    summary: str,
    of: Callable[[Lengths], int],
    direction: Direction = Direction.NEITHER,
    *,
    retrieved: bool = True,
) -> Measure:
    """A size in characters, of text that was `retrieved` or of the assessments alone."""

    def per_topic(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
        counts = str(values["counts"])
        if counts == "articles":
            return of(read_lengths(data, values))
        found = demanded(data, counts)
        return 0 if retrieved and counts == "points" else of(whole(found))

    return Measure(
        name,
        "sizes",
        summary,
        f"{summary[0].upper()}{summary[1:]}; summed over topics, not averaged. With counts=ranks and counts=points the "
        "sum runs over all judged topics, whatever the run has, and with counts=points results have no length.",
        INEX_EVAL,
        Shape.COUNT,
        per_topic,
        NEEDS,
        parameters=(OVERLAP, _COUNTS),
        without_targets=True,
        bounded=False,
        direction=direction,
        is_count=True,
        empty_list="0" if retrieved else "what is judged",
        over_all=over_all,
    )


MEASURES = (
    _size("ret_size", "characters retrieved", lambda lengths: int(lengths.size.sum())),
    _size("rel_size", "relevant characters", lambda lengths: lengths.total, retrieved=False),
    _size(
        "rel_ret_size", "relevant characters retrieved", lambda lengths: int(lengths.relevant.sum()), Direction.HIGHER
    ),
)
