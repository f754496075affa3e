"""One text of a reply on its way to the client: said piece by piece, shown as the route's rules have it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from lorewright.gateway.replies.hiding import Hider
from lorewright.ledger.events import Rewritten

__all__ = ["MOST_CHARACTERS", "Account", "Changed", "Passage", "Rules", "Scripted"]

MOST_CHARACTERS: Final = 1_000_000
"""Of a text that scripts change, or whose original is kept; a longer one is not held back."""
_MOST_SENTENCES: Final = 100
_HIDING: Final = "hide_updates"


class Scripted(NamedTuple):
    """A text after scripts, the names of those that changed it, and why others did nothing."""

    text: str
    by: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


class Rules(NamedTuple):
    """What a route does to replies. change: scripts that change the message itself; show: those that only change what is
    shown. None: there are none. problem: why no script can run."""

    hides: bool
    change: Callable[[str], Scripted] | None = None
    show: Callable[[str], Scripted] | None = None
    problem: str = ""

    @property
    def waits(self) -> bool:
        """Whether a text has to be whole before anything of it can be shown."""
        return self.change is not None or self.show is not None


class Changed(NamedTuple):
    """A text that the client got in other words. kept: as it counts in the conversation from now on, which is what the
    model said unless a script changed the message itself. shown: what the client got."""

    kept: str
    shown: str


@dataclass(slots=True)
class Account:
    """What was done to one reply. by: what changed it. failed: sentences, why something was not done. said, shown:
    characters of all its texts."""

    by: dict[str, None] = field(default_factory=dict)
    failed: dict[str, None] = field(default_factory=dict)
    changed: list[Changed] = field(default_factory=list)
    said: int = 0
    shown: int = 0

    @property
    def rewritten(self) -> Rewritten:
        """The same for the ledger."""
        return Rewritten(tuple(self.by), tuple(self.failed)[:_MOST_SENTENCES], self.said, self.shown)

    def note(self, scripted: Scripted) -> str:
        """Take over what came of scripts, and give the text."""
        self.by.update(dict.fromkeys(scripted.by))
        self.failed.update(dict.fromkeys(scripted.failed))
        return scripted.text


class Passage:
    """One text. What `feed` and `close` give, one after the other, is what the client gets of it."""

    def __init__(self, rules: Rules, account: Account) -> None:
        self._rules = rules
        self._account = account
        self._hider = Hider() if rules.hides else None
        self._waits = rules.waits
        self._said: list[str] = []
        self._shown: list[str] = []
        self._size = 0
        self._is_closed = False

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    def feed(self, text: str) -> str:
        """What can be shown, now that the model has said this, too."""
        self._size += len(text)
        self._account.said += len(text)
        if self._size > MOST_CHARACTERS:
            return self._show(self._hidden(self._give_up() + text))
        self._said.append(text)
        return self._show("" if self._waits else self._hidden(text))

    def close(self) -> str:
        """The rest; nothing more is said."""
        if self._is_closed:
            return ""
        self._is_closed = True
        kept = said = "".join(self._said)
        if self._waits:
            kept = self._run(self._rules.change, said)
            text = self._run(self._rules.show, self._hidden(kept) + self._rest())
        else:
            text = self._rest()
        if self._hider is not None and self._hider.count:
            self._account.by[_HIDING] = None
        text = self._show(text)
        shown = self.shown
        if self._size <= MOST_CHARACTERS and shown != said:
            self._account.changed.append(Changed(kept, shown))
        return text

    @property
    def shown(self) -> str:
        """All that the client got of it so far, if it is not too long."""
        return "".join(self._shown)

    @property
    def said(self) -> str:
        return "".join(self._said)

    def _run(self, scripts: Callable[[str], Scripted] | None, text: str) -> str:
        return self._account.note(scripts(text)) if scripts is not None and text else text

    def _give_up(self) -> str:
        """The text is too long for scripts, and to be kept; what was held back for them."""
        held = self.said if self._waits else ""
        if self._waits:
            self._account.failed[f"A text has more than {MOST_CHARACTERS:,} characters; no script changes it."] = None
        self._waits = False
        self._said.clear()
        self._shown.clear()
        return held

    def _hidden(self, text: str) -> str:
        return self._hider.feed(text) if self._hider is not None else text

    def _rest(self) -> str:
        return self._hider.close() if self._hider is not None else ""

    def _show(self, text: str) -> str:
        self._account.shown += len(text)
        if text and self._size <= MOST_CHARACTERS:
            self._shown.append(text)
        return text
