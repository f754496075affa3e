"""Regex scripts on the client's messages: each message is changed once, and what came of it stays on its node.

A prompt cache lives from bytes that do not move. So a message keeps what its scripts made of it, whatever chance, clock
or variables would say today. Only a script's depth limit, or a change of the scripts themselves, changes it again, and
that is named. The chain knows the client's own words only: scripts are no part of a conversation's identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Final, NamedTuple

from lorewright.core.chain import Node, hash_parts
from lorewright.core.draw import draw_for
from lorewright.core.lore import Lore
from lorewright.core.model import Report, State, Turn
from lorewright.core.protocols import Draw, RenderContext, Rendered, ScriptRun, Tools
from lorewright.core.record import Move, ScriptStep
from lorewright.core.regex_script import REPLY, USER_INPUT, RegexScript, ScriptPlace
from lorewright.core.thread import Thread
from lorewright.core.variables import Values, Write

__all__ = ["Reading", "open_scripts", "rewrite_messages", "with_rewritten"]

_PLACEMENTS: Final = {"user": USER_INPUT, "assistant": REPLY}


class Reading(NamedTuple):
    """Turn and state with the variables that scripts wrote in messages, and what running them reported."""

    turn: Turn
    state: State
    reports: tuple[Report, ...] = ()


def with_rewritten(turn: Turn, thread: Thread) -> Turn:
    """The turn with the messages that are sent in place of the client's."""
    rewritten = thread.rewritten()
    if not rewritten:
        return turn
    messages = list(turn.messages)
    for place, text in rewritten.items():
        messages[place] = replace(messages[place], text=text)
    return replace(turn, messages=tuple(messages))


class _Plan(NamedTuple):
    """The scripts that take a message, in order, and the mark of that: which there are, and which of them do."""

    scripts: tuple[RegexScript, ...]
    mark: str


def open_scripts(tools: Tools) -> ScriptRun:
    """Begin a request.

    Raises:
        ValueError: the tools cannot run scripts.
    """
    if tools.scripts is None:
        raise ValueError(
            "The policy has regex scripts, and the tools have nothing that runs them. Give `Tools.scripts`."
        )
    return tools.scripts.open()


def rewrite_messages(thread: Thread, turn: Turn, lore: Lore, tools: Tools) -> Reading:
    """Run the policy's scripts on the user's messages and the replies of a request, oldest first.

    Those that change the message itself run before those for prompts; those that are only for display never run. What
    came of a message is put on its node, and a move is noted where that is not what was sent before. A message in front
    of all that is known has no node: it counts as deeper than any limit, and a script whose outcome could be another one
    next time does not run there.

    What a script writes counts for messages that are new since the last request on this branch.
    """
    scripts = lore.policy.scripts
    if not scripts and not any(node.scripts for _, node in thread.noted()):
        return Reading(turn, thread.state)
    return _Writer(thread, turn, lore, tools).write()


class _Writer:
    """The messages of one request while scripts run on them."""

    def __init__(self, thread: Thread, turn: Turn, lore: Lore, tools: Tools) -> None:
        self.thread = thread
        self.turn = turn
        self.lore = lore
        places = [ScriptPlace(number, for_prompt=later) for number in _PLACEMENTS.values() for later in (False, True)]
        self.scripts = tuple(script for script in lore.policy.scripts if any(place.takes(script) for place in places))
        self.ids = {script: script.id for script in self.scripts}
        self.set_mark = hash_parts(self.ids.values()) if self.scripts else ""
        self.run = open_scripts(tools) if self.scripts else None
        self.chance: Draw = tools.draw or draw_for(turn, 0)
        self.values = Values(turn.variables, turn.global_variables)
        self.writes: list[Write] = []
        self.reports: dict[tuple[str, str], Report] = {}
        limits = [limit for script in self.scripts for limit in (script.least_depth, script.most_depth)]
        self.deepest = 1 + max((limit for limit in limits if limit is not None), default=0)
        """Here and deeper the same scripts take a message."""
        self.plan = cache(self._plan)

    def write(self) -> Reading:
        thread = self.thread
        earlier = self._earlier_sets()
        newest = -1 if thread.base is None else thread.base
        for at, depth in enumerate(self._depths()):
            placement = _PLACEMENTS.get(thread.role(at))
            if placement is None:
                continue
            text = self.turn.messages[thread.places[at]].text
            if not thread.keys[at]:
                scripts = self.plan(placement, self.deepest).scripts
                thread.head_texts[thread.places[at]] = self._without_node(text, scripts)
                continue
            plan = self.plan(placement, min(depth, self.deepest))
            node = self._on_node(thread.keys[at], text, plan, known=at < thread.known)
            if at > newest:
                written = [write for step in node.steps for write in step.writes]
                self.values = self.values.after(written)
                self.writes += written
        self._name_change_in_head(earlier)
        turn, state = self.turn, thread.state
        if self.writes:
            turn = replace(turn, variables=self.values.local, global_variables=self.values.shared)
            if not turn.dry_run:
                kept = Values(state.variables, state.global_variables).after(self.writes)
                state = replace(state, variables=kept.local, global_variables=kept.shared)
        return Reading(turn, state, tuple(self.reports.values()))

    def _depths(self) -> Iterator[int]:
        """How many messages stand behind each; the one that is being continued is not counted, and has -1."""
        thread = self.thread
        shown = [not self.turn.messages[place].hidden for place in thread.places]
        behind = sum(shown) - (self.turn.trigger == "continue")
        for is_shown in shown:
            behind -= is_shown
            yield behind

    def _plan(self, placement: int, depth: float) -> _Plan:
        places = ScriptPlace(placement), ScriptPlace(placement, for_prompt=True, depth=depth)
        scripts = tuple(script for place in places for script in self.scripts if place.takes(script))
        taken = hash_parts(self.ids[script] for script in scripts) if scripts else ""
        return _Plan(scripts, f"{self.set_mark}:{taken}" if self.set_mark else "")

    def _on_node(self, key: str, text: str, plan: _Plan, *, known: bool) -> Node:
        node = self.thread.node(key)
        if node.scripts == plan.mark:
            return node
        steps = tuple(self._steps(key, text, plan.scripts, node.steps))
        before, now = (found[-1].text if found else text for found in (node.steps, steps))
        if known and before != now:
            same_set = _set_of(node.scripts) == self.set_mark
            self.thread.moves.append(Move("regex_depth" if same_set else "policy_change", node=key))
        node = replace(node, scripts=plan.mark, steps=steps)
        self.thread.put(node)
        return node

    def _steps(
        self, key: str, text: str, scripts: Iterable[RegexScript], earlier: Sequence[ScriptStep]
    ) -> Iterator[ScriptStep]:
        """The steps from the client's text on. One that was done from the same text keeps its outcome."""
        known: dict[tuple[str, str], ScriptStep] = {}
        before = text
        for step in earlier:
            known[step.script, before] = step
            before = step.text
        values = self.values
        for script in scripts:
            name = self.ids[script]
            kept = known.get((name, text))
            step = kept or self._step(script, text, f"{key}:{name}", values)
            if step.text != text or step.writes:
                yield step
            values = values.after(step.writes)
            text = step.text

    def _step(self, script: RegexScript, text: str, name: str, values: Values) -> ScriptStep:
        found = self._run(script, text, name, values)
        return ScriptStep(self.ids[script], found.text, found.writes)

    def _without_node(self, text: str, scripts: Iterable[RegexScript]) -> str:
        for script in scripts:
            found = self._run(script, text, self.ids[script], self.values)
            if not found.volatile:
                text = found.text
            elif found.text != text:
                self._report(
                    Report(
                        code="regex_script_not_kept",
                        message=f"The regex script `{script.name}` does nothing to a message before all that is known of "
                        "this chat: what it makes of it can be another text next time, and nothing there would keep it.",
                    )
                )
        return text

    def _run(self, script: RegexScript, text: str, name: str, values: Values) -> Rendered:
        if not text or self.run is None:
            return Rendered(text)
        drawn = iter(range(2**31))
        context = RenderContext(
            self.turn,
            lambda: self.chance.number(name, "script", next(drawn)),
            profile=self.lore.policy.name,
            variables=values,
        )
        found = self.run.run(script, text, context)
        for report in found.reports:
            self._report(report)
        return found

    def _report(self, report: Report) -> None:
        self.reports.setdefault((report.code, report.message), report)

    def _earlier_sets(self) -> set[str]:
        """Which other scripts there were in the last requests of known messages that scripts can take."""
        thread = self.thread
        known = [key for at, key in enumerate(thread.keys[: thread.known]) if key and thread.role(at) in _PLACEMENTS]
        return {_set_of(thread.node(key).scripts) for key in known} - {self.set_mark}

    def _name_change_in_head(self, earlier: set[str]) -> None:
        """Messages in front of all that is known have no node that could tell what they were, so a change of the scripts
        is named where the known begins."""
        messages, texts = self.turn.messages, self.thread.head_texts
        changed = bool(earlier - {""}) or any(text != messages[place].text for place, text in texts.items())
        if texts and earlier and changed:
            self.thread.moves.append(Move("policy_change", node=next(key for key in self.thread.keys if key)))


def _set_of(mark: str) -> str:
    """Which scripts there were."""
    return mark.partition(":")[0]
