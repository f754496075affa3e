"""Variables that SillyTavern keeps with a chat are its local variables."""

import json

import pytest

MOOD = {"comment": "Mood", "content": "She is {{getvar::mood}}, day {{getvar::day}}.", "constant": True}
SAID = {"name": "Max", "is_user": True, "mes": "Hello."}


def chat(shop, variables, name="kept.jsonl"):
    header = {"user_name": "Max", "character_name": "Ana", "chat_metadata": {"variables": variables}}
    return shop.write(name, "\n".join(map(json.dumps, [header, SAID])))


def woven(shop, kept, *words):
    return shop.json("weave", shop.book(MOOD), "--chat", kept, "--profile", "sillytavern", *words)


def test_weave_reads_them_and_the_command_line_goes_before(shop):
    kept = chat(shop, {"mood": "calm", "day": 3})

    assert "She is calm, day 3." in json.dumps(woven(shop, kept))
    assert "She is sad, day 3." in json.dumps(woven(shop, kept, "--var", "mood=sad"))


def test_render_reads_them_and_the_command_line_goes_before(shop):
    kept = chat(shop, {"mood": "calm", "day": 3})
    words = ("render", MOOD["content"], "--chat", kept)

    assert shop.json(*words)["texts"][0]["text"] == "She is calm, day 3."
    assert shop.json(*words, "--vars", '{"mood": "sad"}')["texts"][0]["text"] == "She is sad, day 3."


def test_a_conversation_that_is_remembered_goes_on_with_its_own(shop):
    count = {"comment": "Day", "content": "{{incvar::day}}", "constant": True}
    words = ("weave", shop.book(count), "--profile", "sillytavern", "--state", str(shop.folder / "state.json"))
    shown = [shop.json(*words, "--chat", chat(shop, {"day": 3}))]
    reply = {"name": "Ana", "is_user": False, "mes": "Hi."}
    header = {"user_name": "Max", "character_name": "Ana", "chat_metadata": {"variables": {"day": 3}}}
    longer = shop.write("longer.jsonl", "\n".join(map(json.dumps, [header, SAID, reply, SAID])))
    shown.append(shop.json(*words, "--chat", longer))

    assert ['"4"' in json.dumps(shown[0]), '"5"' in json.dumps(shown[1])] == [True, True]


@pytest.mark.parametrize("broken", [5, "mood", ["mood"], True])
def test_what_is_no_object_is_reported(shop, broken):
    found = woven(shop, chat(shop, broken))

    assert "chat_variables_not_object" in [one["code"] for one in found["reports"]]


def test_a_tree_beside_the_messages_is_not_read_twice(shop):
    kept = chat(shop, {"mood": "calm", "stat_data": {"hp": 4}})
    found = woven(shop, kept)

    assert "mvu_tree_of_chat" in [one["code"] for one in found["reports"]]
    assert "She is calm" in json.dumps(found)
