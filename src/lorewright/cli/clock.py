"""When it is, for macros: what `--clock` says, else the clock of this computer."""

from __future__ import annotations

from datetime import UTC, datetime

from lorewright.errors import InputError

__all__ = ["clock_fields"]

_MINUTE_SECONDS = 60


def clock_fields(written: str | None) -> tuple[int, int]:
    """Milliseconds since 1970-01-01T00:00Z and minutes east of UTC, as `Turn` has them. A time without a zone is UTC.

    Raises:
        InputError: it is no time.
    """
    if written is None:
        moment = datetime.now(UTC).astimezone()
    else:
        try:
            moment = datetime.fromisoformat(written)
        except ValueError:
            raise InputError(
                f"--clock {written}: write a time such as 2026-11-30T18:05:00+01:00 (without a zone it is UTC).",
                clock=written,
            ) from None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
    offset = moment.utcoffset()
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    minutes = int(offset.total_seconds() // _MINUTE_SECONDS) if offset else 0
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000, minutes
