"""The options of the commands, with their help texts, and what they amount to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_type_hints

import typer

__all__ = [
    "ENGINES",
    "TRIGGERS",
    "Request",
    "as_json_option",
    "asking",
    "authority_option",
    "book_argument",
    "book_option",
    "card_option",
    "card_regex_option",
    "changes_option",
    "chat_option",
    "clock_option",
    "context_option",
    "counter_option",
    "engine_option",
    "facts_option",
    "force_option",
    "full_option",
    "ledger_option",
    "member_option",
    "overlay_option",
    "persona_option",
    "placement_option",
    "preset_option",
    "profile_option",
    "progress_option",
    "raw_chat_option",
    "regex_option",
    "save_chat_option",
    "scene_option",
    "seed_option",
    "settings_option",
    "speaker_option",
    "spoilers_option",
    "state_option",
    "trigger_option",
    "trust_option",
    "user_option",
    "variable_option",
    "with_secrets_option",
    "without_gates_option",
]

TRIGGERS = Literal["normal", "continue", "impersonate", "swipe", "regenerate", "quiet"]
PROFILES = Literal["native", "layered", "risu", "sillytavern"]
PLACEMENTS = Literal["frozen", "sillytavern"]
COUNTERS = Literal["estimate", "cl100k", "o200k", "qwen"]
ENGINES = Literal["fast", "core"]
AUTHORITIES = Literal["canon", "session", "observed", "authored", "unverified", "proposal"]

Many: TypeAlias = tuple[str, ...]
"""An option that may be repeated."""

book_argument = Annotated[
    str | None,
    typer.Argument(metavar="BOOK", help="A lorebook, or a card with one in it. Not needed with --book or --card."),
]
chat_option = Annotated[
    str,
    typer.Option(
        "--chat",
        metavar="CHAT",
        help="The chat: a SillyTavern .jsonl, a JSON list of {name, mes} or {role, content}, or a whole request body "
        "of an OpenAI or Anthropic client.",
    ),
]
book_option = Annotated[
    Many,
    typer.Option(
        "--book",
        metavar="[SOURCE:]FILE",
        help="A further book; may be repeated. SOURCE is global (the default), character, chat or persona.",
    ),
]
overlay_option = Annotated[
    Many,
    typer.Option(
        "--overlay",
        metavar="FILE",
        help="Changes to a book of the same name, as a book: its entries stand in place of those with their uids, or "
        "are added; one that is switched off leaves the other out. May be repeated.",
    ),
]
card_option = Annotated[
    str | None,
    typer.Option(
        "--card",
        metavar="FILE",
        help="The character card: its fields can be scanned, its lorebook is the character book.",
    ),
]
regex_option = Annotated[
    Many,
    typer.Option(
        "--regex",
        metavar="FILE",
        help="Regex scripts of SillyTavern: a script, a list of them, or a preset with some in it. May be repeated.",
    ),
]
card_regex_option = Annotated[
    bool, typer.Option("--card-regex", help="Run the regex scripts in the card, too, behind the others.")
]
raw_chat_option = Annotated[
    bool,
    typer.Option(
        "--raw-chat",
        help="Regex scripts that change a message itself run, too, on a chat of SillyTavern, where they usually did.",
    ),
]
trust_option = Annotated[
    Many,
    typer.Option(
        "--trust",
        metavar="NAME",
        help="Run the code of the book with this name, this time; `lorewright trust` does it for good. May be repeated.",
    ),
]
member_option = Annotated[
    Many,
    typer.Option("--member", metavar="FILE", help="With --preset: the card of a further member of a group chat."),
]
preset_option = Annotated[
    Many,
    typer.Option(
        "--preset",
        metavar="FILE",
        help="A preset: the messages are laid out as it says, with card, persona, note and chat. For text completion a "
        "master export, or a template each for context, instruct and system prompt: then it is repeated.",
    ),
]
persona_option = Annotated[
    str | None,
    typer.Option(
        "--persona",
        metavar="TEXT|[@]FILE[:NAME]",
        help="The description of the user, which entries may scan: a text, or a file of ours or of SillyTavern.",
    ),
]
user_option = Annotated[
    str | None,
    typer.Option("--user", metavar="NAME", help="The user's name. [default: the one in the chat file, else User]"),
]
trigger_option = Annotated[TRIGGERS, typer.Option("--trigger", help="What kind of reply is asked for.")]
profile_option = Annotated[
    PROFILES,
    typer.Option(
        "--profile",
        help="Whose rules: our own, those of rules files, or SillyTavern's or RisuAI's with all their recorded quirks.",
    ),
]
placement_option = Annotated[
    PLACEMENTS | None,
    typer.Option(
        "--placement",
        help="Texts stay where they were placed first, or stand anew in every turn at their positions. "
        "[default: frozen in native and layered, sillytavern in the others]",
    ),
]
settings_option = Annotated[
    str | None,
    typer.Option(
        "--settings",
        metavar="FILE",
        help='Scan settings as a JSON object ({"depth": 4, "budget": 25, "recursive": true}), or SillyTavern\'s settings.json.',
    ),
]
context_option = Annotated[
    int | None,
    typer.Option(
        "--context-tokens",
        metavar="N",
        min=1,
        help="The context size of the model. [default: maxContext of the settings file, else 8192]",
    ),
]
counter_option = Annotated[
    COUNTERS,
    typer.Option("--counter", help="How tokens are counted; all but `estimate` need the extra `tokens`."),
]
seed_option = Annotated[
    str, typer.Option("--seed", metavar="TEXT", help="Names the conversation; another name gives other draws.")
]
state_option = Annotated[
    str | None,
    typer.Option(
        "--state",
        metavar="FILE",
        help="Remembers the conversation between turns: read if it exists; weave writes it, explain does not.",
    ),
]
authority_option = Annotated[
    AUTHORITIES | None,
    typer.Option(
        "--authority", help="How far books can be relied on that do not say it themselves. [default: authored]"
    ),
]
progress_option = Annotated[
    Many,
    typer.Option(
        "--progress",
        metavar="BOOK:CHAPTER[:finished]",
        help="How far the reader is in a book: the chapter last opened, from 1. Gates open by it; may be repeated.",
    ),
]
speaker_option = Annotated[
    str | None,
    typer.Option("--speaker", metavar="NAME", help="Who is speaking. [default: the character]"),
]
scene_option = Annotated[Many, typer.Option("--scene", metavar="NAME", help="A scene that is on; may be repeated.")]
variable_option = Annotated[
    Many,
    typer.Option(
        "--var",
        metavar="NAME=VALUE",
        help="A variable of the conversation, which gates read: true, false, a number or a text. May be repeated.",
    ),
]
clock_option = Annotated[
    str | None,
    typer.Option(
        "--clock", metavar="TIME", help="What time it is for macros: 2026-11-30T18:05:00+01:00. [default: now, here]"
    ),
]
facts_option = Annotated[
    str | None,
    typer.Option(
        "--facts",
        metavar="JSON|FILE",
        help="What else macros can show (model, group, swipes, ...): a JSON object, or a file of JSON or YAML.",
    ),
]
spoilers_option = Annotated[
    bool, typer.Option("--spoilers", help="Show titles of entries that are closed to this reader, and which gates are.")
]
ledger_option = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        metavar="FILE",
        help="Records the turn with all that went into it, and remembers the conversation; made if it does not exist.",
    ),
]
full_option = Annotated[
    bool, typer.Option("--full", help="With --ledger: wait for the disk, so that a loss of power loses nothing.")
]
save_chat_option = Annotated[
    str | None,
    typer.Option(
        "--save-chat",
        metavar="FILE",
        help="Writes the SillyTavern chat with its timed effects and variables after this turn; may be CHAT itself.",
    ),
]
as_json_option = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
force_option = Annotated[bool, typer.Option("--force", help="Write over a file that is there already.")]
without_gates_option = Annotated[
    bool, typer.Option("--without-gates", help="Write the file even if gates have no place in it.")
]
changes_option = Annotated[
    list[str] | None,
    typer.Option("--overlay", metavar="FILE", help="Changes to a preset, card or persona; may be repeated."),
]
with_secrets_option = Annotated[
    bool, typer.Option("--with-secrets", help="Keep addresses and keys that stand in a preset.")
]
engine_option = Annotated[
    ENGINES, typer.Option("--engine", help="The fast matcher, or the slow reference it is compared with.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was asked for, as texts; nothing is read yet. Each field is an option of every command that weaves
    (`asking`), so a new option is a new field."""

    book: book_argument = None
    chat: chat_option
    books: book_option = ()
    overlays: overlay_option = ()
    card: card_option = None
    members: member_option = ()
    presets: preset_option = ()
    persona: persona_option = None
    user: user_option = None
    trigger: trigger_option = "normal"
    profile: profile_option = "native"
    placement: placement_option = None
    settings: settings_option = None
    context_tokens: context_option = None
    counter: counter_option = "estimate"
    seed: seed_option = ""
    state: state_option = None
    engine: engine_option = "fast"
    progress: progress_option = ()
    speaker: speaker_option = None
    scenes: scene_option = ()
    variables: variable_option = ()
    clock: clock_option = None
    facts: facts_option = None
    regex: regex_option = ()
    card_regex: card_regex_option = False
    raw_chat: raw_chat_option = False
    trust: trust_option = ()

    @property
    def all_books(self) -> Many:
        """All books in the order of their priority; the one without an option is a global book whatever its name.
        They may carry their source as a prefix."""
        return self.books if self.book is None else (f"global:{self.book}", *self.books)


def asking(*, without: Collection[str] = (), **otherwise: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function of a `Request` a command that asks for its fields as options, beside the function's own.

    without: fields that the command leaves at their defaults. otherwise: those that it asks for in another way, each
    with the annotation of its argument; they come first.
    """
    annotations: Mapping[str, Any] = get_type_hints(Request, include_extras=True) | otherwise
    defaults = {field.name: field.default for field in fields(Request) if field.name not in without}
    names = [*otherwise, *(name for name in defaults if name not in otherwise)]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: Any) -> None:
            asked: dict[str, Any] = {name: given.pop(name) for name in names}
            asked |= {name: tuple(value) for name, value in asked.items() if isinstance(value, list)}
            command(Request(**asked), **given)

        _, *own = signature(command, eval_str=True).parameters.values()
        parameters = [_parameter(name, annotations[name], defaults[name]) for name in names]
        run.__dict__["__signature__"] = Signature([*parameters, *own])
        run.__annotations__ = {}
        return run

    return decorate


def _parameter(name: str, annotation: Any, default: Any) -> Parameter:
    kind, option = get_args(annotation)
    if kind == Many:
        kind, default = list[str], []
    given = Parameter.empty if default is MISSING else default
    return Parameter(name, Parameter.KEYWORD_ONLY, default=given, annotation=Annotated[kind, option])
