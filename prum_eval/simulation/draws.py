"""Random numbers of one topic: the same on every machine, in every process and for every value of --vary."""

from __future__ import annotations

import random
from collections.abc import MutableSequence
from typing import TypeVar

_T = TypeVar("_T")
_DIGITS = 1 << 53
"""`random.Random.random` returns multiples of 1 / this."""


class Draws:
    """A stream of random numbers; all come from `random.Random.random`, which Python promises never to change."""

    def __init__(self, seed: str) -> None:
        self.uniform = random.Random(seed).random  # noqa: S311 -- reproducible on purpose, no secrets
        """The next number in [0, 1)."""

    def coin(self) -> bool:
        """A fair coin."""
        return self.uniform() < 0.5

    def below(self, count: int) -> int:
        """One of 0, 1, ..., count - 1."""
        return int(self.uniform() * count)

    def long(self) -> int:
        """A whole number of 106 random bits: the choices of a way, taken off by `divmod` one after the other.

        Drawn at once, they leave the stream where it is, however long the way becomes.
        """
        high = int(self.uniform() * _DIGITS)
        return high * _DIGITS + int(self.uniform() * _DIGITS)

    def shuffle(self, listed: MutableSequence[_T]) -> None:
        """Put a list into random order, each as likely as the others."""
        for last in range(len(listed) - 1, 0, -1):
            other = self.below(last + 1)
            listed[last], listed[other] = listed[other], listed[last]

    def sample(self, count: int, wanted: int) -> list[int]:
        """`wanted` different ones of 0, 1, ..., count - 1, in random order."""
        moved: dict[int, int] = {}  # the first steps of a shuffle, without a list of all
        found = []
        for place in range(wanted):
            other = place + self.below(count - place)
            found.append(moved.get(other, other))
            moved[other] = moved.get(place, place)
        return found


def draws_of(seed: int, topic: str, copy: int, changes: int) -> list[Draws]:
    """A stream for each of the changes of a topic; they depend on seed, topic, copy and the place of the change alone.

    Each change has its own, so that what one draws, which may differ with its parameters, moves none of the others.
    """
    return [Draws(f"{seed} {copy} {number} {topic}") for number in range(changes)]
