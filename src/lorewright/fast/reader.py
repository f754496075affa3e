"""Reading the smallest parts of a regular expression: numbers, escapes and classes."""

from __future__ import annotations

from typing import Final, NoReturn

from lorewright.fast.tree import CharSet, Escape, PatternError, Property

__all__ = ["DIGITS", "LETTERS", "Reader"]

_SYNTAX: Final = frozenset("^$\\.*+?()[]{}|/")
_CONTROLS: Final = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
DIGITS: Final = frozenset("0123456789")
_OCTAL: Final = frozenset("01234567")
_HEX: Final = frozenset("0123456789abcdefABCDEF")
LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_HUGE: Final = 2**53  # counts above it are not told apart


class Reader:
    """A pattern and a place in it."""

    def __init__(self, text: str, unicode: bool) -> None:
        self.text: Final = text
        self.unicode: Final = unicode
        self.has_names = False
        """Whether a group has a name, which makes `\\k` a reference."""
        self.at = 0

    def fail(self, reason: str) -> NoReturn:
        raise PatternError(f"Regular expression `{self.text!r}`, character {self.at}: {reason}.")

    def peek(self, ahead: int = 0) -> str:
        return self.text[self.at + ahead : self.at + ahead + 1]

    def take(self) -> str:
        char = self.text[self.at]
        self.at += 1
        return char

    def skip(self, token: str) -> bool:
        if self.text.startswith(token, self.at):
            self.at += len(token)
            return True
        return False

    def hex_digits(self, count: int) -> int | None:
        digits = self.text[self.at : self.at + count]
        if len(digits) < count or not _HEX.issuperset(digits):
            return None
        self.at += count
        return int(digits, 16)

    def number(self) -> int | None:
        begin = self.at
        while self.peek() in DIGITS:
            self.at += 1
        digits = self.text[begin : self.at].lstrip("0")
        if begin == self.at:
            return None
        return int(digits or "0") if len(digits) < 17 else _HUGE

    def class_escape(self, in_class: bool = False) -> Escape | Property | int:
        """What an escape stands for, inside of a class or outside; the `\\` has been read."""
        char = self.take()
        if char in "dDsSwW":
            return Escape(char)
        if char in {"p", "P"} and self.unicode:
            return self.property(negated=char == "P")
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char in DIGITS:
            return self.octal(char)
        if char == "c":
            return self.control(in_class)
        if char == "x":
            code = self.hex_digits(2)
            if code is None and self.unicode:
                self.fail("`\\x` needs two digits")
            return ord("x") if code is None else code
        if char == "u":
            return self.unicode_escape()
        if self.unicode and char not in _SYNTAX and not (in_class and char == "-"):
            self.fail(f"`\\{char}` is no escape")
        if char == "k" and self.has_names:
            self.fail("`\\k` names no group")
        return ord(char)

    def octal(self, first: str) -> int:
        if self.unicode:
            if first != "0" or self.peek() in DIGITS:
                self.fail("an octal escape")
            return 0
        if first not in _OCTAL:
            return ord(first)
        digits = first
        while len(digits) < 3 and self.peek() in _OCTAL and int(digits + self.peek(), 8) < 256:
            digits += self.take()
        return int(digits, 8)

    def control(self, in_class: bool) -> int:
        following = self.peek()
        if following and (following in LETTERS or (in_class and not self.unicode and following in {*DIGITS, "_"})):
            return ord(self.take()) % 32
        if self.unicode:
            self.fail("`\\c` needs a letter")
        self.at -= 1  # the `\` is a character, and `c` is read again as the next
        return ord("\\")

    def unicode_escape(self) -> int:
        if self.unicode and self.skip("{"):
            begin = self.at
            while self.peek() in _HEX:
                self.at += 1
            digits = self.text[begin : self.at]
            if not digits or len(digits.lstrip("0")) > 6 or int(digits, 16) > 0x10FFFF or not self.skip("}"):
                self.fail("`\\u{` needs a code point")
            return int(digits, 16)
        code = self.hex_digits(4)
        if code is None:
            if self.unicode:
                self.fail("`\\u` needs four digits")
            return ord("u")
        if self.unicode and 0xD800 <= code < 0xDC00 and self.text.startswith("\\u", self.at):
            begin = self.at
            self.at += 2
            low = self.hex_digits(4)
            if low is not None and 0xDC00 <= low < 0xE000:
                return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
            self.at = begin
        return code

    def property(self, negated: bool) -> Property:
        end = self.text.find("}", self.at)
        if not self.skip("{") or end < 0:
            self.fail("`\\p` needs a property in braces")
        name = self.text[self.at : end]
        self.at = end + 1
        return Property(name, negated)

    # --- classes

    def char_set(self) -> CharSet:
        self.at += 1
        negated = self.skip("^")
        ranges: list[tuple[int, int]] = []
        classes: list[Escape | Property] = []
        while not self.skip("]"):
            low = self.member()
            if self.peek() == "-" and self.peek(1) not in {"]", ""}:
                self.at += 1
                high = self.member()
                if isinstance(low, int) and isinstance(high, int):
                    if low > high:
                        self.fail("a range is out of order")
                    ranges.append((low, high))
                    continue
                if self.unicode:
                    self.fail("a range ends in a class")
                members: list[int | Escape | Property] = [low, ord("-"), high]
            else:
                members = [low]
            for member in members:
                if isinstance(member, int):
                    ranges.append((member, member))
                else:
                    classes.append(member)
        return CharSet(tuple(ranges), tuple(classes), negated)

    def member(self) -> int | Escape | Property:
        if self.at >= len(self.text):
            self.fail("a class is not closed")
        if not self.skip("\\"):
            return ord(self.take())
        if self.at >= len(self.text):
            self.fail("a class is not closed")
        if self.skip("b"):
            return 8
        return self.class_escape(in_class=True)
