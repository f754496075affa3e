"""Forget texts on request. Their commitments stay, so the chain still verifies; what could betray them goes, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lorewright.core.model import Entry, State
from lorewright.errors import LedgerError
from lorewright.ledger.derived import made_by_entry, made_of_messages
from lorewright.ledger.events import (
    MemoryKept,
    ReplyReceived,
    RequestSent,
    TextErased,
    TurnAssembled,
    VariablesChanged,
)
from lorewright.ledger.ledger import IMAGE, NODES_FROM, Ledger
from lorewright.ledger.rest import Rest, refs_below, rests_of
from lorewright.storage.image import Ref, find_refs

__all__ = [
    "Erasure",
    "erase",
    "find_containing",
    "find_entry",
    "find_message",
    "find_reply",
    "plan",
    "store_rest",
    "streams_of",
]

_SHORTEST = 3
_NOTHING = IMAGE.encode("")


@dataclass(frozen=True, slots=True)
class Erasure:
    """What is erased: `texts` on request, `with_them` because they would let a text be guessed. `turns` can no longer be
    repeated, nor can so many of other streams (`elsewhere`), which share texts with this one. kept: what those turns are
    still remembered by, for each stream; forgotten: how many of them are remembered no more, so that a conversation that
    goes on from there is placed anew. clean: nothing of the texts is left in the file or its log."""

    texts: tuple[str, ...]
    with_them: tuple[str, ...]
    turns: tuple[int, ...]
    elsewhere: int = 0
    kept: Mapping[str, Sequence[Rest]] = field(default_factory=dict)
    forgotten: int = 0
    clean: bool = True


def find_message(ledger: Ledger, turn: int, message: int) -> tuple[str, ...]:
    """The text of a client's message, counted from 0.

    Raises:
        LedgerError: there is no such turn or message.
    """
    lines = ledger.lines(turn).messages
    if not 0 <= message < len(lines):
        raise LedgerError(f"Turn {turn} has messages 0 to {len(lines) - 1}, and no {message}.", turn=turn)
    line: tuple[object, ...] = lines[message]  # type: ignore[assignment]
    attachments: tuple[Ref, ...] = line[4]  # type: ignore[assignment]
    return tuple(ref.commitment for ref in (line[2], *attachments) if isinstance(ref, Ref))


def find_reply(ledger: Ledger, turn: int) -> tuple[str, ...]:
    """The texts of the replies to a turn, and what they called tools with."""
    found: dict[str, None] = {}
    for reply in ledger.of_kind(ReplyReceived):
        if reply.turn == turn:
            names = find_refs(IMAGE.encode((reply.text, reply.messages, reply.changed)))
            found |= {name: None for name in names if ledger.store.text(name) != _NOTHING}
    return tuple(found)


def find_entry(ledger: Ledger, entry: str) -> tuple[str, ...]:
    """All versions of an entry (`book.uid`), and its texts wherever they were placed, also inside of another's.

    Raises:
        LedgerError: no book of the ledger has it.
    """
    found: dict[str, None] = {}
    trails = ledger.trails()
    for turn in ledger.turns():
        for _, ref in turn.lore:
            found |= dict.fromkeys(_versions_in(ledger, ref, entry))
        for line in ledger.lines(turn.turn).sent:
            pieces: Sequence[tuple[str, str, str, Ref]] = line[2]  # type: ignore[index]
            found |= {text.commitment: None for kind, whose, _, text in pieces if kind != "client" and whose == entry}
        if ledger.store.text(trails[turn.turn].commitment) is not None:
            records = (record for node in ledger.trail(trails[turn.turn])[2] for record in node.records)
            found |= {record.text.commitment: None for record in records if entry in (*record.holds, *record.pulled)}
    versions = [IMAGE.decode(data) for name in found if (data := ledger.store.text(name))]
    changed = made_by_entry(ledger, entry, [version for version in versions if isinstance(version, Entry)])
    found |= dict.fromkeys(sorted(changed))
    if not found:
        raise LedgerError(f"No book of this ledger has an entry `{entry}`. Give its id, as in `book.uid`.", entry=entry)
    return tuple(found)


def _versions_in(ledger: Ledger, book: Ref, entry: str) -> Iterator[str]:
    """The entry in a version of a book, others of which may be erased already."""
    try:
        name = ledger.texts.get(book)[0].name
        refs = ledger.texts.entry_refs(book)
    except LedgerError:
        return
    for ref in refs:
        if ledger.store.text(ref.commitment) is not None and f"{name}.{ledger.texts.get(ref).uid}" == entry:
            yield ref.commitment


def find_containing(ledger: Ledger, text: str) -> tuple[str, ...]:
    """Every stored text that contains this one.

    Raises:
        LedgerError: it is so short that nearly every text does.
    """
    if len(text.strip()) < _SHORTEST:
        raise LedgerError(f"`{text}` is too short to look for; give at least {_SHORTEST} characters.", text=text)
    needle = IMAGE.encode(text)[1:-1]
    found = []
    for row in ledger.store.texts():
        data = ledger.store.text(row.commitment)
        if data is not None and needle in data:
            found.append(row.commitment)
    return tuple(found)


def plan(ledger: Ledger, commitments: Iterable[str]) -> Erasure:
    """What erasing these texts means. Those that are erased already are left out."""
    wanted = [name for name in dict.fromkeys(commitments) if ledger.store.text(name) is not None]
    endings = _entries_in(ledger, wanted)
    gone = {*wanted, *_states_with(ledger, endings), *made_of_messages(streams_of(ledger), {*wanted})}
    streams = {stream.stream: stream for stream in streams_of(ledger)}
    touched = {name: _touched(stream, gone) for name, stream in streams.items()}
    kept = {name: rests_of(streams[name], turns, gone, endings) for name, turns in touched.items()}
    also: dict[str, None] = {}
    for name, turns in touched.items():
        trails = streams[name].trails() if turns else {}
        for turn in turns:
            trail = dict.fromkeys((turn.trail.commitment, trails[turn.turn].commitment))
            also |= trail | dict.fromkeys([turn.reads.commitment] if turn.reads else [])
    also |= dict.fromkeys(gone)
    also |= dict.fromkeys(_told_of(ledger, touched))
    also |= dict.fromkeys(_unneeded(ledger, {*gone, *also}, [rest for rests in kept.values() for rest in rests]))
    with_them = [name for name in also if name not in wanted and ledger.store.text(name) is not None]
    forgotten = sum(map(len, touched.values())) - sum(map(len, kept.values()))
    here = touched.pop(ledger.stream, [])
    elsewhere = sum(map(len, touched.values()))
    return Erasure(tuple(wanted), tuple(with_them), tuple(turn.turn for turn in here), elsewhere, kept, forgotten)


def streams_of(ledger: Ledger) -> list[Ledger]:
    """All streams of the file: they share texts."""
    names = ledger.store.streams()
    return [ledger if name == ledger.stream else Ledger(ledger.store, name) for name in names]


def _touched(ledger: Ledger, gone: set[str]) -> list[TurnAssembled]:
    """The turns that depend on these texts, and those that went on from them."""
    found: dict[int, TurnAssembled] = {}
    for turn in ledger.turns():
        if turn.parent in found or gone.intersection(_texts_of(ledger, turn)):
            found[turn.turn] = turn
    return list(found.values())


def _told_of(ledger: Ledger, touched: Mapping[str, Sequence[TurnAssembled]]) -> Iterator[str]:
    """What else betrays these turns: commands in messages, which are quoted, and hashes of requests."""
    for stream in streams_of(ledger):
        turns = {turn.turn for turn in touched[stream.stream]}
        changes = stream.of_kind(VariablesChanged) if turns else ()
        yield from (change.commands.commitment for change in changes if change.turn in turns)
        requests = stream.of_kind(RequestSent) if turns else ()
        yield from (request.sha256.commitment for request in requests if request.turn in turns)


def erase(ledger: Ledger, commitments: Iterable[str], rule: str = "erase") -> Erasure:
    """Erase texts; `rule` is written into the event that says so. With them go the seal and the nodes of each turn that had one of them, and of those that went on from
    it: hashes that a short text could be guessed from.

    Where only texts of entries go, the nodes stay without them, and the conversation goes on. Else it goes on from what
    is left; what was placed behind it is placed anew.
    """
    with ledger.store.transaction():
        found = plan(ledger, commitments)
        if not found.texts:
            return found
        ledger.append(
            TextErased(
                at=ledger.clock(),
                texts=tuple(map(Ref, found.texts)),
                with_them=tuple(map(Ref, found.with_them)),
                rule=rule,
            )
        )
        ledger.store.erase((*found.texts, *found.with_them))
        for stream in streams_of(ledger):
            for rest in found.kept.get(stream.stream, ()):
                stream.append(MemoryKept(at=ledger.clock(), turn=rest.turn, trail=store_rest(stream, rest)))
            stream.place_nodes()
    ledger.refresh()
    return replace(found, clean=ledger.store.sweep())


def store_rest(ledger: Ledger, rest: Rest) -> Ref:
    """Store what stays of a turn's nodes. Not by way of what is kept beside the file, which knows texts that are erased."""

    def put(value: object) -> Ref:
        return Ref(ledger.store.put_text(IMAGE.encode(value)))

    nodes = [replace(node, after=put(node.after)) if isinstance(node.after, State) else node for node in rest.nodes]
    return put((b"", rest.turn, *nodes))


def _texts_of(ledger: Ledger, turn: TurnAssembled) -> set[str]:
    """All texts that a turn depends on."""
    lines = ledger.lines(turn.turn)
    trail = ledger.store.text(ledger.trails()[turn.turn].commitment) or b""
    found = {*find_refs(IMAGE.encode(lines.messages)), *find_refs(IMAGE.encode(lines.sent)), *find_refs(trail)}
    for _, ref in (*turn.scene, *turn.lore):
        found.update(refs_below(ledger, ref.commitment))
    return found


def _unneeded(ledger: Ledger, gone: set[str], kept: Iterable[Rest]) -> list[str]:
    """The texts of the file that nothing refers to once these are gone and those are stored."""
    needed: set[str] = set()
    waiting = [
        name for stream in ledger.store.streams() for row in ledger.store.events(stream) for name in find_refs(row.body)
    ]
    waiting += (name for rest in kept for name in rest.refs())
    while waiting:
        name = waiting.pop()
        if name not in needed and name not in gone:
            needed.add(name)
            waiting += find_refs(ledger.store.text(name) or b"")
    return [row.commitment for row in ledger.store.texts() if row.commitment not in needed]


def _entries_in(ledger: Ledger, wanted: Iterable[str]) -> tuple[str, ...]:
    """How the ids of entries end that are among these texts."""
    values = (IMAGE.decode(data) for name in wanted if (data := ledger.store.text(name)))
    return tuple(f".{value.uid}" for value in values if isinstance(value, Entry))


def _states_with(ledger: Ledger, endings: tuple[str, ...]) -> set[str]:
    """The states with a timer of such an entry: it names the hash of the entry's text."""
    found: set[str] = set()
    for ref in (ref for stream in streams_of(ledger) for ref in stream.trails().values()) if endings else ():
        trail = ledger.store.text(ref.commitment)
        for node in IMAGE.decode(trail)[NODES_FROM:] if trail else ():
            state = ledger.store.text(node.after.commitment) if node.after else None
            timers = IMAGE.decode(state) if state else State()
            if any(entry.endswith(endings) for entry in (*timers.sticky, *timers.cooldown)):
                found.add(node.after.commitment)
    return found
