"""What a replacement text stands for in `text.replace(regex, replacement)` (ECMAScript, GetSubstitution)."""

from __future__ import annotations

import re
from typing import Final

from lorewright.core.protocols import RegexMatch

__all__ = ["expand"]

_DOLLAR: Final = re.compile(r"\$(?:([$&`'])|([0-9]{1,2})|<([^>]*)>)")
_CODEC: Final = "utf-16-le"


def expand(replacement: str, match: RegexMatch, text: str) -> str:
    """The replacement for one match in the text.

    `$$`, `$&`, `` $` ``, `$'`, `$1` to `$99` and `$<name>` have their meanings; a number that no group has stays, and
    so does a name where no group has one. Of two digits the second is text where only the first is a group.
    """

    def write(found: re.Match[str]) -> str:
        sign, digits, name = found.groups()
        if sign:
            return _sign(sign, match, text)
        if digits is None:
            return (match.names.get(name) or "") if match.names else found[0]
        for size in range(len(digits), 0, -1):
            number = int(digits[:size])
            if 0 < number <= len(match.groups):
                return (match.groups[number - 1] or "") + digits[size:]
        return found[0]

    return _DOLLAR.sub(write, replacement) if "$" in replacement else replacement


def _sign(sign: str, match: RegexMatch, text: str) -> str:
    if sign == "$":
        return "$"
    if sign == "&":
        return match.text
    units = text.encode(_CODEC, "surrogatepass")
    start = 2 * match.offset
    end = start + len(match.text.encode(_CODEC, "surrogatepass"))
    return (units[:start] if sign == "`" else units[end:]).decode(_CODEC, "surrogatepass")
