"""Playing books with code: macros first, then the code, which may ask for other entries (ADR 0027).

In `sillytavern` the budget counts and recursion scans the text before its code runs, and what `getwi` gives has its
macros expanded once more; in other profiles the text that stands in the prompt is the one that counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, get_args

from lorewright.core.javascript import value_as_text
from lorewright.core.model import ABSENT, Entry, Turn
from lorewright.core.protocols import CodeRefusal, Regexes, RenderContext, Rendered, Renderer
from lorewright.core.variables import Scope, Values, Write
from lorewright.templates.context import Json
from lorewright.templates.ejs.library import Found, Library, Wanted, listed, read_wanted
from lorewright.templates.ejs.macros import fill_macros
from lorewright.templates.ejs.refusals import refused
from lorewright.templates.ejs.scene import (
    Answer,
    Change,
    ChatText,
    Denied,
    Nested,
    Output,
    Refused,
    Request,
    Scene,
    Value,
)

if TYPE_CHECKING:
    from lorewright.templates.ejs.generation import Generation, Sandbox

__all__ = ["Play", "names_of"]

_SAME_IN_EVERY_TURN: Final = frozenset(
    f"name:{name}"
    for name in (
        "user",
        "char",
        "userName",
        "charName",
        "assistantName",
        "persona",
        "userPersona",
        "charDescription",
        "charAvatar",
        "runType",
    )
) | {"card:description"}
_KINDS: Final = {"clock": "clock", "random": "random"}
_ROLES: Final = ("user", "assistant", "system")


@dataclass(slots=True)
class _Touched:
    """What one text did beside giving a text."""

    reads: set[str] = field(default_factory=set)
    writes: list[Write] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    reports: list[Any] = field(default_factory=list)
    pulled: dict[str, None] = field(default_factory=dict)
    activates: dict[tuple[str, bool], None] = field(default_factory=dict)


class Play:
    """The texts with code of one evaluation. `render` and `close` are all it has; nothing is raised."""

    def __init__(self, dialect: Renderer, regexes: Regexes, sandbox: Sandbox | None) -> None:
        self._dialect = dialect
        self._regexes = regexes
        self._sandbox = sandbox
        self._generation: Generation | None = None
        self._library: Library | None = None
        self._known: tuple[Values, dict[str, Any]] | None = None
        self._context: RenderContext | None = None
        self._touched = _Touched()

    def render(self, text: str, context: RenderContext) -> Rendered:
        """The content `text` of an entry of a trusted book, with its macros expanded and its code run."""
        assert context.entry is not None
        self._context, self._touched = context, _Touched()
        filled = fill_macros(text, self._fill)
        found = self._run(filled, self._context, Found(context.book, context.entry))
        if isinstance(found, Refused):
            return _refusing(found)
        touched = self._touched
        touched.writes += _writes(found.writes, context.book)
        touched.reads |= found.reads
        kinds = touched.kinds | _kinds_of(touched)
        return Rendered(
            text=found.text,
            volatile=bool(kinds),
            kinds=frozenset(kinds),
            reads=frozenset(touched.reads),
            writes=tuple(touched.writes),
            reports=tuple(touched.reports),
            scanned=filled if context.profile == "sillytavern" else None,
            pulled=tuple(touched.pulled),
            activates=tuple(touched.activates),
            from_sandbox=True,
        )

    def close(self) -> None:
        """End the generation."""
        if self._generation:
            self._generation.close()

    def _run(self, text: str, context: RenderContext, found: Found) -> Output | Refused:
        if self._sandbox is None:
            return refused("engine_missing", ())
        if self._generation is None or self._library is None:
            self._library = Library(context.books, context.code_books, self._regexes)
            scene = _scene(context.turn, self._library.names)
            self._generation = self._sandbox.generation(scene, self._answer, context.code_books)
        return self._generation.render(
            context.book,
            text,
            tag=found.id,
            names=_names_for(found),
            seed=str(context.draw()),
            variables=self._variables(context.variables),
        )

    def _variables(self, values: Values) -> dict[str, Any]:
        """The variables as code gets them; the same mapping for the same values."""
        if self._known is None or self._known[0] is not values:
            defined: dict[str, dict[str, object]] = {}
            for place, value in values.defined.items():
                book, _, name = place.partition("\0")
                defined.setdefault(book, {})[name] = value
            scopes = {"global": values.shared, "local": values.local, "cache": values.cache, "defined": defined}
            self._known = values, scopes
        return self._known[1]

    def _fill(self, text: str) -> str:
        """A text without code, with its macros expanded."""
        context = self._context
        if context is None or not self._dialect.is_template(text):
            return text
        found = self._dialect.render(text, context)
        touched = self._touched
        touched.reads |= found.reads
        touched.kinds |= found.kinds
        touched.writes += found.writes
        touched.reports += found.reports
        if found.writes:
            self._context = replace(context, variables=context.variables.after(found.writes))
        return found.text

    # -- what code asks ------------------------------------------------------------------------------------------------

    def _answer(self, request: Request) -> Answer:
        library, context = self._library, self._context
        if library is None or context is None:
            return Value(None)
        self._touched.kinds.add("state")
        match request.helper:
            case "getwi":
                return self._pull(request, read_wanted(request.arguments), library, context)
            case "activewi":
                return self._enable(request, library)
            case "finish":
                text, *reads = request.arguments
                return Value(text if self._has_values(reads) else self._fill(str(text)))
            case "getWorldInfoData":
                named = read_wanted(request.arguments).entry
                return Value([listed(one) for one in library.entries(request.book, named or request.book)])
            case "getWorldInfoActivatedData":
                return Value([listed(one) for one in library.entries(request.book) if one.id in context.active])
            case "getEnabledWorldInfoEntries":
                return Value([listed(one) for one in library.entries(request.book)])
        return Value(None)

    def _has_values(self, reads: list[Any]) -> bool:
        """Whether a text may hold words that are not its author's, in which no macro may run: its code or its macros
        have read something."""
        filled = {read for read in self._touched.reads if not read.startswith("entry:")}
        return bool(filled) or any(read not in _KINDS for read in reads)

    def _pull(self, request: Request, wanted: Wanted, library: Library, context: RenderContext) -> Answer:
        if library.is_closed_off(wanted.book):
            sentence = f"The book `{value_as_text(wanted.book)}` is not trusted, so code cannot read it."
            return Denied("book_not_trusted", sentence)
        found = library.find(wanted, request.book)
        if found is None:
            return Value("")
        self._touched.pulled[found.id] = None
        self._touched.reads.add(f"entry:{found.id}")
        if found.entry.verbatim is True:
            return Value(found.content)
        text = fill_macros(_without_lines(found.content), self._fill)
        return Nested(found.book, text, found.id, _names_for(found), finish=context.profile == "sillytavern")

    def _enable(self, request: Request, library: Library) -> Answer:
        found = library.find(read_wanted(request.arguments), request.book)
        if found is None:
            return Value(None)
        force = any(value is True for value in request.arguments)
        self._touched.activates[found.id, force] = None
        return Value({**listed(found), "forced": force})


def _refusing(found: Refused) -> Rendered:
    name = f"`{found.helper}`: " if found.helper else ""
    line = f" (line {found.line})" if found.line else ""
    return Rendered(
        "", refusal=CodeRefusal(found.code, f"{name}{found.message}{line}", found.helper), from_sandbox=True
    )


def _kinds_of(touched: _Touched) -> set[str]:
    """Why the text can be another one next turn."""
    found = {_KINDS.get(read, "state") for read in touched.reads - _SAME_IN_EVERY_TURN if not read.startswith("card:")}
    return found | ({"writes"} if touched.writes else set())


def _writes(changes: tuple[Change, ...], book: str) -> Iterator[Write]:
    scopes: tuple[Scope, ...] = get_args(Scope)
    for scope, name, value in changes:
        if scope in scopes:
            place = f"{book}\0{name}" if scope == "defined" else name
            yield Write(scope, place, ABSENT if value is ABSENT else value)


def _without_lines(content: str) -> str:
    """A content without the decorator lines at its top."""
    lines = content.split("\n")
    first = next((place for place, line in enumerate(lines) if not line.startswith("@@")), 0)
    return "\n".join(lines[first:])


def _names_for(found: Found) -> dict[str, Json]:
    """What a text finds of the entry that it stands in."""
    return {"world_info": {**listed(found), "name": found.title}, "charLoreBook": found.book}


def names_of() -> frozenset[str]:
    """All names that a text finds beside the functions of the set."""
    return frozenset((*_scene(Turn(), ()).names, *_names_for(Found("", Entry(uid=0)))))


def _scene(turn: Turn, lore_books: tuple[str, ...]) -> Scene:
    """What code can read of a turn (docs/reference/ejs.md)."""
    spoken = [message for message in turn.messages if message.role in _ROLES and not message.hidden]
    roles: list[str] = [message.role for message in spoken]
    char = turn.character.name if turn.character else ""
    names: dict[str, Json] = {
        "user": turn.user,
        "userName": turn.user,
        "char": char,
        "charName": char,
        "assistantName": char,
        "persona": turn.persona_description,
        "userPersona": turn.persona_description,
        "charDescription": turn.character.description if turn.character else "",
        "charAvatar": turn.character.avatar if turn.character else "",
        "userAvatar": "",
        "chatId": turn.session,
        "groups": [],
        "groupId": None,
        "model": "",
        "runType": "generate",
        "generateType": turn.trigger,
        "userLoreBook": "",
        "chatLoreBook": "",
        "lastMessageId": len(spoken) - 1,
    }
    for name, role in (("User", "user"), ("Char", "assistant")):
        place = _last(roles, role)
        names[f"last{name}MessageId"] = place
        names[f"last{name}Message"] = spoken[place].text if place >= 0 else ""
    return Scene(
        functions="host",
        names=names,
        chat=tuple(ChatText(message.role, message.text) for message in spoken),
        description=names["charDescription"],
        lore_books=lore_books,
        dry_run=turn.dry_run,
        now_ms=turn.clock_ms or 0,
        utc_offset_minutes=turn.utc_offset_minutes,
    )


def _last(roles: list[str], role: str) -> int:
    return next((place for place in range(len(roles) - 1, -1, -1) if roles[place] == role), -1)
