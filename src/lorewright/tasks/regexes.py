"""A task's own regex rules: at which stages they change texts, and of whom (spec mvu-filter §10)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import thread_time
from typing import Any, Final, NamedTuple

from lorewright.core.javascript import number, trim, truthy, value_as_text
from lorewright.core.protocols import Regexes, RegexMatch
from lorewright.errors import RegexError, RegexTimeout
from lorewright.templates.replacements import expand

__all__ = ["Allowance", "RuleEvent", "TaskRule", "TaskRules", "apply_rules", "read_task_rules", "try_rule"]

_SLASHED: Final = re.compile(r"/([\s\S]+)/([gimsuy]*)")
_OLD_STAGES: Final = {
    "finalPrompt": "input.finalPrompt",
    "rawResponse": "output.rawResponse",
    "beforeParse": "output.beforeParse",
}
_STAGES: Final = {
    "input.userMessage": True,
    "input.recentMessages": True,
    "input.candidateText": True,
    "input.finalPrompt": False,
    "output.rawResponse": False,
    "output.beforeParse": False,
    "output": False,
}
_SECONDS: Final = 0.4
_ALL_SECONDS: Final = 3.0
_MOST_CHARACTERS: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRule:
    """find: `/pattern/flags`, or a pattern for all matches. trimmed: texts that are taken out of the whole result.
    user, reply: it is for texts of the user, or of the model and of the system. for_prompt: it is not only for what is
    shown."""

    id: str
    find: str
    replacement: str = ""
    trimmed: tuple[str, ...] = ()
    user: bool = True
    reply: bool = True
    for_prompt: bool = True

    def is_for(self, role: str) -> bool:
        """Whether it changes texts of this role: user, assistant, mixed, or anything else for the system."""
        if role == "mixed":
            return self.user or self.reply
        return self.user if role == "user" else self.reply


@dataclass(frozen=True, slots=True)
class TaskRules:
    """The rules of a task in order; `stages` says by name which stages run, a group name (`input`) for its others.

    reuses: whether regex scripts of the host are used, too; origins says by name of which (`global`, `preset`,
    `character`).
    """

    enabled: bool = True
    stages: Mapping[str, bool] = field(default_factory=dict)
    rules: tuple[TaskRule, ...] = ()
    reuses: bool = True
    origins: Mapping[str, bool] = field(default_factory=dict)

    def runs_at(self, stage: str) -> bool:
        """Whether rules run at a stage, by its name of today or the old one."""
        name = _OLD_STAGES.get(trim(stage), trim(stage)) or "input"
        group = name.partition(".")[0] if "." in name else name
        return self.stages.get(name, self.stages.get(group if group in {"input", "output"} else name, True))


class RuleEvent(NamedTuple):
    """A rule that changed a text, or could not (`invalid_regex`, `regex_timeout`, `too_long`)."""

    rule: str
    error: str = ""


@dataclass(slots=True)
class Allowance:
    """Seconds of the processor that are left for all rules and texts of one prompt together."""

    seconds: float = _ALL_SECONDS


def read_task_rules(settings: Mapping[str, Any], profile_regex: object = None) -> TaskRules:
    """The rules of a task: the global set of the settings (`globalTaskRegex`), else those of its profile.

    A global set without a list of rules has five of ours; of rules that are alike the first counts.
    """
    shared = settings.get("globalTaskRegex")
    config = shared if isinstance(shared, Mapping) else profile_regex
    given: Mapping[str, Any] = config if isinstance(config, Mapping) else {}
    written = given.get("localRules")
    if not isinstance(written, list):
        written = list(_DEFAULT_RULES) if isinstance(shared, Mapping) else []
    rules: dict[str, TaskRule] = {}
    for place, raw in enumerate(written):
        if isinstance(raw, Mapping):
            rule = _rule(raw, place)
            if rule.find and raw.get("enabled") is not False:
                rules.setdefault(_likeness(raw, rule), rule)
    origins = given.get("sources")
    return TaskRules(
        enabled=given.get("enabled") is not False,
        stages={**_STAGES, **_stages(given.get("stages"))},
        rules=tuple(rules.values()),
        reuses=given.get("inheritStRegex") is not False,
        origins={name: value is not False for name, value in origins.items()} if isinstance(origins, Mapping) else {},
    )


def apply_rules(
    rules: TaskRules, text: str, stage: str, role: str, regexes: Regexes, allowance: Allowance | None = None
) -> tuple[str, list[RuleEvent]]:
    """The text after the rules that are for this stage and role, and what they did. Nothing is raised: a rule that
    cannot work, or comes after the time of all is used up, does nothing."""
    events: list[RuleEvent] = []
    if not rules.enabled or not rules.runs_at(stage):
        return text, events
    allowance = allowance or Allowance()
    for rule in rules.rules:
        if rule.for_prompt and rule.is_for(role):
            text = try_rule(rule, text, regexes, events, allowance)
    return text, events


def try_rule(rule: TaskRule, text: str, regexes: Regexes, events: list[RuleEvent], allowance: Allowance) -> str:
    """The text after one rule; what it did, or why it could not, is put to the events."""
    if allowance.seconds <= 0:
        events.append(RuleEvent(rule.id, "regex_timeout"))
        return text
    began = thread_time()
    try:
        changed = _apply(rule, text, regexes)
    except RegexError:
        events.append(RuleEvent(rule.id, "invalid_regex"))
    except RegexTimeout:
        events.append(RuleEvent(rule.id, "regex_timeout"))
    except _TooLong:
        events.append(RuleEvent(rule.id, "too_long"))
    else:
        if changed != text:
            events.append(RuleEvent(rule.id))
        return changed
    finally:
        allowance.seconds -= thread_time() - began
    return text


class _TooLong(Exception):
    """Raised when a text would grow over the limit."""


def _apply(rule: TaskRule, text: str, regexes: Regexes) -> str:
    slashed = _SLASHED.fullmatch(rule.find)
    pattern, flags = (slashed[1], slashed[2]) if slashed else (rule.find, "g")
    room = max(_MOST_CHARACTERS, len(text)) - len(text)

    def replace(match: RegexMatch) -> str:
        nonlocal room
        written = expand(rule.replacement, match, text)
        room -= len(written) - len(match.text)
        if room < 0:
            raise _TooLong
        return written

    changed = regexes.compile(pattern, flags).replace(text, replace, _SECONDS).text
    for unwanted in rule.trimmed:
        changed = changed.replace(unwanted, "")
    return changed


def _rule(raw: Mapping[str, Any], place: int) -> TaskRule:
    source = raw["source"] if isinstance(raw.get("source"), Mapping) else {}
    destination = raw["destination"] if isinstance(raw.get("destination"), Mapping) else {}
    return TaskRule(
        id=_text(raw.get("id")) or f"local-{place + 1}",
        find=trim(_text(raw.get("find_regex")) or _text(raw.get("findRegex"))),
        replacement=_replacement(raw),
        trimmed=_trimmed(raw.get("trim_strings")),
        user=truthy(source.get("user_input", True)),
        reply=truthy(source.get("ai_output", True)),
        for_prompt=truthy(destination.get("prompt", True)),
    )


def _replacement(raw: Mapping[str, Any]) -> str:
    for name in ("replace_string", "replaceString"):
        if raw.get(name) is not None:
            return value_as_text(raw[name])
    return ""


def _trimmed(given: object) -> tuple[str, ...]:
    if isinstance(given, list):
        return tuple(filter(None, map(_text, given)))
    return tuple(filter(None, map(trim, given.split("\n")))) if isinstance(given, str) else ()


def _stages(given: object) -> dict[str, bool]:
    """Stages by their names of today; an old name fills in where the new one is not said."""
    if not isinstance(given, Mapping):
        return {}
    found = {name: truthy(value) for name, value in given.items() if name not in _OLD_STAGES}
    for old, name in _OLD_STAGES.items():
        if old in given and name not in given:
            found[name] = truthy(given[old])
    return found


def _likeness(raw: Mapping[str, Any], rule: TaskRule) -> str:
    """Two rules with the same one are alike."""
    destination = raw.get("destination")
    shown = isinstance(destination, Mapping) and truthy(destination.get("display"))
    trimmed = raw.get("trim_strings") if isinstance(raw.get("trim_strings"), (str, list)) else ""
    depths = _depth(raw.get("min_depth"), 0), _depth(raw.get("max_depth"), 9999)
    return repr((rule.find, rule.replacement, trimmed, rule.user, rule.reply, rule.for_prompt, shown, depths))


def _depth(value: object, default: float) -> float:
    found = number(value) if value is not None else 0
    return found if math.isfinite(found) else default


def _text(value: object) -> str:
    return value_as_text(value) if truthy(value) else ""


def _default(name: str, find: str) -> dict[str, Any]:
    return {"id": f"default-contamination-{name}", "find_regex": f"/{find}/gi"}


def _tag(name: str) -> str:
    """A tag with all that stands up to its end, or alone."""
    return rf"<{name}\b[^>]*>(?:[\s\S]*?<\/{name}>)?"


_DEFAULT_RULES: Final = (
    _default("thinking-blocks", r"<(think|thinking|analysis|reasoning)\b[^>]*>[\s\S]*?<\/\1>"),
    _default("choice-blocks", _tag("choice")),
    _default("updatevariable-tags", _tag("updatevariable")),
    _default("status-current-variable-tags", _tag("status_current_variable")),
    _default("status-placeholder-tags", r"<statusplaceholderimpl\b[^>]*>"),
)
"""What a global set without rules has: blocks of thinking, choices, and three marks of MVU."""
