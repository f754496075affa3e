"""Looks whether the configuration file has changed, and takes the new one if it is good; else the last good one stays."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from lorewright.errors import InputError
from lorewright.gateway.configuration import Configuration
from lorewright.gateway.configuration_file import check_configuration
from lorewright.gateway.look import look
from lorewright.gateway.service import Service
from lorewright.gateway.table import Problem

__all__ = ["Watch", "now"]

_LOG: Final = logging.getLogger(__name__)
_LOOK_SECONDS: Final = 0.5


class Watch:
    """`read` gives the configuration as it is in the file and the environment now, or raises an `InputError`."""

    def __init__(self, service: Service, read: Callable[[], Configuration]) -> None:
        self._service = service
        self._read = read
        self._seen = look(service.configuration.file)

    async def run(self) -> None:
        """Look twice a second, for ever."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            await self.look()

    async def look(self) -> bool:
        """Read the file again if it is another one than before; says whether it was."""
        seen = look(self._service.configuration.file)
        if seen == self._seen:
            return False
        self._seen = seen
        try:
            self._take(await asyncio.to_thread(self._read))
        except InputError as error:
            found = error.facts.get("problems")
            problems = found if isinstance(found, tuple) else (Problem("", error.message),)
            self._keep(problems)
        except Exception as error:  # noqa: BLE001  the watch goes on whatever happens
            _LOG.exception("the configuration could not be read")
            self._keep((Problem("", f"reading it failed ({type(error).__name__}); the log says why."),))
        return True

    def _take(self, fresh: Configuration) -> None:
        """The address stays as it is until the next start, so what is allowed is asked of the old one."""
        old = self._service.configuration
        listen = replace(fresh.listen, host=old.listen.host, port=old.listen.port)
        asked, fresh = fresh, replace(fresh, listen=listen, rules=old.rules, state=old.state)
        later = [
            Problem(key, "the new value is taken at the next start.")
            for key in ("listen", "rules", "state")
            if getattr(asked, key) != getattr(fresh, key)
        ]
        if problems := tuple(check_configuration(fresh)):
            self._keep(problems)
            return
        self._service.configuration = fresh
        status = self._service.status
        status.loaded_at = now()
        status.kept_last_good = False
        status.problems = tuple(later)
        _LOG.info("the configuration was read again")

    def _keep(self, problems: tuple[Problem, ...]) -> None:
        self._service.status.problems = problems
        self._service.status.kept_last_good = True
        for problem in problems:
            _LOG.warning("the last good configuration is kept: %s", problem)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
