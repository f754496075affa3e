"""`cache-sim`: a recorded chat, turn by turn, under each placement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from lorewright.cli.plain_json import report_object
from lorewright.cli.scene import Scene
from lorewright.cli.screen import Screen
from lorewright.core.lore import Lore
from lorewright.core.model import Turn
from lorewright.core.policy import Placement
from lorewright.core.simulate import Measured, simulate, summarise
from lorewright.errors import InputError
from lorewright.toolbox import load_lore

__all__ = ["Simulation", "run_simulation", "show_simulation", "simulation_object"]

_PLACEMENTS: Final[Mapping[str, Placement]] = {"frozen": "frozen", "classic": "sillytavern", "none": "frozen"}
"""By the name in the table; `none` is the chat without lore."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """The requests of a chat as each placement sends them."""

    scene: Scene
    runs: Mapping[str, Sequence[Measured]]


def run_simulation(scene: Scene) -> Simulation:
    """Send the chat of a scene as often as its user wrote.

    Raises:
        InputError: the chat has no message of the user, or a text is made of it.
    """
    if scene.completion is not None:
        raise InputError("A text completion is laid out anew in every turn, so no two placements can be compared.")
    turns = _turns(scene.turn)
    if not turns:
        raise InputError("The chat has no message of the user, so there is no request to compare. Give a longer chat.")
    runs: dict[str, Sequence[Measured]] = {}
    for name, placement in _PLACEMENTS.items():
        lore = _with_placement(scene, placement, empty=name == "none")
        runs[name] = simulate(((turn, lore) for turn in turns), scene.tools)
    return Simulation(scene, runs)


def _turns(turn: Turn) -> list[Turn]:
    """The requests that led to the chat: one for each message of the user."""
    shown = [place for place, message in enumerate(turn.messages) if message.role == "user" and not message.hidden]
    return [replace(turn, messages=turn.messages[: place + 1]) for place in shown]


def _with_placement(scene: Scene, placement: Placement, *, empty: bool) -> Lore:
    policy = replace(scene.rules.policy, placement=placement)
    return load_lore((), scene.tools, policy) if empty else replace(scene.lore, policy=policy, _views={})


def simulation_object(simulation: Simulation) -> dict[str, object]:
    """The answer as `cache-sim --json` prints it."""
    return {
        "counter": simulation.scene.tools.counter.name,
        "placements": {n: _run(r) for n, r in simulation.runs.items()},
        "reports": [report_object(report) for report in simulation.scene.reports],
    }


def _run(measured: Sequence[Measured]) -> dict[str, object]:
    summary = summarise(measured)
    return {
        "requests": summary.requests,
        "tokens": summary.tokens,
        "newTokens": summary.new_tokens,
        "leastShare": round(summary.least_share, 4),
        "medianShare": round(summary.median_share, 4),
        "keptWhole": summary.kept_whole,
        "moved": summary.moved,
        "turns": [_turn(item) for item in measured],
    }


def _turn(item: Measured) -> dict[str, object]:
    kept = item.kept
    found: dict[str, object] = {"tokens": item.tokens, "newTokens": item.new_tokens}
    if kept is not None:
        found |= {"keptBytes": kept.kept_bytes, "ofBytes": kept.total_bytes}
        found |= {"keptTokens": kept.kept_tokens, "ofTokens": kept.total_tokens}
        if kept.first_difference is not None:
            entry = kept.piece.entry if kept.piece else ""
            found |= {"firstDifference": kept.first_difference, "cause": kept.cause, "entry": entry}
    return found


def show_simulation(simulation: Simulation, screen: Screen) -> None:
    """Print the table: a line for each placement."""
    requests = len(next(iter(simulation.runs.values())))
    screen.line((f"{requests} requests, tokens by {simulation.scene.tools.counter.name}", "dim"))
    screen.line()
    heads = ("placement", "tokens sent", "read anew", "least kept", "median kept", "kept whole")
    screen.line(("".join(f"{head:>13}" for head in heads), "bold"))
    for name, measured in simulation.runs.items():
        summary = summarise(measured)
        shares = f"{summary.least_share:>13.1%}{summary.median_share:>13.1%}"
        whole = f"{summary.kept_whole} of {summary.requests - 1}"
        screen.line(f"{name:>13}{summary.tokens:>13}{summary.new_tokens:>13}{shares}{whole:>13}")
    screen.line()
    screen.line("Kept: how much of a request stands at the beginning of the next one. Read anew: tokens behind that.")
    screen.reports(simulation.scene.reports)
