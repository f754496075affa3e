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

    assert codes == ["trust_outdated", "book_not_trusted"]


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

    assert weave(shop, book, "--overlay", overlay)[1] == ["trust_outdated", "book_not_trusted"]


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


CODE_LINES = ["@@if getvar('hp') < 10", "@@preprocessing", "@@generate_before", "@@generate_after", "@@render_after"]


@pytest.mark.parametrize("line", [*CODE_LINES, "@@initial_variables", "@@depth 2\n@@if false"])
def test_lines_that_only_code_gives_a_meaning_are_refused_too(shop, line):
    book = shop.book({**PLAIN, "content": f"{line}\nThe hero is dying."}, {"constant": True, "content": "x"})

    found = shop.json("weave", book, "--chat", shop.chat(), "--var", "hp=50")

    assert [entry["text"] for entry in found["activated"]] == ["x"]
    assert [(one["code"], one["level"], one["entry"]) for one in found["reports"]] == [
        ("book_not_trusted", "error", "world.0")
    ]
    assert line.split("\n")[-1] in found["reports"][0]["message"]


@pytest.mark.parametrize("title", ["[GENERATE:BEFORE] a", "[InitialVariables]", "@INJECT pos=1", "[Preprocessing] a"])
def test_titles_that_only_code_gives_a_meaning_are_refused_too(shop, title):
    texts, codes = weave(shop, shop.book({**PLAIN, "comment": title}))

    assert (texts, codes) == ({}, ["book_not_trusted"])


def test_such_an_entry_that_no_key_lets_in_is_not_spoken_of(shop):
    book = shop.book({"key": ["unheard"], "content": "@@if true\nThe hero is dying."})

    assert weave(shop, book) == ({}, [])


def test_a_condition_that_cannot_be_asked_is_reported_in_trusted_books_too(shop):
    book = shop.book({**PLAIN, "content": "@@if nobody.here\nThe hero is dying."})

    assert weave(shop, book, "--trust", "world") == ({}, ["failed"])


def test_sillytavern_by_itself_lets_such_an_entry_in_and_it_is_said(shop):
    book = shop.book({**PLAIN, "content": "@@if false\nThe hero is dying."})

    texts, codes = weave(shop, book, "--profile", "sillytavern")

    assert (texts, codes) == ({"plain": "The hero is dying."}, ["code_without_effect"])


@pytest.mark.parametrize(
    ("profile", "codes"), [("native", ["code_needs_trust"]), ("sillytavern", ["code_without_effect"])]
)
def test_check_says_one_true_sentence(shop, profile, codes):
    entry = {"keys": [], "constant": True, "content": "@@if false\nx", "enabled": True, "insertion_order": 1}
    data = {"name": "Ana", "character_book": {"entries": [{**entry, "extensions": {"position": 0}}], "extensions": {}}}
    card = shop.write("ana.json", {"spec": "chara_card_v3", "spec_version": "3.0", "data": data})

    for book in (card, shop.book({**PLAIN, "content": "@@if false\nx"})):
        found = [one for one in shop.json("check", book, "--profile", profile) if "@@if" in one["message"]]
        assert [one["code"] for one in found] == codes


def test_check_names_an_unknown_decorator_of_a_card_once(shop):
    entry = {"keys": [], "constant": True, "content": "@@depht 2\nx", "enabled": True, "insertion_order": 1}
    data = {"name": "Ana", "character_book": {"entries": [entry], "extensions": {}}}
    card = shop.write("ana.json", {"spec": "chara_card_v3", "spec_version": "3.0", "data": data})

    assert [one["code"] for one in shop.json("check", card)].count("decorator_unknown") == 1


def test_what_was_trusted_and_has_changed_is_said_with_what_to_do(shop):
    book = shop.book(CODE)
    shop.json("trust", book)
    shop.book(CODE, PLAIN)

    (report, _) = shop.json("weave", book, "--chat", shop.chat())["reports"]

    assert "was trusted, and has changed since" in report["message"]
    assert f"lorewright trust {book}" in report["message"]
    shop.json("trust", book)
    assert weave(shop, book)[1] == []


def test_a_card_that_was_trusted_and_has_changed_is_named_too(shop):
    def card(text):
        entry = {"keys": [], "constant": True, "content": text, "enabled": True, "insertion_order": 1}
        data = {"name": "Ana", "character_book": {"entries": [entry], "extensions": {}}}
        return shop.write("ana.json", {"spec": "chara_card_v2", "spec_version": "2.0", "data": data})

    shop.json("trust", card("<%= 1 %>"))
    found = shop.json("weave", "--card", card("<%= 2 %>"), "--chat", shop.chat())

    assert {"trust_outdated", "book_not_trusted"} <= {one["code"] for one in found["reports"]}


def test_without_the_engine_trust_says_that_nothing_runs(shop, monkeypatch):
    monkeypatch.setattr("lorewright.templates.ejs.process.engine_path", lambda: None)

    assert "lorewright[ejs]" in shop.run("trust", shop.book(CODE)).stdout
    assert "lorewright[ejs]" not in shop.run("trust", shop.book(PLAIN)).stdout
    assert shop.json("trust", shop.book(CODE))["engine"] is False


def test_with_the_engine_it_does_not(shop):
    assert "lorewright[ejs]" not in shop.run("trust", shop.book(CODE)).stdout
