"""The decorator lines at the top of a V3 or RisuAI entry, as data (spec formats §3.4).

A view for readers and people: the stored content never changes, and the engine has its own rules
(`core/decorators.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from lorewright.core.program import PROGRAM_LINES
from lorewright.formats.imported import Notes

__all__ = ["Decorator", "note_decorators", "parse_decorators"]

_MARK: Final = "@@"
_LINES: Final = 1000
"""So many lines are looked at; more decorators are no decorators but an attack."""
_NUMBER: Final = re.compile(r"[+-]?\d{1,15}", re.ASCII)
_BLANK: Final = " \t\r"


@dataclass(frozen=True, slots=True)
class Decorator:
    """One line `@@name value, value`.

    `known` names are of V3 or RisuAI. `used` says whether the line has an effect by the rules of V3: a known name with
    values of the right kind, no fallback (`@@@name`) of a line that was used, and the first of its name unless it may
    be repeated. `line` counts from 1 in the content.
    """

    name: str
    values: tuple[str, ...]
    known: bool
    line: int
    is_fallback: bool = False
    used: bool = False


_Values = tuple[str, ...]


def _anything(_: _Values) -> bool:
    return True


def _nothing(values: _Values) -> bool:
    return not values


def _some(values: _Values) -> bool:
    return bool(values)


def _number(values: _Values) -> bool:
    return len(values) == 1 and _NUMBER.fullmatch(values[0]) is not None


def _one_of(*names: str) -> Callable[[_Values], bool]:
    return lambda values: len(values) == 1 and values[0] in names


def _position(values: _Values) -> bool:
    known = {"after_desc", "before_desc", "personality", "scenario"}
    return len(values) == 1 and (values[0] in known or values[0].startswith("pt_"))


_USABLE: Final[Mapping[str, Callable[[_Values], bool]]] = {
    **dict.fromkeys(
        (
            "depth",
            "reverse_depth",
            "instruct_depth",
            "reverse_instruct_depth",
            "scan_depth",
            "instruct_scan_depth",
            "activate_only_after",
            "activate_only_every",
            "is_greeting",
            "priority",
            "probability",
        ),
        _number,
    ),
    **dict.fromkeys(
        (
            "keep_activate_after_match",
            "dont_activate_after_match",
            "activate",
            "dont_activate",
            "ignore_on_max_context",
            "end",
            "match_full_word",
            "match_partial_word",
            "recursive",
            "unrecursive",
            "no_recursive_search",
        ),
        _nothing,
    ),
    **dict.fromkeys(
        (
            "additional_keys",
            "exclude_keys",
            "exclude_keys_all",
            "is_user_icon",
            "inject_at",
            "inject_lore",
            "inject_replace",
        ),
        _some,
    ),
    "inject_prepend": _anything,
    "role": _one_of("user", "assistant", "system"),
    "position": _position,
    "disable_ui_prompt": _one_of("system_prompt", "post_history_instructions"),
}
"""By name: which values a line may have."""
_REPEATABLE: Final = frozenset({"additional_keys", "exclude_keys", "exclude_keys_all"})


def parse_decorators(content: str) -> tuple[Decorator, ...]:
    """The decorator lines at the top, up to the first line that does not begin with `@@`."""
    return tuple(_judge(_lines(content)))


def note_decorators(content: object, notes: Notes, entry: object) -> None:
    """Report the decorators that V3 and RisuAI do not know, unless a fallback stands in for them. Those of code are
    known."""
    if not isinstance(content, str) or not content[:100].lstrip().startswith(_MARK):
        return
    found = parse_decorators(content)
    for place, decorator in enumerate(found):
        if not decorator.known and decorator.name not in PROGRAM_LINES and not _is_replaced(found, place):
            message = f"The decorator `{_shown(decorator.name)}` in line {decorator.line} is not known; it is kept."
            notes.add("decorator_unknown", message, entry=entry, field="content")


def _lines(content: str) -> Iterable[Decorator]:
    started = False
    start = number = 0
    while start <= len(content) and number < _LINES:
        number += 1
        end = content.find("\n", start)
        end = len(content) if end < 0 else end
        if not started and not content[start:end].strip(_BLANK):
            start = end + 1
            continue
        started = True
        line = content[start:end].strip(_BLANK)
        if not line.startswith(_MARK):
            return
        is_fallback = line.startswith("@@@")
        name, _, rest = line.lstrip("@").partition(" ")
        values = tuple(value for part in rest.split(",") if (value := part.strip()))
        yield Decorator(name, values, name in _USABLE, number, is_fallback)
        start = end + 1


def _judge(lines: Iterable[Decorator]) -> Iterable[Decorator]:
    """Say of each line whether it has an effect."""
    seen: set[str] = set()
    is_settled = True
    for decorator in lines:
        if decorator.is_fallback and is_settled:
            yield decorator
            continue
        understood = decorator.known and _USABLE[decorator.name](decorator.values)
        is_first = decorator.name not in seen or decorator.name in _REPEATABLE
        if understood:
            seen.add(decorator.name)
        is_settled = understood
        yield replace(decorator, used=understood and is_first)


def _is_replaced(found: tuple[Decorator, ...], place: int) -> bool:
    """Whether a line of its chain has an effect: the line above a fallback, or a fallback below."""
    first = place
    while first > 0 and found[first].is_fallback:
        first -= 1
    last = place + 1
    while last < len(found) and found[last].is_fallback:
        last += 1
    return any(decorator.used for decorator in found[first:last])


def _shown(name: str) -> str:
    return ascii(f"@@{name[:40]}")[1:-1]
