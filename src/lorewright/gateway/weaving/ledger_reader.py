"""The ledger as receipts read it: opened with the first question, and kept with what the next one needs again."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from lorewright.ledger.ledger import Ledger, open_ledger
from lorewright.ledger.replay import Replayer

__all__ = ["LedgerReader"]

_MOST_STREAMS: Final = 64
_MOST_REPLAYERS: Final = 2
"""Each holds the books of its stream, as they are searched."""


class LedgerReader:
    """Reads the file at `path`, whoever writes to it. One question at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: Ledger | None = None
        self._inode = 0
        self._erasures = 0
        self._streams: dict[str, Ledger] = {}
        self._replayers: dict[str, Replayer] = {}

    def open(self) -> Ledger | None:
        """The file as it is now; None: it is not there yet. Call it first for each question.

        Raises:
            LedgerError: it cannot be read.
        """
        inode = self.path.stat().st_ino if self.path.is_file() else 0
        if inode != self._inode:
            self.close()
        if not inode:
            return None
        if self._file is None:
            self._file = open_ledger(self.path, create=False, shared=True)
            self._inode, self._erasures = inode, self._file.erasures
        self._file.refresh()
        if self._file.erasures != self._erasures:
            self._erasures = self._file.erasures
            self._forget()
        return self._file

    def stream(self, file: Ledger, name: str) -> Ledger:
        """A stream of the file."""
        if name not in self._streams:
            if len(self._streams) >= _MOST_STREAMS:
                self._forget()
            self._streams[name] = Ledger(file.store, name)
        self._streams[name].refresh()
        return self._streams[name]

    def replayer(self, stream: Ledger) -> Replayer:
        """What repeats the turns of a stream."""
        found = self._replayers.pop(stream.stream, None)
        if found is None or found.ledger is not stream:
            found = Replayer(stream)
        while len(self._replayers) >= _MOST_REPLAYERS:
            del self._replayers[next(iter(self._replayers))]
        self._replayers[stream.stream] = found
        return found

    def close(self) -> None:
        self._forget()
        if self._file is not None:
            self._file.close()
        self._file, self._inode = None, 0

    def _forget(self) -> None:
        self._streams.clear()
        self._replayers.clear()
