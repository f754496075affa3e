"""What SillyTavern's settings say about laying out a prompt, besides the preset: the user's own preferences."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal

from lorewright.core.javascript import truthy
from lorewright.core.layout.scene import OwnNote, Preferences, Scene
from lorewright.formats.card import Card
from lorewright.formats.things.scripts import text_of

__all__ = ["read_own_note", "read_preferences", "with_preferences"]

_FLAGS: Final = {
    "pin_examples": "pin_examples",
    "strip_examples": "strip_examples",
    "card_system_prompt": "prefer_character_prompt",
    "card_post_history": "prefer_character_jailbreak",
    "collapse_newlines": "collapse_newlines",
}
_WHERE: Final[Mapping[Any, Literal["replace", "before", "after"]]] = {0: "replace", 1: "before", 2: "after"}


def read_preferences(settings: Mapping[str, Any]) -> Preferences:
    """The preferences among SillyTavern's settings (`power_user`); what is not there is as SillyTavern ships it (spec
    prompt-assembly §1)."""
    user = _object(settings, "power_user")
    flags = {ours: truthy(user[theirs]) for ours, theirs in _FLAGS.items() if theirs in user}
    bias = user.get("user_prompt_bias")
    return Preferences(**flags, bias=bias if isinstance(bias, str) else "")


def read_own_note(settings: Mapping[str, Any], names: Collection[str]) -> OwnNote | None:
    """The author's note that the user keeps for a character, that is called so: SillyTavern calls it after the file of
    its picture, without the ending. None: there is none that is on. An odd position is the first one, `replace`."""
    listed = _object(_object(settings, "extension_settings"), "note").get("chara")
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict) and text_of(one.get("name")) in names and truthy(one.get("useChara")):
            text, position = one.get("prompt"), one.get("position")
            where = _WHERE.get(position, "replace") if type(position) in {int, float} else "replace"
            return OwnNote(text, where) if isinstance(text, str) and text else None
    return None


def with_preferences(scene: Scene, settings: Mapping[str, Any], cards: Iterable[Card]) -> Scene:
    """A scene with what the settings say of the user's preferences, and with the note that is kept for the character that
    replies, one of the cards."""
    scene = replace(scene, preferences=read_preferences(settings))
    pictures = (Path(card.character.avatar).stem for card in cards if card.name == scene.card.name)
    own = read_own_note(settings, {scene.card.name, *pictures})
    return scene if own is None else replace(scene, note=replace(scene.note, own=own))


def _object(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}
