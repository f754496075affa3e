"""Reading books for a task, where the recorded cases say nothing: settings, books of ours, gates, trust, the cache."""

import pytest

from lorewright.core.gates import Flag, Gate, Knowledge
from lorewright.core.model import ABSENT, Book, Entry, Odd
from lorewright.errors import InputError
from lorewright.tasks.activate import activate
from lorewright.tasks.cache import WorldCache
from lorewright.tasks.entry import AT_DEPTH, EXAMPLES_TOP, NOTE_BOTTOM, TaskEntry, task_entry
from lorewright.tasks.keys import Trigger
from lorewright.tasks.settings import TaskSettings, read_task_settings
from lorewright.tasks.shelf import BookShelf, name_books
from lorewright.tasks.world import TaskTools, WorldRequest, read_world
from lorewright.templates.ejs import Sandbox
from tests.tasks.world import REGEXES, SCENE, Shelf, entry, names, read

CLOSED = Gate((Flag("met"),))


def kinds(lore):
    return [(warning.kind, warning.subject) for warning in (*lore.report.warnings, *lore.report.told)]


# Expected by seed 000 §4b and spec mvu-filter §2: a later layer counts, a full-width comma does not split.
@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        ([{}], TaskSettings()),
        ([{"worldInfoFilterMode": " custom "}], TaskSettings(filter_mode="custom")),
        ([{"worldInfoFilterMode": "Custom", "worldInfoFilterCustomKeywords": "a"}], TaskSettings(filter_mode="Custom")),
        (
            [{"worldInfoFilterMode": "custom", "worldInfoFilterCustomKeywords": " A,b ，c,, "}],
            TaskSettings(filter_mode="custom", keywords=("a", "b ，c")),
        ),
        (
            [{"worldInfoFilterMode": "default"}, {"worldInfoFilterMode": "custom", "other": 1}],
            TaskSettings(filter_mode="custom"),
        ),
        (
            [
                {"worldInfoFilterMode": "custom", "worldInfoFilterCustomKeywords": "a"},
                {"worldInfoFilterCustomKeywords": "b"},
                {"worldInfoFilterCustomKeywords": "c"},
            ],
            TaskSettings(filter_mode="custom", keywords=("c",)),
        ),
        ([{"worldInfoMaxResolvePasses": 3}], TaskSettings(max_passes=3)),
        ([{"worldInfoMaxResolvePasses": -1}], TaskSettings()),
        ([{"worldInfoMaxResolvePasses": "many", "worldInfoFilterMode": 5}], TaskSettings(filter_mode="5")),
    ],
)
def test_settings(layers, expected):
    assert read_task_settings(*layers) == expected


def test_a_book_of_ours_becomes_entries_of_tasks():
    """Positions by SillyTavern's numbers; what is absent or odd is a default; both titles are the one there is."""
    found = task_entry(
        Entry(
            uid=7,
            title=" The mill ",
            content="@@activate\nIt turns.",
            keys=("mill",),
            constant=ABSENT,
            position=3,
            role=2,
            logic=3,
            probability=40,
            use_probability=False,
            depth=Odd("x"),
            order=float("inf"),
            group=None,
        ),
        "world",
    )

    assert (found.name, found.comment, found.uid) == ("The mill", "The mill", 7)
    assert (found.text, found.decorators) == ("It turns.", ("@@activate",))
    assert (found.position, found.role, found.logic, found.probability) == (NOTE_BOTTOM, "assistant", "and_all", 100)
    assert (found.depth, found.order, found.group, found.constant) == (0, 100, "", False)
    assert task_entry(Entry(uid=1, position=5), "w").position == EXAMPLES_TOP
    assert task_entry(Entry(uid=1, position=7), "w").position == AT_DEPTH  # an outlet
    assert task_entry(Entry(uid="harbour"), "w", 2) == TaskEntry(book="w", uid=-3, name="harbour", comment="harbour")


def test_what_a_gate_keeps_back_is_nowhere():
    """Not in a text, not for code that asks for it, not in a list; and what opens it brings it in."""
    secret = Entry(uid=1, title="Secret", content="SECRET", constant=True, position=0, gate=CLOSED)
    asking = Entry(
        uid=2,
        title="Asking",
        content="[<%= await getwi('Secret') %>][<%= await getwi(1) %>][<%= await getwi(/S/) %>]"
        "[<%= JSON.stringify(await activewi('Secret')) %>][<%= (await getWorldInfoData()).length %>]"
        "[<%= (await getEnabledWorldInfoEntries()).map((x) => x.comment).join() %>]",
        constant=True,
        position=0,
    )
    book = Book("main", (secret, asking))

    def text(variables):
        shelf = BookShelf([book], Knowledge(variables=variables))
        with Sandbox() as sandbox:
            lore = read_world(WorldRequest(books=("main",), scene=SCENE), shelf, TaskTools(REGEXES, sandbox, ("main",)))
        return shelf.withheld("main"), {text.entry.name: text.content for text in lore.texts}

    assert text({}) == ([1], {"Asking": "[][][][null][1][Asking]"})
    withheld, texts = text({"met": True})
    assert withheld == []
    assert texts["Secret"] == "SECRET"
    assert texts["Asking"].startswith("[SECRET][SECRET][SECRET]")


def test_a_lazily_read_book_keeps_its_gates_too():
    book = Book(
        "lazy", (Entry(uid=1, title="S", content="SECRET"), Entry(uid=2, title="T", content="open")), gate=CLOSED
    )
    asking = Entry(uid=1, title="A", content="[<%= await getwi('lazy', 'S') %>]", constant=True)
    shelf = BookShelf([Book("main", (asking,)), book])
    with Sandbox() as sandbox:
        lore = read_world(
            WorldRequest(books=("main",), scene=SCENE), shelf, TaskTools(REGEXES, sandbox, ("main", "lazy"))
        )

    assert [text.content for text in lore.texts] == ["[]"]
    assert lore.report.lazy_books == ()


def test_code_of_a_book_that_is_not_trusted_does_not_run():
    books = {"main": [entry("code", "a<%= 1 %>"), entry("plain", "b", uid=2)]}
    lore = read({}, books, trusted=())

    assert names(lore.before) == ["plain"]
    assert kinds(lore) == [("not_trusted", "code")]


def test_a_trusted_book_cannot_borrow_the_code_of_another():
    books = {"main": [entry("code", "a<%= await getwi('lazy', 'x') %>")], "lazy": [entry("x", "<%= 1 %>", book="lazy")]}

    assert kinds(read({}, books, trusted=("main",))) == [("not_trusted", "code")]
    assert [text.content for text in read({}, books).before] == ["a1"]


def test_the_cache_hands_out_copies():
    """What one task learns of books that its code asked for is not what the next one starts with."""
    books = {
        "main": [entry("code", "a<%= await getwi('lazy', 'x') %>")],
        "lazy": [entry("[initvar]", "BLOCKED", book="lazy"), entry("x", "y", book="lazy", uid=2)],
    }
    cache, leaking = WorldCache(), WorldCache(shares=True)

    assert [read({}, books, cache).report.blocked for _ in range(3)] == [("BLOCKED",)] * 3
    assert [read({}, books, leaking).report.blocked for _ in range(3)][2] == ("BLOCKED", "BLOCKED")


def test_the_cache_lives_three_seconds_from_reading():
    cache = WorldCache()
    shelf = Shelf(main=[entry("a", "text")])

    def age(now_ms):
        with Sandbox() as sandbox:
            request = WorldRequest(books=("main",))
            return read_world(request, shelf, TaskTools(REGEXES, sandbox, cache=cache), now_ms).report.age_ms

    assert [age(now) for now in (0, 2999, 3000, 3001)] == [None, 2999, None, 1]
    shelf.state = 1
    assert age(3002) is None
    assert shelf.reads == ["main"] * 3


def test_a_book_that_cannot_be_read_costs_itself_only():
    class Broken(Shelf):
        def read(self, name):
            if name == "bad":
                raise InputError("it is locked")
            return super().read(name)

    asking = entry("code", "[<%= await getwi('bad', 'x') %>]")
    with Sandbox() as sandbox:
        lore = read_world(
            WorldRequest(books=("bad", "main"), scene=SCENE),
            Broken(main=[asking]),
            TaskTools(REGEXES, sandbox, ("main",)),
        )

    assert [text.content for text in lore.texts] == ["[]"]
    assert lore.report.failed == (("bad", "it is locked"),)
    assert kinds(lore) == [("lazy_load_failed", "bad")]


def test_a_group_in_which_nobody_is_drawn_vanishes_only_where_defects_are_played():
    members = [entry(name, "x", uid=uid, group="g", group_weight=0) for uid, name in enumerate("ab")]
    trigger = Trigger("t", {}, REGEXES)

    assert activate(members, trigger, vanish=True) == []
    assert [one.entry.name for one in activate(members, trigger)] == ["a"]


def test_a_key_that_takes_too_long_is_given_up_and_told():
    slow = entry("slow", "x", constant=False, keys=(r"/^(?:(a+)+\1)+$/",))
    lore = read({}, {"main": [slow, entry("plain", "y", uid=2)]}, message="a" * 40 + "b")

    assert names(lore.before) == ["plain"]
    assert kinds(lore) == [("slow_key", r"^(?:(a+)+\1)+$")]


def test_books_are_named_once_in_order():
    assert name_books(" a ", "", "b", "a", " ") == ("a", "b")


def test_two_books_of_one_name_are_one():
    one, two = (Book("w", (Entry(uid=n, title=name, content=name, constant=True),)) for n, name in enumerate("ab"))

    assert [found.name for found in BookShelf([one, two]).read("w")] == ["a", "b"]
