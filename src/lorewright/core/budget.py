"""How many tokens of lore fit (spec world-info §6)."""

from __future__ import annotations

from dataclasses import dataclass

from lorewright.core import javascript
from lorewright.core.policy import Policy
from lorewright.core.prepared import Prepared
from lorewright.core.protocols import Counter

__all__ = ["Budget", "Refusal", "is_placed", "limit_tokens"]


def limit_tokens(policy: Policy, context_tokens: int) -> int:
    """The budget in tokens: a share of the context, at least 1, at most the cap."""
    settings = policy.settings
    limit = javascript.round_half_up(settings.budget_percent * context_tokens / 100) or 1
    cap = settings.budget_cap_tokens
    return cap if 0 < cap < limit else limit


@dataclass(frozen=True, slots=True)
class Refusal:
    """What an entry would have needed and what was left."""

    needed_tokens: int
    left_tokens: int


class Budget:
    """The account of one evaluation.

    `native` counts every text that is placed once. `sillytavern` (switch `budget_forgets`) counts, for each loop
    anew, the recursion text of the loops before plus all texts of this loop, refused ones included.
    """

    def __init__(self, policy: Policy, counter: Counter, context_tokens: int) -> None:
        self.switches = policy.switches
        self.counter = counter
        self.limit = limit_tokens(policy, context_tokens)
        self.overflowed = False
        self.used = 0
        """Tokens of the texts that were let in, counted one by one."""
        self._remembered = ""
        self._base = 0
        self._running = ""

    def start_loop(self) -> None:
        self._base = self.counter.count(self._remembered) if self.switches.budget_forgets else 0
        self._running = ""

    def end_loop(self, recursion_text: str) -> None:
        """Remember the recursion text that a loop leaves behind."""
        if recursion_text and self.switches.budget_forgets:
            self._remembered = f"{recursion_text}\n{self._remembered}"

    @property
    def closed(self) -> bool:
        """Whether entries that do not ignore the budget are not even tried, because one was refused."""
        return self.overflowed and self.switches.budget_stops_at_refusal

    def admit(self, entry: Prepared, text: str, lead: str = "") -> Refusal | None:
        """Let a text in (None) or say why not. `lead`: what must stand before it if it comes in."""
        tokens = self.counter.count(text) if is_placed(entry, text) else 0
        tokens += self.counter.count(lead)
        if self.switches.budget_forgets:
            self._running += text + "\n"
            total = self._base + self.counter.count(self._running)
        else:
            total = self.used + tokens
        fits = total < self.limit or (total == self.limit and not self.switches.budget_refuses_exact_fit)
        if fits or entry.traits.ignores_budget or not (tokens or self.switches.budget_forgets):
            self.used += tokens
            return None
        self.overflowed = True
        before = self._base + self.counter.count(self._running[: -len(text) - 1])
        spent = before if self.switches.budget_forgets else self.used
        return Refusal(total - spent, max(self.limit - spent, 0))

    def refund(self, entry: Prepared, text: str) -> None:
        """Take back what was let in before."""
        if is_placed(entry, text):
            self.refund_text(text)

    def refund_text(self, text: str) -> None:
        """Take back the tokens of a text."""
        self.used -= self.counter.count(text)


def is_placed(entry: Prepared, text: str) -> bool:
    """Whether the text will stand anywhere: it is not empty, and its channel or its position has a place."""
    if entry.traits.slot is not None:
        return bool(text)
    outlet_position = 7
    nowhere = entry.traits.position is None or (entry.traits.position == outlet_position and not entry.traits.outlet)
    return bool(text) and not nowhere
