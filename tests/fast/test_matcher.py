"""The fast matcher: its time limits, and what it remembers of chats. That it equals the reference is in
`tests/properties/test_engine.py`."""

from collections.abc import Callable

from lorewright import ActiveBook, Book, Entry, Message, Settings, State, Turn, assemble, load_lore, make_tools
from lorewright.core.keys import Key
from lorewright.core.match import HURRIED_SECONDS, REGEX_SECONDS
from lorewright.core.policy import NATIVE
from lorewright.core.prepared import prepare_book
from lorewright.core.protocols import RegexMatch, Substituted
from lorewright.errors import RegexTimeout
from lorewright.fast import matcher
from lorewright.fast.compiled import CompiledBook, PieceHits
from lorewright.fast.matcher import FastMatcher
from lorewright.fast.window import MAX_NEW, Windows

TOOLS = make_tools()


class SlowRegexes:
    """Each search takes a tenth of a second by a clock of its own, and finds nothing."""

    name = "slow"

    def __init__(self) -> None:
        self.now = 0.0
        self.limits: list[float] = []

    def thread_time(self) -> float:
        return self.now

    def compile(self, pattern: str, flags: str) -> "SlowRegexes":
        return self

    def replace(self, text: str, replacement: Callable[[RegexMatch], str], timeout_seconds: float) -> Substituted:
        raise RegexTimeout("too slow")

    def search(self, text: str, timeout_seconds: float) -> tuple[int, int] | None:
        self.limits.append(timeout_seconds)
        self.now += 0.1
        raise RegexTimeout("slow")


def test_all_regex_keys_together_have_a_limit(monkeypatch):
    regexes = SlowRegexes()
    monkeypatch.setattr(matcher, "thread_time", regexes.thread_time)
    runner = matcher._TimedRunner(regexes)
    keys = [Key("regex", str(number)) for number in range(7)]

    for key in keys:
        runner.search(key, "x")

    assert regexes.limits == [REGEX_SECONDS, REGEX_SECONDS, HURRIED_SECONDS, HURRIED_SECONDS]
    assert set(runner.timed_out) == set(keys)
    assert [runner.timed_out[key] for key in keys[4:]] == [0, 0, 0]


class LetterBook(CompiledBook):
    """A compiled book whose keys are the letters a to h; it notes the texts that it scans."""

    def __init__(self) -> None:
        entries = tuple(Entry(uid=letter, keys=(letter,)) for letter in "abcdefgh")
        policy = NATIVE.with_settings(Settings(whole_words=False))
        super().__init__(prepare_book(Book("letters", entries), policy, TOOLS.regexes, TOOLS.renderer))
        self.asked: list[str] = []

    def hits(self, text: str) -> PieceHits:
        self.asked.append(text)
        return super().hits(text)


def seen(window, book, count: int) -> dict[str, int]:
    """By letter: how many messages before the newest it stands."""
    return {key.text: window.top - serial for key, serial in window.plain.items() if serial > window.top - count}


def test_a_known_chat_has_only_its_new_messages_read():
    book = LetterBook()
    windows = Windows([book])
    windows.open(["c", "b", "a"], 3)
    book.asked.clear()

    window = windows.open(["d", "x", "c", "b", "a"], 5)

    assert book.asked == ["x", "d"]
    assert seen(window, book, 5) == {"d": 0, "c": 2, "b": 3, "a": 4}


def test_a_message_that_repeats_a_key_moves_it_to_the_front():
    book = LetterBook()
    windows = Windows([book])
    windows.open(["b", "a"], 2)

    window = windows.open(["a", "b", "a"], 3)

    assert seen(window, book, 3) == {"a": 0, "b": 1}


def test_edited_cut_and_foreign_chats_are_not_mistaken_for_a_known_one():
    book = LetterBook()
    windows = Windows([book])
    windows.open(["c", "b", "a"], 3)

    edited = windows.open(["c", "h", "a"], 3)
    cut = windows.open(["c", "b"], 2)
    swiped = windows.open(["d", "b", "a"], 3)
    foreign = windows.open(["f"], 1)
    empty = windows.open([], 5)

    assert seen(edited, book, 3) == {"c": 0, "h": 1, "a": 2}
    assert seen(cut, book, 2) == {"c": 0, "b": 1}
    assert seen(swiped, book, 3) == {"d": 0, "b": 1, "a": 2}
    assert seen(foreign, book, 1) == {"f": 0}
    assert seen(empty, book, 0) == {}


def test_a_chat_that_has_grown_a_lot_is_read_anew():
    book = LetterBook()
    windows = Windows([book])
    windows.open(["a"], 1)
    book.asked.clear()

    windows.open([*"ijklmnopq", "a"], MAX_NEW + 2)

    assert MAX_NEW == 8
    assert book.asked == [*"ijklmnopq"], "`a` is known as a text, but the chat is not"


def test_an_old_window_stays_as_it_was():
    book = LetterBook()
    windows = Windows([book])
    old = windows.open(["a"], 1)

    windows.open(["b", "a"], 2)

    assert seen(old, book, 1) == {"a": 0}


def test_stats_say_how_entries_are_handled():
    entries = (
        Entry(uid=0, keys=("plain",)),
        Entry(uid=1, keys=("plain", "/literal+/")),
        Entry(uid=2, keys=("/x*/",)),
        Entry(uid=3, keys=("{{user}}",)),
        Entry(uid=4, keys=("two\nlines",)),
        Entry(uid=5, keys=(), constant=True),
        Entry(uid=6, keys=("off",), enabled=False),
    )
    tools = make_tools()
    lore = load_lore([ActiveBook(Book("b", entries))], tools)

    assert isinstance(tools.matcher, FastMatcher)
    stats = tools.matcher.stats(lore)

    assert stats == (1, 1, 3, 2)


def test_books_may_share_keys():
    books = [Book(name, (Entry(uid=0, keys=("cat",), content=name, position=0),)) for name in ("a", "b")]
    tools = make_tools()
    lore = load_lore([ActiveBook(book) for book in books], tools, NATIVE.with_settings(Settings(scan_depth=1)))

    assembly = assemble(Turn(messages=(Message("Max", "a cat"),)), lore, State(), tools)

    assert {item.entry.id for item in assembly.activated} == {"a.0", "b.0"}
