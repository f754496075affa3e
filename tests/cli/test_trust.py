"""`trust`: code runs once somebody said so, and until the book is edited."""

import json
from pathlib import Path

import pytest

CODE = {"constant": True, "comment": "purse", "content": "Mina has <%= getvar('gold', {defaults: 3}) %> coins."}
REFUSED = {
    "constant": True,
    "comment": "bad",
    "content": "@@if await matchChatMessages('x') || true\n<%= execute('/quit') %>",
}
PLAIN = {"constant": True, "comment": "plain", "content": "A cat."}


@pytest.fixture(autouse=True)
def _data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("LOREWRIGHT_DATA_DIR", str(tmp_path / "data"))


def weave(shop, book, *options):
    found = shop.json("weave", book, "--chat", shop.chat(), *options)
    return {entry["title"]: entry["text"] for entry in found["activated"]}, [one["code"] for one in found["reports"]]


def test_until_then_code_is_refused(shop):
    texts, codes = weave(shop, shop.book(CODE, PLAIN))

    assert texts == {"plain": "A cat."}
    assert codes == ["book_not_trusted"]


def test_then_it_runs(shop):
    book = shop.book(CODE, REFUSED, PLAIN)

    found = shop.json("trust", book)

    assert found["book"] == "world"
    assert found["entries"] == 3
    assert found["code"] == [
        {"entry": "world.0", "title": "purse", "calls": ["getvar"]},
        {"entry": "world.1", "title": "bad", "calls": ["execute", "matchChatMessages"]},
    ]
    assert weave(shop, book, "--var", "gold=7") == (
        {"purse": "Mina has 7 coins.", "plain": "A cat."},
        ["unsupported_helper"],
    )


@pytest.mark.parametrize(
    "edited",
    [
        [{**CODE, "content": f"{CODE['content']} "}, PLAIN],
        [CODE, {**PLAIN, "comment": "other"}],
        [CODE],
        [CODE, PLAIN, PLAIN],
        [PLAIN, CODE],
    ],
)
def test_an_edit_withdraws_it(shop, edited):
    shop.json("trust", shop.book(CODE, PLAIN))

    _, codes = weave(shop, shop.book(*edited))

    assert codes == ["book_not_trusted"]


def test_the_same_book_in_another_place_is_trusted(shop):
    shop.json("trust", shop.book(CODE))

    texts, _ = weave(shop, shop.book(CODE, name="copy.json"))

    assert texts == {"purse": "Mina has 3 coins."}


def test_a_book_of_the_same_name_that_is_not_trusted_spoils_it(shop):
    book = shop.book(CODE)
    shop.json("trust", book)
    (shop.folder / "other").mkdir()
    other = shop.book(CODE | {"content": "<%= 'evil' %>"}, name="other/world.json")

    texts, codes = weave(shop, book, "--book", f"chat:{other}")

    assert texts == {}
    assert "book_not_trusted" in codes


def test_trusting_an_edited_file_again_forgets_what_it_was(shop):
    first = shop.json("trust", shop.book(CODE))
    second = shop.json("trust", shop.book(CODE, PLAIN))

    assert second["replaced"] == [first["digest"]]
    assert [one["digest"] for one in shop.json("trust", "--list")["books"]] == [second["digest"]]


@pytest.mark.parametrize("how", ["file", "name"])
def test_it_can_be_taken_back(shop, how):
    book = shop.book(CODE)
    shop.json("trust", book)

    assert shop.json("trust", book if how == "file" else "world", "--withdraw") == {"withdrawn": ["world"]}
    assert shop.json("trust", "--list") == {"books": []}
    assert weave(shop, book)[1] == ["book_not_trusted"]


def test_for_one_run(shop):
    book = shop.book(CODE)

    assert weave(shop, book, "--trust", "world")[0] == {"purse": "Mina has 3 coins."}
    assert weave(shop, book)[0] == {}


def test_what_an_overlay_changes_is_not_trusted(shop):
    book = shop.book(CODE)
    shop.json("trust", book)
    (shop.folder / "changes").mkdir()
    overlay = shop.book({"constant": True, "content": "<%= 'evil' %>"}, name="changes/world.json")

    assert weave(shop, book, "--overlay", overlay)[1] == ["book_not_trusted"]


def test_a_list_that_cannot_be_read_is_said(shop, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "trusted-books.json").write_text('{"books": []}', "utf-8")

    done = shop.run("weave", shop.book(CODE), "--chat", shop.chat())

    assert done.exit_code == 2
    assert "no list of trusted books" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["trust"], "No book is named"),
        (["trust", "nothing.json"], "There is no file"),
        (["trust", "nothing.json", "--withdraw"], "no trusted book has this file or name"),
    ],
)
def test_what_cannot_be_done(shop, arguments, said):
    done = shop.run(*arguments)

    assert done.exit_code == 2
    assert said in done.stderr


def test_the_list_is_no_secret_and_holds_no_texts(shop, tmp_path):
    shop.json("trust", shop.book(CODE))

    kept = json.loads((tmp_path / "data" / "trusted-books.json").read_text("utf-8"))
    assert [set(one) for one in kept["books"].values()] == [{"name", "file"}]
    assert "coins" not in json.dumps(kept)
    assert Path(next(iter(kept["books"].values()))["file"]).name == "world.json"


def test_for_people(shop):
    book = shop.book(CODE, REFUSED, PLAIN)

    said = shop.run("trust", book).stdout
    assert "Trusted: world. Code is in 2 of 3 entries." in said
    assert "world.0 purse calls getvar" in said
    assert "world" in shop.run("trust", "--list").stdout
    assert "Not trusted any more: world." in shop.run("trust", book, "--withdraw").stdout
    assert "No book is trusted." in shop.run("trust", "--list").stdout
