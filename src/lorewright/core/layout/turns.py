"""Messages of a text completion as its template wants them: turns between sequences, or lines `Name: text`."""

from __future__ import annotations

from typing import Final

from lorewright.core.javascript import WHITE_SPACE
from lorewright.core.layout.draft import Draft
from lorewright.core.layout.pen import Pen
from lorewright.core.layout.scene import Scene
from lorewright.core.layout.strand import Source, Strand, join
from lorewright.core.layout.text_preset import Instruct, SequenceName

__all__ = ["Turns"]

_NOBODY: Final = "System"
"""What `{{name}}` is in the sequences of a message without a name."""


class Turns:
    """Writes the turns of one prompt. A sequence is rendered once for each name."""

    def __init__(self, instruct: Instruct | None, scene: Scene, pen: Pen) -> None:
        self._instruct = instruct
        self._scene = scene
        self._pen = pen
        self._known: dict[tuple[str, str], Strand] = {}

    def turn(self, draft: Draft, *, is_first: bool = False) -> Strand:
        """A message with what stands around it. `is_first`: it is the first one of the chat."""
        if self._instruct is None:
            name = "" if draft.role == "system" else f"{draft.speaker}: "
            return _line(draft.content.prefixed(name))
        side = self._side(draft.role)
        first: tuple[SequenceName, ...] = ()
        if is_first and draft.role != "system":
            first = ("first_input_sequence",) if side == "input" else ("first_output_sequence",)
        prefix = self._sequence((*first, _prefix(side)), draft.speaker)
        content = draft.content.prefixed(f"{draft.speaker}: " if self._names(draft) else "")
        return self._wrapped(prefix, content, self._suffix(side, draft.speaker))

    def unfinished(self, draft: Draft, *, is_first: bool) -> Strand:
        """A message that the model goes on with: without what stands behind it."""
        turn = self.turn(draft, is_first=is_first)
        at = turn.text.rfind(draft.content.text)
        return turn.slice(0, at + len(draft.content.text))

    def example(self, draft: Draft) -> Strand:
        """A turn of the example dialogues, whose text has its name already in groups."""
        assert self._instruct is not None
        is_user = draft.name == "example_user"
        name = self._scene.user if is_user else self._scene.card.name
        side = "input" if is_user else "output"
        named = self._instruct.names == "always" or (self._instruct.names == "force" and is_user)
        content = draft.content.prefixed(f"{name}: " if named and not self._scene.group else "")
        return self._wrapped(self._sequence((_prefix(side),), name), content, self._suffix(side, name))

    def opening(self, bias: Strand, *, forces_name: bool) -> Strand:
        """What the reply is to go on from; `forces_name` counts without an instruct template only."""
        scene = self._scene
        writes_user = scene.trigger == "impersonate"
        name = scene.user if writes_user else scene.card.name
        if self._instruct is None:
            if not writes_user and not forces_name:
                return bias
            opened = Strand.of(Source("setting", "name"), f"{name}:")
            return opened + (bias.prefixed(" ") if bias.text and not bias.text[0].isspace() else bias)
        is_quiet = scene.trigger == "quiet"
        wanted: tuple[SequenceName, ...] = ("last_output_sequence", "output_sequence")
        if writes_user:
            wanted = ("last_input_sequence", "input_sequence")
        elif is_quiet:
            wanted = ("last_system_sequence", "output_sequence")
        names = self._instruct.names
        is_named = not is_quiet and (names == "always" or (names == "force" and scene.group is not None))
        sequence = self._sequence(wanted, _NOBODY if is_quiet else name)
        gap = "\n" if self._instruct.wraps else ""
        if is_named:
            return sequence + Strand.of(Source("setting", "name"), f"{gap}{name}:") + bias
        if self._instruct.wraps:
            text = sequence.text
            sequence = sequence.slice(0, len(text.rstrip(WHITE_SPACE)))
            sequence += Strand.of(Source("setting", "sequence_wrap"), gap)
        return sequence + bias

    def story(self, story: Strand) -> Strand:
        """The story string between its sequences."""
        if self._instruct is None or not story.text:
            return story if not story.text else _line(story)
        prefix = self._sequence(("story_string_prefix",), "")
        suffix = self._sequence(("story_string_suffix",), "")
        if self._instruct.wraps:
            story = _line(story)
            prefix = _line(prefix) if prefix.text else prefix
        return prefix + story + suffix

    def _side(self, role: str) -> str:
        assert self._instruct is not None
        if role == "system":
            return "input" if self._instruct.system_as_user else "system"
        return "input" if role == "user" else "output"

    def _names(self, draft: Draft) -> bool:
        assert self._instruct is not None
        if draft.role == "system" or not draft.speaker:
            return False
        return self._instruct.names == "always" or (self._instruct.names == "force" and draft.named)

    def _suffix(self, side: str, name: str) -> Strand:
        assert self._instruct is not None
        suffix = self._sequence((_suffix_name(side),), name)
        return (
            suffix if suffix.text or not self._instruct.wraps else Strand.of(Source("setting", "sequence_wrap"), "\n")
        )

    def _sequence(self, wanted: tuple[SequenceName, ...], name: str) -> Strand:
        """The first of these sequences that there is, rendered."""
        assert self._instruct is not None
        key = next((one for one in wanted if self._instruct.sequences.get(one)), None)
        if key is None:
            return Strand()
        if (key, name) not in self._known:
            strand = Strand.of(Source("setting", key), self._instruct.sequences[key])
            if self._instruct.has_macros:
                strand = self._pen.prepare(strand, extra={"name": name or _NOBODY})
            self._known[key, name] = strand
        return self._known[key, name]

    def _wrapped(self, prefix: Strand, content: Strand, suffix: Strand) -> Strand:
        assert self._instruct is not None
        parts = [part for part in (prefix, content + suffix) if part.text]
        return join("\n" if self._instruct.wraps else "", parts)


def _prefix(side: str) -> SequenceName:
    return "input_sequence" if side == "input" else "output_sequence" if side == "output" else "system_sequence"


def _suffix_name(side: str) -> SequenceName:
    return "input_suffix" if side == "input" else "output_suffix" if side == "output" else "system_suffix"


def _line(strand: Strand) -> Strand:
    """With a line feed at the end."""
    if strand.text.endswith("\n") or not strand.bits:
        return strand
    last = strand.bits[-1]
    return Strand((*strand.bits[:-1], last._replace(text=last.text + "\n")))
