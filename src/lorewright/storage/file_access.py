"""Whether a file can be used as a ledger, before a database looks at it."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

from lorewright.errors import LedgerError

__all__ = ["make_ready"]


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
