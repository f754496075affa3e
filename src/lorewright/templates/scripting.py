"""SillyTavern's regex scripts as the engine's `Scripts`: its macros, and limits of time for a request as a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from lorewright.core.model import Report, Turn
from lorewright.core.protocols import Regexes, RenderContext, Rendered
from lorewright.core.regex_script import LORE, RegexScript, ScriptPlace
from lorewright.templates.dialects import as_rendered, share_sillytavern, with_variables

if TYPE_CHECKING:
    from lorewright.templates.context import Context
    from lorewright.templates.regex_scripts import ScriptTools

__all__ = ["ScriptRunOfRequest", "SillyTavernScripts"]

_ENDLESS_SECONDS: Final = 3600.0
_ANYWHERE: Final = ScriptPlace(LORE, for_prompt=True)
_SHOWN: Final = 60


class SillyTavernScripts:
    """Runs scripts with the macros of SillyTavern: those of the old engine if `legacy`, else of the new one, in the
    profile `sillytavern` with its bugs.

    `cpu_seconds` tells how long the processor has worked. A script that has no answer in `seconds` for a text does
    nothing in the rest of the request, nor does any after `request_seconds`.
    """

    repeatable = True
    """But for the limits, the same turn, variables and draws give the same text."""

    def __init__(
        self,
        regexes: Regexes,
        cpu_seconds: Callable[[], float],
        *,
        legacy: bool = False,
        seconds: float = 0.4,
        request_seconds: float = 20.0,
    ) -> None:
        self._regexes = regexes
        self._cpu_seconds = cpu_seconds
        self._legacy = legacy
        self._seconds = seconds
        self._request_seconds = request_seconds

    def open(self, *, endless: bool = False) -> ScriptRunOfRequest:
        """See `Scripts`."""
        if endless:
            return ScriptRunOfRequest(self._make_tools(_ENDLESS_SECONDS), self._cpu_seconds, _ENDLESS_SECONDS)
        return ScriptRunOfRequest(self._make_tools(self._seconds), self._cpu_seconds, self._request_seconds)

    def _make_tools(self, seconds: float) -> tuple[ScriptTools, ScriptTools]:
        """Without SillyTavern's bugs, and with them. The engines are loaded with the first script."""
        from lorewright.templates.engines import LegacyEngine, NewEngine
        from lorewright.templates.regex_scripts import ScriptTools
        from lorewright.templates.sillytavern import KEPT, REPAIRED

        engines = [LegacyEngine()] * 2 if self._legacy else [NewEngine(defects=REPAIRED), NewEngine(defects=KEPT)]
        repaired, kept = (ScriptTools(self._regexes, engine, seconds=seconds) for engine in engines)
        return repaired, kept


class ScriptRunOfRequest:
    """The scripts of one request, with an account of the time that they took."""

    def __init__(
        self, tools: tuple[ScriptTools, ScriptTools], cpu_seconds: Callable[[], float], limit_seconds: float
    ) -> None:
        self._tools, self._with_bugs = tools
        self._cpu_seconds = cpu_seconds
        self._left_seconds = limit_seconds
        self._limit_seconds = limit_seconds
        self._given_up: set[RegexScript] = set()
        self._shared: tuple[Turn, Context] | None = None

    def run(self, script: RegexScript, text: str, context: RenderContext) -> Rendered:
        """See `ScriptRun.run`."""
        if script in self._given_up:
            return _refused(script, text, "it took too long in another text of this request.")
        if self._left_seconds <= 0:
            return _refused(script, text, f"all scripts of this request together took over {self._limit_seconds:g} s.")
        from lorewright.templates.regex_scripts import ScriptRunner

        began = self._cpu_seconds()
        runner = ScriptRunner(
            with_variables(self._context(context.turn), context),
            self._with_bugs if context.profile == "sillytavern" else self._tools,
        )
        found = as_rendered(runner.rendered(runner.run_one(text, script, _ANYWHERE)), context.turn)
        self._left_seconds -= self._cpu_seconds() - began
        if any(report.code == "regex_timeout" for report in found.reports):
            self._given_up.add(script)
        return found

    def _context(self, turn: Turn) -> Context:
        if self._shared is None or self._shared[0] is not turn:
            self._shared = (turn, share_sillytavern(turn))
        return self._shared[1]


def _refused(script: RegexScript, text: str, why: str) -> Rendered:
    message = f"The regex script `{script.name[:_SHOWN]}` does nothing: {why}"
    return Rendered(text, reports=(Report(code="regex_timeout", message=message),))
