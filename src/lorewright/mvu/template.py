"""What an inserted value gets from the template of its place (spec mvu-vars §7.4)."""

from __future__ import annotations

from lorewright.mvu.edits import merged
from lorewright.mvu.schema import RootSwitches, Schema
from lorewright.mvu.values import Json

__all__ = ["with_template"]


def with_template(value: Json, rule: Schema | None, switches: RootSwitches) -> Json:
    """The value and its template as one, the value winning; as it is where the two do not go together."""
    template = rule.get("template") if rule else None
    if isinstance(template, list):
        if isinstance(value, dict) or (switches.strict_template and not isinstance(value, list)):
            return value
        items = value if isinstance(value, list) else [value]
        return [*items, *template] if switches.concat_lists else merged(template, items)
    if isinstance(template, dict) and template and isinstance(value, dict):
        return merged(template, value)
    return value
