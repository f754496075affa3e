"""What a test may cost. CPU time, not the clock on the wall: other programs on the machine do not count."""

import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager

MIB = 1024 * 1024


@contextmanager
def cpu_below(seconds: float) -> Iterator[None]:
    """Fail if what is inside takes more CPU time of this process, all its threads together."""
    begin = time.process_time()
    yield
    took = time.process_time() - begin
    assert took < seconds, f"{took:.2f} s of CPU time"


@contextmanager
def answered_within(seconds: float) -> Iterator[None]:
    """Fail if what is inside takes longer by the clock on the wall: for deadlines alone, with a generous margin."""
    begin = time.monotonic()
    yield
    took = time.monotonic() - begin
    assert took < seconds, f"{took:.2f} s"


@contextmanager
def memory_below(size_bytes: int) -> Iterator[None]:
    """Fail if what is inside holds more memory at once than there was before."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < size_bytes, f"{peak / MIB:.1f} MiB"
