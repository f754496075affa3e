"""The few macros that lorebook entries need most: names, random choice, comments.

The full macro dialects come with a later part of the project (docs/plan.md). This renderer is exactly what the
recorded lorebook cases use (conformance/world-info/README.md): `{{user}}`, `{{char}}`, `{{newline}}`, `{{noop}}`,
`{{// comment}}`, `{{random::a::b}}`, `<USER>`, `<BOT>`, `<CHAR>`, in any case, without spaces inside the braces.
Everything else stays as text.
"""

from __future__ import annotations

import re

from lorewright.core.protocols import RenderContext, Rendered

__all__ = ["NameMacros"]

_TEMPLATE = re.compile(r"\{\{|<(?:user|bot|char)>", re.IGNORECASE)
_ANGLE = re.compile(r"<(user|bot|char)>", re.IGNORECASE)
_COMMENT = re.compile(r"\{\{//[\s\S]*?\}\}")
_RANDOM = re.compile(r"\{\{random::([\s\S]*?)\}\}", re.IGNORECASE)
_SIMPLE = re.compile(r"\{\{(user|char|newline|noop)\}\}", re.IGNORECASE)


class NameMacros:
    """A `Renderer` for the macros above. Replaced in this order: angle-bracket names, comments, random, the rest."""

    repeatable = True
    """The same turn and draws give the same text, so a ledger need not record it."""

    def is_template(self, text: str) -> bool:
        return _TEMPLATE.search(text) is not None

    def render(self, text: str, context: RenderContext) -> Rendered:
        """The text with its macros replaced; each `{{random}}` takes one number from the draw."""
        turn, draw = context.turn, context.draw
        char = turn.character.name if turn.character else ""
        values = {"user": turn.user, "char": char, "bot": char, "newline": "\n", "noop": ""}

        def choose(found: re.Match[str]) -> str:
            choices = found[1].split("::")
            return choices[int(draw() * len(choices))]

        text = _ANGLE.sub(lambda found: values[found[1].lower()], text)
        text = _COMMENT.sub("", text)
        text = _RANDOM.sub(choose, text)
        return Rendered(_SIMPLE.sub(lambda found: values[found[1].lower()], text))
