"""SillyTavern's macros while a prompt is laid out: a scene becomes what they can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lorewright.core import protocols
from lorewright.core.layout import scene as layout
from lorewright.core.layout.macros import Reading
from lorewright.core.memo import ANEW, Memo
from lorewright.templates import sillytavern
from lorewright.templates.constants import Constants
from lorewright.templates.context import Call, Card, ChatMessage, Context, Group, Member

__all__ = ["PromptMacros"]


class PromptMacros:
    """`Macros` of one scene. `base` holds what a scene does not: clock, chance, settings of the program. `memo` and `constants`
    keep what was made in earlier turns."""

    def __init__(
        self,
        scene: layout.Scene,
        base: Context | None = None,
        defects: sillytavern.Defects | None = None,
        memo: Memo = ANEW,
        constants: Constants | None = None,
    ) -> None:
        self._context = _context(scene, base or Context())
        self._swipes = scene.trigger == "swipe"
        self._defects = defects or sillytavern.Defects()
        self._memo = memo
        self._constants = (constants or Constants()).of(self._context, self._defects)
        self._last: tuple[Reading, Context] | None = None
        self._chat: tuple[Sequence[layout.Line], tuple[ChatMessage, ...]] = ((), ())

    @staticmethod
    def is_template(text: str) -> bool:
        """See `Macros`."""
        return sillytavern.is_template(text)

    def render(self, text: str, reading: Reading) -> protocols.Rendered:
        """See `Macros`. Never raises: what cannot run stays as text, and a report says why."""
        key = (text, reading.char, reading.cards, reading.original, *reading.extra.items())
        found = self._constants.get(key, reading.variables)
        if found is None:
            found = self._render(text, reading)
            self._constants.keep(key, found, reading.variables)
        return found

    def _render(self, text: str, reading: Reading) -> protocols.Rendered:
        found = sillytavern.render(text, self._filled(reading), defects=self._defects)
        writes = found.variable_writes()
        return protocols.Rendered(found.text, found.volatile, found.kinds, found.reads, writes, found.reports)

    def _filled(self, reading: Reading) -> Context:
        """What a text can read, made once for the texts that read the same."""
        if self._last is None or self._last[0] is not reading:
            context = replace(
                self._context,
                chat=self._messages(reading.chat),
                outlets=reading.outlets,
                local_variables=reading.variables.local,
                global_variables=reading.variables.shared,
                call=Call(char=reading.char, original=reading.original, card=reading.cards, dynamic=reading.extra),
            )
            self._last = (reading, context)
        return self._last[1]

    def _messages(self, lines: Sequence[layout.Line]) -> tuple[ChatMessage, ...]:
        """The chat, made once as long as it stays the same."""
        if self._chat[0] is not lines:
            found = list(self._memo.each(_message, lines))
            if self._swipes and found:
                found[-1] = replace(found[-1], swipes=1, swipe=1)
            self._chat = (lines, tuple(found))
        return self._chat[1]


def _message(at: int, line: layout.Line) -> ChatMessage:
    del at
    return ChatMessage(line.name, line.text, line.is_user, line.hidden)


def _context(scene: layout.Scene, base: Context) -> Context:
    likes, texts = scene.preferences, scene.chat_texts
    kept = {"scenario": texts.scenario, "mes_example": texts.examples, "system_prompt": texts.system_prompt}
    return replace(
        base,
        user=scene.user,
        char=scene.card.name,
        card=_card(scene.card),
        persona=scene.persona.text,
        group=_group(scene.group) if scene.group else None,
        metadata={**base.metadata, **{name: text for name, text in kept.items() if text}},
        settings=replace(
            base.settings,
            generation_type=scene.trigger,
            prefer_card_prompt=likes.card_system_prompt,
            prefer_card_instruction=likes.card_post_history,
            collapse_newlines=likes.collapse_newlines,
        ),
    )


def _card(card: layout.Card) -> Card:
    return Card(
        description=card.description,
        personality=card.personality,
        scenario=card.scenario,
        examples=card.examples,
        system_prompt=card.system_prompt,
        post_history=card.post_history,
        depth_prompt=card.note.text,
    )


def _group(group: layout.Group) -> Group:
    members = (Member(card.name, card.name in group.muted, _card(card)) for card in group.members)
    return Group(tuple(members), group.cards, group.prefix, group.suffix)
