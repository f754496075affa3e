"""Presets for the tests of checks: small values as a file has them, and a counter whose tokens are words."""

from lorewright.formats.things.layout_preset import read_layout_preset
from lorewright.lint.preset import PresetSubject, check_preset
from lorewright.templates.sillytavern.uses import macro_uses

MARKERS = (
    "worldInfoBefore",
    "personaDescription",
    "charDescription",
    "charPersonality",
    "scenario",
    "worldInfoAfter",
    "dialogueExamples",
)


class Words:
    """Tokens that can be counted by hand."""

    name = "words"

    def count(self, text):
        return len(text.split())


def prompt(name, content, /, **fields):
    """A prompt of the user's."""
    return {"identifier": name, "role": "system", "content": content, "system_prompt": False, **fields}


def at_depth(name, content, depth, /, **fields):
    """A prompt in the chat."""
    return prompt(name, content, injection_position=1, injection_depth=depth, **fields)


def preset(*listed, off=(), **settings):
    """A preset whose order is as listed: prompts, names of markers, and `-name` for one that is off; then prompts that are
    `off`. Markers that are not listed come first. The text that opens a chat is empty."""
    prompts = [*(one for one in listed if isinstance(one, dict)), *off]
    names = [one["identifier"] if isinstance(one, dict) else one for one in listed]
    order = [name for name in MARKERS if name not in names and f"-{name}" not in names] + names
    order += [f"-{one['identifier']}" for one in off]
    entries = [{"identifier": name.removeprefix("-"), "enabled": not name.startswith("-")} for name in order]
    orders = [{"character_id": 100001, "order": entries}]
    return {"new_chat_prompt": "", "prompts": prompts, "prompt_order": orders, **settings}


def check(value):
    """Check the value of a file."""
    return check_preset(PresetSubject(preset=read_layout_preset(value), uses=macro_uses, counter=Words()))


def codes(value, *, quiet=("preset_lore_in_front", "preset_in_tail")):
    """The codes of the findings by the prompt that they are about, without some that stand in nearly every answer."""
    return [(found.entry, found.code) for found in check(value).findings if found.code not in quiet]


def block(value, name):
    """The block of a name."""
    return next(one for one in check(value).blocks if one.id == name)
