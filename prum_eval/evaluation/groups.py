"""Topics by group: which belong where, and what is to be said of the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from prum_eval.errors import DataError
from prum_eval.evaluation.notices.notice import GROUPS, Notice
from prum_eval.formats.groups import GivenGroups, given_groups
from prum_eval.tabular import plural


def grouped(given: GivenGroups, topics: Collection[str], whose: str) -> tuple[dict[str, str], list[Notice]]:
    """The group of each of the topics that has one, and what to say of topics that are on one side only.

    Args:
        given: groups as the caller has them.
        topics: those that there are.
        whose: who has them, for messages.

    Raises:
        InputError, DataError, UsageError: as `given_groups`.
        DataError: no topic is on both sides.
    """
    name, groups = given_groups(given)
    known = {topic: groups[topic] for topic in topics if topic in groups}
    if not known:
        raise DataError(f"{name}: no topic in common with {whose}")
    told = []
    if unknown := sorted(groups.keys() - set(topics)):
        told.append(f"{name}: {_some(unknown)} not in {whose}")
    if left := sorted(set(topics) - known.keys()):
        told.append(f"{name}: {_some(left)} in no group")
    return known, [Notice(GROUPS, text) for text in told]


def by_group(groups: Mapping[str, str], topics: Iterable[str]) -> dict[str, list[str]]:
    """The topics of each group that has some, groups in byte order.

    >>> by_group({"q1": "hard", "q2": "easy", "q3": "hard"}, ["q1", "q2", "q4"])
    {'easy': ['q2'], 'hard': ['q1']}
    """
    found: dict[str, list[str]] = {}
    for topic in topics:
        if topic in groups:
            found.setdefault(groups[topic], []).append(topic)
    return dict(sorted(found.items(), key=lambda pair: pair[0].encode()))


def _some(topics: list[str]) -> str:
    """How many they are and the first of them, as the subject of a sentence.

    >>> _some(["q1"]), _some(["q1", "q2"])
    ('1 topic (q1) is', '2 topics (q1, ...) are')
    """
    more = ", ..." if len(topics) > 1 else ""
    return f"{plural(len(topics), 'topic')} ({topics[0]}{more}) {'is' if len(topics) == 1 else 'are'}"
