"""Rules of a tree: what each place holds, what may be added and what must stay (spec mvu-vars §7).

A schema is itself JSON, as the program keeps it beside the tree: `{type, properties | elementType, extensible,
recursiveExtensible, template, required}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from operator import is_
from typing import Any, Final, NamedTuple, TypeAlias

from lorewright.mvu.edits import change
from lorewright.mvu.paths import split_path
from lorewright.mvu.values import MISSING, Json, measure, saved

__all__ = [
    "META",
    "Below",
    "RootSwitches",
    "Schema",
    "generate",
    "is_open",
    "may_add_key",
    "place_of_rule",
    "reconcile",
    "requires",
    "rule_at",
    "rule_of",
    "same_rule",
    "strip",
    "strip_with",
    "with_rule",
    "with_switches",
]

Schema = dict[str, Any]
Below: TypeAlias = Callable[[Json, Schema | None, bool], Schema]
"""A value in another one, its old rule, and whether all in it is open -> its rule."""

META: Final = "$meta"
_MARKER: Final = "$__META_EXTENSIBLE__$"
_ARRAY_META: Final = "$arrayMeta"
_SWITCHES: Final = ("strictTemplate", "concatTemplateArray", "strictSet")
_DIGITS: Final = re.compile(r"[0-9]+")
_LARGEST_TEMPLATE: Final = 64 * 1024


class RootSwitches(NamedTuple):
    """What the root of a schema turns on and off."""

    strict_set: bool = False
    strict_template: bool = False
    concat_lists: bool = True

    @classmethod
    def of(cls, schema: Schema | None) -> RootSwitches:
        """The switches of a schema; None has the defaults."""
        given = schema or {}
        concat = given.get("concatTemplateArray")
        return cls(
            bool(given.get("strictSet")),
            bool(given.get("strictTemplate")),
            True if concat is None else bool(concat),
        )


def generate(tree: Json, old: Schema | None = None, recursive: bool = False) -> Schema:
    """The rule of a value, with what its marks say and what its old rule remembers (§7.2).

    `recursive`: everything below its parent is open. A rule that was open once stays open. The old rule itself if the
    value says nothing new.
    """
    return _kept(rule_of(tree, old, recursive, generate), old)


def rule_of(tree: Json, old: Schema | None, recursive: bool, below: Below) -> Schema:
    """As `generate`; the rules of what is in the value come from `below`."""
    if isinstance(tree, dict):
        return _of_object(tree, old if old and old.get("type") == "object" else {}, recursive, below)
    if isinstance(tree, list):
        return _of_list(tree, old if old and old.get("type") == "array" else {}, recursive, below)
    if isinstance(tree, bool):
        return {"type": "boolean"}
    if isinstance(tree, str):
        return {"type": "string"}
    return {"type": "number" if isinstance(tree, (int, float)) else "any"}


def _of_object(tree: dict[str, Json], old: Schema, recursive: bool, below: Below) -> Schema:
    given = tree.get(META)
    meta: Mapping[str, Json] = given if isinstance(given, dict) else {}
    all_open = old.get("recursiveExtensible") is True or recursive or meta.get("recursiveExtensible") is True
    is_open_now = (
        old.get("extensible") is True
        or meta.get("extensible") is True
        or meta.get("recursiveExtensible") is True
        or recursive
    )
    named = meta.get("required")
    forced = named if isinstance(named, list) else []
    before = old.get("properties") or {}
    properties: dict[str, Schema] = {}
    for name, value in tree.items():
        if name == META:
            continue
        earlier = before.get(name)
        rule = below(value, earlier, is_open_now and all_open)
        required = (earlier or {}).get("required")
        if not isinstance(required, bool):
            required = not is_open_now or name in forced
        properties[name] = _kept(rule if rule.get("required") is required else {**rule, "required": required}, earlier)
    made = {"type": "object", "properties": properties, "extensible": is_open_now, "recursiveExtensible": all_open}
    return _with_template(made, meta.get("template", MISSING), old)


def _of_list(tree: list[Json], old: Schema, recursive: bool, below: Below) -> Schema:
    meta: Mapping[str, Json] = next((item[META] for item in tree if _is_array_meta(item)), {})
    marked = _MARKER in tree
    says = meta.get("extensible")
    opened = says is True if says is not None else old.get("extensible") is True
    all_open = old.get("recursiveExtensible") is True or recursive
    items = _without_marks(tree)
    made = {
        "type": "array",
        "extensible": opened or marked or recursive,
        "recursiveExtensible": all_open,
        "elementType": below(items[0], old.get("elementType"), all_open) if items else {"type": "any"},
    }
    return _with_template(made, meta.get("template", MISSING), old)


def _kept(new: Schema, old: Schema | None) -> Schema:
    return new if old is None or new is old or not same_rule(new, old) else old


def same_rule(new: Schema, old: Schema) -> bool:
    """Whether two rules say the same; those of what is inside are compared by identity."""
    return new.keys() == old.keys() and all(_is_same(new[name], old[name]) for name in new)


def _is_same(new: Any, old: Any) -> bool:
    if isinstance(new, dict) and isinstance(old, dict):
        return new is old or (new.keys() == old.keys() and all(new[name] is old[name] for name in new))
    return type(new) is type(old) and bool(new == old)


def _with_template(rule: Schema, template: Json, old: Schema) -> Schema:
    if template is MISSING or template is None or measure(template).size > _LARGEST_TEMPLATE:
        template = old.get("template")
    if template is not None:
        rule["template"] = saved(template)
    return rule


def _is_array_meta(item: Json) -> bool:
    return isinstance(item, dict) and item.get(_ARRAY_META) is True and isinstance(item.get(META), dict)


def _without_marks(items: list[Json]) -> list[Json]:
    return [item for item in items if item != _MARKER and not _is_array_meta(item)]


def strip(tree: Json) -> Json:
    """The value without marks: what a schema is made of does not stay in the tree. The value itself if it has none."""
    return strip_with(tree, strip)


def strip_with(tree: Json, below: Callable[[Json], Json]) -> Json:
    """As `strip`; what is in the value goes through `below`."""
    if isinstance(tree, dict):
        members = {name: below(value) for name, value in tree.items() if name != META}
        same = len(members) == len(tree) and all(value is tree[name] for name, value in members.items())
        return tree if same else members
    if isinstance(tree, list):
        items = [below(item) for item in _without_marks(tree)]
        same = len(items) == len(tree) and all(map(is_, items, tree))
        return tree if same else items
    return tree


def with_switches(schema: Schema, tree: Json, old: Schema | None = None) -> Schema:
    """The schema of a whole tree with the switches of its root, those of the tree before those of the old schema."""
    given = tree.get(META) if isinstance(tree, dict) else None
    sources = [source for source in (given, old) if isinstance(source, dict)]
    made = dict(schema)
    for name in _SWITCHES:
        value = next((source[name] for source in sources if source.get(name) is not None), None)
        if value is not None:
            made[name] = value
    return made


def reconcile(tree: Json, schema: Schema | None) -> Schema | None:
    """The schema after the tree was changed; that of a root that is no object stays (§7.3)."""
    return with_switches(generate(tree, schema), tree, schema) if isinstance(tree, dict) else schema


# -- asking ------------------------------------------------------------------------------------------------------------


def place_of_rule(schema: Schema | None, path: str) -> tuple[str, ...] | None:
    """The steps within a schema to the rule of a path; None: there is no rule for it."""
    steps: tuple[str, ...] = ()
    rule: Any = schema
    for step in split_path(path) if path else ():
        kind = rule.get("type") if isinstance(rule, dict) else None
        if _DIGITS.fullmatch(step):
            taken: tuple[str, ...] = ("elementType",) if kind == "array" else ()
        else:
            taken = ("properties", step) if kind == "object" else ()
        rule = _follow(rule, taken) if taken else None
        if not rule:
            return None
        steps += taken
    return steps if schema else None


def rule_at(schema: Schema | None, steps: Sequence[str] | None) -> Schema | None:
    """The rule behind the steps that `place_of_rule` gave."""
    return None if steps is None else _follow(schema, steps)


def with_rule(schema: Schema, steps: Sequence[str], rule: Schema) -> Schema:
    """The schema with another rule behind the steps."""
    made: Schema = change(schema, steps, lambda _: rule)
    return made


def _follow(rule: Any, steps: Sequence[str]) -> Any:
    for step in steps:
        rule = rule.get(step) if isinstance(rule, dict) else None
    return rule


def is_open(rule: Schema) -> bool:
    """Whether something may be added: an object is open unless it says no, a list only if it says yes (§5)."""
    return rule.get("extensible") is not False if rule.get("type") == "object" else rule.get("extensible") is True


def may_add_key(rule: Schema, key: str) -> bool:
    """Whether a key may be written into an object: any into an open one, those it knows into any."""
    return is_open(rule) or key in (rule.get("properties") or {})


def requires(rule: Schema, key: str) -> bool:
    """Whether a key of an object must stay."""
    known = (rule.get("properties") or {}).get(key)
    return isinstance(known, dict) and known.get("required") is True
