"""Everything that is ready before the prompts of the preset come in (spec prompt-assembly §2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lorewright.core.javascript import number, value_as_text
from lorewright.core.layout.account import Account
from lorewright.core.layout.card_fields import CardFields, read_card_fields, read_character_notes
from lorewright.core.layout.chat import Spoken, find_bias, open_chat, render_first, sent_lines
from lorewright.core.layout.defects import Defects
from lorewright.core.layout.examples import split_blocks
from lorewright.core.layout.insertions import ROLES, Insertion, Insertions
from lorewright.core.layout.note import compose_note
from lorewright.core.layout.pen import Pen
from lorewright.core.layout.preset import Preset
from lorewright.core.layout.reasons import NoPosition, NothingLeft, NotWanted, ReplacedBy, WithoutLore
from lorewright.core.layout.scene import Scene
from lorewright.core.layout.strand import Source, Strand, join
from lorewright.core.place import DEFAULT_DEPTH, DepthGroup, Placed, Text

__all__ = ["Stage", "set_stage"]

_NOTE_KEY = "2_floating_prompt"
_CHARACTER_NOTE = "DEPTH_PROMPT"
_PERSONA = "PERSONA_DESCRIPTION"


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


def set_stage(scene: Scene, preset: Preset, lore: Placed, pen: Pen, account: Account, defects: Defects) -> Stage:
    """Run the steps in their order, which matters to macros that write variables."""
    insertions = Insertions()
    _insert_own(scene, insertions, account)
    pen.open_outlets(insertions.outlets())
    quiet = Strand.of(Source("quiet", "quiet"), scene.quiet_prompt)
    account.offer(*(quiet.sources if scene.quiet_prompt else ()))
    quiet = pen.prepare(quiet)
    chat = open_chat(scene, preset, pen, account)
    bias = find_bias(chat, scene, pen, account)
    fields = read_card_fields(scene, pen, account)
    _insert_character_notes(scene, insertions, pen, account)
    if defects.renders_messages:
        render_first(chat, pen)
    lines = sent_lines(chat, scene, account)
    _offer_lore(lore, account)
    if scene.without_lore and not defects.keeps_skipped_lore:
        for strand in _all_lore(lore):
            account.leave(strand, WithoutLore())
        lore = Placed()
    blocks = split_blocks(fields.examples, defects)
    if not blocks:
        account.leave(fields.examples, NothingLeft())
    blocks = _with_lore_examples(blocks, lore, pen, account, defects)
    note = compose_note(scene, chat, _joined(lore.note_top), _joined(lore.note_bottom), account, defects)
    if scene.without_lore and not defects.keeps_skipped_lore:
        account.leave(note, WithoutLore())
        note = Strand()
    position, depth, role = scene.note.position, scene.note.depth, scene.note.role
    _put(insertions, _NOTE_KEY, Insertion(note, position, depth, role), account)
    _insert_lore(scene, lore, insertions, account)
    _insert_persona(scene, insertions, account)
    pen.open_outlets(insertions.outlets())
    if scene.preferences.strip_examples:
        for block in blocks:
            account.leave(block, NotWanted())
        blocks = []
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
    return Strand.of(Source("entry", text.entry), text.text)


def _joined(texts: Iterable[Text]) -> Strand:
    return join("\n", map(_strand, texts))


def _all_lore(lore: Placed) -> list[Strand]:
    return list(map(_strand, lore.in_reading_order()))


def _offer_lore(lore: Placed, account: Account) -> None:
    for strand in _all_lore(lore):
        account.offer(*strand.sources)
        if not strand.text:
            account.leave(strand, NothingLeft())


def _put(insertions: Insertions, key: str, insertion: Insertion, account: Account) -> None:
    before = insertions.put(key, insertion)
    if before is not None:
        by = insertion.text.sources[:1] or (Source("injection", key),)
        account.leave(before.text, ReplacedBy(*by[0]))
    if insertion.position == "none":
        account.leave(insertion.text, NoPosition())


def _insert_own(scene: Scene, insertions: Insertions, account: Account) -> None:
    """The texts that others inject. Of two with one key the later stands, at the place of the first."""
    for at, one in enumerate(scene.injections):
        known = insertions.get(one.key)
        source = Source("injection", one.key if known is None else f"{one.key}#{at}")
        account.offer(source)
        insertion = Insertion(Strand.of(source, one.text), one.position, one.depth, one.role, one.allowed)
        _put(insertions, one.key, insertion, account)


def _insert_character_notes(scene: Scene, insertions: Insertions, pen: Pen, account: Account) -> None:
    joined = scene.group is not None and scene.group.cards != "swap"
    for at, (note, text) in enumerate(read_character_notes(scene, pen, account)):
        role = note.role if note.role in ROLES else "system"
        key = f"{_CHARACTER_NOTE}_{at}" if joined else _CHARACTER_NOTE
        _put(insertions, key, Insertion(text, "in_chat", note.depth, role), account)


def _with_lore_examples(
    blocks: list[Strand], lore: Placed, pen: Pen, account: Account, defects: Defects
) -> list[Strand]:
    """The blocks with those of lore: each text for the top goes in front of all so far."""
    for where, text in lore.examples:
        if not text.text:
            continue
        strand = pen.field(text.text, Source("entry", text.entry))
        new = split_blocks(strand, defects)
        if not new:
            account.leave(strand, NothingLeft())
        blocks = [*new, *blocks] if where == "top" else [*blocks, *new]
    return blocks


def _insert_lore(scene: Scene, lore: Placed, insertions: Insertions, account: Account) -> None:
    if scene.without_lore:
        for strand in [_joined(group.texts) for group in lore.at_depth] + [_joined(t) for t in lore.outlets.values()]:
            account.leave(strand, WithoutLore())
        return
    for dropped in insertions.drop_lore():
        account.leave(dropped.text, ReplacedBy("entry", "lore of this turn"))
    for group in lore.at_depth:
        depth = number(DEFAULT_DEPTH if group.depth is None else group.depth)
        insertion = Insertion(_joined(group.texts), "in_chat", depth, _role(group))
        _put(insertions, f"customDepthWI_{value_as_text(group.depth)}_{value_as_text(group.role)}", insertion, account)
    for name, texts in lore.outlets.items():
        insertions.put_outlet(name, _joined(texts))


def _role(group: DepthGroup) -> str:
    role = number(group.role)
    return ROLES[int(role)] if role in (0, 1, 2) else str(group.role)


def _insert_persona(scene: Scene, insertions: Insertions, account: Account) -> None:
    persona = scene.persona
    if not persona.text:
        return
    text = Strand.of(Source("persona", "persona"), persona.text)
    account.offer(*text.sources)
    if persona.position == "in_chat":
        _put(insertions, _PERSONA, Insertion(text, "in_chat", persona.depth, persona.role), account)
    elif persona.position == "none":
        account.leave(text, NoPosition())


def _cycle(scene: Scene, preset: Preset, lines: Sequence[Spoken]) -> str:
    if scene.trigger != "continue" or not lines:
        return ""
    text = lines[-1].text.text
    return text if text.endswith(" ") else text + preset.wording.continue_postfix
