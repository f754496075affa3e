"""What becomes of regular expressions that take too long. The rest of matching is in the cases."""

from collections.abc import Callable

from lorewright.core.keys import Key
from lorewright.core.match import HOPELESS_REGEXES, HURRIED_SECONDS, REGEX_SECONDS, SLOW_REGEXES, RegexRunner
from lorewright.core.protocols import RegexMatch, Substituted
from lorewright.errors import RegexTimeout


class SlowRegexes:
    """Every search reaches its limit."""

    name = "slow"

    def __init__(self) -> None:
        self.limits: list[float] = []

    def compile(self, pattern: str, flags: str) -> "SlowRegexes":
        return self

    def replace(self, text: str, replacement: Callable[[RegexMatch], str], timeout_seconds: float) -> Substituted:
        raise RegexTimeout("too slow")

    def search(self, text: str, timeout_seconds: float) -> tuple[int, int] | None:
        self.limits.append(timeout_seconds)
        raise RegexTimeout("too slow")


def test_a_key_over_its_limit_does_not_match_and_is_not_tried_again():
    regexes = SlowRegexes()
    runner = RegexRunner(regexes)
    key = Key("regex", "(a+)+$")

    assert [runner.search(key, text) for text in ("aa", "bb")] == [None, None]
    assert regexes.limits == [REGEX_SECONDS]
    assert runner.timed_out == {key: REGEX_SECONDS}


def test_after_ten_slow_keys_the_others_must_hurry():
    regexes = SlowRegexes()
    runner = RegexRunner(regexes)
    for number in range(SLOW_REGEXES + 3):
        runner.search(Key("regex", f"(a+)+{number}$"), "aa")

    assert regexes.limits == [REGEX_SECONDS] * SLOW_REGEXES + [HURRIED_SECONDS] * 3


def test_fifty_slow_keys_cost_less_than_half_a_second():
    assert SLOW_REGEXES * REGEX_SECONDS + (50 - SLOW_REGEXES) * HURRIED_SECONDS < 0.5


def test_after_a_hundred_slow_keys_no_other_is_run():
    regexes = SlowRegexes()
    runner = RegexRunner(regexes)
    keys = [Key("regex", f"(a+)+{number}$") for number in range(HOPELESS_REGEXES + 2)]
    for key in keys:
        runner.search(key, "aa")

    assert len(regexes.limits) == HOPELESS_REGEXES
    assert set(runner.timed_out) == set(keys)
    assert runner.timed_out[keys[-1]] == 0
