"""Long chats, of which many messages are filled in together; expected values by hand."""

from dataclasses import replace

from lorewright.conformance.world_info import CodePointCounter
from lorewright.core.layout import NATIVE_LAYOUT, SILLYTAVERN_LAYOUT
from lorewright.core.layout.filling import LONG
from lorewright.core.layout.preset import Limits
from lorewright.core.layout.reasons import NothingLeft, OlderThanBudget, TooLong
from lorewright.core.layout.scene import Line
from tests.core.layout.stage import lay, lore, out, preset, scene

COUNT = 3 * LONG
DEPTH = LONG + 4


def chat(count=COUNT, **texts):
    """Messages of one letter each but for those that are given, by `m` and number from 1."""
    return tuple(
        Line(name="Max" if at % 2 else "Aria", text=texts.get(f"m{at}", "x"), is_user=bool(at % 2))
        for at in range(1, count + 1)
    )


def ids(laid):
    return [message.id for message in laid.messages]


def test_every_message_is_called_after_its_number_and_a_text_between_them_is_counted():
    found = ids(lay(preset(), scene(chat=chat()), lore(at_depth={DEPTH: ["lore"]}), defects=SILLYTAVERN_LAYOUT))

    before = [f"chatHistory-{number}" for number in range(1, COUNT - DEPTH + 1)]
    behind = [f"chatHistory-{number}" for number in range(COUNT - DEPTH + 2, COUNT + 2)]
    assert [name for name in found if name and name.startswith("chatHistory")] == [
        *before,
        f"chatHistory-{COUNT - DEPTH + 1}",
        *behind,
    ]


def limited_to(letters, lines):
    """Room for the main prompt, what every request costs, and so many letters of the chat."""
    whole = preset(limits=Limits(100_000, 0))
    main = sum(CodePointCounter().count(message.content) for message in lay(whole, scene(chat=())).messages)
    return lay(replace(whole, limits=Limits(main + 3 + letters, 0)), scene(chat=lines), defects=NATIVE_LAYOUT)


def test_where_not_all_fit_the_oldest_are_left():
    laid = limited_to(COUNT - 3, chat())

    assert ids(laid)[1:] == [f"chatHistory-{number}" for number in range(4, COUNT + 1)]
    assert out(laid)["message 2"] == TooLong.code
    assert out(laid)["message 1"] == out(laid)["message 0"] == OlderThanBudget.code


def test_an_empty_message_is_left_out_among_the_others():
    laid = limited_to(COUNT - 1, chat(m5=""))

    assert ids(laid)[1:] == [f"chatHistory-{number}" for number in range(1, COUNT + 1) if number != 5]
    assert out(laid)["message 4"] == NothingLeft.code
