"""What a place learns of a value that is put into it, again and again in one reply, without looking at all of it again.

Trees and rules are never changed in place, so what was looked at once is known by its identity.
"""

from __future__ import annotations

from typing import Any, Final

from lorewright.mvu.edits import merged
from lorewright.mvu.refusal import Refused
from lorewright.mvu.schema import Schema, rule_of, same_rule, strip_with
from lorewright.mvu.values import Json

__all__ = ["Learner"]

_MOST_LOOKS: Final = 2_000_000
"""Values that one reply may let be looked at."""


class Learner:
    """One reply long. It keeps what it has seen, so that no other value can have its identity meanwhile."""

    def __init__(self) -> None:
        self._rules: dict[tuple[int, int, bool], tuple[Json, Schema | None, Schema]] = {}
        self._clean: dict[int, tuple[Json, Json]] = {}
        self._looks = 0

    def learn(self, tree: Json, old: Schema | None, recursive: bool = False) -> Schema:
        """The old rule of a place with what it learns of the value that is there now; the old one itself if that is
        nothing new.

        Raises:
            Refused: a reply lets too much be looked at.
        """
        if not isinstance(tree, (dict, list)):
            return _joined(old, rule_of(tree, old, recursive, self.learn))
        key = (id(tree), id(old), recursive)
        known = self._rules.get(key)
        if known is None:
            self._look(len(tree))
            made = _joined(old, rule_of(tree, old, recursive, self.learn))
            known = self._rules[key] = (tree, old, made)
            self._rules[id(tree), id(made), recursive] = (tree, made, made)
        return known[2]

    def clean(self, tree: Json) -> Json:
        """The value without marks.

        Raises:
            Refused: a reply lets too much be looked at.
        """
        if not isinstance(tree, (dict, list)):
            return tree
        known = self._clean.get(id(tree))
        if known is None:
            self._look(len(tree))
            known = self._clean[id(tree)] = (tree, strip_with(tree, self.clean))
        return known[1]

    def _look(self, count: int) -> None:
        self._looks += count + 1
        if self._looks > _MOST_LOOKS:
            raise Refused("too_large", "One reply puts too much into too large places.")


def _joined(old: Schema | None, new: Schema) -> Schema:
    """The new rule over the old one; the rules of what is inside are joined already where both are of one type."""
    if old is None:
        return new
    made: dict[str, Any] = dict(old)
    fits = old.get("type") == new["type"]
    for name, value in new.items():
        if fits and name == "properties":
            made[name] = {**(old.get(name) or {}), **value}
        elif fits and name == "elementType":
            made[name] = _joined(old.get(name), value)
        else:
            made[name] = merged(old.get(name), value)
    return old if same_rule(made, old) else made
