"""Example dialogues: blocks of text, and the messages they become (spec prompt-assembly §5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lorewright.core.layout.defects import Defects
from lorewright.core.layout.draft import Draft
from lorewright.core.layout.reasons import InExamples
from lorewright.core.layout.scene import Scene
from lorewright.core.layout.strand import Strand

__all__ = ["example_messages", "split_blocks"]

_START: Final = re.compile("<START>", re.IGNORECASE)
_WORD: Final = "<START>"


def split_blocks(examples: Strand, defects: Defects) -> list[Strand]:
    """The blocks of a field of examples. What stands before the first `<START>` is a block of its own."""
    text = examples.text
    if not text or text == _WORD:
        return []
    begins = text.startswith(_WORD) if defects.minds_case_of_start else _START.match(text)
    starts = [] if begins else [0]
    ends = []
    for found in _START.finditer(text):
        ends.append(found.start())
        starts.append(found.end())
    ends = [*(ends[1:] if begins else ends), len(text)]
    return [examples.slice(start, end).trimmed() for start, end in zip(starts, ends, strict=True)]


def example_messages(block: Strand, number: int, scene: Scene, defects: Defects) -> list[Draft]:
    """The turns of a block as messages with the names that tell the model whose they are."""
    return [
        Draft(
            id=f"dialogueExamples {number}-{at}",
            role="system",
            content=content,
            why=InExamples(number),
            name="example_user" if is_user else "example_assistant",
        )
        for at, (is_user, content) in enumerate(_turns(block, scene, defects))
    ]


def _turns(block: Strand, scene: Scene, defects: Defects) -> Iterator[tuple[bool, Strand]]:
    """Who speaks, and what. Lines before the first speaker go with the first turn."""
    text, user, char = block.text, f"{scene.user}:", f"{scene.card.name}:"
    members = tuple(f"{card.name}:" for card in scene.group.members) if scene.group else ()
    name = scene.card.name
    is_user: bool | None = None
    begin = at = 0

    def turn(end: int, *, of_user: bool) -> tuple[bool, Strand]:
        speaker = scene.user if of_user else name
        content = block.slice(begin, end).without_first(f"{speaker}:").trimmed()
        return of_user, content.prefixed(f"{speaker}: " if scene.group else "")

    for line in text.split("\n"):
        if line.startswith(user):
            if is_user is False:
                yield turn(at, of_user=False)
                begin = at
            is_user = True
        elif line.startswith((char, *members)):
            speaker = scene.card.name if line.startswith(char) else line.split(":", 1)[0]
            changes = is_user is False and speaker != name and not defects.sticks_to_names
            if is_user or changes:
                yield turn(at, of_user=bool(is_user))
                begin = at
            if speaker != scene.card.name or not defects.sticks_to_names:
                name = speaker
            is_user = False
        at += len(line) + 1
    if is_user is not None:
        yield turn(len(text), of_user=is_user)
