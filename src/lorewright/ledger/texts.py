"""Books, messages and turns as texts that are each stored once, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final
from weakref import WeakKeyDictionary

from lorewright.core.layout.plan import Plan
from lorewright.core.layout.preset import Preset
from lorewright.core.layout.scene import Card, Persona
from lorewright.core.layout.text_preset import TextPreset
from lorewright.core.model import ActiveBook, Book, Message, Turn
from lorewright.core.woven import Piece, WovenMessage
from lorewright.errors import LedgerError
from lorewright.fast.memo import KeptMemo
from lorewright.ledger.plans import pack_plan, unpack_plan
from lorewright.ledger.sent import Sent
from lorewright.ledger.window import Line
from lorewright.storage.image import Image, Ref
from lorewright.storage.kept import Kept
from lorewright.storage.sqlite import Store

__all__ = ["Stored", "Texts"]

Stored = Preset | TextPreset | Card | Persona
"""What a prompt is laid out from, besides books and messages."""
_CHUNK: Final = 64
"""Entries whose references stand together, so that a changed entry writes few of them again."""
_MOST_BYTES: Final = 900_000
"""Of lines that are kept, and of messages: some 2,200 short ones. Those of the newest chats are kept as lists, too."""
_MOST_REFS: Final = 1000
_LONGEST_KEPT: Final = 400
"""Letters, or bytes, of a value whose reference is kept; that of a longer one is looked up in the file."""
_MOST_THINGS: Final = 1000
_BYTES_OF_A_LINE: Final = 400
_ERASED: Final = "(erased)"
_USUAL: Final = Turn()
_SCENE: Final = tuple(field.name for field in fields(Turn) if field.name != "messages")


def _weigh_key(key: tuple[Any, ...], _: Line) -> int:
    """A line by what it was made of: its texts are kept with it."""
    texts = key[3] if key[0] == "sent" else ()
    return _BYTES_OF_A_LINE + sum(len(piece.text) for piece in texts) + sum(len(t) for t in key if type(t) is str)


def _weigh_message(_: Line, message: Message) -> int:
    return _BYTES_OF_A_LINE + len(message.text) + sum(map(len, message.attachments))


class Texts:
    """The texts of one store. What was put or read stays beside it until it is told to forget."""

    def __init__(self, store: Store, image: Image) -> None:
        self.store = store
        self.image = image
        self._refs: Kept[bytes | str, Ref] = Kept(_MOST_REFS, lambda *_: 1)
        self._lines: Kept[tuple[Any, ...], Line] = Kept(_MOST_BYTES, _weigh_key)
        self._messages: Kept[Line, Message] = Kept(_MOST_BYTES, _weigh_message)
        self._memo = KeptMemo()
        self._books: WeakKeyDictionary[Book, Ref] = WeakKeyDictionary()
        self._read: dict[str, Book] = {}
        self._things: dict[int, tuple[Stored, Ref]] = {}
        """By identity, with the thing itself, so that its identity stays its own."""

    def forget(self) -> None:
        """Forget what is kept beside the file: texts may have been erased, or are not there after all."""
        self._refs.forget()
        self._lines.forget()
        self._messages.forget()
        self._memo = KeptMemo()
        self._books = WeakKeyDictionary()
        self._read.clear()
        self._things.clear()

    def put(self, value: object) -> Ref:
        """Store a value. Only inside of a transaction."""
        data = None if type(value) is str else self.image.encode(value)
        key = str(value) if data is None else data
        known = self._refs.get(key)
        if known is None:
            known = Ref(self.store.put_text(self.image.encode(value) if data is None else data))
            if len(key) <= _LONGEST_KEPT:
                self._refs.put(key, known)
        return known

    def get(self, ref: Ref) -> Any:
        """A stored value.

        Raises:
            LedgerError: it was erased, or is damaged.
        """
        data = self.store.text(ref.commitment)
        if data is None:
            raise LedgerError(
                f"The text {ref.commitment[:12]}… was erased, so what depends on it cannot be repeated. "
                "`lorewright ledger show` prints what is left of a turn.",
                text=ref.commitment,
            )
        return self.image.decode(data)

    # -- books -------------------------------------------------------------------------------------------------------

    def put_book(self, book: Book) -> tuple[Ref, bool]:
        """Store a version of a book; also says whether this object is stored for the first time.

        What a reader keeps of the file's layout, to write it back, is not stored: no engine looks at it.
        """
        if (known := self._books.get(book)) is not None:
            return known, False
        entries = [self.put(entry) for entry in book.entries]
        chunks = tuple(self.put(tuple(entries[at : at + _CHUNK])) for at in range(0, len(entries), _CHUNK))
        ref = self._books[book] = self.put((replace(book, entries=(), extra=self._data(book.extra)), chunks))
        return ref, True

    def _data(self, extra: Mapping[str, object]) -> Mapping[str, object]:
        return {name: value for name, value in extra.items() if self.image.is_data(value)}

    def get_book(self, ref: Ref) -> Book:
        """A version of a book; the same object each time."""
        known = self._read.get(ref.commitment)
        if known is None:
            book, chunks = self.get(ref)
            entries = tuple(self.get(entry) for chunk in chunks for entry in self.get(chunk))
            known = self._read[ref.commitment] = replace(book, entries=entries)
            self._books[known] = ref
        return known

    def entry_refs(self, ref: Ref) -> tuple[Ref, ...]:
        """The entries of a version of a book, one reference each."""
        _, chunks = self.get(ref)
        return tuple(entry for chunk in chunks for entry in self.get(chunk))

    def put_books(self, books: Iterable[ActiveBook]) -> tuple[tuple[tuple[str, Ref], ...], list[tuple[Ref, int]]]:
        """The books of a turn, each with its source; and those objects that were not seen before."""
        found: list[tuple[str, Ref]] = []
        new: list[tuple[Ref, int]] = []
        for active in books:
            ref, is_new = self.put_book(active.book)
            found.append((active.source, ref))
            if is_new:
                new.append((ref, len(active.book.entries)))
        return tuple(found), new

    def get_books(self, lore: Iterable[tuple[Any, Ref]]) -> tuple[ActiveBook, ...]:
        return tuple(ActiveBook(self.get_book(ref), source) for source, ref in lore)

    # -- presets, cards and personas ---------------------------------------------------------------------------------

    def put_thing(self, thing: Stored) -> Ref:
        """Store a version of a preset, a card or a persona. Only inside of a transaction."""
        known = self._things.get(id(thing))
        if known is None:
            if len(self._things) >= _MOST_THINGS:
                self._things.clear()
            if isinstance(thing, Preset):
                ref = self.put((replace(thing, prompts=()), tuple(self.put(prompt) for prompt in thing.prompts)))
            else:
                ref = self.put(thing)
            known = self._things[id(thing)] = thing, ref
        return known[1]

    def get_thing(self, ref: Ref) -> Stored:
        """A version of a preset, a card or a persona.

        Raises:
            LedgerError: it was erased, or a prompt of it, or is damaged.
        """
        found: Any = self.get(ref)
        if isinstance(found, tuple):
            preset, prompts = found
            found = replace(preset, prompts=tuple(self.get(prompt) for prompt in prompts))
        thing: Stored = found
        return thing

    # -- the client's messages ---------------------------------------------------------------------------------------

    def put_messages(self, messages: Sequence[Message]) -> tuple[Line, ...]:
        """Messages of the client as lines. Only inside of a transaction."""
        return tuple(self._memo.each(self._put_message, messages))

    def _put_message(self, _: int, message: Message) -> Line:
        key = (message.role, message.name, message.text, message.hidden, message.attachments)
        line = self._lines.get(key)
        if line is None:
            attachments = tuple(self.put(part) for part in message.attachments)
            line = (message.role, self._named(message.name), self.put(message.text), message.hidden, attachments)
            self._lines.put(key, line)
        return line

    def get_message(self, line: Any) -> Message:
        """The message again; the same object each time."""
        known = self._messages.get(line)
        if known is None:
            role, name, text, hidden, attachments = line
            parts = tuple(self.get(part) for part in attachments)
            known = Message(self.get(name) if name else "", self.get(text), role, hidden, parts)
            self._messages.put(line, known)
        return known

    def put_scene(self, turn: Turn) -> tuple[tuple[str, Ref], ...]:
        """The fields of a turn that differ from an empty one's, but for the messages."""
        changed = [name for name in _SCENE if getattr(turn, name) != getattr(_USUAL, name)]
        return tuple((name, self._put_field(getattr(turn, name))) for name in changed)

    def _put_field(self, value: object) -> Ref:
        return self.put(pack_plan(value, self.put_thing) if isinstance(value, Plan) else value)

    def get_turn(self, scene: Iterable[tuple[str, Ref]], messages: Sequence[Any]) -> Turn:
        """The turn again."""
        changes: dict[str, Any] = {name: self.get(ref) for name, ref in scene}
        if "plan" in changes:
            changes["plan"] = unpack_plan(changes["plan"], self.get_thing)
        return replace(_USUAL, messages=tuple(map(self.get_message, messages)), **changes)

    # -- what is sent ------------------------------------------------------------------------------------------------

    def put_sent(self, messages: Sequence[Sent]) -> tuple[Line, ...]:
        """Messages that are sent as lines. Only inside of a transaction."""
        return tuple(self._memo.each(self._put_sent, messages))

    def _put_sent(self, _: int, sent: Sent) -> Line:
        message, attached = sent
        key = ("sent", message.role, message.name, message.pieces, attached)
        line = self._lines.get(key)
        if line is None:
            pieces = tuple(self._put_piece(piece) for piece in message.pieces)
            attachments = tuple(self.put(part) for part in attached)
            line = self._lines.put(key, (message.role, self._named(message.name), pieces, attachments))
        return line

    def get_sent(self, line: Any) -> tuple[WovenMessage, tuple[str, ...]]:
        """A message as it was sent, and its attachments.

        Raises:
            LedgerError: a text of it was erased.
        """
        return self._sent(line, self.get)

    def get_left(self, line: Any) -> tuple[WovenMessage, tuple[str, ...]]:
        """What is left of a message as it was sent; in place of texts that were erased: `(erased)`."""
        return self._sent(line, lambda ref: _ERASED if self.store.text(ref.commitment) is None else self.get(ref))

    @staticmethod
    def _sent(line: Any, get: Callable[[Ref], Any]) -> tuple[WovenMessage, tuple[str, ...]]:
        role, name, pieces, attachments = line
        found = tuple(Piece(kind, entry, lead + get(text)) for kind, entry, lead, text in pieces)
        message = WovenMessage(None, role, get(name) if name else "", found)
        return message, tuple(get(part) for part in attachments)

    def _put_piece(self, piece: Piece) -> tuple[str, str, str, Ref]:
        bare = piece.text if piece.kind == "client" else piece.text.lstrip("\n")
        return piece.kind, piece.entry, piece.text[: len(piece.text) - len(bare)], self.put(bare)

    def _named(self, name: str) -> Ref | str:
        return self.put(name) if name else ""
