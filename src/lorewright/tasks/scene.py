"""What texts of a task can read besides its own context: who speaks, the chat, variables, books (spec mvu-filter §7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from lorewright.core.model import EMPTY

__all__ = ["ChatLine", "TaskScene", "code_names", "template_values"]

_TEXTS: Final = (
    "userMessage recentMessages dialogueText candidateText nodeContent eventSummary characterSummary threadSummary "
    "contradictionSummary graphStats schema currentRange worldInfoBefore worldInfoAfter original input lastMessage "
    "lastMessageId trim"
).split()
_LISTS: Final = (
    "chatMessages candidateNodes worldInfoBeforeEntries worldInfoAfterEntries worldInfoAtDepthEntries "
    "activatedWorldInfoNames taskAdditionalMessages"
).split()
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class ChatLine(NamedTuple):
    """A message of the chat; `role` is user, assistant or system."""

    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskScene:
    """The facts of one chat. Give it nothing that a closed gate withholds, and no other chat's variables.

    variables, global_variables: of the chat and of all chats; message_variables: of the newest message as it is shown.
    clock_ms: when it is (milliseconds since 1970; None: nobody says), utc_offset_minutes where (east is positive).
    """

    user: str = ""
    char: str = ""
    persona: str = ""
    description: str = ""
    avatar: str = ""
    chat: tuple[ChatLine, ...] = ()
    chat_id: str = ""
    character_id: int | str | None = None
    character_book: str = ""
    persona_book: str = ""
    chat_book: str = ""
    variables: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    global_variables: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    message_variables: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    clock_ms: int | None = None
    utc_offset_minutes: int = 0

    @property
    def last_user_message(self) -> str:
        """The newest message of the user."""
        return next((line.text for line in reversed(self.chat) if line.role == "user"), "")

    @property
    def last_reply(self) -> str:
        """The newest message of the character."""
        return next((line.text for line in reversed(self.chat) if line.role == "assistant"), "")

    def last_index(self, role: str) -> int:
        """Where the newest message of a role stands, from 0; -1: nowhere."""
        return max((place for place, line in enumerate(self.chat) if line.role == role), default=-1)

    @property
    def scopes(self) -> dict[str, dict[str, Any]]:
        """All variables by scope."""
        return {
            "global": dict(self.global_variables),
            "local": dict(self.variables),
            "message": dict(self.message_variables),
        }

    @property
    def time(self) -> str:
        """Date and time as a Chinese program shows them, "" if nobody says when it is."""
        if self.clock_ms is None:
            return ""
        try:
            now = _EPOCH + timedelta(milliseconds=self.clock_ms, minutes=self.utc_offset_minutes)
        except OverflowError:
            return ""
        return f"{now.year}/{now.month}/{now.day} {now:%H:%M:%S}"


def template_values(scene: TaskScene, context: Mapping[str, Any]) -> dict[str, Any]:
    """What `{{path}}` finds in entries and keys: empty defaults, the scene, and the context over both."""
    typed = context.get("user_input")
    said = typed if isinstance(typed, str) else scene.last_user_message
    snapshot = _snapshot(scene)
    return {
        **dict.fromkeys(_TEXTS, ""),
        **{name: [] for name in _LISTS},
        "user": scene.user,
        "char": scene.char,
        "userName": scene.user,
        "charName": scene.char,
        "assistantName": scene.char,
        "persona": scene.persona,
        "userPersona": scene.persona,
        "charDescription": scene.description,
        "currentTime": scene.time,
        "lastUserMessage": said,
        "last_user_message": said,
        "userInput": said,
        "user_input": said,
        "newline": "\n",
        **context,
        "hostSnapshot": snapshot,
        "stSnapshot": snapshot,
    }


def code_names(scene: TaskScene, values: Mapping[str, Any]) -> dict[str, Any]:
    """What EJS finds under its name, beside its functions; `values` are those of `template_values`."""
    said = values["user_input"]
    merged = {**scene.global_variables, **scene.variables, **scene.message_variables}
    return {
        **values,
        "stat_data": merged.get("stat_data"),
        "persona": values["persona"] or values["userPersona"] or scene.persona,
        "characterId": scene.character_id,
        "chatId": scene.chat_id,
        "userInput": said,
        "user_input": said,
        "lastUserMessage": said or scene.last_user_message,
        "last_user_message": said or scene.last_user_message,
        "lastUserMessageId": scene.last_index("user"),
        "lastCharMessage": scene.last_reply,
        "lastCharMessageId": scene.last_index("assistant"),
        "lastMessageId": len(scene.chat) - 1,
        "charLoreBook": scene.character_book,
        "userLoreBook": scene.persona_book,
        "chatLoreBook": scene.chat_book,
        "charAvatar": scene.avatar and f"/characters/{scene.avatar}",
        "userAvatar": "",
        "groups": [],
        "groupId": None,
        "model": "",
        "SillyTavern": {
            "chat": values["hostSnapshot"]["chat"]["messages"],
            "chatId": scene.chat_id,
            "characterId": scene.character_id,
            "name1": scene.user,
            "name2": scene.char,
        },
    }


def _snapshot(scene: TaskScene) -> dict[str, Any]:
    """The scene as the recorded program hands it to templates."""
    avatar = scene.avatar and f"/characters/{scene.avatar}"
    books = {"character": scene.character_book, "persona": scene.persona_book, "chat": scene.chat_book}
    messages = [
        {"is_user": line.role == "user", "is_system": line.role == "system", "mes": line.text} for line in scene.chat
    ]
    return {
        "persona": {"text": scene.persona, "lorebook": scene.persona_book},
        "character": {
            "id": scene.character_id,
            "name": scene.char,
            "description": scene.description,
            "avatar": avatar,
            "worldbook": scene.character_book,
        },
        "user": {"name": scene.user, "avatar": ""},
        "chat": {"id": scene.chat_id, "messages": messages, "lastUserMessage": scene.last_user_message},
        "worldbook": books,
        "variables": {
            "global": dict(scene.global_variables),
            "local": dict(scene.variables),
            "merged": {**scene.global_variables, **scene.variables},
        },
        "time": {"current": scene.time, "locale": "zh-CN"},
    }
