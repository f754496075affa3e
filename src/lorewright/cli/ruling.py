"""The answers about rules files: what one says, what is wrong with it, what it puts into a prompt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from lorewright.cli.files import about_file, read_text
from lorewright.cli.plain_json import report_object
from lorewright.cli.screen import Screen, count
from lorewright.core.javascript import number_text
from lorewright.core.model import Message, Report, Turn
from lorewright.core.protocols import Tools
from lorewright.core.system_prompt import Context, Prompt, Section
from lorewright.formats.read import read_chat
from lorewright.rules import Injection, Rule, Ruleset, inject, read_rules
from lorewright.rules.injection import arrange
from lorewright.toolbox import make_tools

__all__ = [
    "Rendering",
    "read_ruleset",
    "render_rules",
    "rendering_object",
    "ruleset_object",
    "show_rendering",
    "show_ruleset",
]


@dataclass(frozen=True, slots=True, eq=False)
class Rendering:
    """What the rules of a file put into the next request of a chat."""

    turn: Turn
    ruleset: Ruleset
    injection: Injection
    prompt: Prompt
    reports: tuple[Report, ...]

    def changed(self) -> list[Message]:
        """The user's messages in which something was replaced."""
        pairs = zip(self.turn.messages, self.injection.messages, strict=True)
        return [after for before, after in pairs if after.text != before.text]

    def idle(self) -> list[tuple[Rule, str]]:
        """The rules that are not active, each with the reason as a sentence."""
        active = set(self.injection.active)
        trace = self.injection.assembly.trace
        return [
            (rule, trace.why(f"{self.ruleset.name}.{rule.id}").reason.sentence)
            for rule in self.ruleset.rules
            if rule not in active
        ]


def read_ruleset(path: str, tools: Tools | None = None) -> Ruleset:
    """The rules of a file.

    Raises:
        InputError: the file cannot be read, or holds no rules.
    """
    text = read_text(path)
    with about_file(path):
        return read_rules(text, (tools or make_tools()).regexes, Path(path).stem)


def render_rules(path: str, chat: str, session: str, number: int | None) -> Rendering:
    """Evaluate the rules of a file for the next request of a chat.

    Raises:
        InputError: a file cannot be used.
    """
    tools = make_tools()
    ruleset = read_ruleset(path, tools)
    with about_file(chat, "chat"):
        read = read_chat(chat)
    turn = Turn(messages=read.value.messages, session=session, number=number)
    injection = inject(turn, ruleset, tools)
    told = (replace(report, message=f"Chat: {report.message}") for report in read.reports)
    arranged = arrange(injection)
    reports = (*told, *ruleset.reports, *injection.reports, *arranged.reports)
    return Rendering(turn, ruleset, injection, arranged.prompt, reports)


def ruleset_object(ruleset: Ruleset) -> dict[str, object]:
    """All rules in the order of their file, with what is computed of each."""
    return {
        "entries": ruleset.found,
        "cacheSafe": ruleset.cache_safe,
        "declaredChannel": ruleset.counts("declared"),
        "byChannel": ruleset.counts("effective"),
        "cacheRouted": len(ruleset.rerouted),
        "rules": [
            {
                "id": rule.id,
                "name": rule.name,
                "enabled": rule.is_enabled,
                "mode": rule.mode,
                "layer": rule.layer,
                "channel": rule.route.declared,
                "effectiveChannel": rule.route.effective,
                "sortKey": rule.sort_key,
                "badge": rule.route.badge,
            }
            for rule in ruleset.rules
        ],
        "reports": [report_object(report) for report in ruleset.reports],
    }


def show_ruleset(ruleset: Ruleset, screen: Screen) -> None:
    """The rules in the order of their sections."""
    screen.line(f"{count(ruleset.found, 'entry')}, {len(ruleset.rules)} loaded, {len(ruleset.enabled)} switched on")
    ordered = sorted(ruleset.rules, key=lambda rule: rule.sort_key)
    screen.table(("id", "layer", "order", "chance", "mode", "channel"), map(_row, ordered))
    screen.reports(ruleset.reports)


def _row(rule: Rule) -> list[str]:
    layer = rule.layer if isinstance(rule.layer, str) else ""
    channel = f"{rule.route.effective} (rerouted)" if rule.route.is_rerouted else rule.route.effective
    off = "" if rule.is_enabled else " (off)"
    return [
        rule.id + off,
        layer,
        number_text(rule.sort_key[0]),
        "" if rule.probability >= 100 else f"{number_text(rule.probability)} %",
        rule.mode,
        channel,
    ]


def rendering_object(done: Rendering) -> dict[str, object]:
    return {
        "active": [rule.id for rule in done.injection.active],
        "sections": [_part(one) for one in done.prompt.sections],
        "contexts": [_part(one) for one in done.prompt.contexts],
        "changedMessages": [message.text for message in done.changed()],
        "idle": [{"id": rule.id, "reason": sentence} for rule, sentence in done.idle()],
        "reports": [report_object(report) for report in done.reports],
    }


def _part(one: Section | Context) -> dict[str, object]:
    return {"name": one.name, "order": one.order, "text": one.text}


def show_rendering(done: Rendering, screen: Screen) -> None:
    for where, parts in (
        ("System prompt", done.prompt.sections),
        ("Behind the conversation", done.prompt.contexts),
    ):
        for one in parts:
            screen.heading(f"{where}: {one.name} ({number_text(one.order)})")
            screen.text(one.text)
    if not done.prompt.sections and not done.prompt.contexts:
        screen.line("No entry puts in a text.")
    for message in done.changed():
        screen.heading("The user's message, changed")
        screen.text(message.text)
    _show_idle(done.idle(), screen)
    screen.reports(done.reports)


def _show_idle(idle: Iterable[tuple[Rule, str]], screen: Screen) -> None:
    listed = list(idle)
    if listed:
        screen.heading("Not active")
    for rule, sentence in listed:
        screen.line(f"{rule.id}: {sentence}")
