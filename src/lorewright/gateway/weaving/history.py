"""What is known of a request's conversation, in a word for its receipt."""

from __future__ import annotations

from typing import Literal

from lorewright.core.weave import Woven

__all__ = ["History", "history_of"]

History = Literal["new", "known", "one-message", "tie", "stored", "unknown-response"]
"""`new`: the conversation begins. `known`: it goes on with one. `one-message`, `tie`: it begins anew, since of what was
said before only one message in a row is known, or what is known stands in several places. `stored`: it goes on
from a stored response whose history is in the ledger; `unknown-response`: from one whose history is not, so only what
the request holds was looked at."""


def history_of(woven: Woven, *, goes_on: bool = False, is_stored: bool = False) -> History:
    """What became of the client's history in this turn. goes_on: it says that it goes on from a stored response, and
    is_stored whether that is in the ledger."""
    if goes_on:
        return "stored" if is_stored else "unknown-response"
    if woven.doubt == "one_message":
        return "one-message"
    if woven.doubt:
        return woven.doubt
    return "known" if woven.known else "new"
