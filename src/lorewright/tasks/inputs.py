"""The context of a task, cleaned: MVU out, then the task's own regex rules (spec mvu-filter §9).

It is cleaned on both runways: what is a matter of the filter are books.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from lorewright.core.protocols import Regexes
from lorewright.tasks.fields import FieldLog, Speech, clean_field
from lorewright.tasks.host_rules import HostRules
from lorewright.tasks.messages import INPUT_FIELDS, REGEX_SOURCES
from lorewright.tasks.regexes import Allowance, RuleEvent, TaskRules, apply_rules
from lorewright.templates.bme import shown_in_block
from lorewright.templates.transcript import read_said, read_said_list

__all__ = ["CleanInputs", "clean_inputs"]

_STAGES: Final = {
    "userMessage": "input.userMessage",
    **dict.fromkeys(("recentMessages", "chatMessages", "dialogueText"), "input.recentMessages"),
    **dict.fromkeys(
        (
            "candidateText",
            "candidateNodes",
            "nodeContent",
            "eventSummary",
            "characterSummary",
            "threadSummary",
            "contradictionSummary",
        ),
        "input.candidateText",
    ),
}
_ROLES: Final = {
    "userMessage": "user",
    **dict.fromkeys(("recentMessages", "chatMessages", "dialogueText"), "mixed"),
}
_TRANSCRIPTS: Final = ("recentMessages", "dialogueText")


@dataclass(slots=True)
class CleanInputs:
    """The context, what was taken out of it, and what rules did."""

    context: dict[str, Any]
    log: FieldLog = field(default_factory=FieldLog)
    events: list[RuleEvent] = field(default_factory=list)


def clean_inputs(context: Mapping[str, Any], rules: TaskRules, host: HostRules) -> CleanInputs:
    """The context with its input fields cleaned: MVU, then the host's scripts, then the task's rules. Everything else is
    as it was.

    A transcript that is given as a text is written anew from the list of messages, where there is one.
    """
    cleaned = CleanInputs(dict(context))
    messages = context.get("chatMessages")
    for name in INPUT_FIELDS:
        if name not in context:
            continue
        value = context[name]
        from_messages = name in _TRANSCRIPTS and isinstance(value, str) and read_said_list(messages) is not None
        given = messages if from_messages else value
        speech = Speech(REGEX_SOURCES[name], _ROLES.get(name, "system"))
        found = clean_field(given, name, cleaned.log, host=host, speech=speech)
        kept = _nothing(given) if found.omit else found.value
        if name in _STAGES:
            writer = _Rules(rules, _STAGES[name], host.regexes, cleaned.events, host.allowance)
            kept = writer.write(kept, _ROLES.get(name, "system"))
        cleaned.context[name] = shown_in_block(kept) if from_messages else kept
    return cleaned


def _nothing(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return []
    return "" if isinstance(value, str) else None


@dataclass(slots=True)
class _Rules:
    """The rules of one stage, for values of any shape."""

    rules: TaskRules
    stage: str
    regexes: Regexes
    events: list[RuleEvent]
    allowance: Allowance

    def write(self, value: Any, role: str) -> Any:
        """The value with its texts changed; of a message only what was said, by the role of who said it."""
        if isinstance(value, str):
            text, events = apply_rules(self.rules, value, self.stage, role, self.regexes, self.allowance)
            self.events += events
            return text
        if isinstance(value, (list, tuple)):
            return [self.write(item, role) for item in value]
        if isinstance(value, Mapping):
            said = read_said(value)
            if said:
                return {**value, said.key: self.write(value[said.key], said.role)}
            return {key: self.write(held, role) for key, held in value.items()}
        return value
