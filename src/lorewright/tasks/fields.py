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
from lorewright.tasks.host_rules import HostRules, TextSource
from lorewright.templates.transcript import Said, read_said

__all__ = ["MOST_LEVELS", "Cleaned", "FieldLog", "FieldNote", "Speech", "check_levels", "clean_field"]

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


class Speech(NamedTuple):
    """Whose text it is, for scripts of the host. depth: how many messages stand behind it; None: it is no message."""

    source: TextSource
    role: str = "system"
    depth: float | None = None


def clean_field(
    value: Any,
    name: str,
    log: FieldLog,
    *,
    texts: bool = True,
    containers: bool = True,
    host: HostRules | None = None,
    speech: Speech | None = None,
) -> Cleaned:
    """A value of the context without MVU; `name` is the path that notes begin with.

    texts: whether texts are sanitised. containers: whether keys of the variable tree go. host: scripts that texts run
    through then, as far as `speech`, or a message around them, says whose they are. At most `MOST_LEVELS` deep.
    """
    return _Cleaner(log, texts=texts, containers=containers, host=host).clean(value, name, speech)


class _Cleaner:
    def __init__(self, log: FieldLog, *, texts: bool, containers: bool, host: HostRules | None) -> None:
        self._log = log
        self._texts = texts
        self._containers = containers
        self._host = host

    def clean(self, value: Any, path: str, speech: Speech | None) -> Cleaned:
        if isinstance(value, str):
            return self._clean_text(value, path, speech)
        if isinstance(value, (list, tuple)):
            return self._clean_list(value, path, speech)
        if isinstance(value, Mapping):
            return self._clean_object(value, path, speech)
        return Cleaned(value)

    def _clean_text(self, text: str, path: str, speech: Speech | None) -> Cleaned:
        kept = text
        if self._texts:
            found = sanitize(text)
            kept = found.text
            if found.changed or found.dropped:
                self._log.notes.append(FieldNote(path, found.reasons, found.dropped, blocked_hits=found.blocked_hits))
        if self._host and speech:
            kept = self._host.change(kept, speech.source, speech.role, speech.depth)
        return Cleaned(kept, kept != text, not trim(kept) and bool(trim(text)))

    def _clean_list(self, listed: list[Any] | tuple[Any, ...], path: str, speech: Speech | None) -> Cleaned:
        behind = len(listed) - 1
        cleaned = [
            self.clean(item, f"{path}[{place}]", _at_depth(speech, item, behind - place))
            for place, item in enumerate(listed)
        ]
        kept = [item.value for item in cleaned if not item.omit]
        changed = any(item.changed or item.omit for item in cleaned)
        return Cleaned(kept, changed, bool(listed) and not kept)

    def _clean_object(self, held: Mapping[str, Any], path: str, speech: Speech | None) -> Cleaned:
        """An object; of a message only what was said runs through scripts, by the role of who said it."""
        said = read_said(held)
        kept: dict[str, Any] = {}
        changed = False
        for key, value in held.items():
            inner = f"{path}.{key}" if path else key
            if reason := self._unwanted(key, value):
                self._log.notes.append(FieldNote(inner, (reason,), dropped=True))
                changed = True
                continue
            cleaned = self.clean(value, inner, _speech_of(said, key, speech) if said else speech)
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


def _at_depth(speech: Speech | None, item: Any, depth: int) -> Speech | None:
    return speech._replace(depth=depth) if speech and read_said(item) else speech


def _speech_of(said: Said, key: str, speech: Speech | None) -> Speech | None:
    if speech is None or key != said.key:
        return None
    return Speech("user_input" if said.role == "user" else "ai_output", said.role, speech.depth)


def _holds_state(value: Any) -> bool:
    """Whether a key of the variable tree is anywhere in it."""
    if isinstance(value, Mapping) and any(trim(str(key)).lower() in _STATE_KEYS for key in value):
        return True
    return any(map(_holds_state, _items(value)))


def _items(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, (list, tuple)) else []
