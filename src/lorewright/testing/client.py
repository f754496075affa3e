"""A chat client that does what people do: write, swipe, edit, delete, go back to an earlier branch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from lorewright.core.model import Message, Turn

__all__ = ["ACTIONS", "Action", "ChatClient", "Step"]

Action = Literal[
    "say",
    "regenerate",
    "edit",
    "delete",
    "trim",
    "summarise",
    "save_branch",
    "load_branch",
    "new_chat",
    "call_tool",
    "prefill",
    "set_system",
]
ACTIONS: Final[tuple[Action, ...]] = (
    *("say", "regenerate", "edit", "delete", "trim", "summarise", "save_branch", "load_branch", "new_chat"),
    *("call_tool", "prefill", "set_system"),
)


@dataclass(frozen=True, slots=True)
class Step:
    """One action. `text` is what is written by it, `at` chooses a message, a branch or a number, whatever it means."""

    action: Action
    text: str = ""
    at: int = 0


class ChatClient:
    """Keeps a chat and its branches as a client does; `messages` are what it sends next.

    Every step leaves a chat that ends with a message of the user, a tool's result or the beginning of a reply.
    """

    def __init__(self, system: str = "", first: str = "Hello") -> None:
        self.system = system
        self.chat: list[Message] = [_user(first)]
        self.branches: list[tuple[str, list[Message]]] = []

    @property
    def messages(self) -> tuple[Message, ...]:
        prompt = (Message("System", self.system, "system", hidden=True),) if self.system else ()
        return (*prompt, *self.chat)

    def turn(self, **fields: object) -> Turn:
        """The request; `fields` are further fields of the turn."""
        return Turn(messages=self.messages, **fields)  # type: ignore[arg-type]  # the caller knows their types

    def run(self, steps: Sequence[Step]) -> None:
        for step in steps:
            self.act(step)

    def act(self, step: Step) -> None:
        """Do one step. One that is impossible now, such as deleting from a chat of one message, does nothing."""
        chat, text, at = self.chat, step.text, step.at
        place = at % len(chat)
        if step.action == "say":
            self._answer(f"Reply {at % 3}.")
            chat.append(_user(text))
        elif step.action == "edit":
            old = chat[place]
            chat[place] = Message(old.name, text, old.role, old.hidden, old.attachments)
        elif step.action == "delete":
            del chat[max(1, place) :]
            self._end_with_user(text)
        elif step.action == "trim" and len(chat) > 2:
            del chat[: 1 + at % (len(chat) - 2)]
            self._end_with_user(text)
        elif step.action == "summarise" and len(chat) > 2:
            chat[: 1 + at % (len(chat) - 2)] = [Message("Aria", f"So far: {text}", "assistant")]
            self._end_with_user(text)
        elif step.action == "save_branch":
            self.branches = [*self.branches, (self.system, list(chat))][-4:]
        elif step.action == "load_branch" and self.branches:
            self.system, saved = self.branches[at % len(self.branches)]
            self.chat = list(saved)
        elif step.action == "new_chat":
            self.chat = [_user(text)]
        elif step.action == "call_tool":
            call = Message("Aria", "", "assistant", hidden=True, attachments=(f'look {{"at":"{text}"}}',))
            self._answer()
            chat += [call, Message("look", text, "tool", hidden=True)]
        elif step.action == "prefill":
            self._answer()
            chat.append(Message("Aria", text, "assistant"))
        elif step.action == "set_system":
            self.system = text

    def _answer(self, text: str = "") -> None:
        """A reply, where the chat waits for one; without a text only one that had begun is dropped."""
        if self.chat[-1].role == "assistant":
            self.chat.pop()
        if text:
            self.chat.append(Message("Aria", text, "assistant"))

    def _end_with_user(self, text: str) -> None:
        if not any(message.role == "user" for message in self.chat):
            self.chat.append(_user(text))


def _user(text: str) -> Message:
    return Message("Max", text)
