"""Find and replace as JavaScript does it: expected values after ECMA-262, GetSubstitution and RegExp @@replace."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright import Odd
from lorewright.core import replaces
from lorewright.core.protocols import Regexes, Substituted
from lorewright.core.replaces import Allowance, Done, GivenUp, Replace, apply_replaces, read_replaces, write_replaces
from lorewright.errors import RegexError, RegexTimeout
from lorewright.fast.regexes import EcmaRegexes, FallbackRegexes

BACKENDS: list[Regexes] = [EcmaRegexes(), FallbackRegexes()]
PLENTY = Allowance(60)
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
    done = apply_replaces(text, [Replace(find, template, flags=flags)], backend, PLENTY)

    assert done.text == outcome
    assert done.given_up == ()


@each_backend
def test_each_replacement_sees_the_one_before(backend):
    assert apply_replaces("a", [Replace("a", "b"), Replace("b", "c")], backend, PLENTY).text == "c"


@each_backend
def test_the_matches_of_each_replacement_are_counted(backend):
    rules = [Replace("a", "b"), Replace("b", "", flags=""), Replace("(?=c)", ""), Replace("z", "y")]

    assert apply_replaces("aac", rules, backend, PLENTY).done == tuple(
        Done(one, times) for one, times in zip(rules, (2, 1, 1, 0), strict=True)
    )


@each_backend
def test_one_that_is_given_up_has_replaced_nothing(backend):
    long, short = Replace("a", "b" * 5), Replace("a", "b", flags="")
    done = apply_replaces("a" * 10, [long, short], backend, Allowance(1, 24))

    assert done.done == (Done(long, 0, "no_room"), Done(short, 0, "no_room"))


@each_backend
def test_groups_of_one_name_in_two_alternatives(backend):
    try:
        backend.compile("(?<n>a)|(?<n>b)", "g")
    except RegexError:
        pytest.skip(f"{backend.name} is of a time before ES2025")

    assert apply_replaces("ab", [Replace("(?<n>a)|(?<n>b)", "[$<n>]")], backend, PLENTY).text == "[a][b]"


@each_backend
def test_a_pattern_that_is_none_says_so(backend):
    with pytest.raises(RegexError):
        apply_replaces("a", [Replace("(")], backend, PLENTY)
    with pytest.raises(RegexError):
        apply_replaces("a", [Replace("a", flags="gg")], backend, PLENTY)


@each_backend
def test_matches_together_have_a_limit(backend, monkeypatch):
    monkeypatch.setattr(replaces, "REPLACE_SECONDS", 0.05)
    endless = Replace(r"^(?:(a+)+\1)+$", "x")

    done = apply_replaces("a" * 5000 + "b", [endless, Replace("b", "c")], backend, PLENTY)

    assert done.text == "a" * 5000 + "c"
    assert done.given_up == (GivenUp(endless, "slow"),)


@each_backend
def test_no_time_at_all_is_no_answer(backend):
    with pytest.raises(RegexTimeout):
        backend.compile("a", "g").replace("a" * 100, str, -1)


@each_backend
def test_a_text_cannot_grow_without_end(backend):
    squared = Replace("", "$`$'")

    done = apply_replaces("a" * 10_000, [squared], backend, PLENTY)

    assert done.text == "a" * 10_000
    assert done.given_up == (GivenUp(squared, "too_long"),)


class Timed:
    """A backend whose searches take as many seconds as their pattern has letters, in each text."""

    name = "timed"

    def compile(self, pattern, flags):
        self.regex = EcmaRegexes().compile(pattern, flags)
        self.seconds = float(len(pattern))
        return self

    def replace(self, text, replacement, timeout_seconds):
        if self.seconds > timeout_seconds:
            raise RegexTimeout("too slow", timeout_seconds=timeout_seconds)
        return Substituted(self.regex.replace(text, replacement, 60).text, self.seconds)


@pytest.mark.parametrize(
    ("patterns", "seconds", "outcome", "given_up", "left"),
    [
        ("a b c", 3, "xxx", [], 0),
        ("a b c", 2, "xxc", ["no_time"], 0),
        ("abc b c", 9, "axx", ["slow"], 5),
        ("ab c", 1, "abc", ["no_time", "no_time"], 0),
        ("ab c", 3, "xx", [], 0),
        ("a b c", 0, "abc", ["no_time"] * 3, 0),
    ],
)
def test_those_of_one_turn_have_their_time_together(patterns, seconds, outcome, given_up, left, monkeypatch):
    monkeypatch.setattr(replaces, "REPLACE_SECONDS", 2)
    rules = [Replace(pattern, "x") for pattern in patterns.split()]

    done = apply_replaces("abc", rules, Timed(), Allowance(seconds))

    assert done.text == outcome
    assert [one.reason for one in done.given_up] == given_up
    assert done.left.seconds == left


def test_what_is_left_is_for_the_next_text(monkeypatch):
    rules = [Replace("a", "x")]
    monkeypatch.setattr(replaces, "REPLACE_SECONDS", 1)
    first = apply_replaces("a", rules, Timed(), Allowance(1.5))
    second = apply_replaces("a", rules, Timed(), first.left)

    assert (first.text, second.text) == ("x", "a")
    assert second.given_up == (GivenUp(rules[0], "no_time"),)


def test_what_was_written_before_the_time_was_up_does_not_count():
    """How far it came depends on the machine; what is left for others must not."""

    class Late(Timed):
        def replace(self, text, replacement, timeout_seconds):
            super().replace(text, replacement, timeout_seconds)
            raise RegexTimeout("too slow", timeout_seconds=timeout_seconds)

    done = apply_replaces("aaa", [Replace("a", "xx")], Late(), Allowance(9, characters=7))

    assert (done.text, done.left.characters, len(done.given_up)) == ("aaa", 7, 1)


@each_backend
def test_those_of_one_turn_have_their_characters_together(backend):
    rules = [Replace("a", "xxx")]
    first = apply_replaces("aa", rules, backend, Allowance(60, characters=8))
    second = apply_replaces("aa", rules, backend, first.left)

    assert (first.text, second.text) == ("xxxxxx", "aa")
    assert (first.left.characters, second.given_up) == (2, (GivenUp(rules[0], "no_room"),))


@each_backend
def test_a_part_that_writes_nothing_counts_too(backend):
    assert apply_replaces("aaa", [Replace("a")], backend, Allowance(60, characters=2)).text == "aaa"


@pytest.mark.parametrize("reason", ["slow", "too_long", "no_time", "no_room"])
def test_a_report_names_the_pattern_and_says_what_was_too_much(reason):
    report = GivenUp(Replace("{find} " + "a" * 500), reason).report("book", "e")

    assert (report.code, report.book, report.entry, report.field) == ("replace_given_up", "book", "e", "replaces")
    assert "`{find} aaa" in report.message
    assert len(report.message) < 300


@given(
    text=st.text(max_size=30),
    find=st.sampled_from(["", "a", ".", "[^]", r"\b", "(?=a)", r"\s+", "a|$"]),
    flags=st.sampled_from(["", "g", "gu", "gy"]),
)
def test_the_match_itself_in_its_own_place_changes_nothing(text, find, flags):
    for backend in BACKENDS:
        assert apply_replaces(text, [Replace(find, "$&", flags=flags)], backend, PLENTY).text == text


@given(text=st.text("ab$1&`'<>n", max_size=20), other=st.text("ab$1&`'<>n", max_size=8))
def test_two_backends_replace_alike(text, other):
    one, two = (apply_replaces(text, [Replace("(?<n>a)|b", other)], backend, PLENTY).text for backend in BACKENDS)

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
    apply_replaces(text, [Replace(find, template)], EcmaRegexes(), PLENTY)

    assert time.process_time() - started < 5
