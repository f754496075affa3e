"""The prefix meter: offsets and causes, counted by hand."""

import pytest

from lorewright.core.prefix import canonical, compare
from lorewright.core.record import Move
from lorewright.core.woven import Piece, WovenMessage


class Letters:
    """A counter for which every character is a token."""

    name = "letters"

    def count(self, text):
        return len(text)


def say(role, *pieces, index=0):
    return WovenMessage(index, role, "", tuple(Piece(*piece) for piece in pieces))


USER = say("user", ("record", "b.1", "Fog.\n\n"), ("client", "", "Hi"))
REPLY = say("assistant", ("client", "", "Yes"))
MORE = say("user", ("client", "", "é"))


def test_the_canonical_sequence_is_tools_roles_and_contents():
    assert canonical([USER, MORE], "[]") == b"[]\x1euser\x1fFog.\n\nHi\x1euser\x1f\xc3\xa9"


def test_a_text_cannot_look_like_the_head_of_a_message():
    one = [say("user", ("client", "", "a\x1euser\x1fb"))]
    two = [say("user", ("client", "", "a")), say("user", ("client", "", "b"))]

    assert canonical(one) != canonical(two)


def test_a_request_that_goes_on_keeps_everything():
    kept = compare([USER], [USER, REPLY, MORE], Letters())

    # \x1euser\x1f are 6 bytes, the texts 8.
    assert (kept.kept_bytes, kept.total_bytes, kept.kept_tokens, kept.total_tokens) == (14, 14, 8, 8)
    assert (kept.first_difference, kept.cause, kept.share) == (None, "", 1.0)


def test_what_was_only_of_its_turn_is_not_missed():
    before = say("user", ("client", "", "Hi"), ("volatile", "b.9", "\n\nNoon."))

    assert compare([before], [say("user", ("client", "", "Hi")), REPLY], Letters()).first_difference is None


CASES = {
    "the client's text": ([USER], [say("user", ("client", "", "Hi"))], [], 6, "client_edit", ""),
    "a record that left": (
        [USER],
        [say("user", ("client", "", "Hi"))],
        [Move("gate_closed", "b.1", "n")],
        6,
        "gate_closed",
        "",
    ),
    "a system text": (
        [say("system", ("client", "", "Be kind")), USER],
        [say("system", ("client", "", "Be")), USER],
        [],
        10,
        "client_system",
        "",
    ),
    "a classic position": (
        [say("system", ("placed", "b.2", "Sun"))],
        [say("system", ("placed", "b.3", "Sea"))],
        [],
        9,
        "placement",
        "b.2",
    ),
    "a request that is shorter": ([USER, REPLY], [USER], [Move("client_edit", node="n")], 14, "client_edit", ""),
}


@pytest.mark.parametrize(("before", "now", "moves", "at", "cause", "entry"), CASES.values(), ids=CASES.keys())
def test_the_first_difference_and_who_made_it(before, now, moves, at, cause, entry):
    kept = compare(before, now, Letters(), moves)

    assert (kept.first_difference, kept.kept_bytes, kept.cause) == (at, at, cause)
    assert kept.piece is None or kept.piece.entry == entry


def test_other_tools_move_everything():
    kept = compare([USER], [USER], Letters(), tools=("[1]", "[2]"))

    assert (kept.first_difference, kept.kept_tokens) == (1, 1)
