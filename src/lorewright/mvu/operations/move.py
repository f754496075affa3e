"""`move(from, to)` of a patch: out of one place and into another, or not at all (spec mvu-vars §5)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from lorewright.mvu.operations.delete import delete
from lorewright.mvu.operations.insert import insert
from lorewright.mvu.operations.step import Done, Step
from lorewright.mvu.paths import fix_path, split_path, trim_quotes
from lorewright.mvu.refusal import Refused
from lorewright.mvu.values import shown

__all__ = ["move"]

_DIGITS: Final = re.compile(r"[0-9]+")


def move(step: Step) -> Done:
    """By the rules of `delete` for the source and of `insert` for the target."""
    if not step.behaviour.moves:
        raise Refused("unsupported_command", "The program takes `move` and does nothing.")
    target = str(step.command.arguments[1])
    value = step.existing()
    taken = delete(replace(step, command=replace(step.command, arguments=step.command.arguments[:1])))
    *container, last = split_path(fix_path(trim_quotes(target))) or [""]
    key = last if _DIGITS.fullmatch(last) else f"'{last}'"
    path = ".".join(container)
    command = replace(step.command, path=path, arguments=(path, key, shown(value)))
    given = insert(replace(step, tree=taken.tree, schema=taken.schema, command=command))
    text = f"MOVED path '{step.path}' to '{target}' {step.reason}"
    return Done(given.tree, given.schema, text, value, value)
