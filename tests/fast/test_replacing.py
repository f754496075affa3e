"""`Regex.replace` of both backends against what ECMAScript says of `String.prototype.replace`."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.protocols import Regexes, RegexMatch
from lorewright.errors import RegexTimeout
from lorewright.fast import stopwatch
from lorewright.fast.regexes import EcmaRegexes, FallbackRegexes

BACKENDS: list[Regexes] = [EcmaRegexes(), FallbackRegexes()]


def shown(match):
    return f"[{match.offset}:{match.text}]"


CASES = [
    pytest.param("a", "", "banana", "b[1:a]nana", id="the first match only without g"),
    pytest.param("a", "g", "banana", "b[1:a]n[3:a]n[5:a]", id="every match with g"),
    pytest.param("x*", "g", "axb", "[0:]a[1:x][2:]b[3:]", id="an empty match stands behind a match too"),
    pytest.param(".", "g", "a😀", "[0:a][1:\ud83d][2:\ude00]", id="without u a match is half a character"),
    pytest.param(".", "gu", "a😀b", "[0:a][1:😀][3:b]", id="with u offsets count code units still"),
    pytest.param("", "g", "😀", "[0:]\ud83d[1:]\ude00[2:]", id="empty matches between halves"),
    pytest.param("", "gu", "😀", "[0:]😀[2:]", id="empty matches between characters"),
    pytest.param("a", "gy", "aab a", "[0:a][1:a]b a", id="sticky ends at the first place without a match"),
    pytest.param("a", "y", "ba", "ba", id="sticky begins at the start"),
    pytest.param("", "gy", "ab", "[0:]a[1:]b[2:]", id="sticky goes on behind an empty match"),
    pytest.param("|a", "g", "a", "[0:]a[1:]", id="behind an empty match nothing is tried at the same place"),
    pytest.param("^", "g", "aa", "[0:]aa", id="the start is the start of the text, not of the search"),
    pytest.param("(?<=a).", "g", "abab", "a[1:b]a[3:b]", id="lookbehind sees what was matched before"),
    pytest.param("(?<=\\ud83d)", "g", "😀", "\ud83d[1:]\ude00", id="lookbehind sees half a character"),
    pytest.param("\\ude00", "g", "a😀b", "a\ud83d[2:\ude00]b", id="the second half alone"),
    pytest.param("x", "g", "abc", "abc", id="no match"),
]


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
@pytest.mark.parametrize(("pattern", "flags", "text", "expected"), CASES)
def test_replacing(backend, pattern, flags, text, expected):
    found = backend.compile(pattern, flags).replace(text, shown, 1.0).text

    assert found.encode("utf-16-le", "surrogatepass") == expected.encode("utf-16-le", "surrogatepass")


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
def test_groups_by_number_and_name(backend):
    seen: list[RegexMatch] = []

    def keep(match):
        seen.append(match)
        return ""

    assert backend.compile("(?<k>\\w)=(?<v>😀)?(z)?", "g").replace("a=😀b=", keep, 1.0).text == ""

    assert [(match.text, match.groups, dict(match.names)) for match in seen] == [
        ("a=😀", ("a", "😀", None), {"k": "a", "v": "😀"}),
        ("b=", ("b", None, None), {"k": "b", "v": None}),
    ]


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
def test_a_search_that_takes_too_long_ends(backend):
    with pytest.raises(RegexTimeout):
        backend.compile(r"^(?:(a+)+\1)+$", "g").replace("a" * 40 + "b", shown, 0.05)


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
def test_the_searches_together_have_a_limit(backend, monkeypatch):
    monkeypatch.setattr(stopwatch, "thread_time", count(step=0.4).__next__)
    replaced: list[int] = []

    def keep(match):
        replaced.append(match.offset)
        return ""

    with pytest.raises(RegexTimeout, match=r"1\.0 s"):
        backend.compile("a", "g").replace("aaaa", keep, 1.0)

    assert replaced == [0, 1]


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
def test_the_time_of_the_replacement_is_free(backend, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(stopwatch, "thread_time", lambda: now[0])

    def slow(match):
        now[0] += 100
        return match.text.upper()

    assert backend.compile("a", "g").replace("aba", slow, 1.0).text == "AbA"


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
@pytest.mark.parametrize(("text", "seconds"), [("aa", 1.5), ("b", 0.5)])
def test_it_says_how_long_the_searches_took(backend, text, seconds, monkeypatch):
    """Half a second for each search: two that find and one that finds no more."""
    monkeypatch.setattr(stopwatch, "thread_time", count(step=0.5).__next__)

    done = backend.compile("a", "g").replace(text, shown, 5.0)

    assert done.seconds == seconds


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
@pytest.mark.parametrize("seconds", [0, -1])
def test_without_time_nothing_is_searched_for(backend, seconds):
    with pytest.raises(RegexTimeout):
        backend.compile("a", "").replace("b", shown, seconds)


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
def test_no_match_is_searched_for_ahead(backend):
    def stop(match):
        raise LookupError(match.text)

    with pytest.raises(LookupError, match="c"):
        backend.compile(r"c|(?:(a+)+\1)+d", "g").replace("c" + "a" * 40, stop, 0.05)


@given(st.sampled_from(["a*", ".", "(a)|b", "\\b", "(?:)", "[^a]+", "$", "^"]), st.text("ab 😀\ud83d\n", max_size=12))
def test_both_backends_replace_the_same(pattern, text):
    for flags in ("", "g", "gu", "gm"):
        first, second = (backend.compile(pattern, flags).replace(text, shown, 1.0).text for backend in BACKENDS)
        assert first == second
