"""What code of a book may use (spec templates §4)."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one entry, of one generation and of one process.

    entry_cpu_seconds counts the processor time of an entry, entry_seconds also what it waits for; generation_seconds
    counts that of all entries together, and of answering what they ask. levels: how many texts may be pulled in inside
    one another. message_bytes: the longest message between the processes, either way.
    """

    entry_cpu_seconds: float = 1.0
    entry_seconds: float = 2.0
    generation_seconds: float = 5.0
    heap_bytes: int = 32 * 1024 * 1024
    stack_bytes: int = 512 * 1024
    output_bytes: int = 256 * 1024
    levels: int = 10
    message_bytes: int = 8 * 1024 * 1024
