"""The prompt of a task, from the files that were named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lorewright.cli.files import looks_like_file, read_object
from lorewright.cli.options import Request
from lorewright.cli.scene import Scene, read_scene
from lorewright.cli.scripting import read_script_files
from lorewright.cli.task_variables import TaskVariables, read_task_variables
from lorewright.core.model import Report
from lorewright.core.regex_script import RegexScript
from lorewright.errors import InputError
from lorewright.lint.task_filter import check_task_filter
from lorewright.tasks.host_rules import ScriptOrigin
from lorewright.tasks.payload import Payload, finish, make_payload, parts_of
from lorewright.tasks.profile import TASKS
from lorewright.tasks.prompt import TaskPrompt, TaskRequest, build_task_prompt
from lorewright.tasks.regexes import RuleEvent
from lorewright.tasks.scene import ChatLine, TaskScene
from lorewright.tasks.settings import lay_over
from lorewright.tasks.shelf import BookShelf, name_books
from lorewright.tasks.world import TaskTools
from lorewright.templates.ejs import Sandbox

__all__ = ["PreparedTask", "TaskOptions", "prepare_task"]

_ORDER: Final = ("character", "character_extra", "global", "persona", "chat")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOptions:
    """The command's own options."""

    profile: str
    settings: str | None
    filter_mode: str | None
    keywords: str | None
    context: str | None
    message: str | None
    fallback: str
    run_code: bool
    repaired: bool


@dataclass(frozen=True, slots=True)
class PreparedTask:
    """A prompt, what is sent, and what gates kept back: ids by book."""

    prompt: TaskPrompt
    payload: Payload
    messages: list[dict[str, Any]]
    events: list[RuleEvent]
    withheld: Mapping[str, list[int | str]]
    reports: tuple[Report, ...]


def prepare_task(request: Request, given: TaskOptions) -> PreparedTask:
    """Read the files and build the prompt.

    Raises:
        InputError: a file cannot be used, or there is no such task.
    """
    scene = read_scene(request)
    task, settings = _settings(given)
    found: list[Report] = []
    variables = read_task_variables(scene, request.chat, found)
    shelf = BookShelf((book.book for book in scene.lore.books), variables.known)
    sources = [(source, book.book.name) for source, book in zip(scene.lore.sources, scene.lore.books, strict=True)]
    books = name_books(*(name for _, name in sorted(sources, key=lambda pair: _ORDER.index(pair[0]))))
    route: dict[str, Any] = {}
    if given.filter_mode is not None:
        route["worldInfoFilterMode"] = given.filter_mode
    if given.keywords is not None:
        route["worldInfoFilterCustomKeywords"] = given.keywords
    with Sandbox() as sandbox:
        prompt = build_task_prompt(
            TaskRequest(
                task=task,
                settings=settings,
                route=route,
                context=_context(scene, given),
                books=books,
                scene=_task_scene(scene, variables),
                repaired=given.repaired,
            ),
            shelf,
            TaskTools(
                scene.tools.regexes,
                sandbox,
                books if given.run_code else scene.rules.policy.code_books,
                scripts=_scripts(scene, request.regex),
            ),
        )
    payload = make_payload(parts_of(prompt), given.fallback)
    messages, events = finish(payload, prompt, scene.tools.regexes)
    withheld = {name: ids for name in books if (ids := shelf.withheld(name))}
    findings = check_task_filter(lay_over(settings, prompt.profile.own, route))
    reports = (*scene.reports, *found, *findings)
    return PreparedTask(prompt, payload, messages, [*prompt.events, *events], withheld, reports)


def _scripts(scene: Scene, files: Iterable[str]) -> dict[ScriptOrigin, list[RegexScript]]:
    """The scripts of the scene by whose they are: those of files are the user's own."""
    of_files = read_script_files(files, [])
    found: dict[ScriptOrigin, list[RegexScript]] = {"global": [], "character": []}
    for script in scene.rules.policy.scripts:
        found["global" if script in of_files else "character"].append(script)
    return found


def _settings(given: TaskOptions) -> tuple[str, dict[str, Any]]:
    """The task, and the settings with the profile in them."""
    settings: dict[str, Any] = {} if given.settings is None else dict(read_object(given.settings))
    if given.profile in TASKS:
        return given.profile, settings
    if not looks_like_file(given.profile):
        raise InputError(f"`{given.profile}` is no task and no file. Tasks: {', '.join(TASKS)}.", task=given.profile)
    data = read_object(given.profile)
    inner = data.get("profile")
    profile: Mapping[str, Any] = inner if isinstance(inner, Mapping) else data
    task = next((held["taskType"] for held in (data, profile) if isinstance(held.get("taskType"), str)), None)
    if not isinstance(task, str):
        raise InputError(
            f"{given.profile}: this is no profile of a task: it says no `taskType`. Known: {', '.join(TASKS)}.",
            path=given.profile,
        )
    every = settings.get("taskProfiles")
    bucket = {"activeProfileId": profile.get("id"), "profiles": [profile]}
    return task, settings | {"taskProfiles": {**(every if isinstance(every, Mapping) else {}), task: bucket}}


def _context(scene: Scene, given: TaskOptions) -> dict[str, Any]:
    """What blocks show: the chat as messages and as transcripts, the card, and what a file says over that."""
    turn = scene.turn
    said = [message for message in turn.messages if not message.hidden]
    newest = next((message.text for message in reversed(said) if message.role == "user"), "")
    character = turn.character
    more = {} if given.context is None else dict(read_object(given.context))
    return {
        "userMessage": newest if given.message is None else given.message,
        "recentMessages": "",
        "dialogueText": "",
        "chatMessages": [{"role": message.role, "content": message.text, "name": message.name} for message in said],
        "userName": turn.user,
        "charName": character.name if character else "",
        "charDescription": character.description if character else "",
        "userPersona": turn.persona_description,
        **more,
    }


def _task_scene(scene: Scene, variables: TaskVariables) -> TaskScene:
    turn = scene.turn
    character = turn.character
    named = dict(zip(scene.lore.sources, (book.book.name for book in scene.lore.books), strict=True))
    state = scene.remembered.state
    return TaskScene(
        user=turn.user,
        char=character.name if character else "",
        persona=turn.persona_description,
        description=character.description if character else "",
        avatar=character.avatar if character else "",
        chat=tuple(
            ChatLine(message.role if message.role in {"user", "system"} else "assistant", message.text)
            for message in turn.messages
        ),
        chat_id=turn.session,
        character_book=named.get("character", ""),
        persona_book=named.get("persona", ""),
        chat_book=named.get("chat", ""),
        variables=variables.local,
        message_variables=variables.message,
        global_variables={**state.global_variables, **turn.global_variables},
        clock_ms=turn.clock_ms,
        utc_offset_minutes=turn.utc_offset_minutes,
    )
