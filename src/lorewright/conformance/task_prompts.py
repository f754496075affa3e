"""The suites `prompt_builder` and `payload` of seed 000: the prompt of a task, and what is sent of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from lorewright.conformance.outcome import Outcome, compare
from lorewright.conformance.task_host import HostShelf, host_books, host_scene
from lorewright.conformance.tasks import show_notes
from lorewright.core.protocols import Tools
from lorewright.mvu.sanitize import Blocked
from lorewright.tasks.blocks import lore_names
from lorewright.tasks.lore import TaskLore, join_texts
from lorewright.tasks.messages import REGEX_SOURCES, RenderedBlock, TaskMessage
from lorewright.tasks.payload import Payload, PromptParts, make_payload, parts_of
from lorewright.tasks.prompt import TaskPrompt, TaskRequest, build_task_prompt
from lorewright.tasks.runway import choose_runway
from lorewright.tasks.settings import read_task_settings
from lorewright.tasks.world import TaskTools
from lorewright.templates.ejs import Sandbox

__all__ = ["run_payloads", "run_prompts"]

Json = Mapping[str, Any]

_SUPERSEDED: Final = frozenset(("private-fallback-custom",))
"""The seed sends the messages of the fallback untouched (case seed/private-fallback-custom-all-untouched)."""


def run_prompts(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of one file; all books are trusted, and the host has no lodash."""
    with Sandbox() as sandbox:
        for case in document["cases"]:
            given = case["input"]
            host = given["host"]
            request = TaskRequest(
                task=given["taskType"],
                settings=given["settings"],
                context=given["context"],
                books=host_books(host),
                scene=host_scene(host),
            )
            task_tools = TaskTools(tools.regexes, sandbox, frozenset(host["worldbooks"]), lodash=False)
            prompt = build_task_prompt(request, HostShelf(host), task_tools)
            payload = make_payload(parts_of(prompt), given.get("fallbackUserPrompt") or "")
            answer = {**_prompt(prompt), "payload": _payload(payload)}
            yield Outcome(suite, file, str(case.get("id", "?")), tuple(compare("result", case["expected"], answer)))


def run_payloads(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome | str]:
    """Run the cases of one file; the one that the seed overrules is information."""
    del tools
    for case in document["cases"]:
        given = case["input"]
        parts = PromptParts(
            messages=list(map(_message, given["executionMessages"])),
            private=list(map(_message, given["privateTaskMessages"])),
            system=given["systemPrompt"],
            blocked=Blocked.of(given["blockedContents"]),
            runway=choose_runway(read_task_settings({"worldInfoFilterMode": given["mode"]})),
        )
        payload = make_payload(parts)
        answer = {
            "systemPrompt": payload.system,
            "userPrompt": payload.user,
            "promptMessages": [{"role": m.role, "content": m.content} for m in payload.messages],
            "additionalMessages": [{"role": m.role, "content": m.content} for m in payload.private],
            "fallbackUserPromptSource": payload.user_source,
        }
        name = str(case.get("id", "?"))
        differences = tuple(compare("result", case["expected"], answer))
        if name in _SUPERSEDED:
            yield f"{file}: information: the seed overrules {name}; {len(differences)} differences"
        else:
            yield Outcome(suite, file, name, differences)


def _prompt(prompt: TaskPrompt) -> Json:
    return {
        "systemPrompt": prompt.system,
        "executionMessages": list(map(_shown, prompt.messages)),
        "privateTaskMessages": list(map(_shown, prompt.private)),
        "renderedBlocks": list(map(_block, prompt.blocks)),
        "hostInjectionPlan": _plan(prompt),
        "worldInfo": {
            "beforeText": join_texts(prompt.lore.before),
            "afterText": join_texts(prompt.lore.after),
            "activatedEntryNames": lore_names(prompt.lore),
        },
        "debug": {
            "worldInfoRequested": prompt.world_read,
            "worldInfoBeforeCount": len(prompt.lore.before),
            "worldInfoAfterCount": len(prompt.lore.after),
            "worldInfoAtDepthCount": len(prompt.lore.at_depth),
            "effectiveDelivery": {
                "profileBlocks": "ordered-private-messages",
                "worldInfoBeforeAfter": "inline-in-ordered-messages",
                "worldInfoAtDepth": "inserted-into-chat-messages-by-depth"
                if prompt.depth_in_chat
                else "appended-private-messages-fallback",
            },
            "mvu": {
                "sanitizedFieldCount": len(prompt.log.notes),
                "sanitizedFields": show_notes(prompt.log.notes),
                "finalMessageStripCount": len(prompt.cuts),
                "worldInfoBlockedContentHits": sum(cut.blocked_hits for cut in prompt.cuts),
                "sanitizerAppliedFields": prompt.log.names,
                "sanitizerHitKinds": prompt.log.kinds,
            },
        },
    }


def _shown(message: TaskMessage) -> Json:
    shown = {
        "role": message.role,
        "content": message.content,
        "source": message.source,
        "sourceKey": message.source_key,
        "contentOrigin": message.origin,
        "sanitizationEligible": message.eligible,
        "regexSourceType": _regex_source(message.origin, message.source_key),
    }
    if message.block is None:
        return {**shown, "depth": message.depth, "order": message.order}
    block = message.block
    return {**shown, "blockId": block.id, "injectionMode": block.mode, "derivedFromWorldInfo": message.from_lore}


def _payload(payload: Payload) -> Json:
    return {
        "systemPrompt": payload.system,
        "userPrompt": payload.user,
        "promptMessages": list(map(_sent, payload.messages)),
        "additionalMessages": list(map(_sent, payload.private)),
        "fallbackUserPromptSource": payload.user_source,
        "fallbackUserPromptApplied": bool(payload.user),
    }


def _sent(message: TaskMessage) -> Json:
    shown = {**_shown(message), "derivedFromWorldInfo": message.from_lore}
    shown.pop("depth", None)
    shown.pop("order", None)
    block = message.block
    shown |= {"blockId": block.id if block else "", "injectionMode": block.mode if block else ""}
    return {**shown, "transcriptSection": message.section} if message.section else shown


def _block(rendered: RenderedBlock) -> Json:
    block = rendered.block
    places = {"worldInfoBefore": "before", "worldInfoAfter": "after"} if block.type == "builtin" else {}
    return {
        "id": block.id,
        "type": block.type,
        "role": block.role,
        "sourceKey": block.source_key,
        "content": rendered.content,
        "delivery": "private.system" if block.role == "system" else "private.message",
        "derivedFromWorldInfo": rendered.from_lore,
        "contentOrigin": rendered.origin,
        "sanitizationEligible": rendered.origin != "template-owned",
        "regexSourceType": _regex_source(rendered.origin, block.source_key),
        "diagnosticInjectionPosition": places.get(block.source_key, ""),
    }


def _regex_source(origin: str, key: str) -> str:
    if origin == "template-owned":
        return ""
    return REGEX_SOURCES.get(key, "world_info")


def _plan(prompt: TaskPrompt) -> Json:
    """Where another program would put the texts of books, which it only tells."""
    return {
        "before": list(_planned(prompt, "worldInfoBefore", "before", prompt.lore.before)),
        "after": list(_planned(prompt, "worldInfoAfter", "after", prompt.lore.after)),
        "atDepth": _planned_deep(prompt.lore),
    }


def _planned(prompt: TaskPrompt, key: str, position: str, texts: Iterable[Any]) -> Iterator[Json]:
    names = [text.entry.title for text in texts if text.entry.title]
    for rendered in prompt.blocks:
        block = rendered.block
        if block.type == "builtin" and block.source_key == key:
            yield {
                "source": "block",
                "origin": "profile-block",
                "position": position,
                "role": block.role,
                "content": rendered.content.strip(),
                "blockId": block.id,
                "blockName": block.name,
                "sourceKey": key,
                "injectionMode": block.mode,
                "order": block.order,
                "entryNames": names,
                "entryCount": len(names),
            }


def _planned_deep(lore: TaskLore) -> list[Json]:
    return [
        {
            "source": "worldInfo",
            "position": "atDepth",
            "role": text.role,
            "content": text.content.strip(),
            "name": text.entry.title,
            "sourceName": text.entry.name,
            "worldbook": text.entry.book,
            "depth": text.entry.depth,
            "order": text.entry.order,
            "origin": "worldInfo-entry",
            "entryName": text.entry.title,
        }
        for text in lore.at_depth
    ]


def _message(given: Json) -> TaskMessage:
    return TaskMessage(
        role=given["role"],
        content=given["content"],
        source=given.get("source", ""),
        source_key=given.get("sourceKey", ""),
        origin=given.get("contentOrigin") or "template-owned",
        eligible=given.get("sanitizationEligible") is True,
        from_lore=given.get("derivedFromWorldInfo") is True,
    )
