"""What is kept from turn to turn is what would be made anew."""

from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.memo import ANEW
from lorewright.fast.memo import LISTS, MAX_ITEMS, MAX_LETTERS, MAX_RESULTS, NEAR, KeptMemo, KeptTexts

lists = st.lists(st.lists(st.sampled_from(["a", "b", ["c"]]), max_size=12), max_size=20)


def shown(place, item, *given):
    return (place, str(item), given)


def written(place, item, *given):
    return f"{place}{item}{given}"


class Maker:
    """Makes texts and counts how many."""

    def __init__(self):
        self.made = 0

    def __call__(self, place, item):
        self.made += 1
        return f"{place}:{item}"

    def once(self, text):
        self.made += 1
        return len(text)


@given(lists, st.lists(st.sampled_from(["x", "y"]), min_size=1))
def test_lists_in_any_order_give_what_is_made_anew(chats, settings):
    memo = KeptMemo()

    for number, items in enumerate(chats):
        setting = settings[number % len(settings)]

        assert memo.each(shown, items, setting) == ANEW.each(shown, items, setting)


def test_only_new_items_are_made():
    memo, make = KeptMemo(), Maker()

    memo.each(make, ["a", "b"])
    memo.each(make, ["a", "b", "c"])

    assert make.made == 3


def test_a_branch_is_made_from_where_it_leaves_and_the_other_one_stays():
    memo, make = KeptMemo(), Maker()
    memo.each(make, ["a", "b", "c"])

    assert memo.each(make, ["a", "x"]) == ("0:a", "1:x")
    assert make.made == 4
    memo.each(make, ["a", "b", "c"])
    assert make.made == 4


def test_of_lists_that_differ_only_at_their_ends_the_last_one_is_kept():
    memo, make, begin = KeptMemo(), Maker(), [f"m{at}" for at in range(NEAR + 2)]
    memo.each(make, [*begin, *"abcd"])
    memo.each(make, [*begin, *"xbcd"])
    assert make.made == len(begin) + 5

    for chat in range(LISTS - 1):
        memo.each(make, [f"chat {chat}"])
    before = make.made
    memo.each(make, [*begin, *"xbcd"])

    assert make.made == before, "the first one would have been the list that is one too many"


def test_lists_along_each_other():
    memo, made = KeptMemo(), []

    def make(place, one, other, given):
        made.append(place)
        return f"{place}{one}{other}{given}"

    assert memo.along(make, ("abc", "xyz"), "!") == ("0ax!", "1by!", "2cz!")
    assert memo.along(make, ("abcd", "xyzz"), "!") == ("0ax!", "1by!", "2cz!", "3dz!")
    assert memo.along(make, ("abcd", "xqzz"), "!") == ("0ax!", "1bq!", "2cz!", "3dz!")
    assert made == [0, 1, 2, 3, 1], "behind an item that differs the others are looked at, too"


def test_lists_without_much_in_common_are_not_compared_to_their_ends():
    memo, make = KeptMemo(), Maker()
    memo.each(make, ["a", *(f"x{at}" for at in range(NEAR)), "same"])
    before = make.made

    memo.each(make, ["a", *(f"y{at}" for at in range(NEAR)), "same"])

    assert make.made == before + NEAR + 1


@given(st.lists(st.text("ab", max_size=6).flatmap(lambda text: st.tuples(st.just(text), st.permutations(text)))))
def test_lists_along_each_other_give_what_is_made_anew(pairs):
    memo = KeptMemo()

    for pair in pairs:
        assert memo.along(shown, pair) == ANEW.along(shown, pair)


def test_results_stay_the_same_objects():
    memo = KeptMemo()
    first = memo.each(shown, ["a"])

    assert memo.each(shown, ["a", "b"])[0] is first[0]


def test_a_list_that_was_given_can_be_changed():
    memo, items = KeptMemo(), ["a", "b"]
    memo.each(shown, items)
    items[1] = "x"

    assert memo.each(shown, items) == ANEW.each(shown, ["a", "x"])
    assert memo.each(shown, ["a", "b"]) == ANEW.each(shown, ["a", "b"])


def test_a_few_lists_are_kept_for_a_function():
    memo, make = KeptMemo(), Maker()
    for chat in range(LISTS + 1):
        memo.each(make, [f"chat {chat}"])

    memo.each(make, ["chat 0"])

    assert make.made == LISTS + 2


def test_past_the_limit_all_items_are_forgotten():
    memo, make = KeptMemo(), Maker()
    memo.each(make, ["a"])
    memo.each(make, ["b"] * MAX_ITEMS)

    memo.each(make, ["a"])

    assert make.made == MAX_ITEMS + 2


def test_one_result_is_made_once_until_all_are_forgotten():
    memo, make = KeptMemo(), Maker()
    assert [memo.once(make.once, "ab"), memo.once(make.once, "ab")] == [2, 2]
    assert make.made == 1

    for number in range(MAX_RESULTS):
        memo.once(make.once, str(number))
    memo.once(make.once, "ab")

    assert make.made == MAX_RESULTS + 2


def test_another_first_item_leaves_the_others_as_they_are():
    memo, make = KeptMemo(), Maker()
    memo.each(make, ["system 1", "a", "b"])

    assert memo.each(make, ["system 2", "a", "b", "c"]) == ("0:system 2", "1:a", "2:b", "3:c")
    assert make.made == 5


@given(lists)
def test_texts_are_what_is_made_anew(chats):
    memo = KeptTexts()

    for items in chats:
        assert memo.each(written, items, "x") == ANEW.each(written, items, "x")


def test_many_letters_are_forgotten():
    memo, made = KeptTexts(), []

    def long(place, item):
        made.append(item)
        return "x" * (MAX_LETTERS // 2 + 1)

    memo.each(long, ["a"])
    memo.each(long, ["a"])
    assert made == ["a"]
    memo.each(long, ["a", "b"])
    memo.each(long, ["a"])
    assert made == ["a", "b", "a"]
