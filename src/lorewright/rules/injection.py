"""One step of an agent: what the rules put into the system prompt, the conversation's end, and the user's message."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from lorewright.core.draw import HashDraw
from lorewright.core.engine import Assembly, assemble
from lorewright.core.model import Message, Report, State, Turn
from lorewright.core.protocols import Regexes, Tools
from lorewright.core.replaces import Allowance, Replace, apply_replaces
from lorewright.core.system_prompt import (
    SNAPSHOT_HEADER,
    Context,
    Prompt,
    PromptParts,
    Section,
    assemble_prompt,
    render_prompt,
    render_snapshot,
)
from lorewright.rules.rule import Rule
from lorewright.rules.ruleset import PLAIN, Ruleset

__all__ = [
    "Arranged",
    "Composed",
    "Injection",
    "RuleDraw",
    "arrange",
    "compose",
    "conversation",
    "inject",
    "is_snapshot",
]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Injection:
    """What the rules say for one step.

    active: the rules that are, in the order of their sections. sections, contexts: their texts, for the host to put
    among its own. messages: the client's messages, the newest ones of the user with replacements made. changes: what
    the rules replace in every section of the assembled prompt, and left: what that may use. assembly: the trace says
    why a rule is active or not.
    """

    active: tuple[Rule, ...]
    sections: tuple[Section, ...]
    contexts: tuple[Context, ...]
    messages: tuple[Message, ...]
    changes: tuple[tuple[Rule, tuple[Replace, ...]], ...]
    left: Allowance
    assembly: Assembly
    regexes: Regexes
    reports: tuple[Report, ...]


class RuleDraw:
    """Draws by the rule's own id and salt: for its session in the system prompt, for each turn at the end (§8.4)."""

    def __init__(self, rules: Iterable[Rule], book: str, session: str, turn: int) -> None:
        self._rules = {f"{book}.{rule.id}": rule for rule in rules}
        self._session = session
        self._turn = turn

    def number(self, entry: str, purpose: str, index: int) -> float:
        """See `Draw.number`."""
        rule = self._rules[entry]
        turn = "session" if rule.route.effective == "system" else self._turn
        return HashDraw(self._session, turn, rule.seed_salt).number(rule.id, purpose, index)


def inject(turn: Turn, ruleset: Ruleset, tools: Tools) -> Injection:
    """Decide which rules are active, and what they say.

    Scanned are the real messages of user and assistant, as they are before anything is injected. Pure: the same turn
    and rules give the same injection. Without `turn.number` the turn is the number of the user's messages.
    """
    real = conversation(turn.messages)
    number = sum(message.role == "user" for message in real) if turn.number is None else turn.number
    assembly = assemble(
        Turn(messages=real, session=turn.session, number=number, context_tokens=turn.context_tokens),
        ruleset.lore,
        State(),
        replace(tools, renderer=PLAIN, draw=RuleDraw(ruleset.rules, ruleset.name, turn.session, number)),
    )
    chosen = {item.entry.entry.uid for item in assembly.activated}
    active = tuple(sorted((rule for rule in ruleset.rules if rule.id in chosen), key=lambda rule: rule.sort_key))
    writer = _Writer(ruleset.name, tools.regexes, Allowance(ruleset.lore.policy.settings.replace_seconds))
    texts = [(rule, writer.change(rule.content, rule, rule.replaces_in("content"))) for rule in active]
    messages = tuple(_change_newest(turn.messages, active, writer))
    return Injection(
        active=active,
        sections=tuple(rule.section(text) for rule, text in texts if text and rule.route.effective == "system"),
        contexts=tuple(
            sorted(
                (rule.context(text) for rule, text in texts if text and rule.route.effective == "message"),
                key=lambda context: context.order,
            )
        ),
        messages=messages,
        changes=tuple((rule, found) for rule in active if (found := rule.replaces_in("system"))),
        left=writer.left,
        assembly=assembly,
        regexes=tools.regexes,
        reports=(*assembly.reports, *writer.reports),
    )


def conversation(messages: Iterable[Message]) -> tuple[Message, ...]:
    """What user and assistant have said: no hidden messages, no tools, and no snapshots of ours."""
    return tuple(
        message
        for message in messages
        if message.role in {"user", "assistant"} and not message.hidden and not is_snapshot(message)
    )


def is_snapshot(message: Message) -> bool:
    """Whether a message is one that `compose` has put into a conversation, perhaps in an earlier turn."""
    return message.text.startswith(SNAPSHOT_HEADER)


class Arranged(NamedTuple):
    """A prompt in order, and what there is to say about the replacements in it."""

    prompt: Prompt
    reports: tuple[Report, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """A request: the system prompt, and the messages with the snapshot at their end if it is a new one."""

    system: str
    messages: tuple[Message, ...]
    prompt: Prompt
    reports: tuple[Report, ...] = ()


def arrange(injection: Injection, parts: PromptParts | None = None) -> Arranged:
    """An injection among a host's own parts, in order, with the replacements of the target `system` made in every
    section. Variables are not filled in yet.

    Raises:
        PromptError: the parts do not fit together.
    """
    parts = parts or PromptParts(is_identified=False)
    parts = replace(
        parts,
        sections=(*parts.sections, *injection.sections),
        contexts=(*parts.contexts, *injection.contexts),
    )
    writer = _Writer(injection.assembly.trace.lore.books[0].book.name, injection.regexes, injection.left)

    def change(prompt: Prompt) -> Prompt:
        sections = list(prompt.sections)
        for rule, found in injection.changes:
            sections = [replace(section, text=writer.change(section.text, rule, found)) for section in sections]
        return replace(prompt, sections=tuple(sections))

    return Arranged(assemble_prompt(parts, [change]), tuple(writer.reports))


def compose(injection: Injection, parts: PromptParts | None = None) -> Composed:
    """The request that a host makes of its own parts and an injection.

    A snapshot that says what the newest one in the conversation says is not repeated.

    Raises:
        PromptError: the parts do not fit together, or a text refers to a variable that has no value.
    """
    prompt, reports = arrange(injection, parts)
    snapshot = render_snapshot(prompt.contexts, prompt.variables)
    retained = next((message.text for message in reversed(injection.messages) if is_snapshot(message)), "")
    added = (Message("lorewright", snapshot, "user", hidden=True),) if snapshot and snapshot != retained else ()
    return Composed(
        system=render_prompt(prompt.sections, prompt.variables),
        messages=(*injection.messages, *added),
        prompt=prompt,
        reports=reports,
    )


class _Writer:
    """Makes replacements within what they may use together, and reports those that are given up."""

    def __init__(self, book: str, regexes: Regexes, left: Allowance) -> None:
        self.book = book
        self.regexes = regexes
        self.left = left
        self.reports: list[Report] = []

    def change(self, text: str, rule: Rule, found: Sequence[Replace]) -> str:
        if not found:
            return text
        done = apply_replaces(text, found, self.regexes, self.left)
        self.left = done.left
        self.reports += [one.report(self.book, rule.id) for one in done.given_up]
        return done.text


def _change_newest(messages: Sequence[Message], active: Iterable[Rule], writer: _Writer) -> Iterable[Message]:
    """The messages, with replacements in those of the user that no reply has followed yet."""
    changes = [(rule, found) for rule in active if (found := rule.replaces_in("user"))]
    answered = max((place for place, message in enumerate(messages) if message.role == "assistant"), default=-1)
    for place, message in enumerate(messages):
        text = message.text
        if place > answered and message.role == "user" and conversation((message,)):
            for rule, replaces in changes:
                text = writer.change(text, rule, replaces)
        yield message if text == message.text else replace(message, text=text)
