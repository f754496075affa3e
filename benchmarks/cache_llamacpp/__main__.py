"""`make bench-cache`: the bundled session against a real model server, under each placement.

The replies are those of the session, so each run sends the same chat; of every answer one token is taken. What the
server says it evaluated is compared with what must be read: the client's new messages, our new texts, and the
template's own tokens. Two things are shown apart. Turns where a listed reason moved something are left out of the
ratio. And as the server did not write the session's replies itself, it has to read each of them (a lost reply): the
second ratio, `apart`, takes those tokens out of both sides.
"""

import argparse
import json
import platform
import re
import sys
from dataclasses import replace
from datetime import UTC, datetime

from benchmarks.cache_llamacpp.server import FLAGS, Server
from benchmarks.session import make_session_tools, requests
from benchmarks.table import RECORD, machine
from lorewright import NATIVE, load_lore
from lorewright.core.simulate import simulate

MOST = 1.15
PLACEMENTS = {"frozen": "frozen", "classic": "sillytavern", "none": "frozen"}


def merged(woven):
    """The messages as strict templates want them: system texts in the chat become the user's, equal roles are one."""
    found = []
    for message in woven.messages:
        role = "user" if message.role == "system" and found else message.role
        if found and found[-1]["role"] == role:
            found[-1]["content"] += "\n\n" + message.content
        else:
            found.append({"role": role, "content": message.content})
    return found


def ours(woven):
    """Our texts in a request, by where they come from."""
    return [(p.kind, p.entry, p.text) for m in woven.messages for p in m.pieces if p.kind != "client"]


def client(woven):
    """The client's texts in a request, by the role that said them."""
    return [(m.role, p.text) for m in woven.messages for p in m.pieces if p.kind == "client"]


def new_in(now, before):
    """What is in a list and was not in the one before, as often as it is there."""
    left = list(before)
    return [item for item in now if item not in left or left.remove(item)]


def run(server, name, turns):
    """One row for each request."""
    tools = make_session_tools()
    policy = replace(NATIVE, placement=PLACEMENTS[name])
    sent = requests(tools, policy)[:turns]
    empty = load_lore((), tools, policy)
    measured = simulate(((r.turn, empty if name == "none" else r.lore) for r in sent), tools)
    rows, before, own_before = [], None, 0
    for request, item in zip(sent, measured, strict=True):
        messages = merged(item.woven)
        answer = server.ask(
            "/v1/chat/completions",
            {"messages": messages, "max_tokens": 1, "temperature": 0, "cache_prompt": True, "id_slot": 0},
        )
        prompt = server.ask("/apply-template", {"messages": messages})["prompt"]
        own = server.count(prompt) - sum(server.count(message["content"]) for message in messages)
        spoken = new_in(client(item.woven), client(before) if before else [])
        placed = new_in(ours(item.woven), ours(before) if before else [])
        rows.append(
            {
                "turn": request.number,
                "done": "+".join(request.done),
                "causes": sorted({move.cause for move in item.woven.moves}),
                "prompt": answer["usage"]["prompt_tokens"],
                "evaluated": answer["timings"]["prompt_n"],
                "client": sum(server.count(text) for role, text in spoken if role != "assistant"),
                "replies": sum(server.count(text) for role, text in spoken if role == "assistant"),
                "placed": sum(server.count(text) for _, _, text in placed),
                "template": max(0, own - own_before),
            }
        )
        before, own_before = item.woven, own
    return rows


def total(rows, *names):
    return sum(row[name] for row in rows for name in names)


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cache_llamacpp", description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, help="only the first requests")
    parser.add_argument("--record", action="store_true", help="write the figures to benchmarks/record/")
    given = parser.parse_args()
    info = machine()
    print(", ".join(f"{key} {value}" for key, value in info.items()))
    print(f"server flags: {' '.join(FLAGS)}")
    heads = ("prompt", "evaluated", "moved", "quiet", "must", "replies")
    print(f"{'placement':10} {' '.join(f'{head:>9}' for head in heads)} {'ratio':>6} {'apart':>6}")
    runs, ratios, apart = {}, {}, {}
    for name in PLACEMENTS:
        with Server() as server:
            rows = runs[name] = run(server, name, given.turns)
        quiet = [row for row in rows if not row["causes"]]
        all_read, read, replies = total(rows, "evaluated"), total(quiet, "evaluated"), total(quiet, "replies")
        must = total(quiet, "client", "placed", "template") + replies
        ratios[name], apart[name] = read / must, (read - replies) / (must - replies)
        figures = (total(rows, "prompt"), all_read, all_read - read, read, must, replies)
        print(
            f"{name:10} {' '.join(f'{figure:9}' for figure in figures)} {ratios[name]:6.3f} {apart[name]:6.3f}",
            flush=True,
        )
    print("moved: evaluated on turns with a listed reason; must: the client's new texts, our new ones, the template's")
    print("replies: those the server did not write itself, a part of must; apart: the ratio without them")
    if given.record:
        RECORD.mkdir(exist_ok=True)
        path = RECORD / f"cache-llamacpp-{datetime.now(UTC):%Y-%m-%d}-{platform.machine()}.json"
        value = {"machine": info, "flags": FLAGS, "limit": MOST, "ratios": ratios, "apart": apart, "runs": runs}
        text = json.dumps(value, indent=1, ensure_ascii=False)
        path.write_text(re.sub(r"\n {4,}|\n {3}(?=[}])", " ", text) + "\n", "utf-8")  # a line for each request
        print(f"written to {path.name}")
    if ratios["frozen"] > MOST:
        sys.exit(f"frozen evaluated {ratios['frozen']:.3f} times what it must, more than {MOST}")


if __name__ == "__main__":
    main()
