"""What every step of one layout has at hand."""

from __future__ import annotations

from dataclasses import dataclass

from lorewright.core.layout.account import Account
from lorewright.core.layout.defects import Defects
from lorewright.core.layout.pen import Pen
from lorewright.core.layout.scene import Scene
from lorewright.core.memo import ANEW, Memo

__all__ = ["Desk"]


@dataclass(frozen=True, slots=True)
class Desk:
    """The scene, the pen that renders its texts, the account of what becomes of them, the defects that are kept, and
    what was made in earlier turns."""

    scene: Scene
    pen: Pen
    account: Account
    defects: Defects
    memo: Memo = ANEW
