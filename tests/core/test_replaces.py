"""Find and replace as JavaScript does it: expected values after ECMA-262, GetSubstitution and RegExp @@replace."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright import Odd
from lorewright.core import replaces
from lorewright.core.protocols import Regexes
from lorewright.core.replaces import Replace, apply_replaces, read_replaces, write_replaces
from lorewright.errors import RegexError, RegexTimeout
from lorewright.fast.regexes import EcmaRegexes, FallbackRegexes

BACKENDS: list[Regexes] = [EcmaRegexes(), FallbackRegexes()]
each_backend = pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)

TABLE = [
    # text, find, flags, template, outcome
    ("a-b", "-", "g", "+", "a+b"),
    ("a-b-c", "-", "g", "+", "a+b+c"),
    ("a-b-c", "-", "", "+", "a+b-c"),
    ("price 5", r"\d", "g", "$$$&", "price $5"),
    ("2026-11", r"(\d+)-(\d+)", "g", "$2/$1", "11/2026"),
    ("2026-11", r"(?<y>\d+)-(?<m>\d+)", "g", "$<m>.$<y>", "11.2026"),
    ("ab", "(a)|b", "g", "[$1]", "[a][]"),
    ("ab", "(?<x>a)|b", "g", "[$<x>]", "[a][]"),
    ("ab", "(?<x>a)", "g", "$<none>", "b"),
    ("ab", "a", "g", "$<x>", "$<x>b"),
    ("ab", "(a)", "g", "$<$1>", "$<a>b"),
    ("ab", "(?<x>a)", "g", "$<x", "$<xb"),
    ("abc", "b", "g", "<$`|$'>", "a<a|c>c"),
    ("ab", "(a)", "g", "$0 $1 $2 $01 $10 $", "$0 a $2 a a0 $b"),
    ("abcdefghijk", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)", "g", "$10-$11", "j-a1k"),
    ("aAa", "a", "gi", "x", "xxx"),
    ("aAa", "/a/i", "g", "x", "xAa"),
    ("abxd", "x*", "g", "-", "-a-b--d-"),
    ("aab", "a", "gy", "x", "xxb"),
    ("baa", "a", "gy", "x", "baa"),
    ("\U0001f600b\U0001f600", "(.)b", "gu", "$1", "\U0001f600\U0001f600"),
    ("\U0001f600a", "(?:)", "gu", "-", "-\U0001f600-a-"),
    ("\U0001f600", ".", "g", "[$&]", "[\ud83d][\ude00]"),
    ("\U0001f600", ".", "g", "$&", "\U0001f600"),
    ("a\U0001f600b", r"\ude00", "g", "<$`|$'>", "a\ud83d<a\ud83d|b>b"),
    ("\U0001f600a", "(?:)", "g", "-", "-\ud83d-\ude00-a-"),
    ("aba", "(?<=a)b|^", "g", "<$&>", "<>a<b>a"),
    ("a", "|a", "g", "-", "-a-"),
    ("龙与龙", "龙", "g", "「$&」", "「龙」与「龙」"),
    ("x", "y", "g", "z", "x"),
    ("", "^$", "g", "z", "z"),
]


@pytest.mark.parametrize(("text", "find", "flags", "template", "outcome"), TABLE)
@each_backend
def test_the_forms_of_a_template(backend, text, find, flags, template, outcome):
    done = apply_replaces(text, [Replace(find, template, flags=flags)], backend)

    assert done.text == outcome
    assert done.given_up == ()


@each_backend
def test_each_replacement_sees_the_one_before(backend):
    assert apply_replaces("a", [Replace("a", "b"), Replace("b", "c")], backend).text == "c"


@each_backend
def test_groups_of_one_name_in_two_alternatives(backend):
    try:
        backend.compile("(?<n>a)|(?<n>b)", "g")
    except RegexError:
        pytest.skip(f"{backend.name} is of a time before ES2025")

    assert apply_replaces("ab", [Replace("(?<n>a)|(?<n>b)", "[$<n>]")], backend).text == "[a][b]"


@each_backend
def test_a_pattern_that_is_none_says_so(backend):
    with pytest.raises(RegexError):
        apply_replaces("a", [Replace("(")], backend)
    with pytest.raises(RegexError):
        apply_replaces("a", [Replace("a", flags="gg")], backend)


@each_backend
def test_matches_together_have_a_limit(backend, monkeypatch):
    monkeypatch.setattr(replaces, "REPLACE_SECONDS", 0.05)
    endless = Replace(r"^(?:(a+)+\1)+$", "x")

    done = apply_replaces("a" * 5000 + "b", [endless, Replace("b", "c")], backend)

    assert done.text == "a" * 5000 + "c"
    assert done.given_up == (endless,)


@each_backend
def test_no_time_at_all_is_no_answer(backend):
    with pytest.raises(RegexTimeout):
        backend.compile("a", "g").replace("a" * 100, str, -1)


@each_backend
def test_a_text_cannot_grow_without_end(backend):
    squared = Replace("", "$`$'")

    done = apply_replaces("a" * 10_000, [squared], backend)

    assert done.text == "a" * 10_000
    assert done.given_up == (squared,)


@given(
    text=st.text(max_size=30),
    find=st.sampled_from(["", "a", ".", "[^]", r"\b", "(?=a)", r"\s+", "a|$"]),
    flags=st.sampled_from(["", "g", "gu", "gy"]),
)
def test_the_match_itself_in_its_own_place_changes_nothing(text, find, flags):
    for backend in BACKENDS:
        assert apply_replaces(text, [Replace(find, "$&", flags=flags)], backend).text == text


@given(text=st.text("ab$1&`'<>n", max_size=20), other=st.text("ab$1&`'<>n", max_size=8))
def test_two_backends_replace_alike(text, other):
    one, two = (apply_replaces(text, [Replace("(?<n>a)|b", other)], backend).text for backend in BACKENDS)

    assert one == two


READ = [
    (None, None),
    ([], ()),
    ([{"find": "a"}], (Replace("a"),)),
    ({"find": "a", "replace": "b"}, (Replace("a", "b"),)),
    ([{"find": "a", "target": "user", "flags": ""}], (Replace("a", "", "user", ""),)),
    ([{"find": "a", "replace": None}], (Replace("a"),)),
    ([{"find": ""}], None),
    ([{"replace": "b"}], None),
    ([{"find": "a", "target": "reply"}], None),
    ([{"find": 1}], None),
    ([{"find": "a", "where": "b"}], None),
    (["a"], None),
    ("a", None),
]


@pytest.mark.parametrize(("value", "read"), READ)
def test_the_field_of_a_file(value, read):
    assert read_replaces(value) == (Odd(value) if read is None and value is not None else read)


def test_the_field_is_written_short_and_reads_the_same():
    every = (Replace("a"), Replace("b", "$1", "system", "gi"), Replace("/c/i", target="user"))

    assert write_replaces(every) == [
        {"find": "a", "replace": ""},
        {"find": "b", "replace": "$1", "target": "system", "flags": "gi"},
        {"find": "/c/i", "replace": "", "target": "user"},
    ]
    assert read_replaces(write_replaces(every)) == every


@pytest.mark.parametrize(
    ("text", "find", "template"),
    [
        ("x" * 1000, "x", "$<" * 20_000 + ">"),
        ("x" * 1000, "(?<a>x)", "$<" * 20_000),
        ("y" * 3_000_000 + "x", "x", "$`" * 100_000),
        ("x" * 100_000, "x()", "$1" * 100_000),
    ],
    ids=["no names", "no end", "long", "many steps"],
)
def test_hostile_templates_end(text, find, template):
    started = time.process_time()
    apply_replaces(text, [Replace(find, template)], EcmaRegexes())

    assert time.process_time() - started < 5
