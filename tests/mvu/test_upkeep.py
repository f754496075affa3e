"""A chat with its records, read again, repeated, restored and cleaned up (spec mvu-vars §10); which entries go where; what
says that a card checks itself."""

from dataclasses import replace

import pytest

from lorewright.core.model import ActiveBook, Book, Entry, Message
from lorewright.mvu.addons import checks_itself
from lorewright.mvu.behaviour import RECORDED
from lorewright.mvu.chat import PLACEHOLDER, Line, Player, check_initial, handle
from lorewright.mvu.initial import InitialBook
from lorewright.mvu.record import Record
from lorewright.mvu.routing import books_for
from lorewright.mvu.schema import generate
from lorewright.mvu.stored_chat import first_stored, read_lines, without_records
from lorewright.mvu.upkeep import Keeping, clean_up, forget_old, replay, reprocess, reread_initial, restore

PLAYER = Player("Aria", behaviour=RECORDED)
BOOK = InitialBook("book", "primary", (("[initvar]", "n: 0\nhp: [100, health]"),))


def record(n):
    tree = {"n": n, "hp": [100, "health"]}
    return Record(tree, generate(tree), ("book",)).stored()


def chat(count, *, kept=()):
    """A chat in which each reply adds one; `kept`: the messages with a record."""
    lines = (
        Line("Aria", ("Well. _.add('n', 1);",), records=(record(at),) if at in kept else ()) for at in range(count)
    )
    return tuple(lines)


def numbers(lines):
    return [line.stored["stat_data"]["n"] if Record.of(line.stored) else None for line in lines]


def test_the_first_message_gets_a_record_for_each_greeting():
    greetings = Line("Aria", ("Hi.", "Yo. _.set('n', 5);", "<initvar>{n: 7}</initvar>"), shown=1)

    (line,) = check_initial((greetings,), (BOOK,), PLAYER).lines

    assert [kept["stat_data"]["n"] for kept in line.records] == [0, 5, 7]
    assert [sorted(kept["initialized_lorebooks"]) for kept in line.records] == [["book"]] * 3


def test_later_the_newest_message_gets_what_a_new_book_brings():
    more = InitialBook("more", "global", (("[initvar]", "n: 9\nday: 1"),))

    lines = check_initial(chat(3, kept=[0]), (BOOK, more), PLAYER).lines

    assert numbers(lines) == [0, None, 0]
    assert lines[2].stored["stat_data"]["day"] == 1
    assert sorted(lines[2].stored["initialized_lorebooks"]) == ["book", "more"]
    assert check_initial(lines, (BOOK, more), PLAYER).lines == lines


def test_a_reply_goes_on_from_the_record_before_it_and_of_the_swipe_that_is_shown():
    first = Line("Aria", ("a", "b"), shown=1, records=(record(1), record(50)))
    second = Line("Aria", ("one _.add('n', 1);", "two _.add('n', 2);"))

    once = handle((first, second), 1, PLAYER).lines
    other = handle((once[0], replace(once[1], shown=1)), 1, PLAYER).lines

    assert [kept["stat_data"]["n"] for kept in other[1].records] == [51, 52]
    assert other[1].swipes[0].endswith(f"\n\n{PLACEHOLDER}")
    assert handle(other, 1, PLAYER).lines == other


@pytest.mark.parametrize(
    ("line", "is_read"),
    [
        (Line("Aria", ("12345",)), True),
        (Line("Aria", ("1234",)), False),
        (Line("Aria", ("😀😀😀",)), True),
        (Line("Bo", ("A long reply.",)), False),
        (Line("Mina", ("x",), by_user=True), True),
    ],
)
def test_short_replies_and_those_of_others_are_not_read(line, is_read):
    lines = handle((chat(1, kept=[0])[0], line), 1, PLAYER).lines

    assert (lines[1].stored is not None) is is_read
    assert (lines[1].text == line.text) is (not is_read or line.by_user)


def test_members_of_others_stay():
    own = {**record(3), "mine": 1}
    lines = (chat(1, kept=[0])[0], Line("Aria", ("Well. _.add('n', 1);",), records=(own,)))

    stored = handle(lines, 1, PLAYER).lines[1].stored

    assert (stored["mine"], stored["stat_data"]["n"]) == (1, 1)


def test_a_status_block_that_the_model_repeated_is_cut_out():
    text = "Hm.<status_current_variable>\nhp: 1\n</status_current_variable> Yes."

    lines = handle((chat(1, kept=[0])[0], Line("Aria", (text,))), 1, PLAYER).lines

    assert lines[1].text == f"Hm. Yes.\n\n{PLACEHOLDER}"


def test_the_last_message_can_be_read_again():
    assert numbers(reprocess(chat(3, kept=[0, 1, 2]), PLAYER)) == [0, 1, 2]
    assert reprocess(chat(1, kept=[0]), PLAYER) == chat(1, kept=[0])


def test_messages_can_be_repeated_from_any_record():
    assert numbers(replay(chat(5, kept=[0]), 3, 0, PLAYER)) == [0, None, None, 3, None]
    assert numbers(replay(chat(5, kept=[1]), -1, 1, PLAYER)) == [None, 1, None, None, 4]
    assert replay(chat(5, kept=[0]), 3, 2, PLAYER) == chat(5, kept=[0])


def test_a_deletion_restores_what_is_missing_among_the_newest():
    small = Keeping(newest=3, watched=3)

    assert numbers(restore(chat(8, kept=[0, 1, 2, 3]), small, PLAYER)) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert numbers(restore(chat(8, kept=[0, 7]), small, PLAYER))[4:] == [4, 5, 6, 7]
    untouched = chat(8, kept=[0, 4, 5, 6, 7])  # what is missing is old
    assert restore(untouched, small, PLAYER) == untouched


def test_old_records_are_forgotten_but_for_some():
    lines = list(chat(13, kept=range(13)))
    lines[2] = lines[2].with_stored({**lines[2].stored, "snapshot": True})

    left = forget_old(tuple(lines), 3, Keeping(interval=4))

    assert [at for at, n in enumerate(numbers(left)) if n is not None] == [0, 2, 4, 8, 10, 11, 12]


def test_every_fifth_message_cleans_up():
    keeping = Keeping(newest=2, interval=100)

    assert clean_up(chat(9, kept=range(9)), 8, keeping) == chat(9, kept=range(9))
    cleaned = clean_up(chat(10, kept=range(10)), 9, keeping)
    assert numbers(cleaned)[7] is None
    assert None not in numbers(cleaned)[8:]
    assert numbers(cleaned)[0] == 0
    off = replace(keeping, cleans=False)
    assert clean_up(chat(10, kept=range(10)), 9, off) == chat(10, kept=range(10))


def test_initial_values_can_be_read_again_under_what_was_played():
    changed = InitialBook("book", "primary", (("[initvar]", "n: 0\nhp: [50, life]\nnew: 1"),))

    lines = reread_initial(chat(2, kept=[0, 1]), (changed,), PLAYER)

    assert lines[1].stored["stat_data"] == {"n": 1, "hp": [100, "life"], "new": 1}
    assert lines[0] == chat(2, kept=[0, 1])[0]


# -- files, routing, add-ons -------------------------------------------------------------------------------------------


def test_lines_of_a_file_have_their_swipes_and_records():
    messages = (Message("Aria", "two", "assistant"), Message("Mina", "x"))
    original = {"mes": "two", "swipes": ["one", "2"], "swipe_id": 1, "variables": [None, record(4)]}

    first, second = read_lines(messages, (original,))

    assert first == Line("Aria", ("one", "two"), False, 1, (None, record(4)))
    assert second == Line("Mina", ("x",), True)
    assert first_stored((second, first)) == 1
    assert first_stored(without_records((second, first))) is None
    assert read_lines(messages, (original | {"variables": {"1": record(4)}},))[0] == first


TITLES = ("[mvu_update] rules", "[MVU_Plot] style", "[mvu_plot][mvu_update] both", "none", None)
BOOKS = (ActiveBook(Book("b", tuple(Entry(uid=str(n), title=title) for n, title in enumerate(TITLES)))),)


@pytest.mark.parametrize(
    ("request_for", "mode", "uids"),
    [
        ("story", "inline", "01234"),
        ("update", "inline", "01234"),
        ("story", "separate", "1234"),
        ("update", "separate", "0234"),
    ],
)
def test_entries_go_into_the_request_that_their_titles_name(request_for, mode, uids):
    (active,) = books_for(BOOKS, request_for, mode)

    assert "".join(str(entry.uid) for entry in active.book.entries) == uids


@pytest.mark.parametrize(
    ("extensions", "says"),
    [
        ({"tavern_helper": {"scripts": [{"name": "MVU zod", "content": ""}]}}, True),
        ({"tavern_helper": [["scripts", [{"name": "x", "content": "import 'https://x/mvu_zod.js'"}]]]}, True),
        ({"TavernHelper_scripts": [{"value": {"name": "s", "content": "registerMvuSchema(z)"}}]}, True),
        ({"tavern_helper": {"scripts": [{"name": "MVU", "content": "import bundle"}]}}, False),
        ({"other": {"scripts": [{"name": "MVU zod"}]}}, False),
        ({"tavern_helper": {"scripts": [{"name": 5, "content": None}]}}, False),
        ([], False),
        (None, False),
    ],
)
def test_a_card_with_checks_of_its_own_is_known_by_its_scripts(extensions, says):
    assert checks_itself(extensions) is says
