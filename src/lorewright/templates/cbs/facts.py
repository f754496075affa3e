"""Macros that name things: the speakers, the fields of the character, settings and facts of the program."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Final

from lorewright.core.javascript import number_text
from lorewright.templates.cbs.state import Given, Macro
from lorewright.templates.cbs.values import Thrown, list_text
from lorewright.templates.context import Json

__all__ = ["FACTS"]


def char(given: Given) -> str:
    context = given.run.context
    if context.call.consistent_names:
        return "botname"
    given.run.record.read("name:char", None)
    character = context.character
    if character is not None and not character.is_group:
        return character.nickname or character.name
    if character is not None:
        given.run.record.read("chat")
    speaker = given.reading.speaker()
    if speaker is not None:
        return speaker
    return character.name if character else ""


def user(given: Given) -> str:
    if given.run.context.call.consistent_names:
        return "username"
    given.run.record.read("name:user", None)
    return given.run.context.user


def trigger_id(given: Given) -> str:
    given.run.record.read("call:trigger")
    trigger = given.run.context.trigger
    return "null" if trigger is None else trigger


def card_field(field: str) -> Callable[[Given], str]:
    """A macro that reads a text of the card as a call of its own; a group has none."""
    get = attrgetter(field)

    def read(given: Given) -> str:
        given.run.record.read(f"card:{field}", None)
        character = given.run.character()
        return "" if character.is_group else given.reading.parse(get(character))

    return read


def own_text(name: str, path: str) -> Callable[[Given], str]:
    """A macro that reads a text of the context as a call of its own."""
    get = attrgetter(path)

    def read(given: Given) -> str:
        given.run.record.read(name, None if name == "persona" else "state")
        return given.reading.parse(get(given.run.context))

    return read


def fact(name: str, path: str) -> Callable[[Given], str]:
    """A macro that shows a value of the context; a truth value as `1` or `0`."""
    get = attrgetter(path)

    def read(given: Given) -> str:
        given.run.record.read(name)
        value = get(given.run.context)
        return flag(value) if isinstance(value, bool) else str(value)

    return read


def prefill_supported(given: Given) -> str:
    given.run.record.read("setting:model")
    return flag(given.run.context.program.model.startswith("claude"))


def flag(value: bool) -> str:
    return "1" if value else "0"


def role(given: Given) -> str:
    given.run.record.read("call:role")
    call = given.run.context.call
    if call.chat_role:
        return call.chat_role
    if call.first_message:
        return "char"
    if call.message != -1:
        messages = given.run.messages()
        if not 0 <= call.message < len(messages):
            raise Thrown
        return str(messages[call.message].get("role"))
    return "null" if call.role is None else call.role


def first_message_index(given: Given) -> str:
    given.run.record.read("chat:greeting")
    given.run.character()
    greeting = given.run.context.chat.greeting
    if greeting is None:
        raise Thrown
    return str(greeting)


def emotion_list(given: Given) -> str:
    given.run.record.read("card:emotions", None)
    character = given.run.context.character
    return "" if character is None else list_text(character.emotions)


def asset_list(given: Given) -> str:
    given.run.record.read("card:assets", None)
    character = given.run.context.character
    return "" if character is None or character.is_group else list_text([name for name, _ in character.assets])


def shown_assets(given: Given) -> str:
    given.run.record.read("card:assets", None)
    character = given.run.context.character
    if character is None or character.is_group:
        return ""
    return list_text([name for name, path in character.assets if path not in character.excluded_assets])


def module_enabled(given: Given) -> str:
    given.run.record.read("modules")
    wanted = given.get(0)
    return flag(any(module.namespace == wanted for module in given.run.context.modules))


def module_assets(given: Given) -> str:
    given.run.record.read("modules")
    wanted = given.get(0)
    module = next((each for each in given.run.context.modules if each.namespace == wanted), None)
    if module is None:
        return ""
    if module.assets is None:
        raise Thrown
    return list_text(module.assets)


def metadata(given: Given) -> Json:
    wanted = given.need(0)
    program = given.run.context.program
    given.run.record.read("setting:program")
    model = program.models.get(program.model, {})
    names = [name for name in (model.get("id"), program.model) if name is not None]
    match wanted.lower():
        case "mobile" | "local" | "node":
            return "0"
        case "version":
            return program.version
        case "majorversion" | "majorver" | "major":
            return program.version.split(".")[0]
        case "language" | "locale" | "lang":
            return program.language
        case "browserlanguage" | "browserlocale" | "browserlang":
            return program.browser_language
        case "modelshortname":
            return next(name for name in (model.get("shortName"), model.get("name"), *names) if name is not None)
        case "modelname":
            return next(name for name in (model.get("name"), *names) if name is not None)
        case "modelinternalid":
            return next(name for name in (model.get("internalID"), *names) if name is not None)
        case "modelformat" | "modelprovider" | "modeltokenizer":
            return number_text(model.get(wanted.lower().removeprefix("model"), 0))
        case "risutype":
            return "web"
        case "maxcontext":
            return str(program.max_context)
        case "imateapot":
            return "🫖"
    return f"Error: {wanted} is not a valid metadata key."


FACTS: Final = (
    Macro("char", "", "constant", char, ("bot",)),
    Macro("user", "", "constant", user),
    Macro("triggerid", "", "state", trigger_id),
    Macro("personality", "", "constant", card_field("personality"), ("charpersona",)),
    Macro("description", "", "constant", card_field("description"), ("chardesc",)),
    Macro("scenario", "", "constant", card_field("scenario")),
    Macro("exampledialogue", "", "constant", card_field("examples"), ("examplemessage",)),
    Macro("persona", "", "constant", own_text("persona", "persona"), ("userpersona",)),
    Macro("mainprompt", "", "state", own_text("setting:main_prompt", "program.main_prompt"), ("systemprompt",)),
    Macro("jb", "", "state", own_text("setting:jailbreak", "program.jailbreak"), ("jailbreak",)),
    Macro("globalnote", "", "state", own_text("setting:global_note", "program.global_note"), ("systemnote", "ujb")),
    Macro("chatindex", "", "state", fact("call:message", "call.message")),
    Macro("firstmsgindex", "", "state", first_message_index, ("firstmessageindex",)),
    Macro("model", "", "state", fact("setting:model", "program.model")),
    Macro("axmodel", "", "state", fact("setting:sub_model", "program.sub_model")),
    Macro("role", "", "state", role),
    Macro("isfirstmsg", "", "state", fact("call:first_message", "call.first_message"), ("isfirstmessage",)),
    Macro("jbtoggled", "", "state", fact("setting:jailbreak_on", "program.jailbreak_on")),
    Macro("maxcontext", "", "state", fact("setting:max_context", "program.max_context")),
    Macro("prefillsupported", "", "state", prefill_supported, ("prefill",)),
    Macro("screenwidth", "", "state", fact("setting:screen", "program.screen_width")),
    Macro("screenheight", "", "state", fact("setting:screen", "program.screen_height")),
    Macro("emotionlist", "", "constant", emotion_list),
    Macro("assetlist", "", "constant", asset_list),
    Macro("chardisplayasset", "", "constant", shown_assets),
    Macro("moduleenabled", "namespace", "state", module_enabled),
    Macro("moduleassetlist", "namespace", "state", module_assets),
    Macro("metadata", "key", "state", metadata),
)
