"""The prompts that take part, with the texts that their markers stand for (spec prompt-assembly §4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from lorewright.core.javascript import trim
from lorewright.core.layout.desk import Desk
from lorewright.core.layout.insertions import ROLES, Insertion
from lorewright.core.layout.preset import Preset
from lorewright.core.layout.reasons import (
    Appended,
    ForOtherReplies,
    NotAllowed,
    NothingLeft,
    NotInOrder,
    NotReplaceable,
    ReplacedBy,
    ReservedKey,
    Stands,
    SwitchedOff,
)
from lorewright.core.layout.scene import Beside
from lorewright.core.layout.stage import Stage
from lorewright.core.layout.stock import MARKERS, Lineup, Step
from lorewright.core.layout.strand import Source, Strand
from lorewright.core.model import ABSENT, Field

__all__ = ["KNOWN_EXTENSIONS", "Collection", "Item", "collect"]

KNOWN_EXTENSIONS: Final = ("summary", "authorsNote", "vectorsMemory", "vectorsDataBank", "smartContext")
_KNOWN_KEYS: Final = dict(
    zip(
        ("1_memory", "2_floating_prompt", "3_vectors", "4_vectors_data_bank", "chromadb"), KNOWN_EXTENSIONS, strict=True
    )
)
_ALWAYS_SYSTEM: Final = ("vectorsMemory", "smartContext")
_NEVER_RELATIVE: Final = ("PERSONA_DESCRIPTION", "QUIET_PROMPT", "DEPTH_PROMPT")
_NO_LETTER: Final = re.compile(r"[^A-Za-z0-9_]")


class Item(NamedTuple):
    """A prompt of the collection.

    of_user: it stands where the order has it. of_program: its text is none of the preset's prompts. beside: it stands
    beside the main prompt; extension: it was injected under a key that is not known.
    """

    id: str
    content: Strand
    why: Stands
    role: str | None = "system"
    of_user: bool = False
    of_program: bool = False
    in_chat: bool = False
    depth: Field[float] = ABSENT
    order: Field[float] = ABSENT
    fixed: bool = False
    beside: Beside | None = None
    extension: bool = False


class Collection:
    """Items in their order; of several with one id the first is found. `overridden`: prompts that the card replaced."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.overridden: list[str] = []
        self._places: dict[str, int] = {}
        self._texts: dict[str, int] = {}

    def append(self, item: Item) -> None:
        """Put an item behind the others."""
        self.items.append(item)
        self._know(item, len(self.items) - 1)

    def replace(self, place: int, item: Item) -> None:
        """Put an item into the place of another one with its id."""
        self.items[place] = item
        self._know(item, place)

    def _know(self, item: Item, place: int) -> None:
        self._places.setdefault(item.id, place)
        if item.of_program:
            self._texts.setdefault(item.id, place)

    def place(self, prompt: str) -> int | None:
        """The place of a prompt."""
        return self._places.get(prompt)

    def text(self, name: str) -> Item | None:
        """A text that is none of the preset's prompts."""
        place = self._texts.get(name)
        return None if place is None else self.items[place]


def collect(desk: Desk, preset: Preset, lineup: Lineup, stage: Stage) -> Collection:
    """Walk the order, put the texts into their markers, and let the card replace what it may."""
    contents = list(_contents(desk, preset, stage))
    collection = Collection()
    _note_prompts(desk, lineup)
    _walk(desk, collection, lineup)
    for content in contents:
        _merge(desk, collection, content, lineup)
    _override(desk, collection, lineup, "main", stage.fields.system_prompt)
    _override(desk, collection, lineup, "jailbreak", stage.fields.post_history)
    return collection


# -- texts that are not the preset's -----------------------------------------------------------------------------------


def _contents(desk: Desk, preset: Preset, stage: Stage) -> Iterator[Item]:
    """The texts in the order in which they are prepared and, without a place of their own, appended."""
    wording, fields, persona, pen = preset.wording, stage.fields, desk.scene.persona, desk.pen
    scenario = _formatted(desk, fields.scenario, "scenario", wording.scenario_format)
    personality = _formatted(desk, fields.personality, "personality", wording.personality_format)
    nudge = pen.prepare(Strand.of(Source("setting", "group_nudge"), wording.group_nudge))
    impersonation = pen.prepare(Strand.of(Source("setting", "impersonation"), wording.impersonation))
    yield _content("worldInfoBefore", _lore(desk, stage.before, wording.lore_format))
    yield _content("worldInfoAfter", _lore(desk, stage.after, wording.lore_format))
    yield _content("charDescription", fields.description)
    yield _content("charPersonality", personality)
    yield _content("scenario", scenario)
    yield _content("impersonate", impersonation)
    yield _content("quietPrompt", stage.quiet)
    yield _content("groupNudge", nudge)
    yield _content("bias", stage.bias, "assistant")
    for key, name in _KNOWN_KEYS.items():
        known = stage.insertions.get(key)
        if known is not None and known.text.text:
            yield _relative(name, known, "system" if name in _ALWAYS_SYSTEM else known.role)
    if persona.position == "prompt" and persona.text:
        yield _content("personaDescription", Strand.of(Source("persona", "persona"), persona.text))
    for key, other in stage.insertions.in_key_order():
        if key in _KNOWN_KEYS or not other.text.text or _beside(other) is None:
            continue
        if key in _NEVER_RELATIVE:
            desk.account.leave(other.text, ReservedKey(key))
        elif other.allowed:
            yield _relative(_NO_LETTER.sub("_", key), other, other.role)._replace(extension=True)
        else:
            desk.account.leave(other.text, NotAllowed())


def _content(name: str, text: Strand, role: str = "system") -> Item:
    return Item(id=name, content=text, why=Appended(name), role=role, of_program=True)


def _relative(name: str, insertion: Insertion, role: str) -> Item:
    return _content(name, insertion.text, role if role in ROLES else "system")._replace(beside=_beside(insertion))


def _beside(insertion: Insertion) -> Beside | None:
    return insertion.position if insertion.position in ("start", "end") else None


def _formatted(desk: Desk, field: Strand, name: str, format_: str) -> Strand:
    """A field of the card in the preset's format, which asks for it by a macro."""
    if not field.text or not format_:
        return field
    source = Source("setting", f"{name}_format")
    text = desk.pen.prepare_format(Strand.of(source, format_), name, field.text)
    desk.account.leave(field, ReplacedBy(*source))
    return text.holding(field) if name in format_.lower() else text


def _lore(desk: Desk, texts: Strand, format_: str) -> Strand:
    """Lore in the preset's format; each `{0}` is the lore."""
    has_place = "{0}" in format_
    if not texts.text or not trim(format_) or not (has_place or desk.defects.replaces_lore_by_format):
        return texts
    source = Source("setting", "lore_format")
    if not has_place:
        desk.account.leave(texts, ReplacedBy(*source))
    first, *others = (Strand.of(source, part) for part in format_.split("{0}"))
    for other in others:
        first = first + texts + other
    return Strand(tuple(bit for bit in first.bits if bit.text))


# -- the prompts -------------------------------------------------------------------------------------------------------


def _note_prompts(desk: Desk, lineup: Lineup) -> None:
    """Note the prompts, and of those that the order does not name, and of later ones with a known id, that they are left
    out."""
    desk.account.offer(*lineup.offered)
    for source, reason in lineup.unlisted:
        desk.account.leave(source, reason)


def _walk(desk: Desk, collection: Collection, lineup: Lineup) -> None:
    """Take the prompts that the order has on and that are for this type of reply. A main prompt that takes no part
    leaves its place."""
    trigger = desk.scene.trigger
    for step in lineup.steps:
        prompt = step.prompt
        if not step.enabled:
            desk.account.leave(step.source, SwitchedOff(prompt.id))
        elif prompt.triggers and trigger not in prompt.triggers:
            desk.account.leave(step.source, ForOtherReplies(trigger, prompt.triggers))
        else:
            collection.append(_item(step, desk.pen.prepare(step.content)))
            continue
        if prompt.id == "main":
            collection.append(_item(step, step.content.slice(0, 0)))


def _item(step: Step, content: Strand) -> Item:
    prompt = step.prompt
    return Item(
        id=prompt.id,
        content=content,
        why=step.why,
        role=prompt.role,
        of_user=prompt.of_user,
        in_chat=prompt.in_chat,
        depth=prompt.depth,
        order=prompt.order,
        fixed=prompt.fixed,
    )


def _merge(desk: Desk, collection: Collection, content: Item, lineup: Lineup) -> None:
    """Put a text into the place of the prompt with its id, or append it."""
    name, text = content.id, content.content
    place = collection.place(name)
    if place is None and name in MARKERS and not desk.defects.appends_unlisted_markers and not lineup.is_off(name):
        for_others = ForOtherReplies(desk.scene.trigger, lineup.prompts[name].triggers)
        desk.account.leave(text, for_others if lineup.names(name) else NotInOrder(name))
    elif place is None or not (name in MARKERS or desk.defects.takes_over_ids):
        collection.append(content._replace(content=desk.pen.prepare(text)))
    else:
        item = collection.items[place]
        by = text.sources[0] if text.bits else Source("setting", name)
        desk.account.leave(item.content, ReplacedBy(*by))
        merged = content._replace(
            content=desk.pen.prepare(text),
            why=item.why,
            role=content.role if item.role is None else item.role,
            in_chat=item.in_chat,
            depth=item.depth,
            order=item.order,
        )
        collection.replace(place, merged)


def _override(desk: Desk, collection: Collection, lineup: Lineup, name: str, text: Strand) -> None:
    """Let the card replace a prompt; `{{original}}` is the text that it replaces."""
    if not text.text:
        return
    place = collection.place(name)
    if place is None or lineup.is_off(name) or collection.items[place].fixed:
        because = "missing" if place is None else "off" if lineup.is_off(name) else "fixed"
        desk.account.leave(text, NotReplaceable(name, because))
        return
    prompt = collection.items[place]
    own = prompt.content
    content = desk.pen.prepare(text, original=own.text).holding(own)
    desk.account.leave(own, ReplacedBy(*text.sources[0]))
    if not content.text:
        desk.account.leave(content, NothingLeft())
    collection.replace(place, prompt._replace(content=content))
    collection.overridden.append(name)
