"""What an absent field, a null, or a value of a wrong type means.

This is the only place that decides it. With the switch `javascript_fields` such values act as in SillyTavern's own
code (spec world-info §1.1, §9.3). Without it they mean "not set" and take the default of a newly created entry, and a
number or truth value written as text is read as such.
"""

from __future__ import annotations

import math
import re
from typing import Final

from lorewright.core import javascript
from lorewright.core.model import ABSENT, Odd, Report
from lorewright.core.policy import Policy
from lorewright.core.written import written

__all__ = ["FieldReader", "brief", "read_flag"]

_TRUE_WORDS: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False, "": False}
_SEPARATORS: Final = re.compile("[,，、\n]")


class FieldReader:
    """Reads the fields of one entry after the other; `place` is the entry it is at, `reports` what it found odd."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.javascript = policy.switches.javascript_fields
        self.place = ("", "")
        self.reports: list[Report] = []

    def odd(self, field: str, value: object) -> None:
        """Report a value of a wrong type; absent and null are not odd."""
        if isinstance(value, Odd):
            self.report(
                "odd_value",
                f"`{field}` holds {brief(value.value)}, which is not of its type; read by the rules of the "
                f"`{self.policy.name}` profile.",
                field,
            )

    def report(self, code: str, message: str, field: str) -> None:
        book, identity = self.place
        self.reports.append(Report(code=code, message=message, book=book, entry=identity, field=field))

    def flag(self, field: str, value: object, *, default: bool = False) -> bool:
        """A truth value. JavaScript: by truthiness, absent is false. Else: absent and null are the default."""
        if value is True or value is False:
            return value
        self.odd(field, value)
        bare = value.value if isinstance(value, Odd) else value
        if self.javascript:
            return javascript.truthy(bare)
        read = read_flag(bare)
        return default if read is None else read

    def optional_flag(self, field: str, value: object) -> bool | None:
        """A truth value, or None for "as the global setting"."""
        if value is True or value is False:
            return value
        if value is None or value is ABSENT:
            return None
        self.odd(field, value)
        bare = value.value if isinstance(value, Odd) else value
        return javascript.truthy(bare) if self.javascript else read_flag(bare)

    def setting(self, field: str, value: object, default: bool) -> bool:
        own = self.optional_flag(field, value)
        return default if own is None else own

    def text(self, field: str, value: object) -> str:
        if isinstance(value, str):
            return value
        self.odd(field, value)
        if not isinstance(value, Odd) or isinstance(value.value, (list, dict)):
            return ""
        bare = value.value
        if isinstance(bare, bool):
            return "true" if bare else ""
        return javascript.number_text(bare) if isinstance(bare, (int, float)) and bare else ""

    def texts(self, field: str, value: object) -> tuple[str, ...]:
        """A list of texts. A text in place of a list is no list to JavaScript; else it is split at commas and line ends."""
        if isinstance(value, tuple):
            return value
        self.odd(field, value)
        if isinstance(value, Odd) and isinstance(value.value, str) and not self.javascript:
            return tuple(part for part in map(javascript.trim, _SEPARATORS.split(value.value)) if part)
        return ()

    def amount(self, field: str, value: object) -> float:
        """A number that is off when falsy."""
        if isinstance(value, (int, float)):
            found = javascript.number(value)
            return 0 if math.isnan(found) else found
        self.odd(field, value)
        found = javascript.number(value.value) if isinstance(value, Odd) else 0
        return 0 if math.isnan(found) else found

    def optional_number(self, field: str, value: object) -> float | None:
        if isinstance(value, (int, float)):
            return javascript.number(value)
        self.odd(field, value)
        if not isinstance(value, Odd):
            return None
        found = javascript.number(value.value)
        return found if self.javascript or not math.isnan(found) else None


def read_flag(value: object) -> bool | None:
    """A truth value written as a number or a word, or None if it is neither."""
    if isinstance(value, (bool, int, float)):
        return bool(value)
    return _TRUE_WORDS.get(value.strip().lower()) if isinstance(value, str) else None


def brief(value: object) -> str:
    """A value of a file as a sentence shows it."""
    shown = written(value)
    return shown if len(shown) <= 60 else f"{shown[:40]} … {shown[-10:]}"
