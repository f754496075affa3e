"""A stream began, or a program went on with it."""

from dataclasses import dataclass

__all__ = ["SessionOpened"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOpened:
    """at: seconds since 1970. program: name and version of what writes. counter, engine: how it counts tokens and
    searches for keys."""

    at: float
    program: str
    counter: str
    engine: str
