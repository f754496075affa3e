"""The passes of the old engine, in the order in which they run (spec templates §1.1, spec macros §A.5 and A.7).

A row says what a macro is called and what may stand in it. What it means is the row of the same macro in the new
engine (`sillytavern/`), except where a function stands here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lorewright.core.javascript import number_text, trim
from lorewright.templates.context import Json
from lorewright.templates.legacy import scan
from lorewright.templates.legacy.held import Source
from lorewright.templates.seeded import seeded_number, text_hash
from lorewright.templates.sillytavern import MACROS
from lorewright.templates.sillytavern.registry import Handler, MacroError, by_name
from lorewright.templates.sillytavern.run import Invocation, Run
from lorewright.templates.variables import shown

__all__ = ["AFTER", "ANGLES", "BEFORE", "CARD", "NAMES", "ORIGINAL", "PROGRAM", "Pass", "chat_hash", "value_pass"]

_MEANINGS: Final = by_name(MACROS)
_SHIFT: Final = re.compile(r"[-+]\d+", re.ASCII)
_COMMA: Final = re.compile(r"(?<!\\),")


@dataclass(frozen=True, slots=True)
class Pass:
    """One replacement over the whole text.

    name: as documentation shows it. needle: what a text must contain, in lower case, for the macro to stand in it.
    """

    name: str
    needle: str
    find: scan.Finder
    handler: Handler


def _meaning(name: str) -> Handler:
    return _MEANINGS[name.lower()].handler


def _word(name: str, means: str | Handler = "") -> Pass:
    handler = _meaning(means or name) if isinstance(means, str) else means
    return Pass(f"{{{{{name}}}}}", f"{{{{{name.lower()}}}}}", scan.word(name), handler)


def _template(name: str, means: str = "") -> Pass:
    """A text of the user's own settings: later passes see it."""
    handler = _meaning(means or name)
    return _word(name, lambda call: Source(shown(handler(call))))


def _angle(name: str, means: str) -> Pass:
    return Pass(f"<{name}>", f"<{name.lower()}>", scan.angle(name), _meaning(means))


def value_pass(name: str, handler: Handler) -> Pass:
    """A pass for a macro that the call brings along."""
    return _word(name, handler)


def _time_shifted(call: Invocation) -> Json:
    if not _SHIFT.fullmatch(call.arguments[0]):
        raise MacroError("Hours east of UTC must be written like +2 or -11.")
    call.arguments[0] = f"UTC{call.arguments[0]}"
    return _meaning("time")(call)


def _trimmed(handler: Handler) -> Handler:
    """The first argument is a name, which counts without the white space around it."""

    def trimmed(call: Invocation) -> Json:
        call.arguments[0] = trim(call.arguments[0])
        return handler(call)

    return trimmed


def _other_names(call: Invocation) -> str:
    """Unlike the new engine's: the others of a group and the user, whatever group name the call brings along."""
    context = call.run.context
    for name in ("group", "user", "char"):
        call.run.record.read(name, None)
    if context.group is None:
        return context.user_name
    names = [member.name for member in context.group.members if member.name != context.char_name]
    return ", ".join([*names, context.user_name])


def _swipe(call: Invocation) -> Json:
    call.run.record.read("chat")
    chat = call.run.context.chat
    return math.nan if not chat or chat[-1].swipe is None else chat[-1].swipe + 1


def _system_prompt(call: Invocation) -> str:
    """The card's prompt, which is rendered already, or the user's own, which is not."""
    found = shown(_meaning("systemPrompt")(call))
    return Source(found) if found == call.run.context.settings.system_prompt else found


def _banned(call: Invocation) -> str:
    word = call.arguments[0]
    call.run.record.read("setting:api")
    if call.run.context.settings.api == "textgenerationwebui":
        call.run.banned.append(word)
        call.run.record.write("banned")
    return ""


def _items(written: str) -> list[str]:
    """The choices of `random` and `pick`. One colon too many belongs to the opener."""
    written = written[1:] if written.startswith(":") and len(written) > 1 else written
    if "::" in written:
        return written.split("::")
    return [trim(item).replace("\\,", ",") for item in _COMMA.split(written)]


def _random(call: Invocation) -> str:
    items = _items(call.arguments[0])
    call.run.record.read("random", "random")
    return items[math.floor(call.run.context.random() * len(items))]


def _pick(call: Invocation) -> str:
    items = _items(call.arguments[0])
    run = call.run
    seed = f"{number_text(chat_hash(call.run))}-{run.content_hash}-{call.position()}"
    hashed, number = seeded_number(seed, True)
    run.picks.append((seed, hashed))
    return items[math.floor(number * len(items))]


def chat_hash(run: Run) -> float:
    """The number that stands for the chat; without one (or with 0) it is made and kept."""
    run.record.read("chat:id", None)
    known = run.metadata.get("chat_id_hash")
    if isinstance(known, bool) or not isinstance(known, (int, float)) or not known:
        main = run.metadata.get("main_chat")
        known = text_hash(run.context.chat_id if main is None else main)
        run.metadata["chat_id_hash"] = known
    return known


def _variables(mark: str) -> Iterator[Pass]:
    for verb, least in (("set", 0), ("add", 1)):
        name = f"{verb}{mark}var"
        finder = scan.two_to_brace(rf"\{{\{{{name}::", least)
        yield Pass(f"{{{{{name}::NAME::VALUE}}}}", f"{{{{{name}::", finder, _trimmed(_meaning(name)))
    for verb in ("inc", "dec", "get"):
        name = f"{verb}{mark}var"
        finder = scan.to_brace(rf"\{{\{{{name}::")
        yield Pass(f"{{{{{name}::NAME}}}}", f"{{{{{name}::", finder, _trimmed(_meaning(name)))


ANGLES: Final = (
    _angle("USER", "user"),
    _angle("BOT", "char"),
    _angle("CHAR", "char"),
    _angle("CHARIFNOTGROUP", "group"),
    _angle("GROUP", "group"),
)
"""Names in angle brackets; a text without `{{` gets only these."""

_INSTRUCT: Final = {
    "instructStoryStringPrefix": "",
    "instructStoryStringSuffix": "",
    "instructInput": "",
    "instructUserPrefix": "",
    "instructUserSuffix": "",
    "instructOutput": "",
    "instructAssistantPrefix": "",
    "instructSeparator": "",
    "instructAssistantSuffix": "",
    "instructSystemPrefix": "",
    "instructSystemSuffix": "",
    "instructFirstOutput": "instructFirstOutputPrefix",
    "instructFirstAssistantPrefix": "",
    "instructLastOutput": "instructLastOutputPrefix",
    "instructLastAssistantPrefix": "",
    "instructStop": "",
    "instructUserFiller": "",
    "instructSystemInstructionPrefix": "",
    "instructFirstInput": "",
    "instructFirstUserPrefix": "",
    "instructLastInput": "",
    "instructLastUserPrefix": "",
    "defaultSystemPrompt": "",
    "instructSystem": "",
    "instructSystemPrompt": "",
    "chatSeparator": "",
    "chatStart": "",
}

BEFORE: Final = (
    Pass("{{roll:FORMULA}}", "{{roll", scan.to_brace(r"\{\{roll[ :]"), _meaning("roll")),
    *(_template(name, means) for name, means in _INSTRUCT.items()),
    _word("systemPrompt", _system_prompt),
    *_variables(""),
    *_variables("global"),
    _template("newline"),
    Pass("{{trim}}", "{{trim}}", scan.trim_word, _meaning("noop")),
    _word("noop"),
    _word("input"),
)
"""What runs before names and card texts are filled in."""

ORIGINAL: Final = _word("original")
"""The text that a call replaces; only where there is one."""

CARD: Final = (
    _word("charPrompt"),
    _word("charInstruction"),
    _word("charJailbreak", "charInstruction"),
    _word("description"),
    _word("personality"),
    _word("scenario"),
    _word("persona"),
    _word("mesExamples"),
    _word("mesExamplesRaw"),
    _word("charVersion"),
    _word("char_version"),
    _word("charDepthPrompt"),
    _word("creatorNotes"),
)
"""Texts of the card; where a call brings none, their names stay as text."""

NAMES: Final = (
    _word("user"),
    _word("char"),
    _word("group"),
    _word("charIfNotGroup"),
    _word("groupNotMuted"),
    _word("notChar", _other_names),
    _word("model"),
)
"""Names, behind the card so that a name inside a card text is found."""

PROGRAM: Final = (
    _word("isMobile"),
    _word("lastGenerationType"),
    _template("authorsNote"),
    _template("charAuthorsNote"),
    _template("defaultAuthorsNote"),
    _word("summary"),
    _word("charPrefix"),
    _word("charNegativePrefix"),
)
"""What other parts of the program add, behind the macros of the call."""

AFTER: Final = (
    *map(
        _word,
        (
            "maxPrompt",
            "maxPromptTokens",
            "maxContext",
            "maxContextTokens",
            "maxResponse",
            "maxResponseTokens",
            "lastMessage",
            "lastMessageId",
            "lastUserMessage",
            "lastCharMessage",
            "firstIncludedMessageId",
            "firstDisplayedMessageId",
            "lastSwipeId",
        ),
    ),
    _word("currentSwipeId", _swipe),
    _word("allChatRange"),
    Pass("{{reverse:TEXT}}", "{{reverse:", scan.to_braces_in_line(r"\{\{reverse:"), _meaning("reverse")),
    Pass("{{// COMMENT}}", "{{//", scan.to_braces(r"\{\{//"), _meaning("noop")),
    *map(_word, ("time", "date", "weekday", "isotime", "isodate")),
    Pass(
        "{{datetimeformat PATTERN}}",
        "{{datetimeformat ",
        scan.to_brace(r"\{\{datetimeformat +", 0),
        _meaning("datetimeformat"),
    ),
    _word("idle_duration"),
    Pass("{{time_UTC+N}}", "{{time_utc", scan.to_brace(r"\{\{time_UTC(?=[-+])"), _time_shifted),
    Pass(
        "{{outlet::KEY}}",
        "{{outlet::",
        scan.to_braces_in_line(r"\{\{outlet::"),
        _trimmed(_meaning("outlet")),
    ),
    Pass("{{timeDiff::LEFT::RIGHT}}", "{{timediff::", scan.two_in_line(r"\{\{timeDiff::"), _meaning("timeDiff")),
    Pass('{{banned "WORD"}}', '{{banned "', scan.quoted_to_line_end(r'\{\{banned "'), _banned),
    Pass("{{random::ITEMS}}", "{{random", scan.to_brace(r"\{\{random\s?:"), _random),
    Pass("{{pick::ITEMS}}", "{{pick", scan.to_brace(r"\{\{pick\s?:"), _pick),
)
"""What runs behind names and card texts."""
