"""The messages that go to the model: the client's, with our texts in their places."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, get_args

from lorewright.core.client_texts import SYSTEM_ROLES
from lorewright.core.front import Front, FrontText
from lorewright.core.memo import ANEW, Memo
from lorewright.core.model import Message, Turn
from lorewright.core.place import DEFAULT_DEPTH, Placed, Text
from lorewright.core.record import Form, Record
from lorewright.core.thread import Thread

__all__ = ["OUTLET", "Piece", "PieceKind", "WovenMessage", "lay_out_classic", "lay_out_frozen", "outlets_in"]

PieceKind = Literal["client", "rewritten", "front", "section", "record", "volatile", "placed", "preset"]
"""`rewritten`: the client's text as regex scripts or an entry changed it; `section`: a text that stands in the system
prompt as long as its entry is active; `placed`: a text of the classic placement; `preset`: a text of a preset, or of card, persona and notes that it asks for."""

OUTLET: Final = re.compile(r"\{\{outlet::([^{}]*)\}\}", re.IGNORECASE)
_GAP: Final = "\n\n"
_READING_ORDER: Final = ("assistant", "user", "system")
"""At one depth the system's text stands nearest to the end (spec world-info §8)."""


class Piece(NamedTuple):
    """A part of a message and whose it is: an entry's id, or empty for the client's text. Separators are ours."""

    kind: PieceKind
    entry: str
    text: str


@dataclass(frozen=True, slots=True)
class WovenMessage:
    """A message to send. `index` is its place in the client's request; None: the whole message is ours."""

    index: int | None
    role: str
    name: str
    pieces: tuple[Piece, ...]

    @property
    def content(self) -> str:
        return "".join(piece.text for piece in self.pieces)

    @property
    def passes(self) -> bool:
        """Whether all of it is only of this turn."""
        return bool(self.pieces) and all(piece.kind == "volatile" for piece in self.pieces)

    @property
    def lasting(self) -> str:
        """The content without what is only of this turn."""
        return "".join(piece.text for piece in self.pieces if piece.kind != "volatile")


def outlets_in(text: str) -> Iterator[str]:
    """The names of the outlets that a text asks for."""
    return (found[1].strip() for found in OUTLET.finditer(text))


def _message(turn: Turn, place: int, pieces: Iterable[Piece]) -> WovenMessage:
    """A message of the client."""
    return WovenMessage(place, turn.messages[place].role, turn.messages[place].name, tuple(pieces))


def _client(turn: Turn, place: int, rewritten: Mapping[int, Piece]) -> Piece:
    """What is sent of a client's text."""
    return rewritten.get(place) or Piece("client", "", turn.messages[place].text)


# -- frozen ------------------------------------------------------------------------------------------------------------


def lay_out_frozen(
    thread: Thread, front: Front, volatile: Sequence[Text], rewritten: Mapping[int, Piece], memo: Memo = ANEW
) -> tuple[WovenMessage, ...]:
    """The client's messages, the front around its leading system texts, each record at its node, and what is only of
    this turn behind the newest user message's text. `rewritten`: by place, what is sent of a client's text."""
    turn, first = thread.turn, thread.leading
    last = thread.places[thread.newest_user] if thread.newest_user is not None else None
    leading = [
        _message(turn, place, _resolved(_client(turn, place, rewritten), front)) for place in thread.sent[:first]
    ]
    nodes = [(thread.places[at], node.records) for at, node in thread.noted() if node.records]
    records = {place: [one for one in found if one.place == "turn"] for place, found in nodes}
    touched = {*records, *rewritten} | ({last} if volatile and last is not None else set())
    found = list(memo.each(_untouched, turn.messages)[first : len(thread.sent)])
    for place in sorted((place for place in touched if first <= place < len(thread.sent)), reverse=True):
        client, own = _client(turn, place, rewritten), volatile if place == last else ()
        found[place - first : place - first + 1] = _with_records(turn, place, client, records.get(place, ()), own)
    return (*_with_front(leading, front), *found)


def _untouched(place: int, message: Message) -> WovenMessage:
    """A message of the client as it came."""
    pieces = (Piece("client", "", message.text),) if message.text else ()
    return WovenMessage(place, message.role, message.name, pieces)


def _resolved(client: Piece, front: Front) -> Iterator[Piece]:
    """A leading system text with the texts of its outlets in their places."""
    text, end = client.text, 0
    for found in OUTLET.finditer(text):
        if end < found.start():
            yield client._replace(text=text[end : found.start()])
        named = front.outlets.get(found[1].strip(), ())
        yield from (Piece("front", one.entry, f"\n{one.text}" if n else one.text) for n, one in enumerate(named))
        end = found.end()
    if end < len(text) or not text:
        yield client._replace(text=text[end:])


def _with_front(leading: list[WovenMessage], front: Front) -> Iterator[WovenMessage]:
    """The client's leading texts with ours before the first and behind the last of them, or in messages around them."""
    head, own_head = _split(front.head, has_inside=bool(leading))
    tail, own_tail = _split(front.tail, has_inside=bool(leading))
    if head:
        first = leading[0]
        gap = [Piece("front", head[-1].entry, _GAP)] if first.content else []
        leading = [replace(first, pieces=(*_joined(head), *gap, *first.pieces)), *leading[1:]]
    if tail:
        last = leading[-1]
        leading = [*leading[:-1], replace(last, pieces=(*last.pieces, *_joined(tail, is_first=not last.content)))]
    yield from _apart(own_head)
    yield from leading
    yield from _apart(own_tail)


def _split(texts: Iterable[FrontText], *, has_inside: bool) -> tuple[list[Piece], list[Piece]]:
    """The texts that stand inside a message of the client, and those that stand apart."""
    inside: list[Piece] = []
    apart: list[Piece] = []
    for text in texts:
        part = inside if text.form == "inside" and has_inside else apart
        part.append(Piece("front" if text.is_kept else "section", text.entry, text.text))
    return inside, apart


def _with_records(
    turn: Turn, place: int, client: Piece, records: Sequence[Record], volatile: Sequence[Text]
) -> Iterator[WovenMessage]:
    if not records and not volatile:
        yield _message(turn, place, (client,) if client.text else ())
        return
    ours = {form: [Piece("record", r.entry, r.text) for r in records if r.form == form] for form in get_args(Form)}
    yield from _apart(ours["message"])
    pieces = list(_joined(ours["inside"]))
    if client.text:
        gap = [Piece("record", pieces[-1].entry, _GAP)] if pieces else []
        pieces += [*gap, client]
    for entry, text in volatile:
        pieces.append(Piece("volatile", entry, _GAP + text if pieces else text))
    yield _message(turn, place, pieces)


def _joined(pieces: Iterable[Piece], *, is_first: bool = True) -> Iterator[Piece]:
    """Texts of ours with a gap between them, and before the first one if it is not the first in its message."""
    for piece in pieces:
        yield piece if is_first else piece._replace(text=_GAP + piece.text)
        is_first = False


def _apart(pieces: Sequence[Piece]) -> Iterator[WovenMessage]:
    if pieces:
        yield WovenMessage(None, "system", "", tuple(_joined(pieces)))


# -- classic -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Depth:
    """What stands at one depth: texts by role, and the texts around the author's note."""

    texts: dict[str, list[Text]] = field(default_factory=dict)
    note: list[Text] = field(default_factory=list)

    def messages(self) -> Iterator[WovenMessage]:
        for role in _READING_ORDER:
            if role == "system":
                yield from _placed(role, self.note)
            yield from _placed(role, self.texts.get(role, []))


def lay_out_classic(
    turn: Turn,
    sent: Sequence[int],
    placed: Placed,
    *,
    note_without_note: bool,
    rewritten: Mapping[int, Piece] = MappingProxyType({}),
) -> tuple[WovenMessage, ...]:
    """SillyTavern's positions in a plain chat: `before` and `after` around the system texts at the top, at-depth texts
    so many messages before the end, the author's note at depth 4. Sections of the channel `system` stand around all of
    that at the top, texts of the channel `message` at the very end.

    Only messages that are not hidden count for the depth. `note_without_note`: texts around the author's note are
    placed although there is none. `rewritten`: by place, what is sent of a client's text.
    """
    placed = placed.by_position()
    messages = [_message(turn, place, [_client(turn, place, rewritten)]) for place in sent]
    leading = next((n for n, message in enumerate(messages) if message.role not in SYSTEM_ROLES), len(messages))
    chat = messages[leading:]
    shown = [not turn.messages[place].hidden for place in sent[leading:]]
    total = sum(shown)
    depths: dict[int, _Depth] = {}
    for group in placed.at_depth:
        texts = depths.setdefault(_depth(group.depth, total), _Depth()).texts
        texts.setdefault(group.role_name, []).extend(group.texts)
    around_note = [*placed.note_top, *placed.note_bottom]
    if placed.authors_note is not None:
        around_note = [Text(around_note[0].entry if around_note else "", placed.authors_note)]
    elif not note_without_note:
        around_note = []
    if around_note:
        depths.setdefault(_depth(DEFAULT_DEPTH, total), _Depth()).note = around_note
    found = [*_placed("system", placed.before), *messages[:leading], *_placed("system", placed.after)]
    left = total
    for message, is_shown in zip(chat, shown, strict=True):
        if is_shown and left in depths:
            found += depths[left].messages()
        left -= is_shown
        found.append(message)
    return (*found, *(depths[0].messages() if 0 in depths else ()))


def _placed(role: str, texts: Iterable[Text]) -> Iterator[WovenMessage]:
    pieces = tuple(Piece("placed", entry, f"\n{text}" if n else text) for n, (entry, text) in enumerate(texts))
    if pieces:
        yield WovenMessage(None, role, "", pieces)


def _depth(depth: float | str | None, chat: int) -> int:
    """How many messages stand behind; at most all of them."""
    try:
        number = float(DEFAULT_DEPTH if depth is None else depth)
    except ValueError:
        number = DEFAULT_DEPTH
    return 0 if math.isnan(number) else int(min(max(number, 0), chat))
