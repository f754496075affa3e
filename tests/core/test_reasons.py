"""Reasons in words, and the match that belongs to them."""

import pytest

from lorewright import ActiveBook, Book, Entry, Message, State, Turn, assemble, load_lore, make_tools
from lorewright.core import reasons


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        (reasons.KeyMatched(r"/\bcat\b/i"), r"key '/\bcat\b/i' matched"),
        (reasons.KeyMatched("king's"), "key 'king's' matched"),
        (
            reasons.SecondaryVeto("cat", "and_any", None),
            "key 'cat' matched, but its secondary keys did not let it pass (and_any)",
        ),
        (
            reasons.SecondaryVeto("cat", "not_any", "dog"),
            "key 'cat' matched, but secondary key 'dog' refused (not_any)",
        ),
        (reasons.LostGroup("g", None, "timers"), "was taken out with group 'g' (timers)"),
        (reasons.LostGroup("g", "b.1", "draw"), "lost its place in group 'g' to b.1 (draw)"),
        (reasons.WrongTrigger("normal", ("swipe", "quiet")), "works only for swipe, quiet, and this reply is `normal`"),
        (reasons.DrawFailed(0.62, 0.4), "draw 0.62 > 0.40"),
        (reasons.DrawFailed(0.5, 0.5), "draw 0.50 = 0.50"),
        (reasons.DrawFailed(0.5, None), "draw 0.50, and the entry has no number as its chance"),
    ],
)
def test_sentences(reason, sentence):
    assert reason.sentence == sentence


def test_the_match_of_a_veto_is_that_of_the_primary_key():
    entry = Entry(uid=0, keys=("cat",), secondary=("dog",), logic=2, content="x", position=0)
    tools = make_tools()
    lore = load_lore([ActiveBook(Book("b", (entry,)))], tools)
    assembly = assemble(Turn(messages=(Message("Max", "a cat, a dog"),)), lore, State(), tools)

    verdict = assembly.trace.why("b.0")

    assert verdict.reason == reasons.SecondaryVeto("cat", "not_any", "dog")
    assert verdict.match is not None
    assert (verdict.match.key, verdict.match.text, verdict.match.start, verdict.match.end) == ("cat", "cat", 2, 5)
