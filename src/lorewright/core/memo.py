"""What was made before, kept so that it need not be made again; and what does that without keeping anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeVar

__all__ = ["ANEW", "Anew", "Memo"]

Made = TypeVar("Made")


class Memo(Protocol):
    """Keeps what functions made. It may forget anything at any time: the results are the same, only slower.

    A function that is given here depends on its arguments alone, and nobody changes what it gives. Arguments that are
    equal are interchangeable.
    """

    def each(self, make: Callable[..., Made], items: Sequence[Any], *given: Any) -> tuple[Made, ...]:
        """`make(place, item, *given)` for each item of a list that grows from turn to turn. Items need not be hashable."""

    def along(self, make: Callable[..., Made], columns: Sequence[Sequence[Any]], *given: Any) -> tuple[Made, ...]:
        """`make(place, *items, *given)` for each place of several such lists of one length."""

    def once(self, make: Callable[..., Made], *given: Any) -> Made:
        """`make(*given)`."""


class Anew:
    """A `Memo` that keeps nothing."""

    def each(self, make: Callable[..., Made], items: Sequence[Any], *given: Any) -> tuple[Made, ...]:
        """See `Memo`."""
        return tuple([make(place, item, *given) for place, item in enumerate(items)])

    def along(self, make: Callable[..., Made], columns: Sequence[Sequence[Any]], *given: Any) -> tuple[Made, ...]:
        """See `Memo`."""
        return tuple([make(place, *items, *given) for place, items in enumerate(zip(*columns, strict=True))])

    def once(self, make: Callable[..., Made], *given: Any) -> Made:
        """See `Memo`."""
        return make(*given)


ANEW: Final = Anew()
