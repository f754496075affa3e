"""The texts of the card and the persona as macros insert them: each rendered on its own, when it is first asked for.

A field is rendered with the names of the chat, not those of the call, and without card macros, which give nothing
there (spec macros §B, "Card fields"). In a group whose cards are joined, every member's text is rendered with the
member's own name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from lorewright.core.javascript import trim
from lorewright.templates.context import Card, Context
from lorewright.templates.rendered import Record

__all__ = ["CardTexts"]

_NEWLINES = re.compile(r"\n+")
_FIELD_NAME: Final = re.compile("<FIELDNAME>", re.IGNORECASE)
_JOINED: Final = {
    "description": "Description",
    "personality": "Personality",
    "scenario": "Scenario",
    "examples": "Example Messages",
}
"""Fields that a group joins, and what `<FIELDNAME>` is in them."""
_OVERRIDES: Final = {"scenario": "scenario", "system_prompt": "system_prompt", "examples": "mes_example"}


class CardTexts:
    """The texts of one call. `render` runs a text with a character's name."""

    def __init__(self, context: Context, render: Callable[[str, str], str], record: Record) -> None:
        self._context = context
        self._render = render
        self._record = record
        self._kept: dict[str, str] = {}

    def get(self, name: str) -> str:
        """A text of the card by the name of its field in `Card`; `persona` is the persona's description."""
        self._record.read("persona" if name == "persona" else f"card:{name}", None)
        if name not in self._kept:
            self._kept[name] = self._text(name) if self._context.call.card else ""
        return self._kept[name]

    def greeting(self, number: int) -> str:
        """The first message (0) or an alternate one (from 1)."""
        card = self._card()
        if number == 0 or card is None:
            return self.get("first_message")
        self._record.read("card:alternate_greetings", None)
        if not self._context.call.card or not 0 < number <= len(card.alternate_greetings):
            return ""
        key = f"alternate_greetings:{number}"
        if key not in self._kept:
            self._kept[key] = self._rendered(card.alternate_greetings[number - 1], self._context.char)
        return self._kept[key]

    def version(self) -> str:
        """The card's version, which is not rendered."""
        self._record.read("card:version", None)
        card = self._card()
        return card.version if card and self._context.call.card else ""

    def substitute(self, text: str) -> str:
        """A text of a setting, with the names of the chat and without card macros."""
        return self._render(text, self._context.char)

    def _card(self) -> Card | None:
        return self._context.card

    def _text(self, name: str) -> str:
        context = self._context
        if name == "persona":
            return self._rendered(context.persona, context.char)
        settings = context.settings
        if (name == "system_prompt" and not settings.prefer_card_prompt) or (
            name == "post_history" and not settings.prefer_card_instruction
        ):
            self._record.read(f"setting:prefer_card_{'prompt' if name == 'system_prompt' else 'instruction'}", None)
            return ""
        override = self._override(name)
        if override:
            return self._rendered(override, context.char)
        if name in _JOINED and context.group is not None and context.group.cards != "swap":
            return self._joined(name)
        card = self._card()
        return self._rendered(getattr(card, name), context.char) if card else ""

    def _override(self, name: str) -> str:
        """A text of the chat that stands for the card's."""
        key = _OVERRIDES.get(name)
        value = self._context.metadata.get(key) if key else None
        if not isinstance(value, str) or not value:
            return ""
        self._record.read(f"metadata:{key}")
        return value

    def _joined(self, name: str) -> str:
        context = self._context
        group = context.group
        assert group is not None
        self._record.read("group", None)
        texts: list[str] = []
        for member in group.members:
            card = member.card or (context.card if member.name == context.char else None)
            if card is None or (member.muted and group.cards == "join" and member.name != context.char):
                continue
            if text := trim(getattr(card, name)):
                texts.append(self._member_text(name, text, member.name))
        return "\n".join(filter(None, texts))

    def _member_text(self, name: str, text: str, member: str) -> str:
        """One member's text between the group's prefix and suffix."""
        group = self._context.group
        assert group is not None
        if name == "examples" and not text.startswith("<START>"):
            text = f"<START>\n{text}"
        parts = (_FIELD_NAME.sub(lambda _: _JOINED[name], part) for part in (group.prefix, group.suffix, text))
        prefix, suffix, text = (self._tidied(part, member) for part in parts)
        return prefix + text + suffix

    def _rendered(self, text: str, char: str) -> str:
        return self._tidied(trim(text), char)

    def _tidied(self, text: str, char: str) -> str:
        found = self._render(text, char)
        if self._context.settings.collapse_newlines:
            self._record.read("setting:collapse_newlines", None)
            found = _NEWLINES.sub("\n", found)
        return found.replace("\r", "")
