"""The prompts that take part, with the texts that their markers stand for (spec prompt-assembly §4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from lorewright.core.javascript import trim
from lorewright.core.layout.account import Account
from lorewright.core.layout.defects import Defects
from lorewright.core.layout.insertions import ROLES, Insertion
from lorewright.core.layout.pen import Pen
from lorewright.core.layout.preset import Preset, Prompt
from lorewright.core.layout.reasons import (
    Appended,
    ForOtherReplies,
    InOrder,
    NotAllowed,
    NothingLeft,
    NotInOrder,
    NotReplaceable,
    ReplacedBy,
    ReservedKey,
    Stands,
    SwitchedOff,
)
from lorewright.core.layout.scene import Beside, Scene
from lorewright.core.layout.stage import Stage
from lorewright.core.layout.stock import MARKERS, STOCK_PROMPTS, Lineup
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
_STOCK: Final = frozenset(prompt.id for prompt in STOCK_PROMPTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A prompt of the collection.

    of_user: it stands where the order has it. of_program: its text is none of the preset's prompts. beside: it stands beside the main prompt; extension: it was injected under
    a key that is not known.
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


@dataclass(slots=True)
class Collection:
    """Items in their order; of several with one id the first is found. `overridden`: prompts that the card replaced."""

    items: list[Item] = field(default_factory=list)
    overridden: list[str] = field(default_factory=list)

    def place(self, prompt: str) -> int | None:
        """The place of a prompt."""
        return next((at for at, item in enumerate(self.items) if item.id == prompt), None)

    def text(self, name: str) -> Item | None:
        """A text that is none of the preset's prompts."""
        return next((item for item in self.items if item.id == name and item.of_program), None)


def collect(
    scene: Scene, preset: Preset, lineup: Lineup, stage: Stage, pen: Pen, account: Account, defects: Defects
) -> Collection:
    """Walk the order, put the texts into their markers, and let the card replace what it may."""
    contents = list(_contents(scene, preset, stage, pen, account, defects))
    collection = Collection()
    _walk(collection, scene, preset, lineup, pen, account)
    for content in contents:
        _merge(collection, content, scene, lineup, pen, account, defects)
    _override(collection, "main", stage.fields.system_prompt, lineup, pen, account)
    _override(collection, "jailbreak", stage.fields.post_history, lineup, pen, account)
    return collection


# -- texts that are not the preset's -----------------------------------------------------------------------------------


def _contents(
    scene: Scene, preset: Preset, stage: Stage, pen: Pen, account: Account, defects: Defects
) -> Iterator[Item]:
    """The texts in the order in which they are prepared and, without a place of their own, appended."""
    wording, fields = preset.wording, stage.fields
    scenario = _formatted(fields.scenario, "scenario", wording.scenario_format, pen, account)
    personality = _formatted(fields.personality, "personality", wording.personality_format, pen, account)
    nudge = pen.prepare(Strand.of(Source("setting", "group_nudge"), wording.group_nudge))
    impersonation = pen.prepare(Strand.of(Source("setting", "impersonation"), wording.impersonation))
    yield _content("worldInfoBefore", _lore(stage.before, wording.lore_format, account, defects))
    yield _content("worldInfoAfter", _lore(stage.after, wording.lore_format, account, defects))
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
    if scene.persona.position == "prompt" and scene.persona.text:
        yield _content("personaDescription", Strand.of(Source("persona", "persona"), scene.persona.text))
    for key, other in stage.insertions.in_key_order():
        if key in _KNOWN_KEYS or not other.text.text or _beside(other) is None:
            continue
        if key in _NEVER_RELATIVE:
            account.leave(other.text, ReservedKey(key))
        elif other.allowed:
            yield replace(_relative(_NO_LETTER.sub("_", key), other, other.role), extension=True)
        else:
            account.leave(other.text, NotAllowed())


def _content(name: str, text: Strand, role: str = "system") -> Item:
    return Item(id=name, content=text, why=Appended(name), role=role, of_program=True)


def _relative(name: str, insertion: Insertion, role: str) -> Item:
    return replace(_content(name, insertion.text, role if role in ROLES else "system"), beside=_beside(insertion))


def _beside(insertion: Insertion) -> Beside | None:
    return insertion.position if insertion.position in ("start", "end") else None


def _formatted(field: Strand, name: str, format_: str, pen: Pen, account: Account) -> Strand:
    """A field of the card in the preset's format, which asks for it by a macro."""
    if not field.text or not format_:
        return field
    source = Source("setting", f"{name}_format")
    text = pen.prepare_format(Strand.of(source, format_), name, field.text)
    account.leave(field, ReplacedBy(*source))
    return text.holding(field) if name in format_.lower() else text


def _lore(texts: Strand, format_: str, account: Account, defects: Defects) -> Strand:
    """Lore in the preset's format; each `{0}` is the lore."""
    if not texts.text or not trim(format_) or not (defects.replaces_lore_by_format or "{0}" in format_):
        return texts
    source = Source("setting", "lore_format")
    if "{0}" not in format_:
        account.leave(texts, ReplacedBy(*source))
    first, *others = (Strand.of(source, part) for part in format_.split("{0}"))
    for other in others:
        first = first + texts + other
    return Strand(tuple(bit for bit in first.bits if bit.text) or first.bits[:1])


# -- the prompts -------------------------------------------------------------------------------------------------------


def _walk(collection: Collection, scene: Scene, preset: Preset, lineup: Lineup, pen: Pen, account: Account) -> None:
    seen: set[str] = set()
    for at, prompt in enumerate(preset.prompts):
        source = Source("prompt", prompt.id if prompt.id not in seen else f"{prompt.id}#{at}")
        if prompt.content:
            account.offer(source)
            if prompt.id in seen:
                account.leave(source, ReplacedBy("prompt", prompt.id))
            elif not lineup.names(prompt.id):
                account.leave(source, NotInOrder(prompt.id))
        seen.add(prompt.id)
    for place, entry in enumerate(lineup.order):
        prompt = lineup.prompts[entry.id]
        source = Source("prompt", prompt.id)
        if prompt.content:
            account.offer(source)
        triggered = not prompt.triggers or scene.trigger in prompt.triggers
        if entry.enabled and triggered:
            collection.items.append(_item(prompt, place, pen.prepare(Strand.of(source, prompt.content))))
            continue
        reason = ForOtherReplies(scene.trigger, prompt.triggers) if entry.enabled else SwitchedOff(prompt.id)
        account.leave(source, reason)
        if prompt.id == "main":
            collection.items.append(_item(prompt, place, Strand.of(source, "")))


def _item(prompt: Prompt, place: int, content: Strand) -> Item:
    return Item(
        id=prompt.id,
        content=content,
        why=InOrder(place),
        role=prompt.role,
        of_user=prompt.of_user,
        in_chat=prompt.in_chat,
        depth=prompt.depth,
        order=prompt.order,
        fixed=prompt.fixed,
    )


def _merge(
    collection: Collection,
    content: Item,
    scene: Scene,
    lineup: Lineup,
    pen: Pen,
    account: Account,
    defects: Defects,
) -> None:
    """Put a text into the place of the prompt with its id, or append it."""
    place = collection.place(content.id)
    is_marker = content.id in MARKERS
    if place is None or not (defects.takes_over_ids or is_marker):
        if is_marker and not defects.appends_unlisted_markers and not lineup.is_off(content.id):
            prompt = lineup.prompts[content.id]
            named = lineup.names(content.id)
            account.leave(
                content.content,
                ForOtherReplies(scene.trigger, prompt.triggers) if named else NotInOrder(content.id),
            )
            return
        collection.items.append(replace(content, content=pen.prepare(content.content)))
        return
    item = collection.items[place]
    account.leave(item.content, ReplacedBy(*(content.content.sources or (Source("setting", content.id),))[0]))
    collection.items[place] = replace(
        content,
        content=pen.prepare(content.content),
        why=item.why,
        role=content.role if item.role is None else item.role,
        in_chat=item.in_chat,
        depth=item.depth,
        order=item.order,
    )


def _override(collection: Collection, name: str, text: Strand, lineup: Lineup, pen: Pen, account: Account) -> None:
    """Let the card replace a prompt; `{{original}}` is the text that it replaces."""
    if not text.text:
        return
    place = collection.place(name)
    prompt = None if place is None else collection.items[place]
    if place is None or prompt is None or prompt.fixed or lineup.is_off(name):
        because = "missing" if prompt is None else "off" if lineup.is_off(name) else "fixed"
        account.leave(text, NotReplaceable(name, because))
        return
    own = prompt.content
    content = pen.prepare(text, original=own.text).holding(own)
    account.leave(own, ReplacedBy(*text.sources[0]))
    if not content.text:
        account.leave(content, NothingLeft())
    collection.items[place] = replace(prompt, content=content)
    collection.overridden.append(name)
