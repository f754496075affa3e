"""Regex scripts that ran out of time: recorded once, given back when the turn is assembled again.

Another machine has other times. What scripts give that have an answer comes from the turn, and needs no record.
"""

from __future__ import annotations

from typing import Any

from lorewright.core.protocols import RenderContext, Rendered, ScriptRun, Scripts
from lorewright.core.regex_script import RegexScript
from lorewright.ledger.given_up import digest_text

__all__ = ["RecordedScripts", "RecordingScripts"]


class RecordingScripts:
    """`Scripts` that remember what they gave where it cannot be found again; `take` gives it and starts anew."""

    def __init__(self, scripts: Scripts) -> None:
        self.scripts = scripts
        self.all = not getattr(scripts, "repeatable", False)
        self.outputs: list[tuple[Any, ...]] = []
        self.calls = 0

    def open(self, *, endless: bool = False) -> ScriptRun:
        return _RecordingRun(self, self.scripts.open(endless=endless))

    def take(self) -> tuple[tuple[Any, ...], ...]:
        outputs, self.outputs, self.calls = self.outputs, [], 0
        return tuple(outputs)


class _RecordingRun:
    def __init__(self, recorder: RecordingScripts, run: ScriptRun) -> None:
        self.recorder = recorder
        self.inner = run

    def run(self, script: RegexScript, text: str, context: RenderContext) -> Rendered:
        found = self.inner.run(script, text, context)
        self.recorder.calls += 1
        if self.recorder.all or any(report.code == "regex_timeout" for report in found.reports):
            writes = tuple(tuple(write) for write in found.writes)
            output = (found.text, found.volatile, found.kinds, found.reads, writes)
            self.recorder.outputs.append((self.recorder.calls, digest_text(script.id + text), *output))
        return found


class RecordedScripts:
    """`Scripts` that give what was recorded, and take their time for all else. Calls are counted: they come in the same
    order again."""

    def __init__(self, scripts: Scripts, outputs: tuple[tuple[Any, ...], ...]) -> None:
        self.scripts = scripts
        self.outputs = {(call, digest): Rendered(*output) for call, digest, *output in outputs}
        self.calls = 0

    def open(self, *, endless: bool = False) -> ScriptRun:
        del endless
        return _RecordedRun(self, self.scripts.open(endless=True))


class _RecordedRun:
    def __init__(self, recorded: RecordedScripts, run: ScriptRun) -> None:
        self.recorded = recorded
        self.inner = run

    def run(self, script: RegexScript, text: str, context: RenderContext) -> Rendered:
        self.recorded.calls += 1
        found = self.recorded.outputs.get((self.recorded.calls, digest_text(script.id + text)))
        return self.inner.run(script, text, context) if found is None else found
