"""The syntax of JavaScript's regular expressions as a tree.

`parse` reads what `new RegExp(pattern, flags)` reads, with the legacy forms of Annex B when there is no `u` flag. It
serves those who must know what is in a pattern: the search for literals, and the translation for another engine.
Without `u` a pattern is a sequence of UTF-16 code units, so a character beyond U+FFFF is two `Char`s, as in JavaScript.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Final, NoReturn, TypeAlias

__all__ = [
    "Alternatives",
    "Assertion",
    "Backreference",
    "Char",
    "CharSet",
    "Dot",
    "Escape",
    "Group",
    "Look",
    "Modifier",
    "Node",
    "PatternError",
    "Property",
    "Repeat",
    "Sequence",
    "TooComplexError",
    "Tree",
    "code_units",
    "parse",
]

NESTING_LIMIT: Final = 60
"""How deep groups may nest; a tree is walked by recursion."""


class PatternError(ValueError):
    """Raised when JavaScript would throw a SyntaxError."""


class TooComplexError(PatternError):
    """Raised for a pattern that is valid or may be, but is not read: the `v` flag, groups nested too deep, a group's
    name with an escape."""


@dataclass(frozen=True, slots=True)
class Char:
    code: int


@dataclass(frozen=True, slots=True)
class Dot:
    pass


@dataclass(frozen=True, slots=True)
class Escape:
    """One of `d D s S w W`."""

    letter: str


@dataclass(frozen=True, slots=True)
class Property:
    r"""`\p{name}`, or `\P{name}` if negated."""

    name: str
    negated: bool


@dataclass(frozen=True, slots=True)
class CharSet:
    """A class in brackets, or a class escape by itself."""

    ranges: tuple[tuple[int, int], ...]
    classes: tuple[Escape | Property, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Assertion:
    r"""One of `^ $ b B`."""

    kind: str


@dataclass(frozen=True, slots=True)
class Look:
    body: Node
    behind: bool
    negated: bool


@dataclass(frozen=True, slots=True)
class Group:
    """A group; `number` is None for one that captures nothing."""

    body: Node
    number: int | None
    name: str | None


@dataclass(frozen=True, slots=True)
class Modifier:
    """A group that turns flags on and off."""

    body: Node
    on: str
    off: str


@dataclass(frozen=True, slots=True)
class Backreference:
    """To the groups with these numbers: several if several alternatives have a group of one name."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    body: Node
    least: int
    most: int | None
    lazy: bool


@dataclass(frozen=True, slots=True)
class Sequence:
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    options: tuple[Node, ...]


Node: TypeAlias = (
    Char | Dot | CharSet | Assertion | Look | Group | Modifier | Backreference | Repeat | Sequence | Alternatives
)


@dataclass(frozen=True, slots=True)
class Tree:
    """A whole pattern."""

    root: Node
    unicode: bool
    groups: int
    names: tuple[tuple[str, int], ...]
    """Of every named group its name and number."""


def code_units(text: str) -> str:
    """The text as JavaScript sees it: each UTF-16 code unit a character."""
    return "".join(map(chr, array("H", text.encode("utf-16", "surrogatepass"))[1:]))


def code_points(text: str) -> str:
    """The text with each pair of surrogates made one character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def parse(pattern: str, flags: str) -> Tree:
    """The tree of a pattern.

    Raises:
        PatternError: JavaScript would throw, or (`TooComplexError`) the pattern is not read.
    """
    if set(flags) - set("dgimsuvy") or len(set(flags)) != len(flags) or {"u", "v"} <= set(flags):
        raise PatternError(f"Flags `{flags}`: they may be any of `dgimsuvy`, each once, and not both `u` and `v`.")
    if "v" in flags:
        raise TooComplexError("The flag `v` is not read.")
    return _Parser(pattern, "u" in flags).tree()


_SYNTAX: Final = frozenset("^$\\.*+?()[]{}|/")
_QUANTIFIERS: Final = frozenset("*+?")
_CONTROLS: Final = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_DIGITS: Final = frozenset("0123456789")
_OCTAL: Final = frozenset("01234567")
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_HUGE: Final = 2**53  # counts above it are not told apart


class _Parser:
    def __init__(self, pattern: str, unicode: bool) -> None:
        self.text: Final = code_points(pattern) if unicode else code_units(pattern)
        self.unicode: Final = unicode
        self.at = 0
        self.depth = 0
        self.opened = 0
        self.names: list[tuple[str, int]] = []
        self.total, self.has_names = self.count_groups()
        self.named_references: list[tuple[str, list[int]]] = []

    # --- reading

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
        while self.peek() in _DIGITS:
            self.at += 1
        digits = self.text[begin : self.at].lstrip("0")
        if begin == self.at:
            return None
        return int(digits or "0") if len(digits) < 17 else _HUGE

    def count_groups(self) -> tuple[int, bool]:
        """How many groups capture, and whether one has a name: backreferences may point forward."""
        total, named, in_class, at = 0, False, False, 0
        while at < len(self.text):
            char = self.text[at]
            if char == "\\":
                at += 1
            elif in_class:
                in_class = char != "]"
            elif char == "[":
                in_class = True
            elif char == "(":
                if not self.text.startswith("(?", at):
                    total += 1
                elif self.text.startswith("(?<", at) and self.text[at + 3 : at + 4] not in {"=", "!"}:
                    total, named = total + 1, True
            at += 1
        return total, named

    # --- grammar

    def tree(self) -> Tree:
        root = self.alternatives()
        if self.at < len(self.text):
            self.fail("`)` closes nothing")
        self.check_names(root)
        numbers: dict[str, list[int]] = {}
        for name, number in self.names:
            numbers.setdefault(name, []).append(number)
        for name, references in self.named_references:
            if name not in numbers:
                self.fail(f"no group is named `{name}`")
            references.extend(numbers[name])
        return Tree(self.resolve(root), self.unicode, self.total, tuple(self.names))

    def alternatives(self) -> Node:
        options = [self.sequence()]
        while self.skip("|"):
            options.append(self.sequence())
        return options[0] if len(options) == 1 else Alternatives(tuple(options))

    def sequence(self) -> Node:
        items: list[Node] = []
        while self.at < len(self.text) and self.peek() not in {"|", ")"}:
            items.append(self.term())
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def term(self) -> Node:
        atom = self.atom()
        limits = self.quantifier()
        if limits is None:
            return atom
        is_lookahead = isinstance(atom, Look) and not atom.behind
        if isinstance(atom, Assertion) or (isinstance(atom, Look) and (self.unicode or not is_lookahead)):
            self.fail("an assertion is repeated")
        least, most = limits
        if most is not None and least > most:
            self.fail("the numbers of a quantifier are out of order")
        return Repeat(atom, least, most, self.skip("?"))

    def quantifier(self) -> tuple[int, int | None] | None:
        for token, limits in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.skip(token):
                return limits
        begin = self.at
        if self.skip("{"):
            least = self.number()
            if least is not None:
                if self.skip("}"):
                    return least, least
                if self.skip(","):
                    if self.skip("}"):
                        return least, None
                    most = self.number()
                    if most is not None and self.skip("}"):
                        return least, most
            self.at = begin
            if self.unicode:
                self.fail("`{` begins no quantifier")
        return None

    def atom(self) -> Node:
        char = self.peek()
        if char == "(":
            return self.group()
        if char == "[":
            return self.char_set()
        if char == "\\":
            return self.escape()
        if char in _QUANTIFIERS:
            self.fail("there is nothing to repeat")
        if char == "{":
            if self.unicode or self.quantifier() is not None:
                self.fail("there is nothing to repeat")
        elif self.unicode and char in {"}", "]"}:
            self.fail(f"`{char}` stands alone")
        self.at += 1
        if char == ".":
            return Dot()
        if char in {"^", "$"}:
            return Assertion(char)
        return Char(ord(char))

    def group(self) -> Node:
        self.depth += 1
        if self.depth > NESTING_LIMIT:
            raise TooComplexError(f"The groups of a regular expression nest more than {NESTING_LIMIT} deep.")
        self.at += 1
        node: Node
        if not self.skip("?"):
            node = self.capture(None)
        elif self.skip(":"):
            node = Group(self.body(), None, None)
        elif self.peek() in {"=", "!"}:
            node = Look(negated=self.take() == "!", behind=False, body=self.body())
        elif self.peek() == "<" and self.peek(1) in {"=", "!"}:
            self.at += 1
            node = Look(negated=self.take() == "!", behind=True, body=self.body())
        elif self.skip("<"):
            node = self.capture(self.name())
        else:
            node = self.modifier()
        self.depth -= 1
        return node

    def capture(self, name: str | None) -> Node:
        self.opened += 1
        number = self.opened
        if name is not None:
            self.names.append((name, number))
        return Group(self.body(), number, name)

    def body(self) -> Node:
        node = self.alternatives()
        if not self.skip(")"):
            self.fail("a group is not closed")
        return node

    def modifier(self) -> Node:
        begin = self.at
        while self.peek() in _LETTERS or self.peek() == "-":
            self.at += 1
        on, minus, off = self.text[begin : self.at].partition("-")
        letters = on + off
        if not self.skip(":") or set(letters) - set("ims") or len(set(letters)) != len(letters) or not (on or off):
            self.fail("`(?` begins no group that JavaScript knows")
        return Modifier(self.body(), on, off if minus else "")

    def name(self) -> str:
        end = self.text.find(">", self.at)
        name = code_points(self.text[self.at : max(end, self.at)])
        if "\\" in name:
            raise TooComplexError("A group's name with an escape is not read.")
        # U+200C and U+200D may continue a name in JavaScript.
        if not name.replace("$", "_").replace("\u200c", "_").replace("\u200d", "_").isidentifier():
            self.fail("a group has no valid name")
        if name[0] in "\u200c\u200d":
            self.fail("a group has no valid name")
        self.at = end + 1
        return name

    # --- escapes

    def escape(self) -> Node:
        self.at += 1
        char = self.peek()
        if not char:
            self.fail("`\\` stands at the end")
        if char in {"b", "B"}:
            self.at += 1
            return Assertion(char)
        if char == "k" and (self.unicode or self.has_names):
            self.at += 1
            if not self.skip("<"):
                self.fail("`\\k` names no group")
            return self.named_reference(self.name())
        if char in _DIGITS and char != "0":
            begin = self.at
            number = self.number()
            if number is not None and number <= self.total:
                return Backreference((number,))
            if self.unicode:
                self.fail("a backreference has no group")
            self.at = begin
        found = self.class_escape()
        return CharSet((), (found,), negated=False) if isinstance(found, Escape | Property) else Char(found)

    def named_reference(self, name: str) -> Node:
        # The number is known when the whole pattern was read; until then the list stands in a negative place.
        self.named_references.append((name, []))
        return Backreference((-len(self.named_references),))

    def class_escape(self, in_class: bool = False) -> Escape | Property | int:
        """What an escape stands for, inside of a class or outside; the `\\` has been read."""
        char = self.take()
        if char in "dDsSwW":
            return Escape(char)
        if char in {"p", "P"} and self.unicode:
            return self.property(negated=char == "P")
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char in _DIGITS:
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
            if first != "0" or self.peek() in _DIGITS:
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
        if following and (following in _LETTERS or (in_class and not self.unicode and following in {*_DIGITS, "_"})):
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

    def char_set(self) -> Node:
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

    # --- names

    def check_names(self, node: Node) -> set[str]:
        """The names below a node; a name may be given twice only in different alternatives."""
        match node:
            case Alternatives(options):
                return set().union(*map(self.check_names, options))
            case Sequence(items):
                found: set[str] = set()
                for item in items:
                    more = self.check_names(item)
                    if found & more:
                        self.fail(f"two groups are named `{min(found & more)}`")
                    found |= more
                return found
            case Group(body, _, name):
                inner = self.check_names(body)
                if name in inner:
                    self.fail(f"two groups are named `{name}`")
                return inner | ({name} if name is not None else set())
            case Repeat(body) | Look(body) | Modifier(body):
                return self.check_names(body)
            case _:
                return set()

    def resolve(self, node: Node) -> Node:
        """The same with every backreference by name given its numbers."""
        if not self.named_references:
            return node
        match node:
            case Backreference((number,)) if number < 0:
                return Backreference(tuple(self.named_references[-number - 1][1]))
            case Alternatives(options):
                return Alternatives(tuple(map(self.resolve, options)))
            case Sequence(items):
                return Sequence(tuple(map(self.resolve, items)))
            case Group(body, number, name):
                return Group(self.resolve(body), number, name)
            case Repeat(body, least, most, lazy):
                return Repeat(self.resolve(body), least, most, lazy)
            case Look(body, behind, negated):
                return Look(self.resolve(body), behind, negated)
            case Modifier(body, on, off):
                return Modifier(self.resolve(body), on, off)
            case _:
                return node
