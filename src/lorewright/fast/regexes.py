"""JavaScript's regular expressions, over two packages.

`EcmaRegexes` runs on `corvus-regex-ecma262`, which has JavaScript's semantics. `FallbackRegexes` runs on `regex`: the
pattern is read (`fast/syntax.py`) and written again in the syntax of that package, every class spelled out. What it
does differently is listed at `FallbackRegexes`.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from lorewright.core.protocols import RegexMatch, Substituted
from lorewright.errors import RegexError, RegexTimeout
from lorewright.fast.stopwatch import Stopwatch
from lorewright.fast.syntax import parse
from lorewright.fast.translation import translate
from lorewright.fast.tree import PatternError, Tree
from lorewright.fast.units import code_points, code_units, unit_array, unit_text

if TYPE_CHECKING:
    from lorewright.core.protocols import Regex, Regexes

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
                lambda seconds: self._compile(escaped, pattern, flags, seconds), pattern
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
    __slots__ = ("_compile", "_pattern", "_regex")

    def __init__(self, compile_now: Callable[[float], Any], pattern: str) -> None:
        self._compile: Final = compile_now
        self._pattern: Final = pattern
        self._regex: Any = None

    def search(self, text: str, timeout_seconds: float) -> tuple[int, int] | None:
        """See `Regex.search`."""
        limit = _limit(timeout_seconds)
        if self._regex is None:
            self._regex = self._compile(limit)
        try:
            match = self._regex.search(text, timeout=limit)
        except _corvus().MatchLimitError as error:
            raise _timeout(self._pattern, timeout_seconds) from error
        return None if match is None else _place(text, _paired(text), *match.span())

    def replace(self, text: str, replacement: Callable[[RegexMatch], str], timeout_seconds: float) -> Substituted:
        """See `Regex.replace`. The package limits each search, so the last one may begin just before the limit of all.

        Of the ways to get all matches only this one searches for one at a time: `finditer` reads 64 of them ahead, each
        with a limit of its own.
        """
        _check_time(self._pattern, timeout_seconds)
        limit = _limit(timeout_seconds)
        if self._regex is None or self._regex.timeout != limit:
            self._regex = self._compile(limit)
        watch = Stopwatch()

        def stop() -> None:
            if watch.stop() > timeout_seconds:
                raise _timeout(self._pattern, timeout_seconds)

        def replace_one(match: Any) -> array[int]:
            stop()
            groups = tuple(None if units is None else unit_text(units) for units in match.groups())
            names = {name: None if units is None else unit_text(units) for name, units in match.groupdict().items()}
            units = unit_array(replacement(RegexMatch(match.start(), unit_text(match.group()), groups, names)))
            watch.start()
            return units

        try:
            replaced = self._regex.replace(unit_array(text), replace_one)
        except _corvus().MatchLimitError as error:
            raise _timeout(self._pattern, timeout_seconds) from error
        stop()
        return Substituted(unit_text(replaced), watch.seconds)


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
    __slots__ = ("_everywhere", "_method", "_names", "_pattern", "_unicode")

    def __init__(self, compiled: Any, pattern: str, tree: Tree, flags: str) -> None:
        self._method: Final[Callable[..., Any]] = compiled.match if "y" in flags else compiled.search
        self._pattern: Final = pattern
        self._everywhere: Final = "g" in flags
        self._unicode: Final = tree.unicode
        self._names: Final = tree.names

    def search(self, text: str, timeout_seconds: float) -> tuple[int, int] | None:
        """See `Regex.search`."""
        seen = self._see(text)
        match = self._run(seen, 0, timeout_seconds, 0.0)
        return None if match is None else _place(text, seen, *match.span())

    def replace(self, text: str, replacement: Callable[[RegexMatch], str], timeout_seconds: float) -> Substituted:
        """See `Regex.replace`."""
        _check_time(self._pattern, timeout_seconds)
        seen = self._see(text)
        begins: Sequence[int] = range(len(seen) + 1)
        if self._unicode and _is_astral(seen):
            begins = list(accumulate(map(_units_of, seen), initial=0))
        pieces: list[str] = []
        written = start = 0
        watch = Stopwatch()
        while start <= len(seen):
            match = self._run(seen, start, timeout_seconds, watch.seconds)
            if watch.stop() > timeout_seconds:
                raise _timeout(self._pattern, timeout_seconds)
            if match is None:
                break
            groups = tuple(None if group is None else code_points(group) for group in match.groups())
            names: dict[str, str | None] = {}
            for name, number in self._names:  # several groups can have one name, in different alternatives
                if names.get(name) is None:
                    names[name] = groups[number - 1]
            first, last = match.span()
            found = RegexMatch(begins[first], code_points(match[0]), groups, names)
            pieces += (seen[written:first], replacement(found))
            written, start = last, last + (first == last)
            if not self._everywhere:
                break
            watch.start()
        return Substituted(code_points("".join([*pieces, seen[written:]])), watch.seconds)

    def _see(self, text: str) -> str:
        return _paired(text) if self._unicode else code_units(text) if _is_astral(text) else text

    def _run(self, text: str, start: int, limit_seconds: float, spent_seconds: float) -> Any:
        try:
            return self._method(text, start, timeout=_limit(limit_seconds - spent_seconds), concurrent=True)
        except (TimeoutError, MemoryError) as error:  # the latter when its stack for backtracking is full
            raise _timeout(self._pattern, limit_seconds) from error


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


def _check_time(pattern: str, seconds: float) -> None:
    if seconds <= 0:
        raise _timeout(pattern, seconds)


_BACKEND: Final = "ecmaregex: "
"""What a backend begins its messages with; nobody who wrote a pattern knows it."""


def _error(pattern: str, flags: str, cause: Exception) -> RegexError:
    why = str(cause).removeprefix(_BACKEND)
    return RegexError(f"`/{pattern}/{flags}` is no regular expression: {why}", pattern=pattern, flags=flags)


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
