"""A file that would tell what a gate keeps back is not written by accident."""

import json

import pytest

BOOK = """\
lorewright: 1
name: Isles
entries:
  - uid: bell
    keys: [bell]
    content: The bell is hollow.
    gate: {reveal: {book: Isles, chapter: 3}}
"""


@pytest.mark.parametrize("command", ["export", "convert"])
def test_it_is_refused_and_named(shop, command):
    book, out = shop.write("isles.yaml", BOOK), shop.folder / "isles.lorebook"
    args = (command, book, out, "--to", "novelai_lorebook", "--force")

    refused = shop.run(*args)

    assert refused.exit_code == 2
    assert "Gates of bell" in refused.output
    assert "--without-gates" in refused.output
    assert not out.exists()

    done = shop.run(*args, "--without-gates", "--json")

    assert done.exit_code == 0
    assert [(loss["code"], loss["level"]) for loss in json.loads(done.stdout)["losses"]] == [("gate_lost", "error")]
    assert out.exists()
