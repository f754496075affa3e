"""Regular expressions that got no answer in time: which ones is recorded, and they are given up again.

Another machine has other times, so this is the one thing about them that does not follow from the turn.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lorewright.core.keys import Key
from lorewright.core.lore import Lore
from lorewright.core.match import RegexRunner
from lorewright.core.protocols import Matcher, Regex, Regexes, RegexMatch, Search, Substituted
from lorewright.core.scan import Scan
from lorewright.errors import RegexError, RegexTimeout

__all__ = [
    "GivenUp",
    "LateReplacement",
    "RecordedMatcher",
    "RecordedRegexes",
    "RecordingMatcher",
    "RecordingRegexes",
    "digest_text",
]

_ENDLESS_SECONDS: Final = 3600.0
_MOST_KEPT: Final = 50_000


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A regex key that got no answer: its pattern, and SHA-256 of the texts in which it was found all the same."""

    pattern: str
    flags: str
    seconds: float
    found_in: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class LateReplacement:
    """A replacement that got no answer within `seconds`: its pattern, SHA-256 of the text, and how many replacements by
    this pattern in this text came before it in the turn. At 0 seconds it was not tried."""

    pattern: str
    flags: str
    text: str
    before: int
    seconds: float


def digest_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# -- recording ---------------------------------------------------------------------------------------------------------


class RecordingMatcher:
    """Keeps where regex keys were found, because one that is given up later keeps counting as found there."""

    def __init__(self, matcher: Matcher) -> None:
        self.matcher = matcher
        self._searches: list[Search] = []
        self._found: dict[tuple[str, str], dict[str, tuple[int, int]]] = {}
        self._kept = 0

    def open(self, lore: Lore, scan: Scan) -> Search:
        search = self.matcher.open(lore, scan)
        runner = getattr(search, "runner", None)
        if isinstance(runner, RegexRunner):
            runner.search = self._listening(runner.search)  # type: ignore[method-assign]
        self._searches.append(search)
        return search

    def take(self) -> tuple[GivenUp, ...]:
        searches, self._searches = self._searches, []
        given_up = {key: seconds for search in searches for key, seconds in search.timed_out.items()}
        return tuple(
            GivenUp(key.text, key.flags, seconds, self._places(key))
            for key, seconds in sorted(given_up.items(), key=lambda item: (item[0].text, item[0].flags))
        )

    def _places(self, key: Key) -> tuple[tuple[str, int, int], ...]:
        return tuple((text, *span) for text, span in self._found.get((key.text, key.flags), {}).items())

    def _listening(self, search: Any) -> Any:
        def listen(key: Key, text: str) -> tuple[int, int] | None:
            span: tuple[int, int] | None = search(key, text)
            if span is not None:
                if self._kept >= _MOST_KEPT:
                    self._found.clear()
                    self._kept = 0
                self._found.setdefault((key.text, key.flags), {})[digest_text(text)] = span
                self._kept += 1
            return span

        return listen


class RecordingRegexes:
    """A backend that remembers which replacements got no answer."""

    def __init__(self, regexes: Regexes) -> None:
        self.name = regexes.name
        self._regexes = regexes
        self._calls = _Calls()
        self._late: list[LateReplacement] = []

    def compile(self, pattern: str, flags: str) -> Regex:
        """See `Regexes.compile`."""
        regex = self._regexes.compile(pattern, flags)

        def replace(text: str, replacement: Callable[[RegexMatch], str], timeout_seconds: float) -> Substituted:
            call = self._calls.next(pattern, flags, text)
            try:
                return regex.replace(text, replacement, timeout_seconds)
            except RegexTimeout:
                self._late.append(LateReplacement(*call, max(timeout_seconds, 0.0)))
                raise

        return _Regex(regex, replace)

    def take(self) -> tuple[LateReplacement, ...]:
        """Those since the last time."""
        late, self._late = self._late, []
        self._calls = _Calls()
        return tuple(late)


class _Calls:
    """Tells replacements by the same pattern in the same text apart by their order."""

    def __init__(self) -> None:
        self._made: Counter[tuple[str, str, str]] = Counter()

    def next(self, pattern: str, flags: str, text: str) -> tuple[str, str, str, int]:
        call = (pattern, flags, digest_text(text))
        self._made[call] += 1
        return (*call, self._made[call] - 1)


class _Regex:
    """A regular expression with another `replace`."""

    def __init__(self, regex: Regex, replace: Callable[..., Substituted]) -> None:
        self.search = regex.search
        self.replace = replace


# -- giving back --------------------------------------------------------------------------------------------------------


class RecordedMatcher:
    def __init__(self, matcher: Matcher, given_up: Mapping[tuple[str, str], GivenUp]) -> None:
        self.matcher = matcher
        self._given_up = given_up

    def open(self, lore: Lore, scan: Scan) -> Search:
        search: Any = self.matcher.open(lore, scan)
        if isinstance(getattr(search, "runner", None), RegexRunner):
            search.runner = _RecordedRunner(search.runner.regexes, self._given_up)
        return search  # type: ignore[no-any-return]


class _RecordedRunner(RegexRunner):
    """Gives up what was given up, and nothing else."""

    def __init__(self, regexes: Regexes, given_up: Mapping[tuple[str, str], GivenUp]) -> None:
        super().__init__(regexes)
        self._given_up = given_up

    def search(self, key: Key, text: str) -> tuple[int, int] | None:
        """See `RegexRunner.search`."""
        given_up = self._given_up.get((key.text, key.flags))
        if given_up is None:
            try:
                return self.regexes.compile(key.text, key.flags).search(text, _ENDLESS_SECONDS)
            except (RegexTimeout, RegexError):
                return None
        wanted = digest_text(text)
        for digest, start, end in given_up.found_in:
            if digest == wanted:
                return start, end
        self.timed_out.setdefault(key, given_up.seconds)
        return None


class RecordedRegexes:
    """A backend that gives up the replacements that were given up, and no others: these take no time."""

    def __init__(self, regexes: Regexes, late: Iterable[LateReplacement]) -> None:
        self.name = regexes.name
        self._regexes = regexes
        self._calls = _Calls()
        self._seconds = {(one.pattern, one.flags, one.text, one.before): one.seconds for one in late}

    def compile(self, pattern: str, flags: str) -> Regex:
        """See `Regexes.compile`."""
        regex = self._regexes.compile(pattern, flags)

        def replace(text: str, replacement: Callable[[RegexMatch], str], timeout_seconds: float) -> Substituted:
            del timeout_seconds
            seconds = self._seconds.get(self._calls.next(pattern, flags, text))
            if seconds is not None:
                message = f"When this was recorded, `{pattern}` gave no answer within {seconds} s."
                raise RegexTimeout(message, pattern=pattern, timeout_seconds=seconds)
            return Substituted(regex.replace(text, replacement, _ENDLESS_SECONDS).text, 0.0)

        return _Regex(regex, replace)
