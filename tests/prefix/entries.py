"""The entries of the small world: some of every kind, each with a mark that stands nowhere else."""

from typing import Any

from lorewright.core.gates import Flag, Gate
from lorewright.core.model import Entry
from lorewright.core.replaces import Replace

WORDS = ("ferry", "tower", "wolf", "queen", "salt", "lamp")
GATED = (12, 13, 27)
LOW, HIGH = 15, 16
"""Two entries about one subject."""
LIVE, OF_SYSTEM = (22, 23), (24,)
"""Entries that change the system prompt while they are active: by their texts, and by what they replace in it. They are
switched off until somebody switches them on, since every move of theirs explains whatever happens there."""
OF_USER = {25: ("ferry", "boat"), 26: ("tower", "tower of stone"), 27: ("wolf", "dog")}
"""What entries replace in what the user says, in the order in which they do."""


def mark(uid, version=0):
    return f"⟦{uid}.{version}⟧"


def first_entries():
    """Selective and constant entries at every position, groups, timers, recursion, an outlet that is named and one
    that is not. Every content has a mark that stands nowhere else."""
    fields: tuple[dict[str, Any], ...] = (
        {"constant": True, "position": 0},
        {"constant": True, "position": 4, "depth": 2},
        {"keys": ("ferry",), "position": 0, "sticky": 3},
        {"keys": ("tower",), "position": 1, "cooldown": 2},
        {"keys": ("wolf", "queen"), "position": 4, "depth": 1, "probability": 50},
        {"keys": ("queen",), "position": 2, "group": "g"},
        {"keys": ("salt", "queen"), "position": 3, "group": "g"},
        {"keys": ("lamp",), "position": 7, "outlet": "named"},
        {"keys": ("lamp",), "position": 7, "outlet": "nobody"},
        {"constant": True, "position": 7, "outlet": "system"},
        {"keys": ("salt",), "position": 5, "delay": 4},
        {"keys": ("never",), "constant": False, "position": 6},
        {"keys": ("wolf", "lamp"), "gate": Gate((Flag("known"),)), "position": 0},
        {"constant": True, "gate": Gate((Flag("known"),)), "position": 1},
        {"keys": ("tower", "salt"), "position": 4},
        {"keys": ("wolf", "salt"), "position": 0, "subject": "bell", "authority": "authored"},
        {"keys": ("queen",), "position": 1, "subject": "bell", "authority": "canon"},
        {"constant": True, "channel": "system", "layer": "tail"},
        {"constant": True, "layer": "before-persona"},
        {"constant": True, "channel": "system", "layer": -2000, "probability": 50},
        {"constant": True, "channel": "message"},
        {"keys": ("tower",), "channel": "system"},
        {"keys": ("queen", "salt"), "channel": "system", "layer": "policy", "cache_unsafe": True, "enabled": False},
        {"keys": ("lamp",), "layer": "before-identity", "cache_unsafe": True, "enabled": False},
        {"keys": ("wolf", "salt"), "replaces": (Replace("Aria|ferry", "Bo", "system"),), "enabled": False},
        {"constant": True, "channel": "message", "replaces": (Replace(*OF_USER[25], "user"),)},
        {"keys": ("lamp", "tower"), "position": 1, "replaces": (Replace(*OF_USER[26], "user"),)},
        {
            "constant": True,
            "gate": Gate((Flag("known"),)),
            "position": 4,
            "replaces": (Replace(*OF_USER[27], "user"), Replace("text of", "words of")),
        },
    )
    texts = {2: "The ferry goes by the tower.", 6: "Salt for {{outlet::named}}", 14: "It is {{now}}."}
    return tuple(
        Entry(uid=uid, content=f"{mark(uid)} {texts.get(uid, 'A text of its own.')}", order=100 + uid, **given)
        for uid, given in enumerate(fields)
    )
