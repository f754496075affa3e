"""Values of other programs' data, read as what they must be; whatever is something else is reported."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from lorewright.core.javascript import number, value_as_text
from lorewright.formats.imported import Notes
from lorewright.formats.wording import describe

__all__ = ["Values"]


@dataclass(frozen=True, slots=True)
class Values:
    """The members of one object. `where` is its place in the file, for reports: `chat_metadata`."""

    members: Mapping[str, object]
    where: str
    notes: Notes

    def text(self, name: str) -> str:
        """The text, `""` where there is none. A number is read as a text, anything else is not used."""
        value = self.members.get(name)
        if value is None or isinstance(value, str):
            return value or ""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            self._tell(name, value, "it is read as a text")
            return value_as_text(value)
        self._tell(name, value, "it is not used")
        return ""

    def number(self, name: str, usual: float) -> float:
        """The finite number, `usual` where there is none. A text that is a number is read as that number."""
        value = self.members.get(name)
        if value is None:
            return usual
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        found = number(value) if is_number or (isinstance(value, str) and value.strip()) else math.nan
        if not math.isfinite(found):
            self._tell(name, value, f"{usual:g} is used")
            return usual
        if not is_number:
            self._tell(name, value, "it is read as a number")
        return found

    def _tell(self, name: str, value: object, used: str) -> None:
        place = f"{self.where}.{name}"
        self.notes.add(
            "bad_value", f"`{place}` holds {describe(value)}, which is not of its type; {used}.", field=place
        )
