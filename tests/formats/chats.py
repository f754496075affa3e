"""The chats of `tests/data/chats`, and an independent look at what is different between two of them."""

import json
from pathlib import Path

from lorewright.formats.read import read_chat

FOLDER = Path(__file__).resolve().parents[1] / "data" / "chats"
NAMES = sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def data(name):
    return (FOLDER / f"{name}.jsonl").read_bytes()


def chat(name):
    return read_chat(data(name)).value


def leaves(value, path=()):
    """Every leaf of a JSON value by its path; empty lists and objects are leaves, and numbers keep their kind."""
    if isinstance(value, (dict, list)) and value:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return {place: leaf for name, item in items for place, leaf in leaves(item, (*path, name)).items()}
    return {path: repr(value)}


def content(text):
    """Every leaf of every line of a chat by line and path; a line that is no JSON is one leaf."""
    found: dict[object, object] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n")):
        try:
            value = json.loads(line)
        except ValueError:
            value = line.strip()
        found |= leaves(value, (number,))
    return found


def different(before, after):
    """The paths at which two chats differ, as `line/name/name`."""
    old, new = content(before), content(after)
    return sorted("/".join(map(str, path)) for path in {*old, *new} if old.get(path) != new.get(path))
