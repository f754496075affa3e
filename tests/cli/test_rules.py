"""The commands about rules files."""

import json

import pytest

from tests.rules.prompts import EVERYTHING


@pytest.fixture
def files(shop):
    chat = shop.write("chat.json", [{"role": "user", "content": "Is the Dragon at anchor?"}])
    return shop, shop.write("rules.yaml", EVERYTHING), chat


def test_check_names_what_is_wrong(files):
    shop, rules, _ = files
    done = shop.run("rules", "check", rules)

    assert done.exit_code == 1
    assert "broken-key" in done.stdout
    assert "cache_rerouted" in done.stdout
    assert [report["code"] for report in shop.json("rules", "check", rules)] == [
        *("unknown_field", "unknown_field", "rule_not_loaded", "rule_not_loaded", "cache_rerouted"),
    ]


def test_check_of_a_good_file(shop):
    assert shop.run("rules", "check", shop.write("r.json", {"entries": [{"id": "a", "content": "b"}]})).exit_code == 0


def test_show_lists_the_entries_with_their_badges(files):
    shop, rules, _ = files
    lines = shop.run("rules", "show", rules).stdout.splitlines()

    assert lines[0] == "16 entries, 14 loaded, 13 switched on"
    assert [line.split()[0] for line in lines[2:4]] == ["anchor-identity", "layer-early"]
    shown = shop.json("rules", "show", rules)
    assert shown["byChannel"] == {"system": 11, "message": 2}
    assert shown["cacheRouted"] == 1
    dragon = next(rule for rule in shown["rules"] if rule["id"] == "dragon")
    assert dragon == {
        "id": "dragon",
        "name": "",
        "enabled": True,
        "mode": "selective",
        "layer": "tool-policy",
        "channel": "system",
        "effectiveChannel": "message",
        "sortKey": [3150, 10, "dragon"],
        "badge": "rerouted",
    }


def test_render_shows_what_goes_where(files):
    shop, rules, chat = files
    text = shop.run("rules", "render", rules, "--chat", chat).stdout

    assert "== System prompt: lorebook-prompt:layer-late (10300)\n    late" in text
    assert "== Behind the conversation: lorebook-prompt:dragon (1010)\n    The dragon [sleeps|sleep]." in text
    assert "== The user's message, changed\n    Is the wyrm at anchor?" in text
    assert "off: the entry is switched off" in text

    shown = shop.json("rules", "render", rules, "--chat", chat)
    assert shown["contexts"][0] == {
        "name": "lorebook-prompt:dragon",
        "order": 1010,
        "text": "The dragon [sleeps|sleep].",
    }
    assert shown["changedMessages"] == ["Is the wyrm at anchor?"]
    assert shown["idle"] == [{"id": "off", "reason": "the entry is switched off"}]


def test_render_draws_by_seed_and_turn(shop):
    """Two of the recorded draws (`probability`): the same entry, session and turns."""
    entry = {"id": "提示", "channel": "message", "probability": 50, "content": "x"}
    rules, chat = shop.write("r.json", {"entries": [entry]}), shop.write("c.json", [{"role": "user", "content": "a"}])

    def rendered(turn):
        return shop.json("rules", "render", rules, "--chat", chat, "--seed", "sess-1", "--turn", turn)["active"]

    assert rendered(1) == ["提示"]
    assert rendered(2) == []
    assert (
        "No entry puts in a text."
        in shop.run("rules", "render", rules, "--chat", chat, "--turn", 2, "--seed", "sess-1").stdout
    )


def test_a_reference_that_the_host_would_refuse_does_not_stop_the_preview(shop):
    rules = shop.write("r.json", {"entries": [{"id": "a", "content": "{{cwd}} {{ x }}"}]})
    chat = shop.write("c.json", [{"role": "user", "content": "a"}])

    shown = shop.json("rules", "render", rules, "--chat", chat)
    assert shown["sections"][0]["text"] == "{{cwd}} {{ x }}"
    assert [report["code"] for report in shown["reports"]] == ["rule_reference"]


@pytest.mark.parametrize("content", ["", "[", "[]", json.dumps({"entries": 1}), "\x00"])
@pytest.mark.parametrize("command", ["check", "show"])
def test_what_is_no_rules_file(shop, command, content):
    done = shop.run("rules", command, shop.write("r.json", content))

    assert done.exit_code == 2
    assert done.stdout == ""
    assert "r.json" in done.stderr


@pytest.mark.parametrize(
    ("item", "says"),
    [
        ({"find": 3}, "`find` is the number 3 in item 2 of `replaces`"),
        ({"replace": "b"}, "`find` is missing in item 2 of `replaces`"),
        ({"find": ""}, "`find` is the text '' in item 2 of `replaces`"),
        ({"find": None}, "`find` is null in item 2 of `replaces`"),
        ({"find": "a", "replace": None, "target": "users"}, "`target` is the text 'users' in item 2 of `replaces`"),
        ({"find": "a", "flags": 0}, "`flags` is the number 0 in item 2 of `replaces`"),
        ({"find": "a", "with": "b"}, "`with` is the text 'b' in item 2 of `replaces`"),
        ("a", "the text 'a' is item 2 of `replaces`"),
    ],
)
def test_the_wrong_item_of_replaces_is_named(shop, item, says):
    entry = {"id": "a", "content": "x", "replaces": [{"find": "a", "replace": "b"}, item]}
    found = shop.run("rules", "check", shop.write("rules.json", {"entries": [entry]}), "--json")
    assert says in found.stdout


def test_the_gate_of_a_book_is_named_as_a_field(shop):
    gated = "lorewright: 1\nname: isles\ngate: {flag: met}\nentries:\n  - {uid: a, keys: [x], content: hi}\n"
    found = shop.run("rules", "check", shop.write("book.yaml", gated))
    assert "a gate: The entry is not loaded: rules do not know the gate of the book" in " ".join(found.stdout.split())
