"""The decorators that RisuAI writes when it imports an entry of SillyTavern, back into fields (spec formats §3.4).

RisuAI puts them above the text, in this order from the top, each only if the entry has it: whole words, delay, logic,
depth with role, probability. What has exactly that shape is read as those fields and taken off the text, so that an
entry that went through RisuAI has each of them once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lorewright.core.model import Entry

__all__ = ["Lifted", "decorate", "lift"]

_ROLES: Final = ("system", "user", "assistant")
_AT_DEPTH: Final = 4
_NUMBER: Final = r"-?\d{1,9}(?:\.\d{1,9})?"
_SHAPE: Final = re.compile(
    r"(?:@@match_(?P<words>full|partial)_word\n)?"
    rf"(?:@@activate_only_after (?P<delay>{_NUMBER})\n)?"
    r"(?P<logic>@@exclude_keys_all [^\n]+\n|(?:@@exclude_keys [^\n]+\n)+|(?:@@additional_keys [^\n]+\n)+)?"
    rf"(?:@@depth (?P<depth>{_NUMBER})\n@@role (?P<role>system|user|assistant)\n)?"
    rf"(?:@@probability (?P<probability>{_NUMBER})\n)?"
)
_LOGICS: Final[Mapping[str, int]] = {"exclude_keys_all": 1, "exclude_keys": 2, "additional_keys": 3}


@dataclass(frozen=True, slots=True)
class Lifted:
    """The fields by their names in SillyTavern, and the text below the decorators."""

    fields: Mapping[str, Any]
    content: str


def lift(content: object, secondary: Sequence[str]) -> Lifted | None:
    """Read the decorators of an imported entry; None if the text does not begin with them and them alone.

    `secondary` are the secondary keys of the row, which RisuAI leaves where they are: decorators of logic are only
    those of an import if they say the same keys.
    """
    if not isinstance(content, str) or not content.startswith("@@"):
        return None
    found = _SHAPE.match(content)
    if found is None or not found[0] or content.startswith("@@", found.end()):
        return None
    fields: dict[str, Any] = {}
    if found["words"]:
        fields["matchWholeWords"] = found["words"] == "full"
    if found["delay"]:
        fields["delay"] = _number(found["delay"])
    if found["logic"]:
        lines = [line.partition(" ") for line in found["logic"].splitlines()]
        name = lines[0][0].lstrip("@")
        keys = [key for _, _, text in reversed(lines) for key in (text.split(",") if name.endswith("_all") else [text])]
        if [key.strip() for key in keys] != [*secondary]:
            return None
        fields |= {"selective": True, "selectiveLogic": _LOGICS[name]}
    if found["depth"]:
        fields |= {"position": _AT_DEPTH, "depth": _number(found["depth"]), "role": _ROLES.index(found["role"])}
    if found["probability"]:
        fields |= {"probability": _number(found["probability"]), "useProbability": True}
    return Lifted(fields, content[found.end() :])


def decorate(entry: Entry, content: str) -> str:
    """The text with the decorators that RisuAI would write for an entry of SillyTavern."""
    lines: list[str] = []
    if isinstance(entry.whole_words, bool):
        lines.append(f"@@match_{'full' if entry.whole_words else 'partial'}_word")
    if _is_number(entry.delay) and entry.delay:
        lines.append(f"@@activate_only_after {entry.delay}")
    secondary = entry.secondary if isinstance(entry.secondary, tuple) else ()
    if secondary and entry.selective is True:
        if entry.logic == _LOGICS["exclude_keys_all"]:
            lines.append(f"@@exclude_keys_all {','.join(secondary)}")
        for name in ("exclude_keys", "additional_keys"):
            if entry.logic == _LOGICS[name]:
                lines += (f"@@{name} {key}" for key in reversed(secondary))
    if entry.position == _AT_DEPTH and _is_number(entry.depth) and entry.role in (0, 1, 2):
        lines += (f"@@depth {entry.depth}", f"@@role {_ROLES[int(str(entry.role))]}")
    if _is_number(entry.probability) and entry.use_probability is True and entry.probability != 100:
        lines.append(f"@@probability {entry.probability}")
    return "".join(line + "\n" for line in lines) + content


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
