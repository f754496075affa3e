"""What can happen in a ledger: one small file for each kind of event, and their union."""

from typing import Final, Union, get_args

from lorewright.ledger.events.book_stored import BookStored
from lorewright.ledger.events.fact_promoted import FactPromoted
from lorewright.ledger.events.fact_proposed import FactProposed
from lorewright.ledger.events.memory_kept import MemoryKept
from lorewright.ledger.events.placement_moved import PlacementMoved
from lorewright.ledger.events.policy_stored import PolicyStored
from lorewright.ledger.events.reply_received import ReplyReceived, Rewritten
from lorewright.ledger.events.request_sent import RequestSent
from lorewright.ledger.events.session_opened import SessionOpened
from lorewright.ledger.events.text_erased import TextErased
from lorewright.ledger.events.thing_stored import ThingStored
from lorewright.ledger.events.turn_assembled import TurnAssembled
from lorewright.ledger.events.variables_changed import VariablesChanged

__all__ = [
    "EVENTS",
    "BookStored",
    "Event",
    "FactPromoted",
    "FactProposed",
    "MemoryKept",
    "PlacementMoved",
    "PolicyStored",
    "ReplyReceived",
    "RequestSent",
    "Rewritten",
    "SessionOpened",
    "TextErased",
    "ThingStored",
    "TurnAssembled",
    "VariablesChanged",
]

Event = Union[
    SessionOpened,
    PolicyStored,
    BookStored,
    ThingStored,
    TurnAssembled,
    PlacementMoved,
    VariablesChanged,
    RequestSent,
    ReplyReceived,
    FactProposed,
    FactPromoted,
    TextErased,
    MemoryKept,
]
EVENTS: Final[tuple[type, ...]] = get_args(Event)
