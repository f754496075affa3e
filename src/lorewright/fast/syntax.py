"""The syntax of JavaScript's regular expressions.

`parse` reads what `new RegExp(pattern, flags)` reads, with the legacy forms of Annex B when there is no `u` flag. It
serves those who must know what is in a pattern: the search for literals, and the translation for another engine.
Without `u` a pattern is a sequence of UTF-16 code units, so a character beyond U+FFFF is two `Char`s, as in JavaScript.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from lorewright.fast.reader import DIGITS, LETTERS, Reader
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
from lorewright.fast.units import code_points, code_units

__all__ = ["parse"]

NESTING_LIMIT: Final = 60
"""How deep groups may nest; a tree is walked by recursion."""


@lru_cache(maxsize=64)
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


_QUANTIFIERS: Final = frozenset("*+?")


class _Parser(Reader):
    def __init__(self, pattern: str, unicode: bool) -> None:
        super().__init__(code_points(pattern) if unicode else code_units(pattern), unicode)
        self.depth = 0
        self.opened = 0
        self.names: list[tuple[str, int]] = []
        self.total, self.has_names = self.count_groups()
        self.named_references: list[tuple[str, list[int]]] = []

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
        if self.peek() not in _QUANTIFIERS and self.peek() != "{":
            return None
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
        if char.isalnum():
            self.at += 1
            return Char(ord(char))
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
        while self.peek() in LETTERS or self.peek() == "-":
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

    # --- escapes that are no characters

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
        if char in DIGITS and char != "0":
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
