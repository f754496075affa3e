"""Names, cards, the chat, the clock and settings (spec macros §C)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final, Literal

from lorewright.templates import chat_facts
from lorewright.templates.context import Clock, Context, Json, Settings
from lorewright.templates.date_texts import parse_date
from lorewright.templates.dates import INVALID, format_date, format_now, humanize
from lorewright.templates.examples import format_examples
from lorewright.templates.rendered import Kind
from lorewright.templates.sillytavern.registry import Handler, Macro, MacroError
from lorewright.templates.sillytavern.run import Invocation

__all__ = ["STATE_MACROS"]

_UTC: Final = re.compile(r"UTC([+-]\d+)", re.ASCII)
_MOST_HOURS: Final = 15
_MOST_DIGITS: Final = 6


def _from_context(names: str, kind: Kind | None, read: Callable[[Context], Json]) -> Handler:
    """A macro without arguments that reads something of the context; `names` are recorded."""
    listed = names.split()

    def handler(call: Invocation) -> Json:
        for name in listed:
            call.run.record.read(name, kind)
        return read(call.run.context)

    return handler


def _from_settings(name: str, read: Callable[[Settings], Json]) -> Handler:
    return _from_context(f"setting:{name}", "state", lambda context: read(context.settings))


def _card(field: str) -> Handler:
    return lambda call: call.run.cards.get(field)


def _examples(call: Invocation) -> str:
    context = call.run.context
    for name in ("setting:api", "setting:example_separator", "setting:instruct"):
        call.run.record.read(name)
    for name in ("user", "char", "group"):
        call.run.record.read(name, None)
    return format_examples(call.run.cards.get("examples"), context, call.run.cards.substitute)


def _greeting(call: Invocation) -> str:
    digits = call.arguments[0].strip() if call.arguments else "0"
    return call.run.cards.greeting(int(digits)) if len(digits) <= _MOST_DIGITS else ""


def _version(call: Invocation) -> str:
    return call.run.cards.version()


def _original(call: Invocation) -> str:
    run = call.run
    run.record.read("call:original", None)
    original = run.context.call.original
    if original is None:
        raise MacroError("There is no original text here.")
    first = not run.original_used
    run.original_used = True
    return original if first else ""


def _outlet(call: Invocation) -> str:
    key = call.arguments[0]
    outlets = call.run.context.outlets
    if outlets is None:
        call.run.record.read(f"outlet:{key}", None)
        return f"{{{{outlet::{key}}}}}"
    call.run.record.read(f"outlet:{key}")
    return outlets.get(key, "")


def _folded(name: str) -> str:
    """A name without case and accents."""
    letters = unicodedata.normalize("NFD", name)
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).lower()


def _has_extension(call: Invocation) -> bool:
    call.run.record.read("setting:extensions")
    call.run.record.read("setting:disabled_extensions")
    settings = call.run.context.settings
    wanted = _folded(call.arguments[0])
    found = next((e for e in settings.extensions if _folded(e) in {wanted, f"third-party/{wanted}"}), None)
    return found is not None and found not in settings.disabled_extensions


def _last_message(context: Context) -> str:
    place = chat_facts.last_message_id(context)
    return "" if place is None else context.chat[place].text


def _last_swipe(context: Context) -> Json:
    return context.chat[-1].swipes if context.chat else None


def _current_swipe(context: Context) -> Json:
    swipe = context.chat[-1].swipe if context.chat else None
    return None if swipe is None else swipe + 1


def _clock(pattern: str) -> Handler:
    return _from_context("clock", "clock", lambda context: format_now(context.clock, pattern))


def _time(call: Invocation) -> str:
    call.run.record.read("clock", "clock")
    clock = call.run.context.clock
    found = _UTC.fullmatch(call.arguments[0]) if call.arguments else None
    if found is None or len(found[1]) > _MOST_DIGITS:
        return format_now(clock, "LT")
    shift = int(found[1])
    return format_date(clock.epoch_ms, shift * 60 if abs(shift) <= _MOST_HOURS else shift, "LT")


def _datetimeformat(call: Invocation) -> str:
    call.run.record.read("clock", "clock")
    return format_now(call.run.context.clock, call.arguments[0])


def _idle(call: Invocation) -> str:
    call.run.record.read("chat")
    call.run.record.read("clock", "clock")
    return chat_facts.idle_duration(call.run.context)


def _time_diff(call: Invocation) -> str:
    clock: Clock = call.run.context.clock
    call.run.record.read("zone", None)
    left, right = (parse_date(text, clock) for text in call.arguments)
    return INVALID if left is None or right is None else humanize(left - right, suffix=True)


def _sequence(key: str, otherwise: str = "") -> Handler:
    """A sequence of the instruct template; empty when it is off."""

    def read(settings: Settings) -> str:
        sequences = settings.instruct.sequences
        found = sequences.get(key) or (sequences.get(otherwise) if otherwise else "")
        return (found or "") if settings.instruct.enabled else ""

    return _from_settings("instruct", read)


def _system_prompt(call: Invocation) -> str:
    call.run.record.read("setting:system_prompt")
    default = call.run.context.settings.system_prompt
    if default is None:
        return ""
    return call.run.cards.get("system_prompt") or default


def _expression_key(context: Context, name: str) -> str | None:
    """The key of a character's sprites: the image's name without its ending, else the character's name."""
    cards = {member.name: member.card for member in (context.group.members if context.group else ())}
    if context.card is not None:
        cards[context.char] = cards.get(context.char) or context.card
    if name not in cards:
        return None
    card = cards[name]
    return card.avatar.rpartition(".")[0] or card.avatar if card and card.avatar else name


def _last_expression(call: Invocation) -> str:
    record, context = call.run.record, call.run.context
    record.read("setting:expressions")
    for name in ("char", "group", "card:avatar"):
        record.read(name, None)
    key = _expression_key(context, call.arguments[0] if call.arguments else context.char)
    return context.settings.expressions.last.get(key, "") if key else ""


def _expressions(settings: Settings) -> str:
    return ", ".join(dict.fromkeys((*settings.expressions.known, *settings.expressions.custom)))


def _image_prefix(place: Literal[0, 1]) -> Handler:
    return _from_context(
        "setting:image_prefix group card:avatar",
        "state",
        lambda context: "" if context.group or not context.card else context.settings.image_prefix[place],
    )


_NAME_MACROS = (
    Macro("user", "D", _from_context("user", None, lambda context: context.user_name)),
    Macro("char", "D", _from_context("char", None, lambda context: context.char_name)),
    Macro("group", "D", _from_context("group char", None, chat_facts.group_names), hidden=("charIfNotGroup",)),
    Macro(
        "groupNotMuted",
        "D",
        _from_context("group char", None, lambda context: chat_facts.group_names(context, muted=False)),
    ),
    Macro("notChar", "D", _from_context("group char user", None, chat_facts.other_names)),
)

_CARD_MACROS = (
    Macro("charPrompt", "D", _card("system_prompt")),
    Macro("charInstruction", "D", _card("post_history")),
    Macro("charDescription", "D", _card("description"), aliases=("description",)),
    Macro("charPersonality", "D", _card("personality"), aliases=("personality",)),
    Macro("charScenario", "D", _card("scenario"), aliases=("scenario",)),
    Macro("persona", "D", _card("persona")),
    Macro("mesExamplesRaw", "D", _card("examples")),
    Macro("mesExamples", "D", _examples),
    Macro("charDepthPrompt", "D", _card("depth_prompt")),
    Macro("charCreatorNotes", "D", _card("creator_notes"), aliases=("creatorNotes",)),
    Macro("charFirstMessage", "D", _greeting, ("#index?",), aliases=("greeting",)),
    Macro("charVersion", "D", _version, hidden=("version", "char_version")),
    Macro("original", "D", _original),
)

_PROGRAM_MACROS = (
    Macro("input", "S", _from_settings("input", lambda settings: settings.input)),
    Macro(
        "maxPrompt",
        "S",
        _from_context(
            "setting:api setting:max_context setting:max_response",
            "state",
            lambda context: chat_facts.max_context(context) - context.settings.max_response,
        ),
        aliases=("maxPromptTokens",),
    ),
    Macro(
        "maxContext",
        "S",
        _from_context("setting:api setting:max_context", "state", chat_facts.max_context),
        aliases=("maxContextTokens",),
    ),
    Macro(
        "maxResponse",
        "S",
        _from_settings("max_response", lambda settings: settings.max_response),
        aliases=("maxResponseTokens",),
    ),
    Macro("outlet", "S", _outlet, ("key",)),
    Macro("model", "S", _from_settings("model", lambda settings: settings.model)),
    Macro("isMobile", "S", _from_settings("mobile", lambda settings: settings.mobile)),
    Macro("lastGenerationType", "S", _from_settings("generation_type", lambda settings: settings.generation_type)),
    Macro("hasExtension", "S", _has_extension, ("name",)),
)

_CHAT_MACROS = (
    Macro("lastMessage", "S", _from_context("chat", "state", _last_message)),
    Macro("lastMessageId", "S", _from_context("chat", "state", chat_facts.last_message_id)),
    Macro(
        "lastUserMessage",
        "S",
        _from_context("chat", "state", lambda context: chat_facts.last_text(context, of_user=True)),
    ),
    Macro(
        "lastCharMessage",
        "S",
        _from_context("chat", "state", lambda context: chat_facts.last_text(context, of_user=False)),
    ),
    Macro(
        "firstIncludedMessageId",
        "S",
        _from_context(
            "metadata:lastInContextMessageId", "state", lambda context: context.metadata.get("lastInContextMessageId")
        ),
    ),
    Macro(
        "firstDisplayedMessageId",
        "S",
        _from_settings("first_displayed", lambda settings: settings.first_displayed),
    ),
    Macro("lastSwipeId", "S", _from_context("chat", "state", _last_swipe)),
    Macro("currentSwipeId", "S", _from_context("chat", "state", _current_swipe)),
    Macro("allChatRange", "S", _from_context("chat", "state", chat_facts.chat_range)),
)

_TIME_MACROS = (
    Macro("time", "T", _time, ("offset?",)),
    Macro("date", "T", _clock("LL")),
    Macro("weekday", "T", _clock("dddd")),
    Macro("isotime", "T", _clock("HH:mm")),
    Macro("isodate", "T", _clock("YYYY-MM-DD")),
    Macro("datetimeformat", "T", _datetimeformat, ("pattern",)),
    Macro("idleDuration", "TS", _idle, hidden=("idle_duration",)),
    Macro("timeDiff", "D", _time_diff, ("left", "right")),
)

_TEMPLATE_MACROS = (
    Macro("instructStoryStringPrefix", "S", _sequence("story_string_prefix")),
    Macro("instructStoryStringSuffix", "S", _sequence("story_string_suffix")),
    Macro("instructUserPrefix", "S", _sequence("input_sequence"), aliases=("instructInput",)),
    Macro("instructUserSuffix", "S", _sequence("input_suffix")),
    Macro("instructAssistantPrefix", "S", _sequence("output_sequence"), aliases=("instructOutput",)),
    Macro("instructAssistantSuffix", "S", _sequence("output_suffix"), aliases=("instructSeparator",)),
    Macro("instructSystemPrefix", "S", _sequence("system_sequence")),
    Macro("instructSystemSuffix", "S", _sequence("system_suffix")),
    Macro(
        "instructFirstAssistantPrefix",
        "S",
        _sequence("first_output_sequence", "output_sequence"),
        aliases=("instructFirstOutputPrefix",),
    ),
    Macro(
        "instructLastAssistantPrefix",
        "S",
        _sequence("last_output_sequence", "output_sequence"),
        aliases=("instructLastOutputPrefix",),
    ),
    Macro("instructStop", "S", _sequence("stop_sequence")),
    Macro("instructUserFiller", "S", _sequence("user_alignment_message")),
    Macro("instructSystemInstructionPrefix", "S", _sequence("last_system_sequence")),
    Macro(
        "instructFirstUserPrefix",
        "S",
        _sequence("first_input_sequence", "input_sequence"),
        aliases=("instructFirstInput",),
    ),
    Macro(
        "instructLastUserPrefix",
        "S",
        _sequence("last_input_sequence", "input_sequence"),
        aliases=("instructLastInput",),
    ),
    Macro(
        "defaultSystemPrompt",
        "S",
        _from_settings("system_prompt", lambda settings: settings.system_prompt),
        aliases=("instructSystem", "instructSystemPrompt"),
    ),
    Macro("systemPrompt", "S", _system_prompt),
    Macro(
        "exampleSeparator",
        "S",
        _from_settings("example_separator", lambda settings: settings.example_separator),
        aliases=("chatSeparator",),
    ),
    Macro("chatStart", "S", _from_settings("chat_start", lambda settings: settings.chat_start)),
)

_MODULE_MACROS = (
    Macro("authorsNote", "S", _from_settings("notes", lambda settings: settings.notes.chat)),
    Macro("charAuthorsNote", "S", _from_settings("notes", lambda settings: settings.notes.character)),
    Macro("defaultAuthorsNote", "S", _from_settings("notes", lambda settings: settings.notes.default)),
    Macro("reasoningPrefix", "S", _from_settings("reasoning", lambda settings: settings.reasoning[0])),
    Macro("reasoningSuffix", "S", _from_settings("reasoning", lambda settings: settings.reasoning[1])),
    Macro("reasoningSeparator", "S", _from_settings("reasoning", lambda settings: settings.reasoning[2])),
    Macro("summary", "S", _from_context("chat setting:summary", "state", chat_facts.summary)),
    Macro("defaultExpression", "S", _from_settings("expressions", lambda settings: settings.expressions.fallback)),
    Macro("availableExpressions", "S", _from_settings("expressions", _expressions)),
    Macro("lastExpression", "S", _last_expression, ("name?",), lazy=True),
    Macro("charPrefix", "S", _image_prefix(0)),
    Macro("charNegativePrefix", "S", _image_prefix(1)),
)

STATE_MACROS = (
    *_NAME_MACROS,
    *_CARD_MACROS,
    *_PROGRAM_MACROS,
    *_CHAT_MACROS,
    *_TIME_MACROS,
    *_TEMPLATE_MACROS,
    *_MODULE_MACROS,
)
