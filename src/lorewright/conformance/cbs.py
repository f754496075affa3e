"""The suites `cbs-*`: RisuAI's template language, with every switch on. Schema: conformance/risu/README.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import tzinfo
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from lorewright.conformance.outcome import Difference, Outcome, compare
from lorewright.core.protocols import Tools
from lorewright.core.stable import stable_value
from lorewright.templates.cbs import RECORDED, Call, CbsContext, Character, Chat, Module, Program, render
from lorewright.templates.clock import Clock
from lorewright.templates.seeded import utf16_units

__all__ = ["cbs_context", "merged", "read_character", "run_cbs"]

Json = Mapping[str, Any]

_MERGED = frozenset({"character", "chat", "settings", "call", "clock", "screen"})
_SHOWN_UNITS = 120


def run_cbs(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of one file; they need no tools."""
    del tools
    for case in document["cases"]:
        differences = _differences(merged(document["defaults"], case["input"]), case["expect"])
        yield Outcome(suite, file, str(case["id"]), tuple(differences))
    for number, vector in enumerate(document.get("vectors", ())):
        actual = stable_value(vector["counter"], vector["word"])
        yield Outcome(suite, file, f"vector-{number:03}", tuple(compare("value", vector["value"], actual)))


def merged(defaults: Json, given: Json) -> dict[str, Any]:
    """The input of a case over the defaults of its file."""
    result = {**defaults, **given}
    for key in _MERGED & defaults.keys():
        result[key] = {**defaults[key], **given.get(key, {})}
    for path in given.get("remove", ()):
        group, _, name = path.partition(".")
        result[group].pop(name, None)
    return result


def _differences(given: Json, expected: Json) -> Iterator[Difference]:
    text = given["text"] if "text" in given else "".join(piece * count for piece, count in given["repeat"])
    numbers = list(given.get("random", ()))
    used = 0

    def random() -> float:
        nonlocal used
        used += 1
        return numbers[used - 1] if used <= len(numbers) else 0.0

    rendered = render(text, cbs_context(given, random))
    actual: dict[str, Any] = {"output": rendered.text} if "output" in expected else _ends(rendered.text)
    if "randomUsed" in expected:
        actual["randomUsed"] = used
    before = dict(given.get("variables", {}))
    after = dict(rendered.local_variables)
    if "variables" in expected or after != before:
        actual["variables"] = after
    if "derive" in expected:
        actual["derive"] = [{**row, "value": stable_value(row["counter"], row["word"])} for row in expected["derive"]]
    yield from compare("result", dict(expected), actual)


def _ends(text: str) -> dict[str, Any]:
    """A long output is recorded by its length and its two ends, in UTF-16 units."""
    units = "".join(map(chr, utf16_units(text)))
    return {"length": len(units), "head": units[:_SHOWN_UNITS], "tail": units[-_SHOWN_UNITS:]}


@lru_cache
def _zone(name: str) -> tzinfo:
    return ZoneInfo(name)


def cbs_context(given: Json, random: Callable[[], float]) -> CbsContext:
    """The context that the merged input of a case describes."""
    call, chat, settings, screen = (given.get(key, {}) for key in ("call", "chat", "settings", "screen"))
    conditions = call.get("cbsConditions", {})
    return CbsContext(
        user=given["user"],
        persona=given["persona"],
        character=None if given.get("noCharacter") else read_character(given["character"]),
        chat=Chat(
            id=chat.get("id"),
            greeting=chat.get("fmIndex"),
            messages=tuple(chat.get("message", ())),
            lore=tuple(chat.get("localLore", ())),
        ),
        program=Program(
            main_prompt=settings.get("mainPrompt", ""),
            jailbreak=settings.get("jailbreak", ""),
            global_note=settings.get("globalNote", ""),
            jailbreak_on=settings.get("jailbreakToggle", False),
            model=settings.get("aiModel", ""),
            sub_model=settings.get("subModel", ""),
            max_context=settings.get("maxContext", 0),
            default_variables=settings.get("templateDefaultVariables", ""),
            language=settings.get("language", ""),
            browser_language=screen.get("language", ""),
            screen_width=screen.get("width", 0),
            screen_height=screen.get("height", 0),
            models=given.get("models", {}),
        ),
        modules=tuple(map(_module, given.get("modules", ()))),
        trigger=given.get("triggerId"),
        variables=given.get("variables", {}),
        global_variables=given.get("globalVariables", {}),
        clock=Clock(epoch_ms=given["clock"]["epochMs"], zone=_zone(given["clock"]["timeZone"])),
        random=random,
        call=Call(
            message=call.get("chatID", -1),
            speaker=call.get("chara"),
            role=call.get("role"),
            chat_role=conditions.get("chatRole"),
            first_message=bool(conditions.get("firstmsg")),
            writes=bool(call.get("runVar")),
            removes=bool(call.get("rmVar")),
            counts=bool(call.get("tokenizeAccurate")),
            displays=bool(call.get("visualize")),
            consistent_names=bool(call.get("consistantChar")),
            calls=call.get("callStack", 0),
        ),
        switches=RECORDED,
    )


def read_character(given: Json) -> Character:
    return Character(
        name=given.get("name", ""),
        nickname=given.get("nickname", ""),
        id=given.get("chaId"),
        is_group=given.get("type") == "group",
        description=given.get("desc", ""),
        personality=given.get("personality", ""),
        scenario=given.get("scenario", ""),
        examples=given.get("exampleMessage", ""),
        first_message=given.get("firstMessage", ""),
        alternate_greetings=tuple(given.get("alternateGreetings", ())),
        default_variables=given.get("defaultVariables", ""),
        emotions=tuple(row[0] for row in given.get("emotionImages", ())),
        assets=tuple((row[0], row[1]) for row in given.get("additionalAssets", ())),
        excluded_assets=tuple(given.get("prebuiltAssetExclude", ())),
        lore=tuple(given.get("globalLore", ())),
    )


def _module(given: Json) -> Module:
    assets = given.get("assets")
    return Module(
        namespace=given.get("namespace"),
        assets=None if assets is None else tuple(row[0] for row in assets),
        lore=tuple(given.get("lorebook", ())),
    )
