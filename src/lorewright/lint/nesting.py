"""Repetition inside repetition: patterns like `(a+)+`, in which a text can be cut up in very many ways."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

__all__ = ["has_nested_repetition"]

_TOKEN: Final = re.compile(
    r"""
    (?P<open>\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?)
    | (?P<close>\))
    | (?P<bar>\|)
    | (?P<many>[*+]\??|\{\d+,\}\??)
    | (?P<some>\?\??|\{\d+(?:,\d+)?\}\??)
    | (?P<edge>[\^$]|\\[bB])
    | (?P<atom>\\.|\[(?:\\.|[^\]\\])*\]|.)
    """,
    re.VERBOSE | re.DOTALL,
)


class _Atom(NamedTuple):
    """A piece of a sequence. needed: it must take something that no neighbour could take in its place."""

    needed: bool
    repeats: bool


@dataclass(slots=True)
class _Group:
    """An open group: the alternatives that are complete, and the one that is being read."""

    takes_nothing: bool = False
    loose: bool = False
    atoms: list[_Atom] = field(default_factory=list)

    def end_alternative(self) -> None:
        """A loose alternative repeats something and needs nothing else."""
        self.loose |= any(atom.repeats for atom in self.atoms) and not any(atom.needed for atom in self.atoms)
        self.atoms = []


def has_nested_repetition(pattern: str) -> bool:
    """Whether a group is repeated without limit that by itself repeats something and needs nothing else."""
    stack = [_Group()]
    last_was_loose_group = False
    for token in _TOKEN.finditer(pattern):
        kind, text = token.lastgroup, token[0]
        atoms = stack[-1].atoms
        if kind == "many":
            if last_was_loose_group:
                return True
            if atoms:
                atoms[-1] = _Atom(needed=False, repeats=True)
        elif kind == "some":
            if atoms and text.startswith("?"):
                atoms[-1] = atoms[-1]._replace(needed=False)
        elif kind == "open":
            stack.append(_Group(takes_nothing=text.endswith(("=", "!"))))
        elif kind == "bar":
            stack[-1].end_alternative()
        elif kind == "close" and len(stack) > 1:
            group = stack.pop()
            group.end_alternative()
            is_loose = group.loose and not group.takes_nothing
            stack[-1].atoms.append(_Atom(needed=not (is_loose or group.takes_nothing), repeats=is_loose))
            last_was_loose_group = is_loose
            continue
        else:
            atoms.append(_Atom(needed=kind == "atom", repeats=False))
        last_was_loose_group = False
    return False
