"""The prompt of a task: settings, a context, books and a chat in; messages and an account of what was removed out.

`build_task_prompt` is the one way to it; the command line, the gateway and the agent host all call it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lorewright.core.javascript import trim, truthy, value_as_text
from lorewright.core.model import EMPTY
from lorewright.mvu.sanitize import Blocked
from lorewright.tasks.blocks import block_message, lore_values, render_blocks, system_text
from lorewright.tasks.debug import show_report
from lorewright.tasks.depth import put_into_chat
from lorewright.tasks.fields import FieldLog, check_levels
from lorewright.tasks.host_rules import HostRules, choose_scripts
from lorewright.tasks.inputs import CleanInputs, clean_inputs
from lorewright.tasks.lore import LoreText, TaskLore
from lorewright.tasks.messages import RenderedBlock, TaskMessage
from lorewright.tasks.profile import TaskProfile, read_profile
from lorewright.tasks.regexes import RuleEvent
from lorewright.tasks.runway import Runway, choose_runway
from lorewright.tasks.scene import TaskScene
from lorewright.tasks.settings import read_task_settings
from lorewright.tasks.shelf import Shelf
from lorewright.tasks.world import TaskTools, WorldRequest, read_world
from lorewright.templates.bme import shown_in_block
from lorewright.templates.transcript import read_said_list

__all__ = ["Cut", "TaskPrompt", "TaskRequest", "build_task_prompt"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRequest:
    """What a prompt is made of.

    settings: by the names of seed 000, for all tasks; `route` is laid over them and over the profile's own. context: what
    blocks show (`userMessage`, `chatMessages`, `candidateText`, ...), raw. books: names in the order of reading; see
    `shelf.name_books`. repaired: see `WorldRequest`.
    """

    task: str
    settings: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    route: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    context: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    books: tuple[str, ...] = ()
    scene: TaskScene = field(default_factory=TaskScene)
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Cut:
    """What sanitising a book's text for the prompt took out; `stage` is `lore` or `depth`."""

    stage: str
    title: str
    reasons: tuple[str, ...]
    dropped: bool
    blocked_hits: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPrompt:
    """A prompt before its last sanitising; `payload.make_payload` gives what is sent.

    messages: everything in order; private: without the system's blocks, for a host that sends those by themselves.
    depth_in_chat: texts at a depth stand between the messages of the chat, not before all blocks. log, events, cuts: what
    was taken out of the context, what regex rules did to it, what was taken out of texts of books.
    """

    profile: TaskProfile
    runway: Runway
    lore: TaskLore
    world_read: bool
    blocks: tuple[RenderedBlock, ...]
    messages: tuple[TaskMessage, ...]
    private: tuple[TaskMessage, ...]
    system: str
    blocked: Blocked
    depth_in_chat: bool
    log: FieldLog
    events: tuple[RuleEvent, ...]
    cuts: tuple[Cut, ...]


def build_task_prompt(request: TaskRequest, shelf: Shelf, tools: TaskTools, now_ms: int = 0) -> TaskPrompt:
    """The prompt of a task. `now_ms` is what the cache's time is counted in.

    Raises:
        InputError: there is no such task, or the context is nested too deep.
    """
    for name, value in request.context.items():
        check_levels(value, name)
    profile = read_profile(request.settings, request.task)
    settings = read_task_settings(request.settings, profile.own, request.route)
    runway = choose_runway(settings)
    host = HostRules(choose_scripts(tools.scripts, profile.rules), tools.regexes)
    inputs = clean_inputs(request.context, profile.rules, host)
    reads = profile.reads_world and request.context.get("__skipWorldInfo") is not True
    lore = TaskLore()
    cuts: list[Cut] = []
    if reads:
        messages = request.context.get("chatMessages")
        said = request.context.get("userMessage")
        lore = read_world(
            WorldRequest(
                settings=settings,
                books=request.books,
                messages=messages if isinstance(messages, (list, tuple)) else (),
                user_message=value_as_text(said) if truthy(said) else "",
                context=request.context,
                scene=request.scene,
                repaired=request.repaired,
            ),
            shelf,
            tools,
            now_ms,
        )
        lore, cuts = _clean_lore(lore, runway, host)
    in_chat = reads and _put_depth_into_chat(inputs, request.context, lore)
    context = {**inputs.context, **lore_values(lore, show_report(lore.report) if reads else None)}
    blocks = render_blocks(profile, context)
    deep = () if in_chat else tuple(map(_depth_message, lore.at_depth))
    return TaskPrompt(
        profile=profile,
        runway=runway,
        lore=lore,
        world_read=reads,
        blocks=tuple(blocks),
        messages=(*deep, *(replace(message, content=trim(message.content)) for message in map(block_message, blocks))),
        private=(*deep, *_private(blocks)),
        system=system_text(blocks),
        blocked=Blocked.of(lore.report.blocked),
        depth_in_chat=in_chat,
        log=inputs.log,
        events=(*host.events, *inputs.events),
        cuts=tuple(cuts),
    )


def _clean_lore(lore: TaskLore, runway: Runway, host: HostRules) -> tuple[TaskLore, list[Cut]]:
    """The texts sanitised once more, in their entries and as messages, as the recorded program does; then they run
    through the host's scripts."""
    cuts: list[Cut] = []
    blocked = Blocked.of(lore.report.blocked)

    def clean(texts: Iterable[LoreText], stage: str) -> tuple[LoreText, ...]:
        kept: list[LoreText] = []
        for text in texts:
            found = runway.clean(text.content, "aggressive", blocked)
            changed = host.change(found.text, "world_info", text.role)
            if changed != text.content or found.dropped:
                cuts.append(Cut(stage, text.entry.title, found.reasons, found.dropped, found.blocked_hits))
            if trim(changed):
                kept.append(replace(text, content=changed))
        return tuple(kept)

    before, after = clean(lore.before, "lore"), clean(lore.after, "lore")
    deep = clean(lore.at_depth, "lore")
    clean(lore.at_depth, "depth")
    return replace(lore, before=before, after=after, at_depth=deep), cuts


def _put_depth_into_chat(inputs: CleanInputs, raw: Mapping[str, Any], lore: TaskLore) -> bool:
    """Put texts at a depth between the messages of the context, if it has a list of nothing but messages; transcripts
    that were given as texts are written anew."""
    messages = inputs.context.get("chatMessages")
    if read_said_list(messages) is None or not isinstance(messages, list):
        return False
    chat = put_into_chat(messages, lore.at_depth)
    inputs.context["chatMessages"] = chat
    for name in ("recentMessages", "dialogueText"):
        if isinstance(raw.get(name), str):
            inputs.context[name] = shown_in_block(chat)
    return True


def _depth_message(text: LoreText) -> TaskMessage:
    return TaskMessage(
        role=text.role,
        content=text.content,
        source="worldInfo-atDepth",
        source_key="taskAdditionalMessages",
        origin="world-info-rendered",
        eligible=True,
        depth=text.entry.depth,
        order=text.entry.order,
    )


def _private(blocks: Iterable[RenderedBlock]) -> list[TaskMessage]:
    """The blocks of other roles than the system; one that is prepended stands before all that came until then."""
    messages: list[TaskMessage] = []
    for rendered in blocks:
        if rendered.block.role == "system":
            continue
        place = 0 if rendered.block.mode == "prepend" else len(messages)
        messages.insert(place, block_message(rendered))
    return messages
