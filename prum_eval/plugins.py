"""Plug-ins: objects that other packages register under an entry-point group, and old field names that they may use."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import TYPE_CHECKING, TypeVar

from prum_eval.errors import UsageError

if TYPE_CHECKING:  # it costs more to import than all that is built in
    from importlib.metadata import EntryPoint

_T = TypeVar("_T")


class Plugins(Mapping[str, _T]):
    """The objects of one kind under an entry-point group, by the name of their entry point.

    Every look-up scans the installed packages, which costs milliseconds: ask for a name only when nothing built in has
    it, and for all of them only to list them. Names do not need the objects; an object is imported when it is asked
    for, and a package that is broken is in the way of nobody who does not ask for its object.

    Args:
        group: entry-point group, such as ``prum_eval.user_models``.
        what: an object in words, for messages: ``user model``.
        kind: what must be registered.
        adapt: makes one from something else, given its name and where it is (``module:object``); None if it cannot.
        expected: what it is if it is neither; default ``no KIND``.
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
        """The object of that name.

        Raises:
            KeyError: nobody registers that name.
            UsageError: it cannot be imported, or it is of another kind.
        """
        point = self._points()[name]
        try:
            found = point.load()
        except Exception as error:  # a foreign package may fail in any way
            raise UsageError(f"{self._what} {name} cannot be loaded from {point.value}: {error}") from error
        if isinstance(found, self._kind):
            return found
        adapted = None if self._adapt is None else self._adapt(found, name, point.value)
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
        """Those that can be imported and are of the right kind, by name."""
        found = {}
        for name in self:
            try:
                found[name] = self[name]
            except UsageError:
                continue
        return found

    def _points(self) -> dict[str, EntryPoint]:
        """Entry points of the group by name, in the order of the packages; of two of one name the first."""
        from importlib.metadata import entry_points

        found: dict[str, EntryPoint] = {}
        for point in entry_points(group=self.group):
            found.setdefault(point.name, point)
        return found


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
