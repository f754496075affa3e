"""inspect, import, export, convert and diff, as a person or a program uses them."""

import json
from typing import Any

import pytest

CARD: dict[str, Any] = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Ana", "first_mes": "Hi."}}


def test_inspect_prints_exactly_one_object(shop):
    path = shop.book({"key": ["a"], "content": "x"}, {"key": [], "content": "y"})

    found = shop.json("inspect", path)

    assert {"format", "confidence", "entries", "ledger", "reports"} <= set(found)
    assert (found["format"], found["entries"]) == ("st_worldinfo", 2)
    assert found["ledger"] == {"found": 2, "imported": 2, "merged": 0, "skipped": 0}
    assert [{**note, "reason": ""} for note in found["reports"]] == [
        {"code": "entry_never_activates", "place": "/entries/1/key", "reason": "", "level": "warning"}
    ]


def test_inspect_for_a_person(shop):
    result = shop.run("inspect", shop.write("ana.json", CARD))

    assert result.exit_code == 0
    assert "character card V2" in result.stdout
    assert "Character: Ana" in result.stdout


@pytest.mark.parametrize("content", [{"a": 1}, "nothing", b"\x1f\x8b..", [{"name": "A", "mes": "Hi."}]])
def test_what_is_not_understood_ends_with_2(shop, content):
    result = shop.run("inspect", shop.write("x.json", content), "--json")

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")


def test_import_writes_books_and_keeps_the_rest(shop):
    book = shop.book({"key": ["a"], "content": "x"})
    card = shop.write("ana.json", {**CARD, "data": {**CARD["data"], "character_book": {"entries": []}}})
    preset = shop.write("preset.json", {"prompts": [{"identifier": "main", "content": "x"}], "prompt_order": []})
    into = shop.folder / "books"

    result = shop.run("import", book, card, preset, "--into", into)

    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in into.iterdir()) == ["ana.json", "ana.yaml", "preset.yaml", "world.yaml"]
    assert (into / "ana.json").read_bytes() == (shop.folder / "ana.json").read_bytes()
    assert "3 of 3 files imported" in result.stdout
    assert shop.run("diff", book, into / "world.yaml").exit_code == 0


def test_equal_names_do_not_overwrite_each_other(shop):
    book = shop.book({"key": ["a"], "content": "x"})
    into = shop.folder / "books"

    shop.run("import", book, book, "--into", into)

    assert sorted(path.name for path in into.iterdir()) == ["world-2.yaml", "world.yaml"]


def test_one_bad_file_does_not_stop_the_others(shop):
    bad, good = shop.write("bad.json", {"a": 1}), shop.book({"key": ["a"], "content": "x"})

    result = shop.run("import", bad, good, "--into", shop.folder / "books", "--json")
    first, second = json.loads(result.stdout)

    assert result.exit_code == 2
    assert (first["file"], first["written"]) == (bad, [])
    assert "no known format" in first["problem"]
    assert second["ledger"]["imported"] == 1
    assert len(second["written"]) == 1


def test_no_name_is_cut_in_the_table(shop):
    name = f"{'long ' * 30}name.json"
    book = shop.book({"key": ["a"], "content": "x"}, name=name)

    lines = shop.run("import", book, "--into", shop.folder / "books").stdout.splitlines()

    assert lines[0].split() == ["found", "imported", "merged", "skipped", "reports", "file"]
    assert lines[1].split() == [*"11000", *f"{name}: a SillyTavern world info book".split()]


def test_a_folder_stands_for_its_files(shop):
    (shop.folder / "worlds" / "deeper").mkdir(parents=True)
    for name in ("worlds/b.json", "worlds/a.json", "worlds/.hidden.json", "worlds/deeper/c.json"):
        shop.book({"key": ["a"], "content": "x"}, name=name)
    into = shop.folder / "books"

    result = shop.run("import", shop.folder / "worlds", "--into", into)

    assert result.exit_code == 0
    assert sorted(path.name for path in into.iterdir()) == ["a.yaml", "b.yaml"]


def test_a_folder_without_files_is_an_error(shop):
    (shop.folder / "worlds").mkdir()

    result = shop.run("import", shop.folder / "worlds", "--into", shop.folder / "books")

    assert result.exit_code == 2
    assert "no files" in result.stderr
    assert not (shop.folder / "books").exists()


def test_inspect_names_near_formats_only_where_it_is_not_sure(shop):
    sure = shop.run("inspect", shop.write("ana.json", CARD)).stdout
    unsure = shop.run("inspect", shop.book({"key": ["a"], "content": "x"})).stdout

    assert "It is like these" not in sure
    assert "It is like these" in unsure
    assert "There is no lorebook in it." in sure


def test_export_names_every_lost_field_once(shop):
    many = [{"key": ["a"], "content": "x", "foreign": n, "foreigner": n, "other": n, "others": n} for n in range(120)]
    book = shop.book(*many)

    shown = shop.run("export", book, shop.folder / "out.md", "--to", "markdown_lorebook").stdout

    for field in ("foreign", "foreigner", "other", "others"):
        assert shown.count(f"`{field}` of 120 entries has no place in this format") == 1


def test_export_says_what_is_lost(shop):
    book = shop.book({"key": ["a"], "content": "x", "sticky": 3})
    out = shop.folder / "out.lorebook"

    found = shop.json("export", book, out, "--to", "novelai_lorebook")

    assert (found["read_as"], found["format"], found["entries"]) == ("st_worldinfo", "novelai_lorebook", 1)
    assert "sticky" in {loss["field"] for loss in found["losses"]}
    assert shop.json("inspect", out)["format"] == "novelai_lorebook"


def test_convert_goes_by_the_name_of_the_target(shop):
    book = shop.book({"key": ["a"], "content": "x", "comment": "A"})
    yaml, back, copy, text = (shop.folder / name for name in ("w.yaml", "back.json", "copy.json", "w.md"))

    shop.run("convert", book, yaml)
    shop.run("convert", yaml, back)
    shop.run("convert", book, copy)
    shop.run("convert", book, text)

    assert shop.json("inspect", yaml)["format"] == "native_yaml"
    assert (
        json.loads(back.read_text())["entries"]["0"]
        == json.loads((shop.folder / "world.json").read_text())["entries"]["0"]
    )
    assert copy.read_bytes() == (shop.folder / "world.json").read_bytes()
    assert shop.json("inspect", text)["format"] == "markdown_lorebook"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("out.xyz",), "--to"),
        (("out.json", "--to", "nonsense"), "no known format"),
        (("out.json", "--to", "risu"), "Did you mean `risu_lorebook`"),
        (("out.json", "--to", "st_wordlinfo"), "Did you mean `st_worldinfo`?"),
        (("nowhere/out.yaml",), "Make it first"),
        (("out.json", "--to", "charx"), "cannot be written"),
        (("world.json", "--to", "native_yaml"), "there already"),
    ],
)
def test_what_cannot_be_written_ends_with_2(shop, words, says):
    book = shop.book({"key": ["a"], "content": "x"})
    out, *rest = words

    result = shop.run("convert", book, shop.folder / out, *rest)

    assert result.exit_code == 2
    assert says in result.stderr


def test_diff_names_entries_and_fields(shop):
    before = shop.book({"key": ["a"], "content": "x"}, {"key": ["b"], "content": "y"}, name="a.json")
    after = shop.book({"key": ["a"], "content": "z"}, name="b.json")

    result = shop.run("diff", before, after)
    found = shop.json("diff", before, after)

    assert result.exit_code == 1
    assert "0 entries added, 1 removed, 1 changed" in result.stdout
    assert found["removed"] == [{"uid": 1, "title": ""}]
    assert found["changed"][0]["fields"] == [{"field": "content", "before": "x", "after": "z"}]


def test_native_is_known_wherever_a_format_is_wanted(shop):
    book = shop.book({"key": ["a"], "content": "x"})
    for name in ("a.yaml", "b.json", "c.txt"):
        assert shop.run("export", book, shop.folder / name, "--to", "native").exit_code == 0

    assert [shop.json("inspect", shop.folder / name)["format"] for name in ("a.yaml", "b.json", "c.txt")] == [
        "native_yaml",
        "native_json",
        "native_yaml",
    ]


def test_diff_of_a_book_with_itself(shop):
    book = shop.book({"key": ["a"], "content": "x"})

    assert shop.run("diff", book, book).exit_code == 0
    assert shop.json("diff", book, book) == {"added": [], "removed": [], "changed": [], "book": []}
