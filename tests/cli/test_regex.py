"""`--regex`, `--card-regex`, `--raw-chat`: regex scripts from files and cards, run on a chat and on lore."""

import json

import pytest

PLAIN = {"role": "user", "content": "I saw a dragon."}
ENTRY = {"constant": True, "content": "A dragon sleeps here."}


def script(pattern, replacement="", **more):
    return {
        "scriptName": "s",
        "findRegex": pattern,
        "replaceString": replacement,
        "placement": [1, 2, 5],
        "trimStrings": [],
        "disabled": False,
        "markdownOnly": False,
        "promptOnly": True,
        "substituteRegex": 0,
        **more,
    }


def preset(*scripts):
    return {"prompts": [], "prompt_order": [], "temperature": 1, "extensions": {"regex_scripts": list(scripts)}}


def card(*scripts, **more):
    book = {"name": "lore", "entries": [{"keys": [], "content": "A card.", "constant": True, "enabled": True}]}
    data = {"name": "Ana", "extensions": {"regex_scripts": list(scripts)}, "character_book": book, **more}
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}


def contents(answer):
    return [message["content"] for message in answer["messages"]]


def codes(answer):
    return [report["code"] for report in answer["reports"]]


@pytest.fixture
def world(shop):
    return shop.book(ENTRY)


def test_scripts_change_messages_and_lore(shop, world):
    chat = shop.write("chat.json", [PLAIN])
    answer = shop.json("weave", world, "--chat", chat, "--regex", shop.write("s.json", script("/dragon/", "lizard")))

    assert contents(answer) == ["A lizard sleeps here.", "I saw a lizard."]
    assert answer["activated"][0]["text"] == "A lizard sleeps here."
    assert codes(answer) == []


def test_scripts_alone_run_before_those_of_presets_and_those_of_the_card_last(shop, world):
    files = [
        shop.write("preset.json", preset(script("/1/", "2"))),
        shop.write("list.json", [script("/a/", "1"), script("/0/", "never")]),
    ]
    hero = shop.write("hero.json", card(script("/2/", "3")))
    chat = shop.write("chat.json", [{"role": "user", "content": "a"}])
    words = ["weave", world, "--chat", chat, "--card", hero, *(word for file in files for word in ("--regex", file))]

    assert contents(shop.json(*words, "--card-regex"))[-1] == "3"
    plain = shop.json(*words)
    assert contents(plain)[-1] == "2"
    (report,) = [report for report in plain["reports"] if report["code"] == "script_inert"]
    assert (report["level"], "--card-regex" in report["message"]) == ("info", True)


def test_a_card_among_the_books_counts_too(shop):
    hero = shop.write("hero.json", card(script("/card/", "hero")))
    chat = shop.write("chat.json", [PLAIN])

    answer = shop.json("weave", "--book", f"character:{hero}", "--chat", chat, "--card-regex")

    assert contents(answer)[0] == "A hero."
    assert "script_inert" not in codes(answer)


def test_a_chat_of_sillytavern_has_been_changed_by_scripts_that_change_messages(shop, world):
    files = ["--regex", shop.write("s.json", [script("/mill/", "MILL", promptOnly=False), script("/old/", "OLD")])]
    words = ["weave", world, "--chat", shop.chat(), *files]

    once, raw = shop.json(*words), shop.json(*words, "--raw-chat")

    assert [contents(one)[1] for one in (once, raw)] == ["Is the OLD mill haunted?", "Is the OLD MILL haunted?"]
    assert codes(once) == ["regex_ran_already"]
    assert codes(raw) == []
    requests = shop.write("chat.json", [{"role": "user", "content": "A mill."}])
    assert contents(shop.json("weave", world, "--chat", requests, *files))[-1] == "A MILL."


def test_scripts_for_display_only_never_reach_a_prompt(shop, world):
    chat = shop.write("chat.json", [PLAIN])
    shown = script("/dragon/", "<b>dragon</b>", promptOnly=False, markdownOnly=True)

    answer = shop.json("weave", world, "--chat", chat, "--regex", shop.write("s.json", shown))

    assert contents(answer) == ["A dragon sleeps here.", "I saw a dragon."]


def test_the_state_file_keeps_what_a_message_became(shop, world):
    dice = shop.write("s.json", script("/dragon/", "{{roll::1d1000000}}{{setvar::seen::1}}"))
    messages = [PLAIN, {"role": "assistant", "content": "Oh."}, {"role": "user", "content": "And?"}]
    state = str(shop.folder / "state.json")
    words = ("--regex", dice, "--state", state)
    first = shop.json("weave", world, "--chat", shop.write("1.json", messages[:1]), *words)
    second = shop.json("weave", world, "--chat", shop.write("2.json", messages), *words)

    rolled = contents(first)[-1].split("\n\n")[0]
    assert rolled.startswith("I saw a ")
    assert contents(second)[0] == rolled
    assert second["moves"] == []
    nodes = json.loads((shop.folder / "state.json").read_text())["nodes"]
    assert [step["writes"] for node in nodes for step in node.get("steps", [])] == [[["local", "seen", "1"]]]
    other = shop.json("weave", world, "--chat", shop.write("3.json", messages), "--state", state)
    assert contents(other)[0] == "I saw a dragon."
    assert [move["cause"] for move in other["moves"]] == ["policy_change"]


@pytest.mark.parametrize(
    "broken",
    [
        {"steps": 3},
        {"steps": [3]},
        {"steps": [{"text": "x"}]},
        {"steps": [{"script": "x", "text": 1}]},
        {"steps": [{"script": "x", "text": "", "writes": 1}]},
        {"steps": [{"script": "x", "text": "", "writes": [["nowhere", "a", 1]]}]},
        {"steps": [{"script": "x", "text": "", "writes": [["local"]]}]},
        {"scripts": 1},
    ],
    ids=str,
)
def test_a_state_file_with_other_steps_is_refused(shop, world, broken):
    chat = shop.write("chat.json", [PLAIN])
    state = {"sticky": {}, "cooldown": {}, "nodes": [{"key": "k", "parent": "", "digest": "d", **broken}]}

    result = shop.run("weave", world, "--chat", chat, "--state", shop.write("state.json", state))

    assert result.exit_code == 2
    assert "nodes[0].s" in result.stderr


def test_a_removed_variable_is_kept_in_the_state_file(shop, world):
    remove = shop.write("s.json", script("/dragon/", "$0{{deletevar::a}}"))
    state = str(shop.folder / "state.json")
    chat = shop.write("1.json", [PLAIN])
    for _ in range(2):
        shop.json("weave", world, "--chat", chat, "--regex", remove, "--state", state, "--var", "a=1")

    steps = [step for node in json.loads((shop.folder / "state.json").read_text())["nodes"] for step in node["steps"]]
    assert [step["writes"] for step in steps] == [[["local", "a"]]]


def test_a_ledger_repeats_it_and_tells_who_changed_what(shop, world):
    ledger = str(shop.folder / "a.ledger")
    chat = shop.write("chat.json", [PLAIN])
    files = ("--regex", shop.write("s.json", script("/dragon/", "lizard")))
    shop.json("weave", world, "--chat", chat, *files, "--ledger", ledger)
    shop.json("weave", world, "--chat", chat, "--ledger", ledger)

    assert [turn["outcome"] for turn in shop.json("ledger", "replay", ledger)] == ["same", "same"]
    shown = shop.json("ledger", "show", ledger, "1")
    assert "rewritten" in json.dumps(shown)
    difference = shop.json("ledger", "diff", ledger, "1", "2")
    assert (difference["policy"][0]["name"], difference["policy"][0]["after"]) == ("scripts", [])
    assert "scripts" in shop.run("ledger", "diff", ledger, "1", "2").stdout


@pytest.mark.parametrize("command", ["explain", "cache-sim"])
def test_other_commands_take_them_too(shop, world, command):
    chat = shop.chat()
    files = ("--regex", shop.write("s.json", script("/dragon/", "lizard")))
    words = ["explain", world, "--all", "--chat", chat] if command == "explain" else ["cache-sim", chat, world]

    assert shop.run(*words, *files).exit_code == 0


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (preset(), "there is no regex script in it"),
        ({"type": "regex", "data": [{"comment": "r", "in": "a", "out": "b", "type": "editinput"}]}, "RisuAI's"),
        ({"entries": {}}, "Wanted here: a preset, a template or a script"),
        ([], "no"),
        ("{", ""),
    ],
    ids=["none", "risu", "book", "empty", "broken"],
)
def test_a_file_without_scripts_is_refused(shop, world, content, told):
    path = shop.write("s.json", content)

    result = shop.run("weave", world, "--chat", shop.chat(), "--regex", path)

    assert result.exit_code == 2
    assert path in result.stderr
    assert told in result.stderr


def test_without_a_card_its_scripts_cannot_be_allowed(shop, world):
    result = shop.run("weave", world, "--chat", shop.chat(), "--card-regex")

    assert result.exit_code == 2
    assert "--card" in result.stderr


def test_a_script_that_cannot_work_is_told_once(shop, world):
    chat = shop.write("chat.json", [PLAIN])
    answer = shop.json("weave", world, "--chat", chat, "--regex", shop.write("s.json", script("/(/", "x")))

    assert contents(answer)[-1] == "I saw a dragon."
    assert codes(answer) == ["regex_invalid"]


def test_scripts_that_change_no_prompt_are_named_with_the_reason(shop, world):
    scripts = [
        script("/dragon/", "lizard", scriptName="off", disabled=True),
        script("", "lizard", scriptName="empty"),
        script("/dragon/", "lizard", scriptName="slash", placement=[3]),
        script("/dragon/", "lizard", scriptName="shown", promptOnly=False, markdownOnly=True),
        script("/saw/", "met", scriptName="works", markdownOnly=True),
    ]
    chat = shop.write("chat.json", [PLAIN])
    answer = shop.json("weave", world, "--chat", chat, "--regex", shop.write("s.json", scripts))

    assert contents(answer)[1] == "I met a dragon."
    (told,) = answer["reports"]
    assert told["code"] == "regex_without_effect"
    reasons = (
        "`off` (switched off), `empty` (no pattern), `slash` (not for messages or lore), `shown` (only for display)"
    )
    assert told["message"] == f"4 regex scripts do nothing to a prompt: {reasons}."


@pytest.mark.parametrize("command", ["weave", "cache-sim"])
@pytest.mark.parametrize("of_card", [False, True])
def test_a_pattern_that_is_none_is_said_once_in_words_of_the_user(shop, world, command, of_card):
    broken = script("/(dragon/", "lizard")
    path = shop.write("ana.json", card(broken)) if of_card else shop.write("s.json", broken)
    options = ["--card", path, "--card-regex"] if of_card else ["--regex", path]

    chat = shop.write("chat.json", [PLAIN])
    words = [chat, "--book", world] if command == "cache-sim" else [world, "--chat", chat]
    answer = shop.json(command, *words, *options)

    assert [one["code"] for one in answer["reports"] if one["level"] != "info"] == ["regex_invalid"]
    shown = shop.run(command, *words, *options).stdout
    assert shown.count("is no regular expression") == 1
    assert "ecmaregex" not in shown


def test_replacements_that_cannot_be_made_name_no_part_of_the_program(shop):
    book = shop.write(
        "b.yaml",
        "lorewright: 1\nname: b\nentries:\n- uid: 1\n  constant: true\n  content: x\n  replaces:\n  - {find: '(', replace: y}\n",
    )

    (report,) = shop.json("weave", book, "--chat", shop.chat())["reports"]

    assert report["code"] == "replaces_not_usable"
    assert "ecmaregex" not in report["message"]
