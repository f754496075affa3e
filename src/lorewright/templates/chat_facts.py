"""What state macros tell of a chat: names, last messages, swipes, how long ago; the same in both of SillyTavern's
engines unless a function says otherwise."""

from __future__ import annotations

from lorewright.core.javascript import trim
from lorewright.templates.context import ChatMessage, Context
from lorewright.templates.date_texts import parse_send_date
from lorewright.templates.dates import INVALID, humanize

__all__ = [
    "being_swiped",
    "chat_range",
    "group_names",
    "idle_duration",
    "last_message_id",
    "last_text",
    "max_context",
    "other_names",
    "summary",
]

_NOVEL_CONTEXT = 8192


def group_names(context: Context, *, muted: bool = True) -> str:
    """The members of the group, without one the character's name."""
    if context.call.group is not None:
        return context.call.group
    if context.group is None:
        return context.char_name
    return ", ".join(member.name for member in context.group.members if muted or not member.muted)


def other_names(context: Context) -> str:
    """Everybody who could speak but the character: members that are not muted, or the user outside groups."""
    if context.call.group is not None:
        return context.call.group
    if context.group is None:
        return context.user_name
    names = (member.name for member in context.group.members if not member.muted)
    return ", ".join(name for name in names if name != context.char_name)


def being_swiped(message: ChatMessage) -> bool:
    """Whether a new swipe of this message is being written."""
    return message.swipes is not None and message.swipe is not None and message.swipe >= message.swipes


def last_message_id(context: Context) -> int | None:
    """The place of the newest message that is not being swiped."""
    for place in range(len(context.chat) - 1, -1, -1):
        if not being_swiped(context.chat[place]):
            return place
    return None


def last_text(context: Context, *, of_user: bool) -> str:
    """The newest message of the user or of anybody else; hidden ones and one being swiped do not count."""
    for message in reversed(context.chat):
        if message.is_user == of_user and not message.hidden and not being_swiped(message):
            return message.text
    return ""


def chat_range(context: Context) -> str:
    """`0-9`, empty without messages."""
    return f"0-{len(context.chat) - 1}" if context.chat else ""


def idle_duration(context: Context) -> str:
    """How long ago the user last wrote, not counting the newest message that is not hidden."""
    seen = False
    for message in reversed(context.chat):
        if message.hidden:
            continue
        if message.is_user and seen:
            if not message.sent:
                break
            sent = parse_send_date(message.sent, context.clock)
            return INVALID if sent is None else humanize(context.clock.epoch_ms - sent)
        seen = True
    return "just now"


def max_context(context: Context) -> int:
    """The context in tokens; NovelAI has at most 8192."""
    settings = context.settings
    return min(settings.max_context, _NOVEL_CONTEXT) if settings.api == "novel" else settings.max_context


def summary(context: Context) -> str:
    """The summary in the box, else the newest one that is stored before the last message."""
    if trim(context.settings.summary):
        return context.settings.summary
    return next((message.summary for message in reversed(context.chat[:-1]) if message.summary), "")
