"""The files of a route as they are now: books, card, persona, preset, settings. A change is seen with the next request;
a file that cannot be read any more leaves the last good state in force."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from lorewright.core.layout.plan import Plan
from lorewright.core.layout.scene import Card as SceneCard
from lorewright.core.layout.scene import Persona, Scene
from lorewright.core.model import ActiveBook, Character
from lorewright.core.policy import PROFILES, Policy
from lorewright.errors import InputError, LorewrightError
from lorewright.formats.card import Card, name_of_book
from lorewright.formats.card_scene import scene_card
from lorewright.formats.imported import Notes
from lorewright.formats.preferences import with_preferences
from lorewright.formats.read import read_book, read_card, read_persona, read_preset
from lorewright.formats.settings import read_settings
from lorewright.formats.whole_file import read_object
from lorewright.gateway.configuration import Route
from lorewright.gateway.look import look
from lorewright.storage.trust import consents_path, trusted_books

__all__ = ["Loaded", "Sources", "assistant_of"]

T = TypeVar("T")
_LOG: Final = logging.getLogger(__name__)
_CONTEXT_TOKENS: Final = 8192
"""Where neither preset nor settings say how large the context is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What a route's files say. The same object until one of them changes."""

    books: tuple[ActiveBook, ...] = ()
    policy: Policy
    plan: Plan | None = None
    character: Character | None = None
    user: str = "User"
    persona: str = ""
    context_tokens: int = _CONTEXT_TOKENS


def assistant_of(loaded: Loaded) -> str:
    """Who replies."""
    return loaded.character.name if loaded.character else "Assistant"


class Sources:
    """The files of one route. `problem`: why the newest state of them is not in force; empty if it is."""

    def __init__(self, route: Route) -> None:
        self.route = route
        self.problem = ""
        self._seen: tuple[object, ...] | None = None
        self._loaded: Loaded | None = None

    def now(self) -> Loaded:
        """What the files say now, or said when they could be read last.

        Raises:
            LorewrightError: they cannot be read, and never could be.
        """
        seen = tuple(map(look, self._files()))
        if seen != self._seen or self._loaded is None:
            try:
                self._loaded, self.problem = _load(self.route), ""
            except LorewrightError as error:
                self.problem = error.message
                if self._loaded is None:
                    raise
                _LOG.warning("route %s: the last good files are kept: %s", self.route.name, error.message)
            self._seen = seen
        return self._loaded

    def _files(self) -> Iterator[str]:
        route = self.route
        yield consents_path()
        yield from (book.file for book in route.books)
        yield from (file for file in (route.card, route.persona_file, route.preset, route.settings) if file)


def _load(route: Route) -> Loaded:
    books = [ActiveBook(_read(read_book, book.file).value, book.source) for book in route.books]
    card = _read(read_card, route.card).value if route.card else None
    if card is not None and card.book is not None:
        books.append(ActiveBook(replace(card.book, name=name_of_book(card)), "character"))
    persona, user = Persona(text=route.persona or ""), route.user
    if route.persona_file:
        named = _read(read_persona, route.persona_file)
        persona, user = named.value.persona, user or (named.value.name if named.format else "")
    settings: Mapping[str, Any] = _read(read_object, route.settings) if route.settings else {}
    policy, tokens = PROFILES[route.profile], None
    if settings:
        changed, tokens, _ = read_settings(settings, policy.settings)
        policy = policy.with_settings(changed)
    if route.placement is not None:
        policy = replace(policy, placement=route.placement)
    policy = replace(policy, code_books=trusted_books(active.book for active in books))
    plan = _plan(route.preset, card, persona, settings) if route.preset else None
    if plan is not None:
        limits = plan.preset.limits
        tokens = limits.context_tokens or tokens or _CONTEXT_TOKENS
        plan = replace(plan, preset=replace(plan.preset, limits=replace(limits, context_tokens=tokens)))
    return Loaded(
        books=tuple(books),
        policy=policy,
        plan=plan,
        character=card.character if card else None,
        user=user or "User",
        persona=persona.text,
        context_tokens=tokens or _CONTEXT_TOKENS,
    )


def _read(read: Callable[[str], T], file: str) -> T:
    """What a file holds; an error names it."""
    try:
        return read(file)
    except LorewrightError as error:
        if file in error.message:
            raise
        raise InputError(f"{file}: {error.message}", path=file) from error


def _plan(preset: str, card: Card | None, persona: Persona, settings: Mapping[str, Any]) -> Plan:
    who = scene_card(card, Notes()) if card else SceneCard(name="Assistant")
    scene = with_preferences(Scene(card=who, persona=persona), settings, [card] if card else [])
    return Plan(preset=_read(read_preset, preset).value, scene=scene)
