"""Texts that are put beside the main prompt or into the chat, by key (spec prompt-assembly §2, §4, §8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lorewright.core.javascript import is_integer_like
from lorewright.core.layout.scene import NotePosition
from lorewright.core.layout.strand import Strand

__all__ = ["ROLES", "Insertion", "Insertions"]

ROLES = ("system", "user", "assistant")
"""The roles that the chat knows, in the order in which they are put there at one depth."""

_OUTLET = "customWIOutlet_"
_LORE = ("customDepthWI", _OUTLET)


@dataclass(frozen=True, slots=True)
class Insertion:
    """A text with its place. `depth` and `role` matter in the chat only."""

    text: Strand
    position: NotePosition = "none"
    depth: float = 0
    role: str = "system"
    allowed: bool = True


class Insertions:
    """The texts of one layout. A text with a known key takes the place of the one before."""

    def __init__(self) -> None:
        self._texts: dict[str, Insertion] = {}

    def put(self, key: str, insertion: Insertion) -> Insertion | None:
        """Put a text; the one that had the key before."""
        before = self._texts.get(key)
        self._texts[key] = insertion
        return before

    def get(self, key: str) -> Insertion | None:
        """The text with a key."""
        return self._texts.get(key)

    def drop_lore(self) -> Iterator[Insertion]:
        """Take out all texts of an earlier scan."""
        for key in [key for key in self._texts if key.startswith(_LORE)]:
            yield self._texts.pop(key)

    def put_outlet(self, name: str, text: Strand) -> None:
        """Put the text of an outlet, which stands nowhere until a text asks for it."""
        self.put(_OUTLET + name, Insertion(text))

    def outlets(self) -> Mapping[str, Strand]:
        """The texts of outlets by name."""
        return {key.removeprefix(_OUTLET): one.text for key, one in self._texts.items() if key.startswith(_OUTLET)}

    def in_key_order(self) -> list[tuple[str, Insertion]]:
        """All texts as JavaScript lists an object: keys that look like integers first, in their order."""
        numbers = sorted((key for key in self._texts if is_integer_like(key)), key=int)
        others = (key for key in self._texts if not is_integer_like(key))
        return [(key, self._texts[key]) for key in (*numbers, *others)]

    def at(self, position: NotePosition) -> list[Insertion]:
        """The texts of a position that are not empty, sorted by the UTF-16 code units of their keys."""
        found = [(key, one) for key, one in self._texts.items() if one.position == position and one.text.text]
        return [one for _, one in sorted(found, key=lambda item: item[0].encode("utf-16-be", "surrogatepass"))]
