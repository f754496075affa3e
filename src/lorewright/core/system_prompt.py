"""An agent host's system prompt: sections in order, variables filled in strictly (spec injection-engine §1.5).

    assemble_prompt   what was registered -> sections, contexts and tools in order
    render_prompt     sections -> the system prompt
    render_snapshot   contexts -> the text of a message that stands at the end of the conversation

Texts come in as texts: whoever calls a provider of texts does it before.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, TypeVar, Union

from lorewright.core.hosts import HOST_0_1_7, Host
from lorewright.errors import PromptError

__all__ = [
    "IDENTITY",
    "NO_VARIABLES",
    "SNAPSHOT_HEADER",
    "UNLISTED_TOOLS",
    "Context",
    "Listener",
    "Prompt",
    "PromptParts",
    "Section",
    "Variables",
    "assemble_prompt",
    "interpolate",
    "render_contexts",
    "render_prompt",
    "render_snapshot",
]

IDENTITY: Final = "You are an assistant that works in an agent host."
SNAPSHOT_HEADER: Final = (
    "The notes below are current; they replace every earlier message that begins with this sentence."
)
"""What the text of every snapshot begins with; so ours is known again in a conversation."""
UNLISTED_TOOLS: Final = "<unlisted-tools>"
"""In a tool order: here stand the tools that it does not name."""
BLANK_LINE: Final = "\n\n"

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
_REFERENCE: Final = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}", re.ASCII)
_SHOWN: Final = 40

Variables = Mapping[str, Union[str, None]]
"""Values by name; None: the variable exists and has no value."""
NO_VARIABLES: Final[Variables] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of the system prompt.

    rank: decides before the host's own rule between sections of one order. A `complete` section is the only one.
    """

    name: str
    text: str
    order: float = 0
    rank: int = 0
    is_literal: bool = False
    """Not interpolated."""
    is_complete: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """A piece of the snapshot that stands at the end of the conversation."""

    name: str
    text: str
    order: float = 0
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Prompt:
    """An assembled prompt: everything in its order, nothing filled in yet."""

    sections: tuple[Section, ...] = ()
    contexts: tuple[Context, ...] = ()
    tools: tuple[str, ...] = ()
    variables: Variables = field(default_factory=lambda: NO_VARIABLES)


Listener = Callable[[Prompt], Prompt]
"""Changes an assembled prompt; each gets what the one before gave."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptParts:
    """What was registered with the host.

    persona: the text of the deployment's persona section. is_identified: with the host's own first section.
    tool_order: names of tools with `UNLISTED_TOOLS` once among them, or None for the order of the code units.
    known_tools: tools that exist, seen by this agent or not; the `tools` are those that are seen.
    """

    sections: Sequence[Section] = ()
    contexts: Sequence[Context] = ()
    variables: Variables = field(default_factory=lambda: NO_VARIABLES)
    tools: Sequence[str] = ()
    known_tools: Sequence[str] = ()
    tool_order: Sequence[str] | None = None
    persona: str = ""
    is_identified: bool = True
    has_contexts: bool = True
    host: Host = HOST_0_1_7


def assemble_prompt(parts: PromptParts, listeners: Iterable[Listener] = ()) -> Prompt:
    """Put everything in its order, let the listeners change it, and let a complete section stand alone.

    Raises:
        PromptError: a name stands twice, an order is no finite number, a variable has a bad name, the tool order is
            wrong, or two sections are complete.
    """
    own: list[Section] = []
    if parts.is_identified:
        own.append(Section(parts.host.identity[0], IDENTITY, parts.host.identity[1]))
    if parts.persona:
        own.append(Section(parts.host.persona[0], parts.persona, parts.host.persona[1]))
    sections = (*own, *parts.sections)
    for what, registered in (("section", sections), ("context", parts.contexts)):
        _check_names(what, registered)
    for name in parts.variables:
        if not _NAME.fullmatch(name):
            raise PromptError(
                f"`{name}` cannot be the name of a variable. Begin with a small letter a to z, and go on with such "
                "letters, digits and `_`.",
                name=name,
            )
    tools = _sort_tools(parts)
    prompt = Prompt(
        tuple(_sorted(sections, parts.host)), tuple(_sorted(parts.contexts, parts.host)), tools, parts.variables
    )
    for listener in listeners:
        prompt = listener(prompt)
    complete = [section for section in prompt.sections if section.is_complete]
    if len(complete) > 1:
        names = [section.name for section in complete]
        shown = " and ".join(f"`{name}`" for name in names)
        raise PromptError(f"The sections {shown} are both complete; only one can be the whole prompt.", names=names)
    return replace(
        prompt,
        sections=tuple(complete) or prompt.sections,
        contexts=prompt.contexts if parts.has_contexts else (),
    )


def render_prompt(sections: Iterable[Section], variables: Variables = NO_VARIABLES) -> str:
    """The system prompt: texts filled in, empty ones dropped, joined by a blank line.

    Raises:
        PromptError: see `interpolate`.
    """
    texts = (
        section.text if section.is_literal else interpolate(section.text, variables, section.name)
        for section in sections
    )
    return BLANK_LINE.join(text for text in texts if text)


def render_contexts(contexts: Iterable[Context], variables: Variables = NO_VARIABLES) -> tuple[str, ...]:
    """The texts of a snapshot, filled in, without empty ones.

    Raises:
        PromptError: see `interpolate`.
    """
    texts = (interpolate(context.text, variables, context.name) for context in contexts)
    return tuple(text for text in texts if text)


def render_snapshot(contexts: Iterable[Context], variables: Variables = NO_VARIABLES) -> str:
    """The text of the message with all contexts, under its header; empty if none has a text.

    Raises:
        PromptError: see `interpolate`.
    """
    texts = render_contexts(contexts, variables)
    return BLANK_LINE.join((SNAPSHOT_HEADER, *texts)) if texts else ""


def interpolate(text: str, variables: Variables, where: str) -> str:
    """The text with `{{name}}` replaced. Values are not looked through again. `where` names the text in errors.

    A `{{` with no `}}` behind it is text.

    Raises:
        PromptError: there is no such variable, or it has no value, or a `{{` that has a `}}` somewhere behind it does
            not begin a reference.
    """
    pieces: list[str] = []
    at = 0
    while (start := text.find("{{", at)) >= 0 and text.find("}}", start + 2) >= 0:
        reference = _REFERENCE.match(text, start)
        if reference is None:
            shown = text[start : start + _SHOWN]
            raise PromptError(
                f"Section `{where}`: `{shown}` is no reference to a variable. Write `{{{{name}}}}` with a small letter "
                "first and without spaces, or take the braces out.",
                section=where,
                text=shown,
            )
        name = reference[1]
        if (value := variables.get(name)) is None:
            problem = "has no value" if name in variables else "does not exist"
            known = ", ".join(sorted(variables)) or "none"
            raise PromptError(
                f"Section `{where}`: the variable `{name}` {problem}. Known variables: {known}.",
                section=where,
                name=name,
            )
        pieces += (text[at:start], value)
        at = reference.end()
    return "".join([*pieces, text[at:]])


def _check_names(what: str, registered: Sequence[Section | Context]) -> None:
    seen: set[str] = set()
    for one in registered:
        if one.name in seen:
            raise PromptError(f"Two {what}s are called `{one.name}`. Give one of them another name.", name=one.name)
        seen.add(one.name)
        if isinstance(one.order, bool) or not math.isfinite(one.order):
            raise PromptError(
                f"The order of {what} `{one.name}` is {one.order}; a finite number is wanted.", name=one.name
            )


Part = TypeVar("Part", Section, Context)


def _sorted(registered: Sequence[Part], host: Host) -> list[Part]:
    names = host.ties == "name"
    return sorted(registered, key=lambda one: (one.order, one.rank, _code_units(one.name) if names else b""))


def _code_units(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def _sort_tools(parts: PromptParts) -> tuple[str, ...]:
    seen = sorted(set(parts.tools), key=_code_units)
    if parts.tool_order is None:
        return tuple(seen)
    listed = [name for name in parts.tool_order if name != UNLISTED_TOOLS]
    if len(parts.tool_order) - len(listed) != 1:
        raise PromptError(
            f"The tool order names `{UNLISTED_TOOLS}` {len(parts.tool_order) - len(listed)} times; once is wanted, where "
            "the other tools shall stand."
        )
    known = {*parts.tools, *parts.known_tools}
    for name in listed:
        if name not in known or listed.count(name) > 1:
            problem = (
                "stands twice in the tool order" if name in known else "is in the tool order, but there is no such tool"
            )
            raise PromptError(f"`{name}` {problem}. Known tools: {', '.join(sorted(known)) or 'none'}.", name=name)
    before = parts.tool_order[: parts.tool_order.index(UNLISTED_TOOLS)]
    after = parts.tool_order[len(before) + 1 :]
    rest = [name for name in seen if name not in listed]
    return tuple(name for name in (*before, *rest, *after) if name in seen)
