"""The story string: what stands before the chat of a text completion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from lorewright.core.layout.pen import Pen
from lorewright.core.layout.strand import Source, Strand
from lorewright.core.model import Report

__all__ = ["STORY", "StoryEngine", "StoryPart", "tell_story"]

STORY: Final = Source("setting", "story_string")


class StoryPart(NamedTuple):
    """A part of a rendered story string: the value of `name`, or the template's own text where the name is empty."""

    name: str
    text: str


class StoryEngine(Protocol):
    """A template language for story strings."""

    def render(self, template: str, values: Mapping[str, str]) -> tuple[Sequence[StoryPart], Sequence[Report]]:
        """The parts in their order. Names that are no values stay as text, for macros."""


def tell_story(template: str, values: Mapping[str, Strand], engine: StoryEngine, pen: Pen) -> Strand:
    """The story string with its values and macros, without line feeds in front."""
    parts, reports = engine.render(template, {name: strand.text for name, strand in values.items()})
    pen.reports += reports
    story = Strand()
    for name, text in parts:
        story += values[name] if name else Strand.of(STORY, text)
    story = pen.prepare(story)
    text = story.text
    return story.slice(len(text) - len(text.lstrip("\n")), len(text))
