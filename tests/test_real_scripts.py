"""Regex scripts that nobody here wrote: they run, stay, and what is for display never reaches a prompt."""

from dataclasses import replace

import pytest

from lorewright import NATIVE, ActiveBook, load_lore, make_tools
from lorewright.core.chain import DictMemory
from lorewright.core.model import Book, Character, Entry, Message, Turn
from lorewright.core.weave import weave
from lorewright.errors import FormatError
from lorewright.formats.read import read_card, read_thing

TOOLS = make_tools()
TEXT = (
    '<think>hm</think> *Hello* "you" {{user}} [hp: 3] <UpdateVariable>a = 1</UpdateVariable> 你好 **b**\n'
    "<details><summary>摘要</summary>y</details>\n<context>z</context>\n```js\nx\n```\n" + "word " * 200
)
BOOK = Book("b", (Entry(uid=1, constant=True, content="Lore <b>x</b> {{char}} [a]", position=0),))
REMOVES = "StageDog__角色卡.png"
"""Has one script for prompts, which takes out what the model says of variables."""


def scripts_of(path):
    """SillyTavern's scripts of a card or a file, those that are off among them."""
    for read in (read_thing, read_card):
        try:
            found = read(path).value.regex_scripts
        except FormatError:
            continue
        return [script for script in found if not any(isinstance(place, str) for place in script.placement)]
    return []


def requests(scripts):
    lore = load_lore([ActiveBook(BOOK)], TOOLS, replace(NATIVE, scripts=tuple(scripts)))
    memory, chat, found = DictMemory(), [], []
    for number in range(12):
        chat.append(Message("Max", f"{number} {TEXT}"))
        turn = Turn(messages=tuple(chat), user="Max", character=Character(name="Aria"), clock_ms=number * 60_000)
        found.append(weave(turn, lore, memory, TOOLS))
        memory.put(found[-1].nodes)
        chat.append(Message("Aria", f"{number} {TEXT}", "assistant"))
    return found


@pytest.fixture(scope="module")
def real(shared):
    found = {path: scripts_of(path) for path in sorted((shared / "real-files").rglob("*")) if path.is_file()}
    return {path: scripts for path, scripts in found.items() if scripts}


def test_every_real_script_runs_in_time(real):
    assert sum(map(len, real.values())) > 30
    for path, scripts in real.items():
        switched_on = [replace(script, disabled=False) for script in scripts]
        for request in requests(switched_on):
            codes = {report.code for report in request.assembly.reports}
            assert not codes & {"regex_timeout", "regex_script_failed", "regex_invalid"}, path
        assert {move.cause for move in request.moves} <= {"regex_depth"}, path


def test_what_is_for_display_reaches_no_prompt(real):
    plain = [request.messages for request in requests([])]
    for path, scripts in real.items():
        shown = [replace(script, disabled=False, for_prompt=False) for script in scripts if script.for_display]
        assert [request.messages for request in requests(shown)] == plain, path


def test_a_real_script_for_prompts_takes_out_what_it_is_for(real):
    (scripts,) = (scripts for path, scripts in real.items() if path.name == REMOVES)
    last = requests(scripts)[-1]

    assert not any("UpdateVariable" in message.content for message in last.messages if message.role == "assistant")
    assert all("UpdateVariable" in message.content for message in last.messages if message.role == "user")
