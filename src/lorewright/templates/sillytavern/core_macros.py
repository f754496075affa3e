"""Text, blocks and chance: the macros that read no state (spec macros §C)."""

from __future__ import annotations

import math
import re
from typing import Final

from lorewright.core.javascript import trim
from lorewright.templates.dice import DiceError, roll
from lorewright.templates.seeded import seeded_number
from lorewright.templates.sillytavern.bodies import dedent
from lorewright.templates.sillytavern.cleanup import ELSE_MARKER, TRIM_WORD
from lorewright.templates.sillytavern.registry import Macro, MacroError
from lorewright.templates.sillytavern.run import Invocation
from lorewright.templates.sillytavern.shorthand import SCOPES, is_false
from lorewright.templates.sillytavern.syntax import VARIABLE_NAME
from lorewright.templates.variables import shown

__all__ = ["CORE_MACROS"]

_COMMA: Final = re.compile(r"(?<!\\),")
_VARIABLE: Final = re.compile(rf"([.$])({VARIABLE_NAME})")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def _repeated(text: str, call: Invocation) -> str:
    digits = call.arguments[0].strip() if call.arguments else "1"
    most = call.run.limits.repeat
    if digits.startswith("-") and digits.strip("-0"):
        raise MacroError(f"It cannot be repeated {digits[:40]} times; 0 is the least.")
    if len(digits.lstrip("-0")) > len(str(most)) or int(digits) > most:
        raise MacroError(f"It may be repeated {most} times at most, not {digits[:40]} times.")
    return text * int(digits)


def _space(call: Invocation) -> str:
    return _repeated(" ", call)


def _newline(call: Invocation) -> str:
    return _repeated("\n", call)


def _nothing(call: Invocation) -> str:
    del call
    return ""


def _trim(call: Invocation) -> str:
    return call.arguments[0] if call.arguments else TRIM_WORD


def _reverse(call: Invocation) -> str:
    return call.arguments[0][::-1]


def _else(call: Invocation) -> str:
    del call
    return ELSE_MARKER


def _if(call: Invocation) -> str:
    condition, content = call.arguments
    condition = trim(condition)
    inverted = condition.startswith("!")
    if inverted:
        condition = trim(condition[1:])
    holds = not is_false(_condition(call.evaluate(condition), call))
    first, second = call.place.split_else(content)
    result = call.evaluate(first if holds != inverted else second)
    return result if call.keeps_space else dedent(result)


def _condition(text: str, call: Invocation) -> str:
    """What a condition stands for: a variable, a macro that needs no argument, else itself."""
    if found := _VARIABLE.fullmatch(text):
        return shown(call.run.variables.get(SCOPES[found[1]], found[2]))
    if _NAME.fullmatch(text) and call.place.is_plain_macro(text):
        return call.evaluate(f"{{{{{text}}}}}")
    return text


def _roll(call: Invocation) -> str:
    run = call.run

    def draw() -> float:
        run.record.read("random", "random")
        return run.context.random()

    try:
        return roll(trim(call.arguments[0]), draw, run.limits.dice) or ""
    except DiceError as error:
        raise MacroError(str(error)) from error


def _items(call: Invocation) -> list[str]:
    """The choices of `random` and `pick`; one argument is a list of its own."""
    if len(call.arguments) != 1:
        return call.arguments
    whole = call.arguments[0]
    if "::" in whole:
        return [trim(item) for item in whole.split("::")]
    return [trim(item).replace("\\,", ",") for item in _COMMA.split(whole)]


def _random(call: Invocation) -> str:
    items = _items(call)
    if not items:
        return ""
    call.run.record.read("random", "random")
    return items[math.floor(call.run.context.random() * len(items))]


def _pick(call: Invocation) -> str:
    items = _items(call)
    if not items:
        return ""
    run = call.run
    seed = f"{run.chat_hash}-{run.content_hash}-{call.position()}"
    reroll = run.metadata.get("pick_reroll_seed")
    if reroll:
        seed = f"{seed}-{shown(reroll)}"
    hashed, number = seeded_number(seed, False)
    run.picks.append((seed, hashed))
    return items[math.floor(number * len(items))]


def _banned(call: Invocation) -> str:
    word = call.arguments[0]
    word = word.removeprefix('"').removesuffix('"')
    call.run.record.read("setting:api")
    if call.run.context.settings.api == "textgenerationwebui":
        call.run.banned.append(word)
        call.run.record.write("banned")
    return ""


CORE_MACROS = (
    Macro("space", "D", _space, ("#count?",)),
    Macro("newline", "D", _newline, ("#count?",)),
    Macro("noop", "D", _nothing),
    Macro("trim", "DB", _trim, ("content?",)),
    Macro("if", "B", _if, ("condition", "content"), lazy=True),
    Macro("else", "B", _else),
    Macro("reverse", "D", _reverse, ("value",)),
    Macro("//", "D", _nothing, ("comment",), hidden=("comment",)),
    Macro("roll", "R", _roll, ("formula",)),
    Macro("random", "R", _random, ("items...",)),
    Macro("pick", "D", _pick, ("items...",)),
    Macro("banned", "W", _banned, ("word",)),
)
