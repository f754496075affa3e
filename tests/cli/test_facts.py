"""From a raw reply to a fact in the next turn, by commands alone."""

import json

import pytest

BLOCK = "She nods.\n\n<!--lorewright-fact\nsubject: mill\nfact: The mill burned down.\nkeys: mill\n{}-->\n"
OLD = "The mill is haunted."


@pytest.fixture
def weave(shop):
    book = shop.book({"key": ["mill"], "content": OLD, "comment": "Mill"}, name="world.json")
    chat = shop.chat([{"name": "Max", "is_user": True, "mes": "Is the old mill haunted?"}])

    def run(*words):
        found = shop.json("weave", book, "--chat", chat, "--ledger", shop.folder / "a", *words)
        return "\n".join(message["content"] for message in found["messages"])

    return run


def reply(shop, *lines, turn=1):
    path = shop.write("reply.txt", BLOCK.format("".join(f"{line}\n" for line in lines)))
    return shop.json("ledger", "reply", shop.folder / "a", turn, path)


def test_a_fact_takes_the_place_of_what_it_replaces_once_a_person_says_so(shop, weave):
    ledger = shop.folder / "a"
    assert OLD in weave()

    found = reply(shop, "replaces: world.0")

    assert found["refused"] == []
    (fact,) = found["facts"]
    assert fact == {
        "fact": 1,
        "turn": 1,
        "authority": "proposal",
        "subject": "mill",
        "text": "The mill burned down.",
        "keys": ["mill"],
        "replaces": "world.0",
    }
    assert "burned" not in weave()
    assert "burned" in weave("--settings", shop.write("s.json", {"useProposals": True}))

    assert "session" in shop.run("ledger", "promote", ledger, 1).stdout
    sent = weave()
    assert "The mill burned down." in sent
    assert OLD not in sent

    assert shop.json("ledger", "reject", ledger, 1)["authority"] == "rejected"
    sent = weave()
    assert "burned" not in sent
    assert OLD in sent
    assert shop.run("ledger", "replay", ledger).exit_code == 0
    assert shop.run("ledger", "verify", ledger).exit_code == 0


def test_the_progress_of_the_turn_counts(shop, weave):
    weave("--progress", "Isles:2")

    assert [one["why"] for one in reply(shop, "chapter: 3")["refused"]] == ["chapter_ahead"]
    assert len(reply(shop, "chapter: 2")["facts"]) == 1
    shop.run("ledger", "promote", shop.folder / "a", 1, "--to", "canon")
    assert "burned" in weave("--progress", "Isles:2")
    assert "burned" not in weave("--progress", "Isles:1")


def test_a_reply_from_standard_input(shop, weave):
    weave()
    words = ["ledger", "reply", str(shop.folder / "a"), "1", "-", "--prompt-tokens", "7", "--json"]

    found = shop.runner.invoke(shop_app(), words, input=BLOCK.format(""))

    assert len(json.loads(found.stdout)["facts"]) == 1
    assert shop.json("ledger", "list", shop.folder / "a")[0]["prompt_tokens"] == 7


def shop_app():
    from lorewright.cli.app import app

    return app


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("promote", "a", "1"), "There is no fact 1"),
        (("reject", "a", "0"), "There is no fact 0"),
        (("reply", "a", "9", "reply.txt"), "there is no turn 9"),
        (("facts", "b"), "no such ledger"),
    ],
)
def test_what_is_not_there_is_said(shop, weave, words, error):
    weave()
    shop.write("reply.txt", "Yes.")
    command, file, *rest = words
    rest = [shop.folder / word if word.endswith(".txt") else word for word in rest]

    refused = shop.run("ledger", command, shop.folder / file, *rest)

    assert refused.exit_code == 2
    assert error in " ".join(refused.output.split())


def test_a_reply_in_place_of_its_file_is_told_where_to_go(shop, weave):
    weave()
    refused = shop.run("ledger", "reply", shop.folder / "a", "1", "hello")
    assert refused.exit_code == 2
    assert "standard input" in refused.stderr


@pytest.mark.parametrize("command", ["promote", "reject"])
@pytest.mark.parametrize("given", ["x", "1.5", "9" * 30])
def test_what_is_no_number_of_a_fact_is_told_where_they_are(shop, weave, command, given):
    weave()
    refused = shop.run("ledger", command, shop.folder / "a", given)
    assert refused.exit_code == 2
    assert "ledger facts" in refused.stderr
