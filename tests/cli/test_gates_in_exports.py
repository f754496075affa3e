"""A file that would tell what a gate keeps back is not written by accident."""

import json

import pytest

from lorewright.formats.native.edit import edit_native
from lorewright.formats.native.read import read_native_text
from lorewright.formats.native.write import native_value, write_native

BOOK = """\
lorewright: 1
name: Isles
entries:
  - uid: bell
    keys: [bell]
    content: The bell is hollow.
    gate: {reveal: {book: Isles, chapter: 3}}
"""


@pytest.mark.parametrize("command", ["export", "convert"])
def test_it_is_refused_and_named(shop, command):
    book, out = shop.write("isles.yaml", BOOK), shop.folder / "isles.lorebook"
    args = (command, book, out, "--to", "novelai_lorebook", "--force")

    refused = shop.run(*args)

    assert refused.exit_code == 2
    assert "Gates of bell" in refused.output
    assert "--without-gates" in refused.output
    assert not out.exists()

    done = shop.run(*args, "--without-gates", "--json")

    assert done.exit_code == 0
    assert [(loss["code"], loss["level"]) for loss in json.loads(done.stdout)["losses"]] == [("gate_lost", "error")]
    assert out.exists()


@pytest.mark.parametrize("to", ["st_worldinfo", "card_v3", "lorebook_v3", "native", "markdown_lorebook"])
@pytest.mark.parametrize("lines", ["    gates: {flag: x}", "    reveal: {book: Isles, chapter: 3}"])
@pytest.mark.parametrize("of_book", [False, True])
def test_a_misspelt_gate_stays_closed_in_other_formats_and_on_the_way_back(shop, to, lines, of_book):
    text = BOOK[: BOOK.index("    gate:")]
    text = text.replace("entries:", f"{lines.strip()}\nentries:") if of_book else f"{text}{lines}\n"
    book, out, back = shop.write("isles.yaml", text), shop.folder / "out.dat", shop.folder / "back.yaml"

    for args in ((book, out, "--to", to), (out, back, "--to", "native")):
        done = shop.run("convert", *args)
        assert done.exit_code == 0, done.output
    chat = shop.write("chat.json", json.dumps([{"role": "user", "content": "the bell"}]))
    for file in (out, back):
        done = shop.run("weave", file, "--chat", chat, "--json")
        assert (done.exit_code, json.loads(done.stdout)["activated"]) == (0, [])


@pytest.mark.parametrize("of_book", [False, True])
def test_a_misspelt_gate_is_refused_where_gates_have_no_place(shop, of_book):
    text = BOOK.replace("    gate:", "    gates:")
    if of_book:
        text = BOOK[: BOOK.index("    gate:")].replace("entries:", "gates: {flag: x}\nentries:")
    done = shop.run("convert", shop.write("isles.yaml", text), shop.folder / "x.lorebook", "--to", "novelai_lorebook")

    assert done.exit_code == 2
    assert "--without-gates" in done.output


@pytest.mark.parametrize("lines", ["    gates: {flag: x}  # not yet\n", "    flag: x\n    colour: red\n"])
def test_a_book_with_a_misspelt_gate_is_written_back_to_the_byte(lines):
    text = BOOK[: BOOK.index("    gate:")] + lines
    book = read_native_text(text).value

    assert edit_native(text, book) == text
    assert native_value(read_native_text(write_native(book, "json")).value) == native_value(book)
