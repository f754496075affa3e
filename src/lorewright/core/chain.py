"""Which conversation is this? A request's messages are its identity.

Every user, assistant and tool message is a *node* of a tree; its key is a hash over its parent's key and what the
client said. A request walks the tree from its first message as far as it is known, and goes on from the state that
is kept there. What is said elsewhere (system texts, our own texts) is not part of the chain.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal, NamedTuple, Protocol

from lorewright.core.javascript import WHITE_SPACE
from lorewright.core.model import Message, State
from lorewright.core.record import Kept, Record, Rewording, ScriptStep

__all__ = [
    "DictMemory",
    "Doubt",
    "Memory",
    "Node",
    "Path",
    "digest",
    "hash_parts",
    "identity",
    "in_chain",
    "node_key",
    "plain_text",
    "recall",
    "scoped",
]

Doubt = Literal["", "one_message", "tie"]
"""Why a window that begins with nothing known was not recognised from its middle, though some of it is known: only one
message in a row is, or the longest run stands in several places."""

_ROLES: Final = frozenset({"user", "assistant"})
_DIGITS: Final = 32
_SHORTEST_RUN: Final = 2
"""Messages that must be known in a row before a conversation is recognised from its middle: "ok" alone is no sign."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One message of the client, at its place in a conversation.

    `version` counts from 1: a client that goes back to a message whose records are frozen, and finds other lore
    there, makes a new version of it; what followed the old one keeps following it. Of several versions the one with
    the highest `used` was in the last request that came this way. `anchor` is the key of the first
    user message on the way here (its own, if it is that; empty before). `number` is the place in the conversation,
    from 1, of messages that are not hidden; those cut off at the head of the window count. `after` is the state behind
    a request that ended here, None where none did. `records` are our texts here, on user messages only. `system` is a
    hash over the system texts that stand directly before (at the anchor: over those at the top, a colon, and these);
    `window` says where the window of the request that ended here began, and behind a colon what regex scripts had made of
    messages in front of all that was known. Both are those of the last request. `session`
    is the name that the caller gave the conversation when the node was made. `scripts` says which regex scripts there were, and
    which of them took the message at its depth (two hashes and a colon between them; empty: none ever); `steps` are those
    that changed it or wrote something, in order: the last one's text is what is sent. `rewording` is what entries made of
    that. `shaped` (at the anchor): which entries changed the system prompt of the last request beside what stands there,
    in the order in which they did it, each with a hash of what it did. `kept` (at the anchor, or the first message of a
    chat that has none): what of a preset stands before the chat. `trimmed`: the number from which on the request that ended
    here sent its messages, without example dialogues; 0: nothing had left it to make room.
    """

    key: str
    parent: str
    digest: str
    version: int = 1
    used: int = 0
    anchor: str = ""
    number: int = 1
    after: State | None = None
    records: tuple[Record, ...] = ()
    system: str = ""
    window: str = ""
    session: str = ""
    scripts: str = ""
    steps: tuple[ScriptStep, ...] = ()
    rewording: Rewording | None = None
    shaped: tuple[tuple[str, str], ...] = ()
    kept: Kept | None = None
    trimmed: int = 0


class Memory(Protocol):
    """The nodes that are known. Read only: what is new or changed comes out of `weave` as data.

    One memory is one scope: whoever keeps it decides who shares it.
    """

    def node(self, key: str) -> Node | None:
        """The node with this key."""

    def versions(self, parent: str, digest: str) -> Sequence[Node]:
        """All versions of a child, in any order. The parent of a conversation's first message is the empty text."""

    def with_digest(self, digest: str) -> Sequence[Node]:
        """All nodes of messages with this digest, wherever they stand, newest first."""

    def only_way(self, key: str, digests: Sequence[str]) -> Sequence[Node]:
        """The nodes behind this one along the digests, as far as each stands there in one version only."""

    def has_children(self, key: str) -> bool:
        """Whether any message followed: then the node is frozen."""


class DictMemory:
    """A `Memory` in a dict."""

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        self.nodes: dict[str, Node] = {}
        self._versions: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self._with_digest: defaultdict[str, list[str]] = defaultdict(list)
        self._parents: set[str] = set()
        self._way: tuple[str, list[str], list[str]] = ("", [], [])
        """The only way that was asked for last: its start, digests and keys. It stays one until there is another version."""
        self.put(nodes)

    def put(self, nodes: Iterable[Node]) -> None:
        """Take in nodes that are new, and those that changed in place of what they were."""
        for node in nodes:
            if node.key not in self.nodes:
                self._versions[node.parent, node.digest].append(node.key)
                if len(self._versions[node.parent, node.digest]) > 1:
                    self._way = ("", [], [])
                self._with_digest[node.digest].append(node.key)
                self._parents.add(node.parent)
            self.nodes[node.key] = node

    def node(self, key: str) -> Node | None:
        return self.nodes.get(key)

    def versions(self, parent: str, digest: str) -> Sequence[Node]:
        return [self.nodes[key] for key in self._versions.get((parent, digest), ())]

    def with_digest(self, digest: str) -> Sequence[Node]:
        return [self.nodes[key] for key in reversed(self._with_digest.get(digest, ()))]

    def only_way(self, key: str, digests: Sequence[str]) -> Sequence[Node]:
        start, said, keys = self._way
        if start != key or said != digests[: len(said)]:
            said, keys = [], []
        last = keys[-1] if keys else key
        new: list[str] = []
        for following in digests[len(said) :]:
            versions = self._versions.get((last, following), ())
            if len(versions) != 1:
                break
            last = versions[0]
            new.append(last)
        if new:
            keys = keys + new
            self._way = (key, list(digests[: len(keys)]), keys)
        return [self.nodes[one] for one in keys]

    def has_children(self, key: str) -> bool:
        return key in self._parents


def in_chain(message: Message) -> bool:
    """Whether a message belongs to the chain: what user, model and tools said.

    A hidden message with neither text to scan nor attachments is a remark that the client keeps for itself.
    """
    spoken = message.role in _ROLES and (not message.hidden or bool(message.attachments))
    return spoken or message.role == "tool"


def hash_parts(parts: Iterable[str]) -> str:
    """SHA-256 in 32 hex digits over texts, each behind its length in bytes, so that nothing runs together."""
    hashed = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        hashed.update(b"%d:" % len(encoded))
        hashed.update(encoded)
    return hashed.hexdigest()[:_DIGITS]


def plain_text(text: str) -> str:
    """A text without what clients change when they store a chat: line ends are LF, outer white space is cut."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip(WHITE_SPACE)


def digest(message: Message) -> str:
    """The identity of what a message says: role, name, plain text and attachments."""
    if message._digest is None:  # noqa: SLF001 - kept with the message, like its texts for scanning
        made = hash_parts((message.role, message.name, plain_text(message.text), *message.attachments))
        object.__setattr__(message, "_digest", made)
    return message._digest or ""  # noqa: SLF001


def identity(at: int, message: Message, scope: str) -> str:
    """The digest of a message in a scope, wherever it stands; empty if it does not belong to the chain."""
    del at
    return scoped(digest(message), scope) if in_chain(message) else ""


def scoped(of: str, scope: str) -> str:
    """A digest in a scope; without one it is as it was. Conversations of two scopes have no digest in common."""
    return hash_parts((scope, of)) if scope else of


def node_key(parent: str, of: str, version: int) -> str:
    """The key of a node: its parent's key, its message's digest, its version."""
    return hash_parts((parent, of, str(version)))


@dataclass(frozen=True, slots=True)
class Path:
    """The known part of a history: `nodes` are those of the messages from place `start` on, one after the other.

    Messages before `start` are unknown, such as a summary that the client put in place of the oldest ones. `outdated`:
    keys of those nodes of which another version was used later. `doubt`: why `nodes` is empty although something is known.
    """

    start: int = 0
    nodes: tuple[Node, ...] = ()
    outdated: frozenset[str] = frozenset()
    doubt: Doubt = ""


class _Step(NamedTuple):
    """Nodes one after the other, behind those of the step before. outdated: of the first one another version was used later."""

    nodes: Sequence[Node]
    outdated: bool
    before: _Step | None = None


def recall(memory: Memory, digests: Sequence[str], session: str = "") -> Path:
    """The way through the tree that agrees with the history for the longest run from its first message.

    Of equally long ones: from the beginning of a conversation first. A window whose head was cut off begins in the
    middle of a conversation; that, and a head that is new, is recognised by a run of at least two messages that stands
    in one place. If the caller names the session, the window's first message alone is enough, where that session said
    it last, and of several places the one that was used last.
    """
    best = Path()
    has_known, is_tied = False, False
    for at in range(len(digests)):
        if best.nodes and (best.start == 0 or len(best.nodes) >= len(digests) - at):
            break
        runs = _longest_runs(memory, digests[at:], session)
        run = _path(at, runs[0]) if runs else Path()
        has_known = has_known or bool(runs)
        is_root = at == 0 and bool(runs) and not run.nodes[0].parent
        if (is_root or len(run.nodes) >= _SHORTEST_RUN) and len(run.nodes) > len(best.nodes):
            best = run
            is_tied = not is_root and not session and _count_places(memory, [_path(at, one) for one in runs]) > 1
    if best.nodes and not is_tied:
        return best
    if session and digests:
        return _only_first(memory, digests[0], session)
    has_history = has_known and len(digests) > 1
    return Path(doubt="tie" if is_tied else "one_message" if has_history else "")


def _only_first(memory: Memory, digest: str, session: str) -> Path:
    """The newest place at which a session said this."""
    newest = next((node for node in memory.with_digest(digest) if node.session == session), None)
    if newest is None:
        return Path()
    return Path(0, (max(memory.versions(newest.parent, digest), key=lambda node: node.used),))


def _longest_runs(memory: Memory, digests: Sequence[str], session: str) -> list[_Step]:
    """The last steps of the longest ways along these digests, wherever they start: those from the beginning of a
    conversation first, then those of the session, then the one that was used last."""
    starts = sorted(
        memory.with_digest(digests[0]),
        key=lambda node: (bool(node.parent), bool(session) and node.session != session, -node.used),
    )
    latest: defaultdict[str, int] = defaultdict(int)
    for node in starts:
        latest[node.parent] = max(latest[node.parent], node.used)
    steps = [_Step((node,), node.used < latest[node.parent]) for node in starts]
    at = 1
    while steps and at < len(digests):
        alone = memory.only_way(steps[0].nodes[-1].key, digests[at:]) if len(steps) == 1 else ()
        following = [_Step(alone, False, steps[0])] if alone else list(_following(memory, digests[at], steps))
        if not following:
            break
        steps = following
        at += len(alone) or 1
    return steps


def _following(memory: Memory, digest: str, steps: Iterable[_Step]) -> Iterator[_Step]:
    """All versions of the next message behind these steps, those that were used last first."""
    for step in steps:
        versions = sorted(memory.versions(step.nodes[-1].key, digest), key=lambda node: -node.used)
        yield from (_Step((node,), node.used < versions[0].used, step) for node in versions)


def _path(start: int, last: _Step) -> Path:
    """The way that ends with a step."""
    steps = [last]
    while (before := steps[-1].before) is not None:
        steps.append(before)
    nodes = chain.from_iterable(step.nodes for step in reversed(steps))
    return Path(start, tuple(nodes), frozenset(step.nodes[0].key for step in steps if step.outdated))


def _count_places(memory: Memory, runs: Sequence[Path]) -> int:
    """In how many places these runs stand. Versions of a message are one place."""
    return len({_story(memory, run.nodes[0]) for run in runs}) if len(runs) > 1 else len(runs)


def _story(memory: Memory, node: Node) -> str:
    """A hash of what was said up to here, whatever the versions."""
    said = [node.digest]
    while node.parent and (above := memory.node(node.parent)) is not None:
        node = above
        said.append(node.digest)
    return hash_parts(said)
