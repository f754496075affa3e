"""From paths and bytes: names, origins, files that cannot be opened, and the speed of a large book."""

import json
import os
import tracemalloc
from typing import Any

import pytest

from lorewright.errors import FormatError
from lorewright.formats.imported import Imported
from lorewright.formats.read import read_book, read_card, read_chat
from tests.formats.pictures import card, encoded, picture, text

WORLD = {"name": "Inside", "entries": {"0": {"uid": 0, "key": ["a"]}}}
CARD = card("Aria", character_book={"name": "Lore", "entries": [{"id": 0, "keys": ["k"], "enabled": True}]})


def write(folder, name, value):
    path = folder / name
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return path


def test_a_world_info_book_is_called_after_its_file(tmp_path):
    path = write(tmp_path, "My World.json", WORLD)

    assert read_book(path).value.name == "My World"
    assert read_book(str(path)).value.name == "My World"
    assert read_book(path, name="Other").value.name == "Other"
    assert read_book(path.read_bytes()).value.name == "Inside"
    assert read_book(b'{"entries": {}}').value.name == "book"
    assert read_book(path).value.origin == "st_worldinfo: My World.json"
    assert read_book(path).format == "st_worldinfo"


def test_the_book_of_a_card(tmp_path):
    path = write(tmp_path, "aria.json", CARD)

    read = read_book(path)

    assert (read.value.name, read.value.entries[0].keys) == ("Lore", ("k",))
    assert (read.found, read.kept, read.format) == (1, 1, "card_v2")
    assert read_book(path, name="Mine").value.name == "Mine"


def test_reports_go_by_the_name_the_book_is_given():
    data = json.dumps(card("A", character_book={"name": "Lore", "entries": [5]})).encode()

    assert [report.book for report in read_book(data, name="Mine").reports] == ["Mine"]
    assert [report.book for report in read_book(b'{"a": 1, "a": 2, "entries": {}}', name="Mine").reports] == ["Mine"]


def test_a_card_without_a_book_gives_an_empty_one(tmp_path):
    path = write(tmp_path, "aria.json", card("Aria"))

    read = read_book(path)

    assert (read.value.name, read.value.entries) == ("aria", ())
    assert [report.code for report in read.reports] == ["card_without_book"]


def test_a_card_in_a_picture_takes_the_picture_as_its_avatar(tmp_path):
    path = write(tmp_path, "aria_2.png", picture(text("chara", encoded(CARD))))

    read = read_card(path)

    assert read.format == "card_v2_png"
    assert read.value.character.avatar == "aria_2.png"
    assert read_book(path).value.origin == "card_v2_png: aria_2.png"
    assert read_card(encoded(CARD) and json.dumps(CARD).encode()).value.character.avatar == "Aria.png"


CHATS = [
    ('{"user_name": "Max", "character_name": "A"}\n{"name": "Max", "is_user": true, "mes": "Hi"}\n', "st_chat"),
    ('[{"name": "Max", "mes": "Hi"}]', "named_messages"),
    ('{"name": "Max", "mes": "Hi"}', "st_chat"),
    ('[{"role": "user", "content": "Hi"}]', "role_messages"),
    ('{"model": "m", "messages": [{"role": "user", "content": "Hi"}]}', "chat_request"),
]


@pytest.mark.parametrize(("source", "kind"), CHATS)
def test_chats(source, kind):
    read = read_chat(source.encode(), user="Max")

    assert read.format == kind
    assert [(message.name, message.text, message.role) for message in read.value.messages] == [("Max", "Hi", "user")]


def test_a_chat_with_a_cut_last_line_is_still_a_chat():
    read = read_chat(b'{"user_name": "Max"}\n{"name": "Max", "mes": "Hi"}\n{"name": "Ar')

    assert (read.found, read.kept, read.refused) == (2, 1, 1)
    assert [report.code for report in read.reports] == ["chat_truncated"]


def test_a_chat_in_a_guessed_encoding_says_so():
    read = read_chat('{"user_name": "René"}\n{"name": "René", "mes": "Ça va"}'.encode("cp1252"))

    assert read.value.messages[0].text == "Ça va"
    assert [report.code for report in read.reports] == ["encoding_guessed"]


@pytest.mark.parametrize(
    ("reader", "data", "what"),
    [
        (read_book, b'[{"role": "user", "content": "x"}]', "a book is wanted"),
        (read_card, b'{"entries": {}}', "a card is wanted"),
        (read_chat, b'{"entries": {}}', "a chat is wanted"),
    ],
)
def test_the_wrong_kind_of_file(reader, data, what):
    with pytest.raises(FormatError, match=what):
        reader(data)


def test_paths_that_cannot_be_read(tmp_path):
    secret = write(tmp_path, "secret.json", WORLD)
    secret.chmod(0)
    sources = [tmp_path / "missing.json", tmp_path, secret / "below", "a\0b", "", "x" * 5000, "\ud800"]
    if os.geteuid():
        sources.append(secret)
    for source in sources:
        with pytest.raises(FormatError) as caught:
            read_book(source)
        assert caught.value.message.endswith(".")
        caught.value.message.encode()


def test_other_sources_are_refused():
    sources: list[Any] = [None, 5, ["x"]]
    for source in sources:
        with pytest.raises(FormatError, match="path or bytes"):
            read_book(source)


def test_a_large_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(10**12)

    with pytest.raises(FormatError, match="the limit is 64 MiB"):
        read_book(path)


def test_the_ledger_must_balance():
    with pytest.raises(AssertionError, match="3 found, 1 kept, 0 merged, 1 refused"):
        Imported(None, 3, 1, 1)


def large_book():
    """As `bench/book-10000.json` of the shared corpus: a list of entries with few fields."""
    entries = [
        {"uid": i, "key": [f"w{i}", f"w{i} under", f"/\\bw{i}(s|ed)?\\b/i"], "content": f"w{i} " * 40, "order": i % 500}
        for i in range(10_000)
    ]
    return json.dumps({"name": "bench", "entries": entries}).encode()


def test_ten_thousand_entries_are_kept_small():
    data = large_book()
    tracemalloc.start()
    book = read_book(data).value
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(book.entries) == 10_000
    assert held < 4 * len(data), "the texts, 50 fields an entry, and no copy of the JSON"
