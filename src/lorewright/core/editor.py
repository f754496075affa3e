"""The replacements of one request in the client's texts: in the system prompt, and in what the user has said.

The chain knows the client's own words only. What the user has said is replaced once, in the request that brings it, and
what came of that stays on its node. The system prompt is sent anew in every request; so is what is replaced in it, and an
entry that replaces something else than in the last request is named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from lorewright.core.chain import hash_parts, plain_text
from lorewright.core.engine import Assembly
from lorewright.core.front import Front
from lorewright.core.leaving import why_gone
from lorewright.core.lore import Lore
from lorewright.core.model import Report
from lorewright.core.place import Placed, Section, Text
from lorewright.core.prepared import Prepared
from lorewright.core.protocols import Tools
from lorewright.core.record import Move, Rewording
from lorewright.core.replaces import Allowance
from lorewright.core.rewriting import Changed, Rewriter
from lorewright.core.thread import Thread
from lorewright.core.woven import Piece

__all__ = ["Editor"]


class Editor:
    """Edits the texts of one request, and remembers what it did."""

    def __init__(self, thread: Thread, lore: Lore, assembly: Assembly, tools: Tools) -> None:
        self.thread = thread
        self.lore = lore
        self.visible = assembly.trace.lore
        seconds = lore.policy.settings.replace_seconds
        self.rewriter = assembly.trace.activation.rewriter or Rewriter(tools.regexes, Allowance(seconds))
        self._told = len(self.rewriter.reports)
        active = (item.entry for item in assembly.activated if item.entry.replaces)
        self.active = sorted(active, key=lore.layer_key)
        self._done: defaultdict[str, list[str]] = defaultdict(list)
        """By entry: the texts of the system prompt that it changed."""

    @property
    def reports(self) -> tuple[Report, ...]:
        """What was given up here."""
        return tuple(self.rewriter.reports[self._told :])

    # -- the system prompt ---------------------------------------------------------------------------------------------

    def edit_system(self, name: str, text: str) -> str:
        """One text of the system prompt. `name` tells it from the others: an entry's id, or the place of the client's."""
        return self._edit(name, text).text

    def _edit(self, name: str, text: str) -> Changed:
        found = self.rewriter.change(text, "system", self.active)
        for entry in found.by:
            self._done[entry].append(name)
        return found

    def edit_leading(self) -> dict[int, Piece]:
        """The client's texts at the top that are sent otherwise, by place."""
        found: dict[int, Piece] = {}
        for place in self.thread.sent[: self.thread.leading]:
            text, by = self._edit(str(place), self.thread.turn.messages[place].text)
            if by:
                found[place] = Piece("rewritten", by[-1], text)
        return found

    def edit_placed(self, placed: Placed) -> Placed:
        """Texts of ours that stand in the system prompt of the classic placement."""
        sections = [section._replace(text=self._edit_text(section.text)) for section in placed.sections]
        before, after = (tuple(map(self._edit_text, texts)) for texts in (placed.before, placed.after))
        return replace(placed, before=before, after=after, sections=tuple(sections))

    def _edit_text(self, text: Text) -> Text:
        return text._replace(text=self.edit_system(*text))

    def note_shape(self, sections: Iterable[Section], front: Front) -> None:
        """Tell the thread which entries change the system prompt beside the records, and how: by a section that is not
        kept, or by replacements."""
        above: dict[str, str] = {}  # by section, the record behind which it stands
        for part in (front.head, front.tail):
            record = ""
            for text in part:
                if text.is_kept:
                    record = text.entry
                else:
                    above[text.entry] = record
        done: dict[str, list[str]] = {}
        keys: dict[str, tuple[float, int, str]] = {}
        for entry in self.active:
            if entry.id in self._done:
                keys[entry.id] = self.lore.layer_key(entry)
                patterns = (part for one in entry.replaces for part in (one.target, one.find, one.flags, one.replace))
                done[entry.id] = [*self._done[entry.id], *patterns]
        form = self.lore.policy.settings.form
        for key, is_before, (name, content) in sections:
            keys[name] = key
            done[name] = [*done.get(name, ()), str(is_before), content, form, above[name]]
        self.thread.shape({name: hash_parts(done[name]) for name in sorted(done, key=keys.__getitem__)})

    # -- what the user has said ----------------------------------------------------------------------------------------

    def edit_user(self) -> Rewording | None:
        """Put rewordings on the nodes; that of the target is given back, to be placed with its records.

        A message that is known keeps what was sent of it, unless an entry that changed it may not be seen any longer, or
        regex scripts make another text of it.
        """
        thread = self.thread
        texts = self.thread.rewritten()
        self._renew(texts)
        of_target: Rewording | None = None
        for at in thread.unanswered():
            place, node = thread.places[at], thread.node(thread.keys[at])
            made = None if thread.turn.messages[place].hidden else self._reword(self._text(place, texts), self.active)
            if at == thread.target:
                of_target = made
            elif made and not thread.memory.node(node.key):
                thread.put(replace(node, rewording=made))
        return of_target

    def texts_of_messages(self) -> dict[int, Piece]:
        """What is sent of the client's messages, by place, where it is not what the client said."""
        thread = self.thread
        found = {place: Piece("rewritten", "", text) for place, text in thread.rewritten().items()}
        for at, node in thread.noted():
            if rewording := node.rewording:
                found[thread.places[at]] = Piece("rewritten", rewording.entries[-1], rewording.text)
        return found

    def _text(self, place: int, rewritten: Mapping[int, str]) -> str:
        """A message of the client as regex scripts have left it."""
        return rewritten.get(place, self.thread.turn.messages[place].text)

    def _renew(self, rewritten: Mapping[int, str]) -> None:
        """Make rewordings anew whose entries are gone, or which were made of another text."""
        thread = self.thread
        for at, before in thread.noted():
            key, rewording = before.key, before.rewording if at != thread.target else None
            if rewording is None:
                continue
            text = self._text(thread.places[at], rewritten)
            gone = {name: cause for name in rewording.entries if (cause := why_gone(name, self.lore, self.visible))}
            if not gone and rewording.source == _source(text):
                continue
            left = [entry for name in rewording.entries if name not in gone and (entry := self.lore.find(name))]
            thread.put(replace(thread.node(key), rewording=self._reword(text, left)))
            thread.moves += [Move(cause, name, key) for name, cause in gone.items()]

    def _reword(self, text: str, entries: Iterable[Prepared]) -> Rewording | None:
        found = self.rewriter.change(text, "user", entries)
        return Rewording(found.text, found.by, _source(text)) if found.by else None


def _source(text: str) -> str:
    return hash_parts((plain_text(text),))
