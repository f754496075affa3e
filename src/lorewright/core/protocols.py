"""What the engine asks of the outside: randomness, macros, token counts, regular expressions, matching.

Each is a protocol with one or two methods; the values come in through `Tools`. `core` itself has an implementation
of matching (`core/match.py`, slow and obvious) and of draws (`core/draw.py`); the others live in `fast/` and
`templates/`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from lorewright.core.memo import ANEW, Memo
from lorewright.core.model import EMPTY
from lorewright.core.variables import Values

if TYPE_CHECKING:
    from lorewright.core.keys import Key
    from lorewright.core.layout.macros import Macros
    from lorewright.core.layout.scene import Scene
    from lorewright.core.lore import Lore
    from lorewright.core.model import ActiveBook, Book, Entry, Message, Report, Turn
    from lorewright.core.regex_script import RegexScript
    from lorewright.core.scan import Scan, View
    from lorewright.core.variables import Write

__all__ = [
    "CodeRefusal",
    "Counter",
    "Draw",
    "Keeper",
    "KeeperContext",
    "Kept",
    "Matcher",
    "Opening",
    "Prompts",
    "Regex",
    "RegexMatch",
    "Regexes",
    "RenderContext",
    "Rendered",
    "Renderer",
    "ScriptRun",
    "Scripts",
    "Search",
    "Substituted",
    "Tools",
    "VariableChange",
    "Worth",
]


class Draw(Protocol):
    """Randomness as a value."""

    def number(self, entry: str, purpose: str, index: int) -> float:
        """A number in [0, 1). `entry` is an entry's id (`book.uid`), `purpose` one of `probability`, `group`, `macro`,
        `prompt`, `script`, `index` tells several draws of one purpose apart. Same arguments, same turn, same number."""


class Rendered(NamedTuple):
    """A text with its macros replaced.

    volatile: it can be another one next turn (the time of day, a dice roll, a variable), so it goes last in the request
    and is not kept. kinds: why, of `state`, `clock`, `random`, `writes`. reads: what it depends on (`local:mood`,
    `card:description`, `clock`); `outlet:NAME` are the outlets that the text itself names, for placement to fill in.
    writes: the variables that it changes, which become true if the text is let in.

    Of a text with code: refusal: why it gives nothing, so that its entry is not used. scanned: what the budget counts and
    recursion scans, where that is another text. pulled: ids of entries whose words are in it. activates: ids of entries
    that it enables, and whether it switches them on, too. from_sandbox: nobody can repeat it, so a ledger keeps it.
    """

    text: str
    volatile: bool = False
    kinds: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    writes: tuple[Write, ...] = ()
    reports: tuple[Report, ...] = ()
    refusal: CodeRefusal | None = None
    scanned: str | None = None
    pulled: tuple[str, ...] = ()
    activates: tuple[tuple[str, bool], ...] = ()
    from_sandbox: bool = False


class CodeRefusal(NamedTuple):
    """Why code gives nothing: a code for programs, a sentence for people, and the function that is to blame, if one is."""

    code: str
    message: str
    function: str = ""


@dataclass(frozen=True, slots=True)
class RenderContext:
    """What a renderer may know: the turn, the next random number, the books without what is closed in this turn, the
    profile's name, and the variables as the texts that were let in before left them.

    entry: whose content it is, with the name of its book; without one the text is a key or somebody else's, and no code
    runs. active: ids of the entries that are in so far. code_books: names of the books whose code may run.
    """

    turn: Turn
    draw: Callable[[], float]
    books: tuple[Book, ...] = ()
    profile: str = "native"
    variables: Values = field(default_factory=Values)
    book: str = ""
    entry: Entry | None = None
    active: Collection[str] = ()
    code_books: tuple[str, ...] = ()


class Renderer(Protocol):
    """Macros: text in, text out."""

    def is_template(self, text: str) -> bool:
        """Whether `render` could change this text. Must be right for every turn; saying yes too often is harmless."""

    def render(self, text: str, context: RenderContext) -> Rendered:
        """The text with its macros replaced."""


@runtime_checkable
class Opening(Protocol):
    """A renderer that wants to know when an evaluation begins and ends."""

    def open(self) -> AbstractContextManager[Renderer]:
        """Begin an evaluation: its renderer, until the context is left."""


class ScriptRun(Protocol):
    """The regex scripts of one request, or of one evaluation."""

    def run(self, script: RegexScript, text: str, context: RenderContext) -> Rendered:
        """The text after one script, wherever it is for. A script that cannot work changes nothing, and a report says
        why."""


class Scripts(Protocol):
    """Regex scripts: text in, text out. What they wrote is a template of the user's; what they match is a value."""

    def open(self, *, endless: bool = False) -> ScriptRun:
        """Begin a request. A script that takes too long does nothing from there on; `endless`: all take their time."""


class VariableChange(NamedTuple):
    """What a message did to the variables.

    message: its place among those that were read, -1: not a message, but what the books begin with. done: commands, each
    with the change as people see it. refused: the code of the reason, and the command.
    """

    message: int
    done: tuple[tuple[str, str], ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class KeeperContext:
    """What a keeper may know: the turn with the variables before, those that the client gives in this turn, the books
    without what is closed in it, how a text of theirs is rendered, and whether the messages are a conversation's first
    ones."""

    turn: Turn
    given: Mapping[str, object]
    books: tuple[ActiveBook, ...]
    render: Callable[[str], str]
    starts: bool


class Kept(NamedTuple):
    """The variables of the conversation that are other ones now, and how they became that."""

    variables: Mapping[str, object] = EMPTY
    changes: tuple[VariableChange, ...] = ()
    reports: tuple[Report, ...] = ()


class Keeper(Protocol):
    """Keeps variables by what is said: messages and the variables before them in, the variables behind them out."""

    def keep(self, variables: Mapping[str, object], messages: Sequence[Message], context: KeeperContext) -> Kept:
        """Read messages, oldest first. Must give the same for the same, and never raise."""


class Prompts(Protocol):
    """Macros of a preset and of what it is laid out for."""

    def open(self, scene: Scene, turn: Turn, draw: Callable[[], float], *, repaired: bool) -> Macros:
        """The macros of one request; `repaired`: without SillyTavern's bugs. Must give the same for the same draws."""


class Counter(Protocol):
    """A token counter. `name` is shown to the user beside every count."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int:
        """The number of tokens; 0 for the empty text."""


class RegexMatch(NamedTuple):
    """One match of a regular expression, as JavaScript hands it to a replacement function.

    offset: where it begins, in UTF-16 code units. groups: the texts of the groups from 1, None for one that took no
    part. names: the same for groups with names.
    """

    offset: int
    text: str
    groups: tuple[str | None, ...]
    names: Mapping[str, str | None]


class Substituted(NamedTuple):
    """A text after its matches were replaced, and how many seconds of the processor the searches for them took."""

    text: str
    seconds: float


class Regex(Protocol):
    """A compiled regular expression with the semantics of JavaScript."""

    def search(self, text: str, timeout_seconds: float) -> tuple[int, int] | None:
        """The first match as (start, end) in code points, or None.

        Raises:
            RegexTimeout: no answer within `timeout_seconds`.
        """

    def replace(self, text: str, replacement: Callable[[RegexMatch], str], timeout_seconds: float) -> Substituted:
        """As `text.replace(regex, replacement)`: every match with the flag `g`, else the first.

        Without the flags `u` and `v` characters are UTF-16 code units, so a match can be half a pair of surrogates; halves
        that come together are one character again. What `replacement` raises comes out as it is.

        Raises:
            RegexTimeout: the searches together took longer than `timeout_seconds` of the processor; the time in
                `replacement` is free. At 0 or less nothing is searched for.
        """


class Regexes(Protocol):
    """A regex backend. `name` says which one, for reports."""

    @property
    def name(self) -> str: ...

    def compile(self, pattern: str, flags: str) -> Regex:
        """As `new RegExp(pattern, flags)`.

        Raises:
            RegexError: JavaScript would throw a SyntaxError.
        """


class Worth(NamedTuple):
    """Ranks (places in `lore.entries`) of entries that are worth a look, in any order.

    sure: `simple` entries of which a key matches in the usual view; maybe: all others.
    """

    sure: Collection[int]
    maybe: Collection[int]


class Search(Protocol):
    """Matching in one evaluation: one scan, one lore."""

    @property
    def timed_out(self) -> Mapping[Key, float]:
        """Regex keys that were given up, with the limit in seconds that they reached."""

    def worth_checking(self, usual: View) -> Worth:
        """Which entries a sweep must look at, where `usual` is what an entry without settings of its own sees.

        Entries that are left out match no key in any view of this sweep; constant and decorated ones are never left
        out.
        """

    def matches(self, key: Key, view: View) -> bool:
        """Whether the key matches in the part of the scan text that `view` names."""


class Matcher(Protocol):
    """Opens a search; may keep compiled forms of a lore and results for texts it has seen."""

    def open(self, lore: Lore, scan: Scan) -> Search: ...


@dataclass(frozen=True, slots=True)
class Tools:
    """Everything from outside that evaluations use. Without a `draw`, draws come from the turn (`core/draw.py`); without
    `scripts` a policy must have none; without a `keeper` nothing that is said changes a variable; without `prompts` a turn
    must have no plan; with the usual `memo` everything is made anew in every turn."""

    matcher: Matcher
    regexes: Regexes
    renderer: Renderer
    counter: Counter
    draw: Draw | None = None
    scripts: Scripts | None = None
    keeper: Keeper | None = None
    prompts: Prompts | None = None
    memo: Memo = ANEW
