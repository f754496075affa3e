"""What a file is: bytes in, the name of its format and its parsed content out (spec formats §2).

The order: size, first bytes, text decoding, JSON, the shape table. The file name plays no part, but for the rules of coding agents.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NoReturn

from lorewright.errors import FormatError
from lorewright.formats import limits
from lorewright.formats.imported import Notes
from lorewright.formats.kinds import KINDS, readable
from lorewright.formats.magic import is_agent_file, name_binary
from lorewright.formats.shape_values import doubtful_sign
from lorewright.formats.shapes import name_json
from lorewright.formats.strict_json import check_text_size, parse_json
from lorewright.formats.text import decode_text, peek_text, unpack_base64
from lorewright.formats.wording import describe

if TYPE_CHECKING:
    from lorewright.formats.assets import Asset
    from lorewright.formats.risum import Risum

__all__ = ["Detected", "check_size", "detect", "name_value", "refuse_kind"]


@dataclass(frozen=True, slots=True)
class Detected:
    """A recognised file. `content` is its JSON value; for `st_chat` from JSON lines it is the text,
    for `risum` the opened container.

    `notes` holds what was seen on the way (guessed encoding, duplicate names, damaged picture chunks).
    """

    format: str
    content: Any
    notes: Notes
    assets: tuple[Asset, ...] = ()
    parts: tuple[str, ...] = ()
    """Of an archive or picture: what a card lists, and the names of what is in the file."""
    module: Risum | None = None
    """The RisuAI module beside the card in an archive."""
    member: str = ""
    """Where `content` stands in a container: the member of an archive, or the keyword of a picture's text."""


def detect(data: bytes, path: str = "") -> Detected:
    """Recognise a file that this version can read. `path` matters only for rules of coding agents, which are plain text.

    Raises:
        FormatError: too large (`limit`, `value`); known by name but not read (`format`, `reads`); unknown JSON (`keys`,
            `nearest`); damaged (see the message). The message says in each case what to do.
    """
    check_size(len(data))
    if not data.strip(b" \t\r\n\x00"):
        raise FormatError("The file is empty." if not data else "The file holds nothing but white space or zero bytes.")
    notes = Notes()
    if found := _detect_binary(data, notes, path):
        return found
    if is_agent_file(path):
        from lorewright.formats.agent_rules import AgentFile

        return Detected("agent_rules", AgentFile(decode_text(data, notes), PurePath(path).name), notes)
    packed = unpack_base64(data)
    if packed:
        notes.add("base64_unwrapped", "The file is base64, as from a pasted card; it was decoded once.", "info")
        return _detect_pasted(packed, notes)
    return _detect_text(data, notes)


def _detect_binary(data: bytes, notes: Notes, path: str = "") -> Detected | None:
    """What the first bytes say; None for a text."""
    binary = name_binary(data)
    if binary:
        from lorewright.formats.containers import open_container  # with all that opens pictures and archives

        if found := open_container(binary, data, notes):
            return found
        refuse_kind("risu_preset_file" if is_risu_preset(path) else binary)
    if is_risu_preset(path) and not peek_text(data).lstrip().startswith("{"):
        refuse_kind("risu_preset_file")
    return None


def _detect_pasted(data: bytes, notes: Notes) -> Detected:
    """What base64 holds: a picture, an archive, a module or a text; no further base64."""
    found = _detect_binary(data, notes)
    return found or _detect_text(data, notes)


def check_size(size_bytes: int) -> None:
    """Refuse a file that is larger than any reader takes.

    Raises:
        FormatError: with `limit` and `value` in bytes.
    """
    if size_bytes > limits.FILE_BYTES:
        raise FormatError(
            f"The file has {size_bytes / limits.MIB:,.1f} MiB; the limit is {limits.FILE_BYTES // limits.MIB} MiB. "
            "Split it, or take the pictures out.",
            limit=limits.FILE_BYTES,
            value=size_bytes,
        )


def name_value(value: object) -> str:
    """The id of the format of a parsed JSON value that this version can read.

    Raises:
        FormatError: the value is of a format that is known by name only, or of none; see `detect`.
    """
    kind = name_json(value)
    if not kind:
        _refuse_unknown(value)
    if not KINDS[kind].reads:
        refuse_kind(kind)
    return kind


def is_risu_preset(path: str) -> bool:
    """Whether a file is called like RisuAI's packed presets, which no bytes tell for sure."""
    return PurePath(path).suffix.lower() in {".risup", ".risupreset"}


def refuse_kind(kind: str) -> NoReturn:
    """Refuse a file whose format is known but not read here.

    Raises:
        FormatError: always, with `format` and `reads` (the ids that are read).
    """
    if kind == "st_settings":
        raise FormatError(
            f"This is {KINDS[kind].title}. It is not importable: it holds the settings of a program, often with keys and "
            "addresses, and no lore. Export the book, card or preset by itself.",
            format=kind,
            importable=False,
            reads=tuple(known.id for known in readable()),
        )
    if kind == "risu_preset_file":
        raise FormatError(
            f"This is {KINDS[kind].title}, which is not supported yet: it is packed and encrypted. Export the preset as "
            "JSON in RisuAI, and import that.",
            format=kind,
            reads=tuple(known.id for known in readable()),
        )
    raise FormatError(
        f"This looks like {KINDS[kind].title}, which this version does not read.",
        format=kind,
        reads=tuple(known.id for known in readable()),
    )


def _detect_text(data: bytes, notes: Notes) -> Detected:
    head = peek_text(data).lstrip()
    if head[:1] not in {"{", "[", '"'}:
        from lorewright.formats.written_texts import read_written  # with all that reads YAML and Markdown

        return read_written(data, head, notes)
    text = decode_text(data, notes)
    try:
        value = parse_json(text, notes)
    except FormatError:
        if _is_lines(text):
            return Detected("st_chat", text, notes)
        raise
    if isinstance(value, str) and value.lstrip()[:1] in {"{", "["}:
        value = parse_json(value, notes)
        notes.add("json_unwrapped", "The file is JSON written as a text inside JSON; it was unwrapped once.", "info")
    kind = name_value(value)
    if kind == "st_chat" and "\n" not in text.strip():  # JSON lines with just one
        return Detected(kind, text, Notes())
    if sign := doubtful_sign(kind, value):
        notes.add("format_doubtful", f"{sign} The rest is like {KINDS[kind].title}; it is read as that.")
    return Detected(kind, value, notes)


def _is_lines(text: str) -> bool:
    """JSON lines: a first line that is an object by itself, and more lines after it."""
    first, _, rest = text.lstrip().partition("\n")
    if not rest.strip():
        return False
    try:
        check_text_size(first)
        return isinstance(json.loads(first, parse_int=str), dict)  # Python makes no integer of thousands of digits
    except (FormatError, ValueError, RecursionError):
        return False


def _refuse_unknown(value: object) -> NoReturn:
    from lorewright.formats.nearest import field_names, nearest, why_not

    names = field_names(value)
    if not names:
        raise FormatError(
            f"This JSON is {describe(value)} without a name by which its format could be known.",
            keys=(),
            nearest=(),
            reads=tuple(kind.id for kind in readable()),
        )
    kinds = nearest(names)
    reasons = tuple(why_not(kind, value) for kind in kinds)
    near = "; ".join(f"{KINDS[kind].title} ({why.rstrip('.')})" for kind, why in zip(kinds, reasons, strict=True))
    shown = ", ".join(f"`{ascii(name[:40])[1:-1]}`" for name in names[:20]) or "none"
    where = "The names at its top are" if isinstance(value, dict) else "The names in its first object are"
    raise FormatError(
        f"This JSON is of no known format. {where}: {shown}. Nearest are {near}.",
        keys=names,
        nearest=kinds,
        reasons=reasons,
    )
