"""What a route's files say is what they say on the command line."""

import json
from dataclasses import replace

import pytest

from lorewright.cli.options import Request
from lorewright.cli.scene import read_scene
from lorewright.gateway.configuration import Route
from lorewright.gateway.weaving.sources import Sources


@pytest.fixture
def files(tmp_path):
    """A card, a preset and settings; the settings have a note for each of two characters, and a context of their own."""

    def write(name, value):
        path = tmp_path / name
        path.write_text(json.dumps(value), "utf-8")
        return str(path)

    notes = [{"name": name, "prompt": f"Of {name}.", "position": 1, "useChara": True} for name in ("Ar", "hero")]
    settings = {"power_user": {"pin_examples": True}, "extension_settings": {"note": {"chara": notes}}}
    settings["world_info_settings"] = {"world_info_depth": 3}
    book = {"entries": [{"id": 1, "keys": ["gale"], "content": "The wind rises.", "enabled": True, "extensions": {}}]}
    return {
        "card": write(
            "hero.json",
            {"spec": "chara_card_v2", "data": {"name": "Aria", "description": "A.", "character_book": book}},
        ),
        "preset": write("preset.json", {"prompts": [], "prompt_order": [], "openai_max_context": 700}),
        "settings": write("settings.json", {**settings, "main_api": "kobold", "max_context": 9000}),
        "other": write("other.json", {**settings, "extension_settings": {"note": {"chara": notes[:1]}}}),
    }


def both(files, settings):
    """The route's plan, books and context, and those of the command line."""
    route = Route(
        name="a", upstream="mirror", card=files["card"], preset=files["preset"], settings=settings and files[settings]
    )
    loaded = Sources(route).now()
    request = Request(chat="", card=files["card"], presets=(files["preset"],), settings=settings and files[settings])
    scene = read_scene(request)
    mine = (loaded.plan, [active.book.name for active in loaded.books], loaded.context_tokens)
    return mine, (scene.turn.plan, [book.book.name for book in scene.lore.books], scene.turn.context_tokens)


@pytest.mark.parametrize("settings", [None, "settings", "other"])
def test_a_route_and_the_command_line_read_alike(files, settings):
    (plan, books, tokens), (other, names, wanted) = both(files, settings)

    assert (books, tokens) == (names, wanted) == (["Aria's Lorebook"], 700)
    assert replace(plan, preset=other.preset) == replace(other, preset=other.preset)
    assert plan.preset == other.preset


def test_a_preset_without_a_context_takes_that_of_the_settings(files, tmp_path):
    path = tmp_path / "preset.json"
    path.write_text(json.dumps({"prompts": [], "prompt_order": [], "openai_max_context": 0}), "utf-8")
    (plan, _, tokens), (other, _, wanted) = both(files, "settings")

    assert tokens == wanted == 9000
    assert plan == other


def test_a_note_is_for_the_character_that_it_is_called_after(files):
    with_note, without = (both(files, name)[0][0].scene for name in ("settings", "other"))

    assert (with_note.note.own.text, with_note.note.own.where) == ("Of hero.", "before")
    assert without.note.own is None, "`Ar` is a part of `Aria`, and somebody else"
    assert with_note.preferences.pin_examples
