"""What the suites written by hand share: books in our own form, turns and tools from the words of a case.

The schema is in the README of each of the suites `authority`, `gates` and `freezing`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from lorewright.core.authority import CONSTRAINTS, LABELS
from lorewright.core.gates import Progress
from lorewright.core.lore import Lore
from lorewright.core.model import ABSENT, ActiveBook, Character, Message, Report, Turn
from lorewright.core.policy import PROFILES, Policy
from lorewright.core.protocols import Draw, RenderContext, Rendered, Renderer, Tools
from lorewright.formats.native.gates import read_gate
from lorewright.formats.native.read import read_native
from lorewright.toolbox import load_lore

__all__ = ["Json", "Spy", "has_constraint", "open_shelf", "policy_of", "strip_marks", "tools_for", "turn_of"]

Json = Mapping[str, Any]

_NAMES: Final = {"user": "User", "assistant": "Aria"}
_VOLATILE: Final = "{{volatile}}"


class _Quarter:
    """A token is a quarter of the code points, rounded up."""

    name = "code points / 4"

    def count(self, text: str) -> int:
        return math.ceil(len(text) / 4)


class Spy:
    """A renderer that looks at every text, keeps which entries it was given, and calls texts volatile that say so."""

    def __init__(self, inner: Renderer) -> None:
        self.inner = inner
        self.views: list[list[str]] = []

    def is_template(self, text: str) -> bool:  # noqa: ARG002 - it looks at every text
        return True

    def render(self, text: str, context: RenderContext) -> Rendered:
        self.views.append([f"{book.name}.{entry.uid}" for book in context.books for entry in book.entries])
        found = self.inner.render(text, context)
        return found._replace(text=found.text.replace(_VOLATILE, "now"), volatile=found.volatile or _VOLATILE in text)


def tools_for(tools: Tools, draw: Draw | None = None) -> tuple[Tools, Spy]:
    """The tools of a case, and its renderer."""
    spy = Spy(tools.renderer)
    return Tools(tools.matcher, tools.regexes, spy, _Quarter(), draw), spy


def policy_of(document: Json, *parts: Json) -> Policy:
    """The policy of a case: the profile it names, the settings of `defaults`, then those of its parts in their order.

    Raises:
        TypeError: a setting is not known.
    """
    profile = next((part["profile"] for part in parts if "profile" in part), "native")
    policy = PROFILES[profile]
    settings = document["defaults"].get("settings", {})
    for part in parts:
        settings = {**settings, **part.get("settings", {})}
    return policy.with_settings(replace(policy.settings, **settings))


def open_shelf(shelf: Sequence[Json], tools: Tools, policy: Policy) -> tuple[Lore, tuple[Report, ...]]:
    """The lore of a list of books, and what reading them reported."""
    read = [(read_native(item["book"]), item.get("shelf", "global")) for item in shelf]
    lore = load_lore([ActiveBook(imported.value, source) for imported, source in read], tools, policy)
    return lore, tuple(report for imported, _ in read for report in imported.reports)


def turn_of(given: Json, context_tokens: int) -> Turn:
    """A turn from the words of a case. Progress is passed on as it is, malformed or not."""
    return Turn(
        messages=tuple(
            Message(item.get("name", _NAMES.get(item["role"], "")), item["text"], item["role"])
            for item in given["messages"]
        ),
        character=_character(given.get("character")),
        speaker=given.get("speaker"),
        scenes=frozenset(given.get("scenes", ())),
        variables=given.get("variables", {}),
        progress=tuple(
            Progress(item["book"], item.get("chapter_index"), finished=item.get("finished", False))
            for item in given.get("progress", ())
        ),
        context_tokens=context_tokens,
    )


def _character(given: Any) -> Character | None:
    if given is None:
        return None
    if isinstance(given, str):
        return Character(name=given)
    return Character(name=given["name"], gate=read_gate(given["gate"]) if "gate" in given else ABSENT)


def has_constraint(text: str) -> bool:
    """Whether the constraint sentence stands at the beginning."""
    return text.startswith(CONSTRAINTS)


def strip_marks(text: str, content: str) -> tuple[str, list[str]] | None:
    """The tier of the label before the content at the end of a text (canon: none), and the other lines before it,
    without the constraint sentence. None: the text does not end with the content."""
    if not text.endswith(content):
        return None
    head = text.removesuffix(content)
    for sentence in CONSTRAINTS:
        head = head.replace(sentence, "")
    tier = next((tier for tier, label in _labels() if head.endswith(label)), "canon")
    for _, label in _labels():
        head = head.removesuffix(label)
    return tier, [line for line in head.splitlines() if line.strip()]


def _labels() -> Iterator[tuple[str, str]]:
    return ((tier, label) for tier, labels in LABELS.items() for label in labels)
