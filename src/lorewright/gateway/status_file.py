"""The status of the server in a file, so that it can be asked without a token and after it has ended."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any, Final

from lorewright.errors import InputError
from lorewright.formats.plain_json import as_json
from lorewright.formats.whole_file import read_object, write_bytes
from lorewright.storage.data_folder import data_folder

__all__ = ["StatusFile", "is_running", "read_status", "status_path"]

_LOG: Final = logging.getLogger(__name__)


def status_path() -> Path:
    return data_folder() / "gateway-status.json"


class StatusFile:
    """Written when something in it has changed. A file that cannot be written stops nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._written: bytes | None = None

    def write(self, status: dict[str, Any]) -> None:
        data = f"{as_json(status)}\n".encode("utf-8", "backslashreplace")
        if data == self._written:
            return
        self._written = data
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(str(self._path), data)
        except (InputError, OSError) as error:
            _LOG.warning("the status file cannot be written: %s", error)


def read_status(path: Path) -> dict[str, Any] | None:
    """What the file says; None if there is none.

    Raises:
        InputError: it cannot be read, or is no such file.
    """
    return dict(read_object(str(path))) if path.exists() else None


def is_running(status: dict[str, Any]) -> bool:
    """Whether the process that wrote this is there, as far as the system says."""
    pid = status.get("pid")
    if status.get("event") == "stopped" or not isinstance(pid, int) or isinstance(pid, bool) or pid <= 0:
        return False
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True
