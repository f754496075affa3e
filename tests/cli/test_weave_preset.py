"""`weave --preset`: the whole prompt, with a source and a reason for every part. What is expected is written by hand from
what SillyTavern does with such a preset (spec prompt-assembly) and from what frozen placement promises (ADR 0031)."""

import json

import pytest

from lorewright.cli.options import Request
from lorewright.cli.scene import read_scene
from lorewright.cli.simulating import run_simulation
from tests.cli.scenes import NOTE, PROMPTS, SAID, Scene, card, prompt, sent

FIRST = SAID[:2]
FRONT = [("system", "You are Aria, and speak to Max."), ("system", "Aria sings."), ("system", "[Go]")]
PERSONAS = {
    "personas": {"max.png": "Max", "eve.png": "Eve"},
    "persona_descriptions": {
        "max.png": {"description": "A sailor.", "position": 0},
        "eve.png": {"description": "A cook.", "position": 4, "depth": 0, "role": 1},
    },
    "default_persona": "eve.png",
}


@pytest.fixture
def scene(shop):
    return Scene(shop)


def test_the_positions_of_sillytavern(scene):
    answer = scene.answer(*scene.words(FIRST, note=NOTE), "--profile", "sillytavern")

    assert sent(answer) == [
        ("system", "You are Aria, and speak to Max."),
        ("system", "The dragon sleeps."),
        ("system", "Aria sings."),
        ("system", "[Go]"),
        ("assistant", "Hello."),
        ("system", "Be brief."),
        ("user", "Where is the dragon?"),
        ("system", "Keep it light."),
        ("system", "Stay Aria."),
    ]
    assert answer["parts"] is None


def test_native_lets_everything_stand_that_can(scene):
    answer = scene.answer(*scene.words(FIRST, note=NOTE))

    assert sent(answer) == [
        *FRONT,
        ("assistant", "Hello."),
        ("user", "The dragon sleeps.\n\nWhere is the dragon?"),
        ("system", "Be brief."),
        ("system", "Keep it light."),
        ("system", "Stay Aria."),
    ]
    assert answer["parts"] == {"front": 3, "chat": 2, "tail": 3}


def test_every_part_has_its_source_and_what_is_out_its_reason(scene):
    answer = scene.answer(*scene.words(FIRST))

    for message in answer["messages"]:
        assert "".join(block["text"] for block in message["blocks"]) == message["content"]
    blocks = [block for message in answer["messages"] for block in message["blocks"]]
    assert {"kind": "entry", "id": "world.0"} in [source for block in blocks for source in block["sources"]]
    assert all(block["sources"] and block["sentence"] for block in blocks)
    (lore,) = [block for block in blocks if block["sources"] == [{"kind": "entry", "id": "world.0"}]]
    assert (lore["why"], lore["sentence"]) == ("at_message", "stands at message 1, where it was placed")
    assert [(one["source"], one["reason"]) for one in answer["left_out"]] == [
        ({"kind": "prompt", "id": "go-on"}, "for_other_replies"),
        ({"kind": "prompt", "id": "draft"}, "switched_off"),
    ]
    assert answer["reports"] == []


def test_people_read_the_same(scene):
    shown = scene.shop.run("weave", *scene.words(FIRST)).stdout

    assert "== user\nentry world.0, 5 tokens" in shown
    assert "card Aria.description, 3 tokens: the order has it at place 3\n    Aria sings.\n" in shown
    assert shown.index("-- the chat") < shown.index("Hello.") < shown.index("-- only of this turn")
    assert "left out prompt draft: the order has `draft` switched off" in shown


def test_no_book_is_needed_and_no_card(scene):
    preset, chat = scene.words()[1], scene.chat(FIRST)

    assert sent(scene.answer("--preset", preset, "--chat", chat)) == [
        ("system", "You are Aria, and speak to Max."),
        ("system", "[Go]"),
        ("assistant", "Hello."),
        ("user", "Where is the dragon?"),
        ("system", "Be brief."),
        ("system", "Stay Aria."),
    ]


@pytest.mark.parametrize("named", ["A tailor.", "@{text}", "{text}", "{ours}", "{backup}:Max", "@{backup}:Max"])
def test_a_persona_from_anywhere(scene, named):
    shop = scene.shop
    files = {
        "text": shop.write("me.txt", "A tailor."),
        "ours": shop.write("me.yaml", "lorewright: 1\nkind: persona\nname: Max\ndescription: A tailor.\n"),
        "backup": shop.write("personas.json", PERSONAS),
    }
    expected = "A sailor." if "backup" in named else "A tailor."

    answer = scene.answer(*scene.words(FIRST), "--persona", named.format(**files))

    assert sent(answer)[1] == ("system", expected)
    assert answer["messages"][1]["blocks"][0]["sources"] == [{"kind": "persona", "id": "persona"}]


def test_a_persona_stands_where_it_says(scene):
    backup = scene.shop.write("personas.json", PERSONAS)

    answer = scene.answer(*scene.words(FIRST), "--persona", backup, "--profile", "sillytavern")

    assert sent(answer)[-3:] == [("user", "Where is the dragon?"), ("user", "A cook."), ("system", "Stay Aria.")]


@pytest.mark.parametrize(("speaker", "said"), [("Bela", "Bela drums."), ("Aria", "Aria sings.")])
def test_a_group(scene, speaker, said):
    answer = scene.answer(*scene.words(FIRST), "--member", scene.bela, "--speaker", speaker, "--profile", "sillytavern")

    assert sent(answer) == [
        ("system", f"You are {speaker}, and speak to Max."),
        ("system", "The dragon sleeps."),
        ("system", said),
        ("system", "[Go, Aria, Bela]"),
        ("assistant", "Aria: Hello."),
        ("system", "Be brief."),
        ("user", "Where is the dragon?"),
        ("system", f"[Now {speaker}]"),
        ("system", f"Stay {speaker}."),
    ]


END = {
    "normal": [("user", "Let us go."), ("system", "Stay Aria.")],
    "quiet": [("user", "Let us go."), ("system", "Stay Aria.")],
    "regenerate": [("user", "Let us go."), ("system", "Stay Aria.")],
    "impersonate": [("user", "Let us go."), ("system", "Stay Aria."), ("system", "[Speak as Max]")],
    "continue": [
        ("system", "Do not repeat it."),
        ("system", "Stay Aria."),
        ("user", "Let us go."),
        ("system", "[Go on]"),
    ],
    "swipe": [("system", "Be brief."), ("assistant", "Under the hill."), ("system", "Stay Aria.")],
}


@pytest.mark.parametrize("trigger", END)
def test_every_type_of_reply(scene, trigger):
    answer = scene.answer(*scene.words(), "--trigger", trigger, "--profile", "sillytavern")

    assert sent(answer)[-len(END[trigger]) :] == END[trigger]


def test_a_reply_that_is_made_anew_is_not_sent(scene):
    answer = scene.answer(*scene.words(SAID[:3]), "--trigger", "regenerate")

    assert "Under the hill." not in [content for _, content in sent(answer)]


def test_preferences_and_the_note_for_a_character(scene):
    aria = card("Aria", description="Aria sings.", system_prompt="Sing. {{original}}")
    mine = {"name": "Aria", "useChara": True, "prompt": "Hum.", "position": 2}
    settings = {"power_user": {"prefer_character_prompt": False}, "extension_settings": {"note": {"chara": [mine]}}}
    words = [*scene.words(FIRST, note=NOTE), "--card", scene.shop.write("own.json", aria), "--profile", "sillytavern"]

    without = scene.answer(*words)
    answer = scene.answer(*words, "--settings", scene.shop.write("settings.json", settings))

    assert sent(without)[0] == ("system", "Sing. You are Aria, and speak to Max.")
    assert without["overridden"] == ["main"]
    assert sent(answer)[0] == ("system", "You are Aria, and speak to Max.")
    assert sent(answer)[-2] == ("system", "Keep it light.\nHum.")


def test_a_context_size_goes_before_that_of_the_preset(scene):
    words = scene.words(settings={"openai_max_tokens": 0})

    whole, small = (scene.answer(*words, "--context-tokens", tokens) for tokens in ("4000", "33"))

    assert small["settings"]["maxContext"] == 33
    assert sum(block["tokens"] for message in small["messages"] for block in message["blocks"]) <= 33
    assert [text in dict.fromkeys(content for _, content in sent(whole)) for text in ("Hello.", "Let us go.")] == [1, 1]
    assert [text in dict.fromkeys(content for _, content in sent(small)) for text in ("Hello.", "Let us go.")] == [0, 1]
    assert {"kind": "message", "id": "0"} in [one["source"] for one in small["left_out"]]


def test_the_second_turn_keeps_the_first(scene):
    state = scene.shop.folder / "state.json"
    first = scene.answer(*scene.words(FIRST), "--state", state)
    second = scene.answer(*scene.words(), "--state", state)
    lasting = first["parts"]["front"] + first["parts"]["chat"]

    assert sent(second)[:lasting] == sent(first)[:lasting]
    assert sent(second)[lasting : lasting + 2] == [("assistant", "Under the hill."), ("user", "Let us go.")]
    assert second["moves"] == []


def test_an_edited_preset_says_that_it_moved_the_prompt(scene):
    state = scene.shop.folder / "state.json"
    scene.answer(*scene.words(FIRST), "--state", state)
    edited = [prompt("main", "You are the other {{char}}.")]
    answer = scene.answer(*scene.words(settings={"prompts": edited}), "--state", state)

    assert sent(answer)[0] == ("system", "You are the other Aria.")
    assert "preset_edit" in {move["cause"] for move in answer["moves"]}


def test_a_ledger_comes_out_again(scene):
    ledger = scene.shop.folder / "l.ledger"
    answers = [scene.answer(*scene.words(said, note=NOTE), "--ledger", ledger) for said in (FIRST, SAID)]
    replayed = scene.shop.run("ledger", "replay", ledger)
    shown = scene.shop.run("ledger", "show", ledger, "1").stdout

    assert [answer["ledger"]["turn"] for answer in answers] == [1, 2]
    assert (replayed.exit_code, replayed.stdout) == (0, "2 of 2 turns came out as recorded.\n")
    assert "You are Aria, and speak to Max." in shown


def test_a_saved_chat_keeps_all_that_it_has(scene):
    words, saved = scene.words(note=NOTE), scene.shop.folder / "saved.jsonl"
    before = (scene.shop.folder / "chat.jsonl").read_text("utf-8").splitlines()
    scene.answer(*words, "--save-chat", saved)
    after = saved.read_text("utf-8").splitlines()

    assert list(map(json.loads, after[1:])) == list(map(json.loads, before[1:]))
    assert json.loads(after[0])["chat_metadata"].items() >= NOTE.items()


@pytest.mark.parametrize("profile", ["native", "sillytavern"])
def test_a_saved_chat_keeps_what_prompts_set(scene, profile):
    words = scene.words(settings={"prompts": [*PROMPTS[1:], prompt("main", "{{setvar::mood::grim}}Be brief.")]})
    saved = scene.shop.folder / "saved.jsonl"
    scene.answer(*words, "--profile", profile, "--save-chat", saved)
    header = json.loads(saved.read_text("utf-8").splitlines()[0])

    assert header["chat_metadata"]["variables"] == {"mood": "grim"}


def test_explain_works_with_a_preset(scene):
    (verdict,) = scene.shop.json("explain", *scene.words(FIRST), "--all")

    assert (verdict["entry"], verdict["in"]) == ("world.0", True)


def test_cache_sim_lays_out_every_turn(scene):
    _, preset, _, card_file, _, book, _, chat = scene.words(note=NOTE)
    answer = scene.shop.json("cache-sim", chat, "--preset", preset, "--card", card_file, "--book", book)
    frozen, classic, none = (answer["placements"][name] for name in ("frozen", "classic", "none"))

    assert [run["requests"] for run in (frozen, classic, none)] == [2, 2, 2]
    assert (frozen["leastShare"], frozen["keptWhole"]) == (1, 1)
    assert classic["keptWhole"] == 0
    assert classic["leastShare"] < 0.5  # lore before the card goes when nobody speaks of the dragon any more
    assert none["tokens"] < frozen["tokens"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--preset", "none.json"], "There is no file `none.json`"),
        (["--preset", "{card}"], "This is a character card V2"),
        (["--preset", "{preset}", "--preset", "{preset}"], "takes no other beside it"),
        (["--preset", "{sampler}"], "settings of the sampler and no prompts"),
        (["--preset", "{risu}"], "A template of RisuAI is read and linted"),
        (["--preset", "{preset}", "--member", "{bela}", "--card", "{card}", "--speaker", "Zed"], "no such member"),
        (["--preset", "{preset}", "--persona", "{backup}:Zed"], "no such persona in the file called 'Zed'"),
        (["--preset", "{preset}", "--persona", "@none.txt"], "There is no file `none.txt`"),
        (["--preset", "{preset}", "--member", "none.json"], "There is no file `none.json`"),
        (["--preset", "{preset}", "--member", "{preset}"], "Wanted here: a character card"),
        (["--card", "{card}", "--member", "{bela}"], "give it by --preset"),
    ],
)
def test_what_cannot_be_used_is_named(scene, words, said):
    shop = scene.shop
    files = {
        "card": scene.aria,
        "bela": scene.bela,
        "preset": scene.words()[1],
        "backup": shop.write("personas.json", PERSONAS),
        "sampler": shop.write("sampler.json", {"temp": 1, "top_p": 1, "rep_pen": 1.1, "typical_p": 1, "top_k": 0}),
        "risu": shop.write("risu.json", {"promptTemplate": [{"type": "chat"}], "aiModel": "m"}),
    }
    result = shop.run("weave", "--chat", scene.chat(), *(word.format(**files) for word in words))

    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize("profile", ["native", "sillytavern"])
def test_what_is_to_be_known_of_a_message_reaches_the_prompt(scene, profile):
    """A narrator speaks as the system, a hidden message is not sent, and a beginning that the user gave stands last."""
    said = [
        {**SAID[0], "is_system": True},
        {"name": "Narrator", "is_user": False, "mes": "Night falls.", "extra": {"type": "narrator"}},
        {**SAID[1], "extra": {"bias": "Well,"}},
    ]
    answer = scene.answer(*scene.words(said), "--profile", profile)

    assert ("system", "Night falls.") in sent(answer)
    assert "Hello." not in [content for _, content in sent(answer)]
    assert [content for role, content in sent(answer) if role == "assistant"] == ["Well,"]


def test_cache_sim_knows_the_messages_by_their_places(scene):
    said = [*SAID[:2], {"name": "Narrator", "is_user": False, "mes": "Night falls.", "extra": {"type": "narrator"}}]
    _, preset, *_, chat = scene.words([*said, SAID[3]])
    runs = run_simulation(read_scene(Request(chat=chat, presets=(preset,)))).runs

    for placement in ("frozen", "classic"):
        sent = [[(m.role, m.content) for m in measured.woven.messages] for measured in runs[placement]]
        assert [("system", "Night falls.") in messages for messages in sent] == [False, True]


@pytest.mark.parametrize(("tokens", "told"), [("300", ["no_room_for_prompt"]), ("400", [])])
def test_a_context_that_the_reply_takes_is_named(scene, tokens, told):
    answer = scene.answer(*scene.words(FIRST), "--context-tokens", tokens)

    assert [report["code"] for report in answer["reports"]] == told
    assert bool(answer["messages"]) == (not told)
