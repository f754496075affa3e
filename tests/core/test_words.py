"""Whole words and folded text, against examples, against the `regex` package and against `unicodedata`."""

from __future__ import annotations

from unicodedata import category, normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.core import words
from lorewright.core.words import fold, is_grapheme_break, is_whole_word

regex = pytest.importorskip("regex")

thorough = settings(max_examples=max(400, settings().max_examples))
EVERY = range(0x110000)

# --- whole words -----------------------------------------------------------------------------------------------------

WORDS = [
    # key, text, whole?
    ("cat", "cat", True),
    ("cat", "a cat.", True),
    ("cat", "cats", False),
    ("cat", "bobcat", False),
    ("cat", "cat's", True),
    ("cat", "cat_", False),
    ("cat", "cat2", False),
    ("CAT", "a Cat", True),
    ("кот", "скотина", False),
    ("кот", "Кот!", True),
    ("Jos", "José", False),
    ("Jos", "Jose\u0301", False),
    ("José", "Jose\u0301 ran", True),
    ("Jose\u0301", "José", True),
    ("Jose", "Jose\u0301", False),
    ("x\u0302", "x\u0302y", False),
    ("x\u0302", "x\u0302 y", True),
    ("y", "x\u0302y", False),
    ("straße", "die STRASSE", True),
    ("weiß", "weißt", False),
    ("猫", "a猫b", True),
    ("猫", "黒猫", True),
    ("AC", "AC米兰", True),
    ("米兰", "AC米兰", True),
    ("서울", "서울에서", True),
    ("서울", normalize("NFD", "서울에서"), True),
    ("서우", "서울에서", False),
    ("\u1109\u1165", normalize("NFD", "서울"), True),
    ("カ", "スーパーカー", True),
    ("ー", "aーb", True),
    ("カ", "ガ", False),
    ("か", "か\u3099", False),
    ("ｶ", "ｶﾞ", False),
    ("葛", "葛\U000e0100", False),
    ("葛\U000e0100", "葛\U000e0100x", True),
    ("3号", "13号", False),
    ("3号", "3号线", True),
    ("号", "3号", True),
    ("C++", "C++11", True),
    ("C++", "C++", True),
    ("C", "C++", True),
    (".NET", "ASP.NET", True),
    ("new york", "in New York.", True),
    ("new york", "new yorkers", False),
    ("new york", "renew york", False),
    ("กา", "ตากาลม", True),
    ("ก", "กา", True),  # SARA AA is a letter of its own
    ("ก", "กิ", False),
    ("ก\u0331", "ก\u0331a", True),
    ("क", "क्ष", False),
    ("क", "कि", False),
    ("कि", "किताब", False),
    ("कि", "कि ताब", True),
    ("👩", "👩\u200d🚀", False),
    ("👩", "👩🏽", False),
    ("🚀", "👩\u200d🚀", False),
    ("👩\u200d🚀", "x👩\u200d🚀x", True),
    ("❤", "❤\ufe0f", False),
    ("❤\ufe0f", "a❤\ufe0fa", True),
    ("🇫🇷", "🇩🇪🇫🇷", True),
    ("🇪🇫", "🇩🇪🇫🇷", False),
    ("\n", "\r\n", False),
    ("１", "１２", False),
    ("Ⅳ", "xⅣ", False),
    ("a", "ａ", False),
    ("\ud800", "\ud800", True),
    ("a", "\ud800a\udc00", True),
]


def is_found(key: str, text: str) -> bool:
    needle, hay = fold(key, False).text, fold(text, False).text
    at = hay.find(needle)
    while at >= 0:
        if is_whole_word(hay, at, at + len(needle)):
            return True
        at = hay.find(needle, at + 1)
    return False


@pytest.mark.parametrize(("key", "text", "expected"), WORDS)
def test_is_whole_word(key: str, text: str, expected: bool) -> None:
    assert is_found(key, text) is expected


def test_an_empty_range_has_no_sides() -> None:
    assert is_whole_word("cat", 1, 1)
    assert not is_whole_word("\r\n", 1, 1)


@given(st.text("aZ_9 .\r\n", min_size=1, max_size=6), st.data())
def test_the_ascii_path_equals_the_general_one(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    broken = not (is_grapheme_break(text, start) and is_grapheme_break(text, end))
    left = start > 0 and words._is_spaced(text, start) and words._is_spaced(text, start - 1)
    right = end < len(text) and words._is_spaced(text, end - 1) and words._is_spaced(text, end)

    assert is_whole_word(text, start, end) is not (broken or left or right)


# --- scripts ---------------------------------------------------------------------------------------------------------

UNSPACED = ["Han", "Hiragana", "Katakana", "Bopomofo", "Hangul", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan"]


def is_word_character(char: str) -> bool:
    return category(char)[0] in "LM" or category(char) in {"Nd", "Nl", "Pc"}


def test_scripts_equal_those_of_regex() -> None:
    """For every word character that `unicodedata` knows: newer ones have no category there and are not asked about."""
    unspaced = regex.compile("[" + "".join(rf"\p{{Script={name}}}" for name in UNSPACED) + "]")
    extended = regex.compile("[" + "".join(rf"\p{{scx={name}}}" for name in UNSPACED) + "]")
    shared = regex.compile(r"[\p{Script=Common}\p{Script=Inherited}]")
    inherited = regex.compile(r"(?=\p{M})\p{Script=Inherited}")
    spaced_too = regex.compile(r"[\p{scx=Latin}\p{scx=Cyrillic}\p{scx=Greek}\p{scx=Devanagari}\p{scx=Bengali}]")
    wrong = []
    for char in filter(is_word_character, map(chr, EVERY)):
        is_unspaced = unspaced.match(char) or (
            shared.match(char) and extended.match(char) and not spaced_too.match(char)
        )
        if inherited.match(char):
            expected = words._Kind.INHERITED
        else:
            expected = words._Kind.OTHER if is_unspaced else words._Kind.SPACED
        if words._kind(char) is not expected:
            wrong.append((hex(ord(char)), words._kind(char), expected))

    assert wrong == []


# --- folding ---------------------------------------------------------------------------------------------------------

texts = st.lists(
    st.sampled_from(
        "aAeEkßẞİıſKÅÉé\u0301\u0327\u0307\u0345\u0323\u0304\u0f71\u0f72\u0f73\u0344ﬃŉΐΣσςͅᾳᾈǰ각\u1100\u1161\u11a8"
        "\u09c7\u09be\u0958\u1e9b\ud800\udc00😀\U0001d15e猫 \u2126\u0dd9\u0dcf\u0dca\u3099か\u1fb7\U00016d63\U00016d67"
    )
    | st.characters(),
    max_size=10,
).map("".join)


def plain_fold(text: str, case_sensitive: bool) -> str:
    composed = normalize("NFC", text)
    return composed if case_sensitive else normalize("NFC", composed.casefold())


@thorough
@given(texts, st.booleans())
def test_fold_is_nfc_and_case_folding(text: str, case_sensitive: bool) -> None:
    folded = fold(text, case_sensitive)
    begins, ends = words._sources(text, case_sensitive)

    assert folded.text == plain_fold(text, case_sensitive)
    assert len(begins) == len(ends) == len(folded.text)
    assert all(begin < end for begin, end in zip(begins, ends, strict=True))
    if folded._sources is words._ONE_TO_ONE:
        assert begins == list(range(len(text)))
        assert ends == list(range(1, len(text) + 1))


@thorough
@given(texts, st.booleans(), st.data())
def test_a_span_covers_what_made_the_match(text: str, case_sensitive: bool, data: st.DataObject) -> None:
    """What is outside of the span has no part in the match: without it the range's characters are still made."""
    folded = fold(text, case_sensitive)
    start = data.draw(st.integers(0, len(folded.text)))
    end = data.draw(st.integers(start, len(folded.text)))
    begin, stop = folded.span(start, end)

    assert 0 <= begin <= stop <= len(text)
    assert (begin == stop) == (start == end)
    marks = sorted(normalize("NFD", folded.text[start:end]))
    inside = sorted(normalize("NFD", plain_fold(text[begin:stop], case_sensitive)))
    assert all(inside.count(mark) >= marks.count(mark) for mark in set(marks))


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ("the cat", "cat", (4, 7)),
        ("ЁЛКА ёлка", "ёлка", (0, 4)),
        ("a Jose\u0301 b", "josé", (2, 7)),
        ("a Jose\u0301 b", "jos", (2, 5)),
        ("die Straße da", "strasse", (4, 10)),
        ("die Straße da", "s", (4, 5)),
        ("xß", "s", (1, 2)),
        ("İx", "x", (1, 2)),
        ("İx", "i\u0307", (0, 1)),
        ("oﬃce", "office", (0, 4)),
        ("oﬃce", "f", (1, 2)),
        (normalize("NFD", "서울에서"), "울에", (2, 7)),
        ("e\u0301\u0327x", "ȩ", (0, 3)),  # the cedilla stands after the accent, so both are within
        ("e\u0301\u0327x", "\u0301", (1, 2)),
        ("कि", "क", (0, 1)),
        ("\ud800Éa", "éa", (1, 3)),
        ("😀É😀", "é", (1, 2)),
    ],
)
def test_span(text: str, key: str, expected: tuple[int, int]) -> None:
    folded = fold(text, False)
    at = folded.text.index(key)

    assert folded.span(at, at + len(key)) == expected


def test_an_empty_span_is_a_place() -> None:
    assert fold("ßa", False).span(2, 2) == (1, 1)
    assert fold("ßa", False).span(3, 3) == (2, 2)


def test_independent_characters_compose_with_nothing_before_them() -> None:
    """The second of a composed pair is always the last of a full decomposition, or a Hangul vowel or final."""
    decomposed = [normalize("NFD", char) for char in map(chr, EVERY) if normalize("NFD", char) != char]
    seconds = {form[-1] for form in decomposed if len(form) > 1}
    heads = {form[:-1] for form in decomposed if len(form) > 1}
    dependent = {second for second in seconds if any(len(normalize("NFC", head + second)) == 1 for head in heads)}

    assert len(dependent) > 100
    assert not any(words._is_independent(char) for char in dependent)
