"""A request that is laid out by a preset: its messages, and what of them stands in the next one (ADR 0035)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress, count
from typing import Final

from lorewright.core.chain import Node
from lorewright.core.draw import draw_for
from lorewright.core.engine import Assembly
from lorewright.core.freeze import FrontPlace, front_place
from lorewright.core.front import Front, FrontText
from lorewright.core.layout.defects import NATIVE_LAYOUT, SILLYTAVERN_LAYOUT
from lorewright.core.layout.layout import LaidOut, lay_out
from lorewright.core.layout.plan import Plan, scene_of
from lorewright.core.layout.reasons import IsHidden, LeftForRoom, StaysOut, ToBeReplaced, TooLong
from lorewright.core.layout.standing import Standing
from lorewright.core.layout.stock import Lineup, lineup_of
from lorewright.core.lore import Lore
from lorewright.core.model import Turn
from lorewright.core.place import Placed, Text
from lorewright.core.protocols import Tools
from lorewright.core.record import Kept, KeptMessage, Move, Record
from lorewright.core.thread import Thread
from lorewright.core.woven import Piece, outlets_in

__all__ = ["Layouter", "place_of", "said_in", "trim_at"]

_FIRST: Final = 1
"""From there on a request is sent whose example dialogues have left, and no message."""
_MARKERS: Final[Mapping[FrontPlace, str]] = {"before": "worldInfoBefore", "after": "worldInfoAfter"}


def said_in(turn: Turn) -> Turn:
    """The turn without the message that is made anew: it is not sent."""
    shown = [at for at, message in enumerate(turn.messages) if not message.hidden]
    if turn.plan is None or turn.trigger != "regenerate" or not shown or turn.messages[shown[-1]].role == "user":
        return turn
    return replace(turn, messages=turn.messages[: shown[-1]])


def trim_at(thread: Thread, first: int | None) -> int:
    """The number of the message at a place, or the next one that has a number; without a place that of the first."""
    if first is None:
        return _FIRST
    keys = (key for place, key in zip(thread.places, thread.keys, strict=True) if place >= first and key)
    return next((thread.node(key).number for key in keys), _FIRST)


def place_of(thread: Thread, number: int) -> int:
    """The place of the first message that is sent, where it shall be the one with a number; 0 if it is not in the window."""
    if number <= _FIRST:
        return 0
    known = [(place, node.number) for place, node in zip(thread.places, thread.nodes(), strict=True) if node]
    if not known or known[0][1] >= number:
        return 0
    return next((place for place, at in known if at >= number), 0)


class Layouter:
    """Lays out one request. `client` is the turn as it was asked for.

    kept: what stands before the chat; None if nothing does. is_edited: because it was laid out from another preset or scene.
    trimmed: the number of the message that the request before began with; 0: nothing had left, or all is laid out anew.
    """

    def __init__(self, plan: Plan, client: Turn, thread: Thread, lore: Lore, assembly: Assembly, tools: Tools) -> None:
        self.plan = plan
        self.client = client
        self.thread = thread
        self.lore = lore
        self.assembly = assembly
        self.tools = tools
        self.lineup: Lineup = lineup_of(plan.preset, NATIVE_LAYOUT, tools.memo)
        found = self._last_kept()
        self.is_edited = found is not None and found.plan != plan.identity
        self.kept = None if self.is_edited else found
        self.trimmed = 0 if self.is_edited or thread.ended is None else thread.ended.trimmed

    @property
    def begins(self) -> bool:
        """Whether lore is placed before the chat now: with the first message of the user's, unless a request without
        one has been laid out. Lore stands behind that, since nothing is remembered before a message of the user's."""
        thread = self.thread
        if not (thread.begins and thread.anchor):
            return False
        first = thread.keys[0]
        earlier = None if first in ("", thread.anchor) else thread.node(first).kept
        return earlier is None or earlier.plan != self.plan.identity

    @property
    def _holder(self) -> str:
        """The node that what stands before the chat is kept at; it can become another version while texts are placed."""
        return self.thread.anchor or (self.thread.keys[0] if self.thread.keys else "")

    def _last_kept(self) -> Kept | None:
        first = self.thread.keys[0] if self.thread.keys else ""
        found = (self.thread.node(key).kept for key in (self._holder, first) if key)
        return next((one for one in found if one is not None), None)

    # -- laid out anew in every turn -----------------------------------------------------------------------------------

    def lay_anew(self, placed: Placed, rewritten: Mapping[int, Piece]) -> LaidOut:
        """The messages in which every text stands where the preset says."""
        keeps = self.lore.policy.keeps_layout_defects
        return self._lay(placed, rewritten, keeps_defects=keeps)

    def _lay(
        self,
        placed: Placed,
        rewritten: Mapping[int, Piece],
        *,
        keeps_defects: bool = False,
        standing: Standing | None = None,
    ) -> LaidOut:
        prompts, turn = self.tools.prompts, self.thread.turn
        assert prompts is not None, "a turn with a plan needs `Tools.prompts`"
        scene = scene_of(
            self.client, self.plan, {place: piece.text for place, piece in rewritten.items()}, self.tools.memo
        )
        chance = self.tools.draw or draw_for(turn, len(turn.messages))
        draws: Callable[[], float] = partial(next, (chance.number("", "prompt", at) for at in count()))
        return lay_out(
            scene,
            self.plan.preset,
            placed.by_position(),
            macros=prompts.open(scene, replace(turn, messages=self.client.messages), draws, repaired=not keeps_defects),
            counter=self.tools.counter,
            variables=self.assembly.trace.activation.variables,
            defects=SILLYTAVERN_LAYOUT if keeps_defects else NATIVE_LAYOUT,
            standing=standing,
            memo=self.tools.memo,
        )

    # -- laid out so that it stands ------------------------------------------------------------------------------------

    @property
    def outlets(self) -> frozenset[str]:
        """The outlets that the prompts before the chat ask for."""
        return self.tools.memo.each(_outlets, (self.lineup,))[0]

    @property
    def lacking(self) -> frozenset[FrontPlace]:
        """The places for lore that the preset does not have before the chat."""
        return self.tools.memo.each(_lacking, (self.lineup,))[0]

    def lay_standing(
        self,
        front: Front,
        passing: Iterable[Text],
        rewritten: Mapping[int, Piece],
        first: int,
        trimmed: int,
        change: Callable[[str, str], str] | None,
    ) -> LaidOut:
        """The messages in which everything stands that stood, and what is before the chat kept for the next request.

        front: lore before the chat. passing: lore of this turn only. first: the place of the first message that is sent,
        trimmed: its number.

        Raises:
            NeedsRoom: not all of it fits any more.
        """
        texts: dict[FrontPlace, list[Text]] = {"before": [], "after": []}
        for at, text in self._front_texts(front):
            texts[at].append(text)
        homeless = [text for at in sorted(self.lacking, reverse=True) for text in texts.pop(at)]
        if self.is_edited:
            self.thread.moves.append(Move("preset_edit", node=self._holder))
        laid = self._lay(
            Placed(
                before=tuple(texts.get("before", ())),
                after=tuple(texts.get("after", ())),
                outlets={name: tuple(map(_text, found)) for name, found in front.outlets.items()},
            ),
            rewritten,
            standing=Standing(
                kept=None if self.kept is None else _by_slot(self.kept),
                records=self._records(first),
                passing=(*homeless, *passing),
                first=first,
                without_examples=bool(trimmed),
                change=change,
                memo=self.tools.memo,
            ),
        )
        self._keep(laid, trimmed)
        self._note_messages(laid)
        return laid

    def _front_texts(self, front: Front) -> Iterator[tuple[FrontPlace, Text]]:
        for text in front.head:
            yield "before", _text(text)
        for text in front.tail:
            yield front_place(self.lore.find(text.entry)), _text(text)

    def _records(self, first: int) -> Mapping[int, Sequence[Record]]:
        """By place from the first message that is sent on: what stands there."""
        places, records = self.thread.places, self.tools.memo.each(_records_of_turn, self.thread.nodes())
        standing = compress(zip(places, records, strict=True), records)
        return dict(standing) if first == 0 else {place: found for place, found in standing if place >= first}

    def _note_messages(self, laid: LaidOut) -> None:
        """Name messages with which a request ended, and which are not in their places now: since one is to be continued
        it stands last, or there is no place for it in this type of reply; or it does not fit."""
        thread = self.thread
        too_long = _messages(laid, TooLong)
        skipped = laid.places | _messages(laid, IsHidden, ToBeReplaced, LeftForRoom)
        for place in sorted(set(thread.places) - skipped):
            key = thread.keys[bisect_left(thread.places, place)]
            known = thread.memory.node(key) if key else None
            if known and known.after is not None:
                thread.moves.append(Move("context_full" if place in too_long else "reply_type", node=key))

    def _keep(self, laid: LaidOut, trimmed: int) -> None:
        if not self._holder:
            return
        thread, kept = self.thread, Kept(self.plan.identity, laid.kept, trimmed)
        before = kept.messages if self.kept is None else self.kept.messages
        if before != kept.messages and any(_differences(before, kept.messages)):
            thread.moves.append(Move("preset_text", node=self._holder))
        if thread.node(self._holder).kept != kept:
            thread.put(replace(thread.node(self._holder), kept=kept))


def _outlets(at: int, lineup: Lineup) -> frozenset[str]:
    del at
    texts = (step.prompt.content for step in lineup.steps if step.enabled)
    return frozenset(name for text in texts for name in outlets_in(text))


def _lacking(at: int, lineup: Lineup) -> frozenset[FrontPlace]:
    del at
    return frozenset(place for place, name in _MARKERS.items() if not lineup.stands_before_chat(name))


def _records_of_turn(at: int, node: Node | None) -> Sequence[Record]:
    del at
    return tuple(record for record in node.records if record.place == "turn") if node else ()


def _messages(laid: LaidOut, *reasons: type[StaysOut]) -> set[int]:
    """The places of the messages that were left out for one of these reasons."""
    left = (one.source for one in laid.left_out if isinstance(one.reason, reasons))
    return {int(source.id) for source in left if source.kind == "message"}


def _differences(old: Sequence[KeptMessage], new: Sequence[KeptMessage]) -> Iterator[str]:
    """The slots whose texts differ: those that name an outlet."""
    texts = {(one.slot, one.id): (one.source, one.role, one.name) for one in old}
    now = {(one.slot, one.id): (one.source, one.role, one.name) for one in new}
    yield from (slot for slot, _ in dict(set(texts.items()) ^ set(now.items())))


def _by_slot(kept: Kept) -> Mapping[str, Sequence[KeptMessage]]:
    found: dict[str, list[KeptMessage]] = {}
    for message in kept.messages:
        found.setdefault(message.slot, []).append(message)
    return found


def _text(text: FrontText) -> Text:
    return Text(text.entry, text.text)
