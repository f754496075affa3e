"""`weave --ledger` writes a ledger; the `ledger` commands read it."""

import json
import sqlite3

import pytest

ENTRIES = (
    {"key": ["mill"], "content": "The mill is haunted.", "comment": "Mill"},
    {"key": ["dragon"], "content": "The dragon sleeps.", "comment": "Dragon"},
    {"constant": True, "content": "It is winter.", "comment": "Winter"},
)
COMMANDS = (
    ("list",),
    ("show", "1"),
    ("why", "Dragon", "--turn", "1"),
    ("diff", "1", "2"),
    ("replay",),
    ("replay", "--turn", "2"),
    ("verify",),
    ("erase", "--turn", "1", "--message", "0"),
)


@pytest.fixture
def recorded(shop):
    """Two turns in a ledger; its path."""
    path = str(shop.folder / "chat.ledger")
    book = shop.book(*ENTRIES)
    first = [{"name": "Max", "is_user": True, "mes": "Is the old mill haunted?"}]
    more = [
        *first,
        {"name": "Ana", "is_user": False, "mes": "Ask around."},
        {"name": "Max", "is_user": True, "mes": "I ask the dragon."},
    ]
    for chat in (first, more):
        assert shop.run("weave", book, "--chat", shop.chat(chat), "--ledger", path).exit_code == 0
    return path


def run_json(shop, *words):
    result = shop.run("ledger", *words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_weave_says_what_it_recorded(shop):
    path = str(shop.folder / "chat.ledger")
    words = ("weave", shop.book(*ENTRIES), "--chat", shop.chat(), "--ledger", path)

    assert f"Recorded as turn 1 of {path}" in " ".join(shop.run(*words).stdout.split())
    found = json.loads(shop.run(*words, "--full", "--json").stdout)["ledger"]
    assert found["turn"] == 2
    assert found["number"] == 2
    assert found["moves"] == []
    assert len(found["hash"]) == 64


def test_what_is_recorded_is_what_is_woven(shop):
    book, chat = shop.book(*ENTRIES), shop.chat()
    plain = json.loads(shop.run("weave", book, "--chat", chat, "--json").stdout)
    path = str(shop.folder / "chat.ledger")
    kept = json.loads(shop.run("weave", book, "--chat", chat, "--ledger", path, "--json").stdout)
    shown = run_json(shop, "show", path, "1")

    assert kept["messages"] == plain["messages"]
    assert [{"role": one["role"], "content": one["content"]} for one in shown] == plain["messages"]
    assert all(one["content"] == "".join(piece["text"] for piece in one["pieces"]) for one in shown)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_commands_answer_people_and_programs(shop, recorded, words):
    command, *rest = words

    for_people = shop.run("ledger", command, recorded, *rest)
    assert for_people.exit_code == 0, for_people.output
    assert for_people.stdout.strip()
    assert run_json(shop, command, recorded, *rest)


def test_list_names_turns(shop, recorded):
    first, second = run_json(shop, "list", recorded)

    assert (first["parent"], second["parent"]) == (0, 1)
    assert first["active"] == ["world.2", "world.0"]  # constants first


def test_why_says_where_it_stands(shop, recorded):
    found = run_json(shop, "why", recorded, "Dragon")

    assert (found["turn"], found["in"], found["replayed"]) == (2, True, "same")
    assert found["reason"]["code"] == "key_matched"
    assert len(found["placed"]) == 1


def test_diff_keeps_all_where_nothing_moved(shop, recorded):
    found = run_json(shop, "diff", recorded, "1", "2")

    assert found["kept_bytes"] == found["total_bytes"] > 0
    assert found["came"] == ["world.1"]


def test_diff_ends_with_1_where_bytes_moved(shop, recorded):
    result = shop.run("ledger", "diff", recorded, "2", "1")

    assert result.exit_code == 1


def test_replay_repeats_all(shop, recorded):
    assert [turn["outcome"] for turn in run_json(shop, "replay", recorded)] == ["same", "same"]


def test_verify_finds_a_changed_byte(shop, recorded):
    head = run_json(shop, "verify", recorded)["heads"]["main"]["hash"]
    assert shop.run("ledger", "verify", recorded, "--head", head).exit_code == 0
    unknown = shop.run("ledger", "verify", recorded, "--head", "00" * 32)
    assert unknown.exit_code == 1
    assert "that was noted" in " ".join(unknown.stdout.split())
    db = sqlite3.connect(recorded)
    with db:
        db.execute("UPDATE event SET body = replace(body, '1', '2') WHERE number = 4")
    db.close()

    result = shop.run("ledger", "verify", recorded)

    assert result.exit_code == 1
    assert "Event 4 (TurnAssembled)" in result.stdout


def test_export_writes_one_file(shop, recorded):
    out = str(shop.folder / "out.json")

    assert run_json(shop, "export", recorded, out, "--redact") == {"file": out, "turns": 2, "redacted": True}
    assert "dragon" not in (shop.folder / "out.json").read_text("utf-8").lower()
    refused = shop.run("ledger", "export", recorded, out)
    assert refused.exit_code == 2
    assert "is there already" in " ".join(refused.stderr.split())
    assert shop.run("ledger", "export", recorded, out, "--force").exit_code == 0
    assert "dragon" in (shop.folder / "out.json").read_text("utf-8").lower()


def test_erase_asks_first(shop, recorded):
    asked = run_json(shop, "erase", recorded, "--containing", "haunted")
    assert not asked["erased"]
    assert run_json(shop, "replay", recorded)[0]["outcome"] == "same"

    done = run_json(shop, "erase", recorded, "--containing", "haunted", "--yes")

    assert done["erased"]
    assert done["texts"] == asked["texts"]
    assert [turn["outcome"] for turn in run_json(shop, "replay", recorded)] == ["erased", "erased"]
    assert run_json(shop, "verify", recorded)["problems"] == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("list", "none.ledger"), "there is no such ledger"),
        (("show", "FILE", "9"), "no turn 9; its turns are 1 to 2"),
        (("why", "FILE", "Nobody"), "No entry has the id, uid or title `Nobody`"),
        (("why", "FILE", "Dragon", "--turn", "0"), "no turn 0"),
        (("diff", "FILE", "1", "5"), "no turn 5"),
        (("erase", "FILE"), "Name one thing"),
        (("erase", "FILE", "--turn", "1"), "Name one thing"),
        (("erase", "FILE", "--entry", "world.0", "--containing", "abc"), "Name one thing"),
        (("erase", "FILE", "--containing", "a"), "too short"),
        (("list", "BOOK"), "not a database"),
    ],
)
def test_what_cannot_be_used_is_said(shop, recorded, words, message):
    book = shop.book(*ENTRIES)
    result = shop.run("ledger", *({"FILE": recorded, "BOOK": book}.get(word, word) for word in words))

    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_a_ledger_and_a_state_are_too_much(shop):
    result = shop.run(
        *("weave", shop.book(*ENTRIES), "--chat", shop.chat()),
        *("--ledger", shop.folder / "a", "--state", shop.folder / "b"),
    )

    assert result.exit_code == 2
    assert "not both" in " ".join(result.stderr.split())
    assert not (shop.folder / "a").exists()


def test_a_text_is_shown_once_with_its_separator(shop, recorded):
    """The blank line between our text and the client's is a piece of its own, but nothing to show."""
    shown = shop.run("ledger", "show", recorded, "1").stdout

    assert shown.count("record world.0") == 1


def test_an_entry_is_erased_and_the_conversation_goes_on(shop, recorded):
    words = ("erase", recorded, "--entry", "world.1")
    asked = shop.run("ledger", *words).stdout
    assert "The conversation goes on" in asked
    done = run_json(shop, *words, "--yes")
    assert done["forgotten"] == 0
    gone = len(done["texts"]) + len(done["with_them"])
    assert f"{gone} together" in " ".join(asked.split())
    assert run_json(shop, "verify", recorded)["erased"] == gone
    left = shop.run("ledger", "show", recorded, "2")
    assert left.exit_code == 0
    assert "(erased)" in left.stdout
    assert "The mill is haunted." in left.stdout
    refused = shop.run("ledger", "why", recorded, "Dragon", "--turn", "2")
    assert refused.exit_code == 2
    assert "ledger show" in " ".join(refused.stderr.split())


def test_a_conversation_that_was_erased_begins_anew_and_weave_says_so(shop, recorded):
    run_json(shop, "erase", recorded, "--turn", "1", "--message", "0", "--yes")
    chat = [
        {"name": "Max", "is_user": True, "mes": "Is the old mill haunted?"},
        {"name": "Ana", "is_user": False, "mes": "Ask around."},
        {"name": "Max", "is_user": True, "mes": "I ask the dragon."},
    ]
    woven = shop.run("weave", shop.book(*ENTRIES), "--chat", shop.chat(chat), "--ledger", recorded)
    assert "begins anew" in " ".join(woven.stdout.split())
    again = shop.run("weave", shop.book(*ENTRIES), "--chat", shop.chat(chat), "--ledger", recorded)
    assert "begins anew" not in " ".join(again.stdout.split())
