"""JavaScript's regular expressions, over two packages.

`EcmaRegexes` runs on `corvus-regex-ecma262`, which has JavaScript's semantics. `FallbackRegexes` runs on `regex`: the
pattern is read (`fast/syntax.py`) and written again in the syntax of that package, every class spelled out. What it
does differently is listed at `FallbackRegexes`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import cache
from itertools import accumulate
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from lorewright.core.protocols import Found
from lorewright.errors import RegexError, RegexTimeout
from lorewright.fast.replacing import Pieces, Stopwatch
from lorewright.fast.syntax import parse
from lorewright.fast.translation import translate
from lorewright.fast.tree import PatternError, Tree
from lorewright.fast.units import code_points, code_units

if TYPE_CHECKING:
    from lorewright.core.protocols import Regex, Regexes, RegexMatch

__all__ = ["EcmaRegexes", "FallbackRegexes", "default_regexes"]

_LEAST_SECONDS: Final = 0.001
_MOST_SECONDS: Final = 3600.0
_MOST_KEPT: Final = 100_000
"""Compiled patterns that are kept; all are dropped when there would be more."""
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def default_regexes() -> Regexes:
    """The best backend that is installed.

    Raises:
        ImportError: neither is.
    """
    try:
        return EcmaRegexes()
    except ImportError:
        return FallbackRegexes()


class EcmaRegexes:
    """The backend over `corvus-regex-ecma262`.

    Raises:
        ImportError: the package is not installed.
    """

    def __init__(self) -> None:
        _corvus()
        self._kept: dict[tuple[str, str], _EcmaRegex] = {}

    @property
    def name(self) -> str:
        """As reports show it."""
        return "corvus-regex-ecma262"

    def compile(self, pattern: str, flags: str) -> Regex:
        """See `Regexes.compile`. A pattern over the package's limits of size is an error, too.

        The pattern is checked now and compiled when it is first searched for: most keys of a book never are.
        """
        kept = self._kept.get((pattern, flags))
        if kept is None:
            escaped = _escape_surrogates(pattern, flags)
            if not _is_valid(escaped, flags):
                self._compile(escaped, pattern, flags)  # raises, and says why
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            kept = self._kept[pattern, flags] = _EcmaRegex(
                lambda seconds: self._compile(escaped, pattern, flags, seconds), pattern, flags
            )
        return kept

    @staticmethod
    def _compile(escaped: str, pattern: str, flags: str, seconds: float = _MOST_SECONDS) -> Any:
        corvus = _corvus()
        try:
            return corvus.Regex(escaped, flags, timeout=seconds)
        except corvus.error as error:
            raise _error(pattern, flags, error) from error


def _is_valid(escaped: str, flags: str) -> bool:
    try:
        return bool(_corvus().is_valid(escaped, flags))
    except UnicodeEncodeError:
        return False


class _EcmaRegex:
    __slots__ = ("_compile", "_flags", "_pattern", "_regex")

    def __init__(self, compile_now: Callable[[float], Any], pattern: str, flags: str) -> None:
        self._compile: Final = compile_now
        self._pattern: Final = pattern
        self._flags: Final = flags
        self._regex: Any = None

    def search(self, text: str, timeout_seconds: float) -> tuple[int, int] | None:
        """See `Regex.search`."""
        match = self._run(text, 0, timeout_seconds)
        return None if match is None else _place(text, _paired(text), *match.span())

    def find_all(self, text: str, timeout_seconds: float) -> tuple[Found, ...]:
        """See `Regex.find_all`."""
        seen = _paired(text)
        found: list[Found] = []
        start, until = 0, perf_counter() + timeout_seconds
        while start <= len(seen) and (match := self._run(seen, start, until - perf_counter())):
            if perf_counter() > until:
                raise _timeout(self._pattern, timeout_seconds)
            spans = [match.span(number) for number in range(1, match.re.groups + 1)]
            groups = tuple(_slice(seen, span) for span in spans)
            named = {name: _slice(seen, match.span(name)) for name in match.re.group_names}
            first, last = match.span()
            found.append(Found(*_place(text, seen, first, last), groups, named))
            start = last + 1 if first == last else last
            if "g" not in self._flags:
                break
        return tuple(found)

    def _run(self, text: str, start: int, timeout_seconds: float) -> Any:
        if self._regex is None:
            self._regex = self._compile(_MOST_SECONDS)
        try:
            return self._regex.search(text, start, timeout=_limit(timeout_seconds))
        except _corvus().MatchLimitError as error:
            raise _timeout(self._pattern, timeout_seconds) from error

    def replace(self, text: str, replacement: Callable[[RegexMatch], str], timeout_seconds: float) -> str:
        """See `Regex.replace`."""
        seen = _paired(text)
        pieces = Pieces(code_units(seen) if _is_astral(seen) else seen, replacement)
        begins = [0] if len(pieces.text) == len(seen) else list(accumulate(map(_units_of, seen), initial=0))
        watch = Stopwatch(timeout_seconds)
        try:
            for match in self._compile(_limit(timeout_seconds)).finditer(seen):
                watch.check(self._pattern)
                start = match.start() if len(begins) == 1 else _unit_start(match, seen, begins)
                groups = match.groups()
                pieces.add(start, start + _count_units(match.group(0)), match.group(0), groups, match.groupdict())
                if "g" not in self._flags:
                    break
                watch.start()
        except _corvus().MatchLimitError as error:
            raise _timeout(self._pattern, timeout_seconds) from error
        return pieces.joined()


class FallbackRegexes:
    r"""The backend over `regex`, for where there is no wheel of the other.

    It differs from JavaScript in this: a group in a repeated group keeps what it captured in an earlier round (a
    backreference may then match where JavaScript's matches the empty string); a repetition of what can be empty may end
    earlier, so that the match is shorter; a backreference under `i` compares as
    `regex` does; names of `\p{...}` are those of Unicode's newest version that `regex` knows. The flag `v`, groups
    nested deeper than 60, names with escapes, counted repetitions that multiply to more than 100,000 and patterns of
    many thousand characters are refused as `RegexError`.

    Raises:
        ImportError: the package is not installed.
    """

    def __init__(self) -> None:
        _regex()

    @property
    def name(self) -> str:
        """As reports show it."""
        return "regex"

    def compile(self, pattern: str, flags: str) -> Regex:
        """See `Regexes.compile`."""
        try:
            tree = parse(pattern, flags)
            compiled = _regex().compile(translate(tree, flags))
        except (PatternError, _regex().error, RecursionError, OverflowError) as error:
            raise _error(pattern, flags, error) from error
        return _FallbackRegex(compiled, pattern, tree, flags)


class _FallbackRegex:
    __slots__ = ("_compiled", "_flags", "_method", "_names", "_pattern", "_unicode")

    def __init__(self, compiled: Any, pattern: str, tree: Tree, flags: str) -> None:
        self._compiled: Final = compiled
        self._method: Final[Callable[..., Any]] = compiled.match if "y" in flags else compiled.search
        self._pattern: Final = pattern
        self._flags: Final = flags
        self._unicode: Final = tree.unicode
        self._names: Final = tree.names

    def search(self, text: str, timeout_seconds: float) -> tuple[int, int] | None:
        """See `Regex.search`."""
        seen = self._see(text)
        match = self._run(seen, 0, timeout_seconds)
        return None if match is None else _place(text, seen, *match.span())

    def replace(self, text: str, replacement: Callable[[RegexMatch], str], timeout_seconds: float) -> str:
        """See `Regex.replace`."""
        seen = _paired(text)
        units = code_units(seen) if _is_astral(seen) else seen
        pieces = Pieces(units, replacement)
        searched = seen if self._unicode else units
        begins = list(accumulate(map(_units_of, searched), initial=0)) if len(searched) != len(units) else None
        watch = Stopwatch(timeout_seconds)
        try:
            for match in self._matches(searched, timeout_seconds):
                watch.check(self._pattern)
                groups = match.groups()
                names: dict[str, str | None] = {}
                for name, number in self._names:
                    names[name] = groups[number - 1] if names.get(name) is None else names[name]
                start, end = match.span()
                pieces.add(begins[start] if begins else start, begins[end] if begins else end, match[0], groups, names)
                if "g" not in self._flags:
                    break
                watch.start()
        except (TimeoutError, MemoryError) as error:
            raise _timeout(self._pattern, timeout_seconds) from error
        return pieces.joined()

    def _matches(self, text: str, timeout_seconds: float) -> Iterator[Any]:
        limit = _limit(timeout_seconds)
        if "y" not in self._flags:
            yield from self._compiled.finditer(text, timeout=limit, concurrent=True)
            return
        at = 0
        while at <= len(text) and (match := self._compiled.match(text, at, timeout=limit, concurrent=True)):
            yield match
            at = match.end() + (match.end() == match.start())

    def find_all(self, text: str, timeout_seconds: float) -> tuple[Found, ...]:
        """See `Regex.find_all`."""
        seen = self._see(text)
        found: list[Found] = []
        start, until = 0, perf_counter() + timeout_seconds
        while start <= len(seen) and (match := self._run(seen, start, until - perf_counter())):
            if perf_counter() > until:
                raise _timeout(self._pattern, timeout_seconds)
            spans = [match.span(number) for number in range(1, match.re.groups + 1)]
            groups = tuple(_slice(text, _place(text, seen, *span) if span[0] >= 0 else span) for span in spans)
            named: dict[str, str | None] = {}
            for name, number in self._names:  # several groups can have one name, in different alternatives
                if groups[number - 1] is not None or name not in named:
                    named[name] = groups[number - 1]
            first, last = match.span()
            found.append(Found(*_place(text, seen, first, last), groups, named))
            start = last + 1 if first == last else last
            if 0 < start < len(seen) and _is_pair(seen[start - 1 : start + 1]):
                start += 1
            if "g" not in self._flags:
                break
        return tuple(found)

    def _see(self, text: str) -> str:
        return _paired(text) if self._unicode else code_units(text) if _is_astral(text) else text

    def _run(self, text: str, start: int, timeout_seconds: float) -> Any:
        try:
            return self._method(text, start, timeout=_limit(timeout_seconds), concurrent=True)
        except (TimeoutError, MemoryError) as error:  # the latter when its stack for backtracking is full
            raise _timeout(self._pattern, timeout_seconds) from error


def _slice(text: str, span: tuple[int, int]) -> str | None:
    """What a group captured; a group that took no part stands at -1."""
    return text[span[0] : span[1]] if span[0] >= 0 else None


def _is_pair(text: str) -> bool:
    return "\ud800" <= text[:1] <= "\udbff" and "\udc00" <= text[1:] <= "\udfff"


def _is_astral(text: str) -> bool:
    """Whether JavaScript sees more code units than Python sees characters."""
    return not text.isascii() and _count_units(text) > len(text)


def _paired(text: str) -> str:
    """The text with surrogates that Python keeps apart, but no other language would, made one character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return code_points(text)
    return text


def _place(text: str, seen: str, start: int, end: int) -> tuple[int, int]:
    """Where a range of what the engine saw (the same characters, some in two halves) stands in the text.

    A half stands where its whole character stands.
    """
    if len(text) == len(seen):
        return start, end
    begins = list(accumulate(map(_units_of, text), initial=0))
    first = bisect_right(begins, _count_units(seen[:start])) - 1
    return first, bisect_left(begins, _count_units(seen[:end]))


def _count_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _units_of(char: str) -> int:
    return 2 if char > "\uffff" else 1


def _unit_start(match: Any, seen: str, begins: list[int]) -> int:
    """Where a match begins, in code units: corvus gives the place of the whole character for both of its halves."""
    start: int = match.start()
    at_half = start < len(seen) and seen[start] > "\uffff"
    text = match.group(0)
    is_second = at_half and ("\udc00" <= text[0] <= "\udfff" if text else match.end() > start)
    return begins[start] + is_second


def _limit(seconds: float) -> float:
    """A limit that both packages take: to one of them 0 means none, and it does not take infinity or NaN."""
    return min(seconds, _MOST_SECONDS) if seconds >= _LEAST_SECONDS else _LEAST_SECONDS


def _escape_surrogates(pattern: str, flags: str) -> str:
    """The pattern with lone surrogates written as escapes: corvus reads them as U+FFFD."""
    if not _LONE_SURROGATE.search(pattern):
        return pattern
    pieces: list[str] = []
    escaped = False
    for char in code_points(pattern):
        if not _LONE_SURROGATE.match(char):
            pieces.append(char)
            escaped = char == "\\" and not escaped
            continue
        if escaped and "u" not in flags and "v" not in flags:
            pieces.pop()  # `\` before any other character means that character
            escaped = False
        if not escaped:
            pieces.append(f"\\u{ord(char):04x}")
        else:
            pieces.append(char)  # no escape under `u`: corvus refuses it as JavaScript does
        escaped = False
    return "".join(pieces)


def _error(pattern: str, flags: str, cause: Exception) -> RegexError:
    return RegexError(f"`/{pattern}/{flags}` is no regular expression: {cause}", pattern=pattern, flags=flags)


def _timeout(pattern: str, seconds: float) -> RegexTimeout:
    return RegexTimeout(
        f"The regular expression `{pattern}` gave no answer within {seconds} s.",
        pattern=pattern,
        timeout_seconds=seconds,
    )


@cache
def _corvus() -> Any:
    import corvus_regex_ecma262

    return corvus_regex_ecma262


@cache
def _regex() -> Any:
    import regex  # type: ignore[import-untyped,import-not-found,unused-ignore]

    return regex
