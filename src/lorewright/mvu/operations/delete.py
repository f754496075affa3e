"""`delete(path)` and `delete(path, target)`: less in a list or an object (spec mvu-vars §5)."""

from __future__ import annotations

import math
import re
from typing import Final

from lorewright.mvu.edits import js_keys, put, without
from lorewright.mvu.operations.step import Done, Step
from lorewright.mvu.paths import get, has, index_of, split_path, steps_in, trim_quotes
from lorewright.mvu.refusal import Refused
from lorewright.mvu.schema import place_of_rule, requires, rule_at
from lorewright.mvu.values import UNDEFINED, Json, deep_equal, is_number, key_text

__all__ = ["delete"]

_DIGITS: Final = re.compile(r"[0-9]+")
_WHY_REQUIRED: Final = (
    "an object is closed unless its card opens it (`$meta: {extensible: true}`), and what a card requires stays in any."
)


def delete(step: Step) -> Done:
    """With one argument what is at the path; with two an item by its place or value, or a key by its name or place."""
    has_target = len(step.command.arguments) > 1
    *container, last = split_path(step.path) or [""]
    if not has_target and _DIGITS.fullmatch(last):
        holder = get(step.tree, ".".join(container))
        if isinstance(holder, list) and (place := index_of(str(int(last)), len(holder))) is not None:
            return _without_item(step, ".".join(container), holder, place)
    step.existing()
    if has_target:
        target = step.argument(1)
        _check_rule(step, step.path, trim_quotes(target) if isinstance(target, str) else target)
        return _without_target(step, target)
    _check_rule(step, ".".join(container), int(last) if _DIGITS.fullmatch(last) else last or UNDEFINED)
    old = step.existing()
    tree = without(step.tree, steps_in(step.path, step.tree))
    return Done(tree, step.schema, f"REMOVED path '{step.path}' {step.reason}", old, UNDEFINED, removed=old)


def _check_rule(step: Step, container: str, target: Json) -> None:
    if target is UNDEFINED:
        raise Refused("no_target", f"What shall be taken out of `{container}` is not said.")
    if container and not has(step.tree, container):
        raise Refused("path_missing", f"There is no variable `{container}`.")
    rule = rule_at(step.schema, place_of_rule(step.schema, container))
    if rule is None:
        return
    if rule.get("type") == "array" and rule.get("extensible") is not True:
        raise Refused("schema_not_extensible", f"`{container}` is closed: its card lets nothing be taken out.")
    if rule.get("type") == "object" and requires(rule, key_text(target)):
        what = f"`{key_text(target)}` must stay in `{container}`" if container else f"`{key_text(target)}` must stay"
        raise Refused("schema_required", f"{what}: {_WHY_REQUIRED}")


def _without_target(step: Step, target: Json) -> Done:
    holder = step.existing()
    if isinstance(holder, list):
        if is_number(target):
            found = int(target) if 0 <= target < len(holder) else -1
        else:
            found = next((at for at, item in enumerate(holder) if deep_equal(item, target)), -1)
        if found >= 0:
            done = _without_item(step, step.path, holder, found)
            return done._replace(text=f"REMOVED item from '{step.path}' {step.reason}")
    elif isinstance(holder, dict):
        if is_number(target):
            keys = js_keys(holder)
            is_place = math.isfinite(target) and target == int(target) and 0 <= target < len(keys)
            key = keys[int(target)] if is_place else None
            what = f"{int(target) + 1}th entry ('{key}')" if is_place else ""
        else:
            key = key_text(target)
            what = f"key '{key}'"
        if key is not None and key in holder:
            new = {name: value for name, value in holder.items() if name != key}
            tree = put(step.tree, steps_in(step.path, step.tree), new)
            text = f"REMOVED {what} from object '{step.path}' {step.reason}"
            return Done(tree, step.schema, text, holder, new, told=False, removed=holder[key])
    else:
        raise Refused("target_not_collection", f"`{step.path}` is no list and no object.")
    raise Refused("element_not_found", f"`{step.path}` does not hold {key_text(target)[:60]}.")


def _without_item(step: Step, path: str, holder: list[Json], place: int) -> Done:
    """An item by its place; the program shows no change for this form, and asks no rule."""
    new = [*holder[:place], *holder[place + 1 :]]
    tree = put(step.tree, steps_in(path, step.tree), new)
    return Done(tree, step.schema, "", holder, new, removed=holder[place])
