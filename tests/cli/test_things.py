"""Presets, cards and personas: imported into our own formats, and exported as they were."""

import json
import os
from pathlib import Path

import pytest

from lorewright.formats.card_yaml import as_card, is_foreign_card
from lorewright.formats.fields import is_exact
from lorewright.formats.imported import Notes
from lorewright.formats.read import read_card, read_personas
from lorewright.formats.strict_json import parse_json

REAL = Path(os.environ.get("LOREWRIGHT_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "real-files"
PRESETS = (
    "st-preset-chat st-preset-other st-preset-textgen st-context st-instruct st-sysprompt risu-preset-json".split()
)
CARDS = "byaf card-v1-json card-v2-json card-v2-png card-v3-charx card-v3-json card-v3-png card-yaml".split()


def real(folders):
    return [path for folder in folders for path in sorted((REAL / folder).glob("*"))] if REAL.is_dir() else []


def name(path):
    return f"{path.parent.name}/{path.name}"


CARD = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "name": "Ana",
    "description": "Keeps the lamp.",
    "create_date": "2026",
    "data": {
        "first_mes": "Hi.",
        "name": "Ana",
        "description": "Keeps the lamp.",
        "extensions": {"fav": False, "depth_prompt": {"prompt": "Be brief.", "depth": 4, "role": "system"}},
        "character_book": {
            "entries": [
                {"keys": ["lamp"], "content": "It is lit.", "extensions": {}, "enabled": True, "insertion_order": 1},
                {"id": 7, "keys": ["mill"], "content": "No corn.", "position": "before_char", "x": None},
            ],
            "name": "Isles",
        },
    },
}


def test_a_preset_goes_there_and_back_without_its_keys(shop):
    preset = {"proxy_password": "s3cret", "prompts": [{"identifier": "main", "content": "x"}], "prompt_order": []}
    source = shop.write("mine.json", preset)
    into = shop.folder / "in"

    shop.run("import", source, "--into", into)
    shop.run("import", source, "--into", into, "--with-secrets")
    shown = shop.run("export", into / "mine.yaml", shop.folder / "out.json")
    kept = shop.run("export", into / "mine-2.yaml", shop.folder / "kept.json", "--with-secrets")
    dropped = shop.json("export", into / "mine-2.yaml", shop.folder / "dropped.json")

    assert (shown.exit_code, kept.exit_code) == (0, 0), shown.output
    assert "s3cret" not in (into / "mine.yaml").read_text("utf-8")
    without = {key: value for key, value in preset.items() if key != "proxy_password"}
    assert json.loads((shop.folder / "out.json").read_bytes()) == without
    assert is_exact(json.loads((shop.folder / "kept.json").read_bytes()), preset)
    assert json.loads((shop.folder / "dropped.json").read_bytes()) == without
    assert [report["code"] for report in dropped["reports"]] == ["sensitive_field"]
    assert (dropped["read_as"], dropped["format"], dropped["parts"]) == ("native_preset", "st_preset_chat", 1)


def test_a_card_goes_there_and_back_with_its_book(shop):
    into = shop.folder / "in"
    shop.run("import", shop.write("ana.json", CARD), "--into", into)

    assert sorted(path.name for path in into.iterdir()) == ["ana.json", "ana.yaml"]
    assert shop.json("inspect", into / "ana.yaml")["ledger"] == {"found": 2, "imported": 2, "merged": 0, "skipped": 0}
    shop.run("export", into / "ana.yaml", shop.folder / "out.json")
    assert is_exact(json.loads((shop.folder / "out.json").read_bytes()), CARD)


def test_an_edited_card_changes_where_it_was_edited_and_nowhere_else(shop):
    into = shop.folder / "in"
    shop.run("import", shop.write("ana.json", CARD), "--into", into)
    text = (into / "ana.yaml").read_text("utf-8")
    edited = (
        text.replace("Keeps the lamp.", "Sleeps.")
        .replace("It is lit.", "It is out.")
        .replace("depth: 4\n  role", "depth: 2\n  role")
    )
    (into / "ana.yaml").write_text(edited, "utf-8")

    shop.run("export", into / "ana.yaml", shop.folder / "out.json")

    wanted = json.loads(json.dumps(CARD).replace("Keeps the lamp.", "Sleeps.").replace("It is lit.", "It is out."))
    wanted["data"]["extensions"]["depth_prompt"]["depth"] = 2
    assert is_exact(json.loads((shop.folder / "out.json").read_bytes()), wanted)


BY_HAND = """\
lorewright: 1
kind: card
name: Ana
description: Keeps the lamp.
note: {text: Be brief., depth: 2, role: system}
book:
  name: Isles
  entries:
    - uid: lamp
      keys: [lamp]
      content: The lamp is a lie.
      gate: {flag: trusted}
"""


def test_a_card_written_by_hand_is_a_card_and_its_gates_go_along(shop):
    source, out = shop.folder / "ana.yaml", shop.folder / "ana.json"
    source.write_text(BY_HAND, "utf-8")
    shop.run("export", source, out, "--to", "card_v2")
    card, again = read_card(source).value, read_card(out).value

    assert card.book is not None
    assert again.book is not None
    assert (card.name, card.character.depth_prompt, card.book.name) == ("Ana", "Be brief.", "Isles")
    assert json.loads(out.read_bytes())["spec"] == "chara_card_v2"
    assert again.book.entries[0].gate == card.book.entries[0].gate
    assert again.book.entries[0].content == "The lamp is a lie."
    assert json.loads(out.read_bytes())["data"]["character_book"]["name"] == "Isles"


def test_a_gate_before_a_whole_book_is_not_lost_in_silence(shop):
    source, out = shop.folder / "ana.yaml", shop.folder / "ana.json"
    source.write_text(BY_HAND.replace("  name: Isles", "  name: Isles\n  gate: {flag: open}"), "utf-8")

    shop.run("export", source, out)

    gates = [book.gate for file in (source, out) if (book := read_card(file).value.book) is not None]
    assert len(gates) == 2
    assert gates[0] == gates[1]


def test_each_persona_gets_a_file_with_a_safe_name(shop):
    backup = {
        "personas": {"a.png": "Max", "b.png": "../../etc/x", "c.png": "Max"},
        "persona_descriptions": {"a.png": {"description": "Tall.", "position": 4, "depth": 1}},
        "default_persona": None,
    }
    source, into = shop.write("personas.json", backup), shop.folder / "in"

    shop.run("import", source, "--into", into)
    written = sorted(into.iterdir())
    back = shop.run("export", into / "personas-Max.yaml", shop.folder / "back.json")

    assert [path.name for path in written] == ["personas-Max-2.yaml", "personas-Max.yaml", "personas-etc_x.yaml"]
    assert [read_personas(path).value[0].picture for path in written] == ["c.png", "a.png", "b.png"]
    assert back.exit_code == 0
    assert json.loads((shop.folder / "back.json").read_bytes()) == {
        "personas": {"a.png": "Max"},
        "persona_descriptions": {"a.png": {"description": "Tall.", "position": 4, "depth": 1}},
        "default_persona": None,
    }


def test_what_cannot_be_written_so_is_said(shop):
    preset = shop.write("mine.json", {"prompts": [{"identifier": "main", "content": "x"}], "prompt_order": []})
    result = shop.run("export", preset, shop.folder / "x.json", "--to", "st_context")

    assert result.exit_code == 2
    assert "it can be written as `native_preset` or `st_preset_chat`, not as `st_context`" in result.stderr
    assert not (shop.folder / "x.json").exists()


def test_scripts_have_no_format_of_ours_and_stay_as_they_are(shop):
    script = shop.write("s.json", {"scriptName": "s", "findRegex": "/a/", "replaceString": ""})
    shop.run("import", script, "--into", shop.folder / "in")

    assert [path.name for path in (shop.folder / "in").iterdir()] == ["s.json"]


@pytest.mark.skipif(not REAL.is_dir(), reason=f"no real files at {REAL.parent}; set LOREWRIGHT_SHARED")
def test_the_real_files_are_here():
    assert (len(real(PRESETS)), len(real(CARDS))) == (32, 30)


@pytest.mark.parametrize("path", real(PRESETS), ids=name)
def test_a_real_preset_goes_there_and_back(shop, path):
    shop.run("import", path, "--into", shop.folder / "in")
    (written,) = (shop.folder / "in").iterdir()
    shop.run("export", written, shop.folder / "out.json")

    assert written.suffix == ".yaml"
    assert is_exact(
        parse_json((shop.folder / "out.json").read_text("utf-8"), Notes()),
        parse_json(path.read_text("utf-8-sig"), Notes()),
    )


@pytest.mark.parametrize("path", real(CARDS), ids=name)
def test_a_real_card_goes_there_and_back(shop, path):
    """The JSON of the card, which may stand in a picture or an archive; other programs' fields stand beside those of V1."""
    data = read_card(path).value.data
    shop.run("import", path, "--into", shop.folder / "in")
    (written,) = (
        (shop.folder / "in").glob("*.yaml") if path.suffix != ".yaml" else [min((shop.folder / "in").iterdir())]
    )
    shop.run("export", written, shop.folder / "out.json")

    wanted = as_card(data) if is_foreign_card(data) else dict(data)
    assert is_exact(parse_json((shop.folder / "out.json").read_text("utf-8"), Notes()), wanted)


def test_the_ending_says_whether_it_shall_be_ours(shop):
    preset = shop.write("mine.json", {"prompts": [{"identifier": "main", "content": "x"}], "prompt_order": []})
    (shop.folder / "ana.yaml").write_text(BY_HAND.replace("      gate: {flag: trusted}\n", ""), "utf-8")
    formats = []
    for source, target in [
        (preset, "a.yaml"),
        ("a.yaml", "b.json"),
        ("a.yaml", "c.yaml"),
        ("ana.yaml", "d.json"),
        ("ana.yaml", "e.yaml"),
        ("ana.yaml", "f.md"),
        ("d.json", "g.yaml"),
    ]:
        assert shop.run("convert", shop.folder / source, shop.folder / target).exit_code == 0
        formats.append(shop.json("inspect", shop.folder / target)["format"])

    assert formats == [
        "native_preset",
        "st_preset_chat",
        "native_preset",
        "card_v3",
        "native_card",
        "markdown_lorebook",
        "native_yaml",
    ]


def test_a_book_must_be_told_its_format(shop):
    book = shop.book({"key": ["a"], "content": "x"})
    result = shop.run("export", book, shop.folder / "out.json")

    assert result.exit_code == 2
    assert "Give either --to with a format" in result.stderr


def test_changes_are_exported_with_what_they_change(shop):
    value = {"prompts": [{"identifier": "main", "content": "x"}], "prompt_order": [], "temperature": 1}
    base, out = shop.write("base.json", value), shop.folder / "out.json"
    (shop.folder / "mine.yaml").write_text(
        "lorewright: 1\nkind: preset\nprompts: [{id: main, content: y}]\nextra: {temperature: 2}\n", "utf-8"
    )

    shop.run("export", base, out, "--overlay", shop.folder / "mine.yaml")
    wrong = shop.run("export", shop.book({"key": ["a"], "content": "x"}), out, "--overlay", shop.folder / "mine.yaml")

    assert json.loads(out.read_bytes()) == {
        "prompts": [{"identifier": "main", "content": "y"}],
        "prompt_order": [],
        "temperature": 2,
    }
    assert wrong.exit_code == 2
    assert "no preset, card or persona" in wrong.stderr
