"""Which processes use a file: each has a name, and holds a lock of the system that ends with it, however it ends.

The locks are beside the file, in the folder `FILE-processes`. A name whose lock nobody holds is that of a process that is
no more. Locks of the system, not times of a heartbeat: a stop is known at once, and a process that hangs is still alive.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["Process", "enter", "is_alive", "sweep"]

_BYTES: Final = 8
_NAME: Final = re.compile(rf"[0-9a-f]{{{2 * _BYTES}}}", re.ASCII)
_TRIES: Final = 16
_OURS: Final[dict[Path, int]] = {}
"""Those that this process holds. They are never opened again: closing a file takes a process all its locks on it (POSIX)."""


class Process:
    """One use of a file. name: 16 hex digits, never used twice."""

    def __init__(self, path: Path, lock: int) -> None:
        self.name = path.name
        self._path = path
        _OURS[path] = lock

    def leave(self) -> None:
        """It uses the file no more."""
        lock = _OURS.pop(self._path, None)
        if lock is not None:
            os.close(lock)
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
                self._path.parent.rmdir()


def enter(file: Path) -> Process:
    """Use a file from now on.

    Raises:
        OSError: the folder beside it cannot be made, or has no locks.
    """
    folder = _folder_of(file)
    for _ in range(_TRIES):
        path = folder / secrets.token_hex(_BYTES)
        try:
            folder.mkdir(exist_ok=True)
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except FileNotFoundError:  # somebody who left took the folder along
            continue
        if _take(lock) and path.exists():  # `sweep` may have come between
            return Process(path, lock)
        os.close(lock)
    raise FileNotFoundError(f"{folder}: a lock cannot be made in it.")


def is_alive(file: Path, name: str) -> bool:
    """Whether the process of this name still uses the file. One of which nobody can say counts as alive."""
    path = _folder_of(file) / name
    if not _NAME.fullmatch(name):
        return False
    if path in _OURS:
        return True
    try:
        lock = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        return not _take(lock)
    except OSError:
        return True
    finally:
        os.close(lock)


def sweep(file: Path) -> None:
    """Take away what processes have left behind that are no more."""
    with suppress(OSError):
        for path in _folder_of(file).iterdir():
            if _NAME.fullmatch(path.name) and not is_alive(file, path.name):
                path.unlink(missing_ok=True)


def _folder_of(file: Path) -> Path:
    absolute = file.absolute()
    return absolute.with_name(f"{absolute.name}-processes")


if sys.platform == "win32":
    import msvcrt

    def _take(lock: int) -> bool:
        """Lock an open file, until it is closed; false: somebody else has."""
        try:
            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _take(lock: int) -> bool:
        """Lock an open file, until it is closed; false: somebody else has."""
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        return True
