"""Why a text with code gives nothing, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lorewright.templates.ejs.scene import Refused

__all__ = ["SENTENCES", "refused"]

SENTENCES: Final = {
    "engine_missing": "The text holds code, and the engine for it is not installed (or the package `quickjs` stands in "
    "its way). Install it with `pip install 'lorewright[ejs]'`.",
    "book_not_trusted": "The text holds code, which runs only if you trust the book: `lorewright trust BOOK`.",
    "time_limit": "Its code took too long and was stopped.",
    "memory_limit": "Its code needs more memory than it may have.",
    "stack_limit": "Its code calls itself more often than it may.",
    "generation_time": "Its code was not run, because the code before it used up the time of the whole request.",
    "never_settles": "Its code waits for something that never happens.",
    "too_deep": "It pulls in texts that pull in texts, more levels deep than are allowed.",
    "data_too_large": "What the code would be given, or gave, is more than may be sent to a sandbox.",
    "sandbox_failed": "The sandbox could not be started, or ended without an answer.",
}
"""By code. A code that is not here comes with a sentence of its own: `failed`, `unsupported_helper`, `output_too_long`."""


def refused(code: str, path: Sequence[str]) -> Refused:
    """A refusal in the words for its code."""
    return Refused(code, SENTENCES[code], path=tuple(path))
