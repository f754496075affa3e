"""`weave`: a request, the lore and what is remembered in; the messages to send and what to remember out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Final

from lorewright.core.chain import Doubt, Memory, Node
from lorewright.core.editor import Editor
from lorewright.core.engine import Assembly, assemble
from lorewright.core.freeze import Freezer, FrontPlace
from lorewright.core.front import lay_front
from lorewright.core.keeping import keep_variables
from lorewright.core.layout.pieces import woven_messages
from lorewright.core.layout.standing import NeedsRoom
from lorewright.core.leaving import Standing, are_there, names_of, over_budget, why_leaves
from lorewright.core.lore import Lore
from lorewright.core.memo import ANEW, Memo
from lorewright.core.model import Report, State, Turn
from lorewright.core.planned import Layouter, place_of, said_in, trim_at
from lorewright.core.protocols import Tools, VariableChange
from lorewright.core.record import Cause, Move, Record, Rewording, Waiting
from lorewright.core.scripting import rewrite_messages, with_rewritten
from lorewright.core.thread import Thread
from lorewright.core.woven import Piece, WovenMessage, lay_out_classic, lay_out_frozen, outlets_in

if TYPE_CHECKING:
    from lorewright.core.layout.layout import LaidOut
    from lorewright.core.variables import Values

__all__ = ["Woven", "weave"]

_LONG: Final = 64
"""Messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Woven:
    """What one request became.

    turn: as it was assembled, with its number, session and variables from the chain. nodes: new or changed, to be put
    into the memory. moves: what stood and was changed, each with its cause. waiting: active entries whose text is not
    here. doubt: why the conversation begins anew although something of it is known. laid: what a preset made of it, with a reason for every text. path: the node of each of the client's messages that belongs to the chain, empty for a head that nobody
    knows; known: how many of them were known before. changes: what the messages that are new did to the variables.
    """

    messages: tuple[WovenMessage, ...]
    nodes: tuple[Node, ...]
    moves: tuple[Move, ...]
    waiting: tuple[Waiting, ...]
    assembly: Assembly
    turn: Turn
    path: tuple[str, ...]
    known: int
    doubt: Doubt = ""
    changes: tuple[VariableChange, ...] = ()
    laid: LaidOut | None = None

    @property
    def variables(self) -> Values:
        """The variables as the turn left them: after its lore, and with a preset after its prompts."""
        return _variables_after(self.laid, self.assembly)


def weave(turn: Turn, lore: Lore, memory: Memory, tools: Tools, first: State | None = None) -> Woven:
    """Find out which conversation this is, assemble its next turn, and place the texts by the policy's `placement`.

    Pure: the same request, lore and memory give the same messages. A dry run remembers nothing. `first` is the state
    of a conversation that the memory does not know.
    """
    trimmed: int | None = None
    while True:  # once, but for the rare turn in which the context is full
        try:
            return _weave(turn, lore, memory, tools, first or State(), trimmed)
        except _Full as full:
            trimmed = full.trimmed


class _Full(Exception):
    """The prompt needs room. trimmed: the number of the first message of one that has it."""

    def __init__(self, trimmed: int) -> None:
        super().__init__(str(trimmed))
        self.trimmed = trimmed


def _weave(turn: Turn, lore: Lore, memory: Memory, tools: Tools, first: State, trimmed: int | None) -> Woven:
    """`trimmed`: the number of the first message that is sent; None: as in the request before."""
    client, turn = turn, said_in(turn)
    thread = Thread(turn, memory, first, _memo_for(turn, tools))
    prepared, kept = keep_variables(thread, thread.prepare(), lore, tools)
    reading = rewrite_messages(thread, prepared, lore, tools)
    prepared = reading.turn
    begun = thread.without_steps(prepared)
    scanned = with_rewritten(begun, thread) if lore.policy.scans_rewritten else None
    assembly = assemble(begun, lore, reading.state, tools, scanned, thread.memo)
    assembly = replace(assembly, reports=(*kept.reports, *reading.reports, *assembly.reports))
    loom = _Loom(thread, lore, assembly, tools, trimmed)
    messages = loom.weave(client)
    values = _variables_after(loom.laid, assembly)
    after = replace(assembly.state, turn=prepared.number, variables=values.local, global_variables=values.shared)
    nodes = thread.finish(after, loom.trimmed)
    assembly = replace(assembly, reports=(*assembly.reports, *loom.reports))
    return Woven(
        messages=messages,
        nodes=() if turn.dry_run else nodes,
        moves=tuple(thread.moves),
        waiting=tuple(loom.waiting),
        assembly=assembly,
        turn=prepared,
        path=tuple(thread.keys),
        known=thread.known,
        doubt=thread.doubt,
        changes=kept.changes,
        laid=loom.laid,
    )


def _memo_for(turn: Turn, tools: Tools) -> Memo:
    """What keeps things from turn to turn: with a preset, of which the whole chat is laid out in every turn, and in long
    chats; a short one is gone through as fast as it is looked for."""
    return tools.memo if turn.plan is not None or len(turn.messages) >= _LONG else ANEW


def _variables_after(laid: LaidOut | None, assembly: Assembly) -> Values:
    return laid.variables if laid else assembly.trace.activation.variables


class _Loom:
    """One request while its texts are placed."""

    def __init__(self, thread: Thread, lore: Lore, assembly: Assembly, tools: Tools, trimmed: int | None) -> None:
        self.thread = thread
        self.lore = lore
        self.assembly = assembly
        self.tools = tools
        self.memo = _memo_for(thread.turn, tools)
        self.waiting: list[Waiting] = []
        self.editor = Editor(thread, lore, assembly, tools)
        self.laid: LaidOut | None = None
        self._wanted = trimmed
        self.trimmed = 0

    @property
    def reports(self) -> tuple[Report, ...]:
        return (*self.editor.reports, *(self.laid.reports if self.laid else ()))

    def weave(self, client: Turn) -> tuple[WovenMessage, ...]:
        """The messages to send. `client` is the turn as it was asked for."""
        is_frozen = self.lore.policy.placement == "frozen"
        plan = self.thread.turn.plan
        if plan is None:
            return self.weave_frozen() if is_frozen else self.weave_classic()
        layouter = Layouter(plan, client, self.thread, self.lore, self.assembly, self.tools)
        return self.lay_standing(layouter) if is_frozen else self.lay_anew(layouter)

    def weave_classic(self) -> tuple[WovenMessage, ...]:
        """The classic positions."""
        thread, editor = self.thread, self.editor
        self._clear()
        rewritten = editor.edit_leading()
        placed = editor.edit_placed(self.assembly.placed)
        native = self.assembly.profile == "native"
        rewritten |= editor.texts_of_messages()
        return lay_out_classic(thread.turn, thread.sent, placed, note_without_note=native, rewritten=rewritten)

    def lay_anew(self, layouter: Layouter) -> tuple[WovenMessage, ...]:
        """A preset whose texts stand where it says."""
        self._clear()
        rewritten = self.editor.texts_of_messages()
        self.laid = layouter.lay_anew(self.editor.edit_placed(self.assembly.placed), rewritten)
        return woven_messages(self.laid, rewritten, self.tools.memo, stands=False)

    def _clear(self) -> None:
        """What stands is not there in these placements, so it does not stand any longer."""
        for item in self._standing():
            self._drop(item, "policy_change")
        self.thread.place((), self.editor.edit_user())

    def weave_frozen(self) -> tuple[WovenMessage, ...]:
        thread, settings, editor = self.thread, self.lore.policy.settings, self.editor
        rewritten = editor.edit_leading()
        outlets = frozenset(name for text in self._leading(rewritten) for name in outlets_in(text))
        freezer, records = self._freeze(outlets, begins=thread.begins, is_last=self._ends_with_user())
        front = lay_front(records, freezer.sections, settings.form, self.lore, editor.edit_system)
        rewritten |= editor.texts_of_messages()
        messages = lay_out_frozen(thread, front, freezer.volatile, rewritten, self.memo)
        editor.note_shape(freezer.sections, front)
        return messages

    def lay_standing(self, layouter: Layouter) -> tuple[WovenMessage, ...]:
        """A preset of which everything stands that can."""
        thread, settings, editor = self.thread, self.lore.policy.settings, self.editor
        self.trimmed = layouter.trimmed if self._wanted is None else self._wanted
        freezer, records = self._freeze(
            layouter.outlets, begins=layouter.begins, is_last=True, lacking=layouter.lacking, passes=True
        )
        front = lay_front(records, freezer.sections, settings.form, self.lore, editor.edit_system)
        rewritten = editor.texts_of_messages()
        try:
            self.laid = layouter.lay_standing(
                front,
                freezer.volatile,
                rewritten,
                place_of(self.thread, self.trimmed),
                self.trimmed,
                editor.edit_system if editor.active else None,
            )
        except NeedsRoom as need:
            raise _Full(trim_at(thread, need.first)) from need
        editor.note_shape(freezer.sections, front)
        if layouter.kept and self.trimmed != layouter.kept.trimmed:
            thread.moves.append(Move("context_full", node=thread.keys[-1]))
        return woven_messages(self.laid, rewritten, self.tools.memo, stands=True)

    def _freeze(
        self,
        outlets: frozenset[str],
        *,
        begins: bool,
        is_last: bool,
        lacking: Collection[FrontPlace] = (),
        passes: bool = False,
    ) -> tuple[Freezer, Sequence[Record]]:
        """Place what is active; the freezer, and the records before the chat."""
        thread, settings = self.thread, self.lore.policy.settings
        named = {"", *outlets}  # in an outlet that nobody names it is not shown
        standing = [item for item in self._let_go(self._standing()) if item.record.outlet in named]
        freezer = Freezer(
            standing=standing,
            settings=settings,
            counter=self.tools.counter,
            begins=begins,
            has_target=thread.target is not None,
            is_last=is_last,
            is_anchored=bool(thread.anchor),
            outlets=outlets,
            labels=self.assembly.trace.lore.uses_authority,
            lacking=lacking,
            passes=passes,
        )
        freezer.freeze(self.assembly.activated, self.lore)
        self.waiting += freezer.waiting
        for item, new in freezer.rewritten:
            self._drop(item, "rewrite", new)
            at = standing.index(item)
            standing[at : at + 1] = [Standing(item.node, new)] if new else []
        freezer.explain(self._make_room(standing, (*freezer.front, *freezer.placed)))
        return freezer, self._keep(freezer.front, freezer.placed, self.editor.edit_user())

    def _let_go(self, standing: list[Standing]) -> list[Standing]:
        """Drop what may not stand any longer; the others."""
        visible = self.assembly.trace.lore
        names = set(chain.from_iterable(self.memo.each(names_of, standing)))
        if are_there(names, self.lore, visible):
            return standing
        causes = [(item, why_leaves(item.record, self.lore, visible)) for item in standing]
        for item, cause in causes:
            if cause:
                self._drop(item, cause)
        return [item for item, cause in causes if not cause]

    def _standing(self) -> list[Standing]:
        """What stands: the front, then what hangs on the messages of the window but for the one that is placed anew."""
        thread = self.thread
        at_messages = list(self.memo.each(_at_message, thread.nodes()))
        if thread.target is not None:
            at_messages[thread.target] = ()
        first = bisect_left(thread.places, place_of(thread, self.trimmed))
        front = () if thread.begins else _records(thread.node(thread.anchor), in_front=True)
        return [*front, *chain.from_iterable(at_messages[first:])]

    def _leading(self, rewritten: Mapping[int, Piece]) -> list[str]:
        """The client's texts at the top, as they are sent."""
        thread = self.thread
        texts = {place: thread.turn.messages[place].text for place in thread.sent[: thread.leading]}
        return [rewritten[place].text if place in rewritten else text for place, text in texts.items()]

    def _ends_with_user(self) -> bool:
        """Whether the newest user message is the last one, but for the beginning of a reply."""
        thread = self.thread
        if thread.newest_user is None:
            return False
        behind = [thread.role(at) for at in range(thread.newest_user + 1, len(thread.keys))]
        return behind in ([], ["assistant"])

    def _drop(self, item: Standing, cause: Cause, new: Record | None = None) -> None:
        node = self.thread.node(item.node)
        changed = [new if record == item.record else record for record in node.records]
        self.thread.put(replace(node, records=tuple(record for record in changed if record)))
        self.thread.moves.append(Move(cause, item.record.entry, item.node))

    def _make_room(self, standing: Sequence[Standing], new: Sequence[Record]) -> list[Record]:
        """Let records leave for the new ones if they are too many; those that are left."""
        limit = self.lore.policy.settings.standing_budget_percent * self.thread.turn.context_tokens / 100
        active = {item.entry.id for item in self.assembly.activated}
        dropped = list(over_budget(standing, sum(record.tokens for record in new), limit, active))
        for item in dropped:
            self._drop(item, "standing_budget")
        return [item.record for item in standing if item not in dropped]

    def _keep(self, front: Sequence[Record], placed: Sequence[Record], rewording: Rewording | None) -> Sequence[Record]:
        """Hang the new records on their nodes; the front of the conversation, old or new."""
        thread, anchor = self.thread, self.thread.anchor
        if not anchor:
            return front
        at_target = thread.target is not None and thread.keys[thread.target] == anchor
        if at_target:
            thread.place((*front, *placed), rewording)
        else:
            if thread.begins:
                node = thread.node(anchor)
                thread.put(replace(node, records=(*front, *(r for r in node.records if r.place == "turn"))))
            thread.place(tuple(placed), rewording)
        return [record for record in thread.node(thread.anchor).records if record.place != "turn"]


def _records(node: Node, *, in_front: bool) -> Sequence[Standing]:
    return tuple(Standing(node.key, record) for record in node.records if (record.place != "turn") is in_front)


def _at_message(at: int, node: Node | None) -> Sequence[Standing]:
    del at
    return _records(node, in_front=False) if node else ()
