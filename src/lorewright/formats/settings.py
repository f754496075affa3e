"""Scan settings by SillyTavern's names -> `core.policy.Settings` (spec world-info §1.2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Final

from lorewright.core.model import Report
from lorewright.core.policy import Settings, Strategy
from lorewright.errors import SettingsError
from lorewright.formats.wording import describe

__all__ = ["SETTING_NAMES", "read_settings", "write_settings"]

_STRATEGIES: Final[tuple[Strategy, ...]] = ("evenly", "character_first", "global_first")
_MOST: Final = 2**53
"""Larger numbers are not exact in JavaScript; nothing here needs them."""

_SHOWN: Final = 10
"""Problems in the sentence; `facts` has all of them."""
_LONGEST_NAME: Final = 40


@dataclass(frozen=True, slots=True)
class _Setting:
    """Where a setting goes, which values it takes (a test), and how to say so."""

    field: str
    takes: Callable[[Any], bool]
    wanted: str


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_amount(value: Any) -> bool:
    return _is_number(value) and 0 <= value <= _MOST


def _is_count(value: Any) -> bool:
    return _is_amount(value) and value == int(value)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_percentage(value: Any) -> bool:
    return _is_number(value) and 0 <= value <= 100


def _one_of(field: str, *choices: str) -> _Setting:
    return _Setting(field, lambda value: value in choices, " or ".join(f"`{choice}`" for choice in choices))


_PERCENTAGE: Final = "a percentage from 0 to 100"
_COUNT: Final = "a whole number, 0 or more"
_FLAG: Final = "true or false"

_SETTINGS: Final = {
    "depth": _Setting("scan_depth", _is_amount, "a number of messages, 0 or more"),
    "minActivations": _Setting("min_activations", _is_count, _COUNT),
    "minActivationsDepthMax": _Setting("min_activations_max_depth", _is_count, _COUNT),
    "budget": _Setting("budget_percent", _is_percentage, _PERCENTAGE),
    "budgetCap": _Setting("budget_cap_tokens", _is_count, _COUNT),
    "includeNames": _Setting("include_names", _is_flag, _FLAG),
    "recursive": _Setting("recursive", _is_flag, _FLAG),
    "maxRecursionSteps": _Setting("max_recursion_steps", _is_count, _COUNT),
    "caseSensitive": _Setting("case_sensitive", _is_flag, _FLAG),
    "matchWholeWords": _Setting("whole_words", _is_flag, _FLAG),
    "useGroupScoring": _Setting("group_scoring", _is_flag, _FLAG),
    "characterStrategy": _Setting("strategy", _is_count, "0 (evenly), 1 (character first) or 2 (global first)"),
    "form": _one_of("form", "inside", "message"),
    "standingBudget": _Setting("standing_budget_percent", _is_percentage, _PERCENTAGE),
    "onEdit": _one_of("on_edit", "append", "rewrite"),
    "overflowAlert": _Setting("", _is_flag, _FLAG),
    "maxContext": _Setting("", _is_count, "a whole number of tokens, 0 or more"),
    "maxEntries": _Setting("max_entries", _is_count, _COUNT),
    "authorityDiscount": _Setting(
        "authority_discount", lambda v: _is_number(v) and 0 <= v <= 1, "a number from 0 to 1"
    ),
    "useProposals": _Setting("use_proposals", _is_flag, _FLAG),
    "maxLevel": _Setting("max_level", lambda v: _is_number(v) and 0 <= v <= 2, "a number from 0 to 2"),
    "replaceSeconds": _Setting("replace_seconds", lambda v: _is_number(v) and 0 <= v <= 60, "a number from 0 to 60"),
}
_OURS: Final = frozenset({"maxEntries", "authorityDiscount", "useProposals", "maxLevel", "replaceSeconds"})
"""Settings that SillyTavern does not have. They are written only where they are not at their default."""
SETTING_NAMES: Final = tuple(_SETTINGS)
_THEIR_NAMES: Final = {
    "world_info_" + re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name): name
    for name in SETTING_NAMES
    if name != "maxContext" and name not in _OURS
}
"""By the name in SillyTavern's own `settings.json`: the name here."""
_THEIR_GROUP: Final = "world_info_settings"
_THEIR_GROUPS: Final = (_THEIR_GROUP, "power_user")
"""Either tells the file."""
_CLOSE: Final = 0.75


@dataclass(frozen=True, slots=True)
class _Given:
    """Settings by the names here. `called`: their names in the file, where these are others."""

    values: Mapping[str, object]
    called: Mapping[str, str]
    unread: int = 0


def read_settings(
    mapping: Mapping[str, object], base: Settings | None = None
) -> tuple[Settings, int | None, tuple[Report, ...]]:
    """Put settings over `base` (the defaults); also gives `maxContext` in tokens, or None where it is not named.

    SillyTavern's own `settings.json` is taken too: of it the scan settings and the context are read, wherever they stand,
    and a report says how many fields are not. `overflowAlert` has no effect on what is activated and is passed over. A `characterStrategy` that SillyTavern does
    not know acts as 0 there, so it does here, with a report.

    Raises:
        SettingsError: all unknown names and wrong values at once; `facts["problems"]` has them one by one.
    """
    given = _take_theirs(mapping) or _Given(mapping, {})
    problems = [
        problem
        for name, value in given.values.items()
        if (problem := _find_problem(name, value, given.called.get(name, name)))
    ]
    if problems:
        known = f" Known settings are {', '.join(SETTING_NAMES)}." if mapping.keys() - _SETTINGS.keys() else ""
        more = f" {len(problems) - _SHOWN} more like these." if len(problems) > _SHOWN else ""
        raise SettingsError(" ".join(problems[:_SHOWN]) + more + known, problems=tuple(problems), known=SETTING_NAMES)
    changes: dict[str, Any] = {}
    reports: list[Report] = []
    if given.unread:
        reports.append(_tell_unread(len(given.values), given.unread))
    for name, value in given.values.items():
        if name == "characterStrategy":
            changes["strategy"] = _read_strategy(value, reports)
        elif field := _SETTINGS[name].field:
            changes[field] = int(value) if isinstance(value, float) and value.is_integer() else value
    context = given.values.get("maxContext")
    settings = replace(base if base is not None else Settings(), **changes)
    return settings, int(context) if isinstance(context, (int, float)) else None, tuple(reports)


def write_settings(settings: Settings, context_tokens: int) -> dict[str, object]:
    """The settings by SillyTavern's names, so that `read_settings` gives them again."""
    usual = Settings()
    values = {
        name: getattr(settings, setting.field)
        for name, setting in _SETTINGS.items()
        if setting.field and (name not in _OURS or getattr(settings, setting.field) != getattr(usual, setting.field))
    }
    return values | {"characterStrategy": _STRATEGIES.index(settings.strategy), "maxContext": context_tokens}


def _take_theirs(mapping: Mapping[str, object]) -> _Given | None:
    """What there is to read in SillyTavern's own settings file; None if it is none."""
    inner = mapping.get(_THEIR_GROUP)
    group: Mapping[str, object] = inner if isinstance(inner, dict) else {}
    is_theirs = any(isinstance(mapping.get(name), dict) for name in _THEIR_GROUPS)
    is_theirs = is_theirs or any(name in _THEIR_NAMES for name in mapping)
    if not is_theirs or any(name in _SETTINGS for name in mapping):
        return None
    found: dict[str, object] = {**mapping, **group}
    called = {name: theirs for theirs, name in _THEIR_NAMES.items() if theirs in found}
    values = {name: found[theirs] for name, theirs in called.items()}
    read = {*called.values(), _THEIR_GROUP}
    chat_completion = mapping.get("oai_settings")
    if mapping.get("main_api") == "openai" and isinstance(chat_completion, dict):
        holder, place, context = "oai_settings", "openai_max_context", chat_completion.get("openai_max_context")
    else:
        holder, place, context = "max_context", "max_context", mapping.get("max_context")
    if context is not None:
        called["maxContext"], values["maxContext"] = place, context
        read |= {holder}
    unread = sum(name not in read for names in (mapping, group) for name in names)
    return _Given(values, called, unread)


def _tell_unread(used: int, unread: int) -> Report:
    fields, others = (
        f"{used} field{'s are' if used != 1 else ' is'} used",
        f"{unread} other{'s are' if unread != 1 else ' is'}",
    )
    return Report(
        code="settings_not_read",
        level="info",
        message=f"This is SillyTavern's settings file: {fields}, {others} not read.",
    )


def _find_problem(name: object, value: object, called: str) -> str:
    if not isinstance(name, str) or name not in _SETTINGS:
        names = (*SETTING_NAMES, *_THEIR_NAMES)
        close = get_close_matches(str(name)[:_LONGEST_NAME], names, n=1, cutoff=_CLOSE)
        meant = f" Did you mean `{close[0]}`?" if close else ""
        return f"Setting `{str(name)[:_LONGEST_NAME]}` is not known.{meant}"
    setting = _SETTINGS[name]
    return "" if setting.takes(value) else f"Setting `{called}` is {describe(value)}; it must be {setting.wanted}."


def _read_strategy(value: Any, reports: list[Report]) -> Strategy:
    if value in range(len(_STRATEGIES)):
        return _STRATEGIES[int(value)]
    message = f"`characterStrategy` {describe(value)} is not known; SillyTavern treats it as 0 (evenly)."
    reports.append(Report(code="bad_value", message=message, field="strategy"))
    return "evenly"
