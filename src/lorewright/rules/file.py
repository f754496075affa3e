"""A rules file that is in use: loaded, loaded again when it changes, saved, and let go.

There is no watcher: whoever asks for the rules gets those of the file as it is now. A file that cannot be read leaves
the last good rules in force and says so in its status file.
"""

from __future__ import annotations

import hashlib
import os
import platform
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from lorewright.core.protocols import Regexes
from lorewright.errors import FormatError, InputError, LorewrightError
from lorewright.formats import limits
from lorewright.formats.imported import Notes
from lorewright.formats.native.emit import emit_yaml
from lorewright.formats.native.write import as_json
from lorewright.formats.text import decode_text
from lorewright.formats.whole_file import write_bytes
from lorewright.rules.ruleset import Ruleset, read_rules
from lorewright.rules.save import edit_rules, without_computed
from lorewright.rules.status import Event, Status, status_path

__all__ = ["FILE_NAME", "OLDER_NAMES", "RulesFile"]

FILE_NAME: Final = "lorebook-prompt.json"
OLDER_NAMES: Final = ("lorebook-rules.json", "rules.json")
"""Names that this file had before; a file with one of them is taken over if it holds rules."""
_FRESH_NANOSECONDS: Final = 2_000_000_000
"""A file that was changed so shortly before it was looked at may change again without another time stamp."""

_UNREADABLE: Final = "unreadable"
"""In the place of a hash."""

_Stamp = tuple[int, int, int]


def _now() -> datetime:
    return datetime.now(UTC)


class RulesFile:
    """The rules of one file.

    older: files that are renamed to `path` if there is none yet, the first that holds rules. clock: the present
    moment, with its time zone. has_settings_api: whether somebody serves an editor, for the status.
    """

    def __init__(
        self,
        path: str | Path,
        regexes: Regexes,
        *,
        older: Iterable[str | Path] = (),
        clock: Callable[[], datetime] = _now,
        has_settings_api: bool = False,
    ) -> None:
        self.path: Final = Path(path)
        self.status_path: Final = status_path(self.path)
        self.error: str | None = None
        """Why the file as it is now is not in force; None: it is."""
        self._regexes = regexes
        self._older = tuple(map(Path, older))
        self._clock = clock
        self._has_settings_api = has_settings_api
        self._migrated_from: str | None = None
        self._good: Ruleset | None = None
        self._stamp: _Stamp | None = None
        self._read_at = 0
        self._hash = ""
        self.status_error: str | None = None
        """Why the status file could not be written, if it could not."""

    @classmethod
    def in_folder(cls, folder: str | Path, regexes: Regexes, **options: Any) -> RulesFile:
        """The rules file of a folder, by its usual name or an older one. `options` as above."""
        home = Path(folder)
        return cls(home / FILE_NAME, regexes, older=[home / name for name in OLDER_NAMES], **options)

    def current(self) -> Ruleset | None:
        """The rules that are in force: those of the file as it is now, or the last good ones.

        None: there have been none yet, or the file was let go.
        """
        self.refresh()
        return self._good

    @property
    def in_force(self) -> Ruleset | None:
        """The rules as they were last read, without a look at the file."""
        return self._good

    def load(self) -> Ruleset | None:
        """Read the file for the first time (or again after `unload`)."""
        self._migrate()
        self._stamp, self._hash = None, ""
        self._read("loaded")
        return self._good

    def refresh(self) -> bool:
        """Read the file again if it has changed; whether other rules are in force now."""
        if self._stamp is None and not self._hash:
            return False  # never loaded, or let go
        stamp = self._look()
        is_settled = stamp is not None and self._read_at - stamp[0] > _FRESH_NANOSECONDS
        if stamp == self._stamp and (is_settled or stamp is None):
            return False
        before = self._good
        self._read("reloaded" if before else "loaded")
        return self._good is not before

    def save(self, value: Mapping[str, Any]) -> Ruleset:
        """Write the value of a file, and use it. Comments and layout of a YAML file stay.

        Fields that the program computes are left out, and so are ids that it has made up.

        Raises:
            FormatError: this is no rules file; nothing is written.
            InputError: the file cannot be written, or holds something that cannot be read.
        """
        target = without_computed(value, self._good.filled if self._good else frozenset())
        text = self._text_of(target)
        ruleset = read_rules(text, self._regexes, self.path.stem)
        write_bytes(str(self.path), text.encode())
        self._good, self._hash, self.error = ruleset, _hash(text.encode()), None
        self._read_at, self._stamp = time.time_ns(), self._look()
        self._tell("saved")
        return ruleset

    def unload(self) -> None:
        """Let the file go: from now on there are no rules, and nobody looks at it."""
        self._tell("unloaded")
        self._good, self._stamp, self._hash, self.error = None, None, "", None

    # -- reading ----------------------------------------------------------------------------------------------------

    def _read(self, event: Event) -> None:
        self._read_at, self._stamp = time.time_ns(), self._look()
        try:
            data = self._read_bytes()
            found = _hash(data)
            if found == self._hash:
                return
            self._hash = found
            ruleset = read_rules(decode_text(data, Notes()), self._regexes, self.path.stem)
        except LorewrightError as error:
            if error.message != self.error:
                self.error = error.message
                self._tell("error", error.message)
            return
        self._good, self.error = ruleset, None
        self._tell(event)

    def _read_bytes(self) -> bytes:
        try:
            return _read_bytes(self.path)
        except InputError:
            self._hash, self._read_at = _UNREADABLE, 0  # so that it is tried again, whatever its stamp
            raise

    def _look(self) -> _Stamp | None:
        """What shows that a file has changed; None: there is none."""
        try:
            found = self.path.stat()
        except (OSError, ValueError):
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _migrate(self) -> None:
        if self.path.exists():
            return
        for older in self._older:
            try:
                read_rules(decode_text(_read_bytes(older), Notes()), self._regexes)
                older.rename(self.path)
            except (LorewrightError, OSError):
                continue
            self._migrated_from = str(older)
            return

    # -- writing ----------------------------------------------------------------------------------------------------

    def _text_of(self, target: Mapping[str, Any]) -> str:
        if not self.path.exists():
            return as_json(target) if self.path.suffix.lower() == ".json" else emit_yaml(target)
        text = decode_text(_read_bytes(self.path), Notes())
        try:
            return edit_rules(text, target)
        except FormatError as error:
            message = f"{self.path}: {error.message} It was not written over; correct it, or move it away."
            raise InputError(message, path=str(self.path)) from error

    def _tell(self, event: Event, detail: str | None = None) -> None:
        """Write the status. A status that cannot be written stops nothing."""
        status = Status(
            event=event,
            at=self._clock().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            pid=os.getpid(),
            runtime=f"Python {platform.python_version()}",
            rules_path=str(self.path.absolute()),
            ruleset=self._good,
            detail=detail,
            has_settings_api=self._has_settings_api,
            migrated_from=self._migrated_from,
        )
        try:
            write_bytes(str(self.status_path), as_json(status.as_object()).encode())
        except InputError as error:
            self.status_error = error.message
        else:
            self.status_error = None


def _read_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(limits.FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{path}: the file cannot be read: {reason}.", path=str(path)) from error
    if len(data) > limits.FILE_BYTES:
        raise InputError(f"{path}: the file is larger than {limits.FILE_BYTES:,} bytes.", path=str(path))
    return data


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
