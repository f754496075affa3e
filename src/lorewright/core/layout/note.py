"""The author's note with what stands around it: lore, and the persona (spec prompt-assembly §2.8, §2.9, §2.12)."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.core.layout.account import Account
from lorewright.core.layout.chat import Spoken
from lorewright.core.layout.defects import Defects
from lorewright.core.layout.desk import Desk
from lorewright.core.layout.reasons import NoteWaits, ReplacedBy
from lorewright.core.layout.scene import Note, Scene
from lorewright.core.layout.strand import Source, Strand, join

__all__ = ["NOTE", "compose_note", "is_due"]

NOTE = Source("note", "chat")
_OWN = Source("note", "character")


def compose_note(desk: Desk, chat: Sequence[Spoken], above: Strand, below: Strand) -> Strand:
    """The text at the note's position: lore above it, the note, lore below it, and the persona outside of them."""
    scene, account, defects = desk.scene, desk.account, desk.defects
    note = scene.note
    account.offer(*([NOTE] if note.text else []), *([_OWN] if note.own and note.own.text else []))
    persona = Strand.of(Source("persona", "persona"), scene.persona.text)
    beside = persona if scene.persona.position in ("above_note", "below_note") and scene.persona.text else Strand()
    said = 1 if note.interval == 1 else sum(spoken.line.is_user for spoken in chat)
    if is_due(note, said):
        text = _text_of(note, account, defects)
    else:
        waits = NoteWaits(note.interval, said)
        account.leave(NOTE, waits)
        account.leave(_OWN, waits)
        if defects.loses_texts_of_inactive_note:
            for lost in (above, below, beside):
                account.leave(lost, waits)
            return Strand()
        text = Strand.of(NOTE, "")
    whole = _beside(_wrapped(above, text, below, defects), beside, scene, defects)
    account.offer(*(source for bit in whole.bits if bit.text for source in bit.sources))
    return whole


def is_due(note: Note, said: int) -> bool:
    """Whether it is the note's turn, after so many messages of the user."""
    number, interval = (1 if note.interval == 1 else said), note.interval
    if number <= 0 or interval <= 0:
        return False
    return (number % interval if number >= interval else interval - number) == 0


def _text_of(note: Note, account: Account, defects: Defects) -> Strand:
    text = Strand.of(NOTE, note.text)
    if note.own is None:
        return text
    own = Strand.of(_OWN, note.own.text)
    if note.own.where == "replace":
        account.leave(NOTE, ReplacedBy(*_OWN))
        return own
    parts = [own, text] if note.own.where == "before" else [text, own]
    if not defects.keeps_break_of_empty_note:
        parts = [part for part in parts if part.text] or [text]
    return join("\n", parts)


def _wrapped(above: Strand, note: Strand, below: Strand, defects: Defects) -> Strand:
    if not defects.keeps_break_of_empty_note:
        return join("\n", [part for part in (above, note, below) if part.text]) if above.text or below.text else note
    break_ = Strand.of(NOTE, "\n")
    whole = above + break_ + note + break_ + below
    text = whole.text
    return whole.slice(text.startswith("\n"), len(text) - text.endswith("\n")).merged()


def _beside(note: Strand, persona: Strand, scene: Scene, defects: Defects) -> Strand:
    if not persona.text:
        return note
    if not note.text and not defects.keeps_break_of_empty_note:
        return persona
    return join("\n", [persona, note] if scene.persona.position == "above_note" else [note, persona])
