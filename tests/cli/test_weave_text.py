"""`weave --preset` with the templates of a text completion: one text, whose it is, and where the reply ends."""

import pytest

from tests.cli.scenes import SAID, Scene, card

STORY = "{{#if system}}{{system}}\n{{/if}}{{#if wiBefore}}{{wiBefore}}\n{{/if}}{{description}}\n{{trim}}"
CONTEXT = {"story_string": STORY, "chat_start": "***", "example_separator": "", "name": "C"}
INSTRUCT = {"input_sequence": "<|user|>", "output_sequence": "<|bot|>", "stop_sequence": "<|end|>", "wrap": True,
            "names_behavior": "none", "name": "I"}  # fmt: skip
SYSTEM = {"content": "You are {{char}}.", "name": "S"}
SAMPLER = {"temp": 1, "top_p": 1, "rep_pen": 1.1, "typical_p": 1, "top_k": 0}
TEXT = """You are Aria.
The dragon sleeps.
Aria sings.
***
<|bot|>
Hello.
<|user|>
Where is the dragon?
<|bot|>
"""


@pytest.fixture
def scene(shop):
    return Scene(shop)


def asked(scene, **files):
    """The options of a request, with each template in a file of its own."""
    book, chat = scene.shop.book({"key": ["dragon"], "content": "The dragon sleeps."}), scene.chat(SAID[:2])
    named = (scene.shop.write(f"{name}.json", value) for name, value in files.items())
    return [word for path in named for word in ("--preset", path)] + [
        *("--card", scene.aria, "--book", book, "--chat", chat)
    ]


PARTS = {"context": CONTEXT, "instruct": INSTRUCT, "sysprompt": SYSTEM}


@pytest.mark.parametrize("files", [PARTS, {"master": PARTS}], ids=["three files", "a master export"])
@pytest.mark.parametrize("profile", ["native", "sillytavern"])
def test_one_text_of_templates(scene, files, profile):
    answer = scene.answer(*asked(scene, **files), "--profile", profile)

    assert answer["text"] == "".join(block["text"] for block in answer["blocks"]) == TEXT
    assert answer["stops"] == ["\nMax:", "\n<|end|>", "\n<|user|>", "\n<|bot|>"]
    assert "messages" not in answer
    assert {"kind": "entry", "id": "world.0"} in [source for block in answer["blocks"] for source in block["sources"]]
    told = [] if profile == "sillytavern" else ["text_not_frozen"]
    assert [report["code"] for report in answer["reports"]] == told
    assert answer["placement"] == "sillytavern"


def test_people_read_the_same(scene):
    shown = scene.shop.run("weave", *asked(scene, **PARTS)).stdout

    assert "card Aria.description, 3 tokens: is part of the story string\n    Aria sings.\n" in shown
    assert r"the reply ends at '\nMax:', '\n<|end|>', '\n<|user|>', '\n<|bot|>'" in shown


def test_without_a_context_template_it_says_what_is_missing(scene):
    answer = scene.answer(*asked(scene, instruct=INSTRUCT))

    assert answer["text"] == "<|bot|>\nHello.\n<|user|>\nWhere is the dragon?\n<|bot|>\n"
    assert {report["code"] for report in answer["reports"]} == {"no_context_template", "text_not_frozen"}
    assert {"kind": "entry", "id": "world.0"} in [one["source"] for one in answer["left_out"]]


def test_regex_scripts_and_a_small_context(scene):
    script = {
        "scriptName": "s", "findRegex": "/dragon/g", "replaceString": "worm", "placement": [1], "promptOnly": True,
    }  # fmt: skip
    words = [*asked(scene, context=CONTEXT), "--regex", scene.shop.write("script.json", script)]

    assert "Max: Where is the worm?" in scene.answer(*words)["text"]
    small = scene.answer(*words, "--context-tokens", "305")
    assert "prompt_too_long" in {report["code"] for report in small["reports"]}
    assert "Where is" not in small["text"]


def test_the_state_goes_on_and_the_chat_is_saved(scene):
    state, saved = scene.shop.folder / "s.json", scene.shop.folder / "saved.jsonl"
    answers = [scene.answer(*asked(scene, **PARTS), "--state", state, "--save-chat", saved, "--force") for _ in "ab"]

    assert [answer["text"] for answer in answers] == [TEXT, TEXT]
    assert saved.read_text("utf-8").count("\n") == 3


def test_a_group(scene):
    aria = scene.shop.write("sings.json", card("Aria", description="Aria sings."))
    words = [*asked(scene, context=CONTEXT), "--card", aria, "--member", scene.bela, "--speaker", "Bela"]
    answer = scene.answer(*words)

    assert answer["text"].startswith("The dragon sleeps.\nBela drums.\n***\nAria: Hello.\n")
    assert answer["text"].endswith("Bela:")
    assert answer["stops"] == ["\nMax:", "\nAria:"]


@pytest.mark.parametrize(
    ("files", "more", "said"),
    [
        ({"context": CONTEXT, "again": CONTEXT}, [], "`context` is in"),
        ({"context": CONTEXT, "sampler": SAMPLER}, [], "settings of the sampler and no prompts"),
        ({"master": PARTS}, ["--ledger", "l.ledger"], "a ledger holds messages"),
    ],
)
def test_what_cannot_be_used_is_named(scene, files, more, said):
    result = scene.shop.run("weave", *asked(scene, **files), *more)

    assert result.exit_code == 2
    assert said in result.stderr


def test_no_placements_can_be_compared(scene):
    _, path, *_, chat = asked(scene, context=CONTEXT)
    result = scene.shop.run("cache-sim", chat, "--preset", path)

    assert result.exit_code == 2
    assert "no two placements can be compared" in result.stderr
