"""Presets and templates that nobody here wrote: each is checked, and its tokens add up."""

import pytest

from lorewright.cli.preset_linting import lint_file, linted_object

FOLDERS = {
    "st-preset-chat": True,
    "st-preset-other": False,
    "st-preset-textgen": False,
    "st-context": True,
    "st-instruct": True,
    "st-sysprompt": True,
    "risu-preset-json": True,
}
"""Whether files of a folder have texts to check."""


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_preset_is_checked(shared, subtests, folder):
    paths = sorted((shared / "real-files" / folder).iterdir())

    assert paths
    for path in paths:
        with subtests.test(file=path.name):
            answer = linted_object(lint_file(str(path), "estimate"))
            sent = [block for block in answer["blocks"] if block["stands"] != "off"]
            tokens = answer["tokens"]

            assert bool(sent) is (FOLDERS[folder] and not answer["nothing"])
            assert tokens["kept"] <= tokens["front"]
            assert tokens["front"] == sum(block["tokens"] or 0 for block in sent if block["stands"] == "front")
            assert all(found["message"].endswith(".") for found in answer["findings"])


def test_the_shipped_preset_of_sillytavern(shared):
    """Counted by hand: everything but the post-history instructions, which are empty, stands in front of the chat."""
    (path,) = (shared / "real-files" / "st-preset-chat").iterdir()
    answer = linted_object(lint_file(str(path), "estimate"))

    assert {block["id"]: block["stands"] for block in answer["blocks"] if block["stands"] in ("tail", "off")} == {
        "jailbreak": "tail",
        "enhanceDefinitions": "off",
    }
    assert answer["tokens"]["tail"] == 0
    assert {found["level"] for found in answer["findings"]} == {"info"}
