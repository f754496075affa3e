"""Texts with code as a renderer of the engine: it runs in books that are trusted, and is refused in others (ADR 0027).

What runs it (`templates/ejs`) is loaded with the first text that has some.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from lorewright.core.protocols import CodeRefusal, Regexes, RenderContext, Rendered, Renderer

if TYPE_CHECKING:
    from lorewright.templates.ejs import Sandbox
    from lorewright.templates.ejs.play import Play

__all__ = ["CodeRenderer", "has_code"]

_WITHOUT_CODE: Final = frozenset({"risu", "layered"})
"""Profiles in whose books `<%` is no code."""
_NOT_TRUSTED: Final = CodeRefusal(
    "book_not_trusted", "The text holds code, which runs only if you trust the book: `lorewright trust BOOK`."
)


def has_code(text: str) -> bool:
    """Whether a text would be looked at for code."""
    return "<%" in text


class CodeRenderer:
    """A `Renderer` that runs code, and has the rest done by `dialect`. Without a sandbox it refuses code.

    What comes out of a sandbox cannot be repeated, so a ledger keeps it; all else can.
    """

    keeps_only_sandboxed = True

    def __init__(self, dialect: Renderer, regexes: Regexes, sandbox: Sandbox | None = None) -> None:
        self._dialect = dialect
        self._regexes = regexes
        self._sandbox = sandbox

    def is_template(self, text: str) -> bool:
        """See `Renderer`."""
        return has_code(text) or self._dialect.is_template(text)

    def render(self, text: str, context: RenderContext) -> Rendered:
        """See `Renderer`: a text by itself."""
        with self.open() as opened:
            return opened.render(text, context)

    @contextmanager
    def open(self) -> Iterator[Renderer]:
        """See `Opening`: a generation for the texts of one evaluation."""
        opened = _Opened(self._dialect, self._regexes, self._sandbox)
        try:
            yield opened
        finally:
            opened.close()


class _Opened:
    """The renderer of one evaluation."""

    def __init__(self, dialect: Renderer, regexes: Regexes, sandbox: Sandbox | None) -> None:
        self._dialect = dialect
        self._regexes = regexes
        self._sandbox = sandbox
        self._play: Play | None = None

    def is_template(self, text: str) -> bool:
        return has_code(text) or self._dialect.is_template(text)

    def render(self, text: str, context: RenderContext) -> Rendered:
        if not has_code(text) or context.entry is None or context.profile in _WITHOUT_CODE:
            return self._dialect.render(text, context)
        if context.book not in context.code_books:
            return Rendered("", refusal=_NOT_TRUSTED)
        if self._play is None:
            from lorewright.templates.ejs.play import Play

            self._play = Play(self._dialect, self._regexes, self._sandbox)
        return self._play.render(text, context)

    def close(self) -> None:
        """End the generation."""
        if self._play:
            self._play.close()
