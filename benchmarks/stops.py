"""`python -m benchmarks.stops`: for how long a thread that reads, compiles and stores a book lets no other thread go on.

A second thread wakes up every 0.3 ms and notes how much CPU time the first has used since: that is how long it had to
wait for it, whatever else the machine does.
"""

import gc
import json
import sys
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.scene import book_value
from lorewright import ActiveBook, load_lore, make_tools
from lorewright.formats.read import read_book
from lorewright.gateway.server import COLLECT, SWITCH_SECONDS
from lorewright.ledger.ledger import open_ledger

ENTRIES = 10_000
TICK_SECONDS = 0.0003


class Watch:
    """A context manager around one step. stops: ms, in which the step let no other thread go on."""

    def __init__(self):
        self.stops = []
        self._clock = time.pthread_getcpuclockid(threading.get_ident())
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self):
        before = time.clock_gettime(self._clock)
        while not self._is_over.is_set():
            time.sleep(TICK_SECONDS)
            now = time.clock_gettime(self._clock)
            self.stops.append((now - before) * 1000)
            before = now

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._is_over.set()
        self._thread.join()


def main():
    gc.set_threshold(*COLLECT)
    sys.setswitchinterval(SWITCH_SECONDS)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "book.json")
        file.write_text(json.dumps(book_value(ENTRIES)), "utf-8")
        tools, made = make_tools(), {}

        def store():
            with open_ledger(Path(folder, "ledger")) as ledger, ledger.writing():
                ledger.texts.put_book(made["read"])

        steps = {
            "read": lambda: read_book(file).value,
            "prepare": lambda: load_lore([ActiveBook(made["read"])], tools),
            "compile": lambda: tools.matcher.compile(made["prepare"]),
            "store": store,
        }
        for name, step in steps.items():
            with Watch() as watch:
                made[name] = step()
            stops = sorted(watch.stops)
            at = stops[int(len(stops) * 0.99)]
            print(f"{name:8} {sum(stops):6.0f} ms of CPU time; stops: p99 {at:4.1f} ms, longest {stops[-1]:4.1f} ms")


if __name__ == "__main__":
    main()
