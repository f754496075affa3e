"""What a story string can tell, and the prompts around the chat of a text completion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from lorewright.core.layout.account import Account
from lorewright.core.layout.insertions import Insertions
from lorewright.core.layout.pen import Pen
from lorewright.core.layout.reasons import NotAllowed, NotInStory, NotReplaceable, ReplacedBy
from lorewright.core.layout.scene import Beside, Scene
from lorewright.core.layout.stage import Stage
from lorewright.core.layout.story import StoryEngine, tell_story
from lorewright.core.layout.strand import Source, Strand, join
from lorewright.core.layout.text_preset import TextPreset

__all__ = ["lay_story", "post_history"]

_AGAIN: Final = frozenset({"loreBefore", "loreAfter", "mesExamples", "mesExamplesRaw", "char", "user"})
"""Values that stand elsewhere, too, or are other names."""


def lay_story(
    scene: Scene,
    preset: TextPreset,
    stage: Stage,
    examples: Sequence[Strand],
    engine: StoryEngine,
    pen: Pen,
    account: Account,
) -> Strand:
    """The story string. A value for which it has no place is left out."""
    values = _values(scene, preset, stage, examples, pen, account)
    story = tell_story(preset.context.story, values, engine, pen)
    told = set(story.sources)
    for name, value in values.items():
        if name not in _AGAIN and value.text and told.isdisjoint(value.sources):
            account.leave(value, NotInStory(name))
    return story


def _values(
    scene: Scene, preset: TextPreset, stage: Stage, examples: Sequence[Strand], pen: Pen, account: Account
) -> Mapping[str, Strand]:
    fields = stage.fields
    persona = Strand.of(Source("persona", "persona"), scene.persona.text)
    return {
        "anchorBefore": _anchor(stage.insertions, "start", pen, account),
        "anchorAfter": _anchor(stage.insertions, "end", pen, account),
        "description": fields.description,
        "personality": fields.personality,
        "scenario": fields.scenario,
        "system": _system_prompt(preset, stage, pen, account),
        "persona": pen.prepare(persona) if scene.persona.position == "prompt" else Strand(),
        "char": Strand.of(Source("setting", "char"), scene.card.name),
        "user": Strand.of(Source("setting", "user"), scene.user),
        "wiBefore": stage.before,
        "loreBefore": stage.before,
        "wiAfter": stage.after,
        "loreAfter": stage.after,
        "mesExamples": join("", examples),
        "mesExamplesRaw": join("\n", stage.blocks),
    }


def _anchor(insertions: Insertions, where: Beside, pen: Pen, account: Account) -> Strand:
    """The texts for the start or the end of the story, in the order of their keys."""
    found = []
    for one in insertions.at(where):
        if one.allowed:
            found.append(one.text.trimmed())
        else:
            account.leave(one.text, NotAllowed())
    return pen.prepare(join("\n", found))


def _system_prompt(preset: TextPreset, stage: Stage, pen: Pen, account: Account) -> Strand:
    """The system prompt, or the card's in its place."""
    text = preset.system_prompt.text if preset.system_prompt else None
    return _own_or_card("system_prompt", text, stage.fields.system_prompt, pen, account)


def post_history(preset: TextPreset, stage: Stage, pen: Pen, account: Account) -> Strand:
    """The text behind the chat, or the card's in its place."""
    text = preset.system_prompt.post_history if preset.system_prompt else None
    return _own_or_card("post_history", text, stage.fields.post_history, pen, account)


def _own_or_card(name: str, text: str | None, of_card: Strand, pen: Pen, account: Account) -> Strand:
    """None: system prompts are off, and a card's is not used either."""
    if text is None:
        account.leave(of_card, NotReplaceable(name, "off"))
        return Strand()
    source = Source("setting", name)
    own = Strand.of(source, text)
    if text:
        account.offer(source)
    if not of_card.text:
        return pen.prepare(own)
    account.leave(source, ReplacedBy(*of_card.sources[0]))
    return pen.prepare(of_card, original=text).holding(own)
