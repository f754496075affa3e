"""`weave --save-chat`: the chat with its state after the turn."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from lorewright.cli.files import about_file, check_free, write_bytes
from lorewright.cli.scene import Scene
from lorewright.cli.turn import OF_MVU
from lorewright.core.weave import Woven
from lorewright.errors import InputError
from lorewright.formats.chat import Chat
from lorewright.formats.chat_edit import with_variables
from lorewright.formats.chat_timers import read_timers, with_timers
from lorewright.formats.chat_write import write_chat_lines
from lorewright.formats.imported import Notes
from lorewright.formats.text import encode_like
from lorewright.mvu.addons import OWN_CHECKS
from lorewright.storage.chat_state import timers_for_chat

__all__ = ["check_saving", "save_chat"]

_HEAD_BYTES: Final = 4096
_NOT_OF_CHATS: Final = OF_MVU | {OWN_CHECKS}


def check_saving(scene: Scene, read_from: str, path: str, *, force: bool) -> None:
    """Refuse what cannot be saved, before anything is written.

    Raises:
        InputError: the chat is no SillyTavern chat, or another file is there already.
    """
    if scene.chat.source is None:
        raise InputError(f"{read_from}: only a SillyTavern chat (.jsonl) can be saved with its state; this is none.")
    if not _is_same(path, read_from):
        check_free(path, force=force)


def save_chat(scene: Scene, woven: Woven, read_from: str, path: str) -> None:
    """Write the chat with the timed effects and variables after a turn, in the encoding in which it was read.

    Raises:
        InputError: its metadata is no object, or the file cannot be written.
    """
    with about_file(read_from):
        text = write_chat_lines(_after(scene, woven))
        data = encode_like(_head(read_from), text)
    write_bytes(path, data)


def _after(scene: Scene, woven: Woven) -> Chat:
    kept = read_timers(scene.chat, Notes())
    chat = with_timers(scene.chat, timers_for_chat(woven.assembly.state, kept, scene.lore))
    variables = _variables(chat, woven)
    return with_variables(chat, variables) if variables or chat.variables else chat


def _variables(chat: Chat, woven: Woven) -> Mapping[str, object]:
    """The variables of the conversation. Those of MVU belong to messages: what the chat has of them stays."""
    local = woven.variables.local
    stay = {name: value for name, value in chat.variables.items() if name in OF_MVU}
    return {**stay, **{name: value for name, value in local.items() if name not in _NOT_OF_CHATS}}


def _is_same(path: str, other: str) -> bool:
    try:
        return Path(path).samefile(other)
    except (OSError, ValueError):
        return False


def _head(path: str) -> bytes:
    """The beginning of the file, by which its encoding is known; nothing of what can be read but once."""
    try:
        if not Path(path).is_file():
            return b""
        with Path(path).open("rb") as file:
            return file.read(_HEAD_BYTES)
    except OSError:
        return b""
