"""`cached_property` without the lock of Python 3.11.

There, all objects of a class share one lock per property. Two threads, each computing a property of its own object that
needs another property of the other's class, can wait for each other forever. Python 3.12 removed the lock. Without it,
two threads may both compute the value of one object; the last one is kept.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property  # noqa: TID251
else:

    class cached_property:
        """Computes a property once per object and keeps it in the object's `__dict__`."""

        def __init__(self, compute: Callable[[Any], Any]) -> None:
            self._compute = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            # It has no `__set__`, so the value that is kept here comes before the descriptor.
            value = instance.__dict__[self._name] = self._compute(instance)
            return value
