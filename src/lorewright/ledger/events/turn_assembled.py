"""A request was assembled: everything that went in, and the hash of what came out."""

from dataclasses import dataclass

from lorewright.ledger.window import Step
from lorewright.storage.image import Ref

__all__ = ["TurnAssembled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnAssembled:
    """turn: its number in the stream, from 1. parent: the number of the turn that `messages` and `sent` are written
    against; 0: none. at: the clock when it was assembled, in seconds since 1970.

    What went in. lore: books in their order, each with its source. policy: switches and settings. scene: the fields
    of the turn but for its messages, each a text of its own. messages: the client's, as steps from the parent's.
    reads: what came from outside while it was assembled (`ledger/outside.py`); None: nothing. What stood before is
    in the nodes of earlier turns.

    What came out. number: the turn's number in its conversation. sent: the messages sent, as steps from the
    parent's. hash: HMAC-SHA256 of their bytes under the seal in `trail`. trail: the seal and the nodes that are new
    or changed. active: entries in order of activation. waiting: entries whose text waits, each with the reason.
    """

    turn: int
    parent: int
    at: float
    lore: tuple[tuple[str, Ref], ...]
    policy: Ref
    scene: tuple[tuple[str, Ref], ...]
    messages: tuple[Step, ...]
    reads: Ref | None
    number: int
    sent: tuple[Step, ...]
    hash: str
    trail: Ref
    active: tuple[str, ...]
    waiting: tuple[tuple[str, str], ...] = ()
