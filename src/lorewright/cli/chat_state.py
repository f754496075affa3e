"""What a SillyTavern chat keeps beside its messages, for the turn: timed effects, the author's note, its book."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from lorewright.core.draw import draw_for
from lorewright.core.layout.note import is_due
from lorewright.core.lore import Lore
from lorewright.core.model import ActiveBook, AuthorsNote, Report, State, Turn
from lorewright.core.protocols import RenderContext, Tools
from lorewright.core.variables import Values
from lorewright.formats.chat import Chat
from lorewright.formats.chat_scene import chat_note, metadata_of
from lorewright.formats.chat_timers import read_timers
from lorewright.formats.imported import Notes
from lorewright.storage.chat_state import adopt_timers
from lorewright.storage.state_file import Remembered, read_state

__all__ = ["missing_book", "remember", "with_chat_note"]


def remember(
    path: str | None, chat: Chat, variables: Mapping[str, object], lore: Lore, reports: list[Report]
) -> Remembered:
    """What a state file remembers; a conversation that is new to it begins with what the chat keeps.

    The timed effects of the chat count where the file remembers nothing. What is odd about them is added to `reports`.

    Raises:
        InputError: the file is there but cannot be read, or is no state.
    """
    remembered = Remembered() if path is None else read_state(path)
    notes = Notes()
    kept = read_timers(chat, notes)
    state = replace(remembered.state, variables={**variables, **remembered.state.variables})
    if not (remembered.memory.nodes or _has_timers(state)):
        adopted, found = adopt_timers(kept, lore)
        reports += found
        state = replace(state, sticky=adopted.sticky, cooldown=adopted.cooldown)
    elif _has_timers(kept):
        message = f"The chat keeps timed effects; those in {path} count, as far as it knows the conversation."
        notes.add("chat_timers_unused", message, "info", field="chat_metadata.timedWorldInfo")
    reports += _about_chat(notes)
    return replace(remembered, state=state)


def _has_timers(state: State) -> bool:
    return bool(state.sticky or state.cooldown)


def with_chat_note(turn: Turn, chat: Chat, lore: Lore, tools: Tools, state: State, reports: list[Report]) -> Turn:
    """The turn with the author's note of the chat, if this is its turn, with its macros replaced.

    They read the variables with which the conversation begins, and change none.
    """
    notes = Notes()
    note = chat_note(chat, notes)
    reports += _about_chat(notes)
    if not note.text:
        return turn
    turn = replace(turn, host_facts={"note": note.text, **turn.host_facts})
    if not is_due(note, sum(message.role == "user" for message in turn.messages)):
        return turn
    chance, drawn = draw_for(turn, len(turn.messages)), iter(range(2**31))
    context = RenderContext(
        turn,
        lambda: chance.number("note", "macro", next(drawn)),
        profile=lore.policy.name,
        variables=Values.of(turn, state),
    )
    text = tools.renderer.render(note.text, context).text if tools.renderer.is_template(note.text) else note.text
    return replace(turn, authors_note=AuthorsNote(text))


def missing_book(chat: Chat, books: Iterable[ActiveBook]) -> Iterator[Report]:
    """A report if the chat belongs with a book that takes no part."""
    name = metadata_of(chat).get("world_info")
    if isinstance(name, str) and name and all(active.book.name != name for active in books):
        message = f"Chat: It belongs with the book `{name}`, which takes no part. Give it by --book chat:FILE."
        yield Report(code="chat_book_missing", message=message, level="info", field="chat_metadata.world_info")


def _about_chat(notes: Notes) -> Iterator[Report]:
    return (replace(report, message=f"Chat: {report.message}") for report in notes.reports())
