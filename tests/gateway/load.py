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

import httpx2

from lorewright.testing.fake_upstream import FakeUpstream, Plan

EVENTS = tuple(b'data: {"number":%d,"text":"The wind over the isles."}\n\n' % number for number in range(20))
WHOLE = b"".join(EVENTS)
MIB = 1024 * 1024
MAY_GROW_BYTES = 10 * MIB
STREAMS_AT_FULL_SPEED = 64
"""With more of them each is slower, as those of a model are: every request begins a turn, which costs its time."""
ENTRIES = {str(uid): {"uid": uid, "key": [f"word{uid}"], "content": f"Lore number {uid}."} for uid in range(1000)}
BOOK = {"entries": {**ENTRIES, "1000": {"uid": 1000, "key": [], "constant": True, "content": "The isles are nine."}}}


@dataclass
class Load:
    """What came of it. rss_bytes: memory of the gateway after a sixth of the time, and at the end; 0 where not known."""

    replies: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    """By what was wrong."""
    rss_bytes: tuple[int, int] = (0, 0)

    @property
    def growth_bytes(self) -> int:
        return self.rss_bytes[1] - self.rss_bytes[0]


def run(streams: int, seconds: float) -> Load:
    """Send streamed chats through a gateway in a process of its own."""
    gap_seconds = 0.05 * max(1.0, streams / STREAMS_AT_FULL_SPEED)
    with FakeUpstream() as fake, tempfile.TemporaryDirectory() as folder:
        fake.usually(Plan(pieces=EVENTS, content_type="text/event-stream", between_seconds=gap_seconds))
        (Path(folder) / "book.json").write_text(json.dumps(BOOK), "utf-8")
        file = Path(folder) / "lorewright.toml"
        routes = '[limits]\nweave_seconds = 30\n[routes.any]\nupstream = "fake"\nmodel = "m"\nbooks = ["book.json"]\n'
        file.write_text(f'default_route = "any"\n{routes}[upstreams.fake]\nbase_url = "{fake.base_url}"\n', "utf-8")
        command = [sys.executable, "-m", "lorewright", "serve", "--config", str(file), "--port", "0"]
        environment = os.environ | {"LOREWRIGHT_DATA_DIR": folder}
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as gateway:
            try:
                assert gateway.stdout is not None
                found = re.search(rb"http://\S+?:\d+", gateway.stdout.readline())
                assert found is not None
                return asyncio.run(_drive(found[0].decode(), gateway.pid, streams, seconds))
            finally:
                gateway.terminate()


async def _drive(address: str, pid: int, streams: int, seconds: float) -> Load:
    load = Load()
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx2.AsyncClient(base_url=address, limits=limits, timeout=60, trust_env=False) as client:
        tasks = [asyncio.create_task(_chat(client, load, number)) for number in range(streams)]
        await asyncio.sleep(seconds / 6)
        early = _rss_bytes(pid)
        await asyncio.sleep(seconds * 5 / 6)
        load.rss_bytes = (early, _rss_bytes(pid))
        for task in tasks:
            task.cancel()
        done = await asyncio.gather(*tasks, return_exceptions=True)
    failed = [one for one in done if not isinstance(one, asyncio.CancelledError)]
    assert not failed, failed[:3]
    return load


async def _chat(client: httpx2.AsyncClient, load: Load, number: int) -> None:
    """One chat after the other, for ever, each of five turns."""
    for chat in count():
        messages = [{"role": "user", "content": f"Chat {chat} of {number} begins with word{number}."}]
        for turn in range(5):
            reply = await client.post("/v1/chat/completions", json={"model": "x", "stream": True, "messages": messages})
            load.replies += 1
            if reply.status_code != 200 or reply.content != WHOLE:
                load.wrong[f"{reply.status_code} {reply.content[-200:]!r}"] += 1
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
    before, after = (size / MIB for size in result.rss_bytes)
    print(f"{result.replies:,} replies, {dict(result.wrong)} wrong; {before:.1f} MiB, at the end {after:.1f} MiB")
    sys.exit(bool(result.wrong) or not result.replies or result.growth_bytes > MAY_GROW_BYTES)
