"""What is said of a regular expression without running it, against running it."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lorewright.fast.literals import _is_caseless, _is_settled, _lowered, is_local, required_literals

corvus = pytest.importorskip("corvus_regex_ecma262")
thorough = settings(max_examples=max(400, settings().max_examples))

LITERALS = [
    # pattern, flags, expected
    ("dragon", "", {"dragon"}),
    ("Dragon", "", {"dragon"}),
    ("dragon", "i", {"dragon"}),
    ("dr.gon", "", {"gon"}),
    ("(?:king|queen)s?", "", {"king", "queen"}),
    ("colou?r", "", {"color", "colour"}),
    ("[Dd]ragon", "", {"dragon"}),
    ("gr[ae]y", "", {"gray", "grey"}),
    ("(foo)+bar", "", {"foobar"}),
    ("(?<name>foo)bar", "", {"foobar"}),
    ("ab{3}c", "", {"abbbc"}),
    ("ab{2,}c", "", {"abb"}),
    ("x(?:a.b)+y{2,}", "", {"byy"}),
    (r"\bfoo\b\s+barn", "", {"barn"}),
    ("foo(?=x)bar", "", {"foobar"}),
    ("(?<!un)happy", "", {"happy"}),
    (r"\x41\u0042\cA\u{43}xyz", "", {"uuuu"}),
    (r"\x41\u0042\u{43}xyz", "u", {"abcxyz"}),
    (r"a\.b\/c", "", {"a.b/c"}),
    ("猫|犬", "i", {"猫", "犬"}),
    ("кот", "", {"кот"}),
    ("Ёлка", "i", {"ёлка"}),
    ("straße", "i", {"straße"}),
    ("sister", "i", {"sister"}),
    ("sea", "iu", {"sea", "ſea"}),
    ("king", "iu", {"king"}),
    ("ΣΟΦΟΣ", "", {"οφο"}),
    ("a\nbcd", "", {"bcd"}),
    ("\x01Max", "", {"max"}),
    ("😀cat", "", {"cat"}),
    ("cat|dog|", "", None),
    ("a|bcd", "", None),
    ("x*", "", None),
    ("a", "", None),
    ("к", "", None),
    ("[a-z]+", "", None),
    ("[^a]b", "", None),
    (r"\w+", "", None),
    ("(?i:dragon)", "", None),
    ("dragon", "v", None),
    ("(dragon", "", None),
    ("dragon", "ii", None),
    ("İstanbul", "", {"stanbul"}),
    ("(" * 100 + "dragon" + ")" * 100, "", None),
]


@pytest.mark.parametrize(("pattern", "flags", "expected"), LITERALS)
def test_required_literals(pattern, flags, expected):
    found = required_literals(pattern, flags)
    if expected == {"uuuu"}:  # without `u`, `\u{43}` is 43 times the letter u
        expected = {"u" * 43 + "xyz"}

    assert found == (None if expected is None else frozenset(expected))


LOCAL = [
    ("dragon", "", True),
    ("dragon", "gi", True),
    (r"\bdragon\b", "", True),
    (r"\Bragon", "", True),
    (r"a\s+b", "", True),
    ("a.b", "", True),
    ("猫|犬+", "u", True),
    (r"\p{Lu}+ \w", "u", True),
    ("a\nb", "", True),
    (r"\n\B", "", True),
    (r"\x01Max", "", True),
    ("[^\\n]+", "", True),
    (r"[^\n\x01]\s\B", "", True),
    ("", "", True),
    ("dragon", "y", False),
    ("^dragon", "", False),
    ("dragon$", "m", False),
    ("(?<!un)happy", "", False),
    ("foo(?=bar)", "", False),
    (r"(a)\1", "", False),
    ("a.b", "s", False),
    (r".\s", "", False),
    (r"\W+", "", False),
    (r"[\s\S]", "", False),
    ("[^x]", "", False),
    ("\\x01\nx", "", False),
    (r"\x01\B", "", False),
    (r".\B", "", False),
    (r"\p{Cc}", "u", False),
    (r"\P{L}", "u", False),
    ("(?s:a)", "", False),
    ("(a", "", False),
    ("a", "v", False),
]


@pytest.mark.parametrize(("pattern", "flags", "expected"), LOCAL)
def test_is_local(pattern, flags, expected):
    assert is_local(pattern, flags) is expected


# --- against the engine ----------------------------------------------------------------------------------------------

CHARS = "aAbBkKsSſ\u212aıİiIΣσςßẞéÉкКтᲄ猫 \n\x01_1😀\ud83d\ude00Åå\u212bι\u0345µμ"
ATOMS = st.one_of(
    st.sampled_from([*CHARS.replace("\ud83d", "").replace("\ude00", "")]),
    st.sampled_from(
        r"""
        \w \W \s \S \d \D . \b \B ^ $ \n \x01 \cA \u004b \u{73} \ud83d \ude00 \. [^] [] [aAk] [^a] [^\x01] [a-c] [sſ]
        [кt猫] [\s_] [\w_] [^\n] [😀a] ab bk as \1 (?:a|) (?=a) (?!b) (?<=k)
        """.split()
    ),
)
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda options: "(?:" + "|".join(options) + ")"),
        inner.map("({})".format),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}", "{2,3}", "+?", "*?"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=8,
)
FLAGS = st.sampled_from(["", "i", "u", "iu", "s", "m", "is", "g", "y"])
TEXTS = st.text(CHARS + "a\n\x01", max_size=14)


def search(pattern, flags, text):
    return corvus.Regex(pattern, flags, timeout=2).search(text) is not None


@thorough
@given(PATTERNS, FLAGS, TEXTS)
@example("k", "i", "\u212a")
@example("ks", "iu", "\u212aſ")
@example("aΣ猫", "", "aΣ猫")
@example("iİ猫", "i", "İ猫")
@example("😀a", "", "\ud83d\ude00a")
def test_a_match_holds_a_literal(pattern, flags, text):
    literals = required_literals(pattern, flags)
    if literals is None or not corvus.Regex.is_valid(pattern, flags):
        return
    assert literals
    assert all(literal and literal == literal.lower() for literal in literals)
    if search(pattern, flags, text):
        assert any(literal in text.lower() for literal in literals)
        assert any(literal in piece.lower() for literal in literals for piece in text.split("\n\x01"))


@thorough
@given(PATTERNS, FLAGS, st.lists(TEXTS, min_size=1, max_size=4))
@example(r"\x01\B", "", ["ab", "ab"])
@example(r"\x01\b", "", ["a", ""])
@example(r"\n\B", "", ["a", "a"])
@example(r"\B", "", ["a"])
@example(r"\W\B", "", ["a"])
@example(r"(?:\x01|)\B", "", ["a", "a"])
def test_local_is_piece_by_piece(pattern, flags, pieces):
    if not is_local(pattern, flags):
        return
    whole = "\x01" + "\n\x01".join(pieces)
    alone = [f"\x01{piece}\n\x01" for piece in pieces[:-1]] + [f"\x01{pieces[-1]}"]

    assert search(pattern, flags, whole) == any(search(pattern, flags, piece) for piece in alone)


@pytest.mark.parametrize("unicode", [False, True])
def test_letters_that_ignore_case_are_all_known(unicode):
    """The engine's Unicode version may be newer than the interpreter's: every letter, against every letter."""
    everything = "".join(c for c in map(chr, range(0x110000)) if not "\ud800" <= c <= "\udfff")
    missing = []
    for code in (*range(0x80), *range(0xC0, 0x180), *range(0x370, 0x530), 0xB5, 0x1E9E, 0x2C00, 0x10D0, 0x4E00):
        known = _lowered(code, ignore_case=True, unicode=unicode)
        if known is None:
            continue
        regex = corvus.Regex(f"\\u{code:04x}", "giu" if unicode else "gi")
        matched = {match.group().lower() for match in regex.finditer(everything)}
        if not matched <= known:
            missing.append((hex(code), matched))

    assert missing == []


def test_caseless_characters_have_no_companions():
    everything = "".join(c for c in map(chr, range(0x10000)) if not "\ud800" <= c <= "\udfff")
    sample = {ord(c) for c in everything if c >= "\x80" and _is_caseless(c) and not _is_settled(ord(c))}
    begins = [code for code in sorted(sample) if code - 1 not in sample]
    ends = [code for code in sorted(sample) if code + 1 not in sample]
    ranges = "".join(f"\\u{low:04x}-\\u{high:04x}" for low, high in zip(begins, ends, strict=True))
    others = "".join(c for c in everything if ord(c) not in sample)

    assert len(sample) > 30_000
    assert corvus.Regex(f"[{ranges}]", "i", timeout=10).search(others) is None
    assert corvus.Regex(f"[{ranges}]", "iu", timeout=10).search(others) is None
