"""Entries that say by their channel and layer where they stand in a chat (spec injection-engine §8, ADR 0026)."""

from dataclasses import replace

import pytest

from lorewright import NATIVE, PROFILES, SILLYTAVERN, Book
from lorewright.core.hosts import HOST_0_1_7
from lorewright.core.layers import Defaults
from tests.core.channels import SYSTEM, Chat, book, constant, keyed

UNSAFE_BOOK = {"defaults": Defaults(cache_safe=False)}
CLASSIC = replace(NATIVE, placement="sillytavern")


# -- order -------------------------------------------------------------------------------------------------------------


def test_layers_below_the_persona_stand_before_the_clients_text_and_all_others_behind_it():
    names = ["tail", "policy", "before-persona", "tool-policy", "before-identity", "after-persona"]
    chat = Chat(*(constant(name, f"{name}.", layer=name) for name in names))
    chat.say("Hello")

    assert chat.top == [
        "before-identity.",
        "before-persona.",
        SYSTEM,
        *("after-persona.", "policy.", "tool-policy.", "tail."),
    ]


def test_every_anchor_and_any_number_has_its_place():
    """The order is that of the numbers of spec §8.3; a number between two anchors stands between them."""
    numbers = {**HOST_0_1_7.layers, "mine": 701.5, "zero": 0, "last": 99999}
    layers = {name: name if name in HOST_0_1_7.layers else numbers[name] for name in numbers}
    chat = Chat(*(constant(name, name, layer=layers[name]) for name in reversed(list(numbers))))
    chat.say("Hello")
    ordered = sorted(numbers, key=lambda name: numbers[name])

    assert [text for text in chat.top if text != SYSTEM] == ordered
    assert chat.top.index(SYSTEM) == sum(order < 0 for order in numbers.values())


def test_of_one_layer_the_order_of_the_books_and_the_files_decides():
    books = [book(constant("z", "b z"), constant("a", "b a"), name="b"), book(constant("0", "a 0"), name="a")]
    books = [
        Book(one.name, tuple(replace(e, layer=5, order=9 - n) for n, e in enumerate(one.entries))) for one in books
    ]
    chat = Chat(books=books)
    chat.say("Hello")

    assert chat.top == [SYSTEM, "b z", "b a", "a 0"]


def test_texts_with_a_position_stand_before_all_layers():
    chat = Chat(constant(1, "layer.", layer=0), constant(2, "position.", position=1), constant(3, "head.", layer=-1))
    chat.say("Hello")

    assert chat.top == ["head.", SYSTEM, "position.", "layer."]


def test_texts_of_the_channel_message_stand_in_the_order_of_the_file():
    entries = [constant(n, f"note {n}.", channel="message", layer=-n, order=n) for n in (3, 1, 2)]
    chat = Chat(*entries, constant(9, "position.", position=4))
    chat.say("Hello")

    assert chat.users == ["position.\n\nnote 3.\n\nnote 1.\n\nnote 2.\n\nHello"]


def test_without_a_system_text_of_the_client_ours_is_one():
    chat = Chat(constant(1, "tail.", layer="tail"), constant(2, "head.", layer="before-persona"), system="")
    chat.say("Hello")

    assert chat.top == ["head.", "tail."]
    assert chat.users == ["Hello"]


def test_texts_can_stand_in_messages_of_their_own():
    policy = NATIVE.with_settings(replace(NATIVE.settings, form="message"))
    chat = Chat(
        constant(1, "tail.", layer="tail"),
        constant(2, "head.", layer="before-persona"),
        keyed(3, "crane", "live.", channel="system", cache_unsafe=True, layer=1),
        constant(4, "note.", channel="message"),
        policy=policy,
    )
    chat.say("The crane")

    assert chat.sent == [
        ("system", "head."),
        ("system", SYSTEM),
        ("system", "live.\n\ntail."),
        ("system", "note."),
        ("user", "The crane"),
    ]


@pytest.mark.parametrize("policy", [CLASSIC, SILLYTAVERN], ids=["native", "sillytavern"])
def test_under_the_classic_placement_they_stand_at_the_top_and_at_the_very_end(policy):
    positions = [
        constant(n, f"position {n}.", position=n, order=1, probability=100, use_probability=False) for n in (0, 1)
    ]
    slots = [
        constant(5, "tail.", layer="tail", order=1),
        constant(6, "head.", layer="before-identity", order=1),
        constant(7, "note.", channel="message", order=1),
    ]
    chat = Chat(*positions, *slots, policy=policy)
    chat.say("Hello")

    assert chat.sent == [
        ("system", "head.\nposition 0."),
        ("system", SYSTEM),
        ("system", "position 1.\ntail."),
        ("user", "Hello"),
        ("user", "note."),
    ]


# -- routes ------------------------------------------------------------------------------------------------------------


def test_a_selective_entry_of_the_system_prompt_takes_the_channel_message_and_that_is_told():
    entries = [keyed("one", "crane", "one.", channel="system"), keyed("two", "never", layer="tail")]
    others = [constant("three", layer=1), keyed("four", "x", channel="message"), keyed("five", "x", position=0)]
    chat = Chat(*entries, *others)
    woven = chat.say("The crane")

    assert chat.users == ["one.\n\nThe crane"]
    assert chat.top == [SYSTEM]
    (report,) = (report for report in woven.assembly.reports if report.code == "cache_rerouted")
    assert (report.level, report.field, report.book) == ("warning", "channel", "b")
    assert report.message.startswith("2 selective entries of the channel `system` take the channel `message`")
    assert "`b.one`, `b.two`." in report.message
    trace = woven.assembly.trace
    assert [entry.id for entry in trace.lore.rerouted] == ["b.one", "b.two"]
    assert {verdict.entry: verdict.badge for verdict in trace.all()} == {
        "b.one": "rerouted",
        "b.two": "rerouted",
        "b.three": None,
        "b.four": None,
        "b.five": None,
    }


def test_one_entry_is_told_as_one_and_one_that_is_switched_off_not_at_all():
    chat = Chat(keyed(1, "x", channel="system"), keyed(2, "x", channel="system", enabled=False))
    (report,) = chat.say("Hello").assembly.reports

    assert report.message.startswith("1 selective entry of the channel `system` takes the channel `message`")
    assert "`b.2`" not in report.message


@pytest.mark.parametrize("profile", ["native", "sillytavern", "layered"])
def test_books_without_slots_are_told_nothing(profile):
    entry = keyed(1, "crane", "one.", position=0, order=1, selective=True, use_probability=False)
    chat = Chat(entry, policy=PROFILES[profile])
    codes = [report.code for report in chat.say("The crane").assembly.reports]

    assert codes == (["cache_rerouted"] if profile == "layered" else [])


@pytest.mark.parametrize(
    ("entry", "defaults"), [({"cache_unsafe": True}, {}), ({}, UNSAFE_BOOK)], ids=["entry", "book"]
)
def test_who_says_that_it_may_cost_the_cache_gets_it_into_the_system_prompt(entry, defaults):
    live = keyed("live", "crane", "The crane is out of order.", channel="system", layer="policy", **entry)
    chat = Chat(books=[book(constant("tail", "tail.", layer="tail"), live, **defaults)])
    tops, moves = [], []
    for text in ("The crane?", "Why the crane?", "Well.", "So.", "The crane!"):
        chat.say(text)
        tops.append(chat.top)
        moves.append(chat.moves)

    on, off = [SYSTEM, "The crane is out of order.", "tail."], [SYSTEM, "tail."]
    named = [("entry_system", "b.live")]
    assert tops == [on, on, off, off, on]  # what is said now and the reply before are scanned
    assert moves == [[], [], named, [], named]
    assert {move.node for move in chat.woven.moves} == {chat.woven.path[0]}
    assert not [report for report in chat.woven.assembly.reports if report.code == "cache_rerouted"]


def test_a_section_that_changes_its_text_is_named_and_one_that_does_not_is_not():
    steady, clock = (
        constant(name, text, layer="tail", cache_unsafe=True)
        for name, text in (("steady", "It is."), ("clock", "{{time}}"))
    )
    chat = Chat(steady, clock)
    chat.say("Hello", clock_ms=0)
    same = chat.say("Again", clock_ms=0)
    other = chat.say("Later", clock_ms=60_000)

    assert same.moves == ()
    assert [(move.cause, move.entry) for move in other.moves] == [("entry_system", "b.clock")]
    assert chat.top == [SYSTEM, "It is.", "12:01 AM"]


def test_text_of_one_turn_stands_last_unless_it_may_cost_the_cache():
    chat = Chat(
        constant(1, "Now {{time}}.", layer="tail"), constant(2, "Always {{time}}.", layer="tail", cache_unsafe=True)
    )
    chat.say("Hello", clock_ms=0)

    assert chat.top == [SYSTEM, "Always 12:00 AM."]
    assert chat.users == ["Hello\n\nNow 12:00 AM."]


def test_a_live_section_is_not_placed_where_its_text_stands_already():
    """It was rerouted and stands; then a person lets it into the system prompt."""
    entry = keyed("one", "crane", "One.", channel="system")
    chat = Chat(entry)
    chat.say("The crane")
    chat.use(replace(entry, cache_unsafe=True))
    chat.say("The crane again")

    assert chat.top == [SYSTEM]
    assert chat.users[0] == "One.\n\nThe crane"
    assert chat.moves == []


@pytest.mark.parametrize("field", [{"channel": "sytem"}, {"channel": 3}, {"layer": "polcy"}, {"layer": True}])
def test_a_name_that_does_not_exist_is_told_and_counts_as_not_set(field):
    (name,) = field
    chat = Chat(constant(1, "Text.", position=0, **field))
    reports = chat.say("Hello").assembly.reports

    assert [(report.code, report.entry, report.field) for report in reports] == [(f"unknown_{name}", "b.1", name)]
    assert chat.top == [SYSTEM, "Text."]
    assert chat.woven.assembly.placed.before[0].text == "Text."


def test_null_and_blank_are_not_set():
    chat = Chat(constant(1, "Text.", position=1, channel=None, layer=" "))
    woven = chat.say("Hello")

    assert woven.assembly.reports == ()
    assert woven.assembly.placed.after[0].text == "Text."
