"""Finding the entry that a person means: by id, by uid, or by title."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final

from lorewright.cli.screen import count
from lorewright.core.lore import Lore
from lorewright.core.prepared import Prepared
from lorewright.errors import InputError

__all__ = ["find_entry"]

_SHOWN: Final = 5


def find_entry(wanted: str, lore: Lore, *, spoilers: bool = False) -> str:
    """The id of the one entry with this id (`book.uid`), this uid, or this title in any case; looked for in this order.

    Closed entries are found by their id alone, but with `spoilers`.

    Raises:
        InputError: there is none, or there are several; `facts["candidates"]` has the ids of those that come close.
    """
    if wanted in lore.closed:
        return wanted
    entries = (*lore.entries, *lore.closed.values()) if spoilers else lore.entries
    folded = wanted.strip().casefold()
    for found in (
        [entry for entry in entries if entry.id == wanted],
        [entry for entry in entries if str(entry.entry.uid) == wanted],
        [entry for entry in entries if entry.title.strip().casefold() == folded],
    ):
        if len(found) == 1:
            return found[0].id
        if found:
            raise InputError(
                f"`{wanted}` is not clear; {len(found)} entries are called so. Name one by its id: {_list(found)}.",
                wanted=wanted,
                candidates=tuple(entry.id for entry in found),
            )
    close = _close(folded, entries)
    advice = f"Close to it: {_list(close)}." if close else f"{_count(entries)}; `explain --all` lists them."
    raise InputError(
        f"No entry has the id, uid or title `{wanted}`. {advice}",
        wanted=wanted,
        candidates=tuple(entry.id for entry in close),
    )


def _close(folded: str, entries: Sequence[Prepared]) -> list[Prepared]:
    """Entries whose title or id holds the wanted words or is spelled much like them."""
    names: dict[str, Prepared] = {}
    for entry in entries:
        names.setdefault(entry.title.strip().casefold(), entry)
        names.setdefault(entry.id.casefold(), entry)
    inside = [name for name in names if folded and folded in name]
    spelled = get_close_matches(folded, names, n=_SHOWN, cutoff=0.6)
    return list({names[name].id: names[name] for name in (*inside, *spelled)}.values())[:_SHOWN]


def _list(entries: Iterable[Prepared]) -> str:
    listed = [f"{entry.id} ({entry.title})" for entry in entries]
    rest = len(listed) - _SHOWN
    return ", ".join(listed[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def _count(entries: Sequence[Prepared]) -> str:
    return f"The books hold {count(len(entries), 'entry')}" if entries else "The books hold no entries"
