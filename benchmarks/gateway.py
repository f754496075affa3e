"""`python -m benchmarks.gateway [--record]`: what the gateway adds to a streamed reply, and how many chunks pass it.

Three processes on one machine: a fake model server, the gateway, and this one as 64 clients, which ask the server
directly and then through the gateway, which weaves a book of 1,000 entries into every request and records it. Every
reply is compared with what the server sends. Each chunk says when it was written, by the clock that all processes of a
machine share, so that what a chunk is late does not add up over those behind it.
"""

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from time import monotonic_ns, perf_counter
from urllib.parse import urlsplit

from benchmarks.scene import book_value, messages
from benchmarks.table import Table

STREAMS = 64
ROUNDS = 6
GAP_SECONDS = 0.05
COUNTS = {"slow": 20, "fast": 2000, "short": 1}
"""Chunks of a reply, by what stands in the request; those of `fast` come as fast as they go."""
CHUNK = b'data: {"id":"%019d","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":" wind"}}]}\n\n'
STAMP = re.compile(rb'"id":"(\d{19})"')
"""When a chunk was written (ns)."""
MIB = 1024 * 1024
PIECE_BYTES = MIB // 4
CHAT = [
    {"role": "assistant" if place % 2 else "user", "content": f"{message.text} ({place})"}
    for place, message in enumerate(messages(1000, 1000) * 2)
]
LONG, USUAL = 1999, 9
HANGS = {"entries": {"0": {"uid": 0, "key": [], "constant": True, "content": "<% for (;;) {} %>"}}}


async def serve():
    """The model server: `/v1/chat/completions` of the port it prints; the member `pace` says how it writes."""

    async def meet(reader, writer):
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = re.search(rb"(?i)content-length: (\d+)", head)
            body = await reader.readexactly(int(length[1]))
            pace = re.search(rb'"pace": ?"(\w+)"', body)[1].decode()
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            for _ in range(COUNTS[pace]):
                chunk = CHUNK % monotonic_ns()
                writer.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
                await writer.drain()
                await asyncio.sleep(0 if pace == "fast" else GAP_SECONDS)
            writer.write(b"0\r\n\r\n")

    async def quietly(reader, writer):
        try:
            await meet(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(quietly, "127.0.0.1", 0, backlog=1024, limit=64 * MIB)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


@contextmanager
def process(*words, **environment):
    """A program whose first line has its address."""
    command = [sys.executable, "-m", *words]
    with subprocess.Popen(
        command, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as running:
        try:
            yield re.search(r"http://\S+?:\d+", running.stdout.readline())[0], running.pid
        finally:
            running.terminate()


class Asked:
    """One request. first, whole: ms to the first chunk and to the end; on_way: ms of each other chunk from the server
    to the client; error: the stage in which weaving failed."""

    def __init__(self, began, arrivals, ended, error):
        self.first = [(arrivals[0][0] - began) / 1e6]
        self.whole = [(ended - began) / 1e6]
        self.on_way = [(arrived - int(stamp)) / 1e6 for arrived, stamps in arrivals[1:] for stamp in stamps]
        self.error = error


def body_of(chat, pace, model="any"):
    return json.dumps({"model": model, "stream": True, "pace": pace, "messages": chat}).encode()


class Client:
    """One connection."""

    def __init__(self, address):
        self.place = urlsplit(address)
        self.pipe = None

    async def ask(self, chat, pace="slow"):
        return await self.send(body_of(chat, pace), pace)

    async def send(self, body, pace):
        reader, writer = self.pipe = self.pipe or await asyncio.open_connection(
            self.place.hostname, self.place.port, limit=MIB
        )
        head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: {self.place.netloc}\r\ncontent-length: {len(body)}\r\n\r\n"
        began = monotonic_ns()
        writer.write(head.encode())
        for place in range(0, len(body), PIECE_BYTES):  # one who writes all at once hears nothing meanwhile
            writer.write(body[place : place + PIECE_BYTES])
            await writer.drain()
        answer = await reader.readuntil(b"\r\n\r\n")
        pieces, arrivals = [], []
        while size := int(await reader.readuntil(b"\r\n"), 16):
            pieces.append((await reader.readexactly(size + 2))[:-2])
            arrivals.append((monotonic_ns(), STAMP.findall(pieces[-1]) if pace == "slow" else ()))
        await reader.readexactly(2)
        sent = STAMP.sub(b'"id":"%019d"', b"".join(pieces))
        if b" 200 " not in answer.partition(b"\r\n")[0] or sent != CHUNK * COUNTS[pace]:
            raise SystemExit("the reply is not what the server sends")
        error = re.search(rb"x-lorewright-error: (\w+)", answer)
        return Asked(began, arrivals, monotonic_ns(), error and error[1].decode())


async def talk(address, number, rounds, pace, waits):
    """A chat that grows."""
    client, found = Client(address), []
    for round_ in range(rounds):
        await asyncio.sleep(waits.random() * 0.5)
        chat = [*CHAT[: USUAL + 2 * round_]]
        chat[0] = {"role": "user", "content": f"This is chat {number}."}
        found.append(await client.ask(chat, pace))
    return found


async def measure(address, pace="slow", rounds=ROUNDS):
    waits = random.Random(1)
    found = await asyncio.gather(*(talk(address, number, rounds, pace, waits) for number in range(STREAMS)))
    return [one for chat in found for one in chat]


async def disturb(address, *bodies):
    """The same while requests come that need much; how long the chunks of the others were on their way."""
    client = Client(address)

    async def once():
        await asyncio.sleep(0.7)
        for body in bodies:
            await client.send(body, "short")

    others, _ = await asyncio.gather(measure(address, rounds=3), once())
    return [way for one in others for way in one.on_way]


async def long_chat(address):
    client = Client(address)
    found = [await client.ask(CHAT[: LONG - 2 * place], "short") for place in (9, 8, 7, 6, 5, 4, 3, 2, 1, 0)]
    return [one.first[0] for one in found[1:]]


def at(times, share):
    return sorted(times)[int(len(times) * share)]


def rss_mib(pid):
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text("utf-8"))
    return int(found[1]) / 1024


def write_world(folder, server):
    """The configuration: a route with the usual book, one with a large one, one with code that never ends."""
    for name, value in (("usual", book_value(1000)), ("large", book_value(10_000)), ("hangs", HANGS)):
        (folder / f"{name}.json").write_text(json.dumps(value), "utf-8")
    routes = "".join(
        f'[routes.{name}]\nupstream = "fake"\nmodel = "m"\nbooks = ["{book}.json"]\n'
        for name, book in (("any", "usual"), ("cold", "large"), ("code", "hangs"))
    )
    file = folder / "lorewright.toml"
    file.write_text(f'default_route = "any"\n[upstreams.fake]\nbase_url = "{server}/v1"\n{routes}', "utf-8")
    subprocess.run(
        [sys.executable, "-m", "lorewright", "trust", str(folder / "hangs.json")],
        env=os.environ | {"LOREWRIGHT_DATA_DIR": str(folder)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return file


def main(keep):
    table = Table("gateway")
    with tempfile.TemporaryDirectory() as folder, process("benchmarks.gateway", "--serve") as (server, _):
        words = ("lorewright", "serve", "--config", str(write_world(Path(folder), server)), "--port", "0")
        with process(*words, LOREWRIGHT_DATA_DIR=folder) as (gateway, pid):
            asyncio.run(measure(gateway, rounds=1))  # imports, connections, the book
            plain, through = asyncio.run(measure(server)), asyncio.run(measure(gateway))
            if errors := [one.error for one in through if one.error]:
                raise SystemExit(f"{len(errors)} requests were not woven: {errors[:3]}")
            note = f"  {STREAMS} streams of {COUNTS['slow']} chunks"
            for what, field, limits in (
                ("a chunk", "on_way", (2, 15)),
                ("the first byte", "first", (5, None)),
                ("a whole reply", "whole", (None, None)),
            ):
                own, far = ([ms for one in asked for ms in getattr(one, field)] for asked in (through, plain))
                for name, share, limit in zip(("p50", "p99"), (0.5, 0.99), limits, strict=True):
                    table.add(f"added to {what}, {name}", [at(own, share) - at(far, share)], "ms", limit, note)
            for name, address, limit in (("directly", server, None), ("through the gateway", gateway, 40)):
                began = perf_counter()
                asyncio.run(measure(address, "fast", rounds=1))
                took = (perf_counter() - began - 0.25) * 1e6 / (STREAMS * COUNTS["fast"])
                table.add(f"a chunk {name}, as fast as it goes", [took], "us", limit, f"  {1e6 / took:,.0f}/s")
            table.add("memory of the gateway", [rss_mib(pid)], "MiB", 120)
            own, far = asyncio.run(long_chat(gateway)), asyncio.run(long_chat(server))
            table.add("added by a chat of 2,000 messages", [at(own, 0.5) - at(far, 0.5)], "ms", 10)
            big = [{"role": "user", "content": "The bell. " * (MIB - 100)}]
            for name, *bodies in (
                ("nothing else",),
                ("a cold book of 10,000 entries", body_of(CHAT[:1], "short", "cold")),
                ("code that never ends", body_of(CHAT[:1], "short", "code")),
                ("a body of 10 MB", body_of(big, "short")),
            ):
                late = asyncio.run(disturb(gateway, *bodies))
                table.add(f"a chunk's way beside {name}, p99", [at(late, 0.99)], "ms", 50, f"  worst {max(late):.0f}")
    table.close(keep)


if __name__ == "__main__":
    if "--serve" in sys.argv[1:]:
        asyncio.run(serve())
    else:
        main("--record" in sys.argv[1:])
