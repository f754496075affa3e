"""export --into: an edited book into its card, as a person does it."""

import json

import pytest

from lorewright.formats.read import read_book
from tests.formats.edited_cards import CARD, changed_paths
from tests.formats.test_exif_card import tiff, webp


def imported(shop, card):
    shop.run("import", card, "--into", shop.folder / "lore")
    return shop.folder / "lore" / "ada.yaml"


def edit(path, old, new):
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_a_book_goes_back_into_a_copy_of_its_card(shop):
    card = shop.write("ada.json", CARD)
    book = imported(shop, card)
    edit(book, "Geese bite.", "Geese sing.")

    result = shop.run("export", book, "--into", card, shop.folder / "new.json")

    assert result.exit_code == 0, result.output
    assert "~ 1\n" in result.stdout
    assert 'content: "Geese bite." -> "Geese sing."' in result.stdout
    assert "0 entries added, 0 removed, 1 changed" in result.stdout
    assert json.loads((shop.folder / "ada.json").read_text()) == CARD
    assert list(changed_paths(CARD, json.loads((shop.folder / "new.json").read_text()))) == [
        "data.character_book.entries.2.content"
    ]


def test_for_a_program(shop):
    card = shop.write("ada.json", CARD)
    book = imported(shop, card)
    edit(book, "Geese bite.", "Geese sing.")

    done = shop.json("export", book, "--into", card, shop.folder / "new.json")

    assert (done["read_as"], done["format"], done["losses"]) == ("native_card", "card_v2", [])
    assert done["changes"]["changed"] == [
        {"uid": 1, "title": "", "fields": [{"field": "content", "before": "Geese bite.", "after": "Geese sing."}]}
    ]


def test_the_card_itself_is_changed_only_with_force(shop):
    card = shop.write("ada.json", CARD)
    book = imported(shop, card)
    edit(book, "Geese bite.", "Geese sing.")

    for words in ([], [card]):
        refused = shop.run("export", book, "--into", card, *words)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert "--force" in refused.stderr
        assert json.loads((shop.folder / "ada.json").read_text()) == CARD

    assert shop.run("export", book, "--into", card, "--force").exit_code == 0
    assert [entry.content for entry in read_book(card).value.entries] == ["Geese sing.", "The gate is iron."]


def test_world_info_goes_in_too(shop):
    card = shop.write("ada.json", CARD)
    world = shop.folder / "world.json"
    shop.run("export", card, "--to", "st_worldinfo", world)
    edit(world, "Geese bite.", "Geese sing.")

    done = shop.json("export", world, "--into", card, shop.folder / "new.json")

    assert [one["uid"] for one in done["changes"]["changed"]] == [1]
    assert done["changes"]["added"] == done["changes"]["removed"] == []


@pytest.mark.parametrize(
    "words", [[], ["out.json"], ["out.json", "--to", "native_yaml", "--into", "x.json"], ["--to", "native_yaml"]]
)
def test_what_is_missing_is_told(shop, words):
    result = shop.run("export", shop.book({"content": "x"}), *words)

    assert (result.exit_code, result.stdout) == (2, "")
    assert "Give either --to" in result.stderr or "(OUT)" in result.stderr


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.webp", webp(tiff(json.dumps(CARD).encode())), "as JSON or as a PNG"),
        ("a.json", {"entries": {}}, "a character card"),
        ("a.txt", "nothing", "a.txt"),
    ],
)
def test_what_is_no_card_that_is_written(shop, name, content, words):
    result = shop.run("export", shop.book({"content": "x"}), shop.folder / "o", "--into", shop.write(name, content))

    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr
    assert name in result.stderr
    assert not (shop.folder / "o").exists()
