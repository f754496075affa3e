"""Responses that go on from a stored one: what was said before is in our ledger, and the upstream has it already.

The recorded history is scanned and counted like any other; sent are the client's new items, our new texts, and our front,
which the API does not carry over from one response to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from lorewright.core.chain import in_chain
from lorewright.core.client_texts import SYSTEM_ROLES
from lorewright.core.model import Message, Turn
from lorewright.core.woven import WovenMessage
from lorewright.errors import LedgerError, RequestError
from lorewright.ledger.events import ReplyReceived, RequestSent
from lorewright.ledger.ledger import FAILED, IMAGE, Ledger
from lorewright.ledger.window import Line
from lorewright.providers.identity import to_messages
from lorewright.providers.openai_responses import decode
from lorewright.providers.request import Request
from lorewright.storage.image import Ref

__all__ = [
    "Continued",
    "Replies",
    "StoredHistory",
    "begins_with_record",
    "instructions_of",
    "items_said",
    "only_new",
    "with_history",
]

_MOST_ITEMS: Final = 1000
"""Of a response that are recorded as messages; each is a text to store while other turns wait."""


class _Answered(NamedTuple):
    turn: int
    text: Ref | None
    lines: tuple[Line, ...]


class StoredHistory(NamedTuple):
    """What was said up to a stored response, it included; the name and scope of its conversation."""

    messages: tuple[Message, ...]
    session: str
    scope: str


class Continued(NamedTuple):
    """What is left to send: what goes into `instructions`, and what into `input`. Places are those of the request."""

    front: tuple[WovenMessage, ...]
    items: tuple[WovenMessage, ...]


class Replies:
    """Which turn a stored response or conversation ended with. Reads what is new in the ledger when it is asked."""

    def __init__(self) -> None:
        self._answered: dict[str, _Answered] = {}
        self._conversations: dict[int, str] = {}
        self._next = {RequestSent: 1, ReplyReceived: 1}

    def history(self, ledger: Ledger, name: str, assistant: str) -> StoredHistory | None:
        """What was said before a request that goes on from `name`, the id of a response or a conversation; None: nobody
        knows, or it was erased. `assistant` is the name of whoever replies."""
        ledger.refresh()  # another process may have erased what is kept beside the file
        self._read(ledger)
        found = self._answered.get(name)
        if found is None:
            return None
        try:
            recorded = ledger.turn(found.turn)[1]
            turn = ledger.texts.get_turn(recorded.scene, ledger.lines(found.turn).messages)
            said = _said(ledger, found, assistant)
        except LedgerError:
            return None
        lead = next((at for at, one in enumerate(turn.messages) if one.role not in SYSTEM_ROLES), len(turn.messages))
        return StoredHistory((*turn.messages[lead:], *said), turn.session, turn.scope)

    def _read(self, ledger: Ledger) -> None:
        for kind in (RequestSent, ReplyReceived):
            for row in ledger.store.events_of(ledger.stream, kind.__name__, self._next[kind]):
                self._next[kind] = row.number + 1
                self._take(IMAGE.decode(row.body))

    def _take(self, event: RequestSent | ReplyReceived) -> None:
        if isinstance(event, RequestSent):
            if event.conversation:
                self._conversations[event.turn] = event.conversation
        elif event.ending != FAILED:
            names = (event.response, self._conversations.get(event.turn, ""))
            answered = _Answered(event.turn, event.text, event.messages)
            self._answered.update({name: answered for name in names if name})


def items_said(items: Sequence[object], text: str) -> tuple[Message, ...]:
    """The items of a response as the messages that a client would send back that keeps its history itself, but for the
    name of whoever replies. Empty: this text is all there is of it, or it cannot be read, or has too many items."""
    if len(items) > _MOST_ITEMS:
        return ()
    try:
        messages = to_messages(decode({"input": list(items)}))
    except (RequestError, RecursionError):
        return ()
    said = tuple(replace(message, name="") for message in messages if in_chain(message))
    return () if said == (Message("", text, "assistant"),) else said


def _said(ledger: Ledger, answered: _Answered, assistant: str) -> tuple[Message, ...]:
    """A recorded reply as messages.

    Raises:
        LedgerError: a text of it was erased.
    """
    if answered.lines:
        return tuple(replace(ledger.texts.get_message(line), name=assistant) for line in answered.lines)
    text = ledger.texts.get(answered.text) if answered.text else ""
    return (Message(assistant, text, "assistant"),) if text else ()


def instructions_of(asked: Request) -> int:
    """How many messages of a request stand beside its items, at the front."""
    return sum(message.place.item is None and message.role in SYSTEM_ROLES for message in asked.messages)


def with_history(turn: Turn, stored: StoredHistory | None, first: int, previous: str) -> Turn:
    """The turn with what was said before, behind its first messages. Where nobody knows that, it is a conversation of
    its own, named by what it goes on from (`previous`): what it seems to begin with is no beginning."""
    if stored is None:
        return replace(turn, scope=turn.scope or f"response:{previous}")
    messages = (*turn.messages[:first], *stored.messages, *turn.messages[first:])
    return replace(turn, messages=messages, session=turn.session or stored.session, scope=turn.scope or stored.scope)


def only_new(woven: Sequence[WovenMessage], first: int, count: int) -> Continued:
    """What of a woven turn is not upstream yet. The history are the `count` messages from place `first` on.

    What stands in front of it goes to the front. A record within it was sent with an earlier request. A text that is
    placed anew in each turn stands in front of the new items, as the history cannot be opened again.
    """
    front: list[WovenMessage] = []
    items: list[WovenMessage] = []
    ours: list[WovenMessage] = []
    is_begun = False
    for message in woven:
        if message.index is None:
            ours.append(message)
            continue
        if message.index < first:
            front += [*ours, message]
        elif message.index < first + count:
            (items if is_begun else front).extend(one for one in ours if not _is_record(one))
            is_begun = True
        else:
            if not is_begun:
                front += [one for one in ours if not _is_record(one)]
                ours = [one for one in ours if _is_record(one)]
            items += [*ours, replace(message, index=message.index - count)]
            is_begun = True
        ours = []
    return Continued(tuple(front), (*items, *ours))


def begins_with_record(woven: Sequence[WovenMessage], first: int) -> bool:
    """Whether a record stands in a message of its own in front of the first item. It must be an item, too: what goes into
    `instructions` is not there any more for the next response."""
    for message in woven:
        if message.index is None and _is_record(message):
            return True
        if message.index is not None and message.index >= first:
            return False
    return False


def _is_record(message: WovenMessage) -> bool:
    return all(piece.kind == "record" for piece in message.pieces)
