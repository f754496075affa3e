"""The dialects inside the engine: which one runs, what it may read, what becomes of what it writes."""

from dataclasses import replace

import pytest

from lorewright import NATIVE, SILLYTAVERN, ActiveBook, load_lore, make_tools
from lorewright.core.chain import DictMemory
from lorewright.core.engine import assemble
from lorewright.core.model import Book, Character, Entry, Inject, Message, State, Turn
from lorewright.core.protocols import RenderContext
from lorewright.core.variables import Values, Write
from lorewright.core.weave import weave
from lorewright.templates.dialects import DIALECTS, DialectRenderer, ProfileRenderer

TOOLS = make_tools()
NOON = 1_796_037_900_000  # `date -u -d 2026-11-30T11:25:00Z +%s`
TURN = Turn(
    messages=(
        Message("Mina", "Where is {{char}}? {{setvar::stolen::1}} {{outlet::secret}}"),
        Message("Aria", "{{user}} asks.", "assistant"),
        Message("tool", "from a tool", "tool"),
    ),
    user="Mina",
    character=Character(name="Aria", description="A pilot of {{user}}."),
    clock_ms=NOON,
    utc_offset_minutes=60,
)


def render(text, dialect="sillytavern", *, turn=TURN, local=None, shared=None, profile="native", renderer=None):
    numbers = iter([0.9, 0.1, 0.6])
    values = Values(local or {}, shared or {})
    context = RenderContext(turn, lambda: next(numbers), (), profile, values)
    return (renderer or DialectRenderer(dialect)).render(text, context)


def lore_of(*entries, policy=NATIVE, tools=TOOLS):
    return load_lore([ActiveBook(Book("b", entries))], tools, policy)


def constant(uid, content, **given):
    return Entry(uid=uid, constant=True, content=content, position=0, **given)


def say(text="hello", **given):
    return Turn(messages=(Message("Mina", text),), user="Mina", character=Character(name="Aria"), **given)


def texts(assembly):
    return {item.entry.entry.uid: item.text for item in assembly.activated}


# --- which dialect


@pytest.mark.parametrize(
    ("profile", "gives"),
    [("native", "{{user.name}} Mina"), ("sillytavern", "Mina Mina"), ("risu", "{{user.name}} Mina")],
)
def test_the_profile_chooses(profile, gives):
    assert render("{{user.name}} {{user}}", profile=profile, renderer=ProfileRenderer()).text == gives


@pytest.mark.parametrize(
    "text",
    ["{{element::{{arrayelement::{{userhistory}}::0}}::data}}", "{{#each {{history::a}} x}}{{slot::x}}{{/each}}"],
)
def test_risu_does_not_run_messages_although_the_program_does(text):
    turn = replace(TURN, messages=(Message("Mina", "{{user}} asks."),))

    assert render(text, turn=turn, profile="risu", renderer=ProfileRenderer()).text == "{{user}} asks."


def test_blocks_of_cbs_run_in_risu_only():
    text = "{{#if 1}}yes{{/if}}"

    assert render(text, profile="risu", renderer=ProfileRenderer()).text == "yes"
    assert ProfileRenderer().is_template(text)


@pytest.mark.parametrize(
    ("dialect", "text", "gives"),
    [
        ("sillytavern", "{{user}} {{getvar::mood}} {{random::a::b}}", "Mina calm b"),
        ("sillytavern-legacy", "{{user}} {{getvar::mood}} {{random::a::b}}", "Mina calm b"),
        ("cbs", "{{user}} {{getvar::mood}} {{random::a::b}}", "Mina calm b"),
        ("rules", "{{mood}} {{random::a::b}}", "calm b"),
        ("host-strict", "{{user}} {{mood}}", "Mina calm"),
        ("bme", "{{char}} {{mood}}", "Aria calm"),
    ],
)
def test_every_dialect_reads_names_variables_and_draws(dialect, text, gives):
    assert render(text, dialect, local={"mood": "calm"}).text == gives


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_text_without_macros_is_the_same_and_constant(dialect):
    found = render("Nothing here.", dialect)

    assert (found.text, found.volatile, found.writes) == ("Nothing here.", False, ())


# --- what it says of itself


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("{{user}} {{char}} {{description}}", set()),
        ("{{getvar::a}}", {"state"}),
        ("{{lastMessage}}", {"state"}),
        ("{{time}}", {"clock"}),
        ("{{roll::1d6}}", {"random"}),
        ("{{setvar::a::1}}", {"writes"}),
        ("{{outlet::facts}}", set()),
    ],
)
def test_kinds(text, kinds):
    found = render(text)

    assert kinds <= found.kinds
    assert found.volatile is bool(kinds)


def test_what_was_written_is_named_with_its_scope_and_value():
    found = render("{{setvar::a::1}}{{incglobalvar::b}}{{deletevar::c}}", local={"c": 2}, shared={"b": 4})

    assert {(write.scope, write.name) for write in found.writes} == {("local", "a"), ("local", "c"), ("global", "b")}
    after = Values({"c": 2}, {"b": 4}).after(found.writes)
    assert (after.local.get("a"), "c" in after.local, after.shared["b"]) == ("1", False, 5)


def test_the_clock_and_its_zone_come_from_the_turn():
    assert render("{{time}} {{isodate}}").text == "12:25 PM 2026-11-30"
    assert [report.code for report in render("{{time}}", turn=replace(TURN, clock_ms=None)).reports] == [
        "clock_missing"
    ]


# --- where macros may run


@pytest.mark.parametrize("dialect", ["sillytavern", "sillytavern-legacy"])
def test_what_was_said_in_the_chat_is_a_value(dialect):
    found = render("{{lastUserMessage}}|{{lastMessage}}", dialect)

    assert found.text == "Where is {{char}}? {{setvar::stolen::1}} {{outlet::secret}}|{{user}} asks."
    assert found.writes == ()


def test_a_value_names_no_outlet():
    lore = lore_of(
        Entry(uid="s", constant=True, content="The secret.", position=7, outlet="secret"),
        constant("said", "They said: {{lastUserMessage}}"),
        constant("own", "Here: {{outlet::facts}}"),
        Entry(uid="f", constant=True, content="A fact.", position=7, outlet="facts"),
    )
    turn = replace(TURN, messages=TURN.messages[:1])
    sent = "\n".join(message.content for message in weave(turn, lore, DictMemory(), TOOLS).messages)

    assert "The secret." not in sent
    assert "Here: A fact." in sent


def test_messages_of_the_client_are_sent_as_they_are():
    sent = weave(TURN, lore_of(constant(1, "x")), DictMemory(), TOOLS).messages

    client = [piece.text for message in sent for piece in message.pieces if piece.kind == "client"]
    assert client == [message.text for message in TURN.messages]


# --- what becomes of what is written


def test_a_text_sees_what_the_ones_before_it_wrote():
    lore = lore_of(
        constant("b", "{{getvar::hp}}", order=1), constant("a", "{{setvar::hp::10}}", order=2), policy=SILLYTAVERN
    )

    assembly = assemble(say(), lore, State(), TOOLS)

    assert texts(assembly) == {"a": "", "b": "10"}
    assert assembly.state.variables == {"hp": "10"}


def test_the_next_turn_goes_on_from_it_and_the_client_has_the_last_word():
    lore = lore_of(constant(1, "Day {{incvar::day}}, {{incglobalvar::all}}."))
    first = assemble(say(), lore, State(), TOOLS)
    second = assemble(say(), lore, first.state, TOOLS)
    told = assemble(say(variables={"day": 40}), lore, second.state, TOOLS)

    assert [texts(one)[1] for one in (first, second, told)] == ["Day 1, 1.", "Day 2, 2.", "Day 41, 3."]


def test_a_dry_run_writes_nothing():
    state = State(variables={"day": 1})
    found = assemble(say(dry_run=True), lore_of(constant(1, "{{incvar::day}}")), state, TOOLS)

    assert texts(found) == {1: "2"}
    assert found.state.variables == {"day": 1}


def test_what_the_budget_refuses_writes_nothing():
    lore = lore_of(
        constant(1, "{{setvar::big::1}}" + "word " * 2000, order=2), constant(2, "{{setvar::small::1}}.", order=1)
    )
    found = assemble(say(), lore, State(), TOOLS)

    assert set(texts(found)) == {2}
    assert set(found.state.variables) == {"small"}


def test_a_text_that_is_overruled_later_wrote_nothing():
    lore = lore_of(
        constant("low", "{{setvar::low::1}}The wolf waits.", authority="authored", subject="gate"),
        Entry(
            uid="high", keys=("wolf",), content="{{setvar::high::1}}No.", position=0, authority="canon", subject="gate"
        ),
    )
    found = assemble(say(), lore, State(), TOOLS)

    assert set(texts(found)) == {"high"}
    assert set(found.state.variables) == {"high"}


def test_keys_and_scanned_prompts_write_nothing():
    lore = lore_of(Entry(uid=1, keys=("{{setvar::a::1}}hello",), content="Yes.", position=0))
    turn = replace(say(), injects=(Inject("note", "{{setvar::b::1}}"),))

    found = assemble(turn, lore, State(), TOOLS)

    assert texts(found) == {1: "Yes."}
    assert found.state.variables == {}


def test_the_budget_counts_the_rendered_text():
    lore = lore_of(constant(1, "{{getvar::long}}"))
    turn = say(variables={"long": "word " * 50})
    found = assemble(turn, lore, State(), TOOLS)

    assert found.used_tokens == TOOLS.counter.count("word " * 50)


def test_reports_of_macros_name_the_entry():
    found = assemble(say(), lore_of(constant(1, "{{nope}}")), State(), TOOLS)

    assert [(report.code, report.entry) for report in found.reports] == [("macro_unknown", "b.1")]


def test_draws_of_an_entry_do_not_depend_on_other_entries():
    alone = assemble(say(), lore_of(constant(1, "{{roll::1d100}}")), State(), TOOLS)
    beside = assemble(
        say(), lore_of(constant(1, "{{roll::1d100}}"), *(constant(n, "{{roll::1d6}}") for n in range(2, 9))), State(),
        TOOLS,
    )  # fmt: skip

    assert texts(alone)[1] == texts(beside)[1]


def test_a_removed_variable_is_gone():
    values = Values({"a": 1, "b": 2})

    assert values.after(render("{{deletevar::a}}", local=dict(values.local)).writes).local == {"b": 2}
    assert values.local == {"a": 1, "b": 2}


def test_the_next_turn_has_its_own_messages():
    renderer = DialectRenderer("sillytavern")
    other = replace(TURN, messages=(Message("Mina", "new"),))
    found = [render("{{lastMessage}}", renderer=renderer, turn=turn).text for turn in (TURN, other, TURN)]

    assert found == ["{{user}} asks.", "new", "{{user}} asks."]


def test_writes_are_plain_data():
    assert render("{{setvar::a::1}}").writes[0] == Write("local", "a", "1")
