"""The messages that a client could send: the chat with the active texts woven in.

Example dialogues and outlets have no place in the classic layout of a plain chat; what did not find its place in
either placement is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from lorewright.core.client_texts import SYSTEM_ROLES, sent_messages
from lorewright.core.layout.layout import LaidOut
from lorewright.core.model import Report, Turn
from lorewright.core.place import Placed, Text
from lorewright.core.weave import Woven
from lorewright.core.woven import WovenMessage as Laid
from lorewright.core.woven import lay_out_classic

__all__ = ["Layout", "WovenMessage", "build_messages", "show_messages"]

_WAITS: Final = {
    "no_user_message": "waits for the next message of the user.",
    "outlet_not_named": "has a place only where a text asks for its outlet with {{outlet::name}}, and none that is "
    "placed now does.",
    "lower_authority": "is not placed, because a text about the same subject that can be relied on more stands already.",
}


class WovenMessage(NamedTuple):
    role: str
    content: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """The messages, and what did not find a place in them."""

    messages: tuple[WovenMessage, ...]
    reports: tuple[Report, ...]


def show_messages(woven: Woven, *, classic: bool) -> Layout:
    """The messages of a woven request. Of the hidden ones only a system prompt at the very top is kept."""
    if woven.laid is not None:
        return _show_laid(woven, woven.laid)
    messages, dropped = _without_hidden(woven.turn, woven.messages)
    if classic:
        note_without_note = woven.assembly.profile == "native"
        reports = _reports(woven.assembly.placed, _around_note(woven.assembly.placed), dropped, note_without_note)
    else:
        reports = _frozen_reports(woven, dropped)
    return Layout(messages, tuple(reports))


def _show_laid(woven: Woven, laid: LaidOut) -> Layout:
    """The messages of a preset. What is in none of them has its reason there."""
    messages = tuple(WovenMessage(message.role, message.content, message.name) for message in laid.messages)
    reports = list(_waiting(woven))
    if laid.overrun is not None:
        over = laid.overrun
        message = (
            f"The prompt ends before `{over.what}`, which needs {over.needed_tokens} tokens where {over.left_tokens} are "
            "left, as SillyTavern ends it."
        )
        reports.append(Report(code="prompt_cut", message=message))
    return Layout(messages, tuple(reports))


def build_messages(turn: Turn, placed: Placed, *, note_without_note: bool) -> Layout:
    """The classic layout. `note_without_note`: texts around the author's note are placed although there is none."""
    laid = lay_out_classic(turn, sent_messages(turn), placed, note_without_note=note_without_note)
    messages, dropped = _without_hidden(turn, laid)
    return Layout(messages, tuple(_reports(placed, _around_note(placed), dropped, note_without_note)))


def _around_note(placed: Placed) -> tuple[Text, ...]:
    return (*placed.note_top, *placed.note_bottom)


def _without_hidden(turn: Turn, laid: Sequence[Laid]) -> tuple[tuple[WovenMessage, ...], int]:
    """The messages without hidden ones of the client, and how many these are."""
    leading = next((n for n, m in enumerate(turn.messages) if m.role not in SYSTEM_ROLES), len(turn.messages))
    hidden = {n for n, message in enumerate(turn.messages) if message.hidden and n >= leading}
    shown = [message for message in laid if message.index not in hidden]
    return tuple(WovenMessage(message.role, message.content) for message in shown), len(hidden)


def _frozen_reports(woven: Woven, dropped: int) -> Iterator[Report]:
    if woven.turn.authors_note is not None:
        message = "The author's note is not among the messages: it comes and goes, and this placement lets stand."
        yield Report(code="note_not_in_messages", level="info", message=message)
    yield from _waiting(woven)
    if dropped:
        yield _tell_dropped(dropped)


def _waiting(woven: Woven) -> Iterator[Report]:
    for item in woven.waiting:
        yield Report(
            code=f"waits_{item.reason}",
            level="warning" if item.reason == "outlet_not_named" else "info",
            message=f"The entry is active but {_WAITS[item.reason]}",
            entry=item.entry,
        )


def _reports(placed: Placed, around_note: tuple[Text, ...], dropped: int, note_without_note: bool) -> Iterator[Report]:
    if around_note and not note_without_note:
        yield _left_out(
            "authors_note_off",
            around_note,
            "There is no author's note here, so the texts around it are lost, as in SillyTavern without a note.",
        )
    if placed.examples:
        yield _left_out(
            "examples_not_in_messages",
            [example.text for example in placed.examples],
            "Texts for the example dialogues are listed under positions only.",
        )
    if placed.outlets:
        yield _left_out(
            "outlets_not_in_messages",
            [text for texts in placed.outlets.values() for text in texts],
            "Texts of outlets are listed under positions only; a prompt takes them by {{outlet::name}}.",
        )
    if dropped:
        yield _tell_dropped(dropped)


def _tell_dropped(dropped: int) -> Report:
    message = f"{dropped} hidden messages of the chat are not among the messages."
    return Report(code="hidden_messages_left_out", level="info", message=message)


def _left_out(code: str, texts: Iterable[Text], message: str) -> Report:
    entries = ", ".join(text.entry for text in texts)
    return Report(code=code, message=f"{message} Entries: {entries}.")
