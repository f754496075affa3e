"""The regex scripts of a route's replies: read from its files, and run on texts within limits of time."""

from __future__ import annotations

import logging
import random
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from time import thread_time
from typing import Final

from lorewright.core.model import Character, Turn
from lorewright.core.protocols import RenderContext, ScriptRun
from lorewright.core.regex_script import REPLY, RegexScript, ScriptPlace
from lorewright.errors import LorewrightError
from lorewright.fast.regexes import default_regexes
from lorewright.formats.read import read_card, read_thing
from lorewright.gateway.configuration import Route
from lorewright.gateway.look import look
from lorewright.gateway.replies.passage import Rules, Scripted
from lorewright.templates.scripting import SillyTavernScripts

__all__ = ["ReplyScripts"]

_LOG: Final = logging.getLogger(__name__)
_SECONDS: Final = 0.4
"""For one script on one text."""
_REPLY_SECONDS: Final = 2.0
"""For all scripts on one reply."""
_MESSAGE: Final = ScriptPlace(REPLY)
_DISPLAY: Final = ScriptPlace(REPLY, for_display=True, depth=0)
"""A reply is the newest message, and nothing stands behind it."""
_SHOWN: Final = 60
_MOST_ROUTES: Final = 1000


class ReplyScripts:
    """The rules of routes, with their scripts as the files are now."""

    def __init__(self) -> None:
        self._read: dict[Route, tuple[tuple[object, ...], _Files]] = {}

    def rules(self, route: Route) -> Rules:
        """What is to be done to one reply. Reads files; a file that cannot be read is told, and no script runs."""
        replies = route.replies
        if not replies.has_scripts:
            return Rules(replies.hide_updates)
        paths = tuple(_paths(route))
        seen = tuple(map(look, paths))
        found = self._read.get(route)
        if found is None or found[0] != seen:
            if len(self._read) > _MOST_ROUTES:
                self._read.clear()  # those of routes that are no more
            found = self._read[route] = (seen, _read(route))
        return found[1].rules(route)


class _Files:
    """What the files of a route hold: scripts that change the message, those for display, the character."""

    def __init__(self, scripts: Iterable[RegexScript], character: Character | None, problem: str = "") -> None:
        listed = tuple(scripts)
        self._change = tuple(one for one in listed if _MESSAGE.takes(one))
        self._show = tuple(one for one in listed if _DISPLAY.takes(one) and not _MESSAGE.takes(one))
        self._character = character
        self._problem = problem
        self._engine = SillyTavernScripts(
            default_regexes(), thread_time, seconds=_SECONDS, request_seconds=_REPLY_SECONDS
        )

    def rules(self, route: Route) -> Rules:
        turn = Turn(messages=(), user=route.user or "User", character=self._character)
        run = partial(_run, self._engine.open(), RenderContext(turn, random.random))
        return Rules(
            route.replies.hide_updates,
            partial(run, self._change) if self._change else None,
            partial(run, self._show) if self._show else None,
            self._problem,
        )


def _run(run: ScriptRun, context: RenderContext, scripts: Iterable[RegexScript], text: str) -> Scripted:
    """A text after scripts, one after the other. One that fails leaves the text as it is."""
    by: list[str] = []
    failed: list[str] = []
    for script in scripts:
        name = script.name[:_SHOWN]
        try:
            found = run.run(script, text, context)
        except Exception as error:  # noqa: BLE001  a reply is never lost to a script
            failed.append(f"The regex script `{name}` does nothing ({type(error).__name__}).")
            continue
        failed += (report.message for report in found.reports)
        if found.writes:
            failed.append(f"What the regex script `{name}` writes into variables is not kept.")
        if found.text != text:
            by.append(name)
            text = found.text
    for sentence in failed:
        _LOG.warning("%s", sentence)
    return Scripted(text, tuple(by), tuple(failed))


def _paths(route: Route) -> Iterable[str]:
    replies = route.replies
    yield from replies.scripts
    if replies.preset_scripts and route.preset:
        yield route.preset
    if route.card:
        yield route.card


def _read(route: Route) -> _Files:
    scripts: list[RegexScript] = []
    character, replies, path = None, route.replies, ""
    try:
        for path in (*replies.scripts, *([route.preset] if replies.preset_scripts and route.preset else ())):
            scripts += read_thing(path).value.regex_scripts
        if path := route.card or "":
            card = read_card(path).value
            character = card.character
            scripts += card.regex_scripts if replies.card_scripts else ()
    except LorewrightError as error:
        problem = f"No regex script runs, since {Path(path).name} cannot be read: {error.message}"
        _LOG.warning("route %s: %s", route.name, problem)
        return _Files((), None, problem)
    return _Files(scripts, character)
