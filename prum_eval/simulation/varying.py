"""The values that --vary gives to a parameter of a change, and the changes with each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from prum_eval.errors import UsageError
from prum_eval.parameters import nearest
from prum_eval.simulation.change import ChosenChange, checked_setting
from prum_eval.value_lists import values_listed


@dataclass(frozen=True)
class Variant:
    """The changes of a run; `value`: what --vary says, empty without it."""

    value: str
    changes: tuple[ChosenChange, ...]

    @property
    def spec(self) -> str:
        """The changes as --change takes them."""
        return " ".join(one.spec for one in self.changes)


def variants(changes: Sequence[ChosenChange], vary: str | None) -> list[Variant]:
    """The changes with each value of ``CHANGE.KEY=VALUES``; the changes of that name get it that do not say KEY.

    Raises:
        UsageError: no such change or parameter, a bad value, or a change that lacks a parameter.
    """
    if vary is None:
        found = [Variant("", tuple(changes))]
    else:
        target, equals, text = vary.partition("=")
        name, dot, key = target.partition(".")
        if not (name and dot and key and equals and text):
            raise UsageError(f"--vary {vary}: write CHANGE.KEY=VALUES")
        named = list(dict.fromkeys(one.change.name for one in changes))
        meant = [one for one in changes if one.change.name == name]
        if not meant:
            there = f"there are: {', '.join(named)}" if named else "there is none"
            raise UsageError(f"--vary {vary}: no --change {name} ({there}){nearest(name, named)}")
        try:
            listed = values_listed(text)
            values = [checked_setting(meant[0].change, key, value) for value in listed]
        except UsageError as error:
            raise UsageError(f"--vary {vary}: {error}") from error
        if all(key in one.settings for one in meant):
            raise UsageError(f"--vary {vary}: --change {meant[0].spec} says {key} already")
        found = [Variant(value, tuple(_with(one, name, key, value) for one in changes)) for value in values]
        again = [value for number, value in enumerate(values) if value in values[:number]]
        if again:
            raise UsageError(f"--vary {vary}: {again[0]} is listed twice")
    for variant in found:
        for one in variant.changes:
            one.values()
    return found


def _with(one: ChosenChange, name: str, key: str, value: str) -> ChosenChange:
    if one.change.name != name or key in one.settings:
        return one
    return replace(one, settings={**one.settings, key: value})
