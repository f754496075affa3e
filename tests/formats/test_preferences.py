"""What of SillyTavern's settings is about a prompt beside its preset; the defaults are those of spec prompt-assembly §1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.layout.scene import OwnNote, Preferences
from lorewright.formats.preferences import read_own_note, read_preferences

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
NOTE = {"name": "Aria", "useChara": True, "prompt": "Hum.", "position": 0}


def with_notes(*notes):
    return {"extension_settings": {"note": {"chara": list(notes)}}}


def test_what_is_not_there_is_as_sillytavern_ships_it():
    assert read_preferences({}) == read_preferences({"power_user": {}}) == Preferences()


def test_every_preference():
    given = {
        "pin_examples": True,
        "strip_examples": 1,
        "prefer_character_prompt": False,
        "prefer_character_jailbreak": 0,
        "collapse_newlines": "yes",
        "user_prompt_bias": "Well,",
    }

    assert read_preferences({"power_user": given}) == Preferences(
        pin_examples=True,
        strip_examples=True,
        card_system_prompt=False,
        card_post_history=False,
        collapse_newlines=True,
        bias="Well,",
    )


@pytest.mark.parametrize(("position", "where"), [(0, "replace"), (1, "before"), (2, "after"), (2.0, "after"),
                                                  (7, "replace"), (None, "replace"), ([], "replace"), (True, "replace")])  # fmt: skip
def test_where_the_note_for_a_character_stands(position, where):
    assert read_own_note(with_notes({**NOTE, "position": position}), {"Aria"}) == OwnNote("Hum.", where)


def test_a_note_is_found_by_the_name_of_the_picture():
    assert read_own_note(with_notes({**NOTE, "name": "aria-2"}, NOTE), {"Anna", "aria-2"}) == OwnNote("Hum.")


@pytest.mark.parametrize("change", [{"useChara": False}, {"prompt": ""}, {"prompt": 3}, {"name": "Bela"}, {"name": []}])
def test_notes_that_do_not_count(change):
    assert read_own_note(with_notes("odd", {**NOTE, **change}), {"Aria"}) is None


@given(VALUES)
def test_nothing_odd_raises(value):
    for settings in (
        {"power_user": value, "extension_settings": value},
        {"power_user": {"pin_examples": value, "user_prompt_bias": value}, "extension_settings": {"note": value}},
        with_notes(value, {**NOTE, "position": value}, {**NOTE, "name": value, "prompt": value, "useChara": value}),
    ):
        assert isinstance(read_preferences(settings), Preferences)
        read_own_note(settings, {"Aria"})
