"""Plug-ins: objects that other packages register under an entry-point group, and old field names that they may use."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
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
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a foreign package may fail in any way, and may call sys.exit(0)
            reason = str(error) if isinstance(error, Exception) else repr(error)
            raise UsageError(f"{self._what} {name} cannot be loaded from {point.value}: {reason}") from error
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


def deprecated_fields(**fields: str) -> Callable[[type[_T]], type[_T]]:
    """Class decorator that accepts old keywords and attributes with a `DeprecationWarning`.

    It stands above ``@dataclass``. An old keyword beats the new one, which `dataclasses.replace` always passes.

    Args:
        fields: new name by old name.
    """

    def decorate(record: type[_T]) -> type[_T]:
        initialise: Callable[..., None] = record.__init__

        def warn(old: str) -> None:
            warnings.warn(f"{record.__name__}.{old} is deprecated: use {fields[old]}", DeprecationWarning, stacklevel=3)

        @wraps(initialise)
        def init(self: _T, *arguments: object, **keywords: object) -> None:
            for old in fields.keys() & keywords.keys():
                warn(old)
                keywords[fields[old]] = keywords.pop(old)
            initialise(self, *arguments, **keywords)

        def old_attribute(old: str) -> property:
            def get(self: _T) -> object:
                warn(old)
                return getattr(self, fields[old])

            return property(get, doc=f"Deprecated name of `{fields[old]}`.")

        setattr(record, "__init__", init)  # noqa: B010 -- mypy rejects the assignment
        for old in fields:
            setattr(record, old, old_attribute(old))
        return record

    return decorate


def deprecated_name(name: str, new_names: Mapping[str, str], module: Mapping[str, object]) -> object:
    """The object under an old name of a module, for its ``__getattr__``, with a `DeprecationWarning`.

    Args:
        name: name that the module does not have.
        new_names: new name by old name.
        module: objects of the module by name, its ``globals()``.

    Raises:
        AttributeError: the name is no old name either.
    """
    if name not in new_names:
        raise AttributeError(f"module {module['__name__']!r} has no attribute {name!r}")
    warnings.warn(f"{name} is deprecated: use {new_names[name]}", DeprecationWarning, stacklevel=3)
    return module[new_names[name]]
