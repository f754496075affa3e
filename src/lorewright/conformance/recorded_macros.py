"""The few macros that were replaced while the lorebook cases were recorded.

Another program's macro engine stood behind a stub then (conformance/world-info/README.md): `{{user}}`, `{{char}}`,
`{{newline}}`, `{{noop}}`, `{{// comment}}`, `{{random::a::b}}`, `<USER>`, `<BOT>`, `<CHAR>`, in any case, without spaces
inside the braces. Everything else stays as text. The dialects that users get are in `templates/`.
"""

from __future__ import annotations

import re

from lorewright.core.protocols import RenderContext, Rendered

__all__ = ["RecordedMacros"]

_TEMPLATE = re.compile(r"\{\{|<(?:user|bot|char)>", re.IGNORECASE)
_ANGLE = re.compile(r"<(user|bot|char)>", re.IGNORECASE)
_COMMENT = re.compile(r"\{\{//[\s\S]*?\}\}")
_RANDOM = re.compile(r"\{\{random::([\s\S]*?)\}\}", re.IGNORECASE)
_SIMPLE = re.compile(r"\{\{(user|char|newline|noop)\}\}", re.IGNORECASE)


class RecordedMacros:
    """A `Renderer` for the macros above. Replaced in this order: angle-bracket names, comments, random, the rest."""

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
