"""The messages that go to the model: the client's, with our texts in their places."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from lorewright.core.model import Message, Turn
from lorewright.core.place import DEFAULT_DEPTH, Placed, Text
from lorewright.core.record import Record
from lorewright.core.thread import SYSTEM_ROLES, Thread

__all__ = ["OUTLET", "Piece", "PieceKind", "WovenMessage", "lay_out_classic", "lay_out_frozen", "outlets_in"]

PieceKind = Literal["client", "rewritten", "front", "record", "volatile", "placed"]
"""`rewritten`: the client's text as regex scripts changed it; `placed`: a text of the classic placement."""

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
    def lasting(self) -> str:
        """The content without what is only of this turn."""
        return "".join(piece.text for piece in self.pieces if piece.kind != "volatile")


def outlets_in(text: str) -> Iterator[str]:
    """The names of the outlets that a text asks for."""
    return (found[1].strip() for found in OUTLET.finditer(text))


def _clients(message: Message, rewritten: str | None) -> Piece:
    """The client's message, or what scripts made of it."""
    return Piece("client", "", message.text) if rewritten is None else Piece("rewritten", "", rewritten)


# -- frozen ------------------------------------------------------------------------------------------------------------


def lay_out_frozen(thread: Thread, front: Sequence[Record], volatile: Sequence[Text]) -> tuple[WovenMessage, ...]:
    """The client's messages, the front behind its leading system texts, each record at its node, and what is only of
    this turn behind the newest user message's text."""
    messages, rewritten = thread.turn.messages, thread.rewritten()
    nodes = dict(zip(thread.places, thread.keys, strict=True))
    last = thread.places[thread.newest_user] if thread.newest_user is not None else None
    found = [
        WovenMessage(place, messages[place].role, messages[place].name, tuple(_resolved(messages[place].text, front)))
        for place in thread.sent[: thread.leading]
    ]
    found = _with_front(found, [record for record in front if record.place == "front"])
    for place in thread.sent[thread.leading :]:
        key = nodes.get(place, "")
        records = [record for record in thread.node(key).records if record.place == "turn"] if key else []
        client = _clients(messages[place], rewritten.get(place))
        found += _with_records(place, messages[place], client, records, volatile if place == last else ())
    return tuple(found)


def _resolved(text: str, front: Sequence[Record]) -> Iterator[Piece]:
    """A leading system text with the texts of its outlets in their places."""
    end = 0
    for found in OUTLET.finditer(text):
        if end < found.start():
            yield Piece("client", "", text[end : found.start()])
        named = [record for record in front if record.place == "outlet" and record.outlet == found[1].strip()]
        yield from (Piece("front", r.entry, f"\n{r.text}" if n else r.text) for n, r in enumerate(named))
        end = found.end()
    if end < len(text) or not text:
        yield Piece("client", "", text[end:])


def _with_front(leading: list[WovenMessage], records: Sequence[Record]) -> list[WovenMessage]:
    inside = [record for record in records if record.form == "inside" and leading]
    apart = [record for record in records if record not in inside]
    found = leading
    if inside:
        last = leading[-1]
        pieces = (*last.pieces, *_our_pieces("front", inside, is_first=not last.content))
        found = [*leading[:-1], WovenMessage(last.index, last.role, last.name, pieces)]
    return [*found, *_apart("front", apart)]


def _with_records(
    place: int, message: Message, client: Piece, records: Sequence[Record], volatile: Sequence[Text]
) -> Iterator[WovenMessage]:
    yield from _apart("record", [record for record in records if record.form == "message"])
    inside = [record for record in records if record.form == "inside"]
    pieces = list(_our_pieces("record", inside, is_first=True))
    if client.text:
        gap = [Piece("record", inside[-1].entry, _GAP)] if inside else []
        pieces += [*gap, client]
    for entry, text in volatile:
        pieces.append(Piece("volatile", entry, _GAP + text if pieces else text))
    yield WovenMessage(place, message.role, message.name, tuple(pieces))


def _our_pieces(kind: PieceKind, records: Sequence[Record], *, is_first: bool) -> Iterator[Piece]:
    for record in records:
        yield Piece(kind, record.entry, record.text if is_first else _GAP + record.text)
        is_first = False


def _apart(kind: PieceKind, records: Sequence[Record]) -> Iterator[WovenMessage]:
    if records:
        yield WovenMessage(None, "system", "", tuple(_our_pieces(kind, records, is_first=True)))


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
    rewritten: Mapping[int, str] | None = None,
) -> tuple[WovenMessage, ...]:
    """SillyTavern's positions in a plain chat: `before` and `after` around the system texts at the top, at-depth texts
    so many messages before the end, the author's note at depth 4.

    Only messages that are not hidden count for the depth. `note_without_note`: texts around the author's note are
    placed although there is none. `rewritten`: by place, messages that regex scripts changed.
    """
    messages = [
        WovenMessage(
            p, turn.messages[p].role, turn.messages[p].name, (_clients(turn.messages[p], (rewritten or {}).get(p)),)
        )
        for p in sent
    ]
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
