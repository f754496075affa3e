"""What a SillyTavern chat keeps beside its messages: timed effects, the author's note, its book; and saving them.

Counts and ends of effects: spec world-info §7, cases timed-effects-002, -008 and -021.
"""

import json
from pathlib import Path

import pytest

from tests.formats.chats import data

MILL = {"comment": "Mill", "key": ["mill"], "content": "The mill.", "sticky": 3, "cooldown": 2}


def said(name, text, **more):
    return {"name": name, "is_user": name == "Max", "is_system": False, "mes": text, **more}


MESSAGES = [said("Max", "The mill?"), said("Ana", "Yes."), said("Max", "And then?")]


def chat(shop, messages=MESSAGES, name="kept.jsonl", **metadata):
    header = {"user_name": "Max", "character_name": "Ana", "chat_metadata": metadata}
    return shop.write(name, "\n".join(map(json.dumps, [header, *messages])) + "\n")


def timed(effect="sticky", **more):
    record = {"hash": 12, "start": 1, "end": 4, "protected": False, **more}
    return {"timedWorldInfo": {effect: {"world.0": record}}}


def woven(shop, path, *words, book=MILL, placement="sillytavern"):
    settings = shop.write("settings.json", {"depth": 1})
    return shop.json(
        "weave", shop.book(book), "--chat", path, "--profile", "sillytavern", "--placement", placement,
        "--settings", settings, *words,
    )  # fmt: skip


def active(found):
    return [entry["entry"] for entry in found["activated"]]


def codes(found):
    return [report["code"] for report in found["reports"]]


def header(path):
    return json.loads(Path(path).read_text("utf-8").split("\n")[0])


# -- timed effects -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", ["sillytavern", "native"])
def test_a_sticky_effect_of_the_chat_goes_on(shop, profile):
    words = ("weave", shop.book(MILL), "--profile", profile, "--settings", shop.write("s.json", {"depth": 1}))

    assert active(shop.json(*words, "--chat", chat(shop))) == []
    found = shop.json(*words, "--chat", chat(shop, **timed()))
    assert active(found) == ["world.0"]
    assert "chat_timer_of_other_text" in codes(found)


def test_an_effect_that_is_over_is_over(shop):
    assert active(woven(shop, chat(shop, **timed(end=3)))) == []


def test_an_effect_of_a_chat_that_went_back_is_gone_unless_it_is_protected(shop):
    asks = [*MESSAGES[:2], said("Max", "The mill!")]

    assert active(woven(shop, chat(shop, asks, **timed("cooldown", start=3, end=9)))) == ["world.0"]
    assert active(woven(shop, chat(shop, asks, **timed("cooldown", start=3, end=9, protected=True)))) == []


def test_hidden_messages_do_not_count(shop):
    hidden = [said("Ana", "psst", is_system=True), *MESSAGES]

    assert active(woven(shop, chat(shop, hidden, **timed(end=4)))) == ["world.0"]


def test_explain_knows_them(shop):
    found = shop.json("explain", shop.book(MILL), "Mill", "--chat", chat(shop, **timed("cooldown", protected=True)))

    assert found[0]["reason"]["code"] == "cooldown"


def test_an_odd_effect_is_reported(shop):
    found = woven(shop, chat(shop, timedWorldInfo={"sticky": {"world.0": "soon"}, "cooldown": 5}))

    assert codes(found).count("chat_timer_odd") == 2


def test_a_state_file_goes_before_the_chat(shop):
    state = str(shop.folder / "state.json")
    first = woven(shop, chat(shop, **timed()), "--state", state)
    again = woven(shop, chat(shop, **timed("cooldown", end=99, protected=True)), "--state", state)

    assert (active(first), "chat_timers_unused" in codes(first)) == (["world.0"], False)
    assert (active(again), "chat_timers_unused" in codes(again)) == (["world.0"], True)
    longer = [*MESSAGES, said("Ana", "Then?"), said("Max", "The mill.")]
    cooling = woven(shop, chat(shop, longer), "--state", state)
    assert (active(cooling), "chat_timers_unused" in codes(cooling)) == ([], False)


# -- saving ------------------------------------------------------------------------------------------------------------


def test_turn_by_turn_the_chat_itself_remembers(shop):
    """Sticky 3 and cooldown 2 with a key in every message: three messages in, two out, and again."""
    path, found = chat(shop, []), []
    for count in range(1, 9):
        messages = [said("Max" if n % 2 else "Ana", "The mill.") for n in range(count)]
        shop.write("kept.jsonl", "\n".join(map(json.dumps, [header(path), *messages])))
        found.append(active(woven(shop, path, "--save-chat", path)))

    there: list[str] = ["world.0"]
    away: list[str] = []
    assert found == [there, there, there, away, away, there, there, there]
    timers = header(path)["chat_metadata"]["timedWorldInfo"]
    spans = {effect: [(one["start"], one["end"]) for one in records.values()] for effect, records in timers.items()}
    assert spans == {"sticky": [(6, 9)], "cooldown": [(8, 10)]}


def test_what_begins_is_written_as_sillytavern_writes_it(shop):
    path = chat(shop, MESSAGES[:1])

    woven(shop, path, "--save-chat", path)

    timers = header(path)["chat_metadata"]["timedWorldInfo"]
    hashes = {record.pop("hash") for records in timers.values() for record in records.values()}
    assert timers == {
        "sticky": {"world.0": {"start": 1, "end": 4, "protected": False}},
        "cooldown": {"world.0": {"start": 1, "end": 3, "protected": False}},
    }
    assert [entry_hash > 2**32 for entry_hash in hashes] == [True]
    assert "chat_timer_of_other_text" not in codes(woven(shop, path))


def test_only_what_changed_is_different(shop):
    """The effect whose entry is not loaded stays, with all that stood in the file."""
    path = shop.write("timers.jsonl", data("timers"))
    out = str(shop.folder / "out.jsonl")
    entry = {"comment": "Salt", "key": ["answers"], "content": "{{setvar::salt::2}}Salt.", "sticky": 2}

    woven(shop, path, "--save-chat", out, book=entry)

    before, after = data("timers").decode().split("\n"), Path(out).read_text("utf-8").split("\n")
    assert before[1:] == after[1:]
    old, new = json.loads(before[0]), json.loads(after[0])
    assert new["chat_metadata"].pop("variables") == {"salt": "2"}
    record = new["chat_metadata"]["timedWorldInfo"]["sticky"].pop("world.0")
    assert (record["start"], record["end"]) == (4, 6)
    assert old == new


def test_variables_of_mvu_stay_as_they_are(shop):
    path = shop.write("variables.jsonl", data("variables"))
    entry = {"comment": "Day", "content": "{{incvar::day}}{{flushvar::flag}}", "constant": True}

    woven(shop, path, "--save-chat", path, book=entry)

    before = json.loads(data("variables").decode().split("\n")[0])["chat_metadata"]["variables"]
    expected = {name: value for name, value in before.items() if name != "flag"} | {"day": 4}
    assert header(path)["chat_metadata"]["variables"] == expected


@pytest.mark.parametrize("name", ["single", "group", "chinese", "note", "swipes", "hidden", "old", "odd"])
def test_a_turn_that_changes_nothing_writes_the_same_bytes(shop, name):
    path = shop.write(f"{name}.jsonl", data(name))
    plain = {"comment": "Plain", "key": ["nowhere"], "content": "x"}

    woven(shop, path, "--save-chat", path, book=plain)

    assert (shop.folder / f"{name}.jsonl").read_bytes() == data(name)


def test_another_file_is_not_written_over(shop):
    path, other = chat(shop), chat(shop, name="other.jsonl")
    words = ("weave", shop.book(MILL), "--chat", path, "--state", str(shop.folder / "state.json"), "--save-chat", other)
    before = (shop.folder / "other.jsonl").read_bytes()

    refused = shop.run(*words)

    assert (refused.exit_code, "there already" in refused.stderr) == (2, True)
    assert (shop.folder / "other.jsonl").read_bytes() == before
    assert not (shop.folder / "state.json").exists()
    assert shop.run(*words, "--force").exit_code == 0


@pytest.mark.parametrize("other", [["--ledger", "chat.ledger"], ["--save-chat", ""]])
def test_what_cannot_be_saved_is_refused(shop, other):
    words = [str(shop.folder / word) if word == "chat.ledger" else word for word in other]

    done = shop.run("weave", shop.book(MILL), "--chat", chat(shop), "--save-chat", str(shop.folder / "x"), *words)

    assert done.exit_code == 2
    assert not (shop.folder / "x").exists()


def test_only_a_chat_of_sillytavern_can_be_saved(shop):
    path = shop.write("chat.json", [{"name": "Max", "mes": "The mill?"}])

    done = shop.run("weave", shop.book(MILL), "--chat", path, "--save-chat", path)

    assert (done.exit_code, ".jsonl" in done.stderr) == (2, True)


@pytest.mark.parametrize("metadata", [5, [1]])
def test_metadata_of_a_wrong_kind_is_told(shop, metadata):
    lines = [{"user_name": "Max", "chat_metadata": metadata}, MESSAGES[0]]
    path = shop.write("odd.jsonl", "\n".join(map(json.dumps, lines)))

    done = shop.run("weave", shop.book(MILL), "--chat", path, "--profile", "sillytavern", "--save-chat", path)

    assert (done.exit_code, "chat_metadata" in done.stderr) == (2, True)


# -- the author's note, the book ---------------------------------------------------------------------------------------


def test_the_note_stands_among_the_messages_with_its_macros(shop):
    found = woven(shop, chat(shop, note_prompt="{{user}} is {{getvar::mood}}.", variables={"mood": "sad"}))

    assert "Max is sad." in [message["content"] for message in found["messages"]]


@pytest.mark.parametrize(("interval", "there"), [(0, False), (1, True), (2, True), (3, False)])
def test_the_note_comes_at_its_interval(shop, interval, there):
    """The chat has two messages of the user (spec prompt-assembly §2, point 8)."""
    found = woven(shop, chat(shop, note_prompt="Rain.", note_interval=interval))

    assert ("Rain." in [message["content"] for message in found["messages"]]) is there


def test_texts_around_the_note_come_with_it(shop):
    top = {"comment": "Top", "content": "Top.", "constant": True, "position": 2}

    found = woven(shop, chat(shop, note_prompt="Rain."), book=top)

    assert "Top.\nRain." in [message["content"] for message in found["messages"]]


def test_frozen_placement_has_no_place_for_the_note_and_says_so(shop):
    found = woven(shop, chat(shop, note_prompt="Rain."), placement="frozen")

    assert "note_not_in_messages" in codes(found)


def test_macros_know_the_note_unless_the_facts_say_another(shop):
    macro = {"comment": "Note", "content": "Note: {{authorsNote}}", "constant": True}
    path = chat(shop, note_prompt="Rain.", note_interval=0)

    assert "Note: Rain." in json.dumps(woven(shop, path, book=macro))
    assert "Note: Snow." in json.dumps(woven(shop, path, "--facts", '{"note": "Snow."}', book=macro))


@pytest.mark.parametrize(("name", "missing"), [("world", False), ("isles", True), ("", False), (5, False)])
def test_the_book_of_the_chat(shop, name, missing):
    assert ("chat_book_missing" in codes(woven(shop, chat(shop, world_info=name)))) is missing
