"""Where what a reader sees as one character ends: extended grapheme clusters (UAX #29).

The tables were made from the Unicode 17 properties of the `regex` package; `tests/core/test_graphemes.py` compares the
boundaries with its. What `unicodedata` knows (categories) is not repeated in them.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import Final
from unicodedata import category

from lorewright.core.ranges import is_in, read_ranges

__all__ = ["is_grapheme_break"]


class _Grapheme(IntEnum):
    OTHER = 0
    CR = 1
    LF = 2
    CONTROL = 3
    EXTEND = 4
    ZWJ = 5
    SPACING = 6
    PREPEND = 7
    FLAG = 8  # a regional indicator
    HANGUL_L = 9
    HANGUL_V = 10
    HANGUL_T = 11
    HANGUL_LV = 12
    HANGUL_LVT = 13
    PICTOGRAPHIC = 14
    LINKER = 15  # joins two consonants of an Indic script; extends what precedes it, too
    CONSONANT = 16


_G = _Grapheme
_FLAGS: Final = "".join(map(chr, range(0x1F1E6, 0x1F200)))
# Linkers that are letters extend nothing: the Vedic jihvamuliya and upadhmaniya, the Zanabazar Square initial RA.
_LETTERS_THAT_LINK: Final = "\u1cf5\u1cf6\U00011a3a"
_NO_BREAK_BEFORE: Final = frozenset({_G.EXTEND, _G.ZWJ, _G.SPACING, _G.LINKER})
_ALONE: Final = frozenset({_G.CR, _G.LF, _G.CONTROL})
_HANGUL_SYLLABLE: Final = frozenset(
    [(_G.HANGUL_L, after) for after in (_G.HANGUL_L, _G.HANGUL_V, _G.HANGUL_LV, _G.HANGUL_LVT)]
    + [(before, after) for before in (_G.HANGUL_LV, _G.HANGUL_V) for after in (_G.HANGUL_V, _G.HANGUL_T)]
    + [(before, _G.HANGUL_T) for before in (_G.HANGUL_LVT, _G.HANGUL_T)]
)


def is_grapheme_break(text: str, i: int) -> bool:
    """Whether a character as readers see it may end before `text[i]`. Both ends of a text are breaks."""
    if i <= 0 or i >= len(text):
        return True
    if text[i - 1] < "\u0300" and text[i] < "\u0300":
        return text[i - 1] != "\r" or text[i] != "\n"
    before, after = _grapheme(text[i - 1]), _grapheme(text[i])
    if before in _ALONE or after in _ALONE:
        return before is not _G.CR or after is not _G.LF
    if after in _NO_BREAK_BEFORE or before is _G.PREPEND:
        return before is not _G.PREPEND and text[i] in _LETTERS_THAT_LINK
    if after is _G.PICTOGRAPHIC:
        return before is not _G.ZWJ or not _ends_in_pictograph(text, i - 1)
    if after is _G.CONSONANT:
        return not _ends_in_linked_consonant(text, i)
    if before is _G.FLAG and after is _G.FLAG:
        head = text[:i]
        return (i - len(head.rstrip(_FLAGS))) % 2 == 0
    return (before, after) not in _HANGUL_SYLLABLE


def _ends_in_pictograph(text: str, end: int) -> bool:
    while end > 0 and _grapheme(text[end - 1]) in (_G.EXTEND, _G.LINKER):
        end -= 1
    return end > 0 and _grapheme(text[end - 1]) is _G.PICTOGRAPHIC


def _ends_in_linked_consonant(text: str, end: int) -> bool:
    linked = False
    while end > 0:
        end -= 1
        kind = _grapheme(text[end])
        if kind is _G.CONSONANT:
            return linked
        if kind is _G.LINKER:
            linked = True
        elif kind not in (_G.EXTEND, _G.ZWJ) or text[end] == "\u200c":
            return False
    return False


@lru_cache(maxsize=4096)
def _grapheme(char: str) -> _Grapheme:
    if char in _SINGLE:
        return _SINGLE[char]
    if "\uac00" <= char <= "\ud7a3":
        return _G.HANGUL_LVT if (ord(char) - 0xAC00) % 28 else _G.HANGUL_LV
    for table, kind in _GRAPHEME_TABLES:
        if is_in(table, char):
            return kind
    return _GRAPHEME_OF_CATEGORY.get(category(char), _G.OTHER)


_SINGLE: Final = {
    "\r": _G.CR,
    "\n": _G.LF,
    "\u200d": _G.ZWJ,
    "\u0e33": _G.SPACING,
    "\u0eb3": _G.SPACING,
}
_GRAPHEME_OF_CATEGORY: Final = {
    "Cc": _G.CONTROL,
    "Cf": _G.CONTROL,
    "Zl": _G.CONTROL,
    "Zp": _G.CONTROL,
    "Mn": _G.EXTEND,
    "Me": _G.EXTEND,
    "Mc": _G.SPACING,
}

# --- tables ----------------------------------------------------------------------------------------------------------

# Grapheme_Cluster_Break=Extend that is neither Mn nor Me.
_EXTEND: Final = read_ranges(
    """
    9BE 9D7 B3E B57 BBE BD7 CC0 CC2 CC7-CC8 CCA-CCB CD5-CD6 D3E D57 DCF DDF 1715 1734 1B35 1B3B 1B3D 1B43-1B44 1BAA
    1BF2-1BF3 200C 302E-302F A953 A9C0 FF9E-FF9F 111C0 11235 1133E 1134D 11357 113B8 113C2 113C5 113C7-113C9 113CF
    114B0 114BD 115AF 116B6 11930 1193D 11F41 16FF0-16FF1 1D165-1D166 1D16D-1D172 1D250-1D252 1D25F 1D280-1D281
    1F3FB-1F3FF E0020-E007F
    """
)
# Spacing marks (Mc) that do not extend a cluster.
_SINGLE_MC: Final = read_ranges(
    """
    102B-102C 1038 1062-1064 1067-106D 1083 1087-108C 108F 109A-109C 1A61 1A63-1A64 AA7B AA7D 11720-11721
    """
)
# Unassigned, but to be ignored by default.
_CONTROL: Final = read_ranges("2065 FFF0-FFF8 E0000 E0002-E001F E0080-E00FF E01F0-E0FFF")
# Grapheme_Cluster_Break=Prepend.
_PREPEND: Final = read_ranges(
    """
    600-605 6DD 70F 890-891 8E2 D4E 110BD 110CD 111C2-111C3 113D1 1193F 11941 11A84-11A89 11D46 11F02
    """
)
# Extended_Pictographic.
_PICTOGRAPHIC: Final = read_ranges(
    """
    A9 AE 203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 23CF 23E9-23F3 23F8-23FA 24C2 25AA-25AB 25B6 25C0
    25FB-25FE 2600-2604 260E 2611 2614-2615 2618 261D 2620 2622-2623 2626 262A 262E-262F 2638-263A 2640 2642
    2648-2653 265F-2660 2663 2665-2666 2668 267B 267E-267F 2692-2697 2699 269B-269C 26A0-26A1 26A7 26AA-26AB
    26B0-26B1 26BD-26BE 26C4-26C5 26C8 26CE-26CF 26D1 26D3-26D4 26E9-26EA 26F0-26F5 26F7-26FA 26FD 2702 2705
    2708-270D 270F 2712 2714 2716 271D 2721 2728 2733-2734 2744 2747 274C 274E 2753-2755 2757 2763-2764 2795-2797
    27A1 27B0 27BF 2934-2935 2B05-2B07 2B1B-2B1C 2B50 2B55 3030 303D 3297 3299 1F004 1F02C-1F02F 1F094-1F09F
    1F0AF-1F0B0 1F0C0 1F0CF-1F0D0 1F0F6-1F0FF 1F170-1F171 1F17E-1F17F 1F18E 1F191-1F19A 1F1AF-1F1E5 1F201-1F20F
    1F21A 1F22F 1F232-1F23A 1F23C-1F23F 1F249-1F25F 1F266-1F321 1F324-1F393 1F396-1F397 1F399-1F39B 1F39E-1F3F0
    1F3F3-1F3F5 1F3F7-1F3FA 1F400-1F4FD 1F4FF-1F53D 1F549-1F54E 1F550-1F567 1F56F-1F570 1F573-1F57A 1F587
    1F58A-1F58D 1F590 1F595-1F596 1F5A4-1F5A5 1F5A8 1F5B1-1F5B2 1F5BC 1F5C2-1F5C4 1F5D1-1F5D3 1F5DC-1F5DE 1F5E1
    1F5E3 1F5E8 1F5EF 1F5F3 1F5FA-1F64F 1F680-1F6C5 1F6CB-1F6D2 1F6D5-1F6E5 1F6E9 1F6EB-1F6F0 1F6F3-1F6FF
    1F7DC-1F7F0 1F80C-1F80F 1F848-1F84F 1F85A-1F85F 1F888-1F88F 1F8AE-1F8AF 1F8BC-1F8BF 1F8C2-1F8CF 1F8D9-1F8FF
    1F90C-1F93A 1F93C-1F945 1F947-1F9FF 1FA58-1FA5F 1FA6E-1FAFF 1FC00-1FFFD
    """
)
# Indic_Conjunct_Break=Consonant.
_CONSONANT: Final = read_ranges(
    """
    915-939 958-95F 978-97F 995-9A8 9AA-9B0 9B2 9B6-9B9 9DC-9DD 9DF 9F0-9F1 A95-AA8 AAA-AB0 AB2-AB3 AB5-AB9 AF9
    B15-B28 B2A-B30 B32-B33 B35-B39 B5C-B5D B5F B71 C15-C28 C2A-C39 C58-C5A D15-D3A 1000-102A 103F 1050-1055
    105A-105D 1061 1065-1066 106E-1070 1075-1081 108E 1780-17B3 1A20-1A54 1B0B-1B0C 1B13-1B33 1B45-1B4C 1B83-1BA0
    1BAE-1BAF 1BBB-1BBD A989-A98B A98F-A9B2 A9E0-A9E4 A9E7-A9EF A9FA-A9FE AA60-AA6F AA71-AA73 AA7A AA7E-AA7F
    AAE0-AAEA ABC0-ABDA 10A00 10A10-10A13 10A15-10A17 10A19-10A35 11103-11126 11144 11147 11380-11389 1138B 1138E
    11390-113B5 11900-11906 11909 1190C-11913 11915-11916 11918-1192F 11A00 11A0B-11A32 11A50 11A5C-11A83 11B0A
    11DF1 11F04-11F10 11F12-11F33
    """
)
# Indic_Conjunct_Break=Linker.
_LINKER: Final = read_ranges(
    """
    94D 9CD ACD B4D C4D D4D 1039 17D2 1A60 1B44 1BAB 1CF5-1CF6 A9C0 AAF6 10A3F 11133 113D0 1193E 11A3A 11A47 11A99
    11F42
    """
)

_GRAPHEME_TABLES: Final = (
    (_LINKER, _G.LINKER),
    (_CONSONANT, _G.CONSONANT),
    (read_ranges("1F1E6-1F1FF"), _G.FLAG),
    (_PICTOGRAPHIC, _G.PICTOGRAPHIC),
    (read_ranges("1100-115F A960-A97C"), _G.HANGUL_L),
    (read_ranges("1160-11A7 D7B0-D7C6 16D63 16D67-16D6A"), _G.HANGUL_V),
    (read_ranges("11A8-11FF D7CB-D7FB"), _G.HANGUL_T),
    (_PREPEND, _G.PREPEND),
    (_EXTEND, _G.EXTEND),
    (_CONTROL, _G.CONTROL),
    (_SINGLE_MC, _G.OTHER),
)
