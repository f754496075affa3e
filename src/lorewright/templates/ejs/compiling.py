"""Whether the code of a text can run at all, for those who check books. It is compiled in a sandbox, and not run."""

from __future__ import annotations

from types import TracebackType
from typing import Final, Self

from lorewright.templates.ejs.balance import find_open_tag, without_escaped_parts
from lorewright.templates.ejs.generation import Generation, Sandbox
from lorewright.templates.ejs.scene import Output, Refused, Request, Scene, Value
from lorewright.templates.ejs.tags import is_template, split_tags

__all__ = ["CodeCheck"]

_NOT_RUN: Final = "<% return; %>"
"""What stands in front: all behind it is compiled and not reached."""
_BOOK: Final = "book"


class CodeCheck:
    """Says what is wrong with the code of texts. Without the engine it finds tags that are not closed, and no more. Close it, or
    use it in `with`."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._generation: Generation | None = None

    def __call__(self, text: str) -> str:
        """A sentence; empty if there is nothing to say. Code with macros in it is known when they are filled in."""
        if not is_template(text):
            return ""
        if (found := find_open_tag(text)) is not None:
            return f"In line {found[1]} {found[0]}."
        pieces = split_tags(without_escaped_parts(text))
        if any("{{" in piece.text for piece in pieces if piece.kind in {"code", "output"}):
            return ""
        outcome = self._compile(text)
        if isinstance(outcome, Refused) and outcome.code == "generation_time":
            self.close()
            outcome = self._compile(text)
        if not isinstance(outcome, Refused) or outcome.code != "failed":
            return ""
        return f"{outcome.message}{f' (line {outcome.line})' if outcome.line else ''}."

    def _compile(self, text: str) -> Output | Refused:
        if self._generation is None:
            self._generation = self._sandbox.generation(Scene(functions="host"), _answer_nothing, {_BOOK})
        return self._generation.render(_BOOK, f"{_NOT_RUN}{text}")

    def close(self) -> None:
        """End the process that compiles; the next text starts another one."""
        if self._generation:
            self._generation.close()
        self._generation = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _answer_nothing(request: Request) -> Value:  # noqa: ARG001 - nothing runs that could ask
    return Value(None)
