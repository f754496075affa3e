"""Regex scripts and quick replies (spec formats §3.14): listed and checked; none is run by reading it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from lorewright.core.javascript import number, truthy, value_as_text
from lorewright.core.protocols import Regexes
from lorewright.errors import RegexError
from lorewright.formats.imported import Notes
from lorewright.formats.things.thing import QuickReply, RegexScript
from lorewright.formats.wording import describe

__all__ = [
    "objects",
    "read_quick_replies",
    "read_regex_script",
    "read_regex_scripts",
    "read_risu_regexes",
    "regex_scripts_of",
    "text_of",
]

_DELIMITED: Final = re.compile(r"/([\s\S]+)/([A-Za-z]*)")
_KNOWN_FLAGS: Final = frozenset("dgimsuvy")
_SPLIT_FLAGS: Final = frozenset("gmisu")
"""The flags that SillyTavern knows when it splits pattern and flags, of those that JavaScript knows."""
_SHOWN_FLAGS: Final = 20
_MATTER_TO_SYNTAX: Final = frozenset("uv")
_ACTIVE_HTML: Final = re.compile(r"<\s*(?:script|iframe|object|embed)\b|\bon(?:click|load|error)\s*=", re.IGNORECASE)
_ESCAPED: Final = 2
"""`substituteRegex`: macros in the pattern are run and their results escaped."""
_PATTERN_CHARACTERS: Final = 10_000
"""Longer patterns are not checked."""


def text_of(value: object) -> str:
    """A name or a text of a file: a number as JavaScript writes it, "" for what is no text."""
    if isinstance(value, str):
        return value
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value_as_text(value) if is_number else ""


def objects(listed: object, what: str, notes: Notes, where: str = "") -> list[Mapping[str, Any]]:
    """The objects of a list; anything else in it is reported, and stays in the file only. `where` is its pointer."""
    if listed is not None and not isinstance(listed, list):
        notes.add("bad_value", f"The {what}s are {describe(listed)}, not a list; they are kept unread.", place=where)
    items = listed if isinstance(listed, list) else []
    for at, item in enumerate(items):
        if not isinstance(item, dict):
            message = f"The {what} {at + 1} is {describe(item)}, not an object; it is kept unread."
            notes.add("entry_not_object", message, "error", entry=at, place=f"{where}/{at}")
    return [item for item in items if isinstance(item, dict)]


def read_regex_scripts(
    listed: object, notes: Notes, regexes: Regexes | None = None, where: str = ""
) -> tuple[RegexScript, ...]:
    """SillyTavern's scripts. `where` is the pointer of their list. With `regexes` the patterns are tried, and those that JavaScript refuses are reported."""
    raws = objects(listed, "regex script", notes, where)
    scripts = tuple(map(read_regex_script, raws))
    for at, (raw, script) in enumerate(zip(raws, scripts, strict=True)):
        delimited = _DELIMITED.fullmatch(script.pattern)
        pattern, flags = (delimited[1], delimited[2]) if delimited else (script.pattern, "")
        has_macros = truthy(raw.get("substituteRegex")) and "{{" in pattern
        place = f"{where}/{at}/findRegex"
        _check_pattern(script.name, "" if has_macros else pattern, flags, place, notes, regexes)
        if (
            flags
            and _KNOWN_FLAGS.issuperset(flags)
            and not (set(flags) <= _SPLIT_FLAGS and len(set(flags)) == len(flags))
        ):
            message = (
                f"SillyTavern does not take the flags `{flags[:_SHOWN_FLAGS]}` of the regex script `{script.name}`, so the "
                "whole text with its slashes is the pattern. Only g, i, m, s and u work, each once."
            )
            notes.add("regex_unsupported_flag", message, entry=script.name, field="pattern", place=place)
    _note_inert(scripts, (text_of(raw.get("replaceString")) for raw in raws), where, notes)
    return scripts


def read_regex_script(raw: Mapping[str, Any]) -> RegexScript:
    """One of SillyTavern's scripts; fields of a wrong type are taken as JavaScript takes them (spec macros §B)."""
    substitute = number(raw.get("substituteRegex"))
    trimmed = raw.get("trimStrings")
    return RegexScript(
        name=text_of(raw.get("scriptName")),
        pattern=text_of(raw.get("findRegex")),
        replacement=text_of(raw.get("replaceString")),
        placement=_placement(raw.get("placement")),
        disabled=truthy(raw.get("disabled")),
        trimmed=tuple(item for item in trimmed if isinstance(item, str)) if isinstance(trimmed, list) else (),
        for_display=truthy(raw.get("markdownOnly")),
        for_prompt=truthy(raw.get("promptOnly")),
        on_edit=truthy(raw.get("runOnEdit")),
        macros_in_pattern="raw" if substitute == 1 else "escaped" if substitute == _ESCAPED else "no",
        least_depth=_depth(raw.get("minDepth"), -1),
        most_depth=_depth(raw.get("maxDepth"), 0),
    )


def _depth(value: object, least: int) -> float | None:
    """A depth limit; what is no number, or below the least that counts, is none."""
    depth = math.nan if value is None else number(value)
    return depth if depth >= least else None


def read_risu_regexes(
    listed: object, notes: Notes, regexes: Regexes | None = None, where: str = ""
) -> tuple[RegexScript, ...]:
    """RisuAI's scripts. Their flags may hold words in `<>` of RisuAI's own, which are no flags."""
    raws = objects(listed, "regex script", notes, where)
    scripts = tuple(
        RegexScript(
            name=text_of(raw.get("comment")),
            pattern=text_of(raw.get("in")),
            placement=(raw["type"],) if isinstance(raw.get("type"), str) else (),
            disabled=raw.get("type") == "disabled",
        )
        for raw in raws
    )
    for at, (raw, script) in enumerate(zip(raws, scripts, strict=True)):
        flags = re.sub(r"<[^>]*>", "", text_of(raw.get("flag"))) if truthy(raw.get("ableFlag")) else "g"
        pattern = "" if "{{" in script.pattern else script.pattern
        _check_pattern(script.name, pattern, flags, f"{where}/{at}/in", notes, regexes)
    _note_inert(scripts, (text_of(raw.get("out")) for raw in raws), where, notes)
    return scripts


def regex_scripts_of(
    extensions: object, notes: Notes | None = None, regexes: Regexes | None = None, where: str = "/extensions"
) -> tuple[RegexScript, ...]:
    """The scripts in the `extensions` of a card or preset, SillyTavern's first."""
    if not isinstance(extensions, dict):
        return ()
    noted = notes if notes is not None else Notes()
    scripts = read_regex_scripts(extensions.get("regex_scripts"), noted, regexes, f"{where}/regex_scripts")
    risu = extensions.get("risuai")
    if isinstance(risu, dict):
        scripts += read_risu_regexes(risu.get("customScripts"), noted, regexes, f"{where}/risuai/customScripts")
    return scripts


def read_quick_replies(value: Mapping[str, Any], notes: Notes) -> tuple[QuickReply, ...]:
    """A set of the second version (`qrList`) or of the first (`quickReplySlots`)."""
    name = "qrList" if "qrList" in value else "quickReplySlots"
    replies = tuple(
        QuickReply(
            label=text_of(raw.get("label")),
            script=text_of(raw.get("message") if "message" in raw else raw.get("mes")),
            automation_id=text_of(raw.get("automationId")),
        )
        for raw in objects(value.get(name), "quick reply", notes, f"/{name}")
    )
    if running := sum(1 for reply in replies if reply.script.lstrip().startswith("/")):
        message = f"{running} of {len(replies)} quick replies hold scripts; they are kept, never run."
        notes.add("script_inert", message, place=f"/{name}")
    return replies


def _placement(value: object) -> tuple[int | str, ...]:
    items = value if isinstance(value, list) else []
    return tuple(item for item in items if isinstance(item, (int, str)) and not isinstance(item, bool))


def _check_pattern(name: str, pattern: str, flags: str, place: str, notes: Notes, regexes: Regexes | None) -> None:
    """Report flags and syntax that cannot work. `place` is the pointer of the pattern."""
    unknown = sorted({flag for flag in flags if flag not in _KNOWN_FLAGS})
    if unknown:
        message = f"The regex script `{name}` has flags that JavaScript does not know: {''.join(unknown)}."
        notes.add("regex_unsupported_flag", message, entry=name, field="pattern", place=place)
    if regexes is None or not pattern or len(pattern) > _PATTERN_CHARACTERS:
        return
    try:
        regexes.compile(pattern, "".join(sorted(_MATTER_TO_SYNTAX.intersection(flags))))
    except RegexError as error:
        message = f"The regex script `{name}` cannot work: {error.message.rstrip('.')}."
        notes.add("regex_invalid", message, entry=name, field="pattern", place=place)


def _note_inert(scripts: tuple[RegexScript, ...], replacements: Iterable[str], where: str, notes: Notes) -> None:
    if not scripts:
        return
    active = sum(1 for text in replacements if _ACTIVE_HTML.search(text))
    number = "A regex script is" if len(scripts) == 1 else f"{len(scripts)} regex scripts are"
    html = f" {active} of them put active HTML into messages." if active else ""
    message = f"{number} kept and listed; none runs until you say so.{html}"
    notes.add("script_inert", message, "warning" if active else "info", field="regex_scripts", place=where)
