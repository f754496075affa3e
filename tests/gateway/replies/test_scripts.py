"""Regex scripts of a route's files: which run, and what becomes of a reply when one cannot."""

import json
import os

import pytest

from lorewright.gateway.configuration import ReplyRules, Route
from lorewright.gateway.replies.passage import MOST_CHARACTERS, Account, Passage
from lorewright.gateway.replies.scripts import ReplyScripts


def script(name, find, put, **more):
    return {"scriptName": name, "findRegex": find, "replaceString": put, "placement": [2], **more}


@pytest.fixture
def rules(tmp_path):
    def make(*scripts, hide_updates=False, desk=None, **route):
        path = tmp_path / "scripts.json"
        path.write_text(json.dumps(scripts), "utf-8")
        replies = ReplyRules(hide_updates=hide_updates, scripts=(str(path),))
        return (desk or ReplyScripts()).rules(Route(name="aria", upstream="local", replies=replies, **route))

    return make


def shown(rules, text):
    account = Account()
    passage = Passage(rules, account)
    return passage.feed(text) + passage.close(), account


def test_scripts_run_in_their_order_those_of_the_message_first(rules):
    display = script("display", "/b/g", "c", markdownOnly=True)
    found = rules(display, script("message", "/a/g", "b"), script("off", "/c/g", "d", disabled=True))
    text, account = shown(found, "a b c")
    assert text == "c c c"
    assert [one.kept for one in account.changed] == ["b b c"]
    assert list(account.by) == ["message", "display"]


def test_depths_are_those_of_the_newest_message(rules):
    near = script("near", "/a/g", "b", markdownOnly=True, maxDepth=1)
    far = script("far", "/b/g", "c", markdownOnly=True, minDepth=1)
    assert shown(rules(near, far), "a")[0] == "b"


@pytest.mark.parametrize(
    ("find", "text"), [(r"/^(?:(a+)+\1)+$/", "a" * 40 + "!"), ("/(/", "It rings.")], ids=["without end", "no pattern"]
)
def test_a_script_that_fails_leaves_the_text_and_is_told(rules, find, text):
    found, account = shown(rules(script("bad", find, "x"), script("good", "/!/", "?")), text)
    assert found == text.replace("!", "?")
    assert any("bad" in sentence for sentence in account.failed)


def test_a_script_that_writes_a_variable_is_told(rules):
    text, account = shown(rules(script("health", "/\\[hp (\\d+)\\]/g", "{{setvar::hp::$1}}")), "Ouch. [hp 7]")
    assert text == "Ouch. "
    assert any("health" in sentence and "variables" in sentence for sentence in account.failed)


def test_a_text_that_is_too_long_for_scripts_is_told(rules):
    account = Account()
    passage = Passage(rules(script("loud", "/a/g", "A")), account)
    pieces = ["a" * MOST_CHARACTERS, "b", "a"]
    text = "".join([passage.feed(piece) for piece in pieces]) + passage.close()
    assert text == "".join(pieces)
    assert any(f"{MOST_CHARACTERS:,}" in sentence for sentence in account.failed)
    assert account.changed == []


def test_a_file_that_changes_is_read_again_and_one_that_cannot_be_read_is_told(rules, tmp_path):
    desk = ReplyScripts()
    found = rules(script("one", "/a/g", "b"), desk=desk)
    assert shown(found, "a")[0] == "b"
    found = rules(script("another", "/a/g", "ccc"), desk=desk)
    assert shown(found, "a")[0] == "ccc"
    path = tmp_path / "scripts.json"
    os.truncate(path, 5)
    found = desk.rules(Route(name="aria", upstream="local", replies=ReplyRules(scripts=(str(path),))))
    assert shown(found, "a")[0] == "a"
    assert "scripts.json" in found.problem


def test_scripts_of_card_and_preset_run_only_if_asked(tmp_path):
    card = tmp_path / "card.json"
    data = {"name": "Maren", "extensions": {"regex_scripts": [script("card", "/a/g", "{{char}}")]}}
    card.write_text(json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}), "utf-8")
    preset = tmp_path / "preset.json"
    scripts = {"regex_scripts": [script("preset", "/b/g", "{{user}}")]}
    preset.write_text(json.dumps({"prompts": [], "prompt_order": [], "extensions": scripts}), "utf-8")

    def ask(**replies):
        route = Route(
            name="aria", upstream="local", card=str(card), preset=str(preset), user="Max", replies=ReplyRules(**replies)
        )
        return shown(ReplyScripts().rules(route), "a b")[0]

    assert ask(hide_updates=True) == "a b"
    assert ask(card_scripts=True) == "Maren b"
    assert ask(preset_scripts=True) == "a Max"
