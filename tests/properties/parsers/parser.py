"""What a dialect's parser is to the properties, and what they share."""

from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from lorewright.templates.rendered import Rendered

HOSTILE = "{{setvar::evil::1}}{{.evil = 1}}{{getvar::evil}}{{evil}}{{/if}}}}"
"""A value that would write or read the variable `evil` if anybody ran it."""


class Parser(NamedTuple):
    """A dialect's parser.

    texts: of pieces that mean something to it. contexts: what it can read; `hostile` is one whose every value is
    HOSTILE. render: a text in a context, with a limit for its length. only: the context without what was not read.
    elsewhere: the same names and card with another chat, other variables, at another time.
    """

    texts: SearchStrategy[str]
    contexts: SearchStrategy[Any]
    hostile: Any
    is_template: Callable[[str], bool]
    render: Callable[[str, Any, int], Rendered]
    only: Callable[[Any, frozenset[str]], Any]
    elsewhere: Callable[[Any], Any]


def texts(pieces, *more: SearchStrategy[str]) -> SearchStrategy[str]:
    return st.lists(st.one_of(st.sampled_from(pieces), *more), max_size=40).map("".join)


def half() -> float:
    return 0.5


def nearly_one() -> float:
    return 0.99
