"""Fact blocks at the end of a reply: what is read, what is refused, what a proposal becomes."""

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright import (
    PROFILES,
    ActiveBook,
    Book,
    Character,
    Entry,
    Message,
    State,
    Turn,
    assemble,
    load_lore,
    make_tools,
)
from lorewright.core.facts import EXAMPLE, INSTRUCTION, Fact, as_entry, promote, read_facts
from lorewright.core.gates import Gate, Reveal
from lorewright.core.model import ABSENT
from lorewright.errors import InputError


def block(*lines):
    return "<!--lorewright-fact\n" + "\n".join(lines) + "\n-->"


def test_the_example_in_the_instruction_is_read():
    assert EXAMPLE in INSTRUCTION

    found = read_facts(f"They went home.\n\n{EXAMPLE}\n", opened=3)

    assert found.text == "They went home."
    assert found.refusals == ()
    assert found.facts == (
        Fact(
            "Since the flood the mill belongs to Aldric's sister.",
            "The mill of Saltwick",
            ("mill", "Aldric's sister"),
            3,
        ),
    )


def test_chinese_names_and_colons():
    found = read_facts(
        block("主体：磨坊", "事实：磨坊归他的妹妹。", "关键词：磨坊、妹妹，水车", "章：2", "取代：world.3")
    )

    assert found.facts == (Fact("磨坊归他的妹妹。", "磨坊", ("磨坊", "妹妹", "水车"), 2, "world.3"),)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_other_systems(end):
    found = read_facts(f"Home.{end}{block('subject: s', 'fact: One.', 'Two.')}{end}".replace("\n", end))

    assert found.facts == (Fact("One.\nTwo.", "s"),)
    assert found.text == "Home."


@pytest.mark.parametrize("chapter", ["3", "３", "第3章", "第 ３ 章"])
def test_a_chapter_as_chinese_writes_it(chapter):
    assert read_facts(block("事实：x", f"章：{chapter}"), 3).facts[0].chapter == 3
    assert read_facts(block("事实：x", f"章：{chapter}"), 2).refusals[0].why == "chapter_ahead"


@pytest.mark.parametrize("chapter", ["第章", "第0章", "3章", "第3", "三", "第三章", "²", "٣", "3 4"])
def test_what_is_no_chapter(chapter):
    assert read_facts(block("fact: x", f"chapter: {chapter}")).refusals[0].why == "invalid_chapter"


def test_a_line_that_is_no_field_continues_the_one_before():
    found = read_facts(block("nothing yet", "fact: One.", "Two: three.", "- four", "subject: s"))

    assert found.facts == (Fact("One.\nTwo: three.\n- four", "s"),)


@pytest.mark.parametrize(
    ("lines", "opened", "why"),
    [
        (("subject: x",), None, "empty_fact"),
        (("fact:  ",), None, "empty_fact"),
        ((), None, "empty_fact"),
        (("fact: x", "chapter: 0"), None, "invalid_chapter"),
        (("fact: x", "chapter: three"), None, "invalid_chapter"),
        (("fact: x", "chapter: -1"), 9, "invalid_chapter"),
        (("fact: x", "chapter: 2.0"), 9, "invalid_chapter"),
        (("fact: x", "chapter:"), 9, "invalid_chapter"),
        (("fact: x", "chapter: 4"), 3, "chapter_ahead"),
        (("fact: x", "chapter: 1"), 0, "chapter_ahead"),
    ],
)
def test_refusals(lines, opened, why):
    found = read_facts("Text " + block(*lines), opened)

    assert found.facts == ()
    assert [(refusal.why, refusal.block) for refusal in found.refusals] == [(why, block(*lines))]
    assert found.text == "Text"


def test_several_blocks_in_their_order_and_one_bad_one_spoils_no_other():
    reply = f"T\n{block('fact: a')}\n\n{block('fact:')}\n{block('fact: b')}  \n"
    found = read_facts(reply)

    assert [fact.fact for fact in found.facts] == ["a", "b"]
    assert len(found.refusals) == 1


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "no block",
        block("fact: a") + " and on",
        "<!--lorewright-facts\nfact: a-->",
        "<!-- other -->",
        "<!--lorewright-fact\nfact: a",
        "fact: a\n-->",
        "<!--lorewright-fact --> fact: a -->",
    ],
)
def test_what_is_no_block_at_the_end_stays_text(reply):
    found = read_facts(reply)

    assert (found.facts, found.refusals, found.text) == ((), (), reply)


@given(st.text("<!->lorewright-fact\n :x章事实", max_size=80) | st.text())
def test_no_text_is_lost(reply):
    found = read_facts(reply)

    assert reply.startswith(found.text)
    assert (found.text == reply) or found.facts or found.refusals


@pytest.mark.parametrize("reply", [" " * 200_000 + "x", "<!--lorewright-fact " * 50_000, "-->" * 100_000])
def test_hostile_replies_end(reply):
    started = time.process_time()
    read_facts(reply)

    assert time.process_time() - started < 5


def test_a_proposal_and_its_promotion():
    entry = as_entry(Fact("It is hers.", "mill", (), 3), "f1", "Isles")

    assert (entry.keys, entry.content, entry.subject) == (("mill",), "It is hers.", "mill")
    assert (entry.authority, entry.gate) == ("proposal", Gate((Reveal("Isles", 3),)))
    assert promote(entry, "session").authority == "session"
    assert promote(entry, "canon").authority == "canon"
    assert as_entry(Fact("x"), 0).gate is ABSENT
    with pytest.raises(InputError, match="observed"):
        promote(entry, "observed")


# --- what a model wrote is text

MACROS = "{{setvar::told::yes}}{{user}} knows {{char}}, {{random::a::b}}."


@pytest.mark.parametrize("profile", sorted(PROFILES))
@pytest.mark.parametrize("tier", ["proposal", "session", "canon"])
def test_no_macro_in_a_fact_runs(profile, tier):
    entry = as_entry(Fact(MACROS, subject="mill", keys=("mill",)), "fact-1")
    text, assembly = place(entry if tier == "proposal" else promote(entry, tier), profile)

    assert MACROS in text
    assert assembly.state.variables == {}


@pytest.mark.parametrize("profile", sorted(PROFILES))
@pytest.mark.parametrize("line", ["@@activate", "@@depth 0", "@@inject_lore other", "@@@end"])
def test_no_line_of_a_fact_is_a_decorator(profile, line):
    entry = as_entry(Fact(f"{line}\nIt is theirs.", keys=("mill",)), "fact-1")

    assert f"{line}\nIt is theirs." in place(entry, profile)[0]
    assert place(entry, profile, said="Nothing.")[0] == ""


@pytest.mark.parametrize("profile", ["native", "sillytavern"])
def test_no_macro_in_the_keys_of_a_fact_runs(profile):
    entry = as_entry(Fact("It is theirs.", keys=("{{user}}",)), "fact-1")

    assert place(entry, profile, said="Max is here.")[0] == ""
    assert "It is theirs." in place(entry, profile, said="It says {{user}} here.")[0]


@given(st.text(st.sampled_from("{}:@[]<%>#/ \nabcuser"), max_size=40), st.sampled_from(sorted(PROFILES)))
def test_a_fact_stands_as_it_was_written(text, profile):
    found = read_facts(block(f"fact: {text}", "keys: mill"))
    for fact in found.facts:
        assert fact.fact in place(as_entry(fact, "fact-1"), profile)[0]


@pytest.mark.parametrize(("verbatim", "runs"), [(ABSENT, False), (True, False), (False, True)])
def test_a_proposal_of_a_book_is_text_unless_a_person_says_otherwise(verbatim, runs):
    entry = Entry(uid=1, keys=("mill",), content="Of {{user}}.", authority="proposal", verbatim=verbatim)

    assert ("Of Max." in place(entry, "native")[0]) is runs


def place(entry, profile, said="The mill."):
    """The texts of an entry in a turn, with proposals switched on, and the assembly."""
    policy = PROFILES[profile]
    policy = policy.with_settings(replace(policy.settings, use_proposals=True))
    tools = make_tools()
    turn = Turn(messages=(Message("Max", said),), user="Max", character=Character(name="Aria"))
    assembly = assemble(turn, load_lore([ActiveBook(Book("b", (entry,)))], tools, policy), State(), tools)
    return "".join(item.text for item in assembly.activated), assembly
