"""A person's changes to somebody else's book, in a file beside it."""

import json

BASE = """\
lorewright: 1
name: Isles
entries:
  - {uid: mill, keys: [river], content: The mill is haunted., gate: {flag: told}}
  - {uid: dragon, keys: [dragon], content: The dragon sleeps.}
  - {uid: river, keys: [river], content: The river is wide.}
"""
MINE = """\
lorewright: 1
name: Isles
entries:
  - {uid: mill, keys: [river], content: The mill is only old.}
  - {uid: dragon, enabled: false}
  - {uid: quay, keys: [river], content: The quay is mine.}
  - {uid: gone, enabled: false}
"""


def weave(shop, base, *words):
    found = shop.json("weave", base, "--chat", shop.chat(), "--overlay", shop.write("mine.yaml", MINE), *words)
    texts = {item["entry"]: item["text"] for item in found["activated"]}
    return texts, [report["code"] for report in found["reports"]]


def test_changes_stand_over_the_book_and_survive_a_new_version(shop):
    base = shop.write("isles.yaml", BASE)
    mine = {"Isles.river": "The river is wide.", "Isles.quay": "The quay is mine."}

    texts, codes = weave(shop, base, "--var", "told=true")

    assert texts == {**mine, "Isles.mill": "The mill is only old."}
    assert codes.count("overlay_without_entry") == 1

    newer = shop.write("isles.yaml", BASE.replace("sleeps", "wakes").replace("wide", "dry"))
    texts, _ = weave(shop, newer, "--var", "told=true")
    assert texts == {**mine, "Isles.river": "The river is dry.", "Isles.mill": "The mill is only old."}


def test_other_words_open_no_gate(shop):
    texts, _ = weave(shop, shop.write("isles.yaml", BASE))

    assert "Isles.mill" not in texts
    (found,) = shop.json(
        "explain",
        shop.write("isles.yaml", BASE),
        "Isles.dragon",
        "--chat",
        shop.chat(),
        "--overlay",
        shop.write("other.yaml", MINE.replace("dragon, enabled: false", "dragon, keys: [dragon], content: It wakes.")),
    )
    assert found["in"]


def test_a_name_that_no_book_has_is_said(shop):
    other = shop.write("mine.yaml", MINE.replace("Isles", "Islands"))
    refused = shop.run("weave", shop.write("isles.yaml", BASE), "--chat", shop.chat(), "--overlay", other)

    assert refused.exit_code == 2
    assert "`Islands`" in refused.output
    assert json.dumps("Isles").strip('"') in refused.output
