"""Regular expressions of code that run outside of its sandbox."""

import pytest

from lorewright.errors import RegexTimeout
from lorewright.fast.regexes import default_regexes
from lorewright.templates.ejs import Limits, Output, Pattern, Refused, Sandbox, Scene, Value
from lorewright.templates.ejs import generation as module
from lorewright.templates.ejs.patterns import PatternSearch


class Slow:
    """A backend in which nothing is ever found in time."""

    name = "slow"

    def __init__(self):
        self.searches = 0

    def compile(self, pattern, flags):
        return self

    def search(self, text, seconds):
        self.searches += 1
        raise RegexTimeout("Too slow.")


@pytest.mark.parametrize(
    ("pattern", "is_there"),
    [(Pattern("^t", "i"), True), (Pattern("^t", ""), False), (Pattern("(", ""), False), (Pattern("a", "??"), False)],
)
def test_found(pattern, is_there):
    assert PatternSearch(default_regexes()).is_in("Title", pattern) is is_there


def test_a_pattern_that_took_too_long_is_not_tried_again():
    slow = Slow()
    patterns = PatternSearch(slow)

    assert not any(patterns.is_in(title, Pattern(".", "")) for title in "abcdef")
    assert slow.searches == 1


def test_the_time_of_answers_is_the_generation_s(monkeypatch):
    now = 0.0

    def answer(request):
        nonlocal now
        now += 3
        return Value("text")

    monkeypatch.setattr(module, "monotonic", lambda: now)
    limits = Limits(entry_seconds=100, generation_seconds=5)
    with Sandbox(limits) as sandbox, sandbox.generation(Scene(), answer, {"main"}) as entries:
        first = entries.render("main", "<%= await getwi('x') %>")
        second = entries.render("main", "<% await getwi('x') %><% await getwi('x') %>")
        third = entries.render("main", "<%= 1 %>")

    assert isinstance(first, Output)
    assert first.text == "text"
    assert isinstance(second, Refused)
    assert isinstance(third, Refused)
    assert third.code == "generation_time"
