"""The commands about replies and the facts that they propose: recorded, listed, decided by a person."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lorewright.cli import options
from lorewright.cli.screen import Screen, count, print_json
from lorewright.errors import InputError

if TYPE_CHECKING:
    from lorewright.core.gates import Progress
    from lorewright.ledger.facts import KeptFact
    from lorewright.ledger.ledger import Ledger

__all__ = ["facts"]

facts = typer.Typer(rich_markup_mode=None)

_MOST_DIGITS = 9
_file = Annotated[str, typer.Argument(metavar="FILE", help="A ledger.")]


def _number_of_fact(given: str) -> int:
    if not given.isascii() or not given.isdigit() or len(given) > _MOST_DIGITS:
        raise typer.BadParameter(f"{given[:40]!r} is no number of a fact; `lorewright ledger facts FILE` lists them.")
    return int(given)


_fact = Annotated[
    int,
    typer.Argument(metavar="FACT", help="The number of a fact, as `ledger facts` shows it.", parser=_number_of_fact),
]
_stream = Annotated[str, typer.Option("--stream", metavar="NAME", help="Which stream of the file.")]
_MAIN = "main"


def _open(file: str, stream: str) -> Ledger:
    from lorewright.cli.ledgers import open_stream

    return open_stream(file, stream)


@facts.command("reply", short_help="Record what the model answered, and its facts.")
def reply_command(
    *,
    file: _file,
    turn: Annotated[int, typer.Argument(metavar="TURN", help="The turn that it answers, as `ledger list` shows it.")],
    text: Annotated[str, typer.Argument(metavar="REPLY_FILE", help="A file with the raw reply; `-`: standard input.")],
    prompt_tokens: Annotated[
        int | None, typer.Option("--prompt-tokens", metavar="N", min=0, help="As the provider counted them.")
    ] = None,
    cached_tokens: Annotated[
        int | None, typer.Option("--cached-tokens", metavar="N", min=0, help="Of those, from its cache.")
    ] = None,
    reply_tokens: Annotated[
        int | None, typer.Option("--reply-tokens", metavar="N", min=0, help="As the provider counted them.")
    ] = None,
    stream: _stream = _MAIN,
    as_json: options.as_json_option = False,
) -> None:
    """Record what the model answered to a turn, and the facts that it proposes.

    A fact is of no effect before a person promotes it. Its chapter is compared with the progress of the turn.

    \b
    Examples:
      lorewright ledger reply chat.ledger 3 reply.txt
      lorewright ledger reply chat.ledger 3 - --prompt-tokens 812 --cached-tokens 640
    """
    from lorewright.ledger.facts import list_facts, take_facts

    with _open(file, stream) as opened:
        progress = _progress(opened, turn)
        reply = typer.get_text_stream("stdin").read() if text == "-" else _read_reply(text)
        opened.reply(turn, reply, prompt_tokens=prompt_tokens, cached_tokens=cached_tokens, reply_tokens=reply_tokens)
        before = len(list_facts(opened))
        chapter = None if progress is None else progress.chapter_index + 1
        refused = take_facts(opened, turn, reply, chapter, progress.book if progress else "")
        proposed = list_facts(opened)[before:]
    if as_json:
        shown = [{"why": one.why, "sentence": one.sentence, "block": one.block} for one in refused]
        print_json({"turn": turn, "facts": [_object(one) for one in proposed], "refused": shown})
        return
    screen = Screen()
    screen.line(f"Recorded the reply to turn {turn}; it proposes {count(len(proposed), 'fact')}.")
    _show(proposed, screen)
    for one in refused:
        screen.line(("refused", "yellow"), f" ({one.why}): {one.sentence}")


@facts.command("facts")
def facts_command(*, file: _file, stream: _stream = _MAIN, as_json: options.as_json_option = False) -> None:
    """List the facts that replies proposed, and what was decided.

    \b
    Examples:
      lorewright ledger facts chat.ledger
      lorewright ledger facts chat.ledger --json
    """
    from lorewright.ledger.facts import list_facts

    with _open(file, stream) as opened:
        found = list_facts(opened)
    if as_json:
        print_json([_object(one) for one in found])
        return
    screen = Screen()
    _show(found, screen)
    screen.line(f"{count(len(found), 'fact')}.")


@facts.command("promote", short_help="Accept a fact.")
def promote_command(
    *,
    file: _file,
    fact: _fact,
    tier: Annotated[
        Literal["session", "canon"], typer.Option("--to", help="A fact of this story, or of the world.")
    ] = "session",
    stream: _stream = _MAIN,
    as_json: options.as_json_option = False,
) -> None:
    """Accept a fact: from the next `weave --ledger` on it takes part, in place of the entry that it replaces.

    \b
    Examples:
      lorewright ledger promote chat.ledger 1
      lorewright ledger promote chat.ledger 1 --to canon
    """
    _decide(file, stream, fact, tier, as_json=as_json)


@facts.command("reject")
def reject_command(
    *, file: _file, fact: _fact, stream: _stream = _MAIN, as_json: options.as_json_option = False
) -> None:
    """Turn a fact down, also one that was promoted.

    \b
    Examples:
      lorewright ledger reject chat.ledger 1
    """
    _decide(file, stream, fact, "", as_json=as_json)


def _decide(file: str, stream: str, fact: int, authority: str, *, as_json: bool) -> None:
    from lorewright.ledger.facts import decide_fact, list_facts

    with _open(file, stream) as opened:
        decide_fact(opened, fact, authority)
        found = next(one for one in list_facts(opened) if one.fact == fact)
    if as_json:
        print_json(_object(found))
    else:
        _show([found], Screen())


def _read_reply(path: str) -> str:
    """The text of the file.

    Raises:
        InputError: it cannot be read; if there is none, the reply itself may stand in its place.
    """
    from lorewright.cli.files import looks_like_file, read_text

    if not looks_like_file(path) and not Path(path).suffix:
        raise InputError(
            f"{path[:80]}: there is no such file. Give a file with the reply, or `-` and the reply on standard input."
        )
    return read_text(path)


def _progress(ledger: Ledger, turn: int) -> Progress | None:
    """How far the reader of a turn was, if that was said of one book; of several nobody knows which a fact is about."""
    scene = dict(ledger.turn(turn)[1].scene)
    said: tuple[Progress, ...] = ledger.texts.get(scene["progress"]) if "progress" in scene else ()
    return said[0] if len(said) == 1 else None


def _object(fact: KeptFact) -> dict[str, Any]:
    entry = fact.entry
    return {
        "fact": fact.fact,
        "turn": fact.turn,
        "authority": fact.authority or "rejected",
        "subject": entry.subject if entry and isinstance(entry.subject, str) else None,
        "text": entry.content if entry else None,
        "keys": list(entry.keys) if entry and isinstance(entry.keys, tuple) else [],
        "replaces": fact.replaces or None,
    }


def _show(found: Any, screen: Screen) -> None:
    for one in found:
        shown = _object(one)
        screen.line(
            (f"{one.fact} ", "bold"), (shown["authority"], "cyan"), f", turn {one.turn}: ", shown["subject"] or ""
        )
        screen.text("(erased)" if shown["text"] is None else shown["text"])
        if shown["keys"]:
            screen.line(("keys: ", "dim"), ", ".join(shown["keys"]))
        if one.replaces:
            screen.line(("in place of ", "dim"), one.replaces)
