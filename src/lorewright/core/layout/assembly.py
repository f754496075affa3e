"""Putting the prompt together: every text into its place, in the order in which tokens are spent (spec §7)."""

from __future__ import annotations

from typing import Final

from lorewright.core.javascript import trim
from lorewright.core.layout.build import Build
from lorewright.core.layout.chat import speak
from lorewright.core.layout.collection import KNOWN_EXTENSIONS, Item
from lorewright.core.layout.depths import insert_at_depths
from lorewright.core.layout.draft import Draft
from lorewright.core.layout.history import fill_examples, fill_history
from lorewright.core.layout.numbering import sendable_name
from lorewright.core.layout.reasons import (
    AsksForReply,
    BesideMain,
    Continued,
    NoMain,
    NoPlace,
    NothingLeft,
    SwitchedOff,
)
from lorewright.core.layout.spread import Spread, fill_spread
from lorewright.core.layout.stock import STOCK_PROMPTS
from lorewright.core.layout.strand import Source, Strand

__all__ = ["assemble_prompt"]

_FIRST: Final = (
    "worldInfoBefore",
    "main",
    "worldInfoAfter",
    "charDescription",
    "charPersonality",
    "scenario",
    "personaDescription",
)
_STOCK: Final = frozenset(prompt.id for prompt in STOCK_PROMPTS)
_REPLY_TOKENS: Final = 3
"""What every request costs besides its messages."""
_TOP: Final = -1
"""A place before all others."""


def assemble_prompt(build: Build, spread: Spread | None = None) -> None:
    """Fill the slots of a build; `spread`: the chat is laid out so that it stands.

    Raises:
        Overflow: something does not fit, and the defects say that this ends everything.
        NeedsRoom: what stands does not fit any more.
    """
    build.budget.left_tokens -= _REPLY_TOKENS
    for name in _FIRST:
        _place(build, build.collection.place(name))
    control = _control(build)
    build.reserve(control)
    for name in ("nsfw", "jailbreak"):
        _place(build, build.collection.place(name))
    _place_users_prompts(build)
    _place(build, build.collection.place("enhanceDefinitions"))
    if trim(build.stage.bias.text):
        _place(build, build.collection.place("bias"))
    else:
        build.desk.account.leave(build.stage.bias, NothingLeft())
    in_chat = [item for item in build.collection.items if item.in_chat]
    for item in _beside_main(build):
        _place_beside(build, item, in_chat)
    chat = speak(build.desk, build.stage.lines, build.preset.names)
    if build.desk.scene.trigger == "continue" and build.preset.continue_prefill and chat:
        prefill = _prefill(build, chat.pop(0))
        build.reserve([prefill])
        control.append(prefill)
    if build.desk.scene.preferences.pin_examples:
        _fill_examples(build)
    if spread is None:
        fill_history(build, insert_at_depths(build.desk, chat, in_chat, build.stage.insertions))
    else:
        fill_spread(build, spread, chat, in_chat)
    if not build.desk.scene.preferences.pin_examples:
        _fill_examples(build)
    build.budget.free(control)
    if control:
        build.append(control, behind_all=spread is not None)


def _fill_examples(build: Build) -> None:
    if build.collection.place("dialogueExamples") not in build.done:
        fill_examples(build)


def _place(build: Build, place: int | None) -> None:
    """Put an item into its own place, unless it is switched off, stands in the chat, or is there already."""
    if place is None or place in build.done:
        return
    item = build.collection.items[place]
    if build.lineup.is_off(item.id) and item.id != "main":
        build.desk.account.leave(item.content, SwitchedOff(item.id))
    elif not item.in_chat:
        build.put(place, [build.draft(item)])


def _place_users_prompts(build: Build) -> None:
    seen: set[str] = set()
    for item in build.collection.items:
        repeats = item.id in seen or item.id in _STOCK
        if item.in_chat or item.of_program or (repeats and not build.desk.defects.charges_repeated_prompts):
            continue
        if item.of_user or not (build.desk.defects.loses_unmarked_prompts or item.id in _STOCK):
            _place(build, build.collection.place(item.id))
        elif item.id not in _STOCK:
            build.desk.account.leave(item.content, NoPlace(item.id))
        seen.add(item.id)


def _beside_main(build: Build) -> list[Item]:
    """The texts beside the main prompt: known ones in their order, then the others."""
    known = [build.collection.text(name) for name in KNOWN_EXTENSIONS]
    items = [item for item in known if item] + [item for item in build.collection.items if item.extension]
    twice = build.desk.defects.repeats_relative_texts
    return [item for item in items if item.beside and (twice or not item.in_chat)]


def _place_beside(build: Build, item: Item, in_chat: list[Item]) -> None:
    assert item.beside is not None
    draft = [build.draft(item, BesideMain(item.beside))]
    place = build.collection.place("main")
    main = None if place is None else build.collection.items[place]
    if place is not None and main is not None and not main.in_chat:
        build.insert(build.slots.at(place), draft, at=0 if item.beside == "start" else None)
    elif main is not None:
        at = next(at for at, other in enumerate(in_chat) if other.id == "main") + (item.beside == "end")
        in_chat.insert(at, item._replace(role=main.role, depth=main.depth, order=main.order, in_chat=True))
    elif build.desk.defects.loses_texts_without_main:
        build.desk.account.leave(item.content, NoMain())
    else:
        build.insert(build.slots.at(_TOP), draft, at=0 if item.beside == "start" else None)


def _control(build: Build) -> list[Draft]:
    """What asks for this type of reply."""
    found = []
    impersonate = build.collection.text("impersonate")
    quiet = build.collection.text("quietPrompt")
    if impersonate and build.desk.scene.trigger == "impersonate":
        found.append(build.draft(impersonate, AsksForReply()))
    if quiet and quiet.content.text:
        found.append(build.draft(quiet, AsksForReply()))
    return found


def _prefill(build: Build, message: Draft) -> Draft:
    """The message that is to be continued as the last one of the prompt."""
    content = message.content
    if message.role == "assistant" and build.preset.source == "claude":
        source = Source("setting", "assistant_prefill")
        prefill = build.desk.pen.prepare(Strand.of(source, build.preset.wording.assistant_prefill))
        if prefill.text:
            gap = Strand.of(source, "\n\n" if content.text else "")
            content = (prefill + gap + content).merged()
    name = sendable_name(message.speaker) if build.preset.names == "completion" and message.speaker else ""
    return message._replace(id="continuePrefill", content=content, name=name, why=Continued())
