"""What each placement keeps of the prompt cache in the bundled session of 100 turns."""

from dataclasses import replace
from statistics import median
from typing import get_args

from benchmarks.session import Request, make_session_tools, requests
from lorewright import NATIVE
from lorewright.core.policy import Placement
from lorewright.core.simulate import Measured, simulate, summarise


def run(placement: Placement) -> list[tuple[Request, Measured]]:
    """Every request of the session with what it kept."""
    tools = make_session_tools()
    sent = requests(tools, replace(NATIVE, placement=placement))
    return list(zip(sent, simulate(((request.turn, request.lore) for request in sent), tools), strict=True))


def shares(measured: list[Measured]) -> str:
    kept = [item.kept.share for item in measured if item.kept]
    return f"minimum {min(kept):.1%}, median {median(kept):.1%} of {len(kept)}"


def main() -> None:
    for placement in get_args(Placement):
        found = run(placement)
        quiet = [item for _, item in found if not item.woven.moves]
        moved = [(request, item) for request, item in found if item.kept and item.woven.moves]
        summary = summarise([item for _, item in found])
        print(
            f"{placement}: {summary.requests} requests, {summary.tokens} tokens, {summary.new_tokens} of them read anew"
        )
        print(f"  kept where nothing listed happened: {shares(quiet)}")
        print(f"  kept where a reason is listed:      {shares([item for _, item in moved])}")
        for request, item in moved if placement == "frozen" else ():
            causes = ", ".join(sorted({move.cause for move in item.woven.moves}))
            share = item.kept.share if item.kept else 1
            print(f"    turn {request.number:3} {'+'.join(request.done):15} {share:7.1%} kept  {causes}")
