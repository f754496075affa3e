"""Inclusion groups: of the candidates that share a group name, one stays (spec world-info §5.2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from lorewright.core import javascript
from lorewright.core.policy import Policy
from lorewright.core.prepared import Prepared
from lorewright.core.reasons import LostGroup

__all__ = ["GroupRules", "settle_groups"]


class GroupRules(NamedTuple):
    """What settling groups needs to know of the evaluation.

    sticky, cooldown: ids with an active effect; activated: entries of earlier loops; score: number of matching keys
    of an entry; draw: a random number in [0, 1) for a group name.
    """

    policy: Policy
    sticky: Collection[str]
    cooldown: Collection[str]
    activated: Iterable[Prepared]
    score: Callable[[Prepared], int]
    draw: Callable[[str], float]


def settle_groups(
    candidates: Sequence[Prepared], rules: GroupRules
) -> tuple[list[Prepared], list[tuple[Prepared, LostGroup]]]:
    """The survivors in candidate order, and who lost what to whom."""
    if not any(entry.traits.groups for entry in candidates):
        return list(candidates), []
    board = _Board(candidates, rules)
    exempt = {name for name in board.groups if board.settle_timers(name)}
    for name in board.groups:
        if name not in exempt:
            board.settle_scores(name)
    for name in board.groups:
        if name not in exempt:
            board.settle_winner(name)
    return board.survivors, board.losses


class _Board:
    """The survivors and the members of each group, while the groups are settled."""

    def __init__(self, candidates: Sequence[Prepared], rules: GroupRules) -> None:
        self.rules = rules
        self.switches = rules.policy.switches
        self.survivors = list(candidates)
        self.activated = list(rules.activated)
        self.losses: list[tuple[Prepared, LostGroup]] = []
        groups: dict[str, list[Prepared]] = {}
        for entry in candidates:
            for name in (
                dict.fromkeys(entry.traits.groups) if not self.switches.group_keeps_removed else entry.traits.groups
            ):
                groups.setdefault(name, []).append(entry)
        if self.switches.javascript_group_order:
            numbered = sorted((name for name in groups if javascript.is_integer_like(name)), key=int)
            groups = {name: groups[name] for name in (*numbered, *groups)}
        self.groups = groups

    def settle_timers(self, name: str) -> bool:
        """A sticky member beats all others. Returns whether that settled the group."""
        members = list(self.groups[name])
        sticky = [entry for entry in members if entry.id in self.rules.sticky]
        if sticky:
            for entry in members:
                if entry.id not in self.rules.sticky:
                    self.remove(entry, name, "sticky", sticky[0])
        if self.switches.group_timers_hide:
            for entry in members:
                if entry.id in self.rules.cooldown:
                    self.remove(entry, name, "timers", None)
        return bool(sticky)

    def settle_scores(self, name: str) -> None:
        """Members that take part in scoring need the group's highest number of matching keys."""
        members = self.groups[name]
        default = self.rules.policy.settings.group_scoring
        if not default and not any(entry.traits.group_scoring for entry in members):
            return
        scores = [(entry, self.rules.score(entry)) for entry in members]
        best = max((score for _, score in scores), default=0)
        leader = next((entry for entry, score in scores if score == best), None)
        for entry, score in scores:
            takes_part = default if entry.traits.group_scoring is None else entry.traits.group_scoring
            if takes_part and score < best:
                self.remove(entry, name, "score", leader)
                if entry in members:
                    members.remove(entry)

    def settle_winner(self, name: str) -> None:
        """An earlier loop's member keeps the group; else the override of highest order, else a weighted draw."""
        members = list(self.groups[name])
        earlier = next((entry for entry in self.activated if self.blocks(entry, name)), None)
        if earlier is not None:
            self.remove_all_but(members, name, "earlier", earlier)
            return
        if len(members) < 2:
            return
        preferred = [entry for entry in members if entry.traits.group_override]
        if preferred:
            winner = javascript.sort_descending(preferred, lambda entry: entry.order)[0]
            self.remove_all_but(members, name, "override", winner)
        elif drawn := self.draw(members, name):
            self.remove_all_but(members, name, "draw", drawn)

    def blocks(self, activated: Prepared, name: str) -> bool:
        if self.switches.group_whole_string:
            return activated.traits.group_text == name
        return name in activated.traits.groups

    def draw(self, members: list[Prepared], name: str) -> Prepared | None:
        """The winner by weight. With negative weights in `sillytavern` there may be none: then all stay."""
        if not self.switches.group_text_weights:
            return self.draw_by_number(members, name)
        weights: list[float | str] = [0, *(entry.traits.group_weight for entry in members)]
        running = list(accumulate(weights, javascript.add))
        roll = self.rules.draw(name) * javascript.number(running[-1])
        bounds = zip(members, running[1:], strict=True)
        return next((entry for entry, bound in bounds if roll <= javascript.number(bound)), None)

    def draw_by_number(self, members: list[Prepared], name: str) -> Prepared:
        """Negative weights count as 0; if no member has a weight, the first wins."""
        weights = [max(javascript.number(entry.traits.group_weight), 0) for entry in members]
        roll = self.rules.draw(name) * sum(weights)
        bounds = zip(members, accumulate(weights), strict=True)
        return next((entry for entry, bound in bounds if roll < bound), members[0])

    def remove_all_but(self, members: list[Prepared], name: str, how: str, winner: Prepared) -> None:
        for entry in members:
            if entry is not winner:
                self.remove(entry, name, how, winner)

    def remove(self, entry: Prepared, name: str, how: str, winner: Prepared | None) -> None:
        loss = LostGroup(name, winner.id if winner else None, how)
        self.losses.append((entry, loss))
        if entry in self.survivors:
            self.survivors.remove(entry)
        elif self.switches.group_removes_bystander and self.survivors:
            bystander = self.survivors.pop()
            self.losses.append((bystander, LostGroup(name, None, "bystander")))
        if not self.switches.group_keeps_removed:
            for other, members in self.groups.items():
                if other != name and entry in members:
                    members.remove(entry)
            if entry in self.groups[name]:
                self.groups[name].remove(entry)
