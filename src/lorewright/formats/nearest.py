"""What a JSON value of no known format resembles: the formats whose typical field names are most like its own."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

from lorewright.formats.shape_values import misfit
from lorewright.formats.shapes import SHAPES, items_of

__all__ = ["field_names", "nearest", "why_not"]


def field_names(value: object) -> tuple[str, ...]:
    """The names by which a value can be recognised: its own top-level keys, or those of the first object in it."""
    if isinstance(value, dict):
        return tuple(value)[:50]
    first = next(iter(items_of(value)), None)
    return tuple(first)[:50] if first else ()


def nearest(names: Iterable[str], number: int = 3) -> tuple[str, ...]:
    """The ids of the formats whose typical field names are most like these names, the most similar first.

    A format is judged by the share of its typical names that are there, a misspelt name counting in part.
    """
    present = tuple(names)
    scores: dict[str, float] = {}
    for shape in SHAPES:
        likeness = sum(max((_likeness(sign, name) for name in present), default=0.0) for sign in shape.signs)
        scores[shape.kind] = max(scores.get(shape.kind, 0.0), likeness / len(shape.signs))
    ranked = sorted(scores, key=lambda kind: -scores[kind])
    return tuple(ranked[:number])


def why_not(kind: str, value: object) -> str:
    """Why a value is not of a format that it is like: a field whose value is another, or the fields that it lacks."""
    if wrong := misfit(kind, value):
        return wrong
    names = field_names(value)
    lists = ([sign for sign in shape.signs if sign not in names] for shape in SHAPES if shape.kind == kind)
    lacking = min(lists, key=len, default=[])
    if lacking:
        return f"It lacks {', '.join(f'`{sign}`' for sign in lacking)}."
    return "Its fields are there too, but a surer sign decided."


def _likeness(sign: str, name: str) -> float:
    if sign == name:
        return 1.0
    ratio = SequenceMatcher(None, sign.lower(), name[:100].lower()).ratio()
    return ratio / 2 if ratio > 0.7 else 0.0
