"""The status file beside a rules file: what is loaded, and how it went (§8.7).

Injecting is silent work. Whoever wants to know whether it happens looks here: no file means never loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from lorewright.rules.ruleset import Ruleset

__all__ = ["SETTINGS_PATH", "Event", "Status", "status_path"]

Event = Literal["loaded", "reloaded", "saved", "unloaded", "error"]
PLUGIN: Final = "lorewright"
SETTINGS_PATH: Final = "/lorebook-prompt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """One moment in the life of a rules file.

    at: the moment in UTC. detail: what went wrong, for the event `error`. has_settings_api: whether somebody serves
    the editor's requests.
    """

    event: Event
    at: str
    pid: int
    runtime: str
    rules_path: str
    ruleset: Ruleset | None
    detail: str | None = None
    has_settings_api: bool = False
    migrated_from: str | None = None

    def as_object(self) -> dict[str, object]:
        """The object of the file. After `unloaded` nothing is in effect; what the file says is still counted."""
        rules = self.ruleset
        works = rules is not None and self.event != "unloaded"
        detail = {"detail": self.detail} if self.detail is not None else {}
        none = {"system": 0, "message": 0}
        return {
            "plugin": PLUGIN,
            "event": self.event,
            **detail,
            "at": self.at,
            "pid": self.pid,
            "runtime": self.runtime,
            "rulesPath": self.rules_path,
            "entries": rules.found if rules else 0,
            "enabled": len(rules.enabled) if rules else 0,
            "systemSections": rules.having_text("system") if rules and works else 0,
            "messageContexts": rules.having_text("message") if rules and works else 0,
            "declaredChannel": rules.counts("declared") if rules else none,
            "byChannel": rules.counts("effective") if rules and works else none,
            "cacheSafe": rules.cache_safe if rules else True,
            "cacheRouted": len(rules.rerouted) if rules else 0,
            "settingsApi": self.has_settings_api,
            "settingsApiPath": SETTINGS_PATH,
            "migratedFrom": self.migrated_from,
        }


def status_path(rules_path: Path) -> Path:
    """`lorebook-prompt.json` has its status in `lorebook-prompt.status.json`, and so has `lorebook-prompt.yaml`."""
    return rules_path.with_name(f"{rules_path.stem}.status.json")
