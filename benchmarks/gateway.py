"""`python -m benchmarks.gateway [--record]`: what the gateway adds to a streamed reply, and how many chunks pass it.

Three processes on one machine: a fake model server, the gateway, and this one as 64 clients, which ask the server
directly and then through the gateway. Every reply is compared with what the server sends.
"""

import asyncio
import os
import random
import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from urllib.parse import urlsplit

from benchmarks.table import Table

STREAMS = 64
ROUNDS = 6
GAP_SECONDS = 0.05
SLOW, FAST = 20, 2000
CHUNK = b'data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":" wind"}}]}\n\n'
BODY = b'{"model":"m","stream":true,"messages":[{"role":"user","content":"Where are we?"}]}'
PACKED = b"%x\r\n%b\r\n" % (len(CHUNK), CHUNK)
MIB = 1024 * 1024


async def serve():
    """The model server: `/v1/chat/completions` of the port it prints; the model's name says how it writes."""

    async def meet(reader, writer):
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = re.search(rb"(?i)content-length: (\d+)", head)
            body = await reader.readexactly(int(length[1]))
            count, gap = (FAST, 0) if b'"fast"' in body else (SLOW, GAP_SECONDS)
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            for _ in range(count):
                writer.write(PACKED)
                await writer.drain()
                await asyncio.sleep(gap)
            writer.write(b"0\r\n\r\n")

    async def quietly(reader, writer):
        try:
            await meet(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(quietly, "127.0.0.1", 0, backlog=1024)
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


async def ask(address, model, rounds, waits):
    """Requests on one connection; for each the time to the first byte of its body and to its end, in ms."""
    place = urlsplit(address)
    reader, writer = await asyncio.open_connection(place.hostname, place.port, limit=MIB)
    body = BODY.replace(b'"m"', b'"%b"' % model.encode())
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: {place.netloc}\r\ncontent-length: {len(body)}\r\n\r\n"
    expected = CHUNK * (FAST if model == "fast" else SLOW)
    times = []
    for _ in range(rounds):
        await asyncio.sleep(waits.random() * 0.5)
        began = perf_counter()
        writer.write(head.encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        pieces, first = [], 0.0
        while size := int(await reader.readuntil(b"\r\n"), 16):
            pieces.append((await reader.readexactly(size + 2))[:-2])
            first = first or perf_counter()
        await reader.readexactly(2)
        if b" 200 " not in answer.partition(b"\r\n")[0] or b"".join(pieces) != expected:
            raise SystemExit("the reply is not what the server sends")
        times.append(((first - began) * 1000, (perf_counter() - began) * 1000))
    writer.close()
    return times


async def measure(address, model="slow", rounds=ROUNDS):
    waits = random.Random(1)
    found = await asyncio.gather(*(ask(address, model, rounds, waits) for _ in range(STREAMS)))
    return [time for one in found for time in one]


def at(times, share):
    return sorted(times)[int(len(times) * share)]


def rss_mib(pid):
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text("utf-8"))
    return int(found[1]) / 1024


def main(keep):
    table = Table("gateway")
    with tempfile.TemporaryDirectory() as folder, process("benchmarks.gateway", "--serve") as (server, _):
        file = Path(folder) / "lorewright.toml"
        upstream = f'[upstreams.fake]\nbase_url = "{server}/v1"\n[routes.any]\nupstream = "fake"\n'
        file.write_text(f'default_route = "any"\n{upstream}', "utf-8")
        words = ("lorewright", "serve", "--config", str(file), "--port", "0")
        with process(*words, LOREWRIGHT_DATA_DIR=folder) as (gateway, pid):
            asyncio.run(measure(gateway, rounds=1))  # imports and connections
            plain, through = asyncio.run(measure(server)), asyncio.run(measure(gateway))
            note = f"  {STREAMS} streams of {SLOW} chunks"
            for name, column, share, limit in (
                ("added to the first byte, p50", 0, 0.5, 5),
                ("added to the first byte, p99", 0, 0.99, None),
                ("added to a whole reply, p50", 1, 0.5, 2),
                ("added to a whole reply, p99", 1, 0.99, 15),
            ):
                own, far = ([one[column] for one in times] for times in (through, plain))
                table.add(name, [at(own, share) - at(far, share)], "ms", limit, note)
            for name, address, limit in (("directly", server, None), ("through the gateway", gateway, 40)):
                began = perf_counter()
                asyncio.run(measure(address, "fast", rounds=1))
                took = (perf_counter() - began - 0.25) * 1e6 / (STREAMS * FAST)
                table.add(f"a chunk {name}, as fast as it goes", [took], "us", limit, f"  {1e6 / took:,.0f}/s")
            table.add("memory of the gateway", [rss_mib(pid)], "MiB", 120)
    table.close(keep)


if __name__ == "__main__":
    if "--serve" in sys.argv[1:]:
        asyncio.run(serve())
    else:
        main("--record" in sys.argv[1:])
