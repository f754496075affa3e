"""Everything that is ready before the prompts of the preset come in (spec prompt-assembly §2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from lorewright.core.javascript import number, value_as_text
from lorewright.core.layout.card_fields import CardFields, read_card_fields, read_character_notes
from lorewright.core.layout.chat import Spoken, find_bias, open_chat, render_first, sent_lines
from lorewright.core.layout.desk import Desk
from lorewright.core.layout.examples import split_blocks
from lorewright.core.layout.insertions import ROLES, Insertion, Insertions
from lorewright.core.layout.note import compose_note
from lorewright.core.layout.preset import Preset
from lorewright.core.layout.reasons import NoPosition, NothingLeft, NotWanted, ReplacedBy, WithoutLore
from lorewright.core.layout.scene import Scene
from lorewright.core.layout.strand import Source, Strand, join
from lorewright.core.place import DEFAULT_DEPTH, DepthGroup, Placed, Text

__all__ = ["Stage", "set_stage"]

_NOTE: Final = "2_floating_prompt"
_CHARACTER_NOTE: Final = "DEPTH_PROMPT"
_PERSONA: Final = "PERSONA_DESCRIPTION"
"""Keys of texts that are not injected by others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """cycle: the text of the message that is to be continued, with the postfix; empty for other types of reply."""

    lines: Sequence[Spoken]
    fields: CardFields
    insertions: Insertions
    before: Strand
    after: Strand
    blocks: Sequence[Strand]
    quiet: Strand
    bias: Strand
    cycle: str


def set_stage(desk: Desk, preset: Preset, lore: Placed) -> Stage:
    """Run the steps in their order, which matters to macros that write variables."""
    scene, pen = desk.scene, desk.pen
    insertions = Insertions()
    _insert_own(desk, insertions)
    pen.open_outlets(insertions.outlets())
    quiet = Strand.of(Source("quiet", "quiet"), scene.quiet_prompt)
    if scene.quiet_prompt:
        desk.account.offer(*quiet.sources)
    quiet = pen.prepare(quiet)
    chat = open_chat(desk, preset)
    bias = find_bias(desk, chat)
    fields = read_card_fields(desk)
    _insert_character_notes(desk, insertions)
    if desk.defects.renders_messages:
        render_first(chat, desk)
    lines = sent_lines(desk, chat)
    lore = _wanted(desk, lore)
    blocks = _example_blocks(desk, fields, lore)
    _insert_note(desk, insertions, compose_note(desk, chat, _joined(lore.note_top), _joined(lore.note_bottom)))
    _insert_lore(desk, insertions, lore)
    _insert_persona(desk, insertions)
    pen.open_outlets(insertions.outlets())
    return Stage(
        lines=lines,
        fields=fields,
        insertions=insertions,
        before=_joined(lore.before),
        after=_joined(lore.after),
        blocks=blocks,
        quiet=quiet,
        bias=bias,
        cycle=_cycle(scene, preset, lines),
    )


def _strand(text: Text) -> Strand:
    return Strand.of(Source("entry", text.entry), text.text, rendered=True)


def _joined(texts: Iterable[Text]) -> Strand:
    return join("\n", map(_strand, texts))


def _wanted(desk: Desk, lore: Placed) -> Placed:
    """The lore that takes part."""
    skipped = desk.scene.without_lore and not desk.defects.keeps_skipped_lore
    for strand in map(_strand, lore.in_reading_order()):
        desk.account.offer(*strand.sources)
        if not strand.text:
            desk.account.leave(strand, NothingLeft())
        elif skipped:
            desk.account.leave(strand, WithoutLore())
    return Placed() if skipped else lore


def _insert(desk: Desk, insertions: Insertions, key: str, insertion: Insertion) -> None:
    """Put a text; the one that had its key is replaced."""
    before = insertions.put(key, insertion)
    if before is not None:
        by = insertion.text.sources[:1] or (Source("injection", key),)
        desk.account.leave(before.text, ReplacedBy(*by[0]))
    if insertion.position == "none":
        desk.account.leave(insertion.text, NoPosition())


def _insert_own(desk: Desk, insertions: Insertions) -> None:
    """The texts that others inject. Of two with one key the later stands, at the place of the first."""
    for at, one in enumerate(desk.scene.injections):
        known = insertions.get(one.key)
        source = Source("injection", one.key if known is None else f"{one.key}#{at}")
        desk.account.offer(source)
        insertion = Insertion(Strand.of(source, one.text), one.position, one.depth, one.role, one.allowed)
        _insert(desk, insertions, one.key, insertion)


def _insert_character_notes(desk: Desk, insertions: Insertions) -> None:
    group = desk.scene.group
    for at, (note, text) in enumerate(read_character_notes(desk)):
        role = note.role if note.role in ROLES else "system"
        key = _CHARACTER_NOTE if group is None or group.cards == "swap" else f"{_CHARACTER_NOTE}_{at}"
        _insert(desk, insertions, key, Insertion(text, "in_chat", note.depth, role))


def _example_blocks(desk: Desk, fields: CardFields, lore: Placed) -> list[Strand]:
    """The blocks of the card with those of lore: each text for the top goes in front of all so far."""
    blocks = _split(desk, fields.examples)
    for where, text in lore.examples:
        if text.text:
            new = _split(desk, desk.pen.field(_strand(text)))
            blocks = [*new, *blocks] if where == "top" else [*blocks, *new]
    if not desk.scene.preferences.strip_examples:
        return blocks
    for block in blocks:
        desk.account.leave(block, NotWanted())
    return []


def _split(desk: Desk, examples: Strand) -> list[Strand]:
    blocks = split_blocks(examples, desk.defects)
    if not blocks:
        desk.account.leave(examples, NothingLeft())
    return blocks


def _insert_note(desk: Desk, insertions: Insertions, text: Strand) -> None:
    note, wanted = desk.scene.note, not desk.scene.without_lore or desk.defects.keeps_skipped_lore
    if not wanted:
        desk.account.leave(text, WithoutLore())
    text = text if wanted else Strand()
    _insert(desk, insertions, _NOTE, Insertion(text, note.position, note.depth, note.role))


def _insert_lore(desk: Desk, insertions: Insertions, lore: Placed) -> None:
    """Texts at depth and in outlets, in the place of those of an earlier scan."""
    groups = [*(group.texts for group in lore.at_depth), *lore.outlets.values()]
    if desk.scene.without_lore:
        for texts in groups:
            desk.account.leave(_joined(texts), WithoutLore())
        return
    for dropped in insertions.drop_lore():
        desk.account.leave(dropped.text, ReplacedBy("entry", "lore of this turn"))
    for group in lore.at_depth:
        depth = number(DEFAULT_DEPTH if group.depth is None else group.depth)
        insertion = Insertion(_joined(group.texts), "in_chat", depth, _role(group))
        _insert(desk, insertions, f"customDepthWI_{value_as_text(group.depth)}_{value_as_text(group.role)}", insertion)
    for name, outlet in lore.outlets.items():
        insertions.put_outlet(name, _joined(outlet))


def _role(group: DepthGroup) -> str:
    role = number(group.role)
    return ROLES[int(role)] if role in (0, 1, 2) else str(group.role)


def _insert_persona(desk: Desk, insertions: Insertions) -> None:
    persona = desk.scene.persona
    if not persona.text:
        return
    text = Strand.of(Source("persona", "persona"), persona.text)
    desk.account.offer(*text.sources)
    if persona.position == "in_chat":
        _insert(desk, insertions, _PERSONA, Insertion(text, "in_chat", persona.depth, persona.role))
    elif persona.position == "none":
        desk.account.leave(text, NoPosition())


def _cycle(scene: Scene, preset: Preset, lines: Sequence[Spoken]) -> str:
    if scene.trigger != "continue" or not lines:
        return ""
    text = lines[-1].text.text
    return text if text.endswith(" ") else text + preset.wording.continue_postfix
