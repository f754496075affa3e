"""`insert(path, value)` and `insert(path, key, value)`: more in a list or an object (spec mvu-vars §5)."""

from __future__ import annotations

from typing import Final

from lorewright.mvu.edits import merged, put, splice_place, write
from lorewright.mvu.operations.step import Done, Step
from lorewright.mvu.paths import get, split_path, steps_in
from lorewright.mvu.refusal import Refused
from lorewright.mvu.schema import Schema, is_open, may_add_key, place_of_rule, rule_at, with_rule
from lorewright.mvu.template import with_template
from lorewright.mvu.values import FORBIDDEN, MISSING, Json, is_number, key_text, shown

__all__ = ["insert"]

_KEYED: Final = 3
_END: Final = "-"


def insert(step: Step) -> Done:
    """What is put in goes through the template of its place, and the place learns the rules of what it holds now."""
    old = step.tree if not step.path else get(step.tree, step.path)
    if old is not None and not isinstance(old, (list, dict)):
        what = "missing" if old is MISSING else "no list and no object"
        raise Refused("target_not_collection", f"{step.place} is {what}, so nothing can be put into it.")
    at = place_of_rule(step.schema, step.path)
    rule = rule_at(step.schema, at)
    is_keyed = len(step.command.arguments) >= _KEYED
    key = step.argument(1) if is_keyed else None
    if is_keyed and key_text(key) in FORBIDDEN:
        raise Refused("unsafe_path", f"`{key_text(key)}` may not be a key.")
    _check_rule(step, rule, key_text(key) if is_keyed else None)
    if is_keyed:
        new, added, text = _with_key(old, key, step.argument(2), rule, step)
    else:
        new, added, text = _with_value(old, step.argument(1), rule, step)
    steps = steps_in(step.path, step.tree) if step.path else []
    schema = step.schema
    if schema is not None and at is not None and rule is not None:
        schema = with_rule(schema, at, step.learner.learn(new, rule))
    new = step.learner.clean(new)
    return Done(put(step.tree, steps, new), schema, f"{text} {step.reason}", old, new, added=added)


def _check_rule(step: Step, rule: Schema | None, key: str | None) -> None:
    if rule is None:
        # The program looks for the parent by the joined names, so that there is none for a name of the first level.
        if step.path and not _is_there(get(step.tree, ".".join(split_path(step.path)[:-1]))):
            message = f"{step.place} has no rules, and neither has what it stands in; initial values give rules."
            raise Refused("parent_missing", message)
        return
    is_allowed = is_open(rule) if key is None or rule.get("type") != "object" else may_add_key(rule, key)
    if rule.get("type") in {"object", "array"} and not is_allowed:
        raise Refused("schema_not_extensible", f"{step.place} is closed: its card allows nothing new in it.")


def _is_there(value: Json) -> bool:
    return value is not MISSING and (isinstance(value, (list, dict)) or bool(value))


def _with_value(old: Json, value: Json, rule: Schema | None, step: Step) -> tuple[Json, Json, str]:
    if old is None:
        old = [] if isinstance(value, list) else {}
    if isinstance(old, list):
        template = rule if rule and rule.get("type") == "array" else None
        value = with_template(value, template, step.switches)
        return [*old, value], value, f"ASSIGNED {shown(value)} into array '{step.path}'"
    if not isinstance(value, dict):
        raise Refused("merge_type_mismatch", f"{step.place} is an object; only an object can be merged into it.")
    return merged(old, value), value, f"MERGED object {shown(value)} into object '{step.path}'"


def _with_key(old: Json, key: Json, value: Json, rule: Schema | None, step: Step) -> tuple[Json, Json, str]:
    value = with_template(value, rule, step.switches)
    name, path = key_text(key), step.path
    if isinstance(old, list) and (is_number(key) or key == _END):
        at = len(old) if key == _END else splice_place(key, len(old))
        label = "tail" if key in (_END, -1) else name
        return [*old[:at], value, *old[at:]], value, f"ASSIGNED {shown(value)} into '{path}' at index {label}"
    text = f"ASSIGNED key '{name}' with value {shown(value)} into object '{path}'"
    if isinstance(old, list):
        new = write(old, [name], value)
        if new is old and step.behaviour.strips:
            raise Refused("element_not_found", f"`{path}` is a list, and `{name}` is no place in it.")
        return new, value, text
    if old is None:
        text = f"CREATED object at '{path}' and ASSIGNED key '{name}'"
    return {**(old or {}), name: value}, value, text
