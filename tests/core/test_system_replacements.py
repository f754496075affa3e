"""What entries replace in the system prompt and in their own texts, and what cannot be made (spec injection-engine §8.6)."""

from dataclasses import replace
from itertools import pairwise

import pytest

from lorewright import NATIVE, Message, State, Turn, assemble, make_tools
from lorewright.core.model import Odd
from lorewright.core.policy import LAYERED
from lorewright.core.replaces import Allowance, Done, Replace
from lorewright.core.rewriting import Rewriter
from lorewright.formats.native.read import read_native_text
from lorewright.rules import inject, read_rules
from lorewright.rules.injection import arrange
from lorewright.testing.prefix import assert_prefix_kept
from tests.core.channels import SYSTEM, TOOLS, Chat, constant, keyed

CLASSIC = replace(NATIVE, placement="sillytavern")
HIDE = constant("hide", replaces=(Replace(r"tok_\w+", "tok_…", "user"),))


def rule(find, into, target="user", **fields):
    return Replace(find, into, target, **fields)


# -- the system prompt -------------------------------------------------------------------------------------------------


def test_the_clients_system_texts_and_ours_are_replaced_each_by_itself():
    chat = Chat(
        constant("swap", replaces=(rule("^You", "We", "system"), rule("Aria", "Bo", "system"))),
        constant("tail", "You and Aria.", layer="tail"),
        constant("place", "For Aria.", position=0),
        constant("note", "Aria at the message.", channel="message"),
        keyed("live", "crane", "You, Aria?", layer=-1, cache_unsafe=True),
    )
    chat.say("The crane and Aria")

    assert chat.top == ["We, Bo?", "We are Bo.", "For Bo.", "We and Bo."]
    assert chat.users == ["Aria at the message.\n\nThe crane and Aria"]


def test_under_the_classic_placement_too():
    chat = Chat(
        constant("swap", replaces=(rule("Aria", "Bo", "system"),)),
        constant("before", "Aria 0.", position=0),
        constant("after", "Aria 1.", position=1),
        constant("tail", "Aria t.", layer="tail"),
        policy=CLASSIC,
    )
    chat.say("Aria")

    assert chat.sent == [
        ("system", "Bo 0."),
        ("system", "You are Bo."),
        ("system", "Bo 1.\nBo t."),
        ("user", "Aria"),
    ]


def test_system_texts_later_in_the_chat_are_left_alone():
    chat = Chat(constant("swap", replaces=(rule("Aria", "Bo", "system"),)))
    chat.said = [Message("Max", "Hello"), Message("", "Aria is tired.", "system")]
    chat.send()

    assert chat.sent == [("system", "You are Bo."), ("user", "Hello"), ("system", "Aria is tired.")]


def test_outlets_are_filled_in_afterwards():
    chat = Chat(
        constant("swap", replaces=(rule("HERE", "{{outlet::people}}", "system"),)),
        constant("ann", "Ann is HERE.", position=7, outlet="people"),
        system="You are Aria. HERE",
    )
    chat.say("Hello")

    assert chat.top == ["You are Aria. Ann is {{outlet::people}}."]


def test_a_replacement_that_comes_or_goes_is_named_if_it_changes_anything():
    chat = Chat(
        keyed("swap", "crane", replaces=(rule("Aria", "Bo", "system"),)),
        keyed("idle", "crane", replaces=(rule("nobody", "x", "system"),)),
    )
    moves = []
    for text in ("Hello", "The crane", "So", "Well"):
        chat.say(text)
        moves.append((chat.top[0], chat.moves))

    named = [("entry_system", "b.swap")]
    assert moves == [(SYSTEM, []), ("You are Bo.", named), (SYSTEM, named), (SYSTEM, [])]


def test_one_that_is_always_there_moves_nothing_and_a_changed_client_text_is_the_clients():
    chat = Chat(constant("swap", replaces=(rule("Aria", "Bo", "system"),)), constant("tail", "Aria.", layer="tail"))
    requests = [chat.say("Hello"), chat.say("So")]
    chat.system = "You are Aria, the pilot."
    changed = chat.say("Well")

    assert_prefix_kept(requests)
    assert requests[1].moves == ()
    assert [(move.cause, move.entry) for move in changed.moves] == [("client_system", "")]
    assert chat.top == ["You are Bo, the pilot.", "Bo."]


def test_records_keep_their_own_words():
    swap, tail = (
        keyed("swap", "crane", replaces=(rule("Aria", "Bo", "system"),)),
        constant("tail", "Aria.", layer="tail"),
    )
    chat = Chat(swap, tail)
    chat.say("The crane")
    with_it = chat.top
    chat.say("So")

    assert (with_it, chat.top) == (["You are Bo.", "Bo."], [SYSTEM, "Aria."])


def test_every_pair_of_neighbours_is_explained():
    chat = Chat(
        keyed("swap", "crane", replaces=(rule("Aria", "Bo", "system"),)),
        keyed("live", "boat", "live.", layer=-1, cache_unsafe=True),
        constant("tail", "Aria.", layer="tail"),
    )
    requests = [chat.say(text) for text in ("crane", "boat", "crane boat", "so", "boat", "crane boat")]

    assert_prefix_kept(requests)
    for before, now in pairwise(requests):
        assert (before.messages[0].content == now.messages[0].content) is not bool(now.moves)


# -- the entry's own text ----------------------------------------------------------------------------------------------


def test_an_entrys_own_text_is_replaced_after_its_macros_and_before_it_is_counted_and_scanned():
    chat = Chat(
        constant(
            "own",
            "{{user}} has colour",
            layer=1,
            replaces=(rule("Max", "Ann", "content"), rule("colou?r", "crane", "content")),
        ),
        keyed("called", "crane", "Called.", channel="message"),
        keyed("not", "colour", "Not.", channel="message"),
    )
    woven = chat.say("Hello", user="Max")

    assert chat.top == [SYSTEM, "Ann has crane"]
    assert chat.users == ["Called.\n\nHello"]
    (own, _) = woven.assembly.activated
    assert TOOLS.counter.count(own.text) + TOOLS.counter.count("Called.") == woven.assembly.used_tokens


def test_an_edited_rule_of_an_entrys_own_text_is_an_edited_entry():
    own = keyed("own", "crane", "colour", replaces=(rule("colour", "red", "content"),))
    chat = Chat(own)
    chat.say("The crane")
    chat.use(replace(own, replaces=(rule("colour", "blue", "content"),)))
    chat.say("The crane")

    assert chat.users == ["red\n\nThe crane", "[This replaces the earlier note that begins “red”.]\nblue\n\nThe crane"]


def test_only_its_own_text_and_no_other_entrys():
    chat = Chat(constant("own", "a", layer=1, replaces=(rule("a", "b", "content"),)), constant("other", "a", layer=2))
    chat.say("a")

    assert chat.top == [SYSTEM, "b", "a"]
    assert chat.users == ["a"]


# -- what cannot be made ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "replaces",
    [(Replace("("),), (rule("a", "b"), rule("b", "c", flags="gg")), Odd("a"), Odd([{"find": "a", "target": "all"}])],
    ids=["pattern", "flags", "text", "target"],
)
@pytest.mark.parametrize("policy", [NATIVE, LAYERED], ids=["native", "layered"])
def test_an_entry_whose_replacements_cannot_be_made_is_not_used_and_the_others_are(replaces, policy):
    chat = Chat(
        constant("bad", "Secret.", layer=1, replaces=replaces), constant("good", "Good.", layer=2), policy=policy
    )
    woven = chat.say("ab")

    assert chat.top == [SYSTEM, "Good."]
    assert chat.users == ["ab"]
    (report,) = woven.assembly.reports
    assert (report.code, report.level, report.entry, report.field) == (
        "replaces_not_usable",
        "error",
        "b.bad",
        "replaces",
    )
    assert woven.assembly.trace.why("b.bad").reason.code == "broken_replaces"


def test_one_that_explodes_is_given_up_and_told_and_the_others_have_their_time():
    """The pattern backtracks for ever in its group that refers to itself; half a second is its limit."""
    chat = Chat(
        constant("slow", replaces=(rule(r"^(?:(a+)+\1)+$", "x"),)),
        constant("quick", replaces=(rule("b", "c"),)),
    )
    woven = chat.say("a" * 40 + "b")

    assert chat.users == ["a" * 40 + "c"]
    assert [(report.code, report.entry) for report in woven.assembly.reports] == [("replace_given_up", "b.slow")]


def test_all_replacements_of_a_turn_share_one_allowance_of_characters():
    """4,000,000 characters for one, 8,000,000 for all: what the entries' own texts take is not there for the user's."""
    big = rule(".", "x" * 4_000_000, "content")
    chat = Chat(*(constant(n, "a", replaces=(big,), ignore_budget=True) for n in range(2)), HIDE)
    woven = chat.say("tok_1")

    assert [(report.code, report.entry) for report in woven.assembly.reports] == [("replace_given_up", "b.hide")]
    assert chat.users[0].endswith("tok_1")


def test_assemble_alone_makes_the_entries_own_texts():
    chat = Chat(constant("own", "a", replaces=(rule("a", "b", "content"),)))
    assembly = assemble(Turn(messages=(Message("Max", "Hello"),)), chat.lore, State(), make_tools())

    assert [item.text for item in assembly.activated] == ["b"]


# -- the same as in a rules file ---------------------------------------------------------------------------------------

RULES = """\
lorewright: 1
name: b
entries:
- {uid: tail, constant: true, layer: tail, content: tail one}
- {uid: mail, keys: [mail], channel: message, content: 'ask one', replaces: [{find: one, replace: '<$&>'}]}
- {uid: route, keys: [crane], content: routed one}
- {uid: unsafe, keys: [crane], cache_unsafe: true, layer: 50, content: unsafe one}
- {uid: hide, constant: true, layer: -5, replaces: [{find: 'tok_(\\w+)', replace: '[$1]', target: user}]}
- {uid: later, constant: true, replaces: [{find: '\\[', replace: '(', target: user}]}
- {uid: swap, constant: true, replaces: [{find: one, replace: two, target: system}]}
- {uid: first, constant: true, layer: before-identity, content: first one}
"""


@pytest.mark.parametrize("text", ["Hello", "The crane with tok_1", "mail tok_2 and a crane", "mail"])
def test_a_book_is_played_in_a_chat_as_a_rules_file_is_in_an_agent(text):
    """The same file through both ways: sections and snapshot of an agent host, system prompt and messages of a chat."""
    turn = Turn(messages=(Message("Max", text),), session="s")
    injection = inject(turn, read_rules(RULES, TOOLS.regexes, "b"), TOOLS)
    sections = [section.text for section in arrange(injection).prompt.sections]
    chat = Chat(books=[read_native_text(RULES).value], policy=LAYERED, system="")
    chat.say(text)

    assert chat.top == sections
    assert chat.users[0].split("\n\n") == [
        *(context.text for context in injection.contexts),
        injection.messages[0].text,
    ]


# -- what is said of them ----------------------------------------------------------------------------------------------


def told(chat, entry):
    """Target, pattern, how many times, why given up."""
    return [
        (*(getattr(one.replace, n) for n in ("target", "find")), one.times, one.given_up)
        for one in replaced(chat, entry)
    ]


def replaced(chat, entry):
    return chat.woven.assembly.trace.why(f"b.{entry}").replaced


def test_the_verdict_counts_what_an_entry_has_replaced_in_all_texts_of_a_target():
    chat = Chat(
        constant(
            "swap",
            "cat, cat",
            replaces=(
                rule("cat", "dog", "content"),
                rule("Aria|Bo", "$&", "system"),
                rule("tok", "x"),
                rule("owl", "x"),
            ),
        ),
        constant("tail", "Aria, Aria.", layer="tail"),
        constant("plain", "x"),
        keyed("out", "never", "a", replaces=(rule("a", "b", "content"),)),
    )
    chat.say("tok tok")

    assert told(chat, "swap") == [
        ("content", "cat", 2, None),
        ("system", "Aria|Bo", 3, None),
        ("user", "tok", 2, None),
        ("user", "owl", 0, None),
    ]
    assert told(chat, "plain") == told(chat, "out") == []


def test_of_an_entrys_own_text_the_last_one_counts_and_of_others_all():
    """An entry that is tried in several loops is rendered in each."""
    own, others = rule("a", "b", "content"), rule("a", "b", "system")
    chat = Chat(constant("e", "x", replaces=(own, others)))
    (entry,) = chat.lore.entries
    rewriter = Rewriter(TOOLS.regexes, Allowance(1))
    for text in ("aaa", "a"):
        rewriter.change(text, "content", [entry])
        rewriter.change(text, "system", [entry])

    assert rewriter.done_by(entry) == (Done(own, 1), Done(others, 4))


def test_the_verdict_says_which_replacements_were_given_up():
    """No seconds for any: the first one is not made, nor is any other."""
    policy = replace(NATIVE, settings=replace(NATIVE.settings, replace_seconds=0))
    chat = Chat(HIDE, policy=policy)
    chat.say("tok_1")

    assert told(chat, "hide") == [("user", r"tok_\w+", 0, "no_time")]
