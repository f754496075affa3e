"""Books of other programs, small and made up, and the ways there and back."""

from dataclasses import replace
from typing import Any

from lorewright.formats.agnai import read_agnai_book, read_agnai_character, write_agnai_book, write_agnai_character
from lorewright.formats.bundle import read_bundle, write_bundle
from lorewright.formats.entry_objects import (
    read_bare_character_book,
    read_chub,
    read_entry_list,
    read_janitor,
    read_lorebook_v3,
    write_character_book,
    write_chub,
    write_entry_list,
    write_janitor,
    write_lorebook_v3,
)
from lorewright.formats.kobold import read_ai_dungeon, read_kobold_story, write_ai_dungeon, write_kobold_story
from lorewright.formats.novelai import (
    read_novelai_lorebook,
    read_novelai_story,
    write_novelai_lorebook,
    write_novelai_story,
)

WAYS = {
    "character_book": (read_bare_character_book, write_character_book),
    "lorebook_v3": (read_lorebook_v3, write_lorebook_v3),
    "chub_lorebook": (read_chub, write_chub),
    "janitor_lorebook": (read_janitor, write_janitor),
    "entry_list": (read_entry_list, write_entry_list),
    "novelai_lorebook": (read_novelai_lorebook, write_novelai_lorebook),
    "novelai_story": (read_novelai_story, write_novelai_story),
    "agnai_book": (read_agnai_book, write_agnai_book),
    "agnai_character": (read_agnai_character, write_agnai_character),
    "kobold_story": (read_kobold_story, write_kobold_story),
    "aidungeon_wi": (read_ai_dungeon, write_ai_dungeon),
    "bundle": (read_bundle, write_bundle),
}
CARD_ENTRY = {
    "id": 4,
    "keys": ["inn"],
    "secondary_keys": ["night"],
    "comment": "Inn",
    "content": "Warm.",
    "constant": True,
    "selective": True,
    "insertion_order": 7.0,
    "enabled": False,
    "position": "after_char",
    "use_regex": True,
    "priority": 3,
    "case_sensitive": True,
    "extensions": {
        "position": 4,
        "depth": 2,
        "role": 1,
        "probability": 0,
        "useProbability": True,
        "selectiveLogic": 3,
        "exclude_recursion": True,
        "group": "weather",
        "sticky": 2,
        "character_filter": {"isExclude": True, "names": ["Bo"], "tags": []},
        "mine": {"a": 1},
    },
}
FILES: dict[str, Any] = {
    "character_book": {
        "name": "B",
        "scan_depth": 2,
        "extensions": {},
        "entries": [CARD_ENTRY, None, {"id": 9, "keys": ["b"], "content": "B"}],
    },
    "lorebook_v3": {"spec": "lorebook_v3", "data": {"name": "B", "entries": [CARD_ENTRY]}, "more": 1},
    "chub_lorebook": {
        "name": "C",
        "is_creation": False,
        "token_budget": 512,
        "entries": {
            "7": {"uid": 7, "keys": ["moat"], "content": "Dry.", "enabled": False, "insertion_order": 11},
            "1": {
                "uid": 1,
                "id": 1,
                "key": ["gate"],
                "keys": [],
                "keysecondary": ["old"],
                "secondary_keys": ["old"],
                "comment": "",
                "name": "Gate",
                "content": "No hinges.",
                "order": 10,
                "insertion_order": 10,
                "position": 1,
                "selectiveLogic": 2,
                "enabled": True,
                "disable": False,
                "excludeRecursion": True,
                "probability": 30,
                "useProbability": True,
                "case_sensitive": False,
                "extensions": {"depth": 6, "weight": 10, "addMemo": True},
            },
        },
    },
    "janitor_lorebook": [
        {
            "id": "a-1",
            "key": ["sea", "salt, water"],
            "keysRaw": "sea, salt",
            "keywordsRaw": "sea, salt",
            "keysecondary": [],
            "keysecondaryRaw": "deep,cold",
            "name": "Sea",
            "comment": "mine",
            "content": "Wide.",
            "enabled": True,
            "constant": False,
            "priority": 2,
            "insertion_order": 50,
            "probability": 80,
            "selectiveLogic": 1,
            "matchWholeWords": True,
            "case_sensitive": True,
            "inclusionGroupRaw": "water",
            "groupWeight": 40,
            "prioritizeInclusion": True,
            "minMessages": 3,
            "category": "places",
            "tags": ["t"],
            "activationMode": "script",
            "activationScript": "return chat.length > 3",
            "keyMatchPriority": True,
            "extensions": {},
        }
    ],
    "entry_list": [{"keywords": ["a"], "content": "A", "disable": True}, {"key": ["b"], "content": "B", "order": 3}],
    "novelai_lorebook": {
        "lorebookVersion": 5,
        "settings": {"orderByKeyLocations": True},
        "categories": [
            {"id": "off", "name": "Off", "enabled": False},
            {
                "id": "def",
                "enabled": True,
                "useCategoryDefaults": True,
                "categoryDefaults": {
                    "forceActivation": True,
                    "contextConfig": {"budgetPriority": 900},
                    "enabled": True,
                },
            },
        ],
        "entries": [
            {
                "id": "n1",
                "text": "Old.",
                "displayName": "Elf",
                "keys": ["elf", "/dwarf/", "fire & ice"],
                "searchRange": 1000,
                "enabled": True,
                "forceActivation": False,
                "contextConfig": {"prefix": "", "suffix": "\n", "budgetPriority": 400, "insertionPosition": -1},
                "category": "off",
            },
            {"id": "n2", "text": "D", "keys": ["d"], "contextConfig": {"budgetPriority": 400}, "category": "def"},
            {"id": "n3", "text": "E", "keys": ["e"], "contextConfig": {"budgetPriority": 10}, "category": "def"},
            {"text": "", "keys": [""], "category": "none"},
        ],
    },
    "agnai_book": {
        "kind": "memory",
        "name": "M",
        "scanDepth": 5,
        "entries": [
            {"name": "Bo", "entry": "Tall.", "keywords": ["bo"], "priority": 9, "weight": 4, "enabled": True},
            {
                "name": "Al",
                "entry": "Small.",
                "keywords": ["al"],
                "weight": 1,
                "enabled": False,
                "secondaryKeys": ["x"],
                "constant": True,
                "position": "after_char",
                "selective": True,
                "selectiveLogic": 3,
                "probability": 5,
                "useProbability": False,
                "excludeRecursion": True,
                "id": 12,
            },
        ],
    },
    "kobold_story": {
        "gamestarted": True,
        "prompt": "Once",
        "actions": ["a"],
        "worldinfo": [
            {
                "key": "cat, /a{1,2}/i",
                "keysecondary": "hat",
                "keyanti": "",
                "content": "C",
                "comment": "Cat",
                "folder": None,
                "selective": True,
                "constant": False,
                "probability": 60,
                "wigroup": "pets",
                "widisabled": True,
            },
            {"key": "dog", "keyanti": "wolf,fox", "content": "D", "title": "Dog"},
            {"key": "owl", "keysecondary": "old", "keyanti": "wise", "selective": True, "content": "O", "uid": 5},
        ],
        "wifolders_d": {"1": {"name": "Pets", "collapsed": False}},
    },
    "aidungeon_wi": [
        {"id": "1.1", "keys": "harbor, port", "entry": "Salt.", "hidden": False},
        {"keys": "", "value": "No trigger.", "type": "lore", "title": "Lore", "useForCharacterCreation": False},
    ],
}
FILES["novelai_story"] = {
    "storyContainerVersion": 1,
    "metadata": {"title": "T"},
    "content": {"story": "opaque", "lorebook": FILES["novelai_lorebook"]},
}
FILES["agnai_character"] = {
    "kind": "character",
    "name": "Bo",
    "persona": {"kind": "text", "attributes": {"text": ["tall"]}},
    "characterBook": FILES["agnai_book"],
}
FILES["bundle"] = [
    FILES["character_book"],
    {"spec": "chara_card_v2", "data": {"name": "Bo", "character_book": {"entries": [CARD_ENTRY]}}},
    {"spec": "chara_card_v2", "data": {"name": "Al", "character_book": None}},
    {"entries": {"0": {"uid": 0, "key": ["x"], "content": "X", "disable": False}}},
]


def read(kind, value=None):
    return WAYS[kind][0](FILES[kind] if value is None else value, name="b")


def write(kind, book):
    return WAYS[kind][1](book)


def codes(imported):
    return [report.code for report in imported.reports]


def edit(book, place, **changes):
    entries = list(book.entries)
    entries[place] = replace(entries[place], **changes)
    return replace(book, entries=tuple(entries))
