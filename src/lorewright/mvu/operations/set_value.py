"""`set(path, [old,] new)`: another value where there is one already (spec mvu-vars §5)."""

from __future__ import annotations

import math

from lorewright.mvu.edits import put
from lorewright.mvu.operations.step import Done, Step
from lorewright.mvu.paths import steps_in, trim_quotes
from lorewright.mvu.refusal import Refused
from lorewright.mvu.schema import strip
from lorewright.mvu.values import UNDEFINED, Json, described, is_number, shown, to_number

__all__ = ["set_value"]


def set_value(step: Step) -> Done:
    """The last argument takes the place of the value; of a value with its description, only of the value."""
    is_root = not step.path
    old = step.tree if is_root else step.existing()
    value = step.argument(-1)
    if step.behaviour.strips:
        value = strip(value)
    steps = [] if is_root else steps_in(step.path, step.tree)
    keeps_description = not step.switches.strict_set and described(old) and not isinstance(old[0], list)
    if keeps_description:
        steps = [*steps, "0"]
        if is_number(old[0]) and value is not None:
            value = _converted(value, step)
        before, after = old[0], value
    else:
        if is_number(old) and isinstance(value, str):
            value = _converted(value, step)
        before, after = old, value
        if not step.switches.strict_set and described(old) and isinstance(value, list):
            before, after = old[0], value[0] if value else UNDEFINED
    _check_finite(value, before, step)
    text = f"{trim_quotes(shown(before))}->{trim_quotes(shown(after))} {step.reason}"
    tree = put(step.tree, steps, value)
    return Done(tree, step.schema, text, before if keeps_description else old, value, added=value, removed=old)


def _converted(value: Json, step: Step) -> float:
    """A number in place of a number; words are none."""
    number = to_number(value)
    if step.behaviour.keeps_numbers and math.isnan(number):
        raise Refused("value_not_number", f"`{step.path}` is a number, and {shown(value)[:60]} is none.")
    return number


def _check_finite(value: Json, before: Json, step: Step) -> None:
    """NaN and infinities are null once they are saved, so a number would be lost."""
    if step.behaviour.keeps_numbers and isinstance(value, float) and not math.isfinite(value) and is_number(before):
        raise Refused("value_not_number", f"`{step.path}` would become {value}, which is no number any more.")
