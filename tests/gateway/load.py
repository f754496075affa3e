"""Many streams at once for a while, with lore in every request: nothing dropped, order kept, memory flat.

`python -m tests.gateway.load [STREAMS] [SECONDS]` (`make load`: 512 streams, 60 seconds).
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import aiohttp

from lorewright.testing.fake_upstream import FakeUpstream, Plan

EVENTS = tuple(b'data: {"number":%d,"text":"The wind over the isles."}\n\n' % number for number in range(20))
WHOLE = b"".join(EVENTS)
MIB = 1024 * 1024
MAY_GROW_BYTES = 10 * MIB
WARM_SHARE = 1 / 6
"""Of the time; then memory is looked at first, or later, once every stream has had a reply: until then code is loaded,
connections are opened and what is kept of chats is filled."""
GAP_SECONDS = 0.05
STREAMS_AT_FULL_SPEED = 96
"""With more of them each is slower, as those of a model are: every request begins a turn, which costs its time."""
ENTRIES = {str(uid): {"uid": uid, "key": [f"word{uid}"], "content": f"Lore number {uid}."} for uid in range(1000)}
BOOK = {"entries": {**ENTRIES, "1000": {"uid": 1000, "key": [], "constant": True, "content": "The isles are nine."}}}


@dataclass
class Load:
    """What came of it. replies: by stream. early, late: memory of the gateway in bytes (0 where the system does not
    say) and the number of replies, once it was warm and at the end."""

    replies: Counter[int] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    """By what was wrong."""
    early: tuple[int, int] = (0, 0)
    late: tuple[int, int] = (0, 0)
    came: asyncio.Event = field(default_factory=asyncio.Event)
    """Set with every reply."""

    @property
    def growth_bytes(self) -> int:
        return self.late[0] - self.early[0]

    @property
    def growth_replies(self) -> int:
        """The replies in which it grew so much."""
        return self.late[1] - self.early[1]


def run(streams: int, seconds: float) -> Load:
    """Send streamed chats through a gateway in a process of its own."""
    gap_seconds = GAP_SECONDS * max(1.0, streams / STREAMS_AT_FULL_SPEED)
    with FakeUpstream() as fake, tempfile.TemporaryDirectory() as folder:
        fake.usually(Plan(pieces=EVENTS, content_type="text/event-stream", between_seconds=gap_seconds))
        (Path(folder) / "book.json").write_text(json.dumps(BOOK), "utf-8")
        file = Path(folder) / "lorewright.toml"
        routes = '[limits]\nweave_seconds = 10\n[routes.any]\nupstream = "fake"\nmodel = "m"\nbooks = ["book.json"]\n'
        file.write_text(f'default_route = "any"\n{routes}[upstreams.fake]\nbase_url = "{fake.base_url}"\n', "utf-8")
        command = [sys.executable, "-m", "lorewright", "serve", "--config", str(file), "--port", "0"]
        environment = os.environ | {"LOREWRIGHT_DATA_DIR": folder}
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as gateway:
            try:
                assert gateway.stdout is not None
                found = re.search(rb"http://\S+?:\d+", gateway.stdout.readline())
                assert found is not None
                return asyncio.run(_drive(found[0].decode(), gateway.pid, streams, seconds, len(EVENTS) * gap_seconds))
            finally:
                gateway.terminate()


async def _drive(address: str, pid: int, streams: int, seconds: float, reply_seconds: float) -> Load:
    load = Load()
    timeout, connector = aiohttp.ClientTimeout(60), aiohttp.TCPConnector(limit=0)
    async with (
        aiohttp.ClientSession(address, timeout=timeout, connector=connector) as client,
        asyncio.TaskGroup() as group,
    ):
        chats = [
            group.create_task(_chat(client, load, number, number / streams * reply_seconds))
            for number in range(streams)
        ]

        async def look(wait_seconds: float, replies: int) -> tuple[int, int]:
            """Memory and replies, once so much more time is over and each stream has had so many replies."""
            await asyncio.sleep(wait_seconds)
            while len(load.replies) < streams or min(load.replies.values()) < replies:
                load.came.clear()
                await load.came.wait()
            return _rss_bytes(pid), load.replies.total()

        load.early = await look(seconds * WARM_SHARE, 1)
        load.late = await look(seconds * (1 - WARM_SHARE), 3)
        for chat in chats:
            chat.cancel()
    return load


async def _chat(client: aiohttp.ClientSession, load: Load, number: int, wait_seconds: float) -> None:
    """One chat after the other, for ever, each of five turns. `wait_seconds`: people do not all begin at once."""
    await asyncio.sleep(wait_seconds)
    for chat in count():
        messages = [{"role": "user", "content": f"Chat {chat} of {number} begins with word{number}."}]
        for turn in range(5):
            body = {"model": "x", "stream": True, "messages": messages}
            async with client.post("/v1/chat/completions", json=body) as reply:
                content = await reply.read()
            load.replies[number] += 1
            load.came.set()
            if reply.status != 200 or content != WHOLE:
                load.wrong[f"{reply.status} {content[-200:]!r}"] += 1
            if "x-lorewright-turn" not in reply.headers:
                load.wrong[f"not woven: {reply.headers.get('x-lorewright-error')}"] += 1
            messages += [{"role": "assistant", "content": f"Yes {turn}."}, {"role": "user", "content": f"And {turn}?"}]


def _rss_bytes(pid: int) -> int:
    """Resident memory of a process, 0 where the system does not say."""
    status = Path(f"/proc/{pid}/status")
    found = re.search(r"VmRSS:\s+(\d+) kB", status.read_text("utf-8")) if status.exists() else None
    return int(found[1]) * 1024 if found else 0


if __name__ == "__main__":
    words = sys.argv[1:]
    result = run(int(words[0]) if words else 512, float(words[1]) if len(words) > 1 else 60)
    print(f"{result.replies.total():,} replies, {dict(result.wrong)} wrong; {result.early[0] / MIB:.1f} MiB", end="; ")
    print(f"after {result.growth_replies:,} more replies {result.late[0] / MIB:.1f} MiB")
    sys.exit(bool(result.wrong) or result.growth_bytes > MAY_GROW_BYTES)
