"""Whether a file is another one than before."""

from __future__ import annotations

from pathlib import Path

__all__ = ["look"]


def look(file: str | None) -> tuple[int, int, int] | None:
    """What changes with a file; None if it is not there."""
    if file is None:
        return None
    try:
        found = Path(file).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
