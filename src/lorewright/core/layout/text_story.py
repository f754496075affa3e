"""What a story string can tell, and the prompts around the chat of a text completion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from lorewright.core.layout.desk import Desk
from lorewright.core.layout.insertions import Insertions
from lorewright.core.layout.reasons import NotAllowed, NotInStory, NotReplaceable, ReplacedBy
from lorewright.core.layout.scene import Beside
from lorewright.core.layout.stage import Stage
from lorewright.core.layout.story import StoryEngine, tell_story
from lorewright.core.layout.strand import Source, Strand, join
from lorewright.core.layout.text_preset import TextPreset

__all__ = ["lay_story", "post_history"]

_AGAIN: Final = frozenset({"loreBefore", "loreAfter", "mesExamples", "mesExamplesRaw", "char", "user"})
"""Values that stand elsewhere, too, or are other names."""


def lay_story(desk: Desk, preset: TextPreset, stage: Stage, examples: Sequence[Strand], engine: StoryEngine) -> Strand:
    """The story string. A value for which it has no place is left out."""
    values = _values(desk, preset, stage, examples)
    story = tell_story(preset.context.story, values, engine, desk.pen)
    told = set(story.sources)
    for name, value in values.items():
        if name not in _AGAIN and value.text and told.isdisjoint(value.sources):
            desk.account.leave(value, NotInStory(name))
    return story


def _values(desk: Desk, preset: TextPreset, stage: Stage, examples: Sequence[Strand]) -> Mapping[str, Strand]:
    fields, scene = stage.fields, desk.scene
    persona = Strand.of(Source("persona", "persona"), scene.persona.text)
    return {
        "anchorBefore": _anchor(desk, stage.insertions, "start"),
        "anchorAfter": _anchor(desk, stage.insertions, "end"),
        "description": fields.description,
        "personality": fields.personality,
        "scenario": fields.scenario,
        "system": _system_prompt(desk, preset, stage),
        "persona": desk.pen.prepare(persona) if scene.persona.position == "prompt" else Strand(),
        "char": Strand.of(Source("setting", "char"), scene.card.name),
        "user": Strand.of(Source("setting", "user"), scene.user),
        "wiBefore": stage.before,
        "loreBefore": stage.before,
        "wiAfter": stage.after,
        "loreAfter": stage.after,
        "mesExamples": join("", examples),
        "mesExamplesRaw": join("\n", stage.blocks),
    }


def _anchor(desk: Desk, insertions: Insertions, where: Beside) -> Strand:
    """The texts for the start or the end of the story, in the order of their keys."""
    found = []
    for one in insertions.at(where):
        if one.allowed:
            found.append(one.text.trimmed())
        else:
            desk.account.leave(one.text, NotAllowed())
    return desk.pen.prepare(join("\n", found))


def _system_prompt(desk: Desk, preset: TextPreset, stage: Stage) -> Strand:
    """The system prompt, or the card's in its place."""
    text = preset.system_prompt.text if preset.system_prompt else None
    return _own_or_card(desk, "system_prompt", text, stage.fields.system_prompt)


def post_history(desk: Desk, preset: TextPreset, stage: Stage) -> Strand:
    """The text behind the chat, or the card's in its place."""
    text = preset.system_prompt.post_history if preset.system_prompt else None
    return _own_or_card(desk, "post_history", text, stage.fields.post_history)


def _own_or_card(desk: Desk, name: str, text: str | None, of_card: Strand) -> Strand:
    """None: system prompts are off, and a card's is not used either."""
    if text is None:
        desk.account.leave(of_card, NotReplaceable(name, "off"))
        return Strand()
    source = Source("setting", name)
    own = Strand.of(source, text)
    if text:
        desk.account.offer(source)
    if not of_card.text:
        return desk.pen.prepare(own)
    desk.account.leave(source, ReplacedBy(*of_card.sources[0]))
    return desk.pen.prepare(of_card, original=text).holding(own)
