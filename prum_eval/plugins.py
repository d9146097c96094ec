"""Plug-ins: objects that other packages register under an entry-point group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from prum_eval.errors import UsageError

if TYPE_CHECKING:  # slow to import
    from importlib.metadata import EntryPoint

_T = TypeVar("_T")


class Plugins(Mapping[str, _T]):
    """Objects of one entry-point group by entry-point name, imported on access.

    Every look-up scans the installed packages, which takes milliseconds: look up a name only if nothing built in has
    it. A package that cannot be imported raises an error only if its own object is looked up.

    Args:
        group: entry-point group, such as ``prum_eval.user_models``.
        what: noun for messages, such as ``user model``.
        kind: required type of the objects.
        adapt: converts another object, its name and its location (``module:object``) to `kind`; None if it cannot.
        expected: text of the error if the type is wrong; default ``no KIND``.
    """

    def __init__(
        self,
        group: str,
        what: str,
        kind: type[_T],
        adapt: Callable[[object, str, str], _T | None] | None = None,
        expected: str | None = None,
    ) -> None:
        self.group = group
        self._what = what
        self._kind = kind
        self._adapt = adapt
        self._expected = expected or f"no {kind.__name__}"

    def __getitem__(self, name: str) -> _T:
        """Import the object of that name.

        Raises:
            KeyError: no package registers that name.
            UsageError: the object cannot be imported or has another type.
        """
        point = self._points()[name]
        try:
            plugin = point.load()
        except Exception as error:  # a foreign package may fail in any way
            raise UsageError(f"{self._what} {name} cannot be loaded from {point.value}: {error}") from error
        if isinstance(plugin, self._kind):
            return plugin
        adapted = None if self._adapt is None else self._adapt(plugin, name, point.value)
        if adapted is None:
            raise UsageError(f"{self._what} {name}: {point.value} is {self._expected}")
        return adapted

    def __contains__(self, name: object) -> bool:
        return name in self._points()  # without an import

    def __iter__(self) -> Iterator[str]:
        return iter(self._points())

    def __len__(self) -> int:
        return len(self._points())

    def usable(self) -> dict[str, _T]:
        """Objects that can be imported and have the right type, by name."""
        plugins = {}
        for name in self:
            try:
                plugins[name] = self[name]
            except UsageError:
                continue
        return plugins

    def _points(self) -> dict[str, EntryPoint]:
        """Entry points of the group by name, in package order; of equal names the first."""
        from importlib.metadata import entry_points

        points: dict[str, EntryPoint] = {}
        for point in entry_points(group=self.group):
            points.setdefault(point.name, point)
        return points
