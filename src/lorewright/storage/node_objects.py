"""The nodes of a conversation as JSON: every field by its name, those with their default left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields
from typing import Any, get_args

from lorewright.core.chain import Node
from lorewright.core.model import ABSENT, State
from lorewright.core.record import Form, Kept, KeptMessage, Place, Record, Rewording, ScriptStep
from lorewright.core.variables import Scope, Write
from lorewright.errors import InputError

__all__ = ["node_objects", "read_nodes"]

_TEXTS = {"key", "parent", "digest", "anchor", "system", "window", "session", "scripts"}
_COUNTS = {"version", "used", "number", "trimmed"}
_RECORD_TEXTS = {"entry", "source_hash", "text", "outlet", "subject", "tier"}
_KEPT_TEXTS = {"slot", "role", "source", "id", "name"}
_CHOICES = {"place": get_args(Place), "form": get_args(Form)}


def node_objects(nodes: Iterable[Node], state_object: Callable[[State], object]) -> list[dict[str, object]]:
    """The nodes, with the state behind each in the form of `state_object`."""
    return [_node_object(node, state_object) for node in nodes]


def read_nodes(path: str, value: object, read_state: Callable[[object], State]) -> list[Node]:
    """The nodes of a state file.

    Raises:
        InputError: they are not what `node_objects` gives.
    """
    if not isinstance(value, list):
        raise _bad(path, "nodes")
    return [_read_node(path, f"nodes[{place}]", item, read_state) for place, item in enumerate(value)]


def _node_object(node: Node, state_object: Callable[[State], object]) -> dict[str, object]:
    found = _without_defaults(node)
    if node.after is not None:
        found["after"] = state_object(node.after)
    if node.records:
        found["records"] = [_without_defaults(record) for record in node.records]
    if node.steps:
        found["steps"] = [_step_object(step) for step in node.steps]
    if node.rewording is not None:
        found["rewording"] = _without_defaults(node.rewording)
    if node.kept is not None:
        found["kept"] = _kept_object(node.kept)
    return found


def _kept_object(kept: Kept) -> dict[str, object]:
    trimmed = {"trimmed": kept.trimmed} if kept.trimmed else {}
    return {"plan": kept.plan, "messages": [_without_defaults(message) for message in kept.messages], **trimmed}


def _step_object(step: ScriptStep) -> dict[str, object]:
    """A variable that is removed has no value."""
    writes = [[scope, name] if value is ABSENT else [scope, name, value] for scope, name, value in step.writes]
    return {"script": step.script, "text": step.text, **({"writes": writes} if writes else {})}


def _without_defaults(thing: Any) -> dict[str, object]:
    values = {field.name: (getattr(thing, field.name), field.default) for field in fields(thing)}
    return {name: value for name, (value, default) in values.items() if value != default}


def _read_node(path: str, place: str, value: object, read_state: Callable[[object], State]) -> Node:
    given = _read_fields(path, place, value, Node)
    for name, item in given.items():
        if name == "after":
            given[name] = read_state(item)
        elif name == "records" and isinstance(item, list):
            given[name] = tuple(_read_record(path, f"{place}.records[{n}]", raw) for n, raw in enumerate(item))
        elif name == "steps" and isinstance(item, list):
            given[name] = tuple(_read_step(path, f"{place}.steps[{n}]", raw) for n, raw in enumerate(item))
        elif name == "rewording":
            given[name] = _read_rewording(path, f"{place}.rewording", item)
        elif name == "kept":
            given[name] = _read_kept(path, f"{place}.kept", item)
        elif name == "shaped" and isinstance(item, list) and all(_are_texts(pair, 2) for pair in item):
            given[name] = tuple(map(tuple, item))
        elif not _is_right(item, text=name in _TEXTS, count=name in _COUNTS):
            raise _bad(path, f"{place}.{name}")
    return Node(**given)


def _read_rewording(path: str, place: str, value: object) -> Rewording:
    given = _read_fields(path, place, value, Rewording)
    if not _are_texts([given["text"], given["source"]]) or not (_are_texts(given["entries"]) and given["entries"]):
        raise _bad(path, place)
    return Rewording(given["text"], tuple(given["entries"]), given["source"])


def _read_kept(path: str, place: str, value: object) -> Kept:
    given = _read_fields(path, place, value, Kept)
    messages = given.get("messages", [])
    if not isinstance(given["plan"], str):
        raise _bad(path, f"{place}.plan")
    if not isinstance(messages, list):
        raise _bad(path, f"{place}.messages")
    trimmed = given.get("trimmed", 0)
    if not _is_right(trimmed, text=False, count=True):
        raise _bad(path, f"{place}.trimmed")
    read = (_read_kept_message(path, f"{place}.messages[{n}]", raw) for n, raw in enumerate(messages))
    return Kept(given["plan"], tuple(read), trimmed)


def _read_kept_message(path: str, place: str, value: object) -> KeptMessage:
    given = _read_fields(path, place, value, KeptMessage)
    for name, item in given.items():
        if name == "parts" and isinstance(item, list) and all(map(_is_part, item)):
            given[name] = tuple((tuple(map(tuple, sources)), text) for sources, text in item)
        elif not _is_right(item, text=name in _KEPT_TEXTS, count=False):
            raise _bad(path, f"{place}.{name}")
    return KeptMessage(**given)


def _is_part(value: object) -> bool:
    """Whether it is a list of sources, each a kind and an id, and a text."""
    if not (isinstance(value, list) and len(value) == 2 and isinstance(value[1], str)):
        return False
    return isinstance(value[0], list) and all(_are_texts(source, 2) for source in value[0])


def _read_record(path: str, place: str, value: object) -> Record:
    given = _read_fields(path, place, value, Record)
    for name, item in given.items():
        is_right = _is_right(item, text=name in _RECORD_TEXTS, count=name == "tokens")
        if name in {"holds", "pulled"} and _are_texts(item):
            given[name] = tuple(item)
        elif not (is_right or item in _CHOICES.get(name, ()) or (name == "constraint" and isinstance(item, bool))):
            raise _bad(path, f"{place}.{name}")
    return Record(**given)


def _read_step(path: str, place: str, value: object) -> ScriptStep:
    given = _read_fields(path, place, value, ScriptStep)
    writes = given.pop("writes", [])
    for name, item in given.items():
        if not isinstance(item, str):
            raise _bad(path, f"{place}.{name}")
    if not isinstance(writes, list):
        raise _bad(path, f"{place}.writes")
    return ScriptStep(**given, writes=tuple(_read_write(path, f"{place}.writes", raw) for raw in writes))


def _read_write(path: str, place: str, value: object) -> Write:
    if not (isinstance(value, list) and len(value) in (2, 3) and all(isinstance(part, str) for part in value[:2])):
        raise _bad(path, place)
    scope, name = value[:2]
    if scope not in get_args(Scope):
        raise _bad(path, place)
    return Write(scope, name, value[2] if len(value) > 2 else ABSENT)


def _read_fields(path: str, place: str, value: object, kind: Any) -> dict[str, Any]:
    """The fields of an object, all known and all that have no default there."""
    if not isinstance(value, dict):
        raise _bad(path, place)
    known = {field.name: field.default is MISSING for field in fields(kind)}
    for name in (*value, *(name for name, is_needed in known.items() if is_needed)):
        if name not in known or name not in value:
            raise _bad(path, f"{place}.{name}")
    return dict(value)


def _are_texts(value: object, count: int | None = None) -> bool:
    """Whether it is a list of texts, and of so many."""
    return isinstance(value, list) and len(value) == (count or len(value)) and all(isinstance(v, str) for v in value)


def _is_right(value: object, *, text: bool, count: bool) -> bool:
    return (text and isinstance(value, str)) or (count and isinstance(value, int) and not isinstance(value, bool))


def _bad(path: str, place: str) -> InputError:
    return InputError(
        f"{path}: `{place}` is not what a state file has. Name one as it was written, or one that does not exist yet.",
        path=path,
    )
