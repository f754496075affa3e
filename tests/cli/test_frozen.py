"""`weave --placement frozen`: what its state file remembers, and what it tells of texts that moved or wait."""

import pytest

DRAGON = {"key": ["dragon"], "content": "The dragon is green.", "comment": "Dragon"}
MILL = {"key": ["mill"], "content": "The mill is empty."}


def test_texts_stay_where_they_were_placed(shop):
    book, state = shop.book(DRAGON, {**MILL, "constant": True}), shop.folder / "state.json"
    chat = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "A dragon?"}]
    first = shop.json("weave", book, "--chat", shop.write("chat.json", chat), "--state", state)
    chat += [{"role": "assistant", "content": "Yes."}, {"role": "user", "content": "The dragon again."}]
    later = shop.json("weave", book, "--chat", shop.write("chat.json", chat), "--state", state)

    assert later["messages"] == [
        *first["messages"],
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": "The dragon again."},
    ]
    assert [message["content"] for message in first["messages"]] == [
        f"Be kind.\n\n{MILL['content']}",
        f"{DRAGON['content']}\n\nA dragon?",
    ]
    assert later["moves"] == []


def test_what_moved_a_text_is_told(shop):
    state, chat = shop.folder / "state.json", shop.write("chat.json", [{"role": "user", "content": "A dragon?"}])
    shop.json("weave", shop.book(DRAGON), "--chat", chat, "--state", state)
    talk = [{"role": "user", "content": "A dragon?"}, {"role": "assistant", "content": "Yes."}]
    later = shop.write("later.json", [*talk, {"role": "user", "content": "Well."}])
    answer = shop.json("weave", shop.book({**DRAGON, "disable": True}), "--chat", later, "--state", state)

    assert [(move["cause"], move["entry"]) for move in answer["moves"]] == [("entry_disabled", "world.0")]
    assert answer["messages"][0]["content"] == "A dragon?"


def test_an_entry_without_a_new_message_of_the_user_waits(shop):
    state = shop.folder / "state.json"
    talk = [{"role": "user", "content": "Well?"}, {"role": "assistant", "content": "A dragon"}]
    shop.json("weave", shop.book(DRAGON), "--chat", shop.write("chat.json", talk[:1]), "--state", state)
    answer = shop.json("weave", shop.book(DRAGON), "--chat", shop.write("later.json", talk), "--state", state)

    assert [(report["code"], report["entry"]) for report in answer["reports"]] == [("waits_no_user_message", "world.0")]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ('"nodes": 1', "nodes"),
        ('"nodes": [1]', "nodes[0]"),
        ('"nodes": [{"key": "a"}]', "nodes[0].parent"),
        ('"nodes": [{"key": "a", "parent": "", "digest": "d", "number": true}]', "nodes[0].number"),
        ('"nodes": [{"key": "a", "parent": "", "digest": "d", "odd": 1}]', "nodes[0].odd"),
        ('"nodes": [{"key": "a", "parent": "", "digest": "d", "records": [{}]}]', "nodes[0].records[0].entry"),
        (
            (
                '"nodes": [{"key": "a", "parent": "", "digest": "d", "records": [{"entry": "e", "source_hash": "h", '
                '"text": "t", "tokens": 1, "place": "sky"}]}]'
            ),
            "nodes[0].records[0].place",
        ),
    ],
)
def test_a_memory_that_was_changed_by_hand_is_refused(shop, change, place):
    state = shop.write("state.json", "{" + change + "}")
    result = shop.run("weave", shop.book(DRAGON), "--chat", shop.chat(), "--state", state)

    assert result.exit_code == 2
    assert f"`{place}` is not what a state file has" in result.stderr


FERRY = {"uid": 1, "title": "Ferry", "keys": ["ferry"], "content": "The ferry leaves at dawn."}
TALK = [
    {"role": "user", "content": "Is there a ferry?"},
    {"role": "assistant", "content": "Yes."},
    {"role": "user", "content": "Thank you."},
    {"role": "assistant", "content": "Mind the step."},
    {"role": "user", "content": "I do."},
]


def test_people_are_told_what_stands_and_what_moved(shop):
    """Without it, the listing by position would be all, and the text that is sent every time would be named nowhere."""
    state = shop.folder / "state.json"

    def shown(length, **fields):
        book = shop.write("isles.json", {"lorewright": 1, "name": "isles", "entries": [FERRY | fields]})
        result = shop.run("weave", book, "--chat", shop.write("chat.json", TALK[:length]), "--state", state)
        return result.stdout.splitlines()

    assert not any("earlier turns" in line or "moved by" in line for line in shown(1))
    assert "From earlier turns 1 text more stands: isles.1" in shown(3)
    gone = shown(5, enabled=False)
    assert "moved by entry_disabled: isles.1" in gone
    assert not any("earlier turns" in line for line in gone)
