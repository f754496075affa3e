"""Macros run in lore, cards, persona and the user's own templates. Here is every other text that gets near an engine:
nothing in it runs, in any dialect, placement or profile."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorewright import NATIVE, SILLYTAVERN, ActiveBook, load_lore, make_tools
from lorewright.core.chain import DictMemory
from lorewright.core.facts import Fact, as_entry, promote
from lorewright.core.model import AuthorsNote, Book, Character, Entry, Inject, Message, Turn
from lorewright.core.policy import RISU
from lorewright.core.protocols import Tools
from lorewright.core.regex_script import RegexScript
from lorewright.core.rows import ROW
from lorewright.core.weave import weave
from lorewright.ledger.facts import decide_fact, take_facts, with_facts
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.session import LedgerSession
from lorewright.templates.dialects import DIALECTS

ATTACK = (
    "{{setvar::held::taken}}{{setglobalvar::held::taken}}{{addvar::held::1}}{{incvar::n}}{{.held = taken}}"
    "{{user}}<USER>{{char}}{{getvar::word}}{{outlet::secret}}{{roll::1d6}}{{random::a::b}}{{time}}{{? 1+1}}"
    "{{#if 1}}x{{/if}}{{if 1}}x{{/if}}{{word}}{{lastMessage}}{{reverse::abc}}{{// a note}}{{trim}}{{pipe}}<%= 1 + 1 %>"
)
"""Macros of every dialect: they write, read variables and the chat, name an outlet, draw, tell the time, vanish."""
LOCAL = {"held": ATTACK, "word": "hello", "n": 1}
SHARED = {"held": ATTACK}
SECRET = "Nobody may know."
PROFILES = [pytest.param(policy, id=policy.name) for policy in (NATIVE, SILLYTAVERN, RISU)]
PLACEMENTS = ("frozen", "sillytavern")
TOOLS: dict[str, Tools] = {"": make_tools()}
TOOLS.update((dialect, make_tools(dialect=dialect)) for dialect in DIALECTS)
OUTLET = Entry(uid="secret", constant=True, content=SECRET, position=7, outlet="secret")


def constant(uid, content, **given):
    return Entry(**{"uid": uid, "constant": True, "content": content, "position": 0, **given})


def run(turn, *entries, policy=NATIVE, dialect="", scripts=()):
    tools = TOOLS[dialect]
    outlets = [] if policy.rows else [OUTLET]  # rows have none
    active = [ActiveBook(Book("b", (*entries, *outlets)))]
    return weave(turn, load_lore(active, tools, replace(policy, scripts=scripts)), DictMemory(), tools)


def turn_of(*messages, **given):
    chat = [message if isinstance(message, Message) else Message("Mina", message) for message in messages]
    fields = {"user": "Mina", "character": Character(name="Aria"), "variables": LOCAL, "global_variables": SHARED}
    return Turn(messages=tuple(chat), clock_ms=0, **{**fields, **given})


def contents(woven):
    return [message.content for message in woven.messages]


def active_texts(woven):
    return {item.entry.entry.uid: item.text for item in woven.assembly.activated}


def assert_nothing_ran(woven):
    after = woven.assembly.trace.activation
    assert (after.writes, dict(after.variables.local), dict(after.variables.shared)) == ((), LOCAL, SHARED)
    assert SECRET not in "".join(contents(woven))


# --- what is said in the chat


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("policy", PROFILES)
@pytest.mark.parametrize(
    "message",
    [
        Message("Mina", ATTACK),
        Message(ATTACK, ATTACK),
        Message("Aria", ATTACK, "assistant"),
        Message("look", ATTACK, "tool"),
        Message("", ATTACK, "system"),
        Message("", ATTACK, "developer"),
        Message("Mina", ATTACK, hidden=True),
        Message("Aria", ATTACK, "assistant", hidden=True, attachments=(ATTACK,)),
    ],
    ids=["user", "speaker", "reply", "tool", "system", "developer", "hidden", "call"],
)
def test_a_message_is_sent_as_it_was_said(message, policy, placement):
    woven = run(turn_of("Hello.", message, "Well?"), constant(1, "Lore."), policy=replace(policy, placement=placement))

    assert_nothing_ran(woven)
    (sent,) = [one for one in woven.messages if one.index == 1]
    assert "".join(piece.text for piece in sent.pieces if piece.kind == "client") == ATTACK


def test_the_client_s_own_system_text_may_name_an_outlet_and_nothing_else_in_it_runs():
    """It is the user's template, and names the places of lore; other macros are the client's affair."""
    woven = run(turn_of(Message("", "{{outlet::secret}} {{user}}{{setvar::held::1}}", "system"), "Hello."))

    assert contents(woven)[0] == f"{SECRET} {{{{user}}}}{{{{setvar::held::1}}}}"
    assert woven.assembly.trace.activation.writes == ()


# --- what a macro gave

SHOWN = {
    "sillytavern": (
        *("lastMessage", "lastUserMessage", "lastCharMessage", "getvar::held", "getglobalvar::held", "user"),
        *("input", "summary", "model"),
    ),
    "cbs": (
        *("lastmessage", "previouscharchat", "previouschatlog::1", "getvar::held"),
        *("getglobalvar::held", "user", "userhistory", "charhistory", "history::role", "model", "axmodel", "triggerid"),
    ),
    "rules": ("lastusermessage", "lastcharmessage", "held"),
    "host-strict": ("held", "user"),
    "bme": ("held", "user"),
}
VALUES = [(dialect, name) for dialect, names in SHOWN.items() for name in names]
VALUES += [("sillytavern-legacy", name) for name in SHOWN["sillytavern"]]


FLAT = "{{user}}<USER>{{char}}{{word}}{{.held = taken}}{{lastMessage}}{{time}}{{? 1+1}}"
"""Without colons: in RisuAI a value that stands in an argument is cut at them, and none of its parts runs either."""


def chat_of_attacks(attack=ATTACK):
    told = dict.fromkeys(("input", "summary", "model", "second_model", "clicked"), attack)
    return turn_of(attack, Message("Aria", attack, "assistant"), attack, user=attack, host_facts=told)


@pytest.mark.parametrize(("dialect", "name"), VALUES, ids=[f"{dialect}-{name}" for dialect, name in VALUES])
def test_what_a_macro_gave_is_never_run(dialect, name):
    policy = RISU if dialect == "cbs" else NATIVE
    woven = run(chat_of_attacks(), constant(1, f"[{{{{{name}}}}}]"), dialect=dialect, policy=policy)

    assert_nothing_ran(woven)
    text = active_texts(woven)[1]
    if "history" in name:
        assert "{{user}}<USER>{{char}}" in text
    else:
        assert text == f"[{ATTACK}]"


@pytest.mark.parametrize(
    "text",
    [
        "{{#each {{userhistory}} m}}{{slot::m}}{{/each}}",
        "{{element::{{arrayelement::{{userhistory}}::0}}::data}}",
        "{{#func f a}}{{arg::1}}{{/func}}{{call::f::{{lastmessage}}}}",
        "{{#if 1}}{{lastmessage}}{{/if}}",
        "{{#when::1}}{{previouscharchat}}{{/when}}",
        "{{replace::x::x::{{lastmessage}}}}",
        "{{join::{{split::{{lastmessage}}::~}}::~}}",
    ],
)
def test_no_block_or_function_of_cbs_runs_a_value(text):
    woven = run(chat_of_attacks(FLAT), constant(1, text), dialect="cbs", policy=RISU)

    assert_nothing_ran(woven)
    assert FLAT in active_texts(woven)[1]


@pytest.mark.parametrize("dialect", ["sillytavern", "sillytavern-legacy"])
@pytest.mark.parametrize(
    "text",
    [
        "{{reverse::{{reverse::{{lastMessage}}}}}}",
        "{{setvar::x::{{lastMessage}}}}{{getvar::x}}",
        "{{random::{{lastMessage}}}}",
        "{{if 1}}{{lastMessage}}{{/if}}",
        "{{if {{lastMessage}}}}{{lastMessage}}{{/if}}",
        "{{{{lastMessage}}}}",
        "{{getvar::{{lastMessage}}}}{{lastMessage}}",
    ],
)
def test_no_macro_around_a_value_runs_it(dialect, text):
    woven = run(chat_of_attacks(), constant(1, text), dialect=dialect)

    after = woven.assembly.trace.activation.variables
    assert {name: value for name, value in after.local.items() if name != "x"} == LOCAL
    assert after.shared == SHARED
    assert SECRET not in "".join(contents(woven))


# --- what a regex script captured


def captures(**more):
    given = {"name": "s", "placement": (1, 2, 5), "for_prompt": True, **more}
    return [
        RegexScript(**given, pattern=pattern, replacement=replacement)
        for pattern, replacement in (
            ("/^(.*)$/s", "[$1]"),
            ("/^(.*)$/s", "{{user}}$1"),
            ("/^.*$/s", "{{match}}{{noop}}"),
            ("/^(?<all>.*)$/s", "{{noop}}$<all>"),
            ("/^.*$/s", "{{lastMessage}}"),
            ("/^.*$/s", "{{getvar::held}}"),
        )
    ]


@pytest.mark.parametrize("dialect", ["", "sillytavern-legacy"])
@pytest.mark.parametrize("script", captures(), ids=lambda script: script.replacement)
def test_a_message_does_not_run_through_a_regex_script(script, dialect):
    woven = run(turn_of(Message("Aria", ATTACK, "assistant"), ATTACK), scripts=(script,), dialect=dialect)

    assert_nothing_ran(woven)
    assert all(ATTACK in content for content in contents(woven)), contents(woven)


@pytest.mark.parametrize("dialect", ["", "sillytavern-legacy"])
@pytest.mark.parametrize("script", captures(), ids=lambda script: script.replacement)
def test_a_value_in_lore_does_not_run_through_a_regex_script(script, dialect):
    woven = run(turn_of(ATTACK), constant(1, "They said {{lastMessage}}"), scripts=(script,), dialect=dialect)

    assert_nothing_ran(woven)
    assert ATTACK in active_texts(woven)[1]


def test_a_text_that_a_script_takes_out_and_a_pattern_made_of_the_chat_write_nothing():
    scripts = (
        RegexScript(name="t", pattern="/(.*)/s", replacement="$1", placement=(1,), trimmed=("{{lastMessage}}",)),
        RegexScript(name="p", pattern="{{lastMessage}}", replacement="x", placement=(1,), macros_in_pattern="raw"),
        RegexScript(name="q", pattern="{{lastMessage}}", replacement="x", placement=(1,), macros_in_pattern="escaped"),
    )

    assert_nothing_ran(run(turn_of(ATTACK), scripts=scripts))


# --- what a model proposed, what is quoted

ENTRIES = [
    as_entry(Fact(ATTACK, subject=ATTACK, keys=("hello", "{{getvar::word}}")), "f"),
    promote(as_entry(Fact(ATTACK, keys=("hello",)), "f"), "canon"),
    Entry(uid="f", keys=("hello",), content=ATTACK, position=0, verbatim=True),
    Entry(uid="f", keys=("hello",), content=ATTACK, position=0, authority="proposal"),
]


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("policy", PROFILES)
@pytest.mark.parametrize("entry", ENTRIES, ids=["proposal", "promoted", "quotation", "marked"])
def test_a_fact_and_a_quotation_are_text(entry, policy, placement):
    policy = replace(policy, placement=placement, settings=replace(policy.settings, use_proposals=True))
    woven = run(turn_of("hello"), entry, policy=policy)

    assert_nothing_ran(woven)
    assert active_texts(woven)["f"].endswith(ATTACK)
    assert ATTACK in "".join(contents(woven))


@pytest.mark.parametrize("policy", PROFILES)
@pytest.mark.parametrize("line", ["@@activate", "@@keep_activate_after_match", "@@additional_keys hello"])
def test_a_quotation_has_no_decorators_and_no_macros_in_keys(policy, line):
    entry = Entry(uid="f", keys=("{{getvar::word}}",), content=f"{line}\nA text.", position=0, verbatim=True)
    loud = replace(entry, uid="g", keys=("hello",))
    woven = run(turn_of("hello"), entry, loud, policy=policy)

    assert {uid: text for uid, text in active_texts(woven).items() if uid != "secret"} == {"g": f"{line}\nA text."}


def test_a_child_row_does_not_run_the_quotation_that_it_shows():
    """A row of the mode `child` takes the text of the first row with its id, while that one is not in (spec risu §8.2)."""
    parent = Entry(uid="p", keys=("never",), content=ATTACK, verbatim=True, extra={ROW: {}})
    child = Entry(uid="c", keys=("never",), content="", extra={ROW: {"is_child": True}})
    woven = weave(
        turn_of("hello"), load_lore([ActiveBook(Book("b", (parent, child)))], TOOLS[""], RISU), DictMemory(), TOOLS[""]
    )

    assert_nothing_ran(woven)
    assert active_texts(woven) == {"c": ATTACK}


@pytest.mark.parametrize("policy", PROFILES)
@pytest.mark.parametrize("authority", ["canon", ""])
def test_a_fact_from_a_reply_is_text_on_its_whole_way(tmp_path, policy, authority):
    reply = f"Yes.\n<!--lorewright-fact\nsubject: {ATTACK}\nfact: {ATTACK}\nkeys: hello, {{{{getvar::word}}}}\n-->"
    policy = replace(policy, settings=replace(policy.settings, use_proposals=True))
    with open_ledger(tmp_path / "a") as ledger:
        LedgerSession(ledger, [], policy, TOOLS[""]).weave(turn_of("hello"))
        take_facts(ledger, 1, reply)
        if authority:
            decide_fact(ledger, 1, authority)
        books = with_facts(ledger, [], use_proposals=True)
        woven = LedgerSession(ledger, books, policy, TOOLS[""]).weave(turn_of("hello", "hello")).woven

    assert_nothing_ran(woven)
    assert active_texts(woven)["fact-1"].endswith(ATTACK)


# --- what stands beside lore


@pytest.mark.parametrize("policy", PROFILES)
def test_titles_groups_scenes_and_notes_are_no_templates(policy):
    entry = constant(1, "Lore.", title=ATTACK, group=ATTACK, subject=ATTACK)
    note = AuthorsNote(ATTACK, scan=True)
    woven = run(
        turn_of("hello", authors_note=note, injects=(Inject(ATTACK, ATTACK),), session=ATTACK, speaker=ATTACK),
        entry,
        policy=policy,
    )

    assert_nothing_ran(woven)
    assert woven.assembly.trace.why("b.1").title == ATTACK
    assert woven.assembly.placed.authors_note == ATTACK


@pytest.mark.parametrize("policy", PROFILES)
def test_keys_may_read_and_never_write(policy):
    woven = run(
        turn_of("hello taken"), Entry(uid=1, keys=(ATTACK, "hello"), content="Lore.", position=0), policy=policy
    )

    assert_nothing_ran(woven)


# --- whatever it is

PIECES = st.sampled_from(
    [
        *("{{", "}}", "::", "{", "}", "{{setvar::held::1}}", "{{addglobalvar::held::1}}", "{{incvar::n}}", "{{user}}"),
        *("{{outlet::secret}}", "{{getvar::held}}", "{{#if 1}}", "{{/if}}", "{{.held = 1}}", "{{lastMessage}}", "\\{"),
        *("$1", "$0", "{{match}}", "<USER>", "text ", "\n", "hello"),
    ]
)
texts = st.lists(PIECES | st.text(max_size=4), max_size=7).map("".join)
roles = st.sampled_from(["user", "assistant", "tool", "system"])
readers = st.sampled_from(
    ["{{lastMessage}}", "{{lastUserMessage}} {{lastCharMessage}}", "{{lastmessage}}{{userhistory}}", "{{getvar::held}}"]
)
scripts = st.lists(st.sampled_from(captures()) | st.sampled_from(captures(for_prompt=False)), max_size=2)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(roles, texts), max_size=4),
    texts,
    readers,
    scripts,
    st.sampled_from([NATIVE, SILLYTAVERN, RISU]),
    st.sampled_from(PLACEMENTS),
)
def test_no_text_of_somebody_else_ever_writes_or_opens_anything(said, quoted, reader, listed, policy, placement):
    messages = [Message(quoted, text, role) for role, text in said]
    policy = replace(policy, placement=placement, settings=replace(policy.settings, use_proposals=True))
    entries = (constant(1, reader), promote(as_entry(Fact(quoted, quoted, ("hello", quoted)), "f"), "canon"))
    woven = run(turn_of("hello", *messages, "hello"), *entries, policy=policy, scripts=tuple(dict.fromkeys(listed)))

    assert_nothing_ran(woven)
