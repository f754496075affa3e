"""The turn of a request: its chat, who takes part, when it is, and what macros and gates are told."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from lorewright.cli.clock import clock_fields
from lorewright.cli.files import about_file
from lorewright.cli.host import facts_of_card, read_facts, variables_of_card
from lorewright.cli.options import Request
from lorewright.cli.user import read_user
from lorewright.core.gates import Progress
from lorewright.core.model import Character, Report, Turn
from lorewright.errors import InputError
from lorewright.formats.card import Card
from lorewright.formats.chat import Chat
from lorewright.formats.persona import NamedPersona
from lorewright.formats.read import read_chat

__all__ = ["OF_MVU", "ReadTurn", "read_turn"]

_FINISHED: Final = ":finished"
OF_MVU: Final = frozenset({"stat_data", "display_data", "delta_data", "$mvu"})
"""Variables that belong to a message."""
_CHAPTER: Final = re.compile("[1-9][0-9]{0,8}", re.ASCII)


class ReadTurn(NamedTuple):
    """A turn, its chat with the format (empty: there is none), the variables that the chat itself keeps, and the persona."""

    turn: Turn
    chat: Chat
    chat_format: str
    variables: Mapping[str, object]
    user: NamedPersona


def read_turn(request: Request, context_tokens: int, card: Card | None, reports: list[Report]) -> ReadTurn:
    """The turn of a request; no messages where it names no chat.

    What is odd about the chat is added to `reports`.

    Raises:
        InputError: a file or an option cannot be used.
    """
    user = read_user(request.persona, reports)
    chat, chat_format = _read_chat(request, card, reports)
    character = card.character if card else None
    if character is None and chat.character:
        character = Character(name=chat.character, avatar=f"{chat.character}.png")
    clock_ms, offset = clock_fields(request.clock)
    facts, greeting = read_facts(request.facts, reports)
    turn = Turn(
        messages=chat.messages,
        user=chat.user or user.name or "User",
        character=character,
        persona_description=user.persona.text,
        trigger=request.trigger,
        context_tokens=context_tokens,
        session=request.seed,
        progress=tuple(map(_read_progress, request.progress)),
        speaker=request.speaker,
        scenes=frozenset(request.scenes),
        variables={**(variables_of_card(card) if card else {}), **dict(map(_read_variable, request.variables))},
        greeting=greeting,
        clock_ms=clock_ms,
        utc_offset_minutes=offset,
        host_facts={**(facts_of_card(card) if card else {}), **facts},
    )
    return ReadTurn(turn, chat, chat_format, _without_tree(chat.variables, reports), user)


def _without_tree(variables: Mapping[str, object], reports: list[Report]) -> Mapping[str, object]:
    """The variables without a tree of MVU, which belongs to a message: carried out on the newest tree, commands would
    count twice."""
    if "stat_data" not in variables:
        return variables
    message = "Chat: A tree of MVU stands beside the messages and is not read; those that belong to messages are."
    reports.append(Report(code="mvu_tree_of_chat", message=message, field="chat_metadata.variables.stat_data"))
    return {name: value for name, value in variables.items() if name not in OF_MVU}


def _read_chat(request: Request, card: Card | None, reports: list[Report]) -> tuple[Chat, str]:
    if not request.chat:
        return Chat((), request.user), ""
    with about_file(request.chat, "chat"):
        chat = read_chat(request.chat, user=request.user, character=card.character.name if card else None)
    reports += (replace(report, message=f"Chat: {report.message}") for report in chat.reports)
    return chat.value, chat.format


def _read_progress(named: str) -> Progress:
    """How far the reader is, from `BOOK:CHAPTER` or `BOOK:CHAPTER:finished`; the chapter counts from 1."""
    whole = named.removesuffix(_FINISHED)
    book, _, chapter = whole.rpartition(":")
    if not book or not _CHAPTER.fullmatch(chapter):
        raise InputError(
            f"--progress {named}: write BOOK:CHAPTER or BOOK:CHAPTER{_FINISHED}, the chapter as a number from 1.",
            progress=named,
        )
    return Progress(book, int(chapter) - 1, finished=whole != named)


def _read_variable(named: str) -> tuple[str, object]:
    """A name and its value: true, false, a number, or else a text."""
    name, equals, text = named.partition("=")
    if not name or not equals:
        raise InputError(f"--var {named}: write NAME=VALUE.", variable=named)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return name, text
    return name, value if isinstance(value, (bool, int, float, str)) else text
