"""The bundled session of 100 turns: somebody writes, swipes, edits, deletes, and the client cuts its window."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from lorewright import NATIVE, ActiveBook, Message, Turn, load_lore, make_tools
from lorewright.core.lore import Lore
from lorewright.core.policy import Policy
from lorewright.core.protocols import RenderContext, Rendered, Renderer, Tools
from lorewright.formats.world_info import read_world_info

FILE = Path(__file__).resolve().parent / "data" / "session-100.json"


class Hours:
    """A renderer whose `{{hour}}` is another text in every turn, beside the macros of another one."""

    def __init__(self, inner: Renderer) -> None:
        self.inner = inner

    def is_template(self, text: str) -> bool:
        return "{{hour}}" in text or self.inner.is_template(text)

    def render(self, text: str, context: RenderContext) -> Rendered:
        if "{{hour}}" not in text:
            return self.inner.render(text, context)
        return Rendered(text.replace("{{hour}}", f"the hour is {len(context.turn.messages)}"), volatile=True)


def make_session_tools() -> Tools:
    tools = make_tools()
    return replace(tools, renderer=Hours(tools.renderer))


class Request(NamedTuple):
    """turn and lore as they are sent. number: of the turn, from 1; done: what the client did to get here."""

    turn: Turn
    lore: Lore
    number: int
    done: tuple[str, ...]


def read() -> dict[str, Any]:
    value: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return value


def requests(tools: Tools, policy: Policy = NATIVE, context_tokens: int = 16_000) -> list[Request]:
    """Every request of the session, as its client sends it."""
    session = read()
    window = session["window"]
    book = read_world_info(session["book"], name="coast").value
    lore = load_lore([ActiveBook(book)], tools, policy)
    chat: list[Message] = []
    found: list[Request] = []
    number, done = 0, []
    for step in session["steps"]:
        kind = next(iter(step))
        done.append(kind)
        if kind == "change_entry":
            changed = [replace(e, content=step["content"]) if e.uid == step[kind] else e for e in book.entries]
            book = replace(book, entries=tuple(changed))
            lore = load_lore([ActiveBook(book)], tools, policy)
            continue
        if kind == "edit":
            place = len(chat) - step["edit"]
            chat[place] = replace(chat[place], text=step["text"])
            continue
        if kind == "delete":
            del chat[len(chat) - step["delete"] :]
            continue
        if kind == "say":
            number += 1
            if chat:
                chat.append(Message("Aria", step["reply"], "assistant"))
            chat.append(Message("Max", step["say"]))
            if number >= window["from_turn"] and len(chat) > window["most_messages"]:
                del chat[: window["cut_messages"]]
                done.append("trim")
        system = Message("System", session["system"], "system", hidden=True)
        turn = Turn(messages=(system, *chat), user="Max", context_tokens=context_tokens)
        found.append(Request(turn, lore, number, tuple(done)))
        done = []
    return found
