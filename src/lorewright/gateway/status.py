"""How the server does, for `lorewright status`, for its file, and for `GET /lorewright/v1/status`. No text, no secret."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lorewright import __version__
from lorewright.gateway.configuration import MIRROR, Configuration
from lorewright.gateway.table import Problem
from lorewright.gateway.tally import Tally

__all__ = ["Status"]


@dataclass(slots=True)
class Status:
    """Counts since the start, and what is wrong with the configuration file as it is now.

    started_at, loaded_at: moments in UTC. address: where it listens.
    """

    started_at: str = ""
    loaded_at: str = ""
    address: str = ""
    requests: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    """By code."""
    not_woven: Counter[str] = field(default_factory=Counter)
    """Requests that were sent as they came, by the stage that failed."""
    turns: Tally = field(default_factory=Tally)
    problems: tuple[Problem, ...] = ()
    kept_last_good: bool = False
    """Whether the file says something else than what is in force, because of its problems."""
    pid: int = field(default_factory=os.getpid)

    def as_object(self, configuration: Configuration, problems: Mapping[str, str]) -> dict[str, Any]:
        """Everything. problems: by route, why the newest state of its files is not in force."""
        return {
            "version": __version__,
            "pid": self.pid,
            "address": self.address,
            "startedAt": self.started_at,
            "configuration": {
                "file": configuration.file,
                "loadedAt": self.loaded_at,
                "keptLastGood": self.kept_last_good,
                "problems": [{"key": problem.key, "message": problem.message} for problem in self.problems],
            },
            "defaultRoute": configuration.default_route,
            "routes": {
                route.name: {
                    "upstream": route.upstream,
                    "model": route.model,
                    "weave": route.weave,
                    "profile": route.profile,
                    "books": len(route.books),
                    "problem": problems.get(route.name) or None,
                }
                for route in configuration.routes.values()
            },
            "upstreams": {
                upstream.name: {
                    "baseUrl": upstream.base_url,
                    "kind": upstream.kind,
                    "apis": sorted(upstream.apis),
                    "hasKey": upstream.key is not None,
                }
                for upstream in configuration.upstreams.values()
            }
            | {MIRROR: {"builtIn": True}},
            "requests": self.requests,
            "refusals": dict(sorted(self.refusals.items())),
            "notWoven": dict(sorted(self.not_woven.items())),
            "turns": self.turns.as_object(),
        }
