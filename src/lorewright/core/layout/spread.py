"""Laying out a prompt that stands: what is before the chat, the messages, and what comes and goes behind them (ADR 0035)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple

from lorewright.core.layout.build import Build
from lorewright.core.layout.collection import Item
from lorewright.core.layout.depths import insert_at_depths, nearest_depth
from lorewright.core.layout.draft import Costs, Draft
from lorewright.core.layout.history import filler_of, opening_of, reminder_of, without_continued
from lorewright.core.layout.insertions import Insertions
from lorewright.core.layout.numbering import as_sent
from lorewright.core.layout.preset import Names
from lorewright.core.layout.reasons import (
    AtDepth,
    AtMessage,
    BehindChat,
    LeftForRoom,
    NoMarker,
    NothingLeft,
    OfThisTurn,
    Renewed,
    StandsSince,
)
from lorewright.core.layout.standing import LORE_MARKERS, NeedsRoom, Standing, keep, strand_of
from lorewright.core.layout.strand import Source, Strand, join
from lorewright.core.place import Text
from lorewright.core.record import KeptMessage, Record

__all__ = ["TOP_DEPTH", "Spread", "fill_spread", "kept_of", "parts_of", "settle"]

TOP_DEPTH: Final = 100
"""A prompt so deep in the chat is meant for its beginning."""
_KEPT_SHARE: Final = 0.7
"""How full the room for messages is when some have left, so that this happens seldom."""
_GAP: Final = "\n\n"
_EXAMPLES: Final = "dialogueExamples"
_PLACE_OF_DRAFT: Final = attrgetter("place")


class _Said(NamedTuple):
    """A message of the chat with our texts that stand at it, as they are sent; place: in the scene's chat. empty: of them
    nothing is left."""

    place: int
    drafts: Sequence[Draft]
    empty: Sequence[Draft]
    tokens: int


_PLACE, _DRAFTS, _EMPTY, _TOKENS = map(itemgetter, range(4))


@dataclass(slots=True)
class Spread:
    """The parts of a prompt that stands, as they are made.

    opening: what stands in the place of the chat before its messages, by slot; chat: the messages; coming: what comes and
    goes; tail: what of it fits. places: of the messages that stand in the chat. originals: texts before the chat by slot, as they were before entries changed them.
    """

    standing: Standing
    opening: list[tuple[str, Draft]] = field(default_factory=list)
    chat: list[Draft] = field(default_factory=list)
    coming: list[Draft] = field(default_factory=list)
    tail: list[Draft] = field(default_factory=list)
    places: set[int] = field(default_factory=set)
    originals: dict[str, Strand] = field(default_factory=dict)

    def stand(self, slot: str, draft: Draft) -> Draft:
        """What stands in a slot before the chat. What is to be said of it behind the chat comes with it."""
        content, renewed = self.standing.restore(slot, draft.content)
        if renewed is not None:
            self.coming.append(draft._replace(content=renewed, why=Renewed()))
        self.originals[slot] = content
        sent = self.standing.changed(slot, content)
        if sent is draft.content:
            return draft
        return draft._replace(content=sent, why=draft.why if content.text == draft.content.text else StandsSince())


# -- before the chat ---------------------------------------------------------------------------------------------------


def settle(build: Build, spread: Spread) -> None:
    """Let stand what stands before the chat, and take out of it what comes and goes.

    When the conversation goes on, what stands is paid before everything else.
    """
    items, border = build.collection.items, build.collection.place("chatHistory")
    for place, item in enumerate(items):
        is_before = border is not None and place < border
        if item.in_chat or build.lineup.is_off(item.id):
            continue
        if item.beside is not None or (is_before and _comes_and_goes(build, item)):
            spread.coming.append(build.draft(item, OfThisTurn()))
            items[place] = item._replace(content=item.content.slice(0, 0), beside=None)
        elif is_before and item.id != _EXAMPLES and build.collection.place(item.id) == place:
            draft = spread.stand(item.id, build.draft(item))
            if draft.content is not item.content:
                items[place] = item._replace(content=draft.content, why=draft.why)
    if border is not None:
        _open(build, spread, [item for item in items if item.in_chat and _is_deep(build, item)])
        if spread.standing.kept is not None:
            _pay_standing(build, spread, border)
        elif _left(build, spread.standing) and (examples := build.collection.place(_EXAMPLES)) is not None:
            _put_examples(build, spread, examples)


def _comes_and_goes(build: Build, item: Item) -> bool:
    prompt = build.lineup.prompts.get(item.id)
    return prompt is not None and bool(prompt.triggers)


def _pay_standing(build: Build, spread: Spread, border: int) -> None:
    items = [
        (place, item)
        for place, item in enumerate(build.collection.items[:border])
        if not item.in_chat or item.id == _EXAMPLES
    ]
    items = [(place, item) for place, item in items if build.collection.place(item.id) == place]
    for place, item in sorted(items, key=lambda one: one[1].id in LORE_MARKERS):
        if item.id == _EXAMPLES:
            _put_examples(build, spread, place)
        elif item.content.text and not build.lineup.is_off(item.id):
            build.put(place, [build.draft(item)])
            build.done.add(place)


def _put_examples(build: Build, spread: Spread, place: int) -> None:
    """The example dialogues as they stand, unless they have left; those that come and go are not ours."""
    if not _stands(build, place):
        return
    build.done.add(place)
    standing = spread.standing
    stands = {} if _left(build, standing) else standing.kept or {}
    drafts = [Draft(one.id, one.role, strand_of(one), StandsSince(), one.name) for one in stands.get(_EXAMPLES, ())]
    build.desk.account.offer(*(source for draft in drafts for source in draft.content.sources))
    for block in build.stage.blocks:
        build.desk.account.leave(block, LeftForRoom())
    if drafts:
        build.put(place, drafts)


def _left(build: Build, standing: Standing) -> bool:
    return standing.without_examples and not build.desk.scene.preferences.pin_examples


def _examples_can_leave(build: Build) -> bool:
    place = build.collection.place(_EXAMPLES)
    if place is None or place not in build.done:
        return False
    return bool(build.slots.at(place)) and not build.desk.scene.preferences.pin_examples


# -- the chat ----------------------------------------------------------------------------------------------------------


def fill_spread(build: Build, spread: Spread, chat: Sequence[Draft], in_chat: Sequence[Item]) -> None:
    """Put the messages into the room that is left, and behind them what comes and goes; `chat` is newest first.

    Raises:
        NeedsRoom: not all of what stands fits any more.
    """
    has_place = build.collection.place("chatHistory") is not None
    if not has_place:
        for draft in chat:
            build.desk.account.leave(draft.content, NoMarker("chatHistory"))
        chat = []
    reminder = reminder_of(build)
    build.reserve(reminder)
    chat, nudge = without_continued(build, chat)
    build.reserve(nudge)
    said = _said(build, spread.standing, chat)
    for one in said[-1:]:
        _make_room(build, one.drafts)
        if build.pays((*one.drafts, *one.empty)):
            spread.chat = list(one.drafts)
            spread.places.add(one.place)
    _gather(build, spread, chat, said, [item for item in in_chat if not (has_place and _is_deep(build, item))])
    for draft in (*spread.coming, *filler_of(build, chat)):
        _make_room(build, [draft])
        build.insert(spread.tail, [draft])
    _fill_older(build, spread, said)
    build.budget.free(reminder)
    build.insert(spread.tail, reminder)
    build.budget.free(nudge)
    if nudge:
        build.append(nudge, behind_all=True)


def _open(build: Build, spread: Spread, deep: Sequence[Item]) -> None:
    """The line that opens the chat, and the prompts that are so deep in it that they mean its beginning."""
    found = [("newMainChat", opening_of(build))]
    for draft in reversed(insert_at_depths(build.desk, [], deep, Insertions())):
        assert isinstance(draft.why, AtDepth)
        content = build.desk.pen.prepare(draft.content)
        found.append((f"{draft.why.depth}:{draft.why.order:g}:{draft.role}", draft._replace(content=content)))
    for slot, draft in found:
        build.desk.account.offer(*draft.content.sources)
        stands = spread.stand(slot, draft)
        if stands.content.text and build.pays([stands]):
            spread.opening.append((slot, stands))
        elif not stands.content.text:
            build.desk.account.leave(draft.content, NothingLeft())


def _is_deep(build: Build, item: Item) -> bool:
    return nearest_depth(item.depth) >= TOP_DEPTH and not _comes_and_goes(build, item)


def _said(build: Build, standing: Standing, chat: Sequence[Draft]) -> Sequence[_Said]:
    """The messages with our texts that stand at them, oldest first; `chat` is newest first."""
    drafts = [draft for draft in reversed(chat) if draft.place is not None]
    records = list(map(standing.records.get, map(_PLACE_OF_DRAFT, drafts)))
    return build.desk.memo.along(_stand_at, (drafts, records), build.preset.names, build.budget.costs)


def _stand_at(at: int, draft: Draft, records: Sequence[Record] | None, names: Names, costs: Costs) -> _Said:
    """A message, and the records that stand at it."""
    del at
    assert draft.place is not None
    apart, inside = ([_strand(one) for one in records or () if one.form == form] for form in ("message", "inside"))
    found = [draft]
    if inside:
        texts = [*inside, draft.content] if draft.content.text else inside
        found = [draft._replace(content=join(_GAP, texts))]
    if apart:
        content = join(_GAP, apart)
        found.insert(0, Draft(None, "system", content, AtMessage(draft.place), injected=True, place=draft.place))
    found = [as_sent(one, draft.place + 1, names) for one in found]
    filled, empty = ([one for one in found if bool(one.content.text) is has_text] for has_text in (True, False))
    return _Said(draft.place, filled, empty, sum(map(costs.cost, filled)))


def _strand(text: Record | Text) -> Strand:
    return Strand.of(Source("entry", text.entry), text.text, rendered=True)


def _gather(
    build: Build, spread: Spread, chat: Sequence[Draft], said: Sequence[_Said], in_chat: Sequence[Item]
) -> None:
    """What comes and goes, in reading order: prompts, lore, texts of the chat, what the program says for the user."""
    standing = spread.standing
    here = set(map(_PLACE, said))
    homeless = [_strand(one) for place, records in standing.records.items() if place not in here for one in records]
    texts = [*homeless, *map(_strand, standing.passing)]
    if texts:
        spread.coming.append(Draft(None, "system", join(_GAP, texts), OfThisTurn(), injected=True))
    for draft in reversed(insert_at_depths(build.desk, [], in_chat, build.stage.insertions)):
        assert isinstance(draft.why, AtDepth)
        content = build.desk.pen.prepare(draft.content)
        spread.coming.append(draft._replace(content=content, why=BehindChat(draft.why.depth)))
    spread.coming += [draft for draft in reversed(chat) if draft.place is None]


def _make_room(build: Build, drafts: Sequence[Draft]) -> None:
    """Before something is left out, example dialogues leave.

    Raises:
        NeedsRoom: that is so.
    """
    if not build.budget.affords(drafts) and _examples_can_leave(build):
        raise NeedsRoom(None)


def _fill_older(build: Build, spread: Spread, said: Sequence[_Said]) -> None:
    """All messages of the window behind the newest one.

    Raises:
        NeedsRoom: they do not fit.
    """
    account, start = build.desk.account, bisect_left(said, spread.standing.first, key=_PLACE)
    older, left = said[start:-1], said[: min(start, len(said) - 1)]
    for draft in [draft for one in left for draft in (*one.drafts, *one.empty)]:
        account.leave(draft.content, LeftForRoom())
    spent = sum(map(_TOKENS, older))
    if spent > max(0, build.budget.left_tokens):
        raise NeedsRoom(None if _examples_can_leave(build) else _start(said, older, build.budget.left_tokens))
    build.budget.left_tokens -= spent
    spread.places.update(map(_PLACE, older))
    for draft in chain.from_iterable(map(_EMPTY, older)):
        account.leave(draft.content, NothingLeft())
    spread.chat[:0] = chain.from_iterable(map(_DRAFTS, older))


def _start(said: Sequence[_Said], older: Sequence[_Said], room: int) -> int:
    """The place from which on messages have room to grow."""
    start, spent = said[-1].place, 0
    for one in reversed(older):
        spent += one.tokens
        if spent > room * _KEPT_SHARE:
            break
        start = one.place
    return start


# -- the parts, and what of them stands next time ----------------------------------------------------------------------


def parts_of(build: Build, spread: Spread) -> list[list[Draft]]:
    """What is before the chat, the chat, and what is behind it; without a place for the chat all is behind it."""
    border = build.collection.place("chatHistory")
    before: list[Draft] = []
    passing: list[Draft] = []
    behind: list[Draft] = []
    for place, draft in build.slots.placed():
        if border is None or place > border:
            behind.append(draft)
        elif place < border:
            (passing if _comes_and_goes(build, build.collection.items[place]) else before).append(draft)
    return [before + [draft for _, draft in spread.opening], spread.chat, passing + spread.tail + behind]


def _stands(build: Build, place: int) -> bool:
    border = build.collection.place("chatHistory")
    return border is not None and place < border and not _comes_and_goes(build, build.collection.items[place])


def _before_chat(build: Build) -> list[tuple[str, Draft]]:
    """What stands before the chat and the line that opens it, by slot."""
    items = build.collection.items
    return [(items[place].id, draft) for place, draft in build.slots.placed() if _stands(build, place)]


def kept_of(build: Build, spread: Spread) -> tuple[KeptMessage, ...]:
    """The messages before the chat as they are to be kept. Example dialogues are, whether or not they have left."""
    kept, keep_once = spread.standing.kept, build.desk.memo.once
    if build.collection.place("chatHistory") is None:
        return tuple(message for messages in (kept or {}).values() for message in messages)
    return (
        *(
            keep_once(keep, slot, draft.id, draft.role, draft.name, spread.originals.get(slot, draft.content))
            for slot, draft in (*_before_chat(build), *spread.opening)
            if draft.content.text and slot not in LORE_MARKERS and not (kept is not None and slot == _EXAMPLES)
        ),
        *((kept or {}).get(_EXAMPLES, ())),
    )
