"""SillyTavern's timed effects as ours and back. The text that it hashes is written here by hand (spec world-info §2)."""

import pytest

from lorewright.core.model import ActiveBook, State, Timer
from lorewright.core.policy import NATIVE, SILLYTAVERN
from lorewright.core.prepared import entry_hash
from lorewright.formats.world_info import read_world_info
from lorewright.storage.chat_state import adopt_timers, entry_text, timers_for_chat
from lorewright.templates.seeded import text_hash
from lorewright.toolbox import load_lore, make_tools

ENTRY = {"key": ["go"], "content": "Text.", "sticky": 3, "uid": 7, "extensions": {"2": 1.0, "1": "é"}, "order": 1e2}
TEXT = (
    '{"uid":7,"world":"main","key":["go"],"content":"Text.","sticky":3,"extensions":{"1":"é","2":1},"order":100,'
    '"decorators":[]}'
)


def lore(entry=None, policy=SILLYTAVERN):
    book = read_world_info({"entries": {"7": entry or ENTRY}}, name="main").value
    return load_lore([ActiveBook(book)], make_tools(), policy)


@pytest.mark.parametrize("policy", [SILLYTAVERN, NATIVE])
def test_the_text_that_sillytavern_hashes(policy):
    assert entry_text(lore(policy=policy).find("main.7")) == TEXT


@pytest.mark.parametrize(
    ("content", "decorators", "left"),
    [
        ("@@activate\\n@@unknown\\n@@@dont_activate\\nText.", '["@@activate","@@dont_activate"]', "Text."),
        ("@@activate", '["@@activate"]', "@@activate"),
        ("@@@activate\\nText.", "[]", "Text."),
    ],
)
def test_decorator_lines_are_no_part_of_the_content(content, decorators, left):
    entry = {**ENTRY, "content": content.replace("\\n", "\n")}

    expected = TEXT.replace('"Text."', f'"{left}"').replace("[]}", f"{decorators}}}")
    assert entry_text(lore(entry).find("main.7")) == expected


def test_an_entry_without_content_has_an_empty_one_at_the_end():
    entry = {"uid": 7, "key": ["go"]}

    expected = '{"uid":7,"world":"main","key":["go"],"decorators":[],"content":""}'
    assert entry_text(lore(entry).find("main.7")) == expected


def test_a_known_effect_becomes_ours_without_a_word():
    books = lore()
    timer = Timer(str(text_hash(TEXT)), 1, 4)

    state, reports = adopt_timers(State({"main.7": timer}), books)

    assert state == State({"main.7": Timer(entry_hash(books.find("main.7")), 1, 4)})
    assert reports == ()


def test_an_effect_of_another_text_goes_on_with_a_report():
    books = lore()
    timer = Timer("5", 1, 4, protected=True)

    state, reports = adopt_timers(State({}, {"main.7": timer}), books)

    assert state.cooldown == {"main.7": Timer(entry_hash(books.find("main.7")), 1, 4, protected=True)}
    assert [(report.code, report.entry) for report in reports] == [("chat_timer_of_other_text", "main.7")]


def test_an_effect_of_an_entry_that_is_not_loaded_stays_as_it_is():
    state = State({"other.1": Timer("5", 1, 4)})

    assert adopt_timers(state, lore()) == (state, ())


def test_what_did_not_change_goes_back_as_it_was():
    books = lore()
    kept = State({"main.7": Timer("5", 1, 4), "other.1": Timer("6", 1, 9)})

    assert timers_for_chat(adopt_timers(kept, books)[0], kept, books) == kept


def test_what_changed_has_the_hash_that_sillytavern_knows():
    books = lore()
    ours = entry_hash(books.find("main.7"))
    after = State({}, {"main.7": Timer(ours, 4, 6, protected=True), "gone.1": Timer("ab", 1, 2)})

    found = timers_for_chat(after, State({"main.7": Timer("5", 1, 4)}), books)

    timer = Timer(str(text_hash(TEXT)), 4, 6, protected=True)
    assert found == State({}, {"main.7": timer, "gone.1": Timer("ab", 1, 2)})
