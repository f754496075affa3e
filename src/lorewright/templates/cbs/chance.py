"""Macros that draw: with new numbers, or with stable ones that follow from ids and counts (spec risu §7)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from lorewright.core.javascript import number, number_text, value_as_text
from lorewright.core.stable import SEEDS, stable_value
from lorewright.templates.cbs.state import Given, Macro
from lorewright.templates.cbs.values import TooMuch, fixed, read_list
from lorewright.templates.context import Json

__all__ = ["CHANCE"]

_DIE_STEP: Final = 15
_DIE_COST: Final = 20
_COMMA: Final = "§X"


def _chat_value(given: Given, extra: int) -> float:
    """The stable number of this chat at its present length, `extra` further."""
    messages = given.run.messages()
    character = given.run.character()
    ids = (character.id, given.run.context.chat.id)
    return stable_value(len(messages) + extra, "".join("undefined" if each is None else each for each in ids))


def _choose(given: Given, value: float) -> Json:
    """One of the arguments, or of the parts of a single one; without arguments the number itself."""
    if not given.arguments:
        return number_text(value)
    if len(given.arguments) > 1:
        choices: list[Json] = list(given.arguments)
    else:
        choices = _parts(given)
    place = 0 if given.run.context.call.counts else math.floor(value * len(choices))
    found = choices[place] if place < len(choices) else ""
    return value_as_text(found).replace(_COMMA, ",") if len(given.arguments) == 1 else found


def _parts(given: Given) -> list[Json]:
    text = given.arguments[0]
    if not given.run.context.switches.random_cuts_json and text.startswith("[") and text.endswith("]"):
        return read_list(text) or [""]
    return list(text.replace("\\,", _COMMA).split(","))


def random(given: Given) -> Json:
    return _choose(given, given.run.draw())


def pick(given: Given) -> Json:
    return _choose(given, _chat_value(given, 0))


def random_whole(given: Given) -> str:
    least, most = given.number(0), given.number(1)
    if math.isnan(least) or math.isnan(most):
        return "NaN"
    return number_text(_floor(given.run.draw() * (most - least + 1)) + least)


def _floor(value: float) -> float:
    return float(math.floor(value)) if math.isfinite(value) else value


def _throw(given: Given, count: float, sides: float, draw: Callable[[int], float]) -> str:
    """The sum of some dice.

    Raises:
        TooMuch: they are more than `limits.dice`.
    """
    most = given.run.context.limits.dice
    if count > most:
        raise TooMuch(f"throws more than {most:,} dice")
    given.run.spend(max(0, math.ceil(count)) * _DIE_COST)
    total = 0.0
    for die in range(max(0, math.ceil(count))):
        total += _floor(draw(die) * sides) + 1
    return number_text(total)


def dice(given: Given) -> str:
    count, sides = [float(number(part)) for part in [*given.need(0).split("d"), "no number"][:2]]
    if math.isnan(count) or math.isnan(sides):
        return "NaN"
    return _throw(given, count, sides, lambda die: given.run.draw())  # noqa: ARG005


def _roll(given: Given, draw: Callable[[int], float]) -> str:
    if not given.arguments:
        return "1"
    parts = given.need(0).split("d")
    if len(parts) == 1:
        parts.insert(0, "1")
    count, sides = float(number(parts[0] or "1")), float(number(parts[1] or ("6" if "d" in given.need(0) else "")))
    if not (count >= 1 and sides >= 1):
        return "NaN"
    return _throw(given, count, sides, draw)


def roll(given: Given) -> str:
    return _roll(given, lambda die: given.run.draw())  # noqa: ARG005


def stable_roll(given: Given) -> str:
    return _roll(given, lambda die: _chat_value(given, _DIE_STEP * die))


def hashed(given: Given) -> str:
    """Seven digits that depend on the text only."""
    word = given.need(0)
    given.run.spend(len(word) * SEEDS)
    return fixed(stable_value(0, word) * 10_000_000 + 1, 0).rjust(7, "0")


CHANCE: Final = (
    Macro("random", "choice::...", "random", random),
    Macro("pick", "choice::...", "state", pick),
    Macro("randint", "least::most", "random", random_whole),
    Macro("dice", "NdM", "random", dice),
    Macro("roll", "NdM", "random", roll),
    Macro("rollp", "NdM", "state", stable_roll, ("rollpick",)),
    Macro("hash", "text", "constant", hashed),
)
