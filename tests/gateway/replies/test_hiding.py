"""Blocks go, whatever the cuts; all else stays. The expected text is made by a regular expression over the whole reply."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.gateway.replies import hiding
from lorewright.gateway.replies.hiding import Hider

BLOCK = re.compile(
    r"<((?i:updatevariable|variableupdate|update))>.*?</(?i:\1)>|<!--[ \t]*lorewright-fact(?![\w-]).*?-->", re.DOTALL
)
TAGS = ["<UpdateVariable>", "</UpdateVariable>", "<update>", "</UPDATE>", "<VariableUpdate>", "</variableupdate>"]
COMMENTS = ["<!--lorewright-fact", "<!-- \tlorewright-fact\n", "-->", "<!--"]
PIECES = ["s", "-", "<", ">", "</", "<upd", "é", "a b\n", "!"]
WORDS = st.sampled_from([*TAGS, *COMMENTS, *PIECES])
REPLIES = st.lists(WORDS, max_size=14).map("".join)


def hidden(pieces):
    hider = Hider()
    return "".join([hider.feed(piece) for piece in pieces]) + hider.close()


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("It rings.\n<UpdateVariable>_.set('a', 1, 2);</UpdateVariable>", "It rings.\n"),
        ("a<update>\nx\n</update>b<VARIABLEUPDATE>y</variableUpdate>c", "abc"),
        ("a<!--lorewright-fact\nfact: x\n-->\n", "a\n"),
        ("a<!-- a note --> b <updates>c</updates> <b>d</b>", "a<!-- a note --> b <updates>c</updates> <b>d</b>"),
        ("it never ends: <update> a", "it never ends: <update> a"),
        ("<update> is a word; <UpdateVariable>x</UpdateVariable> is a block", "<update> is a word;  is a block"),
        ("<!--lorewright-facts x-->", "<!--lorewright-facts x-->"),
    ],
)
def test_blocks_go_at_every_cut(said, shown):
    assert hidden([said]) == shown
    for at in range(len(said) + 1):
        assert hidden([said[:at], said[at:]]) == shown, at
    assert hidden(said) == shown


@given(REPLIES, st.lists(st.integers(0, 120), max_size=6))
def test_the_text_does_not_depend_on_the_cuts(said, cuts):
    places = sorted({0, len(said), *(cut for cut in cuts if cut < len(said))})
    pieces = [said[start:end] for start, end in pairwise(places)]
    assert hidden(pieces) == BLOCK.sub("", said)


def test_only_what_may_be_a_block_is_held_back():
    hider = Hider()
    assert hider.feed("The bell <") == "The bell "
    assert hider.feed("b>rings</b> <upd") == "<b>rings</b> "
    assert hider.feed("ated>. <update>a") == "<updated>. "
    assert hider.feed("</update> b") == " b"
    assert hider.count == 1
    assert hider.close() == ""


def test_what_goes_on_for_too_long_is_no_block(monkeypatch):
    monkeypatch.setattr(hiding, "MOST_HELD", 50)
    hider = Hider()
    assert hider.feed("<update>" + "a" * 42) == ""
    assert hider.feed("b") == "<update>" + "a" * 42 + "b"
    assert hider.feed("</update>c") == "</update>c"


def test_begun_blocks_without_number_take_no_time_without_end():
    """Each of them could be looked at for an end in all that follows: that would be 10^10 steps."""
    said = "<update>" * 100_000
    hider = Hider()
    assert "".join([hider.feed(said[at : at + 4000]) for at in range(0, len(said), 4000)]) + hider.close() == said
