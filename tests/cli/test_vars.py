"""`lorewright vars`: the tree of an MVU card behind each message of a chat."""

import pytest

INITIAL = {"comment": "[InitVar] start", "content": "hp: 100\nday: 1\n{{char}}: {trust: 5}\n", "disable": True}
GREETING = {"name": "Ana", "is_user": False, "mes": "Hello. _.set('hp', 90);//tired"}
REPLY = {"name": "Ana", "is_user": False, "mes": "_.add('day', 1);\n_.set('<char>.trust', 7);\n_.set('mana', 3);"}
ASKED = {"name": "Max", "is_user": True, "mes": "I sleep."}
AT_FIRST = {"hp": 90, "day": 1, "Ana": {"trust": 5}}
LATER = {"hp": 90, "day": 2, "Ana": {"trust": 7}}


def kept(tree):
    return {"stat_data": tree, "schema": {"type": "object", "properties": {}, "extensible": False}}


def test_every_message_has_its_tree(shop):
    found = shop.json("vars", shop.chat([GREETING, ASKED, REPLY]), "--book", shop.book(INITIAL))

    first, asked, last = found["messages"]
    assert [one["tree"] for one in found["messages"]] == [AT_FIRST, AT_FIRST, LATER]
    assert [one["message"] for one in found["messages"]] == [0, 1, 2]
    assert (first["name"], first["by_user"], asked["by_user"]) == ("Ana", False, True)
    assert first["done"] == [
        {"command": "_.set('hp', 90);//tired", "path": "hp", "change": "100->90 (tired)", "reason": "tired"}
    ]
    assert [(one["code"], one["path"], one["text"]) for one in last["refused"]] == [
        ("mvu_path_missing", "mana", "_.set('mana', 3);")
    ]
    assert {one["agrees"] for one in found["messages"]} == {None}


def test_people_see_what_changed_and_why_the_rest_did_not(shop):
    shown = shop.run("vars", shop.chat([GREETING, ASKED, REPLY, ASKED]), "--book", shop.book(INITIAL)).stdout

    assert shown.splitlines() == [
        "",
        "== message 0, Ana",
        "done   hp: 100->90 (tired)",
        "    hp: 90",
        "    day: 1",
        "    Ana:",
        "      trust: 5",
        "",
        "== message 2, Ana",
        "done   day: 1->2",
        "done   Ana.trust: 5->7",
        "warning: mana: There is no variable `mana`. Left out: `_.set('mana', 3);` [mvu_path_missing]",
        "    hp: 90",
        "    day: 2",
        "    Ana:",
        "      trust: 7",
        "",
        "2 more messages changed nothing.",
    ]


def test_one_message_can_be_asked_for(shop):
    chat, book = shop.chat([GREETING, ASKED, REPLY]), shop.book(INITIAL)

    (one,) = shop.json("vars", chat, "--book", book, "--message", 1)["messages"]
    assert one["tree"] == AT_FIRST
    result = shop.run("vars", chat, "--book", book, "--message", 3)
    assert (result.exit_code, "Messages with one: 0 to 2." in result.stderr) == (2, True)


def test_without_a_book_the_first_record_of_the_chat_counts(shop):
    greeting = GREETING | {"swipes": ["other", "x"], "swipe_id": 1, "variables": [None, kept(AT_FIRST)]}
    reply = REPLY | {"variables": {"0": kept(AT_FIRST)}}
    found = shop.json("vars", shop.chat([ASKED, greeting, reply]))

    assert [(one["message"], one["tree"], one["agrees"]) for one in found["messages"]] == [
        (1, AT_FIRST, True),
        (2, LATER, False),
    ]
    assert "another tree" in shop.run("vars", shop.chat([ASKED, greeting, reply])).stdout


def test_hidden_messages_counted_before_they_were_hidden(shop):
    found = shop.json("vars", shop.chat([GREETING | {"is_system": True}]), "--book", shop.book(INITIAL))

    assert found["messages"][0]["tree"]["hp"] == 90


def test_the_script_can_be_asked_for_with_its_slips(shop):
    chat = shop.chat(
        [GREETING | {"mes": "_.set('hp', 'full');"}, {"name": "Bo", "is_user": False, "mes": REPLY["mes"]}]
    )
    book = shop.book(INITIAL)

    careful, recorded = (shop.json("vars", chat, "--book", book, "--as", how) for how in ("careful", "recorded"))
    assert [one["tree"]["hp"] for one in careful["messages"]] == [100, 100]
    assert [one["tree"]["day"] for one in careful["messages"]] == [1, 2]
    assert [one["tree"]["hp"] for one in recorded["messages"]] == [None, None]
    assert [one["tree"]["day"] for one in recorded["messages"]] == [1, 1]


def test_a_card_that_checks_itself_is_played_without_checks(shop):
    scripts = [{"type": "script", "name": "schema", "content": "registerMvuSchema(Schema);"}]
    for extension in ({"TavernHelper_scripts": [{"value": scripts[0]}]}, {"tavern_helper": [["scripts", scripts]]}):
        book = {"entries": [{"keys": [], "content": INITIAL["content"], "comment": INITIAL["comment"], "id": 0}]}
        data = {"name": "Ana", "extensions": extension, "character_book": book}
        card = shop.write("ana.json", {"spec": "chara_card_v2", "spec_version": "2.0", "data": data})

        (one,) = shop.json("vars", shop.chat([REPLY]), "--card", card)["messages"]
        assert one["tree"] == {"hp": 100, "day": 2, "Ana": {"trust": 7}, "mana": 3}


@pytest.mark.parametrize("chat", [[], [ASKED], [GREETING]])
def test_a_chat_without_a_tree_says_so(shop, chat):
    shown = shop.run("vars", shop.chat(chat))

    assert shown.exit_code == 0
    assert "There is no tree" in shown.stdout
    assert shop.json("vars", shop.chat(chat))["messages"] == []


@pytest.mark.parametrize(
    "broken",
    [
        {"variables": 5},
        {"variables": [5, None]},
        {"variables": [{"stat_data": 5, "schema": 5}]},
        {"variables": [{"stat_data": {"a": None}, "schema": None, "initialized_lorebooks": 7}]},
        {"swipes": "no", "swipe_id": "x"},
        {"swipes": [1, None], "swipe_id": 99},
        {"swipes": [], "swipe_id": -1, "variables": {"0": []}},
        {"swipe_id": True, "swipes": ["a", "b"]},
    ],
)
def test_a_broken_record_is_no_traceback(shop, broken):
    assert shop.run("vars", shop.chat([GREETING | broken, ASKED, REPLY])).exit_code == 0


def test_initial_values_that_cannot_be_read_are_reported(shop):
    found = shop.json("vars", shop.chat([GREETING]), "--book", shop.book(INITIAL | {"content": "just words"}))

    assert [(one["code"], one["entry"]) for one in found["reports"]] == [("mvu_initial_not_object", "[InitVar] start")]


def test_a_tree_that_is_kept_without_rules_is_compared_too(shop):
    greeting = GREETING | {"variables": [{"stat_data": AT_FIRST}]}
    reply = REPLY | {"variables": [{"stat_data": AT_FIRST}]}
    found = shop.json("vars", shop.chat([greeting, reply]), "--book", shop.book(INITIAL))
    alone = shop.json("vars", shop.chat([greeting, reply]))

    assert [one["agrees"] for one in found["messages"]] == [True, False]
    assert alone["messages"][0]["tree"] == AT_FIRST
