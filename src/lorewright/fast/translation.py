r"""The tree of a JavaScript regular expression, written in the syntax of the `regex` package.

Nothing is left to the other engine's defaults: characters are written as escapes, `\d \w \s . ^ $ \b` as what
JavaScript means by them, and under `i` every character as the class of all that JavaScript holds for the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final, TypeAlias

from lorewright.fast.letters import same_letters, same_letters_of
from lorewright.fast.tree import (
    Alternatives,
    Assertion,
    Backreference,
    Char,
    CharSet,
    Dot,
    Escape,
    Group,
    Look,
    Modifier,
    Node,
    PatternError,
    Property,
    Repeat,
    Sequence,
    TooComplexError,
    Tree,
)

__all__ = ["translate"]

REPETITION_LIMIT: Final = 100_000
"""How often nested repetitions may demand their body in all: `regex` unrolls them."""
SIZE_LIMIT: Final = 150_000
"""How long a translation may become, in characters: `regex` compiles about 100,000 a second."""

_Ranges: TypeAlias = list[tuple[int, int]]

_LAST: Final = 0x10FFFF
_DIGIT: Final = [(0x30, 0x39)]
_WORD: Final = [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)]
_FOLDED_WORD: Final = sorted([*_WORD, (0x17F, 0x17F), (0x212A, 0x212A)])
_NEWLINE: Final = [(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)]
_SPACE: Final = [
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
]


def translate(tree: Tree, flags: str) -> str:
    """The pattern for `regex.compile`.

    Raises:
        PatternError: JavaScript would throw for a property's name; or (`TooComplexError`) repetitions that multiply
            to more than `REPETITION_LIMIT`, or a translation longer than `SIZE_LIMIT`.
    """
    _check_repetitions(tree.root, 1)
    return _Writer(tree.unicode, frozenset(flags) & set("ims"), _Room(SIZE_LIMIT)).write(tree.root)


class _Room:
    """What is left of the size of a translation, and which groups are open where it is being written."""

    def __init__(self, size: int) -> None:
        self.left = size
        self.open: set[int] = set()

    def take(self, text: str) -> str:
        self.left -= len(text)
        if self.left < 0:
            raise TooComplexError(f"Its translation is longer than {SIZE_LIMIT} characters.")
        return text


class _Writer:
    def __init__(self, unicode: bool, flags: frozenset[str], room: _Room) -> None:
        self.unicode: Final = unicode
        self.flags: Final = flags
        self.room: Final = room
        self.word: Final = _FOLDED_WORD if unicode and "i" in flags else _WORD

    def write(self, node: Node) -> str:
        match node:
            case Char(code):
                return self.room.take(self.char(code))
            case Dot():
                return self.room.take(_class(_complement([] if "s" in self.flags else _NEWLINE)))
            case CharSet():
                return self.room.take(self.char_set(node))
            case Assertion(kind):
                return self.room.take(self.assertion(kind))
            case Look(body, behind, negated):
                return f"(?{'<' if behind else ''}{'!' if negated else '='}{self.write(body)})"
            case Group(body, number, _):
                return self.group(body, number)
            case Modifier(body, on, off):
                inner = _Writer(self.unicode, (self.flags | set(on)) - set(off), self.room)
                return f"(?:{inner.write(body)})"
            case Backreference(numbers):
                ignore = "i" if "i" in self.flags else ""
                # In JavaScript, a group that took no part is the empty string, and so is one that is still open.
                closed = [number for number in numbers if number not in self.room.open]
                return "".join(rf"(?{ignore}:(?({number})\{number}|))" for number in closed) or "(?:)"
            case Sequence(items):
                return "".join(map(self.write, items))
            case Alternatives(options):
                return f"(?:{'|'.join(map(self.write, options))})"
            case Repeat(body, least, most, lazy):
                count = f"{{{least},{'' if most is None else min(most, 2**31)}}}"
                return f"(?:{self.write(body)}){count}{'?' if lazy else ''}"

    def group(self, body: Node, number: int | None) -> str:
        if number is None:
            return f"(?:{self.write(body)})"
        self.room.open.add(number)
        written = self.write(body)
        self.room.open.remove(number)
        return f"({written})"

    def char(self, code: int) -> str:
        if "i" not in self.flags or code > 0xFFFF:
            same = self.astral_pair(code) if "i" in self.flags else [code]
            return _escape(code) if len(same) == 1 else _class([(other, other) for other in sorted(same)])
        ranges = [*_close(((code, code),), self.unicode)]
        return _escape(code) if len(ranges) == 1 and ranges[0] == (code, code) else _class(ranges)

    def astral_pair(self, code: int) -> set[int]:
        return {code, *(ord(form) for form in (chr(code).lower(), chr(code).upper()) if len(form) == 1)}

    def assertion(self, kind: str) -> str:
        if kind == "^":
            return rf"(?:\A|(?<={_class(_NEWLINE)}))" if "m" in self.flags else r"\A"
        if kind == "$":
            return rf"(?:\Z|(?={_class(_NEWLINE)}))" if "m" in self.flags else r"\Z"
        word = _class(self.word)
        if kind == "b":
            return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"
        return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"

    def char_set(self, chars: CharSet) -> str:
        ranges = list(chars.ranges)
        properties: list[str] = []
        for item in chars.classes:
            if isinstance(item, Escape):
                ranges += self.escape_class(item.letter)
            else:
                properties.append(_property(item))
        ranges = _merge(ranges)
        if "i" in self.flags:
            ranges = [*_close(tuple(ranges), self.unicode)]
        if not properties:
            return _class(_complement(ranges) if chars.negated else ranges)
        ignore = "(?i:{})" if "i" in self.flags else "{}"
        return ignore.format(f"[{'^' if chars.negated else ''}{_members(ranges)}{''.join(properties)}]")

    def escape_class(self, letter: str) -> _Ranges:
        ranges = {"d": _DIGIT, "s": _SPACE, "w": self.word}[letter.lower()]
        return _complement(ranges) if letter.isupper() else ranges


# --- ranges ----------------------------------------------------------------------------------------------------------


def _merge(ranges: Iterable[tuple[int, int]]) -> _Ranges:
    merged: _Ranges = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged


def _complement(ranges: _Ranges) -> _Ranges:
    result: _Ranges = []
    begin = 0
    for low, high in ranges:
        if begin < low:
            result.append((begin, low - 1))
        begin = high + 1
    if begin <= _LAST:
        result.append((begin, _LAST))
    return result


@lru_cache(maxsize=1024)
def _close(ranges: tuple[tuple[int, int], ...], unicode: bool) -> tuple[tuple[int, int], ...]:
    """With every character that is the same as one of them when case is ignored."""
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1] <= 0xFFFF:
        same = same_letters_of(chr(ranges[0][0]), unicode)
        return tuple(_merge((ord(char), ord(char)) for char in same))
    more = [
        (other, other)
        for group in _cased_groups(unicode)
        if any(low <= code <= high for code in group for low, high in ranges)
        for other in group
    ]
    return tuple(_merge([*ranges, *more]))


@cache
def _cased_groups(unicode: bool) -> list[list[int]]:
    return [[ord(char) for char in group] for group in same_letters(unicode).values()]


# --- writing ---------------------------------------------------------------------------------------------------------


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _members(ranges: _Ranges) -> str:
    return "".join(_escape(low) if low == high else f"{_escape(low)}-{_escape(high)}" for low, high in ranges)


def _class(ranges: _Ranges) -> str:
    return f"[{_members(ranges)}]" if ranges else "(?!)"


# --- properties ------------------------------------------------------------------------------------------------------

_CATEGORIES: Final = frozenset(
    """
    L Letter LC Cased_Letter Lu Uppercase_Letter Ll Lowercase_Letter Lt Titlecase_Letter Lm Modifier_Letter Lo
    Other_Letter M Mark Combining_Mark Mn Nonspacing_Mark Mc Spacing_Mark Me Enclosing_Mark N Number Nd Decimal_Number
    digit Nl Letter_Number No Other_Number P Punctuation punct Pc Connector_Punctuation Pd Dash_Punctuation Ps
    Open_Punctuation Pe Close_Punctuation Pi Initial_Punctuation Pf Final_Punctuation Po Other_Punctuation S Symbol Sm
    Math_Symbol Sc Currency_Symbol Sk Modifier_Symbol So Other_Symbol Z Separator Zs Space_Separator Zl Line_Separator
    Zp Paragraph_Separator C Other Cc Control cntrl Cf Format Cs Surrogate Co Private_Use Cn Unassigned
    """.split()
)
_BINARY: Final = frozenset(
    """
    ASCII AHex ASCII_Hex_Digit Alpha Alphabetic Any Assigned Bidi_C Bidi_Control Bidi_M Bidi_Mirrored CI Case_Ignorable
    Cased CWCF Changes_When_Casefolded CWCM Changes_When_Casemapped CWL Changes_When_Lowercased CWT
    Changes_When_Titlecased CWU Changes_When_Uppercased Dash DI Default_Ignorable_Code_Point Dep Deprecated Dia
    Diacritic Emoji EComp Emoji_Component EMod Emoji_Modifier EBase Emoji_Modifier_Base EPres Emoji_Presentation
    ExtPict Extended_Pictographic Ext Extender Gr_Base Grapheme_Base Gr_Ext Grapheme_Extend Hex Hex_Digit IDC
    ID_Continue IDS ID_Start Ideo Ideographic Join_C Join_Control LOE Logical_Order_Exception Lower Lowercase Math
    NChar Noncharacter_Code_Point Pat_Syn Pattern_Syntax Pat_WS Pattern_White_Space QMark Quotation_Mark Radical RI
    Regional_Indicator STerm Sentence_Terminal SD Soft_Dotted Term Terminal_Punctuation UIdeo Unified_Ideograph Upper
    Uppercase VS Variation_Selector space White_Space XIDC XID_Continue XIDS XID_Start
    """.split()
)


def _property(item: Property) -> str:
    kind, equals, value = item.name.partition("=")
    known = kind in _CATEGORIES | _BINARY if not equals else kind in {"General_Category", "gc"} and value in _CATEGORIES
    if equals and kind in {"Script", "sc", "Script_Extensions", "scx"}:
        known = value[:1].isupper() and value.replace("_", "a").isalpha()
    if not known:
        raise PatternError(f"`\\p{{{item.name}}}` is no property that JavaScript knows.")
    if kind in {"Any", "ASCII"}:
        full = [(0, _LAST if kind == "Any" else 0x7F)]
        return _members(_complement(full) if item.negated else full)
    name = {"Assigned": "Cn", "LC": "L&", "Cased_Letter": "L&"}.get(value or kind, item.name)
    return f"\\{'P' if item.negated != (kind == 'Assigned') else 'p'}{{{name}}}"


# --- limits ----------------------------------------------------------------------------------------------------------


def _check_repetitions(node: Node, outer: int) -> None:
    match node:
        case Repeat(body, least, _):
            outer *= max(1, least)
            if outer > REPETITION_LIMIT:
                raise TooComplexError(f"The repetitions multiply to more than {REPETITION_LIMIT}.")
            _check_repetitions(body, outer)
        case Group(body) | Look(body) | Modifier(body):
            _check_repetitions(body, outer)
        case Sequence(nodes) | Alternatives(nodes):
            for item in nodes:
                _check_repetitions(item, outer)
        case _:
            pass
