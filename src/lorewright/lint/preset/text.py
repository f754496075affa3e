"""Checks of templates for text completion: context, instruct, system prompt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from lorewright.core.layout.depths import nearest_depth
from lorewright.core.layout.text_preset import SequenceName
from lorewright.core.model import Report
from lorewright.lint.preset.block import Where
from lorewright.lint.preset.check import CheckedPreset
from lorewright.lint.preset.pieces import Piece, check_pieces
from lorewright.lint.preset.subject import Level, TextSubject

__all__ = ["check_text_preset"]

_STORY: Final = "story_string"
_VALUES: Final = {
    "the system prompt": ("system",),
    "the description": ("description",),
    "the personality": ("personality",),
    "the scenario": ("scenario",),
    "the persona": ("persona",),
    "lore before the character": ("wiBefore", "loreBefore"),
    "lore after the character": ("wiAfter", "loreAfter"),
    "texts at its start (author's note, extensions)": ("anchorBefore",),
    "texts at its end (author's note, extensions)": ("anchorAfter",),
}
"""What a story string should have a place for, and the names that it may have there."""
_OTHERS: Final = ("char", "user", "mesExamples", "mesExamplesRaw")
_ANCHORS: Final = frozenset({"anchorBefore", "anchorAfter"})
_NAME: Final = ("{{name}}", "{{Name}}")
"""The macro of sequences for who speaks."""
_ENDS: Final[tuple[SequenceName, ...]] = ("last_output_sequence", "last_input_sequence")
_AT_MESSAGES: Final[tuple[SequenceName, ...]] = (
    "first_input_sequence",
    "first_output_sequence",
    "input_sequence",
    "input_suffix",
    "output_sequence",
    "output_suffix",
    "system_sequence",
    "system_suffix",
)


class _Story(NamedTuple):
    """A story string: its own text with all values and with none, and the names of the values that it shows."""

    full: str
    empty: str
    names: frozenset[str]


def check_text_preset(subject: TextSubject, read: Iterable[Report] = ()) -> CheckedPreset:
    """As `check_preset`, for what a text completion is laid out from. Pure, and nothing is raised for any template."""
    story = _told(subject)
    pieces = [piece for piece in _pieces(subject, story) if piece.text]
    noted = (*read, *_find_lost_values(subject, story), *_find_last_sequences(subject))
    return check_pieces(subject, pieces, noted)


def _told(subject: TextSubject) -> _Story:
    names = (*(name for listed in _VALUES.values() for name in listed), *_OTHERS)
    template = subject.preset.context.story
    full, _ = subject.story.render(template, dict.fromkeys(names, "x"))
    empty, _ = subject.story.render(template, dict.fromkeys(names, ""))
    own = ["".join(part.text for part in parts if not part.name) for parts in (full, empty)]
    return _Story(own[0], own[1], frozenset(part.name for part in full if part.name))


def _pieces(subject: TextSubject, story: _Story) -> Iterator[Piece]:
    """The texts in the order in which they are sent."""
    preset, context = subject.preset, subject.preset.context
    sequences = dict(preset.instruct.sequences) if preset.instruct else {}
    depth = nearest_depth(context.depth) if context.in_chat else None
    where: Where = "front" if depth is None else "tail"
    has_system = not subject.has_context or "system" in story.names
    system = preset.system_prompt.text if preset.system_prompt else ""
    told = [
        Piece("story_string_prefix", sequences.get("story_string_prefix", ""), where, depth),
        Piece(_STORY, story.full, where, depth, macros=story.full + story.empty),
        Piece("system_prompt", system, where if has_system else "off", depth if has_system else None),
        Piece("story_string_suffix", sequences.get("story_string_suffix", ""), where, depth),
    ]
    if depth is None:
        yield from told
    yield Piece("example_separator", context.separator, "front")
    yield Piece("chat_start", context.chat_start, "front")
    for name in _AT_MESSAGES:
        text = sequences.get(name, "")
        yield Piece(name, text, "chat", macros=_without_name(text))
    if depth is not None:
        yield from told
    yield Piece("post_history", preset.system_prompt.post_history if preset.system_prompt else "", "tail")
    for name in _ENDS:
        text = sequences.get(name, "")
        yield Piece(name, text, "tail", macros=_without_name(text))


def _without_name(text: str) -> str:
    """A sequence without the macro for who speaks, which is one here alone."""
    for name in _NAME:
        text = text.replace(name, "")
    return text


def _find_lost_values(subject: TextSubject, story: _Story) -> Iterator[Report]:
    if not subject.has_context:
        return
    for what, names in _VALUES.items():
        if story.names.isdisjoint(names):
            message = f"The story string has no place for {what}, so it is not sent. Write `{{{{{names[0]}}}}}` where it is to stand."
            level: Level = "info" if _ANCHORS.issuperset(names) else "warning"
            yield subject.report("preset_story_without_place", message, prompt=_STORY, level=level)


def _find_last_sequences(subject: TextSubject) -> Sequence[Report]:
    sequences = subject.preset.instruct.sequences if subject.preset.instruct else {}
    usual, last = sequences.get("output_sequence", ""), sequences.get("last_output_sequence", "")
    if not last or last == usual:
        return ()
    message = (
        "The reply is asked for behind `last_output_sequence`, and in the next turn it stands behind `output_sequence`, so each "
        "reply is read anew once. Leave `last_output_sequence` empty if the model does not need it."
    )
    return (subject.report("preset_last_sequence", message, prompt="last_output_sequence", level="info"),)
