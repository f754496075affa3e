"""`python -m benchmarks.ledgers [--record]`: what recording costs a turn in time and bytes, and what replay costs.

It records the bundled session of 100 turns (`benchmarks/session.py`). Each answer is checked: what is recorded is what
comes out without a ledger, the file verifies, and every request is replayed.
"""

import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from time import perf_counter

from benchmarks.session import make_session_tools, requests
from benchmarks.table import Table
from lorewright import NATIVE, ActiveBook
from lorewright.core.chain import DictMemory
from lorewright.core.weave import weave
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.replay import replay
from lorewright.ledger.session import LedgerSession
from lorewright.ledger.verify import verify

FREE_BYTES = 6 * 1024
RUNS = 5


def record(path, full, *, sizes):
    """Record the session; times of its requests in ms, bytes of the file behind each, and how much text was new."""
    plain = make_session_tools()
    memory = DictMemory()
    ledger = open_ledger(path, full=full)
    sent = requests(plain)
    session = LedgerSession(ledger, active(sent[0]), NATIVE, make_session_tools())
    times, bytes_, new_text = [], [], []
    known = set()
    for before, request in pairwise([None, *sent]):
        if before and before.lore is not request.lore:
            session.use(active(request), NATIVE)
        ledger.refresh()
        woven = weave(request.turn, session.lore, ledger.memory, session.recorder.tools)
        outside = session.recorder.take()
        began = perf_counter()
        number = ledger.record(woven, request.turn, session.books, NATIVE, outside)
        times.append((perf_counter() - began) * 1000)
        ledger.reply(number, prompt_tokens=1000, cached_tokens=900, reply_tokens=80)
        expected = weave(request.turn, request.lore, memory, plain)
        memory.put(expected.nodes)
        if expected.messages != woven.messages:
            raise SystemExit(f"request {number}: not what comes out without a ledger")
        texts = {message.text for message in request.turn.messages}
        texts |= {piece.text for message in woven.messages for piece in message.pieces}
        new_text.append(sum(len(text.encode()) for text in texts - known))
        known |= texts
        if sizes:
            ledger.store.sweep()
            bytes_.append(Path(path).stat().st_size)
    if (problems := verify(ledger.store).problems) or ledger.count_turns() != len(sent):
        raise SystemExit(f"{problems}")
    ledger.close()
    return times, bytes_, new_text


def active(request):
    lore = request.lore
    return [ActiveBook(book.book, source) for book, source in zip(lore.books, lore.sources, strict=True)]


def main(keep):
    table = Table("ledger")
    with tempfile.TemporaryDirectory() as folder:
        for name, full, limit in (("synchronous=NORMAL", False, 2), ("synchronous=FULL", True, None)):
            times = [time for run in range(RUNS) for time in record(f"{folder}/{full}{run}", full, sizes=False)[0]]
            table.add(f"record a request, {name}", times, "ms", limit)
        _, sizes, new_text = record(f"{folder}/sizes", full=False, sizes=True)
        grown = [after - before for before, after in pairwise(sizes)]
        beyond = [
            (sum(grown[at : at + 10]) - 2 * sum(new_text[at + 1 : at + 11])) / 10 for at in range(0, len(grown) - 9, 10)
        ]
        table.add("bytes a request beyond 2 x the new text, mean of ten", beyond, "B", FREE_BYTES)
        early, late = sum(grown[4:14]) / 10, sum(grown[-10:]) / 10
        table.add("bytes of requests 6 to 15, mean", [early], "B")
        table.add("bytes of the last ten, mean", [late], "B")
        table.add("  ratio", [late / early], "x", 1.2)
        table.add("the whole file", [sizes[-1] / 1024], "KiB")
        took = []
        for _ in range(RUNS):
            began = perf_counter()
            with open_ledger(f"{folder}/sizes", create=False) as ledger:
                outcomes = {turn.outcome for turn in replay(ledger, make_session_tools())}
            took.append((perf_counter() - began) * 1000)
            if outcomes != {"same"}:
                raise SystemExit(f"replay: {outcomes}")
        table.add("replay the session, the file opened anew", took, "ms", 2000, f"  {len(sizes)} requests")
        began = perf_counter()
        with open_ledger(f"{folder}/sizes", create=False) as ledger:
            verify(ledger.store)
        table.add("verify it", [(perf_counter() - began) * 1000], "ms")
    table.close(keep)


if __name__ == "__main__":
    main("--record" in sys.argv[1:])
