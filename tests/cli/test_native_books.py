"""`new`, `format` and `migrate`: what they write, what they say, and what they refuse."""

import json
from pathlib import Path

from lorewright.formats.native.read import read_native_text

MESSY = "# top\nentries:\n- content: x\n  uid: 1 # one\nname: b\nlorewright: 1\n"


def test_new_writes_a_book_without_a_finding(shop):
    path = shop.folder / "isles.yaml"

    assert shop.run("new", path, "--name", "no: 1 #").exit_code == 0
    read = read_native_text(path.read_text("utf-8"))
    assert (read.value.name, read.found, read.reports) == ("no: 1 #", 1, ())
    assert shop.run("check", path).exit_code == 0
    assert shop.run("format", "--check", path).exit_code == 0


def test_new_as_json(shop):
    path = shop.folder / "isles.json"
    shop.run("new", path)

    assert json.loads(path.read_text("utf-8"))["name"] == "isles"


def test_new_as_markdown(shop):
    path = shop.folder / "isles.md"
    shop.run("new", path, "--name", "The Isles")

    assert path.read_text("utf-8").startswith("# The Isles\n\n## An example\n")
    assert shop.json("inspect", path)["format"] == "markdown_lorebook"
    assert shop.run("check", path).exit_code == 0


def test_other_endings_are_refused(shop):
    book = shop.book({"key": ["a"]})
    for words in (["new", "isles.txt"], ["new", "isles"], ["migrate", book, "isles.md"]):
        result = shop.run(*words[:-1], shop.folder / words[-1])
        assert result.exit_code == 2
        assert "ends in .yaml" in result.stderr
        assert not (shop.folder / words[-1]).exists()


def test_nothing_is_overwritten_without_force(shop):
    path = shop.write("a.yaml", "mine")
    for words in (["new", path], ["migrate", shop.book({"key": ["a"]}), path]):
        result = shop.run(*words)
        assert result.exit_code == 2
        assert "is there already" in result.stderr
        assert Path(path).read_text("utf-8") == "mine"
    assert shop.run("new", path, "--force").exit_code == 0


def test_format_checks_then_changes_then_leaves_alone(shop):
    path = shop.write("b.yaml", MESSY)

    assert shop.run("format", "--check", path).exit_code == 1
    assert Path(path).read_text("utf-8") == MESSY
    assert shop.run("format", path).stdout == f"{path}: changed\n"
    assert Path(path).read_text("utf-8") == (
        "# top\nlorewright: 1\nname: b\n\nentries:\n  - uid: 1  # one\n    content: x\n"
    ).replace("# top\nlorewright: 1\nname: b\n\nentries", "lorewright: 1\nname: b\n\n# top\nentries")
    assert shop.run("format", path).stdout == f"{path}: unchanged\n"


def test_format_refuses_other_books(shop):
    for path in (shop.book({"key": ["a"]}), shop.write("x.md", "## a\n- keys: b\n")):
        result = shop.run("format", path)
        assert result.exit_code == 2
        assert path in result.stderr


def test_migrate_says_what_became_of_everything(shop):
    source = shop.book({"key": ["a", 1], "vectorized": True}, {"key": ["b"]})
    target = shop.folder / "out.yaml"
    answer = shop.json("migrate", source, "--to", "native", target)

    assert answer["format"] == "st_worldinfo"
    assert answer["ledger"] == {"found": 2, "kept": 2, "refused": 0}
    assert [report["code"] for report in answer["reports"]] == ["key_not_text", "kept_in_extra", "kept_in_extra"]
    assert read_native_text(target.read_text("utf-8")).value.entries[0].keys == ("a", "1")
    shown = shop.run("migrate", source, target, "--force").stdout
    assert "2 entries found, 2 kept, 0 refused" in shown
    assert "kept under `extra`" in shown


def test_a_migrated_book_weaves_like_its_source(shop):
    source = shop.book({"key": ["dragon"], "content": "Fire."})
    target = shop.folder / "world.json"
    other = shop.folder / "world.yaml"
    shop.run("migrate", source, other)

    before = shop.json("weave", source, "--chat", shop.chat())
    after = shop.json("weave", other, "--chat", shop.chat())
    assert before == after
    assert str(target) == source


def test_a_short_book_by_hand_has_no_finding_for_native_only(shop):
    """The defaults of our own formats are meant; SillyTavern's rules would place such an entry nowhere."""
    yaml = shop.write("isles.yaml", "lorewright: 1\nentries:\n  - uid: 1\n    keys: [mill]\n    content: Quiet.\n")
    text = shop.write("isles.md", "# Isles\n\n## Mill\n- keywords: mill\n\nQuiet.\n")

    for path in (yaml, text):
        assert shop.run("check", path).exit_code == 0
        found = shop.json("check", path, "--profile", "sillytavern")
        assert "absent_position" in json.dumps(found)
