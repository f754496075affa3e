"""Messages with texts woven in: where each text stands."""

import pytest

from lorewright.cli.messages import build_messages
from lorewright.core.model import Message, Turn
from lorewright.core.place import DepthGroup, Example, Placed, Text

CHAT = tuple(Message("Max" if n % 2 else "Ana", str(n), "user" if n % 2 else "assistant") for n in range(1, 4))
SHORT = {"system": "s", "user": "u", "assistant": "a"}


def shown(placed, messages=CHAT, *, trigger="normal", note=True):
    """The messages as `s:text u:1 ...`."""
    layout = build_messages(Turn(messages=messages, trigger=trigger), placed, note_without_note=note)
    return " ".join(f"{SHORT[message.role]}:{message.content}" for message in layout.messages)


def at(depth, role, *texts):
    return DepthGroup(depth, role, tuple(Text(f"b.{text}", text) for text in texts))


def some(*texts):
    return tuple(Text(f"b.{text}", text) for text in texts)


TABLE = {
    "nothing": (Placed(), "u:1 a:2 u:3"),
    "before and after": (Placed(before=some("x", "y"), after=some("z")), "s:x\ny s:z u:1 a:2 u:3"),
    "depth 0 is the end": (Placed(at_depth=(at(0, 0, "x"),)), "u:1 a:2 u:3 s:x"),
    "depth 1": (Placed(at_depth=(at(1, 0, "x"),)), "u:1 a:2 s:x u:3"),
    "depth beyond the start": (Placed(at_depth=(at(99, 0, "x"),)), "s:x u:1 a:2 u:3"),
    "absent depth counts as 4": (Placed(at_depth=(at(None, 0, "x"), at(4, 0, "y"))), "s:x\ny u:1 a:2 u:3"),
    "depths as text and fraction": (Placed(at_depth=(at("1", 0, "x"), at(2.7, 0, "y"))), "u:1 s:y a:2 s:x u:3"),
    "no depth at all": (Placed(at_depth=(at("deep", 0, "x"), at(float("nan"), 0, "y"))), "s:x u:1 a:2 u:3 s:y"),
    "roles at one depth": (
        Placed(at_depth=(at(1, 0, "s1"), at(1, 1, "u1"), at(1, 2, "a1"), at(1, 0, "s2"))),
        "u:1 a:2 a:a1 u:u1 s:s1\ns2 u:3",
    ),
    "around the note": (
        Placed(note_top=some("t"), note_bottom=some("b"), at_depth=(at(4, 0, "x"),)),
        "s:t\nb s:x u:1 a:2 u:3",
    ),
    "examples and outlets": (
        Placed(examples=(Example("top", Text("b.e", "e")),), outlets={"o": some("f")}),
        "u:1 a:2 u:3",
    ),
}


@pytest.mark.parametrize(("placed", "expected"), TABLE.values(), ids=TABLE.keys())
def test_places(placed, expected):
    assert shown(placed) == expected


def test_without_a_note_its_texts_are_lost_and_reported():
    placed = Placed(note_top=some("t"))
    layout = build_messages(Turn(messages=CHAT), placed, note_without_note=False)

    assert shown(placed, note=False) == "u:1 a:2 u:3"
    assert [(report.code, "b.t" in report.message) for report in layout.reports] == [("authors_note_off", True)]


def test_hidden_messages_are_left_out_but_a_system_prompt_at_the_top_stays():
    prompt = Message("System", "prompt", "system", hidden=True)
    tool = Message("System", "tool", "system", hidden=True)
    placed = Placed(before=some("b"), after=some("c"), at_depth=(at(1, 0, "x"),))
    layout = build_messages(Turn(messages=(prompt, *CHAT, tool)), placed, note_without_note=True)

    assert shown(placed, (prompt, *CHAT, tool)) == "s:b s:prompt s:c u:1 a:2 s:x u:3"
    assert [report.code for report in layout.reports] == ["hidden_messages_left_out"]


def test_a_swipe_leaves_out_the_reply_it_replaces():
    assert shown(Placed(at_depth=(at(0, 0, "x"),)), trigger="swipe") == "u:1 a:2 s:x"


def test_an_empty_chat():
    assert shown(Placed(before=some("b"), at_depth=(at(4, 1, "x"),)), ()) == "s:b u:x"
