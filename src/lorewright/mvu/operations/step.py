"""What an operation is given, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from lorewright.mvu.arguments import ArgumentReader
from lorewright.mvu.behaviour import Behaviour
from lorewright.mvu.commands import Command
from lorewright.mvu.learning import Learner
from lorewright.mvu.paths import get
from lorewright.mvu.refusal import Refused
from lorewright.mvu.schema import RootSwitches, Schema
from lorewright.mvu.values import MISSING, Json

__all__ = ["Done", "Step"]

_TREE: Final = "stat_data."


@dataclass(frozen=True, slots=True)
class Step:
    """A command, and the tree and rules as those before it left them. An operation raises `Refused` or gives `Done`."""

    tree: Json
    schema: Schema | None
    command: Command
    behaviour: Behaviour
    switches: RootSwitches
    reader: ArgumentReader
    learner: Learner

    @property
    def path(self) -> str:
        return self.command.path

    @property
    def place(self) -> str:
        """The path as a message names it."""
        return f"`{self.path}`" if self.path else "The whole tree"

    @property
    def reason(self) -> str:
        """The reason as it stands behind a change; there is a space before it even if it is empty."""
        return f"({self.command.reason})" if self.command.reason else ""

    def argument(self, place: int) -> Json:
        """What the argument at a place means; the path is at 0."""
        return self.reader.read(self.command.arguments[place])

    def existing(self) -> Json:
        """The value at the path.

        Raises:
            Refused: there is none.
        """
        value = get(self.tree, self.path)
        if value is MISSING:
            raise Refused("path_missing", f"There is no variable `{self.path}`.{self._hint()}")
        return value

    def _hint(self) -> str:
        """What to write where a path begins with the name of the tree itself."""
        inner = self.path.removeprefix(_TREE)
        is_there = inner != self.path and get(self.tree, inner) is not MISSING
        return f" A path begins inside of the tree. Leave out `{_TREE}`: write `{inner}`." if is_there else ""


class Done(NamedTuple):
    """What a command did.

    text: the change as status bars show it, empty: they show none. old, new: the value before and after, for those
    who listen to single changes; `told` is false where the program tells nobody. added: what came into the tree;
    removed: what left it, as far as that is known.
    """

    tree: Json
    schema: Schema | None
    text: str
    old: Json
    new: Json
    told: bool = True
    added: Json = MISSING
    removed: Json = MISSING
