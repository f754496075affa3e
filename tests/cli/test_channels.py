"""Channels and layers on the command line: the report, the counts, the badge, the state file."""

import json

from lorewright.formats.native.read import read_native_text
from lorewright.formats.native.write import write_native

BOOK = """\
lorewright: 1
name: yard
entries:
- {uid: style, constant: true, layer: after-persona, content: Short sentences.}
- {uid: house, constant: true, layer: -7.5, content: In the yard.}
- {uid: deploy, title: Deploying, keys: [deploy], channel: system, content: Ask twice.}
- {uid: live, keys: [deploy], channel: system, cache_unsafe: true, content: Live.}
- {uid: note, constant: true, channel: message, content: Be kind.}
- {uid: off, keys: [x], channel: system, enabled: false}
- {uid: hide, constant: true, replaces: [{find: 'tok_\\w+', replace: tok, target: user}]}
"""
ASKED = [{"role": "system", "content": "You are Aria."}, {"role": "user", "content": "deploy tok_1"}]


def run(shop, *more, book=BOOK, chat=ASKED):
    return shop.json("weave", shop.write("yard.yaml", book), "--chat", shop.write("c.json", chat), *more)


def test_weave_counts_channels_and_says_where_each_text_stands(shop):
    answer = run(shop)

    assert answer["channels"] == {
        "declared": {"system": 4, "message": 1},
        "effective": {"system": 3, "message": 2},
        "rerouted": ["yard.deploy"],
    }
    assert answer["positions"]["system"] == [
        {"layer": -7.5, "content": "In the yard."},
        {"layer": 100, "content": "Short sentences."},
        {"layer": 3150, "content": "Live."},
    ]
    assert answer["positions"]["message"] == ["Ask twice.", "Be kind."]
    shown = {item["entry"]: (item["position"], item.get("layer"), item.get("badge")) for item in answer["activated"]}
    assert shown == {
        "yard.style": ("system", 100, None),
        "yard.house": ("system", -7.5, None),
        "yard.deploy": ("message", None, "rerouted"),
        "yard.live": ("system", 3150, None),
        "yard.note": ("message", None, None),
        "yard.hide": (None, None, None),
    }
    assert [message["content"] for message in answer["messages"]] == [
        "In the yard.\n\nYou are Aria.\n\nShort sentences.\n\nLive.",
        "Ask twice.\n\nBe kind.\n\ndeploy tok",
    ]
    assert [(report["code"], report["level"]) for report in answer["reports"]] == [("cache_rerouted", "warning")]


def test_people_see_layers_by_name_and_number_and_the_report(shop):
    result = shop.run("weave", shop.write("yard.yaml", BOOK), "--chat", shop.write("c.json", ASKED))
    headings = [line for line in result.stdout.splitlines() if line.startswith("== ")]

    assert headings[:5] == [
        "== System prompt, layer -7.5",
        "== System prompt, layer after-persona (100)",
        "== System prompt, layer tool-policy (3150)",
        "== Channel message",
        "== Reports",
    ]
    assert "1 selective entry of the channel `system` takes the channel `message`" in result.stdout


def test_the_default_of_a_book_keeps_selective_entries_in_the_system_prompt(shop):
    for name in ("cache_safe", "cacheSafe"):
        answer = run(shop, book=BOOK.replace("entries:", f"defaults: {{{name}: false}}\nentries:"))

        assert answer["channels"]["rerouted"] == []
        assert answer["channels"]["effective"] == {"system": 4, "message": 1}
        assert answer["messages"][0]["content"].endswith("Ask twice.\n\nLive.")
        assert answer["reports"] == []


def test_a_book_in_json_says_the_same(shop):
    text = write_native(read_native_text(BOOK).value, "json")
    found = shop.json("weave", shop.write("yard.json", text), "--chat", shop.write("c.json", ASKED))

    assert found["messages"] == run(shop)["messages"]


def test_explain_shows_the_badge(shop):
    args = ("explain", shop.write("yard.yaml", BOOK), "--all", "--chat", shop.write("c.json", ASKED))

    assert {item["entry"]: item.get("badge") for item in shop.json(*args)} == {
        f"yard.{uid}": "rerouted" if uid in ("deploy", "off") else None
        for uid in ("style", "house", "deploy", "live", "note", "off", "hide")
    }
    assert "takes the channel `message` in place of `system` (rerouted)" in shop.run(*args).stdout


def test_a_state_file_keeps_what_was_made_of_messages_and_of_the_system_prompt(shop):
    state = shop.folder / "s.json"
    run(shop, "--state", state)
    later = [*ASKED, {"role": "assistant", "content": "Yes."}, {"role": "user", "content": "Well, well"}]
    answer = run(shop, "--state", state, chat=later)

    assert [message["content"] for message in answer["messages"]] == [
        "In the yard.\n\nYou are Aria.\n\nShort sentences.",
        "Ask twice.\n\nBe kind.\n\ndeploy tok",
        "Yes.",
        "Well, well",
    ]
    assert [(move["cause"], move["entry"]) for move in answer["moves"]] == [("entry_system", "yard.live")]


def test_a_damaged_state_file_is_refused(shop):
    state = shop.folder / "s.json"
    run(shop, "--state", state)
    whole = json.loads(state.read_text("utf-8"))
    for name, value in (("rewording", {"text": "x"}), ("rewording", {"text": 1, "entries": ["a"], "source": ""})):
        node = {**whole["nodes"][0], name: value}
        state.write_text(json.dumps({**whole, "nodes": [node]}), "utf-8")
        result = shop.run("weave", shop.write("y.yaml", BOOK), "--chat", shop.write("c.json", ASKED), "--state", state)
        assert result.exit_code == 2
        assert "nodes[0].rewording" in result.stderr


def test_check_tells_what_it_finds_in_slots_and_replacements(shop):
    book = BOOK + "- {uid: bad, keys: [a], channel: mesage, layer: polcy, replaces: [{find: '('}]}\n"
    found = shop.json("check", shop.write("yard.yaml", book))

    assert [(item["code"], item["field"]) for item in found if item["entry"] == "yard.bad"] == [
        ("unknown_channel", "channel"),
        ("unknown_layer", "layer"),
        ("replaces_not_usable", "replaces"),
    ]


def test_check_names_what_costs_the_prompt_cache(shop):
    book = (
        BOOK + "- {uid: swap, keys: [a], content: x, replaces: [{find: a, target: system}, {find: b, target: user}]}\n"
    )
    book += "- {uid: calm, constant: true, content: x, replaces: [{find: a, target: system}]}\n"
    found = shop.json("check", shop.write("yard.yaml", book))
    costs = [(item["code"], item["entry"], item["field"]) for item in found if item["code"].startswith("cache_")]

    assert costs == [("cache_rerouted", "yard.deploy", "channel"), ("cache_hostile_replace", "yard.swap", "replaces")]


def test_the_profile_layered_plays_a_book_without_channels(shop):
    book = "lorewright: 1\nname: b\nentries:\n- {uid: 1, keys: [dragons], content: '{{user}}'}\n- {uid: 2, constant: true, content: Two}\n"
    answer = run(shop, "--profile", "layered", book=book, chat=[{"role": "user", "content": "DRAGONS!"}])

    assert answer["profile"] == "layered"
    assert answer["placement"] == "frozen"
    assert answer["channels"]["rerouted"] == ["b.1"]
    assert answer["messages"] == [
        {"role": "system", "content": "Two"},
        {"role": "user", "content": "{{user}}\n\nDRAGONS!"},
    ]
