"""Taking MVU out of what a host hands to a task: texts, messages, nested data (spec mvu-filter §9).

Keys of the variable tree go, containers that hold such keys go, every text is sanitised, and what is emptied by that
is left out of its list or object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from lorewright.core.javascript import trim
from lorewright.errors import InputError
from lorewright.mvu.sanitize import sanitize

__all__ = ["MOST_LEVELS", "Cleaned", "FieldLog", "FieldNote", "check_levels", "clean_field"]

MOST_LEVELS: Final = 100
"""How deep data may be nested."""

_STATE_KEYS: Final = frozenset(("stat_data", "display_data", "delta_data", "$internal"))
_CONTAINERS: Final = frozenset(("variables", "message_variables", "chat_variables"))
_STAGE: Final = "injection-safe"


@dataclass(frozen=True, slots=True)
class FieldNote:
    """Something that was changed or taken out. name: its path in the context."""

    name: str
    reasons: tuple[str, ...]
    dropped: bool = False
    stage: str = _STAGE
    blocked_hits: int = 0


@dataclass(slots=True)
class FieldLog:
    """What was changed, in order."""

    notes: list[FieldNote] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The paths, each once."""
        return list(dict.fromkeys(filter(None, (trim(note.name) for note in self.notes))))

    @property
    def kinds(self) -> list[str]:
        """The reasons, each once."""
        return list(dict.fromkeys(reason for note in self.notes for reason in note.reasons))


class Cleaned(NamedTuple):
    """A value without MVU. omit: nothing is left of it, so it should not be there at all."""

    value: Any
    changed: bool = False
    omit: bool = False


def check_levels(value: Any, name: str) -> None:
    """See that data is not nested too deep.

    Raises:
        InputError: it is.
    """
    level, inside = 0, [value]
    while inside := [item for held in inside for item in _items(held)]:
        level += 1
        if level > MOST_LEVELS:
            raise InputError(
                f"`{name}` is nested more than {MOST_LEVELS} levels deep. Give the task flatter data.",
                field=name,
                limit=MOST_LEVELS,
            )


def clean_field(value: Any, name: str, log: FieldLog, *, texts: bool = True, containers: bool = True) -> Cleaned:
    """A value of the context without MVU; `name` is the path that notes begin with.

    texts: whether texts are sanitised. containers: whether keys of the variable tree go. At most `MOST_LEVELS` deep.
    """
    return _Cleaner(log, texts=texts, containers=containers).clean(value, name)


class _Cleaner:
    def __init__(self, log: FieldLog, *, texts: bool, containers: bool) -> None:
        self._log = log
        self._texts = texts
        self._containers = containers

    def clean(self, value: Any, path: str) -> Cleaned:
        if isinstance(value, str):
            return self._clean_text(value, path)
        if isinstance(value, (list, tuple)):
            return self._clean_list(value, path)
        if isinstance(value, Mapping):
            return self._clean_object(value, path)
        return Cleaned(value)

    def _clean_text(self, text: str, path: str) -> Cleaned:
        if not self._texts:
            return Cleaned(text)
        found = sanitize(text)
        if found.changed or found.dropped:
            self._log.notes.append(FieldNote(path, found.reasons, found.dropped, blocked_hits=found.blocked_hits))
        return Cleaned(found.text, found.text != text, not found.text and bool(trim(text)))

    def _clean_list(self, listed: list[Any] | tuple[Any, ...], path: str) -> Cleaned:
        cleaned = [self.clean(item, f"{path}[{place}]") for place, item in enumerate(listed)]
        kept = [item.value for item in cleaned if not item.omit]
        changed = any(item.changed or item.omit for item in cleaned)
        return Cleaned(kept, changed, bool(listed) and not kept)

    def _clean_object(self, held: Mapping[str, Any], path: str) -> Cleaned:
        kept: dict[str, Any] = {}
        changed = False
        for key, value in held.items():
            inner = f"{path}.{key}" if path else key
            if reason := self._unwanted(key, value):
                self._log.notes.append(FieldNote(inner, (reason,), dropped=True))
                changed = True
                continue
            cleaned = self.clean(value, inner)
            changed = changed or cleaned.changed or cleaned.omit
            if not cleaned.omit:
                kept[key] = cleaned.value
        return Cleaned(kept, changed, not kept and _holds_state(held))

    def _unwanted(self, key: str, value: Any) -> str:
        if not self._containers:
            return ""
        name = trim(key).lower()
        if name in _STATE_KEYS:
            return "mvu_state_key_removed"
        return "mvu_variables_container_removed" if name in _CONTAINERS and _holds_state(value) else ""


def _holds_state(value: Any) -> bool:
    """Whether a key of the variable tree is anywhere in it."""
    if isinstance(value, Mapping) and any(trim(str(key)).lower() in _STATE_KEYS for key in value):
        return True
    return any(map(_holds_state, _items(value)))


def _items(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, (list, tuple)) else []
