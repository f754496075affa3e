"""The suites of SillyTavern's macro engines, recorded from 1.19.0.

The schema is in conformance/macros/README.md. This module translates between the cases' vocabulary and `templates/`;
it decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from lorewright.conformance.outcome import Difference, Outcome, compare
from lorewright.core.protocols import Tools
from lorewright.errors import CaseError
from lorewright.templates import legacy
from lorewright.templates.context import (
    Call,
    Card,
    ChatMessage,
    Clock,
    Context,
    Expressions,
    Group,
    Instruct,
    Member,
    Notes,
    Settings,
)
from lorewright.templates.rendered import Rendered
from lorewright.templates.seeded import text_hash, utf16_length
from lorewright.templates.sillytavern import Limits, render

__all__ = ["EXCEPTED", "read_context", "read_input", "read_variables", "run_new_engine", "run_old_engine"]

Json = Mapping[str, Any]

EXCEPTED: Final = {
    "RangeError": "The program runs out of stack and the error leaves the call, at a depth that depends on the machine. "
    "Ours answers: macros that are nested too deep, or never closed, stay as text.",
    "TypeError": "A regex script inserts the object of all named groups, and the error leaves the call. Ours leaves the "
    "text as it is, and a report says so.",
}
"""Recorded errors that are not to be repeated, with the reason; such a case passes if there is an answer."""

_LIMITS: Final = Limits(nesting=120)
"""The recorded engine has no limit; the deepest case that it survives is nested 80 deep."""

_MERGED: Final = frozenset(
    "card clock instruct sysprompt contextTemplate reasoning authorsNote summary expressions imagePrefix".split()
)
_STUB_MODELS: Final = {"novel": "kayra-v1", "koboldhorde": "horde-model"}
_LONGEST: Final = 400
_SHOWN: Final = 60
_CARD_FIELDS: Final = {
    "description": "description",
    "personality": "personality",
    "scenario": "scenario",
    "first_mes": "first_message",
    "mes_example": "examples",
    "system_prompt": "system_prompt",
    "post_history_instructions": "post_history",
    "depth_prompt": "depth_prompt",
    "creator_notes": "creator_notes",
    "character_version": "version",
    "avatar": "avatar",
}


def run_new_engine(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of one file; they need no tools."""
    del tools
    return _run(document, suite, file, lambda text, context: render(text, context, _LIMITS))


def run_old_engine(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of the old engine, with its unsafe defect that macros in values run, which is off otherwise."""
    del tools
    defects = legacy.Defects(values_are_scanned=True)
    return _run(document, suite, file, lambda text, context: legacy.render(text, context, defects=defects))


def _run(document: Json, suite: str, file: str, answer: Callable[[str, Context], Rendered]) -> Iterator[Outcome]:
    for case in document["cases"]:
        given = read_input(document.get("defaults", {}), case["input"])
        yield Outcome(suite, file, str(case.get("id", "?")), tuple(_check(case, given, answer)))


def _check(case: Json, given: Json, answer: Callable[[str, Context], Rendered]) -> list[Difference]:
    used: list[float] = []
    try:
        rendered = answer(_text(given["text"]), read_context(given, used))
    except (CaseError, StopIteration, RuntimeError, KeyError, TypeError, ValueError) as error:
        return [Difference("result", "an answer", f"{type(error).__name__}: {error}")]
    if "expect_error" in case:
        name = case["expect_error"]["name"]
        return [] if name in EXCEPTED else [Difference("result", name, rendered.text)]
    expected = dict(case["expect"])
    metadata = {**given["chatMetadata"], **rendered.metadata}
    expected.setdefault("chatMetadata", given["chatMetadata"])
    expected["variables"] = {scope: read_variables(values) for scope, values in expected["variables"].items()}
    expected.setdefault("banned", [])
    expected.setdefault("pickSeeds", [])
    return compare("result", expected, _answer(rendered, len(used), metadata, expected["output"]))


def _answer(rendered: Rendered, used: int, metadata: Json, wanted: object) -> Json:
    return {
        "output": _digest(rendered.text) if isinstance(wanted, dict) else rendered.text,
        "variables": {
            "local": read_variables(rendered.local_variables),
            "global": read_variables(rendered.global_variables),
        },
        "randomUsed": used,
        "banned": list(rendered.banned),
        "chatMetadata": metadata,
        "pickSeeds": [{"string": seed, "hash": hashed} for seed, hashed in rendered.picks],
    }


def _digest(text: str) -> Json:
    length = utf16_length(text)
    assert length > _LONGEST
    return {"length": length, "stringHash": text_hash(text), "head": text[:_SHOWN], "tail": text[-_SHOWN:]}


# -- the input of a case -------------------------------------------------------------------------------------------


def read_input(defaults: Json, given: Json) -> Json:
    """A case's input over the file's defaults; some keys are merged one level deep."""
    found = {**defaults, **given}
    for key in _MERGED & given.keys() & defaults.keys():
        if isinstance(given[key], Mapping) and isinstance(defaults[key], Mapping):
            found[key] = {**defaults[key], **given[key]}
    return found


def _text(recipe: Any) -> str:
    if isinstance(recipe, str):
        return recipe
    return "".join(piece * count for piece, count in recipe["repeat"])


def read_context(given: Json, used: list[float]) -> Context:
    """The context of a case. Every random number that is taken is appended to `used`."""
    numbers = iter(given["random"])

    def draw() -> float:
        number = next(numbers)
        used.append(number)
        return float(number)

    card = _card(given["card"])
    return Context(
        user=given["user"],
        char=given["char"],
        card=card,
        persona=given["persona"],
        group=_group(given["group"]),
        chat=tuple(_message(message) for message in given["chat"]),
        chat_id=given["chatId"] if card or given["group"] else None,
        metadata=given["chatMetadata"],
        outlets=given["outlets"],
        local_variables=read_variables(given["variables"]["local"]),
        global_variables=read_variables(given["variables"]["global"]),
        clock=Clock(given["clock"]["epochMs"], given["clock"]["utcOffsetMinutes"]),
        random=draw,
        settings=_settings(given),
        call=_call(given["call"]),
    )


def _card(given: Json | None) -> Card | None:
    if given is None:
        return None
    texts = {ours: given.get(theirs) or "" for theirs, ours in _CARD_FIELDS.items()}
    return Card(alternate_greetings=tuple(given.get("alternate_greetings") or ()), **texts)


def _group(given: Json | None) -> Group | None:
    if given is None:
        return None
    members = (
        Member(
            member["name"],
            bool(member.get("muted")),
            _card({**(member.get("card") or {}), "avatar": member.get("avatar")}) if "card" in member else None,
        )
        for member in given["members"]
    )
    modes: tuple[Any, ...] = ("swap", "join", "join_muted")
    return Group(tuple(members), modes[given.get("generation_mode", 0)])


def _message(given: Json) -> ChatMessage:
    return ChatMessage(
        given["name"],
        given["mes"],
        is_user=bool(given.get("is_user")),
        hidden=bool(given.get("is_system")),
        sent=given.get("send_date"),
        swipes=len(given["swipes"]) if "swipes" in given else None,
        swipe=given.get("swipe_id"),
        summary=(given.get("extra") or {}).get("memory") or "",
    )


def read_variables(given: Json) -> Json:
    """Variables of a case; a whole number that no double holds exactly is the nearest double."""
    return {name: _value(value) for name, value in given.items()}


def _value(value: Any) -> Any:
    if isinstance(value, dict) and "$number" in value:
        return float(value["$number"])
    return float(value) if type(value) is int and abs(value) >= 2**53 else value


def _settings(given: Json) -> Settings:
    api = given["api"]
    started = given["generationType"]
    instruct, prompt, reasoning = given["instruct"], given["sysprompt"], given["reasoning"]
    notes, faces, image = given["authorsNote"], given["expressions"], given["imagePrefix"]
    return Settings(
        api=api,
        model=str(_STUB_MODELS.get(api, given["model"])),
        max_context=given["maxContext"],
        max_response=given["maxResponse"],
        input=given["textarea"],
        mobile=given["isMobile"],
        generation_type=(started["type"] or "normal") if started and not started.get("dryRun") else "",
        first_displayed=given["firstDisplayedMessageId"],
        extensions=tuple(given["extensions"]),
        disabled_extensions=tuple(given["disabledExtensions"]),
        instruct=Instruct(
            enabled=bool(instruct.get("enabled")),
            macro=bool(instruct.get("macro")),
            wrap=bool(instruct.get("wrap")),
            skip_examples=bool(instruct.get("skip_examples")),
            names=instruct.get("names_behavior", "force"),
            sequences={key: value for key, value in instruct.items() if isinstance(value, str)},
        ),
        system_prompt=prompt["content"] if prompt["enabled"] else None,
        prefer_card_prompt=given["preferCharacterPrompt"],
        prefer_card_instruction=given["preferCharacterInstruction"],
        collapse_newlines=given["collapseNewlines"],
        example_separator=given["contextTemplate"]["example_separator"],
        chat_start=given["contextTemplate"]["chat_start"],
        reasoning=(reasoning["prefix"], reasoning["suffix"], reasoning["separator"]),
        notes=Notes(notes["chat"] or "", notes["character"] or "", notes["default"] or ""),
        summary=given["summary"]["box"],
        expressions=Expressions(tuple(faces["list"]), tuple(faces["custom"]), faces["fallback"] or "", faces["last"]),
        image_prefix=(image["positive"], image["negative"]),
    )


_POST_PROCESS: Final[dict[str, Callable[[str], str]]] = {
    "brackets": lambda text: f"[{text}]",
    "escapeRegex": lambda text: "".join(f"\\{c}" if c in "/-\\^$*+?.()|[]{}" else c for c in text),
}


def _call(given: Json) -> Call:
    return Call(
        user=given.get("name1Override"),
        char=given.get("name2Override"),
        group=given.get("groupOverride"),
        original=given.get("original"),
        card=given.get("replaceCharacterCard", True),
        dynamic=given.get("dynamicMacros") or {},
        post_process=_POST_PROCESS[given["postProcess"]] if "postProcess" in given else None,
    )
