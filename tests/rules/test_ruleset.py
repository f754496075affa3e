"""What a rules file may say, what is made of it, and what is told about it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.draw import HashDraw, hits
from lorewright.core.model import Book, Entry, Folder, Message, Odd, Turn
from lorewright.errors import FormatError
from lorewright.formats.imported import Notes
from lorewright.formats.native.emit import emit_yaml
from lorewright.formats.native.read import parse_native
from lorewright.rules import compile_rules, inject, read_rules
from lorewright.rules.book import restrictions
from lorewright.rules.fields import COMPUTED, FIELDS
from lorewright.rules.injection import compose
from lorewright.rules.save import edit_rules, without_computed
from tests.rules.prompts import TOOLS, reply, turn, user


def compiled(*entries, **defaults):
    return compile_rules({"entries": list(entries), "defaults": defaults}, TOOLS.regexes)


def codes(ruleset):
    return [(report.code, report.entry, report.field) for report in ruleset.reports]


def active(ruleset, *messages, **options):
    return [rule.id for rule in inject(turn(*messages, **options), ruleset, TOOLS).active]


def test_an_entry_with_nothing_but_an_id():
    (rule,) = compiled({"id": "a"}).rules

    assert {field.name: getattr(rule, field.attribute) for field in FIELDS.values()} == {
        "id": "a",
        "name": "",
        "enabled": True,
        "mode": "constant",
        "keys": (),
        "keySecondary": (),
        "keyLogic": "any",
        "caseSensitive": False,
        "wholeWords": False,
        "scanDepth": 2,
        "probability": 100,
        "seedSalt": "",
        "layer": "tool-policy",
        "channel": "system",
        "content": "",
        "replaces": (),
        "cacheUnsafe": False,
    }


def test_defaults_stand_for_what_is_left_out():
    ruleset = compiled({"id": "a"}, {"id": "b", "scanDepth": 1}, scanDepth=5, mode="selective", cacheSafe=False)

    assert [rule.scan_depth for rule in ruleset.rules] == [5, 1]
    assert [rule.route.effective for rule in ruleset.rules] == ["system", "system"]
    assert not ruleset.cache_safe


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        ({"mode": "green"}, "mode"),
        ({"keyLogic": "none"}, "keyLogic"),
        ({"channel": "both"}, "channel"),
        ({"layer": "top"}, "layer"),
        ({"keys": {"a": 1}}, "keys"),
        ({"keys": [["a"]]}, "keys"),
        ({"probability": "often"}, "probability"),
        ({"probability": True}, "probability"),
        ({"scanDepth": [2]}, "scanDepth"),
        ({"enabled": "perhaps"}, "enabled"),
        ({"content": ["a"]}, "content"),
        ({"replaces": [{"find": "a", "to": "b"}]}, "replaces"),
        ({"keys": ["/[/"], "mode": "selective"}, "keys"),
        ({"keySecondary": ["/a{2,1}/"]}, "keySecondary"),
        ({"replaces": [{"find": "a", "flags": "q"}]}, "replaces"),
    ],
)
def test_a_value_that_cannot_be_meant_costs_its_entry_only(entry, field):
    """Nothing is guessed: a mode that is misspelled must not make a text permanent."""
    ruleset = compiled({"id": "bad", "content": "x", **entry}, {"id": "good"})

    assert [rule.id for rule in ruleset.rules] == ["good"]
    assert codes(ruleset) == [("rule_not_loaded", "bad", field)]


def test_values_written_as_texts_and_null():
    (rule,) = compiled({"id": 7, "scanDepth": "4", "enabled": "no", "keys": "a", "layer": None, "content": 12}).rules

    assert (rule.id, rule.scan_depth, rule.is_enabled, rule.keys, rule.layer, rule.content) == (
        *("7", 4, False, ("a",), "tool-policy", "12"),
    )


def test_entries_that_are_none_and_ids_that_are_twice_or_missing():
    ruleset = compiled("text", {"id": "a"}, {"id": "a"}, {"content": "x"}, {"id": "entry-5"}, {"id": ""}, None)

    assert [rule.id for rule in ruleset.rules] == ["a", "entry-4", "entry-5", "entry-6"]
    assert ruleset.filled == {"entry-4", "entry-6"}
    assert ruleset.found == 7
    assert codes(ruleset) == [
        ("rule_not_loaded", "entry 1", ""),
        ("rule_not_loaded", "a", "id"),
        ("rule_without_id", "entry 4", "id"),
        ("rule_without_id", "entry 6", "id"),
        ("rule_not_loaded", "entry 7", ""),
    ]


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ({"mode": "selective"}, "rule_never_fires"),
        ({"mode": "selective", "keySecondary": ["a"]}, "rule_never_fires"),
        ({"mode": "selective", "keys": ["a"], "scanDepth": 0}, "rule_never_fires"),
        ({"content": "{{ a }}"}, "rule_reference"),
        ({"sortKey": 1}, "computed_field"),
        ({"probabilty": 1}, "unknown_field"),
        (
            {"mode": "selective", "keys": ["a"], "replaces": [{"find": "a", "target": "system"}]},
            "cache_hostile_replace",
        ),
    ],
)
def test_what_is_told(entry, code):
    ruleset = compiled({"id": "a", "channel": "message", **entry})

    assert codes(ruleset) == [(code, "a", codes(ruleset)[0][2])]
    assert len(ruleset.rules) == 1


def test_defaults_that_are_wrong_are_told():
    assert codes(compile_rules({"entries": [], "defaults": [1]}, TOOLS.regexes)) == [("bad_value", "", "defaults")]
    assert codes(compiled(content="x", mode="green")) == [("unknown_field", "", "content"), ("bad_value", "", "mode")]


@pytest.mark.parametrize("text", ["[]", "{}", "a: 1", '{"entries": {}}', '{"entries": null}', "x", "{", ""])
def test_what_is_no_rules_file(text):
    with pytest.raises(FormatError):
        read_rules(text, TOOLS.regexes)


# --- when entries are active


def test_the_last_messages_are_scanned():
    ruleset = compiled(
        {"id": "one", "mode": "selective", "keys": ["mill"], "scanDepth": 1},
        {"id": "two", "mode": "selective", "keys": ["mill"]},
        {"id": "none", "mode": "selective", "keys": ["/.*/", "mill"], "scanDepth": 0},
        {"id": "three", "mode": "selective", "keys": ["mill"], "scanDepth": 3},
    )

    assert active(ruleset, user("the mill")) == ["one", "two", "three"]
    assert active(ruleset, user("the mill"), reply("yes")) == ["two", "three"]
    assert active(ruleset, user("the mill"), reply("yes"), user("no")) == ["three"]


def test_a_message_begins_with_a_mark():
    ruleset = compiled({"id": "a", "mode": "selective", "keys": [r"/\x01hello/"]})

    assert active(ruleset, user("well"), reply("hello you")) == ["a"]
    assert active(ruleset, user("well, hello")) == []


def test_only_what_user_and_assistant_say_is_scanned():
    ruleset = compiled({"id": "a", "mode": "selective", "keys": ["mill"], "scanDepth": 9})
    hidden = Message("User", "the mill", hidden=True)
    others = [Message("x", "the mill", role) for role in ("system", "developer", "tool")]

    assert active(ruleset, hidden, *others, user("no")) == []


def test_names_are_not_scanned_and_texts_are_no_templates():
    ruleset = compiled(
        {"id": "name", "mode": "selective", "keys": ["User"]},
        {"id": "macro", "mode": "selective", "keys": ["{{user}}"]},
        {"id": "text", "channel": "message", "content": "@@activate\n{{user}}"},
    )
    injection = inject(turn(user("{{user}} is here")), ruleset, TOOLS)

    assert [rule.id for rule in injection.active] == ["name", "macro", "text"]
    assert injection.contexts[0].text == "@@activate\n{{user}}"
    assert active(ruleset, user("hi")) == ["text"]


def test_no_entry_activates_another():
    ruleset = compiled(
        {"id": "a", "mode": "selective", "keys": ["mill"], "content": "the dragon"},
        {"id": "b", "mode": "selective", "keys": ["dragon"], "content": "x" * 100_000},
        {"id": "c", "content": "y" * 100_000},
    )

    assert active(ruleset, user("the mill")) == ["a", "c"]
    assert active(ruleset, user("the dragon")) == ["b", "c"]


@given(session=st.text(max_size=8), number=st.integers(1, 50), salt=st.text(max_size=3), chance=st.integers(0, 100))
def test_draws_are_those_of_the_effective_channel(session, number, salt, chance):
    """A rerouted entry is drawn each turn, as its effective channel is; one in the system prompt once a session."""
    common = {"probability": chance, "seedSalt": salt, "content": "x"}
    ruleset = compiled(
        {"id": "kept", **common},
        {"id": "each", "channel": "message", **common},
        {"id": "routed", "mode": "selective", "keys": ["mill"], **common},
    )

    def drawn(rule, turn_name):
        return hits(HashDraw(session, turn_name, salt).number(rule, "probability", 0), chance)

    chosen = {rule.id for rule in inject(turn(user("mill"), session=session, number=number), ruleset, TOOLS).active}
    assert chosen == {
        name for name, when in (("kept", "session"), ("each", number), ("routed", number)) if drawn(name, when)
    }


def test_the_turn_is_the_number_of_the_users_messages():
    ruleset = compiled({"id": "green-a", "channel": "message", "probability": 50, "content": "x"})
    said = [user("a"), reply("b"), user("c")]

    assert active(ruleset, *said) == active(ruleset, user("z"), number=2)


# --- lorebooks of ours

BOOK = """\
lorewright: 1
name: yard
entries:
  - uid: 1
    title: Mill
    keys: [mill]
    secondary: [wind, water]
    logic: 3
    scan_depth: 1
    content: The mill stands still.
    channel: message
    replaces: [{find: stand, replace: '<$&>'}]
  - {uid: tail, constant: true, layer: tail, content: late, seed_salt: v2, probability: 30, use_probability: false}
  - {uid: 3, constant: true, content: secret, gate: {flag: told}}
  - {uid: 4, constant: true, content: one of two, group: pair}
  - {uid: 5, constant: true, content: x, layer: cellar}
"""


def test_a_lorebook_of_ours_is_read_as_rules():
    ruleset = read_rules(BOOK, TOOLS.regexes, "yard")
    mill, tail = ruleset.rules

    assert (mill.id, mill.name, mill.logic, mill.scan_depth, mill.route.effective) == ("1", "Mill", "all", 1, "message")
    assert (tail.layer, tail.seed_salt, tail.probability, tail.mode) == ("tail", "v2", 100, "constant")
    asked = inject(turn(user("the mill: wind and water")), ruleset, TOOLS)
    assert [context.text for context in asked.contexts] == ["The mill <stand>s still."]
    assert active(ruleset, user("the mill: wind")) == ["tail"]


def test_an_entry_that_something_else_restricts_is_not_loaded():
    """Without its gate or its group it would stand where it shall not."""
    ruleset = read_rules(BOOK, TOOLS.regexes, "yard")

    assert ruleset.found == 5
    assert [one for one in codes(ruleset) if one[0] == "rule_not_loaded"] == [
        ("rule_not_loaded", "3", "gate"),
        ("rule_not_loaded", "4", "group"),
        ("rule_not_loaded", "5", "layer"),
    ]


@pytest.mark.parametrize("gate", ["{flag: told}", "false", "0", "{}", "someday"])
def test_the_gate_of_a_book_closes_all_of_its_rules(gate):
    """Also one that is malformed."""
    gated = BOOK.replace("name: yard\n", f"name: yard\ngate: {gate}\n")

    assert read_rules(gated, TOOLS.regexes, "yard").rules == ()


def test_the_gate_of_a_folder_closes_what_is_in_it():
    inside, outside = Entry(uid=1, folder="f"), Entry(uid=2)

    for folders in ((Folder("f", gate=Odd(1)),), Odd("f")):
        book = Book("b", (inside, outside), folders=folders)
        assert restrictions(book, inside) == ["the gate of its folder"]
        assert restrictions(book, outside) == []
    assert restrictions(Book("b", (inside,), folders=(Folder("f"),)), inside) == []


def test_a_lorebook_is_saved_as_one():
    value: Any = parse_native(BOOK, Notes())
    value["entries"][0]["content"] = "It turns."

    assert edit_rules(BOOK, value) == BOOK.replace("The mill stands still.", "It turns.")


# --- properties

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**20) | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
ODD_ENTRY = st.dictionaries(st.sampled_from([*FIELDS, "colour"]), JSON, max_size=6)


@given(entries=st.lists(ODD_ENTRY | JSON, max_size=4), defaults=JSON | ODD_ENTRY)
def test_whatever_stands_in_a_file_it_can_be_used_or_is_told(entries, defaults):
    """Every entry is loaded, or a report says that it is not."""
    ruleset = compile_rules({"entries": entries, "defaults": defaults}, TOOLS.regexes)
    refused = [report for report in ruleset.reports if report.code == "rule_not_loaded"]

    assert len(ruleset.rules) + len(refused) == ruleset.found
    inject(turn(user("a b c")), ruleset, TOOLS)


ENTRY = st.fixed_dictionaries(
    {"id": st.sampled_from("abcdef"), "content": st.text("mild {}$\n", max_size=12)},
    optional={
        "mode": st.sampled_from(["constant", "selective"]),
        "keys": st.lists(st.sampled_from(["mill", "dragon", "/d.a/i", "a b", "龙"]), max_size=2),
        "channel": st.sampled_from(["system", "message"]),
        "layer": st.sampled_from(["tail", "policy", 3, -2.5]),
        "probability": st.integers(0, 100),
        "cacheUnsafe": st.booleans(),
        "extra": st.sampled_from([None, [1, {"a": "b"}], "text: with # signs", "two\nlines"]),
    },
)
VALUES = st.fixed_dictionaries(
    {"entries": st.lists(ENTRY, max_size=5, unique_by=lambda entry: entry["id"])},
    optional={"defaults": st.just({"cacheSafe": True}), "owner": st.sampled_from(["a", {"b": [1.5]}])},
)
MESSAGES = st.lists(st.builds(user, st.sampled_from(["a mill", "a dragon", "nothing", "龙"])), max_size=4)


@given(value=VALUES, one=MESSAGES, other=MESSAGES)
def test_the_system_prompt_of_a_session_never_changes_by_itself(value, one, other):
    """Unless an entry asks for it with `cacheUnsafe`."""
    for entry in value["entries"]:
        entry.pop("cacheUnsafe", None)
    ruleset = compile_rules(value, TOOLS.regexes)
    first, second = (inject(Turn(messages=tuple(said), session="s"), ruleset, TOOLS) for said in (one, other))

    assert first.sections == second.sections


@given(value=VALUES, messages=MESSAGES)
def test_what_is_injected_never_activates_anything(value, messages):
    ruleset = compile_rules(
        {"entries": [{**entry, "content": "mill dragon 龙"} for entry in value["entries"]]}, TOOLS.regexes
    )
    once = inject(turn(*messages, number=1), ruleset, TOOLS)
    again = inject(turn(*compose(once).messages, number=1), ruleset, TOOLS)

    assert again.active == once.active


@given(old=VALUES, new=VALUES)
def test_a_save_says_what_was_given_and_nothing_computed(old, new):
    for entry in new["entries"]:
        entry.update(dict.fromkeys(COMPUTED, 1))
    plain = without_computed(new)
    text = edit_rules(emit_yaml(old), plain)

    assert parse_native(text, Notes()) == plain
    assert not any(name in text for name in COMPUTED)
