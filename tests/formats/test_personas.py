"""Personas: SillyTavern's backup and settings, our own files, plain texts."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.layout.scene import Persona
from lorewright.errors import FormatError
from lorewright.formats.native.documents import document_text
from lorewright.formats.native.personas import backup_value, persona_value
from lorewright.formats.read import read_persona, read_personas

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
BACKUP = {
    "personas": {"m.png": "Max", "o.png": "Olga", "n.png": "Nobody"},
    "persona_descriptions": {
        "m.png": {
            "description": " Tall.\n",
            "position": 4,
            "depth": 1,
            "role": 1,
            "lorebook": "Max's world",
            "title": "t",
        },
        "o.png": {"description": "Small.", "position": 2},
    },
    "default_persona": "o.png",
}


def as_bytes(value):
    return json.dumps(value).encode()


def test_a_backup_is_read_by_name_by_picture_and_by_default():
    source = as_bytes(BACKUP)
    max_ = read_persona(source, "Max").value

    assert max_.persona == Persona(text=" Tall.\n", position="in_chat", depth=1, role="user")
    assert (max_.name, max_.lorebook, max_.title, max_.picture) == ("Max", "Max's world", "t", "m.png")
    assert read_persona(source, "n.png").value.persona == Persona()
    assert read_persona(source).value.persona == Persona(text="Small.", position="above_note")


def test_the_settings_of_sillytavern_are_read_for_their_personas_alone():
    settings = {"power_user": {**BACKUP, "other": 1}, "world_info_settings": {}, "user_avatar": "m.png"}

    assert read_persona(as_bytes(settings), "Olga").value.persona.text == "Small."


@pytest.mark.parametrize(
    ("number", "position"),
    [(0, "prompt"), (1, "prompt"), (2, "above_note"), (3, "below_note"), (4, "in_chat"), (9, "none"), ("4", "prompt")],
)
def test_positions_by_number(number, position):
    value = {"personas": {"a": "A"}, "persona_descriptions": {"a": {"description": "x", "position": number}}}
    read = read_persona(as_bytes(value))

    assert read.value.persona.position == position
    assert [report.code for report in read.reports] == (["bad_value"] if number == "4" else [])


def test_who_is_not_there_or_not_named_is_said():
    with pytest.raises(FormatError, match=r"no such persona in the file called 'Ana'.*'Max', 'Olga', 'Nobody'"):
        read_persona(as_bytes(BACKUP), "Ana")
    with pytest.raises(FormatError, match=r"3 personas in the file. Name one of them"):
        read_persona(as_bytes({**BACKUP, "default_persona": None}))


def test_any_text_is_a_persona_called_after_its_file(tmp_path):
    (tmp_path / "Max.md").write_text("# Max\n\n## Looks\n\n- tall\n", "utf-8")
    read = read_persona(tmp_path / "Max.md").value

    assert (read.name, read.persona.text) == ("Max", "# Max\n\n## Looks\n\n- tall\n")
    with pytest.raises(FormatError, match="nothing but white space"):
        read_persona(b" \n")


def test_one_written_by_hand():
    read = read_persona(
        b"lorewright: 1\nkind: persona\nname: Max\ntext: Tall.\nposition: in_chat\ndepth: 3\nrole: user\n"
    )

    assert read.value.name == "Max"
    assert read.value.persona == Persona(text="Tall.", position="in_chat", depth=3, role="user")
    assert read.reports == ()


def test_what_is_misspelt_is_told():
    read = read_persona(
        b"lorewright: 1\nkind: persona\nname: Max\ntext: Tall.\nposition: chat\nrole: users\ndetph: 3\n"
    )

    assert {(report.code, report.field) for report in read.reports} >= {
        ("bad_value", "position"),
        ("bad_value", "role"),
        ("unknown_field", "detph"),
    }
    assert read.value.persona == Persona(text="Tall.")


def test_what_cannot_be_a_persona_is_counted_and_told():
    read = read_personas(as_bytes({"personas": {"a": "A", "b": 4}, "persona_descriptions": {"c": "text"}}))

    assert (read.found, read.kept, read.refused) == (3, 1, 2)
    assert [(report.code, report.entry) for report in read.reports] == [
        ("entry_not_object", "b"),
        ("entry_not_object", "c"),
    ]


@given(st.dictionaries(st.text(min_size=1, max_size=5), st.text(max_size=5), min_size=1, max_size=4), st.data())
def test_every_persona_comes_back_from_our_file(names, data):
    described = {
        name: data.draw(st.dictionaries(st.sampled_from(["description", "position", "depth", "role", "x"]), VALUES))
        for name in names
    }
    value = {"personas": names, "persona_descriptions": described, "default_persona": None}

    read = read_personas(as_bytes(value)).value
    texts = [document_text(persona_value(persona)).encode() for persona in read]
    again = [read_personas(text).value[0] for text in texts]

    assert [one.persona for one in again] == [one.persona for one in read]
    assert [one.data for one in again] == [one.data for one in read]
    assert backup_value(read) == value
