"""When it is: an instant and a zone, given as data; nothing here reads the system's clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

__all__ = ["MINUTE_MS", "Clock"]

MINUTE_MS = 60_000


@dataclass(frozen=True, slots=True)
class Clock:
    """An instant (`epoch_ms`, milliseconds since 1970-01-01T00:00Z) and where it is read.

    The zone is `zone` (for example a `ZoneInfo`), or without one the fixed `utc_offset_minutes` (east is positive),
    which also serves for instants that `zone` cannot say (years outside 1 to 9999).
    """

    epoch_ms: int = 0
    utc_offset_minutes: int = 0
    zone: tzinfo | None = None

    def offset_at(self, epoch_ms: float) -> int:
        """Minutes east of UTC at an instant."""
        if self.zone is None:
            return self.utc_offset_minutes
        try:
            moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=epoch_ms)
            offset = moment.astimezone(self.zone).utcoffset()
        except (OverflowError, ValueError):
            offset = None
        return self.utc_offset_minutes if offset is None else int(offset.total_seconds() // 60)

    def from_local(self, local_ms: float) -> float:
        """The instant at which the clocks of the zone show `local_ms` (milliseconds counted as if in UTC)."""
        guess = local_ms - self.offset_at(local_ms) * MINUTE_MS
        return local_ms - self.offset_at(guess) * MINUTE_MS
