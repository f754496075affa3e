"""Filling the chat and the example dialogues into what the budget has left (spec prompt-assembly §5.4, §9)."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.core.javascript import trim
from lorewright.core.layout.build import Build
from lorewright.core.layout.draft import Draft
from lorewright.core.layout.examples import example_messages
from lorewright.core.layout.filling import fit
from lorewright.core.layout.numbering import rendered
from lorewright.core.layout.reasons import (
    BudgetSpent,
    Continued,
    KeepsTurns,
    NoMarker,
    NothingLeft,
    OpensPart,
    Reminds,
    TooLong,
)
from lorewright.core.layout.strand import Source, Strand

__all__ = [
    "fill_examples",
    "fill_history",
    "filler_of",
    "opening_of",
    "reminder_of",
    "without_continued",
]


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
    group[:0] = fit(build, chat)
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
        nudge.append(message._replace(content=rendered(build, message), why=Continued()))
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
