"""The users of a simulated log: how many, how patient, and how often a view is not what their model says."""

from __future__ import annotations

from dataclasses import dataclass

from prum_eval.errors import UsageError

MOST_SESSIONS = 10**7


@dataclass(frozen=True)
class Users:
    """So many `sessions`, one user and one list each.

    `persistence`: probability to go on to the next rank. `leak`: probability that a target is viewed which the model
    did not lead to, and that one is not which it did. `seed`: of all chance.
    """

    sessions: int = 100
    persistence: float = 0.8
    leak: float = 0.0
    seed: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.sessions <= MOST_SESSIONS:
            raise UsageError(f"sessions={self.sessions}: sessions is a whole number from 1 to {MOST_SESSIONS}")
        if not 0 <= self.persistence < 1:
            raise UsageError(f"persistence={self.persistence}: persistence is a number from 0 on and below 1")
        if not 0 <= self.leak < 0.5:
            raise UsageError(f"leak={self.leak}: leak is a number from 0 on and below 0.5")
        if not 0 <= self.seed < 2**63:
            raise UsageError(f"seed={self.seed}: seed is a whole number from 0 to {2**63 - 1}")
