"""What is known of a request's conversation, in a word for its receipt."""

from __future__ import annotations

from typing import Literal

from lorewright.core.weave import Woven

__all__ = ["History", "history_of"]

History = Literal["new", "known", "one-message", "tie"]
"""`new`: the conversation begins. `known`: it goes on with one. `one-message`, `tie`: it begins anew, since of what was
said before only one message in a row is known, or what is known stands in several places."""


def history_of(woven: Woven) -> History:
    """What became of the client's history in this turn."""
    if woven.doubt == "one_message":
        return "one-message"
    if woven.doubt:
        return woven.doubt
    return "known" if woven.known else "new"
