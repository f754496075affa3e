"""The dialect `bme`: `{{path}}` in the texts of seed 000 (spec mvu-filter §7.1 and §9).

`substitute` is for entries and keys: anything that is not a path stays, a path to nothing is empty, objects are compact
JSON. `fill_block` is for blocks of a prompt: messages are written as a transcript, other objects as indented JSON.
Both are case-sensitive and go over a text once: values are never looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from lorewright.core.javascript import WHITE_SPACE, is_integer_like, value_as_text
from lorewright.templates.context import Json
from lorewright.templates.rendered import Record, Rendered
from lorewright.templates.signs import in_braces as is_template
from lorewright.templates.transcript import read_said, read_said_list, write_transcript
from lorewright.templates.variables import json_text

__all__ = ["fill_block", "find_value", "is_template", "shown_in_block", "substitute"]

_SPACES: Final = f"[{WHITE_SPACE}]*"
_PATH: Final = re.compile(rf"\{{\{{{_SPACES}([A-Za-z0-9_.$]+){_SPACES}\}}\}}")
_BLOCK_PATH: Final = re.compile(rf"\{{\{{{_SPACES}([A-Za-z0-9_.]+){_SPACES}\}}\}}")
_OUTPUT: Final = 1_000_000


def substitute(text: str, values: Mapping[str, Json], *, output: int = _OUTPUT) -> Rendered:
    """An entry or a key with its paths filled in.

    Nothing is raised. A result of more than `output` characters is refused: the text stays, and a report says so.
    """
    return _filled(text, _PATH, values, _compact, output)


def fill_block(text: str, values: Mapping[str, Json], *, output: int = _OUTPUT) -> Rendered:
    """A block of a prompt with its paths filled in; see `substitute`."""
    return _filled(text, _BLOCK_PATH, values, shown_in_block, output)


def _filled(
    text: str, pattern: re.Pattern[str], values: Mapping[str, Json], show: Callable[[Json], str], output: int
) -> Rendered:
    record = Record()
    kept: dict[str, str] = {}
    pieces: list[str] = []
    at = 0
    for found in pattern.finditer(text) if is_template(text) else ():
        path = found[1]
        if path not in kept:
            record.read(f"value:{path.lstrip('.').partition('.')[0]}")
            kept[path] = show(find_value(values, path))
        pieces += (text[at : found.start()], kept[path])
        at = found.end()
    pieces.append(text[at:])
    size = sum(map(len, pieces))
    if size > max(output, len(text)):
        record.report(
            "macro_output_limit",
            f"The rendered text has {size:,} characters; {output:,} are allowed. It stays as it was.",
            "error",
        )
        pieces = [text]
    return Rendered("".join(pieces), frozenset(record.kinds), frozenset(record.reads), reports=record.reports)


def find_value(values: Mapping[str, Json], path: str) -> Json:
    """The value at a path, None where there is none. Lists have places and a length, texts a length; dots without a name
    between them are one."""
    names = list(filter(None, path.split(".")))
    found: Json = values if names else None
    for name in names:
        if isinstance(found, Mapping):
            found = found.get(name)
        elif isinstance(found, (list, tuple, str)) and name == "length":
            found = len(found)
        elif isinstance(found, (list, tuple, str)) and is_integer_like(name):
            found = found[int(name)] if int(name) < len(found) else None
        else:
            return None
    return found


def _compact(value: Json) -> str:
    if value is None:
        return ""
    return json_text(value) if isinstance(value, (Mapping, list, tuple)) else value_as_text(value)


def shown_in_block(value: Json) -> str:
    """A value as a block of a prompt shows it."""
    if said := read_said(value):
        return write_transcript([said])
    if listed := read_said_list(value):
        return write_transcript(listed)
    return _indented(value, "") if isinstance(value, (Mapping, list, tuple)) else _compact(value)


def _indented(value: Json, margin: str) -> str:
    """`JSON.stringify(value, null, 2)`."""
    if not isinstance(value, (Mapping, list, tuple)) or not value:
        return json_text(value)
    inner = margin + "  "
    if isinstance(value, Mapping):
        plain = dict(value)
        keys = sorted(filter(is_integer_like, plain), key=int) + [key for key in plain if not is_integer_like(key)]
        items = [f"{json_text(key)}: {_indented(plain[key], inner)}" for key in keys]
        opening, closing = "{}"
    else:
        items = [_indented(item, inner) for item in value]
        opening, closing = "[]"
    body = ",\n".join(f"{inner}{item}" for item in items)
    return f"{opening}\n{body}\n{margin}{closing}"
