"""What stands by its channel stays; chance, authority and profiles with channels (ADR 0026)."""

from dataclasses import replace
from itertools import pairwise

from lorewright import NATIVE, PROFILES
from lorewright.core.layers import Defaults
from lorewright.core.policy import LAYERED
from lorewright.testing.prefix import assert_prefix_kept
from tests.core.channels import SYSTEM, Chat, book, constant, keyed

UNSAFE_BOOK = {"defaults": Defaults(cache_safe=False)}


# -- frozen placement --------------------------------------------------------------------------------------------------


def test_nothing_moves_while_selective_entries_come_and_go():
    chat = Chat(
        constant(1, "tail.", layer="tail"),
        constant(2, "head.", layer="before-identity"),
        keyed(3, "crane", "crane.", channel="system"),
        keyed(4, "boat", "boat.", channel="message"),
        constant(5, "note.", channel="message"),
    )
    requests = [chat.say(text) for text in ("The crane", "So", "A boat", "Well", "The crane", "Bye")]

    assert_prefix_kept(requests)
    assert not [move for request in requests for move in request.moves]
    assert chat.users == ["crane.\n\nnote.\n\nThe crane", "So", "boat.\n\nA boat", "Well", "The crane", "Bye"]


def test_a_constant_of_the_system_prompt_that_comes_later_stands_at_the_newest_message():
    later = constant(2, "later.", layer="before-persona")
    chat = Chat(constant(1, "tail.", layer="tail"))
    requests = [chat.say("Hello")]
    chat.use(constant(1, "tail.", layer="tail"), later)
    requests.append(chat.say("Again"))

    assert_prefix_kept(requests)
    assert chat.top == [SYSTEM, "tail."]
    assert chat.users[-1] == "later.\n\nAgain"


def test_an_edited_layer_leaves_what_stands_where_it_is():
    one, two = constant(1, "one.", layer=1), constant(2, "two.", layer=2)
    chat = Chat(one, two)
    chat.say("Hello")
    chat.use(replace(one, layer=9), two, keyed(3, "crane", "live.", layer=5, cache_unsafe=True))
    chat.say("The crane")

    assert chat.top == [SYSTEM, "live.", "one.", "two."]  # before the first that belongs behind it
    assert chat.moves == [("entry_system", "b.3")]


def test_texts_of_one_turn_that_change_places_are_named():
    one, two = (keyed(uid, "crane", f"live {uid}.", channel="system", cache_unsafe=True) for uid in (1, 2))
    other = keyed(3, "crane", "live 3.", channel="system", cache_unsafe=True)
    chat = Chat(one, two, other)
    chat.say("The crane")
    chat.use(two, one, other)
    chat.say("The crane")

    assert chat.top == [SYSTEM, "live 2.", "live 1.", "live 3."]
    assert chat.moves == [("entry_system", "b.1"), ("entry_system", "b.2")]


def test_a_section_goes_when_somebody_switches_its_entry_off():
    one = constant(1, "one.", layer=-1)
    chat = Chat(one)
    chat.say("Hello")
    chat.use(replace(one, enabled=False))
    chat.say("Again")

    assert chat.top == [SYSTEM]
    assert chat.moves == [("entry_disabled", "b.1")]


def test_a_text_with_its_own_key_does_not_keep_itself_alive():
    """Only what is said is scanned, also where our text stands inside the user's message (spec §8.6)."""
    entry = keyed("self", "crane", "The crane is a crane.", channel="message", scan_depth=3)
    chat = Chat(entry, keyed("live", "crane", "crane crane", layer="tail", cache_unsafe=True, scan_depth=3))
    active = []
    for text in ("The crane", "So", "Well", "Yes"):
        woven = chat.say(text)
        active.append([item.entry.id for item in woven.assembly.activated])

    assert active == [["b.self", "b.live"], ["b.self", "b.live"], [], []]


# -- chance ------------------------------------------------------------------------------------------------------------


def outcomes(policy=NATIVE, turns=40, **fields):
    """In which turns of a conversation an entry with a chance of one half is active."""
    chat = Chat(
        books=[book(replace(keyed("x", "/./", "text", **fields), probability=50), **UNSAFE_BOOK)], policy=policy
    )
    safe = Chat(replace(keyed("x", "/./", "text", **fields), probability=50), policy=policy)
    return [[bool(one.say(f"Turn {n}", session="s").assembly.activated) for n in range(turns)] for one in (chat, safe)]


def test_the_draw_follows_the_channel_that_is_taken():
    """System prompt: once a session; at the newest message: each turn (spec §8.4). Two draws of a turn are the same."""
    unsafe, safe = outcomes(channel="system")
    message = outcomes(channel="message")

    assert len(set(unsafe)) == 1
    assert len(set(safe)) == 2
    assert safe == message[0] == message[1]


# -- authority ---------------------------------------------------------------------------------------------------------


def test_the_sentence_about_authority_stands_before_the_first_labelled_text_wherever_that_is():
    entries = [
        constant("tail", "tail.", layer="tail", authority="unverified"),
        constant("before", "position.", position=0, authority="authored"),
        constant("head", "head.", layer="before-identity", authority="session"),
        keyed("live", "crane", "live.", layer=-2000, authority="observed", cache_unsafe=True),
    ]
    chat = Chat(*entries)
    chat.say("Hello")
    calm = chat.top
    chat.say("The crane")

    assert calm[0].startswith("[Lore] What carries no label")
    assert calm[0].endswith("\n[session] head.")
    assert calm[1:] == [SYSTEM, "[authored] position.", "[unverified] tail."]
    assert chat.top[0].startswith("[Lore] What carries no label")
    assert chat.top[0].endswith("\n[observed] live.")
    assert chat.top[1:] == calm


def test_a_lower_tier_waits_while_a_higher_one_stands_in_the_system_prompt_too():
    high = constant("high", "high.", layer="tail", subject="bell", authority="canon")
    low = keyed("low", "bell", "low.", layer="tail", subject="bell", authority="unverified", cache_unsafe=True)
    chat = Chat(high)
    chat.say("Hello")
    chat.use(replace(high, constant=False, keys=("never",)), low)
    woven = chat.say("The bell")

    assert chat.top == [SYSTEM, "high."]
    assert [(item.entry, item.reason) for item in woven.waiting] == [("b.low", "lower_authority")]


# -- profiles ----------------------------------------------------------------------------------------------------------


def test_in_the_profile_layered_every_entry_has_a_channel_and_a_layer():
    chat = Chat(
        constant(1, "one.", position=4), keyed(2, "crane", "two."), constant(3, "three.", layer=1), policy=LAYERED
    )
    chat.say("Max and the CRANES")

    assert chat.top == [SYSTEM, "three.", "one."]
    assert chat.users == ["two.\n\nMax and the CRANES"]


def test_in_the_profile_layered_texts_are_texts_and_there_is_no_budget_and_no_recursion():
    long = "word " * 4000
    chat = Chat(
        constant(1, "@@activate\n{{user}} and {{outlet::x}}", channel="message"),
        constant(2, long + "crane", channel="message"),
        keyed(3, "crane", "three."),
        keyed(4, "{{user}}", "four."),
        keyed(5, "/(?:)/", "five.", scan_depth=0),
        keyed(6, "Max", "six."),
        policy=LAYERED,
    )
    chat.say("{{user}}", context_tokens=100)

    assert chat.users == [f"@@activate\n{{{{user}}}} and {{{{outlet::x}}}}\n\n{long}crane\n\nfour.\n\n{{{{user}}}}"]


def test_rows_have_no_channels_and_that_is_told():
    chat = Chat(constant(1, "text", channel="message"), constant(2, "text", layer=1), policy=PROFILES["risu"])
    reports = chat.say("Hello").assembly.reports

    assert [(report.code, report.entry, report.field) for report in reports] == [
        ("field_without_effect", "b.1", "channel"),
        ("field_without_effect", "b.2", "layer"),
    ]


def test_every_pair_of_requests_of_a_branch_names_what_moved():
    """Going back to a branch in which a live section stood: the move is named where it comes, not where it stood."""
    chat = Chat(keyed("live", "crane", "live.", layer="tail", cache_unsafe=True))
    chat.say("The crane")
    first = list(chat.said)
    requests = [chat.woven, *map(chat.say, ("So", "Well", "Yes"))]
    chat.said = first
    requests.append(chat.say("Another way"))

    for before, now in pairwise(requests):
        assert (before.messages[0] == now.messages[0]) is not ("entry_system" in [move.cause for move in now.moves])
