"""The parsed file of a preset, template or script -> `Thing`, and back."""

from __future__ import annotations

from typing import Any, Final

from lorewright.core.protocols import Regexes
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.things.presets import read_chat_preset, read_prompt_export, read_risu_preset
from lorewright.formats.things.scripts import read_quick_replies, read_regex_scripts, read_risu_regexes, text_of
from lorewright.formats.things.sensitive import drop_sensitive, find_sensitive
from lorewright.formats.things.thing import Part, Section, Thing

__all__ = ["read_thing_value", "write_thing"]

_MASTER_SECTIONS: Final = ("instruct", "context", "sysprompt", "preset", "reasoning", "srw")


def read_thing_value(
    kind: str,
    value: Any,
    *,
    name: str | None = None,
    stem: str = "",
    notes: Notes | None = None,
    regexes: Regexes | None = None,
) -> Imported[Thing]:
    """List what is in a file of this kind (an id of `KINDS` of which a thing can be read).

    The ledger counts parts: prompts, scripts, quick replies, sections. It is called `name`, or as the file says, or
    else `stem`, the file's name without its ending. With `regexes` the patterns of regex scripts are tried.
    """
    title = name if name is not None else _own_name(value) or stem
    noted = Notes(title)
    if notes is not None:
        noted.include(notes)
    parts = _read_parts(kind, value, title, noted, regexes)
    found = max(_count(kind, value), len(parts))
    for field in find_sensitive(value):
        message = f"`{field}` may tell an address or a key of its owner; it is left out when the file is written."
        noted.add("sensitive_field", message, field=field)
    return Imported(Thing(kind, title, value, parts), found, len(parts), found - len(parts), noted.reports(), kind)


def write_thing(thing: Thing, *, strip_sensitive: bool = True, notes: Notes | None = None) -> Any:
    """The JSON value of the file: as it was read, without addresses and keys unless they are wanted."""
    if not strip_sensitive:
        return thing.value
    if notes is not None:
        for field in find_sensitive(thing.value):
            message = f"`{field}` may tell an address or a key of its owner; it is left out."
            notes.add("sensitive_field", message, field=field)
    return drop_sensitive(thing.value)


def _read_parts(kind: str, value: Any, title: str, notes: Notes, regexes: Regexes | None) -> tuple[Part, ...]:
    match kind:
        case "st_preset_chat":
            return read_chat_preset(value, notes, regexes)
        case "st_prompt_export":
            return read_prompt_export(value, notes)
        case "risu_preset":
            return read_risu_preset(value, notes, regexes)
        case "st_regex":
            return read_regex_scripts(value if isinstance(value, list) else [value], notes, regexes)
        case "risu_regex":
            return read_risu_regexes(value.get("data"), notes, regexes, "/data")
        case "st_quickreply":
            return read_quick_replies(value, notes)
        case "st_master_export":
            sections = [(name, value[name]) for name in _MASTER_SECTIONS if isinstance(value.get(name), dict)]
            return tuple(Section(kind=name, name=text_of(section.get("name"))) for name, section in sections)
        case _:
            return (Section(kind=kind.removeprefix("st_"), name=title),)


def _count(kind: str, value: Any) -> int:
    """How many items the lists of the file have, those that are no objects among them."""
    lists: list[object] = []
    match kind:
        case "st_preset_chat":
            extensions = value.get("extensions")
            inner = extensions if isinstance(extensions, dict) else {}
            risu = inner.get("risuai")
            lists = [value.get("prompts"), inner.get("regex_scripts")]
            lists += [risu.get("customScripts")] if isinstance(risu, dict) else []
        case "st_prompt_export":
            lists = [value["data"].get("prompts")]
        case "risu_preset":
            lists = [value.get("promptTemplate"), value.get("regex"), value.get("customScripts")]
        case "st_regex":
            lists = [value]
        case "risu_regex":
            lists = [value.get("data")]
        case "st_quickreply":
            lists = [value.get("qrList") if "qrList" in value else value.get("quickReplySlots")]
        case _:
            pass
    return sum(len(one) for one in lists if isinstance(one, list))


def _own_name(value: Any) -> str:
    if not isinstance(value, dict):
        return ""
    return text_of(value.get("name")) or text_of(value.get("scriptName"))
