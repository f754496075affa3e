"""Both automata against `str.find`."""

import random
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.fast import automaton
from lorewright.fast.automaton import Automaton, PythonAutomaton, default_automaton
from tests.effort import cpu_below

AUTOMATA = [Automaton, PythonAutomaton]


def naive(patterns, text):
    found = []
    for place, pattern in enumerate(patterns):
        at = text.find(pattern)
        while at >= 0:
            found.append((place, at, at + len(pattern)))
            at = text.find(pattern, at + 1)
    return sorted(found)


@pytest.mark.parametrize("kind", AUTOMATA)
@given(
    st.lists(st.text("ab猫😀é", min_size=1, max_size=5), max_size=20), st.text("ab猫😀é\ud83d\ude00\ufffd", max_size=40)
)
def test_finds_what_find_finds(kind, patterns, text):
    assert sorted(kind(patterns).find(text)) == naive(patterns, text)


@given(
    st.lists(st.text("ab猫😀é", min_size=1, max_size=7), max_size=20),
    st.text("ab猫😀é\ud83d\ude00\ufffd", max_size=60),
    st.integers(1, 9),
)
def test_a_long_text_is_searched_in_windows(patterns, text, window):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(automaton, "_WINDOW", window)
        assert sorted(Automaton(patterns).find(text)) == naive(patterns, text)


@pytest.mark.parametrize("kind", AUTOMATA)
@given(st.data())
def test_finds_what_find_finds_in_any_text(kind, data):
    text = data.draw(st.text(st.characters(exclude_categories=()), max_size=60))
    cuts = st.integers(0, len(text))
    pieces = data.draw(st.lists(st.tuples(cuts, cuts).map(lambda cut: text[cut[0] : cut[1]]), max_size=10))
    patterns = [piece for piece in pieces if piece and not automaton._REFUSED.search(piece)]

    assert sorted(kind(patterns).find(text)) == naive(patterns, text)


@pytest.mark.parametrize("kind", AUTOMATA)
@pytest.mark.parametrize("pattern", ["", "\ud800", "a\udfff", "b\ufffd", "c\ufffdd"])
def test_refuses(kind, pattern):
    with pytest.raises(ValueError, match="cannot find"):
        kind(["a", pattern])


@pytest.mark.parametrize("kind", AUTOMATA)
@pytest.mark.parametrize("count", [0, 1, automaton._MOST_PATTERNS_OF_A_DFA, automaton._MOST_PATTERNS_OF_A_DFA + 1])
def test_any_number_of_patterns(kind, count):
    patterns = [f"key{number}x" for number in range(count)]
    text = "a key0x and key3000x, key12x😀key1x"

    assert sorted(kind(patterns).find(text)) == naive(patterns, text)


def test_the_default_is_rust_and_falls_back_to_python(monkeypatch):
    assert type(default_automaton(["a"])) is Automaton

    automaton._ahocorasick.cache_clear()
    monkeypatch.setitem(sys.modules, "ahocorasick_rs", None)

    assert type(default_automaton(["a"])) is PythonAutomaton
    with pytest.raises(ValueError, match="empty"):
        default_automaton([""])


def test_builds_a_hundred_thousand_patterns_in_a_second():
    letters = random.Random(1)
    latin = ["".join(letters.choices("etaoinshrdlucmfw ", k=letters.randint(3, 12))) for _ in range(50_000)]
    han = ["".join(chr(letters.randrange(0x4E00, 0x5A00)) for _ in range(letters.randint(2, 4))) for _ in range(50_000)]
    seconds = []
    for _ in range(3):  # the machine may be busy
        begin = time.process_time()
        Automaton(latin + han)
        seconds.append(time.process_time() - begin)

    assert min(seconds) < 1


def test_one_prefix_for_all_patterns_is_not_slow():
    patterns = [f"th{number}" for number in range(20_000)]

    with cpu_below(5):
        assert len(PythonAutomaton(patterns).find("th1 " * 5000)) == 5000


@pytest.mark.parametrize("form", ["k{}", "{}k", "猫{}", "kk{:x}"])
def test_many_patterns_that_begin_alike_are_found(form):
    """They are built backwards; the places must not be."""
    patterns = [form.format(number) for number in range(4000)]
    text = f"x {form.format(3999)} y {form.format(17)}."
    automaton = Automaton(patterns)

    expected = {
        (place, start, start + len(pattern))
        for place, pattern in enumerate(patterns)
        for start in range(len(text))
        if text.startswith(pattern, start)
    }

    assert set(automaton.find(text)) == expected
