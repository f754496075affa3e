"""`explain`: the shape of its answer, which entry is meant, and where a match is shown."""

import pytest

from lorewright.cli.explaining import excerpt
from lorewright.core.trace import Match

DRAGON = {"key": ["dragon"], "content": "The dragon guards a mill.", "comment": "The Dragon"}
MILL = {"key": ["mill"], "content": "The mill is empty.", "comment": "Mill", "order": 50}
GHOST = {"key": ["ghost"], "content": "No ghosts here.", "comment": "Ghost", "order": 10}


def test_json_has_exactly_this_shape(shop):
    answer = shop.json("explain", shop.book(DRAGON, MILL, GHOST), "--all", "--chat", shop.chat())

    assert answer == [
        {
            "entry": "world.0",
            "title": "The Dragon",
            "in": True,
            "loop": 1,
            "reason": {
                "code": "key_matched",
                "key": "dragon",
                "logic": None,
                "secondary": None,
                "sentence": "key 'dragon' matched",
            },
            "match": {
                "source": "message",
                "message": 2,
                "start": 15,
                "end": 21,
                "key": "dragon",
                "name": "Max",
                "text": "dragon",
            },
        },
        {
            "entry": "world.1",
            "title": "Mill",
            "in": True,
            "loop": 2,
            "reason": {
                "code": "key_matched",
                "key": "mill",
                "logic": None,
                "secondary": None,
                "sentence": "key 'mill' matched",
            },
            "match": {
                "source": "recursion",
                "message": None,
                "start": 20,
                "end": 24,
                "key": "mill",
                "name": "world.0",
                "text": "mill",
            },
        },
        {
            "entry": "world.2",
            "title": "Ghost",
            "in": False,
            "loop": 1,
            "reason": {
                "code": "no_key_matched",
                "sentence": "none of its keys is in the text that is scanned for it",
            },
        },
    ]


def test_people_see_the_match_in_its_surroundings(shop):
    lines = shop.run("explain", shop.book(DRAGON, MILL, GHOST), "--all", "--chat", shop.chat()).stdout.splitlines()

    assert lines[3:] == [
        "",
        "== In the prompt: 2 entries",
        "in   The Dragon (world.0)",
        "     loop 1: key 'dragon' matched",
        "     message #2 by Max: Then I ask the [dragon] by the river.",
        "in   Mill (world.1)",
        "     loop 2: key 'mill' matched",
        "     text of world.0: The dragon guards a [mill].",
        "",
        "== Not in the prompt: 1 entry",
        "out  Ghost (world.2)",
        "     loop 1: none of its keys is in the text that is scanned for it",
    ]


SOURCES = {
    "message": ({"key": ["river"]}, "message #2 by Max: Then I ask the dragon by the [river]."),
    "speaker": ({"key": ["max"]}, "name before message #2 by Max: [Max]: Then I ask the dragon by the river."),
    "persona": ({"key": ["debt"], "matchPersonaDescription": True}, "persona description: A heavy [debt]."),
    "card": ({"key": ["smith"], "matchCharacterDescription": True}, "character description: Ana is a [smith]."),
}


@pytest.mark.parametrize(("entry", "line"), SOURCES.values(), ids=SOURCES.keys())
def test_sources(shop, entry, line):
    card = shop.write("ana.json", {"name": "Ana", "description": "Ana is a smith.", "first_mes": "Hi."})
    book = shop.book({"content": "x", **entry})
    words = ["--chat", shop.chat(), "--card", card, "--persona", "A heavy debt."]

    assert f"     {line}\n" in shop.run("explain", book, "--all", *words).stdout


def test_an_excerpt_is_one_line_and_short():
    text = "a" * 50 + "\nKEY\n" + "b" * 50
    match = Match("message", 0, "Max", 51, 54, "key", "KEY")

    assert excerpt(match, text) == ("..." + "a" * 39 + " ", "KEY", " " + "b" * 39 + "...")


@pytest.mark.parametrize("wanted", ["world.1", "1", "Mill", "mill", "MILL "])
def test_an_entry_by_id_uid_or_title(shop, wanted):
    answer = shop.json("explain", shop.book(DRAGON, MILL), wanted, "--chat", shop.chat())

    assert [item["entry"] for item in answer] == ["world.1"]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("Dragn", "No entry has the id, uid or title `Dragn`. Close to it: world.0 (The Dragon)."),
        ("drag", "No entry has the id, uid or title `drag`. Close to it: world.0 (The Dragon)."),
        ("zzz", "No entry has the id, uid or title `zzz`. The books hold 3 entries; `explain --all` lists them."),
        ("twin", "`twin` is not clear; 2 entries are called so. Name one by its id: world.1 (Twin), world.2 (twin)."),
    ],
)
def test_an_entry_that_cannot_be_found(shop, wanted, message):
    book = shop.book({**DRAGON, "comment": "The Dragon"}, {**MILL, "comment": "Twin"}, {**GHOST, "comment": "twin"})
    result = shop.run("explain", book, wanted, "--chat", shop.chat())

    assert (result.exit_code, result.stderr) == (2, f"Error: {message}\n")


def test_a_bare_uid_may_be_in_two_books(shop):
    first, second = shop.book(DRAGON, name="a.json"), shop.book(MILL, name="b.json")
    result = shop.run("explain", first, "0", "--book", second, "--chat", shop.chat())

    assert result.exit_code == 2
    assert "a.0 (The Dragon), b.0 (Mill)" in result.stderr


def test_with_option_books_a_single_word_is_the_entry(shop):
    answer = shop.json("explain", "mill", "--book", shop.book(DRAGON, MILL), "--chat", shop.chat())

    assert [item["entry"] for item in answer] == ["world.1"]


@pytest.mark.parametrize("words", [["BOOK"], ["BOOK", "x", "--all"], ["--all"]])
def test_what_is_to_be_explained_must_be_clear(shop, words):
    book = shop.book(DRAGON)
    result = shop.run("explain", *(book if word == "BOOK" else word for word in words), "--chat", shop.chat())

    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


OWN = {
    "as the settings say": ({}, "key 'dragon' matched"),
    "whole words": ({"matchWholeWords": False}, "key 'dragon' matched (whole words off in this entry)"),
    "case": ({"caseSensitive": True}, "key 'dragon' matched (case matters in this entry)"),
    "both": (
        {"matchWholeWords": False, "caseSensitive": True},
        "key 'dragon' matched (whole words off in this entry, case matters in this entry)",
    ),
    "a regex heeds neither": (
        {"key": ["/drag/"], "matchWholeWords": False, "caseSensitive": True},
        "key '/drag/' matched",
    ),
}


@pytest.mark.parametrize(("entry", "line"), OWN.values(), ids=OWN.keys())
def test_what_matched_and_then_dropped_out_shows_its_key(shop, entry, line):
    book = shop.book({**DRAGON, "content": "word " * 60, **entry})
    lines = shop.run("explain", book, "0", "--chat", shop.chat(), "--context-tokens", "100").stdout.splitlines()

    assert lines[5:9] == [
        "out  The Dragon (world.0)",
        "     loop 1: needs 75 tokens, 25 are left",
        f"     {line}",
        lines[8],
    ]
    assert "Then I ask the [drag" in lines[8]


def test_settings_that_an_entry_overrules_may_be_the_other_way_round(shop):
    book = shop.book({**DRAGON, "content": "word " * 60, "matchWholeWords": True, "caseSensitive": False})
    settings = shop.write("s.json", {"matchWholeWords": False, "caseSensitive": True, "maxContext": 100})
    shown = shop.run("explain", book, "0", "--chat", shop.chat(), "--settings", settings).stdout

    assert "matched (whole words on in this entry, case does not matter in this entry)\n" in shown


def test_a_decision_without_a_key_shows_none(shop):
    book = shop.book({"constant": True, "content": "word " * 60})

    assert "matched" not in shop.run("explain", book, "0", "--chat", shop.chat(), "--context-tokens", "100").stdout


def test_no_entries_are_told(shop):
    shown = shop.run("explain", shop.book(), "--all", "--chat", shop.chat()).stdout

    assert shown.endswith("\nNo entries.\n")
    assert shop.json("explain", shop.book(), "--all", "--chat", shop.chat()) == []


@pytest.mark.parametrize(
    "words",
    [
        ["BOOK", "Ghost", "mill"],
        ["Ghost", "mill", "--book", "BOOK"],
        ["Ghost", "mill", "Ghost", "--book", "BOOK"],
    ],
)
def test_several_entries(shop, words):
    book = shop.book(DRAGON, MILL, GHOST)
    words = [book if word == "BOOK" else word for word in words]

    assert [item["entry"] for item in shop.json("explain", *words, "--chat", shop.chat())] == ["world.2", "world.1"]
    shown = shop.run("explain", *words, "--chat", shop.chat()).stdout
    assert "In the prompt: 1 entry" in shown
    assert "Not in the prompt: 1 entry" in shown


def test_beside_an_option_the_first_word_may_still_be_a_book(shop):
    book, other, chat = shop.book(DRAGON), shop.book(MILL, name="b.json"), shop.chat()

    assert len(shop.json("explain", book, "Mill", "The Dragon", "--book", other, "--chat", chat)) == 2
    missing = shop.run("explain", "no.json", "Mill", "--book", other, "--chat", chat)
    assert "There is no file `no.json`" in missing.stderr


def test_a_near_miss_says_where_the_key_stands_and_why_it_does_not_count(shop):
    book = shop.book({"key": ["drag"], "content": "x", "comment": "Half a word"})

    (verdict,) = shop.json("explain", book, "--all", "--chat", shop.chat())
    text = shop.run("explain", book, "--all", "--chat", shop.chat())

    assert verdict["reason"]["code"] == "no_key_matched"
    assert verdict["reason"]["near"] == [
        {
            "why": "whole_words",
            "source": "message",
            "message": 2,
            "start": 15,
            "end": 19,
            "key": "drag",
            "name": "Max",
            "text": "drag",
        }
    ]
    assert "near miss: key 'drag' is there, but it is part of a longer word" in text.stdout
    assert "[drag]on" in text.stdout


GATED = """\
lorewright: 1
name: isles
gate: {flag: begun}
folders:
- {name: secrets, gate: {reveal: {book: The Isles, chapter: 7, after: true}}}
entries:
- {uid: 1, title: Aldric is dead, keys: [dragon], content: He drowned., folder: secrets, gate: {known_by: [Maren]}}
- {uid: 2, title: The bell, keys: [dragon], content: It rings., folder: secrte}
- {uid: 3, title: The mill, keys: [dragon], content: It turns.}
"""


def test_spoilers_say_which_gate_and_which_condition(shop):
    args = ("explain", shop.write("book.yaml", GATED), "--all", "--chat", shop.chat(), "--progress", "The Isles:7")
    known = (*args, "--var", "begun=true", "--spoilers")
    dead, bell = (item for item in shop.json(*known) if item["reason"]["code"] == "closed")

    assert dead["title"] == "Aldric is dead"
    assert dead["reason"]["gates"] == [
        {"of": "entry", "name": "", "because": ["none of these is speaking: Maren; `Ana` is"]},
        {
            "of": "folder",
            "name": "secrets",
            "because": ["chapter 7 of `The Isles` is not finished (the reader has opened 7)"],
        },
    ]
    assert bell["reason"]["gates"] == [
        {"of": "folder", "name": "secrte", "because": ["the book does not list it, and has folders with gates"]}
    ]
    assert "its own gate is closed: none of these is speaking: Maren" in " ".join(shop.run(*known).stdout.split())
    (mill,) = (item for item in shop.json(*args, "--spoilers") if item["entry"] == "isles.3")
    assert mill["reason"]["gates"] == [{"of": "book", "name": "isles", "because": ["the variable `begun` is not true"]}]


def test_without_spoilers_a_closed_entry_is_its_id(shop):
    args = ("explain", shop.write("book.yaml", GATED), "--all", "--chat", shop.chat(), "--progress", "The Isles:7")

    assert shop.json(*args) == [
        {
            "entry": f"isles.{uid}",
            "title": "",
            "in": False,
            "loop": 0,
            "reason": {"code": "closed", "sentence": "a gate before it is closed"},
        }
        for uid in (1, 2, 3)
    ]
    shown = shop.run(*args).output
    assert not [word for word in ("Aldric", "secrets", "secrte", "Maren", "begun", "chapter") if word in shown]


REPLACING = """\
lorewright: 1
name: b
entries:
  - uid: swap
    constant: true
    content: cat, cat
    replaces: [{find: cat, replace: dog}, {find: owl, target: system}, {find: /HELLO/i, replace: Hi, target: user}]
  - {uid: out, keys: [never], replaces: [{find: a}]}
"""


def test_it_says_what_an_active_entry_has_replaced(shop):
    files = (
        shop.write("b.yaml", REPLACING),
        "--all",
        "--chat",
        shop.write("c.json", '[{"role": "user", "content": "Hello"}]'),
    )
    swap, out = shop.json("explain", *files)

    assert swap["replaced"] == [
        {"target": "content", "find": "cat", "times": 2, "given_up": None},
        {"target": "system", "find": "owl", "times": 0, "given_up": None},
        {"target": "user", "find": "/HELLO/i", "times": 1, "given_up": None},
    ]
    assert "replaced" not in out

    shown = shop.run("explain", *files).stdout
    for line in (
        "replaces `cat` in its own text: 2 times",
        "replaces `owl` in the system prompt: found nothing",
        "replaces `/HELLO/i` in what the user has said: once",
    ):
        assert f"     {line}\n" in shown
    assert shown.count("replaces `") == 3


def test_it_says_that_a_replacement_was_given_up(shop):
    settings = shop.write("s.json", '{"replaceSeconds": 0}')
    files = (
        shop.write("b.yaml", REPLACING),
        "swap",
        "--chat",
        shop.write("c.json", '[{"role": "user", "content": "Hello"}]'),
    )
    shown = shop.run("explain", *files, "--settings", settings)

    assert shown.exit_code == 0, shown.output
    assert (
        "replaces `cat` in its own text: given up, the time of all replacements of this turn was used up"
        in shown.stdout
    )


def test_progress_in_a_book_that_no_gate_asks_about_is_reported(shop):
    def reports(*named):
        words = [word for name in named for word in ("--progress", name)]
        found = shop.json("weave", shop.write("book.yaml", GATED), "--chat", shop.chat(), *words)
        return [report for report in found["reports"] if report["code"] == "progress_unasked"]

    assert reports("The Isles:7") == []
    (report,) = reports("The Isles:7", "the isles:9")
    assert report["level"] == "warning"
    assert "in `the isles`" in report["message"]
    assert "Did you mean `The Isles`?" in report["message"]
    (report,) = reports("Moon:9")
    assert "Did you mean" not in report["message"]
