"""The system prompt of a chat as it is sent: the client's leading texts, and ours before and behind them.

What stands there is either kept (a record) or only of this turn (a section of an entry that may cost the cache, a
replacement in a text). Such an entry is named whenever it changes something else than in the last request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lorewright.core.lore import Lore
from lorewright.core.place import Section
from lorewright.core.record import Form, Record

__all__ = ["Front", "FrontText", "lay_front"]


class FrontText(NamedTuple):
    """A text of ours in the system prompt. is_kept: it is a record, and stands there in later requests, too."""

    entry: str
    text: str
    form: Form
    is_kept: bool


@dataclass(frozen=True, slots=True)
class Front:
    """head, tail: before and behind the client's leading texts. outlets: by name, texts that these ask for."""

    head: tuple[FrontText, ...] = ()
    tail: tuple[FrontText, ...] = ()
    outlets: Mapping[str, tuple[FrontText, ...]] = field(default_factory=dict)


def lay_front(
    records: Sequence[Record], sections: Iterable[Section], form: Form, lore: Lore, change: Callable[[str, str], str]
) -> Front:
    """Put the sections of this turn between the records, by their layers.

    Records keep the order in which they were placed, whatever became of their layers. `change` makes the replacements
    of this turn in the text of an entry.
    """
    parts: dict[str, list[tuple[Record | Section, FrontText]]] = {"head": [], "front": []}
    outlets: dict[str, list[FrontText]] = {}
    for record in records:
        kept = FrontText(record.entry, change(record.entry, record.text), record.form, is_kept=True)
        if record.place == "outlet":
            outlets.setdefault(record.outlet, []).append(kept)
        else:
            parts[record.place].append((record, kept))
    for section in sections:
        part = parts["head" if section.is_before else "front"]
        at = next((at for at, (other, _) in enumerate(part) if _stands_behind(other, section, lore)), len(part))
        entry, text = section.text
        part.insert(at, (section, FrontText(entry, change(entry, text), form, is_kept=False)))
    head, tail = (tuple(item for _, item in parts[name]) for name in ("head", "front"))
    return Front(head, tail, {name: tuple(texts) for name, texts in outlets.items()})


def _stands_behind(other: Record | Section, section: Section, lore: Lore) -> bool:
    """Whether a text belongs behind a section. Texts with a position stand before all layers."""
    if isinstance(other, Section):
        return other.key > section.key
    entry = lore.find(other.entry)
    return entry is not None and entry.traits.slot is not None and lore.layer_key(entry) > section.key
