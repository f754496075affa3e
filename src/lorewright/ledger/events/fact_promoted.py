"""A person decided about a fact."""

from dataclasses import dataclass

__all__ = ["FactPromoted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPromoted:
    """fact: which. authority: the tier it has from now on (`session`, `canon`), or empty: it was turned down."""

    fact: int
    authority: str
    at: float
