"""Why a text stands where it stands in the final messages, and why another is in none of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lorewright.core.reasons import Reason

__all__ = [
    "AfterEnd",
    "Appended",
    "AsksForReply",
    "AtDepth",
    "AtMessage",
    "BehindChat",
    "BesideMain",
    "BudgetSpent",
    "Continued",
    "ForOtherReplies",
    "InExamples",
    "InHistory",
    "InOrder",
    "InStory",
    "IsHidden",
    "KeepsTurns",
    "LeftForRoom",
    "NoMain",
    "NoMarker",
    "NoPlace",
    "NoPosition",
    "NotAllowed",
    "NotInOrder",
    "NotInStory",
    "NotPreferred",
    "NotReplaceable",
    "NotWanted",
    "NoteWaits",
    "NothingLeft",
    "OddPlace",
    "OfThisTurn",
    "OlderThanBudget",
    "OpensPart",
    "OutletUnread",
    "Overwritten",
    "Reminds",
    "Renewed",
    "ReplacedBy",
    "ReservedKey",
    "Stands",
    "StandsSince",
    "StaysOut",
    "SwitchedOff",
    "ToBeReplaced",
    "TooLong",
    "WithoutLore",
]


@dataclass(frozen=True, slots=True)
class Stands(Reason):
    """The root of the reasons for a place in the messages."""

    step: ClassVar[int] = 0
    activates: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class InOrder(Stands):
    code, text = "in_order", "the order has it at place {place}"
    place: int


@dataclass(frozen=True, slots=True)
class Appended(Stands):
    code, text = "appended", "the order does not name `{marker}`, so it stands behind the last prompt"
    marker: str


@dataclass(frozen=True, slots=True)
class BesideMain(Stands):
    """`where`: `start` is before the main prompt, `end` behind it."""

    code, text = "beside_main", "stands at the {where} of the main prompt"
    where: str


@dataclass(frozen=True, slots=True)
class AtDepth(Stands):
    code, text = "at_depth", "stands at depth {depth}, with order {order}"
    depth: int
    order: float


@dataclass(frozen=True, slots=True)
class InHistory(Stands):
    code, text = "in_history", "is a message of the chat"


@dataclass(frozen=True, slots=True)
class InStory(Stands):
    code, text = "in_story", "is part of the story string"


@dataclass(frozen=True, slots=True)
class InExamples(Stands):
    code, text = "in_examples", "is block {block} of the example dialogues"
    block: int


@dataclass(frozen=True, slots=True)
class OpensPart(Stands):
    """`part`: `chat` or `examples`."""

    code, text = "opens_part", "opens the {part}"
    part: str


@dataclass(frozen=True, slots=True)
class Reminds(Stands):
    code, text = "reminds", "reminds the model at the end of the chat who replies"


@dataclass(frozen=True, slots=True)
class KeepsTurns(Stands):
    code, text = "keeps_turns", "is the user's turn, because the last message is the character's"


@dataclass(frozen=True, slots=True)
class Continued(Stands):
    code, text = "continued", "is to be continued, or says so"


@dataclass(frozen=True, slots=True)
class AsksForReply(Stands):
    code, text = "asks_for_reply", "asks for this type of reply, behind everything else"


@dataclass(frozen=True, slots=True)
class StandsSince(Stands):
    code, text = "stands_since", "stands as it was laid out when the conversation began"


@dataclass(frozen=True, slots=True)
class Renewed(Stands):
    code, text = (
        "renewed",
        "is another text than the one that stands before the chat, so it stands behind it in this turn",
    )


@dataclass(frozen=True, slots=True)
class AtMessage(Stands):
    code, text = "at_message", "stands at message {message}, where it was placed"
    message: int


@dataclass(frozen=True, slots=True)
class BehindChat(Stands):
    code, text = (
        "behind_chat",
        "stands behind the chat, and not at depth {depth}, so that the chat stands",
    )
    depth: int


@dataclass(frozen=True, slots=True)
class OfThisTurn(Stands):
    code, text = "of_this_turn", "comes and goes, so it stands behind the chat in this turn"


@dataclass(frozen=True, slots=True)
class StaysOut(Reason):
    """The root of the reasons for being in no message."""

    step: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class SwitchedOff(StaysOut):
    code, text = "switched_off", "the order has `{prompt}` switched off"
    prompt: str


@dataclass(frozen=True, slots=True)
class NotInOrder(StaysOut):
    code, text = "not_in_order", "the order does not name `{prompt}`"
    prompt: str


@dataclass(frozen=True, slots=True)
class ForOtherReplies(StaysOut):
    code, text = "for_other_replies", "is only for replies of type {types}, and this one is `{type}`"
    type: str
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReplacedBy(StaysOut):
    """`kind` and `id` are those of the source that stands there."""

    code, text = "replaced_by", "the {kind} `{id}` stands in its place"
    kind: str
    id: str


@dataclass(frozen=True, slots=True)
class NotPreferred(StaysOut):
    code, text = "not_preferred", "the user prefers the preset's `{prompt}` to that of the card"
    prompt: str


@dataclass(frozen=True, slots=True)
class NotInStory(StaysOut):
    code, text = "not_in_story", "the story string has no place for `{value}`"
    value: str


@dataclass(frozen=True, slots=True)
class NotReplaceable(StaysOut):
    """`because`: `fixed`, `off` or `missing`."""

    code, text = "not_replaceable", "a card may not replace `{prompt}` here, which is {because}"
    prompt: str
    because: str


@dataclass(frozen=True, slots=True)
class OutletUnread(StaysOut):
    code, text = "outlet_unread", "no text asks for the outlet `{outlet}`"
    outlet: str


@dataclass(frozen=True, slots=True)
class NoPlace(StaysOut):
    code, text = "no_place", "`{prompt}` is flagged as a prompt of the program, which knows no place for it"
    prompt: str


@dataclass(frozen=True, slots=True)
class NoPosition(StaysOut):
    code, text = "no_position_wanted", "its position is `none`"


@dataclass(frozen=True, slots=True)
class OddPlace(StaysOut):
    """`what`: `depth` or `role`."""

    code, text = "odd_place", "its {what} is {value}, with which it has no place in the chat"
    what: str
    value: str


@dataclass(frozen=True, slots=True)
class ReservedKey(StaysOut):
    code, text = "reserved_key", "a text with the key `{key}` stands in the chat only"
    key: str


@dataclass(frozen=True, slots=True)
class NotAllowed(StaysOut):
    code, text = "not_allowed", "its filter refuses it"


@dataclass(frozen=True, slots=True)
class NoMain(StaysOut):
    code, text = "no_main", "stands beside the main prompt, and there is none"


@dataclass(frozen=True, slots=True)
class NoMarker(StaysOut):
    code, text = "no_marker", "the prompts have no place for `{marker}`"
    marker: str


@dataclass(frozen=True, slots=True)
class NotWanted(StaysOut):
    code, text = "not_wanted", "example dialogues are not wanted"


@dataclass(frozen=True, slots=True)
class WithoutLore(StaysOut):
    code, text = "without_lore", "this request wants no lore"


@dataclass(frozen=True, slots=True)
class NoteWaits(StaysOut):
    """The author's note is not there at every message; so long, what stands around it is not there either."""

    code, text = "note_waits", "the author's note waits: its interval is {interval}, and the user has said {messages}"
    interval: float
    messages: int


@dataclass(frozen=True, slots=True)
class IsHidden(StaysOut):
    code, text = "hidden", "the message is hidden"


@dataclass(frozen=True, slots=True)
class ToBeReplaced(StaysOut):
    code, text = "to_be_replaced", "the reply that is asked for ({type}) takes its place"
    type: str


@dataclass(frozen=True, slots=True)
class NothingLeft(StaysOut):
    code, text = "nothing_left", "its text is empty"


@dataclass(frozen=True, slots=True)
class TooLong(StaysOut):
    code, text = "too_long", "needs {needed_tokens} tokens, {left_tokens} are left"
    needed_tokens: int
    left_tokens: int


@dataclass(frozen=True, slots=True)
class OlderThanBudget(StaysOut):
    code, text = "older_than_budget", "a newer text of the chat did not fit any more"


@dataclass(frozen=True, slots=True)
class LeftForRoom(StaysOut):
    code, text = "left_for_room", "left with others when the context was full"


@dataclass(frozen=True, slots=True)
class BudgetSpent(StaysOut):
    code, text = "budget_spent", "an example before it did not fit any more"


@dataclass(frozen=True, slots=True)
class AfterEnd(StaysOut):
    code, text = "after_end", "the prompt ended before it, because {what} did not fit"
    what: str


@dataclass(frozen=True, slots=True)
class Overwritten(StaysOut):
    code, text = "overwritten", "the example dialogues took its place"
