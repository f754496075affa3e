"""Whatever is given, a command ends with a sentence and exit code 2, never with a traceback."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lorewright.cli.files import about_file
from lorewright.cli.scene import split_source
from lorewright.errors import InputError
from lorewright.formats.read import read_book
from tests.cli.conftest import Workshop

ENTRY = {"key": ["dragon"], "content": "x"}

FILES = {
    "missing": None,
    "empty": b"",
    "blank": b" \n",
    "not json": b"hello there, this is text",
    "truncated": b'{"entries": {"0": {"uid": 0, "key": ["a"',
    "a number": b"17",
    "a list": b"[1, 2]",
    "another object": b'{"temperature": 0.7}',
    "entries of a wrong type": b'{"entries": 5}',
    "half a png": b"\x89PNG\r\n\x1a\n\x00\x00",
    "binary": bytes(range(256)),
    "a cut utf-16": b"\xff\xfe{",
    "deep": b"[" * 100_000,
    "not a number": b'{"entries": {"0": {"uid": 0, "order": NaN}}}',
}
MEANS = ("book", "--book", "--card", "check", "check two")


def words(shop, means, path):
    book, chat = shop.book(ENTRY, name="good.json"), shop.chat()
    return {
        "book": ["weave", path, "--chat", chat],
        "--book": ["explain", book, "--all", "--book", f"chat:{path}", "--chat", chat],
        "--card": ["weave", book, "--card", path, "--chat", chat],
        "check": ["check", path],
        "check two": ["check", book, path],
    }[means]


@pytest.mark.parametrize("means", MEANS)
@pytest.mark.parametrize("content", FILES.values(), ids=FILES.keys())
def test_files_that_are_no_books(shop, content, means):
    path = str(shop.folder / "bad.json") if content is None else shop.write("bad.json", content)
    result = shop.run(*words(shop, means, path))

    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert "bad.json" in result.stderr


@pytest.mark.parametrize("means", MEANS)
def test_a_folder_is_no_file(shop, means):
    result = shop.run(*words(shop, means, str(shop.folder)))

    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


NO_CHATS = ["missing", "empty", "not json", "a number", "half a png", "binary", "a cut utf-16", "deep"]


@pytest.mark.parametrize("name", NO_CHATS)
def test_files_that_are_no_chats(shop, name):
    content = FILES[name]
    path = str(shop.folder / "bad.jsonl") if content is None else shop.write("bad.jsonl", content)
    result = shop.run("weave", shop.book(ENTRY), "--chat", path)

    assert result.exit_code == 2, result.output
    assert "bad.jsonl" in result.stderr


def test_a_cut_chat_is_read_as_far_as_it_goes(shop):
    chat = shop.write("c.jsonl", '{"name": "Max", "is_user": true, "mes": "a dragon"}\n{"name": "Max", "mes": "the')
    answer = shop.json("weave", shop.book(ENTRY), "--chat", chat)

    assert [item["entry"] for item in answer["activated"]] == ["world.0"]
    assert [report["code"] for report in answer["reports"]] == ["chat_truncated"]


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xff\xfe"], ids=["utf-8", "utf-16"])
def test_byte_order_marks_are_fine(shop, mark):
    text = json.dumps({"entries": {"0": {"uid": 0, **ENTRY, "position": 0, "order": 1}}})
    book = shop.write("b.json", mark + (text.encode() if len(mark) == 3 else text.encode("utf-16-le")))

    assert len(shop.json("weave", book, "--chat", shop.chat())["activated"]) == 1


SETTINGS = {
    "missing": (None, "cannot be read"),
    "empty": (b"", "the file is empty"),
    "no object": (b"[]", "a JSON object ({...}) is wanted here"),
    "broken": (b"{", "This is not JSON"),
    "unknown name": (b'{"dept": 4}', "Setting `dept` is not known. Did you mean `depth`?"),
    "wrong value": (b'{"depth": "many", "budget": 101}', "Setting `depth` is the text 'many'"),
    "no text": (b"\xff\xfe{", "UTF-16"),
}


@pytest.mark.parametrize("command", ["weave", "check"])
@pytest.mark.parametrize(("content", "message"), SETTINGS.values(), ids=SETTINGS.keys())
def test_bad_settings(shop, content, message, command):
    path = str(shop.folder / "s.json") if content is None else shop.write("s.json", content)
    chat = ["--chat", shop.chat()] if command == "weave" else []
    result = shop.run(command, shop.book(ENTRY), *chat, "--settings", path)

    assert result.exit_code == 2
    assert message in result.stderr
    assert "s.json" in result.stderr


STATES = {
    "empty": b"",
    "no object": b"[]",
    "another object": b'{"entries": {}}',
    "effects that are no objects": b'{"sticky": []}',
    "a timer that is none": b'{"sticky": {"b.0": 5}}',
    "a timer without an end": b'{"cooldown": {"b.0": {"hash": "x", "start": 1}}}',
    "a timer of texts": b'{"cooldown": {"b.0": {"hash": "x", "start": "1", "end": "2"}}}',
    "a timer with odd protection": b'{"cooldown": {"b.0": {"hash": "x", "start": 1, "end": 2, "protected": 1}}}',
}


@pytest.mark.parametrize("command", [["weave"], ["explain", "--all"]], ids=["weave", "explain"])
@pytest.mark.parametrize("content", STATES.values(), ids=STATES.keys())
def test_bad_states(shop, content, command):
    path = shop.write("state.json", content)
    result = shop.run(command[0], shop.book(ENTRY), *command[1:], "--chat", shop.chat(), "--state", path)

    assert (result.exit_code, result.stdout) == (2, "")
    assert "state.json" in result.stderr
    assert (shop.folder / "state.json").read_bytes() == content


@pytest.mark.parametrize("where", ["a folder", "no/such/folder/state.json", "a\0b"])
def test_states_that_cannot_be_written(shop, where):
    (shop.folder / "a folder").mkdir()
    result = shop.run("weave", shop.book(ENTRY), "--chat", shop.chat(), "--state", shop.folder / where)

    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1


USAGE = {
    "no book": ["weave", "--chat", "CHAT"],
    "no chat": ["weave", "BOOK"],
    "unknown profile": ["weave", "BOOK", "--chat", "CHAT", "--profile", "x"],
    "unknown trigger": ["weave", "BOOK", "--chat", "CHAT", "--trigger", "x"],
    "unknown counter": ["weave", "BOOK", "--chat", "CHAT", "--counter", "x"],
    "no context": ["weave", "BOOK", "--chat", "CHAT", "--context-tokens", "0"],
    "unknown option": ["weave", "BOOK", "--chat", "CHAT", "--nonsense"],
    "unknown command": ["weev"],
    "persona file missing": ["weave", "BOOK", "--chat", "CHAT", "--persona", "@nowhere.txt"],
    "unknown source": ["weave", "--book", "glbal:world.json", "--chat", "CHAT"],
    "nothing to check": ["check"],
}


@pytest.mark.parametrize("given_words", USAGE.values(), ids=USAGE.keys())
def test_usage(shop, given_words):
    paths = {"BOOK": shop.book(ENTRY), "CHAT": shop.chat()}
    result = shop.run(*(paths.get(word, word) for word in given_words))

    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Error: " in result.stderr


@pytest.mark.parametrize("option", ["--profile", "--engine", "--counter", "--trigger"])
def test_wrong_choices_are_told_without_words_of_the_parser(shop, option):
    result = shop.run("weave", shop.book(ENTRY), "--chat", shop.chat(), option, "x")

    assert f"Error: Invalid value for '{option}': 'x' is not one of " in result.stderr


BOOKS_WANTED = "a lorebook or a character card; `lorewright inspect FILE` says what a file is"
CARDS_WANTED = "a character card"
CHATS_WANTED = "a SillyTavern chat (.jsonl), a JSON list of messages, or a request body"
WRONG_FILES = {
    "a chat": (b'[{"name": "Max", "mes": "a"}]', "This is a list of messages with names (`name`, `mes`)."),
    "settings": (b'{"power_user": {}}', "This is a SillyTavern settings file, which this version does not read."),
    "no known names": (
        b'{"temperature": 1}',
        "This JSON is of no known format. The names at its top are: `temperature`.",
    ),
    "no names": (b"[3]", "This JSON is a list without a name by which its format could be known."),
    "text": (b"hey", "This is neither JSON nor a PNG picture; it begins with 'hey'."),
}


@pytest.mark.parametrize("means", MEANS)
@pytest.mark.parametrize(("content", "sentence"), WRONG_FILES.values(), ids=WRONG_FILES.keys())
def test_a_wrong_file_is_told_what_is_wanted_in_its_place(shop, content, sentence, means):
    message = shop.run(*words(shop, means, shop.write("bad.json", content))).stderr

    assert f"bad.json: {sentence}" in message
    assert message.endswith(f" Wanted here: {CARDS_WANTED if means == '--card' else BOOKS_WANTED}.\n")
    assert message.count(";") <= 3


def test_a_wrong_chat_is_told_what_is_wanted_in_its_place(shop):
    book = shop.book(ENTRY)
    message = shop.run("weave", book, "--chat", book).stderr

    assert message == f"Error: {book}: This is a SillyTavern world info book. Wanted here: {CHATS_WANTED}.\n"


def test_the_error_keeps_its_data():
    with pytest.raises(InputError) as caught, about_file("x.json", "book"):
        read_book(b'{"temperature": 1}')

    assert isinstance(caught.value.facts["nearest"], tuple)
    assert caught.value.facts["path"] == "x.json"


@pytest.mark.parametrize(
    ("named", "source", "path"),
    [
        ("a.json", "global", "a.json"),
        ("global:a.json", "global", "a.json"),
        ("character:a:b.json", "character", "a:b.json"),
        ("chat:C:\\books\\a.json", "chat", "C:\\books\\a.json"),
        ("C:\\books\\a.json", "global", "C:\\books\\a.json"),
        ("c:/a.json", "global", "c:/a.json"),
        ("./x:y.json", "global", "./x:y.json"),
        ("persona:", "persona", ""),
    ],
)
def test_sources_of_books(named, source, path):
    assert split_source(named) == (source, path)


def test_a_file_with_a_colon_in_its_name_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my:book.json").write_text("{}")

    assert split_source("my:book.json") == ("global", "my:book.json")
    with pytest.raises(InputError, match="there is no source `your`"):
        split_source("your:book.json")


# -- junk

HEADS = [
    b"",
    b"\x89PNG\r\n\x1a\n",
    b'{"entries":',
    b'{"entries":[{"uid":1,"key":',
    b"\xef\xbb\xbf{",
    b"\xff\xfe",
    b"PK\x03\x04",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FIELDS = (
    "uid key keysecondary comment content constant order position depth role outletName disable group sticky "
    "probability useProbability selective selectiveLogic scanDepth triggers characterFilter delayUntilRecursion"
)
ENTRIES = st.dictionaries(st.sampled_from(FIELDS.split()), JSON | st.just(["dragon"]) | st.just("/(a|b"), max_size=8)
BOOKS = st.lists(ENTRIES | JSON, max_size=4).map(lambda entries: json.dumps({"entries": entries}).encode())
MESSAGES = st.dictionaries(st.sampled_from("name mes is_user is_system role content".split()), JSON | st.just("user"))
CHATS = st.lists(MESSAGES | JSON, max_size=4).map(lambda messages: json.dumps(messages).encode())
JUNK = st.builds(bytes.__add__, st.sampled_from(HEADS), st.binary(max_size=200))


@given(book=JUNK | BOOKS, chat=JUNK | CHATS, profile=st.sampled_from(["native", "sillytavern"]))
@example(
    book=b'{"entries": [{"uid": "\\ud800", "key": ["dragon"], "content": "\\ud800"}]}', chat=b"[]", profile="native"
)
def test_junk_never_gives_a_traceback(book, chat, profile):
    with tempfile.TemporaryDirectory() as folder:
        shop = Workshop(Path(folder))
        book_path, chat_path = shop.write("b.json", book), shop.write("c.json", chat)
        good_book, good_chat = shop.book({**ENTRY, "content": "\ud800"}, name="good.json"), shop.chat()
        for words_given in (
            ["weave", book_path, "--chat", good_chat, "--profile", profile],
            ["weave", book_path, "--chat", good_chat, "--profile", profile, "--json"],
            ["explain", book_path, "--all", "--chat", chat_path, "--profile", profile],
            ["explain", good_book, "--all", "--chat", chat_path, "--json"],
            ["check", book_path, "--profile", profile],
        ):
            result = shop.run(*words_given)
            assert result.exit_code in ({0, 1, 2} if words_given[0] == "check" else {0, 2})
            if "--json" in words_given and result.exit_code == 0:
                json.loads(result.stdout_bytes.decode("utf-8"))


@pytest.mark.parametrize("named", ["", "character:"])
def test_a_book_without_a_path(shop, named):
    result = shop.run("weave", "--book", named, "--chat", shop.chat())

    assert result.exit_code == 2
    assert "names no book" in result.stderr


def test_a_state_without_a_path(shop):
    result = shop.run("weave", shop.book(ENTRY), "--chat", shop.chat(), "--state", "")

    assert result.exit_code == 2
    assert "name of the state file is empty" in result.stderr


def test_a_state_that_is_a_loop_of_links_is_left_alone(shop):
    link = shop.folder / "state.json"
    link.symlink_to(link)
    result = shop.run("weave", shop.book(ENTRY), "--chat", shop.chat(), "--state", link)

    assert (result.exit_code, result.stdout) == (2, "")
    assert link.is_symlink()


def test_a_flood_of_wrong_settings_is_told_in_short(shop):
    settings = shop.write("s.json", {"x" * 10_000: 1, **{f"x{number}": 1 for number in range(1_000)}})
    result = shop.run("weave", shop.book(ENTRY), "--chat", shop.chat(), "--settings", settings)

    assert result.exit_code == 2
    assert "991 more like these" in result.stderr
    assert len(result.stderr) < 2_000


@pytest.mark.parametrize("mark", ["\x1b", "\x9b", "\u061c", "\u200e", "\u200f", "\u2028", "\u202e", "\u2066"])
def test_no_mark_of_a_book_reaches_the_terminal(shop, mark):
    book = shop.book({"key": [f"dra{mark}gon", "dragon"], "comment": f"a{mark}b", "content": f"a{mark}b"})
    chat = shop.chat([{"name": f"M{mark}x", "mes": f"dra{mark}gon dragon"}])
    for words in (["weave"], ["explain", "--all"], ["weave", "--json"], ["explain", "--all", "--json"]):
        result = shop.run(words[0], book, *words[1:], "--chat", chat)

        assert result.exit_code == 0
        assert mark not in result.stdout + result.stderr
