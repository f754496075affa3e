"""`weave`: the shape of its answer, and what its options do."""

import json

import pytest

DRAGON = {"key": ["dragon"], "content": "The dragon is green.", "comment": "Dragon"}
MILL = {"key": ["mill"], "content": "The mill is empty."}


def test_json_has_exactly_this_shape(shop):
    book = shop.book(DRAGON, MILL)

    assert shop.json("weave", book, "--chat", shop.chat()) == {
        "profile": "native",
        "settings": {
            "depth": 2,
            "minActivations": 0,
            "minActivationsDepthMax": 0,
            "budget": 25,
            "budgetCap": 0,
            "includeNames": True,
            "recursive": True,
            "maxRecursionSteps": 0,
            "caseSensitive": False,
            "matchWholeWords": True,
            "useGroupScoring": False,
            "form": "inside",
            "standingBudget": 50,
            "onEdit": "append",
            "characterStrategy": 1,
            "maxContext": 8192,
        },
        "counter": "estimate",
        "activated": [
            {
                "entry": "world.0",
                "title": "Dragon",
                "tokens": 5,
                "position": "before",
                "text": "The dragon is green.",
            }
        ],
        "positions": {
            "before": "The dragon is green.",
            "after": "",
            "atDepth": [],
            "examples": [],
            "anTop": [],
            "anBottom": [],
            "outlets": {},
        },
        "placement": "frozen",
        "messages": [
            {"role": "user", "content": "Is the old mill haunted?"},
            {"role": "assistant", "content": "Only the dragon knows."},
            {"role": "user", "content": "The dragon is green.\n\nThen I ask the dragon by the river."},
        ],
        "moves": [],
        "state": {"sticky": {}, "cooldown": {}},
        "budget": {"limit": 2048, "used": 5},
        "reports": [],
    }


def test_every_position_is_listed(shop):
    texts = [
        {"key": ["dragon"], "content": name, "position": position, "outletName": "shelf", "role": 1, "depth": 1}
        for position, name in enumerate(["before", "after", "top", "bottom", "deep", "first", "last", "outlet"])
    ]
    answer = shop.json("weave", shop.book(*texts), "--chat", shop.chat(), "--placement", "sillytavern")

    assert answer["positions"] == {
        "before": "before",
        "after": "after",
        "atDepth": [{"depth": 1, "role": 1, "entries": ["deep"]}],
        "examples": [{"where": "bottom", "content": "last"}, {"where": "top", "content": "first"}],
        "anTop": ["top"],
        "anBottom": ["bottom"],
        "outlets": {"shelf": ["outlet"]},
    }
    assert [item["position"] for item in answer["activated"]] == [
        *("before", "after", "anTop", "anBottom", "atDepth", "examples", "examples", "outlets")
    ]
    assert {report["code"] for report in answer["reports"]} == {"examples_not_in_messages", "outlets_not_in_messages"}


def test_what_stands_nowhere_is_reported(shop):
    book = shop.book(
        {"key": ["dragon"], "content": "text", "position": 7}, {"key": ["dragon"]}, {**DRAGON, "position": 42}
    )
    answer = shop.json("weave", book, "--chat", shop.chat(), "--profile", "sillytavern")

    assert [(item["entry"], item["position"], "text" in item) for item in answer["activated"]] == [
        ("world.0", None, True),
        ("world.1", None, False),
        ("world.2", None, True),
    ]
    assert {(report["entry"], report["code"], report["level"]) for report in answer["reports"]} == {
        ("world.0", "placed_nowhere_no_outlet", "warning"),
        ("world.1", "placed_nowhere_empty", "info"),
        ("world.2", "placed_nowhere_no_position", "warning"),
    }


def test_people_see_texts_titles_and_the_counter(shop):
    lines = shop.run("weave", shop.book(DRAGON), "--chat", shop.chat()).stdout.splitlines()

    assert lines == [
        "Profile native, scan depth 2, recursion on, whole words on",
        "Budget 5 of 2048 tokens (25 % of 8192), counter: estimate",
        "SillyTavern counts with the model's own tokenizer, so it may cut elsewhere.",
        "",
        "== Before the character",
        "Dragon (world.0, 5 tokens)",
        "    The dragon is green.",
        "",
        "1 of 1 entry active. Add `--all` to `explain` with the same files to see why.",
    ]


CHATS = {
    "jsonl with a header": json.dumps({"user_name": "Max"}) + '\n{"name": "Max", "mes": "a dragon", "is_user": true}\n',
    "jsonl without one": '{"name": "Max", "mes": "a dragon"}\n{"name": "Max", "mes": "yes"}\n',
    "a list with names": [{"name": "Max", "mes": "a dragon"}],
    "a list with roles": [{"role": "user", "content": "a dragon"}],
    "an openai request": {
        "model": "m",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "dragon"}]}],
    },
    "an anthropic request": {"system": "Be kind.", "messages": [{"role": "user", "content": "a dragon"}]},
}


@pytest.mark.parametrize("content", CHATS.values(), ids=CHATS.keys())
def test_chats_of_every_form(shop, content):
    answer = shop.json("weave", shop.book(DRAGON), "--chat", shop.write("c", content))

    assert [item["entry"] for item in answer["activated"]] == ["world.0"]


def test_settings_and_context(shop):
    book, chat = shop.book(DRAGON, MILL), shop.chat()
    settings = shop.write("settings.json", {"depth": 3, "budget": 50, "maxContext": 1000})
    answer = shop.json("weave", book, "--chat", chat, "--settings", settings)
    narrow = shop.json("weave", book, "--chat", chat, "--settings", settings, "--context-tokens", 100)

    assert [item["entry"] for item in answer["activated"]] == ["world.0", "world.1"]
    assert (answer["settings"]["depth"], answer["settings"]["maxContext"]) == (3, 1000)
    assert (answer["budget"]["limit"], narrow["budget"]["limit"]) == (500, 50)


def test_sillytavern_settings_are_taken_as_they_are(shop):
    theirs = {"max_context": 1000, "world_info_settings": {"world_info_depth": 3}, "username": "Max"}
    settings = shop.write("settings.json", theirs)
    answer = shop.json("weave", shop.book(DRAGON, MILL), "--chat", shop.chat(), "--settings", settings)

    assert [item["entry"] for item in answer["activated"]] == ["world.0", "world.1"]
    assert answer["budget"]["limit"] == 250
    assert [report["code"] for report in answer["reports"]] == ["settings_not_read"]


def test_settings_of_an_answer_can_be_used_again(shop):
    book, chat = shop.book(DRAGON, MILL), shop.chat()
    first = shop.json("weave", book, "--chat", chat, "--context-tokens", 500)
    again = shop.json("weave", book, "--chat", chat, "--settings", shop.write("s.json", first["settings"]))

    assert again == first


def test_profiles_differ_and_say_so(shop):
    book, chat = shop.book({"key": [" "], "content": "always"}), shop.chat()
    theirs = shop.json("weave", book, "--chat", chat, "--profile", "sillytavern")

    assert shop.json("weave", book, "--chat", chat)["activated"] == []
    assert theirs["profile"] == "sillytavern"
    assert [item["entry"] for item in theirs["activated"]] == ["world.0"]


@pytest.mark.parametrize("engine", ["fast", "core"])
def test_engines(shop, engine):
    answer = shop.json("weave", shop.book(DRAGON, MILL), "--chat", shop.chat(), "--engine", engine)

    assert [item["entry"] for item in answer["activated"]] == ["world.0"]


def test_books_come_from_several_sources(shop):
    first = shop.book(DRAGON, name="a.json")
    second = shop.book({"key": ["river"], "content": "The river is deep."}, name="b.json")
    answer = shop.json("weave", first, "--book", f"chat:{second}", "--chat", shop.chat())

    assert [item["entry"] for item in answer["activated"]] == ["b.0", "a.0"]  # the chat's book goes first


def test_the_positional_book_may_be_missing(shop):
    answer = shop.json("weave", "--book", shop.book(DRAGON), "--chat", shop.chat())

    assert [item["entry"] for item in answer["activated"]] == ["world.0"]


def card(book_name):
    entry = {"id": 3, "keys": ["smith"], "content": "The smith is deaf.", "insertion_order": 5, "enabled": True}
    book = {"entries": [{**entry, "extensions": {"match_character_description": True}}], "extensions": {}}
    named = {**book, "name": book_name} if book_name else book
    data = {"name": "Ana", "description": "Ana is a smith.", "character_book": named, "extensions": {}}
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}


@pytest.mark.parametrize(("book_name", "entry"), [("Village", "Village.3"), ("", "Ana's Lorebook.3")])
def test_a_card_brings_its_fields_and_its_book(shop, book_name, entry):
    answer = shop.json("weave", "--card", shop.write("ana.json", card(book_name)), "--chat", shop.chat())

    assert [item["entry"] for item in answer["activated"]] == [entry]


def test_a_card_is_the_character_of_filters(shop):
    book = shop.book({**DRAGON, "characterFilter": {"isExclude": False, "names": ["hero"], "tags": []}})
    chat = shop.chat()
    hero, other = shop.write("hero.json", card("x")), shop.write("other.json", card("x"))

    def entries(path):
        return [item["entry"] for item in shop.json("weave", book, "--card", path, "--chat", chat)["activated"]]

    assert entries(hero) == ["x.3", "world.0"]
    assert entries(other) == ["x.3"]


@pytest.mark.parametrize("form", ["text", "file"])
def test_the_persona_is_a_text_or_a_file(shop, form):
    book = shop.book({"key": ["debt"], "content": "Max owes a horse.", "matchPersonaDescription": True})
    persona = "Max has a debt." if form == "text" else "@" + shop.write("p.txt", "\ufeffMax has a debt.")
    answer = shop.json("weave", book, "--chat", shop.chat(), "--persona", persona)

    assert [item["entry"] for item in answer["activated"]] == ["world.0"]


def test_names_of_the_user(shop):
    book = shop.book({"constant": True, "content": "{{user}} and {{char}}"})
    unnamed = shop.write("c.json", [{"role": "user", "content": "hello"}])

    def text(*words):
        return shop.json("weave", book, *words)["positions"]["before"]

    assert text("--chat", shop.chat()) == "Max and Ana"
    assert text("--chat", shop.chat(), "--user", "Eve") == "Eve and Ana"
    assert text("--chat", unnamed) == "User and "


def test_triggers(shop):
    book = shop.book({"constant": True, "content": "go on", "triggers": ["continue"]})

    assert shop.json("weave", book, "--chat", shop.chat())["activated"] == []
    assert len(shop.json("weave", book, "--chat", shop.chat(), "--trigger", "continue")["activated"]) == 1


def test_seeds_give_other_draws_and_the_same_again(shop):
    book = shop.book(
        *({"constant": True, "content": "x", "probability": 50, "useProbability": True} for _ in range(30))
    )

    def drawn(seed):
        return [item["entry"] for item in shop.json("weave", book, "--chat", shop.chat(), "--seed", seed)["activated"]]

    assert drawn("a") == drawn("a")
    assert drawn("a") != drawn("b")


def test_exact_counters(shop):
    pytest.importorskip("toktok")
    answer = shop.json("weave", shop.book(DRAGON), "--chat", shop.chat(), "--counter", "cl100k")

    assert (answer["counter"], answer["budget"]["used"]) == ("cl100k", 5)


# -- what did not fit

BIG = "word " * 60


@pytest.mark.parametrize("profile", ["native", "sillytavern"])
def test_what_matched_and_did_not_fit_is_told(shop, profile):
    book = shop.book(
        {**DRAGON, "order": 900}, *({"key": ["dragon"], "content": BIG, "comment": f"Big {n}"} for n in range(7))
    )
    words = ["weave", book, "--chat", shop.chat(), "--context-tokens", "100", "--profile", profile]
    result = shop.run(*words)
    report = next(report for report in shop.json(*words)["reports"] if report["code"] == "over_budget")

    line = "7 more matched but did not fit the budget: Big 0, Big 1, Big 2, Big 3, Big 4, …"
    assert result.stdout.splitlines()[-1] == f"{line} (explain says more)"
    assert (report["level"], report["entry"], report["message"]) == ("info", "", line)


def test_what_came_in_later_or_never_matched_did_fit(shop):
    answer = shop.json("weave", shop.book(DRAGON, MILL, {**DRAGON, "disable": True}), "--chat", shop.chat())

    assert answer["reports"] == []


def test_titles_of_what_did_not_fit_stand_on_one_line(shop):
    book = shop.book({"key": ["dragon"], "content": BIG, "comment": "Big\none"})
    shown = shop.run("weave", book, "--chat", shop.chat(), "--context-tokens", "100").stdout

    assert "\n1 more matched but did not fit the budget: Big one (explain says more)\n" in shown


@pytest.mark.parametrize("command", [["weave"], ["explain", "--all"]], ids=["weave", "explain"])
def test_a_card_without_a_book_is_reported_where_no_other_book_is_given(shop, command):
    bare, chat = shop.write("bo.json", {"name": "Bo", "description": "x", "first_mes": "Hi."}), shop.chat()
    alone = shop.run(*command, "--card", bare, "--chat", chat)
    sentence = "The card `Bo` has no lorebook in it, and no other book is given."

    assert alone.exit_code == 0
    assert f"\nwarning: {sentence} [card_without_book]\n" in alone.stdout
    assert (
        "card_without_book"
        not in shop.run(*command, "--card", bare, "--book", shop.book(DRAGON), "--chat", chat).stdout
    )


# -- state


def test_state_is_written_read_and_not_touched_by_explain(shop):
    book = shop.book({**DRAGON, "sticky": 3})
    state = shop.folder / "state.json"
    words = ["--chat", shop.chat(), "--state", state]

    assert shop.run("explain", book, "--all", *words).exit_code == 0
    assert not state.exists()
    first = shop.json("weave", book, *words)
    timer = first["state"]["sticky"]["world.0"]
    assert {name: timer[name] for name in ("start", "end", "protected")} == {"start": 3, "end": 6, "protected": False}
    written = json.loads(state.read_text("utf-8"))
    assert {name: written[name] for name in ("sticky", "cooldown")} == first["state"]
    assert len(written["nodes"]) == 3
    assert [path.name for path in shop.folder.iterdir() if path.name.endswith(".tmp")] == []

    later = shop.chat([{"name": "Max", "mes": f"word {n}"} for n in range(5)], name="later.jsonl")
    before = state.read_bytes()
    verdict = shop.json("explain", book, "0", "--chat", later, "--state", state)[0]
    assert (verdict["in"], verdict["reason"]["code"]) == (True, "sticky")
    assert state.read_bytes() == before


def test_endless_timers_survive_the_file(shop):
    book = shop.write(
        "world.json", '{"entries": {"0": {"uid": 0, "key": ["dragon"], "content": "x", "sticky": 1e999}}}'
    )
    state = shop.folder / "state.json"
    first = shop.json("weave", book, "--chat", shop.chat(), "--state", state)
    later = shop.chat([{"name": "Max", "mes": f"word {n}"} for n in range(50)], name="later.jsonl")
    again = shop.json("weave", book, "--chat", later, "--state", state)

    assert first["state"]["sticky"]["world.0"]["end"] == "Infinity"
    assert again["state"] == first["state"]
    assert [item["entry"] for item in again["activated"]] == ["world.0"]


# -- texts that terminals and encodings do not like

NASTY = 'ring \x07 \x1b[31mred\x1b[0m \x9b2J [bold]markup[/bold] :smile: {{x} \ud83d half \u202eflip"\\'


def test_json_holds_any_text(shop):
    book = shop.book({"key": ["dragon"], "content": NASTY})
    result = shop.run("weave", book, "--chat", shop.chat(), "--json")

    assert json.loads(result.stdout_bytes.decode("utf-8"))["positions"]["before"] == NASTY
    assert "\x9b" not in result.stdout


def test_terminals_get_no_control_characters(shop):
    book = shop.book({"key": ["dragon"], "content": NASTY, "comment": NASTY})
    for command in (["weave"], ["explain", "--all"], ["check"]):
        words = [command[0], book, *command[1:], *(["--chat", shop.chat()] if command[0] != "check" else [])]
        shown = shop.run(*words).stdout
        assert not set(shown) & set("\x07\x1b\x9b\u202e\ud83d")
    shown = shop.run("weave", book, "--chat", shop.chat()).stdout
    assert r"ring \x07 \x1b[31mred\x1b[0m \x9b2J [bold]markup[/bold] :smile: {{x} \ud83d half \u202eflip" in shown
