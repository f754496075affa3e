"""What a host knows beside the turn, and macros show: settings of its program, more of the card, the group.

A fact is a row of `HOST_FACTS`: a name, what its value may be, and where SillyTavern's macros and RisuAI's read it. The
values are data of the turn (`Turn.host_facts`), so a ledger keeps them and a replay renders the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

from lorewright.core.written import written
from lorewright.errors import InputError
from lorewright.templates.context import Card, ChatMessage, Context, Group, Json, Member

if TYPE_CHECKING:
    from lorewright.templates.cbs import CbsContext

__all__ = ["HOST_FACTS", "HostFact", "Kind", "check_facts", "fill_cbs", "fill_sillytavern"]

Kind: TypeAlias = Literal["text", "number", "yes or no", "texts", "texts by name", "members", "date", "anything"]

T = TypeVar("T")
Fill: TypeAlias = "str | Callable[[Any, Json], Any] | None"
"""The path of a field in a context, or how a value changes the context. None: these macros do not read it."""

_OF_MEMBER: Final = frozenset({"description", "personality", "scenario", "examples", "avatar"})
"""What a member of a group can have of a card."""
_PARTS_OF_REASONING: Final = ("prefix", "suffix", "separator")
_MOST: Final = 1_000
"""Items of a list."""
_LARGEST: Final = 10**15


@dataclass(frozen=True, slots=True)
class HostFact:
    """A fact that a host can tell. `choices`: the only texts it may be; `names`: the only ones its texts may have."""

    kind: Kind
    sillytavern: Fill = None
    cbs: Fill = None
    choices: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def _put(value: Any, path: str, new: Json) -> Any:
    """A value of nested records with one field changed."""
    name, _, rest = path.partition(".")
    if isinstance(value, Mapping):
        return {**value, name: new}
    inner = getattr(value, name)
    if rest and inner is None:
        inner = {"card": Card, "group": Group}[name]()
    return replace(value, **{name: _put(inner, rest, new) if rest else new})


def _members(context: Context, listed: list[Json]) -> Context:
    return _filled(context, "group.members", tuple(map(_member, listed)))


def _member(written: Json) -> Member:
    if isinstance(written, str):
        return Member(written)
    texts = {name: text for name, text in written.items() if name in _OF_MEMBER}
    return Member(written["name"], written.get("muted", False), Card(**texts) if texts else None)


def _sent(context: Context, sent: Json) -> Context:
    """Only how long the user has been silent is asked for, so one date does for all messages."""
    return replace(context, chat=tuple(replace(message, sent=sent) for message in context.chat))


def _newest(change: Callable[[ChatMessage, int], ChatMessage]) -> Fill:
    """A fact of the newest message."""

    def fill(context: Context, number: int) -> Context:
        *older, newest = context.chat or (None,)
        return context if newest is None else replace(context, chat=(*older, change(newest, number)))

    return fill


def _reasoning(context: Context, parts: Mapping[str, str]) -> Context:
    found = tuple(parts.get(name, "") for name in _PARTS_OF_REASONING)
    return _filled(context, "settings.reasoning", found)


def _instruct(context: Context, sequences: Mapping[str, str]) -> Context:
    return _filled(_filled(context, "settings.instruct.sequences", sequences), "settings.instruct.enabled", True)


def _image(place: int) -> Fill:
    def fill(context: Context, text: str) -> Context:
        prefix = list(context.settings.image_prefix)
        prefix[place] = text
        return _filled(context, "settings.image_prefix", tuple(prefix))

    return fill


def _modules(context: CbsContext, names: list[str]) -> CbsContext:
    from lorewright.templates.cbs import Module

    return replace(context, modules=tuple(map(Module, names)))


def _assets(context: CbsContext, names: list[str]) -> CbsContext:
    return _filled(context, "character.assets", tuple((name, name) for name in names))


def _filled(context: T, fill: Fill, value: Json) -> T:
    """A context with one fact in it."""
    if fill is None:
        return context
    found: T = (
        _put(context, fill, tuple(value) if isinstance(value, list) else value)
        if isinstance(fill, str)
        else fill(context, value)
    )
    return found


HOST_FACTS: Final[Mapping[str, HostFact]] = {
    # more of the card
    "first_message": HostFact("text", "card.first_message", "character.first_message"),
    "alternate_greetings": HostFact("texts", "card.alternate_greetings", "character.alternate_greetings"),
    "examples": HostFact("text", "card.examples", "character.examples"),
    "card_prompt": HostFact("text", "card.system_prompt"),
    "card_instruction": HostFact("text", "card.post_history"),
    "card_version": HostFact("text", "card.version"),
    "nickname": HostFact("text", None, "character.nickname"),
    "character_id": HostFact("text", None, "character.id"),
    "character_variables": HostFact("text", None, "character.default_variables"),
    "emotions": HostFact("texts", None, "character.emotions"),
    "assets": HostFact("texts", None, _assets),
    # the chat
    "group": HostFact("members", _members, lambda context, _: _filled(context, "character.is_group", True)),
    "group_cards": HostFact("text", "group.cards", None, ("swap", "join", "join_muted")),
    "user_wrote": HostFact("date", _sent),
    "swipes": HostFact("number", _newest(lambda newest, number: replace(newest, swipes=number))),
    "swipe": HostFact("number", _newest(lambda newest, number: replace(newest, swipe=number - 1))),
    "first_included": HostFact("number", "metadata.lastInContextMessageId"),
    "first_displayed": HostFact("number", "settings.first_displayed"),
    "summary": HostFact("text", "settings.summary"),
    "chat_scenario": HostFact("text", "metadata.scenario"),
    "chat_prompt": HostFact("text", "metadata.system_prompt"),
    "chat_examples": HostFact("text", "metadata.mes_example"),
    "main_chat": HostFact("text", "metadata.main_chat"),
    "chat_hash": HostFact("number", "metadata.chat_id_hash"),
    "pick_seed": HostFact("anything", "metadata.pick_reroll_seed"),
    # the program
    "api": HostFact("text", "settings.api"),
    "model": HostFact("text", "settings.model", "program.model"),
    "second_model": HostFact("text", None, "program.sub_model"),
    "max_context": HostFact("number", "settings.max_context", "program.max_context"),
    "max_response": HostFact("number", "settings.max_response"),
    "input": HostFact("text", "settings.input"),
    "generation_type": HostFact("text", "settings.generation_type"),
    "mobile": HostFact("yes or no", "settings.mobile"),
    "extensions": HostFact("texts", "settings.extensions"),
    "disabled_extensions": HostFact("texts", "settings.disabled_extensions"),
    "modules": HostFact("texts", None, _modules),
    "language": HostFact("text", None, "program.language"),
    "screen_width": HostFact("number", None, "program.screen_width"),
    "screen_height": HostFact("number", None, "program.screen_height"),
    "clicked": HostFact("text", None, "trigger"),
    # the user's own texts
    "system_prompt": HostFact("text", "settings.system_prompt", "program.main_prompt"),
    "prefer_card_prompt": HostFact("yes or no", "settings.prefer_card_prompt"),
    "prefer_card_instruction": HostFact("yes or no", "settings.prefer_card_instruction"),
    "jailbreak": HostFact("text", None, "program.jailbreak"),
    "jailbreak_on": HostFact("yes or no", None, "program.jailbreak_on"),
    "global_note": HostFact("text", None, "program.global_note"),
    "preset_variables": HostFact("text", None, "program.default_variables"),
    "note": HostFact("text", "settings.notes.chat"),
    "character_note": HostFact("text", "settings.notes.character"),
    "default_note": HostFact("text", "settings.notes.default"),
    "collapse_newlines": HostFact("yes or no", "settings.collapse_newlines"),
    "example_separator": HostFact("text", "settings.example_separator"),
    "chat_start": HostFact("text", "settings.chat_start"),
    "reasoning": HostFact("texts by name", _reasoning, names=_PARTS_OF_REASONING),
    "instruct": HostFact("texts by name", _instruct),
    "instruct_names": HostFact("text", "settings.instruct.names", None, ("none", "force", "always")),
    "instruct_macros": HostFact("yes or no", "settings.instruct.macro"),
    "instruct_wrap": HostFact("yes or no", "settings.instruct.wrap"),
    "skip_examples": HostFact("yes or no", "settings.instruct.skip_examples"),
    # pictures
    "expressions": HostFact("texts", "settings.expressions.known"),
    "custom_expressions": HostFact("texts", "settings.expressions.custom"),
    "default_expression": HostFact("text", "settings.expressions.fallback"),
    "last_expressions": HostFact("texts by name", "settings.expressions.last"),
    "image_prefix": HostFact("text", _image(0)),
    "image_negative": HostFact("text", _image(1)),
}


def fill_sillytavern(context: Context, facts: Mapping[str, object]) -> Context:
    """What SillyTavern's macros read, with what the host tells. Facts that they do not read change nothing."""
    for name, value in facts.items():
        context = _filled(context, HOST_FACTS[name].sillytavern if name in HOST_FACTS else None, value)
    return context


def fill_cbs(context: CbsContext, facts: Mapping[str, object]) -> CbsContext:
    """The same for RisuAI's."""
    for name, value in facts.items():
        context = _filled(context, HOST_FACTS[name].cbs if name in HOST_FACTS else None, value)
    return context


def check_facts(value: object) -> Mapping[str, object]:
    """Facts that somebody wrote, as `Turn.host_facts` takes them.

    Raises:
        InputError: it is no mapping, a name is unknown or a value is not of its kind; all that is wrong at once.
    """
    if not isinstance(value, Mapping):
        raise InputError('Facts are a mapping of names to values, such as {"model": "my-model", "max_response": 300}.')
    problems = [problem for name, given in value.items() if (problem := _problem(_name(name), given))]
    if not all(_name(name) in HOST_FACTS for name in value):
        problems.append(f"The facts are {', '.join(sorted(HOST_FACTS))}.")
    if problems:
        raise InputError(" ".join(problems))
    return dict(value)


def _name(name: object) -> str:
    return name if isinstance(name, str) else written(name)


def _problem(name: str, value: object) -> str:
    """What is wrong with a fact, as a sentence."""
    fact = HOST_FACTS.get(name)
    if fact is None:
        from difflib import get_close_matches

        near = get_close_matches(name[:40], HOST_FACTS, 1)
        meant = f" Did you mean `{near[0]}`?" if near else ""
        return f"There is no fact `{name[:40]}`.{meant}"
    if fact.choices and value not in fact.choices:
        return f"`{name}` is one of {', '.join(fact.choices)}, not {written(value):.40}."
    if not _KINDS[fact.kind](value):
        return f"`{name}` takes {_WANTED.get(fact.kind, f'a {fact.kind}')}, not {written(value):.40}."
    if fact.names and isinstance(value, Mapping) and (strange := [one for one in value if one not in fact.names]):
        return f"`{name}` has the texts {', '.join(fact.names)}, and none with the name {written(strange[0]):.40}."
    return ""


_WANTED: Final[Mapping[str, str]] = {
    "number": "a whole number",
    "yes or no": "true or false",
    "texts": "a list of texts",
    "texts by name": "texts by name",
    "members": "a list of members, each a name or a mapping of `name`, `muted` (true or false) and the texts "
    "`description`, `personality`, `scenario`, `examples` and `avatar`",
    "date": "a date as text, or milliseconds since 1970",
    "anything": "a text or a number",
}


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _LARGEST


def _is_member(value: object) -> bool:
    if not isinstance(value, Mapping):
        return isinstance(value, str)
    texts = {name: given for name, given in value.items() if name != "muted"}
    return (
        isinstance(value.get("name"), str)
        and isinstance(value.get("muted", False), bool)
        and all(isinstance(given, str) and (name == "name" or name in _OF_MEMBER) for name, given in texts.items())
    )


_KINDS: Final[Mapping[Kind, Callable[[Any], bool]]] = {
    "text": _is_text,
    "number": _is_number,
    "yes or no": lambda value: isinstance(value, bool),
    "texts": lambda value: isinstance(value, list) and len(value) <= _MOST and all(map(_is_text, value)),
    "texts by name": lambda value: isinstance(value, Mapping) and all(map(_is_text, value.values())),
    "members": lambda value: isinstance(value, list) and len(value) <= _MOST and all(map(_is_member, value)),
    "date": lambda value: _is_text(value) or _is_number(value),
    "anything": lambda value: _is_text(value) or _is_number(value),
}
