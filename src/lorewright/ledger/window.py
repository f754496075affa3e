"""A list of messages as steps from the one before: what stayed is a range, what is new stands there itself."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Union

__all__ = ["Line", "Step", "read_steps", "write_steps"]

Line = Hashable
"""One message, as a tuple of plain data and references."""
Step = Union[tuple[int, int], tuple[Any]]
"""`(start, count)`: so many lines of the list before, from `start` on. `(line,)`: a new line."""


def write_steps(before: Sequence[Line], after: Sequence[Line]) -> tuple[Step, ...]:
    """The steps from one list to the other: few, where the second continues, trims or edits the first."""
    kept = _run(before, 0, after, 0)
    head: tuple[Step, ...] = ((0, kept),) if kept else ()
    return (*head, *_steps(before, after, kept))


def _run(before: Sequence[Line], start: int, after: Sequence[Line], at: int) -> int:
    """How many lines agree from these places on."""
    most = min(len(before) - start, len(after) - at)
    if before[start : start + most] == after[at : at + most]:  # one comparison instead of one for each line
        return most
    return next((count for count in range(most) if before[start + count] != after[at + count]), most)


def _steps(before: Sequence[Line], after: Sequence[Line], at: int) -> Iterator[Step]:
    places: dict[Line, int] = {}
    if at < len(before):
        for place, line in enumerate(before):
            places.setdefault(line, place)
    expected = at
    while at < len(after):
        line = after[at]
        start = expected if expected < len(before) and before[expected] == line else places.get(line)
        if start is None:
            yield (line,)
            at += 1
            expected += 1  # an edited line stands where the old one stood
            continue
        count = _run(before, start, after, at)
        yield start, count
        at += count
        expected = start + count


def read_steps(before: Sequence[Line], steps: Sequence[Step]) -> tuple[Line, ...]:
    """The list that the steps lead to.

    Raises:
        IndexError: a step names lines that are not there.
    """
    found: list[Line] = []
    for step in steps:
        if len(step) == 1:
            found.append(step[0])
            continue
        start, count = step
        if not 0 <= start <= start + count <= len(before):
            raise IndexError(f"lines {start} to {start + count} of {len(before)}")
        found += before[start : start + count]
    return tuple(found)
