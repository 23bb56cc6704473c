"""Tables of parts by name: built-in ones, and those that installed packages declare as entry points.

`docs/plugins.md` shows how a package declares a part. A part is imported on first use. If it can't be used, a sentence
says why, and the others of its table still work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple, TypeVar

from longtake.errors import ConfigError, PluginError, did_you_mean
from longtake.lazy import cached_property

BUILT_IN = "built-in"
_PREFIX = "longtake."
T = TypeVar("T")


class Origin(NamedTuple):
    """Where a part comes from."""

    kind: str
    name: str
    source: str  # `built-in`, or a package with its version
    problem: str | None = None  # why it isn't used


class Table(Mapping[str, T]):
    """The parts of one kind by name. Looking up an unusable one raises `PluginError`."""

    def __init__(self, kind: str, built_in: Mapping[str, T], read: Callable[[str, Any], T]) -> None:
        """Import nothing yet.

        Args:
            kind: the entry point group of the parts is `longtake.KIND`.
            built_in: take precedence over parts of other packages with the same name.
            read: turns a name and the declared object into a part; raises any exception if the object is wrong.
        """
        self.kind = kind
        self.group = _PREFIX + kind
        self._built_in = built_in
        self._read = read
        self._tried: dict[str, T | PluginError] = {}

    def __getitem__(self, name: str) -> T:
        if name in self._built_in:
            return self._built_in[name]
        if name not in self._tried:
            self._tried[name] = self._load(self._by_name[name])
        part = self._tried[name]
        if isinstance(part, PluginError):
            raise part
        return part

    def named(self, name: str, what: str) -> T:
        """A part by its name; `what` is what it is called in the message.

        Raises:
            ConfigError: if there is none of that name.
            PluginError: if it is of another package and can't be used.
        """
        if name not in self:
            raise ConfigError(f"There is no {what} {name!r}. {did_you_mean(name, self)}")
        return self[name]

    def __contains__(self, name: object) -> bool:
        return name in self._built_in or name in self._by_name

    def __iter__(self) -> Iterator[str]:
        return iter((*self._built_in, *self._by_name))

    def __len__(self) -> int:
        return len(self._built_in) + len(self._by_name)

    def origins(self) -> Iterator[Origin]:
        """The origin of each part, built-in ones first. This imports every part."""
        yield from (Origin(self.kind, name, BUILT_IN) for name in self._built_in)
        for point in self._points:
            yield Origin(self.kind, point.name, _package_of(point), self._problem(point))

    @cached_property
    def _points(self) -> list[EntryPoint]:
        return sorted(_installed().get(self.group, ()), key=lambda point: (point.name, _package_of(point)))

    @cached_property
    def _by_name(self) -> dict[str, EntryPoint]:
        """The first of several with the same name; none with the name of a built-in part."""
        declared: dict[str, EntryPoint] = {}
        for point in self._points:
            if point.name not in self._built_in:
                declared.setdefault(point.name, point)
        return declared

    def _problem(self, point: EntryPoint) -> str | None:
        first = self._by_name.get(point.name)
        if first is not point:
            owner = _package_of(first) if first else "Longtake itself"
            return f"{_declared(point)} isn't used, because {owner} already has that name: rename or uninstall it."
        try:
            self[point.name]
        except PluginError as error:
            return str(error)
        return None

    def _load(self, point: EntryPoint) -> T | PluginError:
        try:
            return self._read(point.name, point.load())
        except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code must not end the command
            reason = f"{type(error).__name__}: {error}"
            return PluginError(f"{_declared(point)} can't be used ({reason}): update or uninstall the package.")


def callable_part(name: str, declared: Any) -> Any:
    """Accept a callable part."""
    if not callable(declared):
        raise TypeError(f"{name} isn't callable")
    return declared


def subclass_of(parent: type) -> Callable[[str, Any], Any]:
    """Accept a class that derives from `parent`."""

    def read(name: str, declared: Any) -> Any:
        if not (isinstance(declared, type) and issubclass(declared, parent)):
            raise TypeError(f"{name} doesn't derive from `{parent.__name__}`")
        return declared

    return read


def usable(table: Table[T], notify: Callable[[str], None]) -> list[T]:
    """All usable parts of a table; the callback receives a message for each of the others."""
    parts = []
    for name in table:
        try:
            parts.append(table[name])
        except PluginError as error:
            notify(str(error))
    return parts


def strays(tables: Iterable[Table[Any]]) -> list[Origin]:
    """Declarations in groups that none of these tables has, for example after a typo in the group's name."""
    groups = [table.group for table in tables]
    return [
        Origin(
            point.group.removeprefix(_PREFIX),
            point.name,
            _package_of(point),
            f"{_declared(point)} isn't used, because there is no such group. The groups are {', '.join(groups)}.",
        )
        for group in sorted(_installed().keys() - groups)
        for point in _installed()[group]
    ]


def _package_of(point: EntryPoint) -> str:
    """The name and version of the package that declares a part."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else "a package without a name"


def _declared(point: EntryPoint) -> str:
    return f"{point.name!r}, which {_package_of(point)} declares in {point.group},"


@cache
def _installed() -> Mapping[str, tuple[EntryPoint, ...]]:
    """The declarations of all packages, by group."""
    found = entry_points()
    return {group: tuple(found.select(group=group)) for group in found.groups if group.startswith(_PREFIX)}
