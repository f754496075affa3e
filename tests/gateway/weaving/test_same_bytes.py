"""One turn is the same by the gateway, the command line and the library."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lorewright import NATIVE, ActiveBook, DictMemory, load_lore, make_tools, read_book, read_chat, weave
from lorewright.cli import main
from lorewright.core.layout.plan import Plan
from lorewright.core.layout.scene import Card, Scene
from lorewright.core.model import Turn
from lorewright.formats.read import read_preset
from lorewright.gateway.configuration import BookFile
from lorewright.gateway.weaving.ledger_weaver import LedgerWeaver
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.session import LedgerSession
from tests.gateway.running import RunningGateway
from tests.gateway.weaving.conftest import assistant, chat, user

EXAMPLES = Path(__file__).parents[3] / "examples"
BOOK = EXAMPLES / "01-engine-only" / "lantern-isles.json"
PRESET = EXAMPLES / "06-presets" / "lamp.json"
CHAT = (
    {"role": "system", "content": "Answer in one sentence."},
    user("Is that the lamp oil?"),
    assistant("It is, Wen. Mind the stairs."),
    user("I see a gale over the lighthouse."),
    assistant("Then we ring the drowned bell."),
    user("And the night boats?"),
)
LENGTHS = (2, 4, 6)


def pairs(messages):
    """Messages as their roles and texts."""
    return [(message["role"], message["content"]) for message in messages]


def through_the_gateway(world, fake, tmp_path, preset, placement):
    route = replace(
        world.routes["aria"], books=(BookFile(str(BOOK)),), preset=preset and str(preset), placement=placement
    )
    with RunningGateway(replace(world, routes={"aria": route}), LedgerWeaver(tmp_path / "gateway")) as gateway:
        for length in LENGTHS:
            answer = chat(gateway, *CHAT[:length])
            assert "x-lorewright-turn" in answer.headers
    return [pairs(request.json["messages"]) for request in fake.received]


def by_command(tmp_path, capsys, preset, placement, memory):
    found = []
    for length in LENGTHS:
        file = tmp_path / f"chat-{length}.json"
        file.write_text(json.dumps({"messages": CHAT[:length]}), "utf-8")
        words = ["weave", str(BOOK), "--chat", str(file), "--placement", placement, "--json"]
        words += ["--preset", str(preset)] if preset else []
        main([*words, memory, str(tmp_path / memory.strip("-"))])
        found.append(pairs(json.loads(capsys.readouterr().out)["messages"]))
    return found


def turns(tmp_path, preset):
    """The turns as a program of somebody's makes them."""
    plan = None
    if preset:
        plan = Plan(preset=read_preset(preset).value, scene=Scene(card=Card(name="Assistant")))
    for length in LENGTHS:
        file = tmp_path / f"of-the-library-{length}.json"
        file.write_text(json.dumps({"messages": CHAT[:length]}), "utf-8")
        tokens = plan.preset.limits.context_tokens if plan and plan.preset.limits.context_tokens else 8192
        yield Turn(messages=read_chat(file).value.messages, user="User", plan=plan, context_tokens=tokens)


def by_library(tmp_path, preset, policy):
    tools, memory = make_tools(), DictMemory()
    lore = load_lore([ActiveBook(read_book(BOOK).value)], tools, policy)
    for turn in turns(tmp_path, preset):
        woven = weave(turn, lore, memory, tools)
        memory.put(woven.nodes)
        yield [(message.role, message.content) for message in woven.messages]


def by_session(tmp_path, preset, policy):
    books = [ActiveBook(read_book(BOOK).value)]
    with open_ledger(tmp_path / "of-the-library") as ledger:
        session = LedgerSession(ledger, books, policy, make_tools())
        for turn in turns(tmp_path, preset):
            yield [(message.role, message.content) for message in session.weave(turn).woven.messages]


@pytest.mark.parametrize("placement", ["frozen", "sillytavern"])
@pytest.mark.parametrize("preset", [None, PRESET], ids=["plain", "preset"])
def test_every_way_gives_the_same_bytes(preset, placement, world, fake, tmp_path, capsys):
    policy = replace(NATIVE, placement=placement)
    sent = through_the_gateway(world, fake, tmp_path, preset, placement)

    assert any("Lantern Isles" in text for _, text in sent[0])
    assert len({json.dumps(messages) for messages in sent}) == len(LENGTHS)
    assert by_command(tmp_path, capsys, preset, placement, "--ledger") == sent
    assert by_command(tmp_path, capsys, preset, placement, "--state") == sent
    assert list(by_library(tmp_path, preset, policy)) == sent
    assert list(by_session(tmp_path, preset, policy)) == sent


@pytest.mark.parametrize("placement", ["frozen", "sillytavern"])
def test_examples_keep_the_names_of_their_speakers(placement, world, fake, tmp_path, capsys):
    examples = {"name": "Aria", "mes_example": "<START>\n{{user}}: Hi.\n{{char}}: Run now."}
    card = tmp_path / "aria.json"
    card.write_text(json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": examples}), "utf-8")
    order = [{"identifier": name, "enabled": True} for name in ("dialogueExamples", "chatHistory")]
    preset = tmp_path / "preset.json"
    preset.write_text(json.dumps({"prompts": [], "prompt_order": [{"character_id": 100001, "order": order}]}), "utf-8")
    file = tmp_path / "chat.json"
    file.write_text(json.dumps({"messages": CHAT[:2]}), "utf-8")
    route = replace(world.routes["aria"], books=(), card=str(card), preset=str(preset), placement=placement, user="Wen")
    with RunningGateway(replace(world, routes={"aria": route}), LedgerWeaver(tmp_path / "gateway")) as gateway:
        chat(gateway, *CHAT[:2])
    words = ["weave", "--chat", str(file), "--card", str(card), "--preset", str(preset), "--user", "Wen"]
    main([*words, "--placement", placement, "--json"])
    printed = json.loads(capsys.readouterr().out)["messages"]

    (sent,) = (request.json["messages"] for request in fake.received)
    assert {"role": "system", "name": "example_user", "content": "Hi."} in sent
    assert {"role": "system", "name": "example_assistant", "content": "Run now."} in sent
    assert sent == [{name: value for name, value in one.items() if name != "blocks"} for one in printed]
