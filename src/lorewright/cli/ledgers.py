"""The answers of the `ledger` commands, for programs and for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from lorewright.cli.explaining import show_replaced
from lorewright.cli.screen import Screen, count
from lorewright.core.woven import WovenMessage
from lorewright.errors import InputError
from lorewright.ledger.difference import TurnDifference
from lorewright.ledger.erase import Erasure, find_containing, find_entry, find_message, find_reply
from lorewright.ledger.events import ReplyReceived
from lorewright.ledger.ledger import Ledger, open_ledger
from lorewright.ledger.replay import Replayed
from lorewright.ledger.verify import Verified
from lorewright.ledger.why import Because

__all__ = [
    "erasure_object",
    "list_turns",
    "moment",
    "open_stream",
    "show_difference",
    "show_erasure",
    "show_replayed",
    "show_sent",
    "show_turns",
    "show_verified",
    "show_why",
    "verified_object",
    "wanted_texts",
]

_DIGITS = 16


def open_stream(file: str, stream: str) -> Ledger:
    """Open a stream of a ledger that is there.

    Raises:
        LedgerError: the file is no ledger, or cannot be opened.
        InputError: it has streams, but none of this name.
    """
    opened = open_ledger(file, stream, create=False)
    names = opened.store.streams()
    if names and stream not in names:
        opened.close()
        known = ", ".join(f"`{name}`" for name in names)
        raise InputError(f"{file} has no stream `{stream}`; it has: {known}. Choose with --stream.", path=file)
    return opened


def list_turns(ledger: Ledger) -> list[dict[str, Any]]:
    """One object for each turn, with what the provider counted for its last reply."""
    replies: dict[int, ReplyReceived] = {reply.turn: reply for reply in ledger.of_kind(ReplyReceived)}
    found = []
    for turn in ledger.turns():
        reply = replies.get(turn.turn)
        found.append(
            {
                "turn": turn.turn,
                "parent": turn.parent,
                "number": turn.number,
                "at": moment(turn.at),
                "messages": len(ledger.lines(turn.turn).sent),
                "active": list(turn.active),
                "moves": [{"cause": move.cause, "entry": move.entry} for move in ledger.moves(turn.turn)],
                "hash": turn.hash,
                "prompt_tokens": reply.prompt_tokens if reply else None,
                "cached_tokens": reply.cached_tokens if reply else None,
            }
        )
    return found


def moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def show_turns(turns: Sequence[dict[str, Any]], screen: Screen) -> None:
    names = ("turn", "at", "after", "messages", "active", "moves", "prompt tokens", "cached")
    screen.table(
        names,
        (
            (
                str(turn["turn"]),
                turn["at"],
                str(turn["parent"] or "-"),
                str(turn["messages"]),
                str(len(turn["active"])),
                str(len(turn["moves"])),
                *("-" if turn[name] is None else str(turn[name]) for name in ("prompt_tokens", "cached_tokens")),
            )
            for turn in turns
        ),
    )


# -- show --------------------------------------------------------------------------------------------------------------


def show_sent(messages: Iterable[tuple[WovenMessage, tuple[str, ...]]], screen: Screen) -> None:
    for number, (message, attachments) in enumerate(messages):
        screen.heading(f"{number} {message.role}" + (f" ({message.name})" if message.name else ""))
        for (kind, entry), pieces in groupby(message.pieces, key=lambda piece: (piece.kind, piece.entry)):
            text = "".join(piece.text for piece in pieces)
            screen.line((f"{kind} {entry}".rstrip(), "dim"))
            screen.text(text.strip("\n") if kind != "client" else text)
        for attachment in attachments:
            screen.line(("attached", "dim"))
            screen.text(attachment)


# -- why ---------------------------------------------------------------------------------------------------------------


def show_why(found: Because, screen: Screen) -> None:
    verdict = found.verdict
    mark = ("in   ", "bold green") if verdict.active else ("out  ", "bold red")
    title = verdict.title or verdict.entry
    screen.line(mark, (title, "bold"), (f" ({verdict.entry}), turn {found.turn}", "dim"))
    screen.line(f"     {verdict.reason.sentence}")
    show_replaced(verdict, screen)
    if found.placed:
        screen.line(f"     its text was sent in message {', '.join(map(str, found.placed))}")
    if found.waiting:
        screen.line(f"     its text waits: {found.waiting}")
    for move in found.moves:
        screen.line(f"     a text of it that stood was moved: {move.cause}")
    if found.replayed.outcome != "same":
        screen.line(("     This turn does not come out as it was recorded: ", "bold red"), found.replayed.message)


# -- diff --------------------------------------------------------------------------------------------------------------


def show_difference(found: TurnDifference, screen: Screen) -> None:
    kept, parting = found.kept, found.parting
    share = f"{kept.kept_bytes} of {kept.total_bytes} bytes ({kept.share:.1%})"
    screen.line(f"Turn {found.second} begins with {share} of turn {found.first}.")
    if kept.first_difference is None:
        screen.line("Nothing of it was moved.")
    elif parting is not None:
        whose = ", ".join(parting.entries) or "the client"
        screen.line(
            ("moved by ", "dim"),
            (kept.cause, "bold red"),
            f": {whose}, message {parting.message}, byte {parting.offset}",
        )
        for mark, piece in (("-", parting.was), ("+", parting.now)):
            if piece is not None:
                screen.line(f"  {mark} {' '.join(piece.text.split())[:100]}")
    for turn, move in found.moves:
        screen.line(f"turn {turn}: {move.cause}" + (f" of {move.entry}" if move.entry else ""))
    for words, entries in (("now active", found.came), ("no longer active", found.went), ("edited", found.entries)):
        if entries:
            screen.line(f"{words}: {', '.join(entries)}")
    for name, before, after in found.policy:
        screen.line(f"rule {name}: {before} before, {after} now")


# -- replay, verify, erase ---------------------------------------------------------------------------------------------


def show_replayed(found: Sequence[Replayed], screen: Screen) -> None:
    for turn in found:
        if turn.outcome != "same":
            style = "bold red" if turn.outcome == "different" else "yellow"
            screen.line(f"turn {turn.turn}: ", (turn.outcome, style), f". {turn.message}")
    same = sum(turn.outcome == "same" for turn in found)
    screen.line(f"{same} of {count(len(found), 'turn')} came out as recorded.")


def verified_object(found: Verified) -> dict[str, Any]:
    return {
        "events": found.events,
        "texts": found.texts,
        "erased": found.erased,
        "heads": {stream: {"event": number, "hash": head} for stream, (number, head) in found.heads.items()},
        "problems": [
            {"stream": problem.stream, "event": problem.event, "message": problem.message} for problem in found.problems
        ],
        "removed": [
            {
                "stream": one.stream,
                "event": one.event,
                "at": moment(one.at),
                "rule": one.rule,
                "turns": list(one.turns),
                "texts": one.texts,
            }
            for one in found.removed
        ],
    }


def show_verified(found: Verified, screen: Screen) -> None:
    for problem in found.problems:
        screen.line(("error", "bold red"), f": {problem.message}")
    erased = f", {found.erased} of them erased" if found.erased else ""
    screen.line(f"{count(found.events, 'event')} and {count(found.texts, 'text')}{erased}: ", *_verdict(found))
    for one in found.removed:
        turns = f", turns {', '.join(map(str, one.turns))}" if one.turns else ""
        screen.line(
            (f"removed {moment(one.at)} by {one.rule} in {one.stream}: {count(one.texts, 'text')}{turns}", "dim")
        )
    for stream, (number, head) in found.heads.items():
        screen.line((f"head of {stream}: event {number}, {head}", "dim"))


def _verdict(found: Verified) -> tuple[tuple[str, str], ...]:
    if found.problems:
        return ((f"{count(len(found.problems), 'problem')}.", "bold red"),)
    return (("as they were recorded.", "bold green"),)


def wanted_texts(
    ledger: Ledger, turn: int | None, message: int | None, reply: bool, entry: str | None, containing: str | None
) -> tuple[str, ...]:
    """The texts that are meant.

    Raises:
        InputError: nothing is named, or more than one thing.
    """
    given = [turn is not None and message is not None, turn is not None and reply, entry is not None, bool(containing)]
    if sum(given) != 1 or (message is not None and reply):
        raise InputError("Name one thing: --turn N --message M, --turn N --reply, --entry ID, or --containing TEXT.")
    if entry is not None:
        return find_entry(ledger, entry)
    if containing:
        return find_containing(ledger, containing)
    assert turn is not None
    return find_reply(ledger, turn) if message is None else find_message(ledger, turn, message)


def erasure_object(found: Erasure, *, done: bool) -> dict[str, Any]:
    return {
        "erased": done,
        "texts": list(found.texts),
        "with_them": list(found.with_them),
        "turns": list(found.turns),
        "elsewhere": found.elsewhere,
        "forgotten": found.forgotten,
        "clean": found.clean,
    }


def show_erasure(found: Erasure, screen: Screen, *, done: bool) -> None:
    """What goes, what goes with it, and what becomes of the conversation."""
    lost = len(found.turns) + found.elsewhere
    turns = f"; {count(lost, 'turn')} can then no longer be repeated" if lost else ""
    screen.line(f"{'Erased' if done else 'This would erase'} {count(len(found.texts), 'text')}{turns}.")
    if found.with_them:
        also = count(len(found.with_them), "more text")
        together = len(found.texts) + len(found.with_them)
        screen.line(f"With that go {also} that would betray it (seals, nodes, states): {together} together.")
    if found.forgotten:
        screen.line(
            f"What {count(found.forgotten, 'turn')} left in memory ends with it: "
            "the conversation goes on from what was before, and later texts are placed anew."
        )
    elif lost:
        screen.line("The conversation goes on; only what was erased no longer stands in it.")
    if not done and found.texts:
        screen.line("Nothing is erased yet; give --yes to do it.")
    if done and not found.clean:
        screen.line("Another program has the file open; the text is gone from it when that one closes it.")
