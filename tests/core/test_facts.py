"""Fact blocks at the end of a reply: what is read, what is refused, what a proposal becomes."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
