"""The texts of the card, or of all cards of a group, as a prompt gets them (spec prompt-assembly §2.3, §2.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from lorewright.core.javascript import trim
from lorewright.core.layout.desk import Desk
from lorewright.core.layout.reasons import NothingLeft, NotPreferred, ReplacedBy
from lorewright.core.layout.scene import Card, CharacterNote, Scene
from lorewright.core.layout.strand import Source, Strand, join

__all__ = ["CardFields", "read_card_fields", "read_character_notes"]

_FIELD_NAME: Final = re.compile("<FIELDNAME>", re.IGNORECASE)
_TITLES: Final = {
    "description": "Description",
    "personality": "Personality",
    "scenario": "Scenario",
    "examples": "Example Messages",
}


@dataclass(frozen=True, slots=True)
class CardFields:
    """The fields, rendered. `system_prompt` and `post_history` stand for prompts of the preset."""

    description: Strand
    personality: Strand
    scenario: Strand
    examples: Strand
    system_prompt: Strand
    post_history: Strand


def read_card_fields(desk: Desk) -> CardFields:
    """Read the fields in their order, which matters to macros that write variables."""
    reader, scene = _Reader(desk), desk.scene
    likes = scene.preferences
    return CardFields(
        description=reader.read("description"),
        personality=reader.read("personality"),
        scenario=reader.read("scenario", scene.chat_texts.scenario),
        examples=reader.read("examples", scene.chat_texts.examples),
        system_prompt=reader.override(
            "system_prompt", "main", scene.chat_texts.system_prompt, likes.card_system_prompt
        ),
        post_history=reader.override("post_history", "jailbreak", "", likes.card_post_history),
    )


class _Reader:
    def __init__(self, desk: Desk) -> None:
        self.scene = desk.scene
        self.pen = desk.pen
        self.account = desk.account

    def read(self, name: str, of_chat: str = "") -> Strand:
        """A field. A text that is kept with the chat takes its place."""
        texts = list(self._texts(name))
        self.account.offer(*(source for source, _, _ in texts))
        if of_chat:
            source = self._of_chat(name)
            for replaced, _, _ in texts:
                self.account.leave(replaced, ReplacedBy(*source))
            return self._noted(self.pen.field(Strand.of(source, of_chat)))
        if self._joins:
            parts = [self._joined(name, *text) for text in texts if trim(text[1])]
            return join("\n", [part for part in map(self._noted, parts) if part.text])
        return self._noted(join("\n", [self.pen.field(Strand.of(source, text)) for source, text, _ in texts]))

    def override(self, name: str, prompt: str, of_chat: str, preferred: bool) -> Strand:
        """A text of the chat or the speaker's card that takes the place of a prompt, if the user prefers it."""
        own = Source("card", f"{self.scene.card.name}.{name}")
        text: str = getattr(self.scene.card, name)
        if text:
            self.account.offer(own)
        if of_chat:
            source = self._of_chat(name)
            self.account.leave(own, ReplacedBy(*source))
            own, text = source, of_chat
        if not preferred:
            self.account.leave(own, NotPreferred(prompt))
            return Strand()
        return self._noted(self.pen.override(Strand.of(own, text)))

    def _of_chat(self, name: str) -> Source:
        source = Source("chat", name)
        self.account.offer(source)
        return source

    def _noted(self, strand: Strand) -> Strand:
        if not strand.text:
            self.account.leave(strand, NothingLeft())
        return strand

    @property
    def _joins(self) -> bool:
        return self.scene.group is not None and self.scene.group.cards != "swap"

    def _texts(self, name: str) -> Iterator[tuple[Source, str, str]]:
        """The texts of a field that are there at all, with their members' names."""
        for card in _cards(self.scene):
            if text := getattr(card, name):
                yield Source("card", f"{card.name}.{name}"), text, card.name

    def _joined(self, name: str, source: Source, text: str, member: str) -> Strand:
        group = self.scene.group
        assert group is not None
        text = trim(text)
        if name == "examples" and not text.startswith("<START>"):
            text = f"<START>\n{text}"
        title = _TITLES[name]

        def part(text: str, read: Callable[..., Strand]) -> Strand:
            return read(Strand.of(source, _FIELD_NAME.sub(lambda _: title, text)), char=member)

        prefix, suffix = part(group.prefix, self.pen.part), part(group.suffix, self.pen.part)
        return (prefix + part(text, self.pen.field) + suffix).merged()


def _cards(scene: Scene) -> list[Card]:
    """The cards whose texts are used."""
    if scene.group is None or scene.group.cards == "swap":
        return [scene.card]
    return list(scene.group.members if scene.group.cards == "join_muted" else scene.speaking_members())


def read_character_notes(desk: Desk) -> list[tuple[CharacterNote, Strand]]:
    """The notes of the cards, rendered: one, or those of the members that are not muted where cards are joined."""
    scene = desk.scene
    joined = scene.group is not None and scene.group.cards != "swap"
    cards = scene.speaking_members() if joined else [scene.card]
    found = []
    for card in cards:
        source = Source("card", f"{card.name}.note")
        if not card.note.text:
            continue
        desk.account.offer(source)
        if joined and not trim(card.note.text):
            desk.account.leave(source, NothingLeft())
            continue
        text = Strand.of(source, card.note.text)
        found.append((card.note, desk.pen.field(text, char=card.name if joined else None)))
    return found
