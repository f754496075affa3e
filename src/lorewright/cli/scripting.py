"""The regex scripts of a request: of the files that were named, and of the card if that is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from lorewright.cli.files import about_file
from lorewright.cli.screen import count
from lorewright.core.model import Report
from lorewright.core.protocols import Regexes
from lorewright.core.regex_script import LORE, REPLY, USER_INPUT, RegexScript, for_prompts
from lorewright.errors import InputError, RegexError
from lorewright.formats.card import Card
from lorewright.formats.read import BOOK_READERS, read_card, read_thing

__all__ = ["about_card_scripts", "choose_scripts", "read_card_scripts", "read_script_files"]

_OF_CHATS: Final = frozenset({"st_chat", "named_messages"})
"""Chats that SillyTavern wrote: its scripts that change a message itself ran when the message came."""
_ALONE: Final = "st_regex"
_OF_PROMPTS: Final = frozenset({USER_INPUT, REPLY, LORE})
_SHOWN_NAME: Final = 60
_SHOWN_SCRIPTS: Final = 5
_TOLD: Final = frozenset({"regex_unsupported_flag"})


def read_script_files(paths: Iterable[str], reports: list[Report]) -> tuple[RegexScript, ...]:
    """SillyTavern's scripts in files: those that stand alone first, then those of presets, as that program runs them.

    Raises:
        InputError: a file cannot be used, or has no script of SillyTavern in it.
    """
    alone: list[RegexScript] = []
    of_presets: list[RegexScript] = []
    for path in paths:
        with about_file(path, "thing"):
            read = read_thing(path)
        found = read.value.regex_scripts
        scripts = tuple(_of_sillytavern(found))
        if not scripts:
            raise InputError(f"{path}: {_tell_none(bool(found))}", path=path)
        (alone if read.format == _ALONE else of_presets).extend(scripts)
        reports += (report for report in read.reports if report.code in _TOLD)
    return (*alone, *of_presets)


def _tell_none(has_others: bool) -> str:
    if has_others:
        return "its regex scripts are RisuAI's, and only those of SillyTavern are run."
    return "there is no regex script in it. Give a script, a list of them, or a preset that has some."


def _of_sillytavern(scripts: Iterable[RegexScript]) -> Iterator[RegexScript]:
    """Without RisuAI's: these have words in place of numbers."""
    return (script for script in scripts if not any(isinstance(place, str) for place in script.placement))


def read_card_scripts(books: Iterable[tuple[str, str]], card: Card | None) -> tuple[RegexScript, ...]:
    """The scripts of the cards among the books, each a path and the format it was read as, and of the card.

    Raises:
        InputError: there is no card.
    """
    cards = [read_card(path).value for path, kind in books if kind not in BOOK_READERS]
    cards += [card] if card else []
    if not cards:
        raise InputError("--card-regex: there is no card. Give one with --card, or as a book.")
    return tuple(_of_sillytavern(script for one in cards for script in one.regex_scripts))


def choose_scripts(
    of_files: Sequence[RegexScript],
    of_cards: Sequence[RegexScript],
    chat_format: str,
    regexes: Regexes,
    *,
    raw_chat: bool,
    reports: list[Report],
) -> tuple[RegexScript, ...]:
    """All scripts in their order, but for those whose pattern cannot be read, and those that have run already on the
    messages of this chat."""
    scripts = (*of_files, *of_cards)
    reports += _tell_idle(scripts)
    scripts = tuple(_usable(scripts, regexes, reports))
    if raw_chat or chat_format not in _OF_CHATS:
        return scripts
    left = for_prompts(scripts)
    if done := len(scripts) - len(left):
        message = (
            f"{count(done, 'regex script')} that would change the messages themselves did so when SillyTavern wrote this "
            "chat, and {} not run again. Give --raw-chat if that is not so."
        )
        reports.append(Report(code="regex_ran_already", level="info", message=message.format(_verb(done))))
    return left


def _usable(scripts: Iterable[RegexScript], regexes: Regexes, reports: list[Report]) -> Iterator[RegexScript]:
    """The scripts whose pattern is a regular expression; of the others that would run a report says what is wrong. With
    macros in it only the text that they give can be judged."""
    for script in scripts:
        try:
            if script.macros_in_pattern == "no" and not _why_idle(script):
                regexes.compile(*_split(script.pattern))
        except RegexError as error:
            message = f"The regex script `{script.name[:_SHOWN_NAME]}` does nothing: {error.message}"
            reports.append(Report(code="regex_invalid", message=message))
            continue
        yield script


def _split(pattern: str) -> tuple[str, str]:
    from lorewright.templates.regex_scripts import split_pattern

    return split_pattern(pattern)


def _tell_idle(scripts: Iterable[RegexScript]) -> Iterator[Report]:
    """Which scripts change no text of a prompt whatever is said, and why."""
    idle = [(script.name[:_SHOWN_NAME], why) for script in scripts if (why := _why_idle(script))]
    if idle:
        shown = ", ".join(f"`{name}` ({why})" for name, why in idle[:_SHOWN_SCRIPTS])
        more = ", …" if len(idle) > _SHOWN_SCRIPTS else ""
        verb = "does" if len(idle) == 1 else "do"
        message = f"{count(len(idle), 'regex script')} {verb} nothing to a prompt: {shown}{more}."
        yield Report(code="regex_without_effect", level="info", message=message)


def _why_idle(script: RegexScript) -> str:
    if script.disabled:
        return "switched off"
    if not script.pattern:
        return "no pattern"
    if _OF_PROMPTS.isdisjoint(script.placement):
        return "not for messages or lore"
    return "only for display" if script.for_display and not script.for_prompt else ""


def _verb(number: int) -> str:
    return "is" if number == 1 else "are"


def about_card_scripts(reports: Iterable[Report], *, allowed: bool) -> Iterator[Report]:
    """The reports of reading a card, with what becomes of its scripts here."""
    for report in reports:
        if report.code != "script_inert" or report.field != "regex_scripts":
            yield report
        elif not allowed:
            message = f"{report.message} `--card-regex` runs them here."
            yield replace(report, message=message, level="info")
