"""Grapheme clusters against those of the `regex` package."""

from __future__ import annotations

from unicodedata import category

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from lorewright.core.graphemes import is_grapheme_break

regex = pytest.importorskip("regex")

thorough = settings(max_examples=max(400, settings().max_examples))
EVERY = range(0x110000)

# `regex` has Unicode 17, the interpreter may have an older one: a mark that `unicodedata` does not know yet has no
# category there and so breaks. Only characters that both know are drawn. Surrogates: `regex` takes them for ordinary
# characters, and so do we.
KINDS = ["CR", "LF", "Control", "Extend", "ZWJ", "SpacingMark", "Prepend", "Regional_Indicator", "L", "V", "T", "LV"]
ALPHABETS = [
    [c for c in map(chr, EVERY) if category(c) != "Cn" and pattern.match(c)]
    for pattern in [
        *(regex.compile(rf"\p{{GCB={kind}}}") for kind in [*KINDS, "LVT"]),
        regex.compile(r"\p{Extended_Pictographic}"),
        regex.compile(r"\p{InCB=Consonant}"),
        regex.compile(r"\p{InCB=Linker}"),
        regex.compile(r"\p{Emoji_Modifier}"),
        regex.compile(r"[a-z0-9_\p{Han}\p{Thai}]"),
    ]
]
# `regex` also joins a linker and a consonant when no consonant precedes the linker. UAX #29 (GB9c) does not.
LINKED_TO_NOTHING = regex.compile(
    r"(?<!\p{InCB=Consonant}[\p{InCB=Extend}\p{InCB=Linker}]*)"
    r"\p{InCB=Linker}[\p{InCB=Extend}\p{InCB=Linker}]*\p{InCB=Consonant}"
)
clusters = st.lists(st.one_of([st.sampled_from(a) for a in ALPHABETS]), max_size=12).map("".join)


@thorough
@given(clusters)
@example("क्\u1cf5\u1cf5क")
@example("🇩🇪🇫🇷🇮")
def test_grapheme_breaks_equal_those_of_regex(text: str) -> None:
    assume(not LINKED_TO_NOTHING.search(text))
    expected = {0, len(text)} | {match.end() for match in regex.finditer(r"\X", text)}

    assert {i for i in range(len(text) + 1) if is_grapheme_break(text, i)} == expected


def test_every_character_breaks_as_in_regex() -> None:
    """Each character before and after one of every kind."""
    probes = [alphabet[0] for alphabet in ALPHABETS if alphabet] + ["क\u094d", "☺\u200d"]
    cluster = regex.compile(r"\X")
    wrong = []
    for char in map(chr, EVERY):
        if category(char) in {"Cn", "Co"} or "\u3400" <= char <= "\ud7a3" or char >= "\U00020000":
            continue
        # The plain letter keeps the linker among the probes from linking what is not there.
        text = "".join(f"a{probe}{char}a{char}{probe}" for probe in probes if probe != "\u094d")
        expected = {0} | {match.end() for match in cluster.finditer(text)}
        if (
            not LINKED_TO_NOTHING.search(text)
            and {i for i in range(len(text) + 1) if is_grapheme_break(text, i)} != expected
        ):
            wrong.append(hex(ord(char)))

    assert wrong == []
