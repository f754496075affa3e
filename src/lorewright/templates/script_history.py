"""Regex scripts on the messages of a prompt: each message is changed once, and what came of it stays.

A prompt cache lives from bytes that do not move. So a message that was changed before keeps its text, whatever chance
or variables would say today. Only a script's depth limit, or a change of the scripts themselves, changes an old
message again, and that is named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from lorewright.core.regex_script import RegexScript
from lorewright.templates.context import Context
from lorewright.templates.regex_scripts import LORE, Place, ScriptRunner, ScriptTools
from lorewright.templates.rendered import Rendered

__all__ = ["History", "Moved", "Said", "Step", "Written", "rewrite_history", "rewrite_lore"]


@dataclass(frozen=True, slots=True)
class Said:
    """A message as the client sent it. `key` tells it apart for ever; `placement` as in `RegexScript`."""

    key: str
    placement: int
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """A script that ran on a message, and the text after it."""

    script: RegexScript
    text: str


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a message: the text it was, and every script that ran, in order."""

    source: str
    steps: tuple[Step, ...] = ()

    @property
    def text(self) -> str:
        """As it stands in the prompt."""
        return self.steps[-1].text if self.steps else self.source


@dataclass(frozen=True, slots=True)
class Moved:
    """An old message that is not what it was.

    reason: `regex_depth`, a script with a depth limit began or ceased to take it; `regex_scripts`, the scripts were
    changed. scripts: the names of those.
    """

    reason: Literal["regex_depth", "regex_scripts"]
    key: str
    scripts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class History:
    """The messages as they are sent, by key: keep `written` and hand it in with the next request.

    `moved` names old messages whose text changed. `rendered` holds what macros in the scripts read, wrote and
    reported; its text is empty.
    """

    written: Mapping[str, Written]
    moved: tuple[Moved, ...]
    rendered: Rendered


def rewrite_history(
    messages: Sequence[Said],
    scripts: Sequence[RegexScript],
    context: Context,
    tools: ScriptTools,
    earlier: Mapping[str, Written] | None = None,
    *,
    stored: bool = True,
) -> History:
    """Run scripts on the messages of a prompt, oldest first.

    Scripts that are only for display never run. The depth of a message is the number of messages behind it.

    Args:
        messages: the conversation as the client sent it.
        scripts: in their order: global ones, those of the preset, those of the character.
        context: what macros in scripts can read.
        tools: what scripts run with.
        earlier: what became of messages of earlier requests.
        stored: also run scripts that change the message itself, before those for prompts. False where the client has
            done that already.
    """
    runner = ScriptRunner(context, tools)
    known = earlier or {}
    written: dict[str, Written] = {}
    moved: list[Moved] = []
    for number, message in enumerate(messages):
        before = known.get(message.key)
        places = [Place(message.placement)] if stored else []
        places.append(Place(message.placement, for_prompt=True, depth=len(messages) - 1 - number))
        planned = [(script, place) for place in places for script in scripts if place.takes(script)]
        steps = before.steps if before is not None and before.source == message.text else ()
        now = written[message.key] = _run(message.text, planned, steps, runner)
        if before is not None and before.source == message.text and now.text != before.text:
            moved.append(_why(message.key, before, now, scripts))
    return History(written, tuple(moved), runner.rendered(""))


def rewrite_lore(
    text: str, scripts: Sequence[RegexScript], context: Context, tools: ScriptTools, *, depth: float | None = None
) -> Rendered:
    """A text of lore after the scripts for prompts; `depth` where it stands at a depth, None elsewhere."""
    runner = ScriptRunner(context, tools)
    changed = runner.run(text, scripts, Place(LORE, for_prompt=True, depth=depth))
    return runner.rendered(changed)


def _run(
    text: str, planned: Sequence[tuple[RegexScript, Place]], earlier: Sequence[Step], runner: ScriptRunner
) -> Written:
    """Run what did not run before; a step whose forerunners are the same keeps its result."""
    steps: list[Step] = []
    same = True
    now = text
    for number, (script, place) in enumerate(planned):
        same = same and number < len(earlier) and earlier[number].script == script
        now = earlier[number].text if same else runner.run_one(now, script, place)
        steps.append(Step(script, now))
    return Written(text, tuple(steps))


def _why(key: str, before: Written, now: Written, scripts: Sequence[RegexScript]) -> Moved:
    old, new = ([step.script for step in one.steps] for one in (before, now))
    changed = [script for script in old if script not in new] + [script for script in new if script not in old]
    limited = all(
        script in scripts and (script.least_depth is not None or script.most_depth is not None) for script in changed
    )
    names = tuple(dict.fromkeys(script.name for script in changed))
    return Moved("regex_depth" if changed and limited else "regex_scripts", key, names)
