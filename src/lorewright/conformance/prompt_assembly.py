"""The suite `prompt-assembly`: the final message list for chat completion, recorded from SillyTavern 1.19.0.

The schema is in conformance/prompt-assembly/README.md. This module translates between the cases' vocabulary and
`core/layout`; it decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from lorewright.conformance.outcome import Difference, Outcome, compare
from lorewright.conformance.world_info import CodePointCounter
from lorewright.core.layout.defects import SILLYTAVERN_LAYOUT, Defects
from lorewright.core.layout.layout import LaidOut, lay_out
from lorewright.core.layout.scene import (
    Card,
    CharacterNote,
    ChatTexts,
    Group,
    Injection,
    Line,
    Note,
    NotePosition,
    OwnNote,
    Persona,
    PersonaPosition,
    Preferences,
    Scene,
)
from lorewright.core.place import DepthGroup, Example, Placed, Text
from lorewright.core.protocols import Tools
from lorewright.errors import CaseError
from lorewright.formats.things.layout_preset import read_layout_preset
from lorewright.templates.prompt_macros import PromptMacros

__all__ = ["lay_out_case", "run_prompt_assembly"]

Json = Mapping[str, Any]

_CASE_KEYS: Final = {"id", "title", "note", "executed", "input", "expect"}
_INPUT_KEYS: Final = {
    *("type", "user", "settings", "preset", "persona", "chat", "authors_note", "world_info", "extension_prompts"),
    *("card", "group", "quiet_prompt", "skip_wian", "chat_metadata", "automatic_trigger"),
}
_EXPECT_KEYS: Final = {"messages", "error", "overridden_prompts"}
_ROLES: Final = {0: "system", 1: "user", 2: "assistant"}
_POSITIONS: Final[Mapping[int, NotePosition]] = {0: "end", 1: "in_chat", 2: "start"}
_PERSONA: Final[Mapping[int, PersonaPosition]] = {0: "prompt", 2: "above_note", 3: "below_note", 4: "in_chat"}
_OWN_NOTE: Final[Sequence[Literal["replace", "before", "after"]]] = ("replace", "before", "after")
_GROUP_CARDS: Final[Sequence[Literal["swap", "join", "join_muted"]]] = ("swap", "join", "join_muted")


def run_prompt_assembly(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of one file with all defects, the macros and the tokenizer that they were recorded with."""
    del tools
    for case in document["cases"]:
        yield Outcome(suite, file, str(case.get("id", "?")), tuple(_run_case(case)))


def _run_case(case: Json) -> list[Difference]:
    known = {"case": _CASE_KEYS, "input": _INPUT_KEYS, "expect": _EXPECT_KEYS}
    for name, keys in known.items():
        if unknown := set(case if name == "case" else case[name]) - keys:
            return [Difference(name, "known keys only", sorted(unknown))]
    laid = lay_out_case(case["input"], SILLYTAVERN_LAYOUT)
    expected = {"error": None, "overridden_prompts": [], **case["expect"]}
    messages = expected.pop("messages")
    found = [_message(message) for message in laid.messages]
    differences = compare("count", len(messages), len(found))
    for at, (wanted, given) in enumerate(zip(messages, found, strict=False)):
        differences += compare(f"messages.{at}", wanted, given)
    return differences + compare("result", expected, _answer(laid))


def _message(message: Any) -> dict[str, object]:
    plain = {"role": message.role, "content": message.content, "identifier": message.id}
    return {**plain, "name": message.name} if message.name else plain


def _answer(laid: LaidOut) -> Json:
    return {
        "error": "TokenBudgetExceeded" if laid.overrun else None,
        "overridden_prompts": list(laid.overridden),
    }


def lay_out_case(given: Json, defects: Defects) -> LaidOut:
    """Lay out the input of a case."""
    scene = read_scene(given)
    return lay_out(
        scene,
        read_layout_preset({**given["settings"], **given["preset"]}),
        read_lore(given["world_info"]),
        macros=PromptMacros(scene),
        counter=CodePointCounter(),
        defects=defects,
    )


# -- the input of a case -----------------------------------------------------------------------------------------------


def read_scene(given: Json) -> Scene:
    """The scene that a case describes."""
    group = given.get("group")
    members = [_card(card) for card in (group["members"] if group else [given["card"]])]
    speaker = group["speaker"] if group else members[0].name
    card = next((card for card in members if card.name == speaker), None)
    if card is None:
        raise CaseError(f"The speaker `{speaker}` is no member of the group.", speaker=speaker)
    kept = given.get("chat_metadata", {})
    return Scene(
        trigger=given["type"],
        user=given["user"],
        card=card,
        group=_group(group, members) if group else None,
        persona=_persona(given["persona"]),
        chat=tuple(map(_line, given["chat"])),
        note=_note(given["authors_note"]),
        injections=tuple(map(_injection, given["extension_prompts"])),
        chat_texts=ChatTexts(
            scenario=kept.get("scenario", ""),
            examples=kept.get("mes_example", ""),
            system_prompt=kept.get("system_prompt", ""),
        ),
        quiet_prompt=given.get("quiet_prompt", ""),
        without_lore=given.get("skip_wian", False),
        sent_nothing=not given.get("automatic_trigger", False),
        preferences=_preferences(given["settings"]),
    )


def _preferences(settings: Json) -> Preferences:
    return Preferences(
        pin_examples=settings["pin_examples"],
        strip_examples=settings["strip_examples"],
        card_system_prompt=settings["prefer_character_prompt"],
        card_post_history=settings["prefer_character_jailbreak"],
        collapse_newlines=settings["collapse_newlines"],
        bias=settings["user_prompt_bias"],
    )


def _card(given: Json) -> Card:
    note = given.get("depth_prompt", {})
    return Card(
        name=given["name"],
        description=given.get("description", ""),
        personality=given.get("personality", ""),
        scenario=given.get("scenario", ""),
        examples=given.get("mes_example", ""),
        system_prompt=given.get("system_prompt", ""),
        post_history=given.get("post_history_instructions", ""),
        note=CharacterNote(note.get("prompt", ""), note.get("depth", 4), note.get("role", "system")),
    )


def _group(given: Json, members: Sequence[Card]) -> Group:
    return Group(
        members=tuple(members),
        muted=frozenset(given["disabled"]),
        cards=_GROUP_CARDS[given["generation_mode"]],
        prefix=given["join_prefix"],
        suffix=given["join_suffix"],
    )


def _persona(given: Json) -> Persona:
    return Persona(
        text=given["description"],
        position=_PERSONA.get(given["position"], "none"),
        depth=given["depth"],
        role=_role(given["role"]),
    )


def _line(given: Json) -> Line:
    extra = given.get("extra", {})
    return Line(
        name=given["name"],
        text=given["mes"],
        is_user=given["is_user"],
        hidden=given.get("is_system", False),
        narrator=extra.get("type") == "narrator",
        named=bool(given.get("force_avatar")),
        bias=extra.get("bias", ""),
    )


def _note(given: Json) -> Note:
    own = given.get("chara")
    return Note(
        text=given["text"],
        position=_POSITIONS.get(given["position"], "none"),
        depth=given["depth"],
        role=_role(given["role"]),
        interval=given["interval"],
        own=OwnNote(own["prompt"], _OWN_NOTE[own["position"]]) if own else None,
    )


def _injection(given: Json) -> Injection:
    return Injection(
        key=given["key"],
        text=given["value"],
        position=_POSITIONS.get(given["position"], "none"),
        depth=given["depth"],
        role=_role(given["role"]),
        allowed=given.get("filter", True),
    )


def _role(given: int) -> str:
    return _ROLES.get(given, str(given))


def read_lore(given: Json) -> Placed:
    """The result lists of a scan. Entries have no ids in a case, so they are named by their places."""

    def texts(where: str, listed: Sequence[str]) -> tuple[Text, ...]:
        return tuple(Text(f"{where}.{at}", text) for at, text in enumerate(listed))

    return Placed(
        before=texts("before", given["before"]),
        after=texts("after", given["after"]),
        note_top=texts("note_top", given["an_top"]),
        note_bottom=texts("note_bottom", given["an_bottom"]),
        at_depth=tuple(
            DepthGroup(group["depth"], group["role"], texts(f"depth.{at}", group["entries"]))
            for at, group in enumerate(given["depth"])
        ),
        examples=tuple(
            Example(one["where"], Text(f"example.{at}", one["content"])) for at, one in enumerate(given["examples"])
        ),
        outlets={name: texts(f"outlet.{name}", listed) for name, listed in given["outlets"].items()},
    )
