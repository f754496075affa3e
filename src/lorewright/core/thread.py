"""A request's messages as nodes of the chain: which are known, which are new, and what they go on from."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from lorewright.core.chain import Memory, Node, hash_parts, identity, node_key, recall
from lorewright.core.client_texts import count_leading, hash_systems, sent_messages
from lorewright.core.memo import ANEW, Memo
from lorewright.core.model import State, Turn
from lorewright.core.record import Cause, Move, Record, Rewording

__all__ = ["Thread"]


class Thread:
    """The chain messages of one request, while it is woven.

    places: their indices in `turn.messages`; keys: the node of each, empty for a head that nobody knows; known: how
    many of them were known, the head included; base: the nearest earlier one behind which a request ended; before:
    its node, also where it stands before the window; target: the newest user message if it is newer than `base`, which takes what is placed now; anchor: the key of the first
    user message of the conversation. is_step: the request goes on with a turn by results of tools; what
    the model said behind the user's message is not scanned then, so that all is decided as it was. Nodes that are new or changed are in `changed`; the memory is left alone. head_texts:
    by place, what regex scripts made of messages of the head (`core/scripting.py`).
    """

    def __init__(self, turn: Turn, memory: Memory, first: State, memo: Memo = ANEW) -> None:
        self.turn = turn
        self.first = first
        self._kept: State | None = None
        self.memory = memory
        self.memo = memo
        self.sent = sent_messages(turn)
        self.leading = count_leading(turn, self.sent)
        identities = memo.each(identity, turn.messages, turn.scope)[: len(self.sent)]
        self.places = [place for place, digest in enumerate(identities) if digest]
        self.changed: dict[str, Node] = {}
        self.moves: list[Move] = []
        self.head_texts: dict[int, str] = {}
        digests = list(filter(None, identities))
        path = recall(memory, digests, turn.session)
        self.doubt = path.doubt
        self.head = digests[: path.start]
        self.keys = [""] * path.start + [node.key for node in path.nodes]
        self._now = dict(zip(self.keys[path.start :], path.nodes, strict=True))
        self._line: list[Node | None] = [*([None] * path.start), *path.nodes]
        bare = memo.each(_is_bare, path.nodes)
        self._marks = {at for at, is_bare in enumerate(bare, start=path.start) if not is_bare}
        self._noted: Sequence[tuple[int, Node]] | None = None
        self._doubtful = set(path.outdated)
        self.known = len(self.keys)
        for at in range(self.known, len(digests)):
            self._append(at, digests[at])
        self.base = next((at for at in reversed(range(len(self.keys) - 1)) if self._ended(at)), None)
        self.before = self._last_ended(len(self.keys) - 1)
        newest = next((at for at in reversed(range(len(self.keys))) if self.role(at) == "user" and self.keys[at]), -1)
        self.target = newest if newest > (-1 if self.base is None else self.base) else None
        self.newest_user = newest if newest >= 0 else None
        self.is_step = newest >= 0 and self.role(len(self.keys) - 1) == "tool"
        self._began = self._last_ended(newest) if self.is_step and self.target is None else self.before

    def node(self, key: str) -> Node:
        """A node of this request or the anchor, as it is now."""
        found = self._now.get(key) or self.memory.node(key)
        if found is None:
            raise KeyError(key)
        self._now.setdefault(key, found)
        return found

    def nodes(self) -> Sequence[Node | None]:
        """The node of each message, as it is now; None for a head that nobody knows."""
        return self._line

    def noted(self) -> Sequence[tuple[int, Node]]:
        """The nodes at which more is kept than what the client said, each behind its number among the messages: records,
        what was made of the text, system texts before it."""
        if self._noted is None:
            found = ((at, self._line[at]) for at in sorted(self._marks))
            self._noted = [(at, node) for at, node in found if node and not _is_bare(at, node)]
        return self._noted

    def _mark(self, *at: int) -> None:
        self._marks.update(at)
        self._noted = None

    def role(self, at: int) -> str:
        return self.turn.messages[self.places[at]].role

    @property
    def anchor(self) -> str:
        return self.node(self.keys[-1]).anchor if self.keys and self.keys[-1] else ""

    @property
    def begins(self) -> bool:
        """Whether the front is placed now: the anchor is new, or takes what is placed in this request."""
        anchor = self.anchor
        if not anchor or anchor not in self.keys:
            return not anchor
        at = self.keys.index(anchor)
        return at >= self.known or at == self.target

    @property
    def ended(self) -> Node | None:
        """The nearest node behind which a request ended: the last one if this request was there before, or an earlier one."""
        return self._last_ended(len(self.keys))

    @property
    def state(self) -> State:
        """The state to go on from. In a step timers are those that the turn began with: it is one turn."""
        state = self._kept or (self.before and self.before.after) or self.first
        if self._began is self.before:
            return state
        began = (self._began and self._began.after) or self.first
        return replace(state, sticky=began.sticky, cooldown=began.cooldown)

    def keep(self, variables: Mapping[str, object]) -> None:
        """Go on from the state with these variables: what followed from messages since then."""
        self._kept = replace(self.state, variables={**self.state.variables, **variables})

    def prepare(self) -> Turn:
        """The turn with what the chain knows: its number, its session, the messages before the window, variables."""
        turn, state = self.turn, self.state
        users = sum(self.role(at) == "user" for at in range(0 if self.base is None else self.base + 1, len(self.keys)))
        number = users if state.turn is None else state.turn + bool(users)
        return replace(
            turn,
            number=number if turn.number is None else turn.number,
            session=turn.session or self._session(),
            earlier_messages=self._earlier(),
            variables={**state.variables, **turn.variables},
            global_variables={**state.global_variables, **turn.global_variables},
        )

    def without_steps(self, turn: Turn) -> Turn:
        """The turn as it began: what the model said since the user's message is hidden."""
        if not self.is_step or self.newest_user is None:
            return turn
        first = self.places[self.newest_user] + 1
        behind = (replace(m, hidden=True) if m.role == "assistant" else m for m in turn.messages[first:])
        return replace(turn, messages=(*turn.messages[:first], *behind))

    def put(self, node: Node) -> None:
        """Keep a node that is new or changed."""
        self.changed[node.key] = self._now[node.key] = node
        at = self._at(node.key)
        if at is not None:
            self._line[at] = node
            self._mark(at)

    def place(self, records: tuple[Record, ...], rewording: Rewording | None = None) -> None:
        """Give the target these records, and what is sent of the client's text.

        A target that nothing followed yet takes them in place. A frozen one keeps its own: the version that has these
        stands here instead, or a new one, and what follows in this request follows that.
        """
        if self.target is None:
            return
        node = self.node(self.keys[self.target])
        wanted = (records, rewording)
        if (node.records, node.rewording) == wanted:
            return
        versions = self.memory.versions(node.parent, node.digest)
        same = next((one for one in versions if (one.records, one.rewording) == wanted), None)
        if same is None and not self.memory.has_children(node.key):
            self.put(replace(node, records=records, rewording=rewording))
            return
        if same is None:
            version = 1 + max((version.version for version in versions), default=node.version)
            key = node_key(node.parent, node.digest, version)
            anchor = key if node.anchor == node.key else node.anchor
            same = replace(node, key=key, version=version, used=0, anchor=anchor, after=None)
            same = replace(same, records=records, rewording=rewording)
            self.put(same)
        self._follow(self.target, same)

    def unanswered(self) -> list[int]:
        """What the user has said since the last reply and the last request, the target included."""
        if self.target is None:
            return []
        spoken = (at for at in reversed(range(self.target)) if self.role(at) == "assistant")
        first = 1 + max(next(spoken, -1), -1 if self.base is None else self.base)
        return [at for at in range(first, self.target + 1) if self.role(at) == "user" and self.keys[at]]

    def shape(self, shaped: Mapping[str, str]) -> None:
        """Note what entries change in the system prompt beside what stands there: by entry, in the order in which they
        do it, a hash of what each does.

        Where that is not what it was in the last request, the prompt has moved. Call it when everything is placed.
        """
        if not (anchor := self.anchor):
            return
        node, before = self.node(anchor), self.memory.node(anchor)
        now = tuple(shaped.items())
        if before is not None:
            changed = {entry for entry, _ in set(before.shaped) ^ set(now)}
            then = [entry for entry, _ in before.shaped if entry in shaped]
            still = [entry for entry in shaped if entry in set(then)]
            changed |= {entry for entry, other in zip(then, still, strict=True) if entry != other}
            self.moves += [Move("entry_system", entry, anchor) for entry in sorted(changed)]
        if node.shaped != now:
            self.put(replace(node, shaped=now))

    def _follow(self, at: int, version: Node) -> None:
        """Let another version stand at a place. What this request did to the one that stood there is undone."""
        old = [self.node(key) for key in self.keys[at:]]
        for node in old:
            self.changed.pop(node.key, None)
            self._now.pop(node.key, None)
        self.keys[at:] = [version.key]
        self._line[at:] = [version]
        for node in old[1:]:
            self._append(len(self.keys), node.digest)
        self._mark(*range(at, len(self.keys)))
        for key, node in zip(self.keys[at:], old, strict=True):
            self._keep_scripted(key, node)
        now = {node.key: key for key, node in zip(self.keys[at:], old, strict=True)}
        self.moves = [replace(move, node=now.get(move.node, move.node)) for move in self.moves]
        self._doubtful.add(version.key)
        self.known = next((n for n, key in enumerate(self.keys) if key and not self.memory.node(key)), len(self.keys))

    def rewritten(self) -> dict[int, str]:
        """By place: the texts of the client's messages that are sent as regex scripts changed them."""
        messages = self.turn.messages
        steps = {self.places[at]: node.steps[-1].text for at, node in self.noted() if node.steps}
        found = {**self.head_texts, **steps}
        return {place: text for place, text in found.items() if text != messages[place].text}

    def finish(self, after: State, trimmed: int = 0) -> tuple[Node, ...]:
        """The nodes that are new or changed, the newest with the state behind this request, and what had left of its prompt.

        What the client changed is noted here, since only now it is certain which versions this request goes by.
        """
        ours, self.moves = self.moves, []
        self._note_versions()
        self._note_edits()
        self._note_systems()
        self.moves = list(dict.fromkeys((*self.moves, *ours)))
        if self.keys and self.keys[-1]:
            self.put(replace(self.node(self.keys[-1]), after=after, window=self._window(), trimmed=trimmed))
        return tuple(self.changed.values())

    def _at(self, key: str) -> int | None:
        """The number of a node among the messages; most that are asked for are new."""
        return len(self.keys) - 1 - self.keys[::-1].index(key) if key in self.keys else None

    # -- what the chain says ---------------------------------------------------------------------------------------

    def _append(self, at: int, of: str) -> None:
        """Go on with a message behind the last one, known or new."""
        message = self.turn.messages[self.places[at]]
        parent = self.node(self.keys[-1]) if self.keys else None
        key = node_key(parent.key if parent else "", of, 1)
        if self.memory.node(key) is None:
            before = parent.number if parent else self.turn.earlier_messages
            own = key if message.role == "user" else ""
            self.put(
                Node(
                    key=key,
                    parent=parent.key if parent else "",
                    digest=of,
                    anchor=parent.anchor or own if parent else own,
                    number=before + (not message.hidden),
                    session=self.turn.session,
                )
            )
        self.keys.append(key)
        self._line.append(self.node(key))
        self._mark(at)

    def _keep_scripted(self, key: str, before: Node) -> None:
        """Let a node that stands in place of another one have what scripts made of that one's message in this request."""
        node = self.node(key)
        if node.scripts == before.scripts:
            return
        if node.steps != before.steps and self.memory.node(key):
            self.moves.append(Move("client_edit", node=key))
        self.put(replace(node, scripts=before.scripts, steps=before.steps))

    def _ended(self, at: int) -> bool:
        return bool(self.keys[at]) and self.node(self.keys[at]).after is not None

    def _last_ended(self, count: int) -> Node | None:
        """The nearest node behind which a request ended, of the first `count` or before the window."""
        at = next((at for at in reversed(range(count)) if self._ended(at)), None)
        if at is not None:
            return self.node(self.keys[at])
        key = next((key for key in self.keys if key), "")
        above = self.node(key).parent if key else ""
        while above:
            node = self.node(above)
            if node.after is not None:
                return node
            above = node.parent
        return None

    def _session(self) -> str:
        """The name of the conversation for draws: its anchor, whatever the version."""
        key = self.anchor or next((key for key in self.keys if key), "")
        if not key:
            return ""
        first = self.node(key)
        return node_key(first.parent, first.digest, 0)

    def _earlier(self) -> int:
        """How many messages that count stand before the window."""
        for at, key in enumerate(self.keys):
            if key:
                shown = sum(not self.turn.messages[place].hidden for place in self.places[: at + 1])
                return max(0, self.node(key).number - shown)
        return self.turn.earlier_messages

    # -- what the client changed ------------------------------------------------------------------------------------

    def _window(self) -> str:
        first = next((key for key in self.keys if key), "")
        client = hash_parts((*self.head, first)) if self.head else first
        rewritten = self.rewritten()
        texts = [rewritten[place] for place in self.head_texts if place in rewritten]
        return f"{client}:{hash_parts(texts)}" if texts else client

    def _note_versions(self) -> None:
        """Where another version of a message was in use, this one is from now on."""
        for node in [self.node(key) for key in self.keys if key in self._doubtful]:
            others = [other for other in self.memory.versions(node.parent, node.digest) if other.key != node.key]
            latest = max(others, key=lambda other: other.used, default=None)
            if latest and node.used <= latest.used:
                self.put(replace(node, used=latest.used + 1))
                self.moves.append(Move("client_edit", node=node.key))
                self.moves += self._changed_behind(node.key, latest.key)

    def _changed_behind(self, key: str, other: str) -> Iterator[Move]:
        """The messages behind a version that are sent otherwise than the same ones behind another version were."""
        for after in self.keys[self.keys.index(key) + 1 :]:
            node = self.node(after)
            twins = self.memory.versions(other, node.digest)
            if not twins:
                return
            twin = max(twins, key=lambda one: one.used)
            if (node.records, node.rewording, node.steps) != (twin.records, twin.rewording, twin.steps):
                yield Move("client_edit", node=after)
            other = twin.key

    def _note_edits(self) -> None:
        """A branch beside what followed before, or another beginning of the window."""
        if not self.known:
            return
        last = self.keys[self.known - 1]
        if self.memory.has_children(last):
            self.moves.append(Move("client_edit", node=self.keys[min(self.known, len(self.keys) - 1)]))
        before = self._last_ended(len(self.keys))
        window = self._window()
        if before and before.window != window:
            is_same = before.window.partition(":")[0] == window.partition(":")[0]
            cause: Cause = "policy_change" if is_same else "client_edit"
            self.moves.append(Move(cause, node=next(key for key in self.keys if key)))

    def _note_systems(self) -> None:
        """System texts are no part of the chain; where one changed, what stands behind it has moved."""
        messages, anchor = self.turn.messages, self.anchor
        leading = hash_systems(messages[place].text for place in self.sent[: self.leading])
        between = self._between()
        noted = {at for at, node in self.noted() if node.system} | {at for at in between if self.keys[at]}
        at_anchor = self._at(anchor) if anchor else None
        for at in sorted(noted if at_anchor is None else noted | {at_anchor}):
            key, system = self.keys[at], hash_systems(messages[place].text for place in between.get(at, ()))
            self._note_system(key, f"{leading}:{system}" if key == anchor else system)
        if anchor and anchor not in self.keys:
            before = self.node(anchor).system
            self._note_system(anchor, leading + before[before.index(":") :])

    def _between(self) -> Mapping[int, Sequence[int]]:
        """The places of the system texts that stand directly before a message, behind those at the top."""
        if len(self.sent) - self.leading == len(self.places):
            return {}
        found: dict[int, Sequence[int]] = {}
        start = self.leading
        for at, place in enumerate(self.places):
            end = bisect_left(self.sent, place, start)
            if start < end:
                found[at] = self.sent[start:end]
            start = end + 1
        return found

    def _note_system(self, key: str, system: str) -> None:
        node = self.node(key)
        if node.system == system:
            return
        self.put(replace(node, system=system))
        if self.memory.node(key):
            self.moves.append(Move("client_system", node=key))


def _is_bare(_: int, node: Node) -> bool:
    """Whether nothing is kept at a node but what the client said."""
    return not (node.records or node.system or node.steps or node.scripts or node.rewording)
