"""Whether a file can be used as a ledger, before a database looks at it, and whether it is still the one that was opened."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

from lorewright.errors import LedgerError

__all__ = ["Place", "make_ready"]


def make_ready(path: str | Path, name: str, *, create: bool) -> None:
    """See to it that the file is there and can be written. One that is there is not opened for it: closing it again
    would take from all connections of this process their locks (POSIX), and another process their log."""
    reason: object = None
    try:
        if create and not Path(path).exists():
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        if Path(path).is_dir():
            reason = os.strerror(errno.EISDIR)
        elif not os.access(path, os.R_OK | os.W_OK):
            reason = os.strerror(errno.EACCES)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
    if reason is not None:
        raise LedgerError(f"{name}: cannot be opened for writing: {reason}.", path=name)


class Place:
    """The place of an open file. A database goes on writing into a file that was removed, and nobody would find it."""

    def __init__(self, path: str | Path, name: str) -> None:
        self._path = Path(path).absolute()
        self._name = name
        self._file = self._look()

    def check(self) -> None:
        """See that the same file is still there.

        Raises:
            LedgerError: it was removed, or another one stands in its place.
        """
        if self._look() != self._file:
            message = (
                f"{self._name}: was removed or replaced while it was in use. Start the program again that uses it."
            )
            raise LedgerError(message, path=self._name)

    def _look(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino
