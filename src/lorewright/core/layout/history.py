"""Filling the chat and the example dialogues into what the budget has left (spec prompt-assembly §5.4, §9)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lorewright.core.javascript import trim
from lorewright.core.layout.build import Build
from lorewright.core.layout.draft import Draft
from lorewright.core.layout.examples import example_messages
from lorewright.core.layout.preset import Names
from lorewright.core.layout.reasons import (
    BudgetSpent,
    Continued,
    KeepsTurns,
    NoMarker,
    NothingLeft,
    OlderThanBudget,
    OpensPart,
    Reminds,
    TooLong,
)
from lorewright.core.layout.strand import Source, Strand

__all__ = [
    "as_sent",
    "fill_examples",
    "fill_history",
    "filler_of",
    "numbered",
    "opening_of",
    "reminder_of",
    "sendable_name",
    "without_continued",
]

_NAME: Final = re.compile(r"[A-Za-z0-9_]{1,64}")
_LONGEST_NAME: Final = 64


def sendable_name(name: str) -> str:
    """A name as providers take it: other UTF-16 units are underscores, 64 at most."""
    if _NAME.fullmatch(name):
        return name
    units = re.sub("[\U00010000-\U0010ffff]", "__", name)
    return re.sub("[^A-Za-z0-9_]", "_", units)[:_LONGEST_NAME]


def fill_history(build: Build, chat: Sequence[Draft]) -> None:
    """Put as many of the newest messages as fit into the place of the chat; `chat` is newest first."""
    place = build.collection.place("chatHistory")
    if place is None:
        for draft in chat:
            build.desk.account.leave(draft.content, NoMarker("chatHistory"))
        return
    group = build.replace(place)
    opening = [opening_of(build)]
    build.reserve(opening)
    reminder = reminder_of(build)
    build.reserve(reminder)
    chat, nudge = without_continued(build, chat)
    build.reserve(nudge)
    if filler := filler_of(build, chat):
        build.insert(group, filler)
    _fill(build, group, chat)
    build.budget.free(opening)
    build.insert(group, opening, at=0)
    build.budget.free(reminder)
    build.insert(group, reminder)
    build.budget.free(nudge)
    if nudge:
        build.append(nudge, behind_all=not build.desk.defects.overwrites_nudge)


def opening_of(build: Build) -> Draft:
    """The line that opens the chat."""
    wording = build.preset.wording
    is_group = build.desk.scene.group is not None
    source = Source("setting", "new_group_chat" if is_group else "new_chat")
    text = wording.new_group_chat if is_group else wording.new_chat
    content = build.desk.pen.prepare(Strand.of(source, text))
    return Draft(id="newMainChat", role="system", content=content, why=OpensPart("chat"))


def reminder_of(build: Build) -> list[Draft]:
    """In groups: who shall reply."""
    nudge = build.collection.text("groupNudge")
    if build.desk.scene.group is None or build.desk.scene.trigger == "impersonate" or nudge is None:
        return []
    return [build.draft(nudge, Reminds())]


def without_continued(build: Build, chat: Sequence[Draft]) -> tuple[list[Draft], list[Draft]]:
    """The chat without the message that is to be continued; that message and the nudge behind it."""
    found = list(chat)
    if not build.stage.cycle or build.preset.continue_prefill:
        return found, []
    source, wording = Source("setting", "continue_nudge"), build.preset.wording
    cycle = {"lastChatMessage": trim(build.stage.cycle)}
    text = build.desk.pen.prepare(Strand.of(source, wording.continue_nudge), extra=cycle)
    nudge = []
    at = next((at for at, draft in enumerate(found) if not draft.injected), None)
    if at is not None:
        message = found.pop(at)
        nudge.append(message._replace(content=_rendered(build, message), why=Continued()))
    nudge.append(Draft(id="continueNudge", role="system", content=build.desk.pen.prepare(text), why=Continued()))
    return found, nudge


def filler_of(build: Build, chat: Sequence[Draft]) -> list[Draft]:
    """A message of the user's where the last one is the character's."""
    text, injections = build.preset.wording.send_if_empty, build.desk.defects.fills_behind_injections
    last = next((draft.role for draft in chat if injections or not draft.injected), "")
    if not text or last != "assistant":
        return []
    content = Strand.of(Source("setting", "send_if_empty"), text)
    if not build.desk.defects.sends_raw_filler:
        content = build.desk.pen.prepare(content)
    build.desk.account.offer(*content.sources)
    filler = [Draft(id="emptyUserMessageReplacement", role="user", content=content, why=KeepsTurns())]
    if build.budget.affords(filler):
        return filler
    build.desk.account.leave(content, TooLong(build.budget.cost(filler), build.budget.left_tokens))
    return []


def _fill(build: Build, group: list[Draft], chat: Sequence[Draft]) -> None:
    """From the newest to the oldest, until one does not fit."""
    paid, unpayable = _paid_first(build, chat)
    kept: list[Draft] = []
    is_full = False
    for at, draft in enumerate(chat):
        if at in paid:
            kept.append(paid[at])
        elif is_full and at not in unpayable:
            build.desk.account.leave(draft.content, OlderThanBudget())
        elif at not in unpayable:
            message = numbered(build, draft, len(chat) - at)
            cost, left = build.budget.costs.cost(message), build.budget.left_tokens
            is_full = cost > left
            if is_full:
                build.desk.account.leave(message.content, TooLong(cost, left))
            elif message.content.has_text:
                build.budget.left_tokens -= cost
                kept.append(message)
            else:
                build.desk.account.leave(message.content, NothingLeft())
    group[:0] = reversed(kept)


def _paid_first(build: Build, chat: Sequence[Draft]) -> tuple[dict[int, Draft], set[int]]:
    """In `native` the newest message and then all texts in the chat are paid before older messages: those that fit, and
    the places of those that do not."""
    paid: dict[int, Draft] = {}
    if build.desk.defects.stops_at_injections:
        return paid, set()
    newest = [at for at, draft in enumerate(chat) if not draft.injected][:1]
    first = newest + [at for at, draft in enumerate(chat) if draft.injected]
    for at in first:
        draft = numbered(build, chat[at], len(chat) - at)
        if build.pays([draft]):
            paid[at] = draft
    return paid, set(first) - paid.keys()


def numbered(build: Build, draft: Draft, number: int) -> Draft:
    """A message of the chat as it is sent, called after its number."""
    content, sent = _rendered(build, draft), as_sent(draft, number, build.preset.names)
    return sent if content is sent.content else sent._replace(content=content)


def as_sent(draft: Draft, number: int, names: Names) -> Draft:
    """The same without running any macros."""
    name = sendable_name(draft.speaker) if names == "completion" and draft.speaker else ""
    return draft._replace(id=f"chatHistory-{number}", name=name)


def _rendered(build: Build, draft: Draft) -> Strand:
    """The content with its macros replaced; in `native` a message of the chat is no template."""
    is_template = draft.injected or build.desk.defects.renders_messages
    return build.desk.pen.prepare(draft.content) if is_template else draft.content


def fill_examples(build: Build) -> None:
    """Put as many example dialogues as fit into their place, each behind its heading."""
    place = build.collection.place("dialogueExamples")
    if place is None:
        for block in build.stage.blocks:
            build.desk.account.leave(block, NoMarker("dialogueExamples"))
        return
    group = build.replace(place)
    source = Source("setting", "new_example")
    text = build.desk.pen.prepare(Strand.of(source, build.preset.wording.new_example))
    heading = Draft(id="newChat", role="system", content=text, why=OpensPart("examples"))
    is_full = False
    for number, block in enumerate(build.stage.blocks):
        turns = example_messages(block, number, build.desk.scene, build.desk.defects)
        drafts = [heading, *turns] if turns or build.desk.defects.opens_empty_examples else []
        if not turns:
            build.desk.account.leave(block, NothingLeft())
        elif is_full:
            build.desk.account.leave(block, BudgetSpent())
        is_full = is_full or not build.budget.affords(drafts)
        if not is_full:
            build.insert(group, drafts)
        elif turns:
            build.desk.account.leave(block, TooLong(build.budget.cost(drafts), build.budget.left_tokens))
