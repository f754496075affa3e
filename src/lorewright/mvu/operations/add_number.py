"""`add(path, delta)`: a number more or less, or a time later or earlier (spec mvu-vars §5)."""

from __future__ import annotations

import math

from lorewright.mvu.dates import date_after, is_date
from lorewright.mvu.edits import put
from lorewright.mvu.operations.step import Done, Step
from lorewright.mvu.paths import steps_in
from lorewright.mvu.refusal import Refused
from lorewright.mvu.sums import twelve_digits
from lorewright.mvu.values import Json, described, is_number, shown

__all__ = ["add_number"]


def add_number(step: Step) -> Done:
    """Twelve digits are kept; of a value with its description, the value is added to. A delta in quotes is none."""
    old = step.existing()
    is_described = described(old) and old[0] is not None and not isinstance(old[0], (list, dict))
    before = old[0] if is_described else old
    is_time = isinstance(before, str) and is_date(before)
    if not is_time and not is_number(before):
        raise Refused("value_not_number_or_date", f"`{step.path}` is neither a number nor a time.")
    delta = step.argument(1)
    if not is_number(delta):
        raise Refused("delta_not_number", f"{shown(delta)[:60]} is no number that could be added to `{step.path}`.")
    after = _later(before, delta, step) if is_time else _sum(before, delta, step)
    steps = [*steps_in(step.path, step.tree), *(["0"] if is_described else [])]
    tree = put(step.tree, steps, after)
    text = f"{shown(before)}->{shown(after)} {step.reason}"
    return Done(tree, step.schema, text, old, [after, old[1]] if is_described else after, added=after, removed=before)


def _sum(before: float, delta: float, step: Step) -> float:
    after = twelve_digits(before + delta)
    if step.behaviour.keeps_numbers and not math.isfinite(after):
        raise Refused("value_not_number", f"`{step.path}` would become {after}, which is no number any more.")
    return after


def _later(before: Json, delta: float, step: Step) -> str:
    try:
        return date_after(before, delta)
    except (ValueError, OverflowError) as error:
        raise Refused("value_not_number_or_date", f"`{step.path}` would leave the years 1 to 9999.") from error
