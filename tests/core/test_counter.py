"""The estimate of tokens, beside what three vocabularies count."""

import pytest

from lorewright.core.counter import EstimateCounter
from lorewright.fast.tokens import COUNTERS, make_counter

ENGLISH = "The dragon sleeps under the bridge."
CHINESE = "龙在桥下睡觉。"
RUSSIAN = "Дракон спит под мостом."


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("猫", 1),
        ("黒猫", 2),
        ("кот", 2),
        ("\ud83d", 1),
        (ENGLISH, 9),
        (CHINESE, 7),
        (RUSSIAN, 13),
    ],
)
def test_estimate(text, tokens):
    assert EstimateCounter().count(text) == tokens


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        (ENGLISH, {"cl100k": 7, "o200k": 7, "qwen": 7}),
        (CHINESE, {"cl100k": 11, "o200k": 7, "qwen": 6}),
        (RUSSIAN, {"cl100k": 11, "o200k": 9, "qwen": 10}),
    ],
)
def test_the_estimate_lies_near_the_vocabularies(text, exact):
    """Between the least of them and twice the least; a quarter of the characters is a third of it for Chinese."""
    assert {name: make_counter(name).count(text) for name in COUNTERS if name != "estimate"} == exact
    assert min(exact.values()) <= EstimateCounter().count(text) <= 2 * min(exact.values())
