"""Which conversation a request belongs to, told by what is sent: lore stands where it stood in this conversation, and
nowhere else.

The expected requests come from a model of a few lines: a tree keyed by what was said, with lore hung on its messages.
It shares nothing with the code that is tested.
"""

import json
import threading
from dataclasses import replace

import pytest

from lorewright.gateway.configuration import BookFile
from lorewright.gateway.weaving.ledger_weaver import LedgerWeaver
from lorewright.testing.fake_upstream import Plan
from tests.gateway.running import RunningGateway
from tests.gateway.weaving.conftest import assistant, chat, user
from tests.gateway.weaving.said import LORE, TOWN, Model


@pytest.fixture
def world(world, tmp_path):
    """The routes of Saltwick, with a book whose entries see one message only."""
    entries = [{"uid": 0, "constant": True, "content": TOWN}]
    entries += [
        {"uid": uid, "order": uid, "keys": [key], "content": text, "scan_depth": 1}
        for uid, (key, text) in enumerate(LORE.items(), 1)
    ]
    book = tmp_path / "saltwick.json"
    book.write_text(json.dumps({"lorewright": 1, "name": "saltwick", "entries": entries}), "utf-8")
    routes = {name: replace(route, books=(BookFile(str(book)),)) for name, route in world.routes.items()}
    routes["brook"] = replace(routes["aria"], name="brook")
    return replace(world, routes=routes)


# -- the table ---------------------------------------------------------------------------------------------------------


def system(text):
    return {"role": "system", "content": text}


def called(call, **arguments):
    function = {"name": "look", "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call, "type": "function", "function": function}],
    }


def result(call, text):
    return {"role": "tool", "tool_call_id": call, "content": text}


BELL = [user("What of the bell?"), assistant("It rings.")]
REEF = [*BELL, user("And the reef?"), assistant("Mind it.")]
GULL = [*REEF, user("I see a gull."), assistant("One of many.")]
NOTE = system("[Write in the past tense.]")
LOOP = [
    message
    for step in range(5)
    for message in (called(f"c{step}", depth=step), result(f"c{step}", f"{step} fathoms by the pier"))
]

TABLE = {
    "a chat grows": [[BELL[0]], REEF[:3], GULL[:5], [*GULL, user("Farewell")]],
    "the reply is trimmed by the client": [
        [*BELL[:1], assistant("It rings. \r\n"), user("And the reef?")],
        [*BELL[:1], assistant("\nIt rings."), *REEF[2:], user("bell, gull")],
    ],
    "reasoning is there once and dropped later": [
        [BELL[0], {**BELL[1], "reasoning_content": "hm", "reasoning": "hm"}, REEF[2]],
        [*REEF, user("the gull and the bell")],
    ],
    "the system prompt is another one in each turn": [
        [system("It is nine."), BELL[0]],
        [system("It is ten."), *REEF[:3]],
        [system("It is eleven."), *GULL[:5]],
    ],
    "an author's note stays four messages from the end": [
        [system("Be brief."), NOTE, BELL[0]],
        [system("Be brief."), NOTE, *REEF[:3]],
        [system("Be brief."), *GULL[:1], NOTE, *GULL[1:5]],
        [system("Be brief."), *GULL[:3], NOTE, *GULL[3:], user("The pier, the bell")],
    ],
    "the head is cut off": [
        [system("Be brief."), *GULL[:5]],
        [system("Be brief."), *GULL[2:], user("The reef, the pier")],
        [system("Be brief."), *GULL[4:], user("The reef, the pier"), assistant("Yes."), user("The bell?")],
    ],
    "a summary stands in place of the head": [
        [*GULL[:5]],
        [assistant("So far: a walk by the sea."), *GULL[2:], user("The bell, the gull")],
    ],
    "a message in the middle is edited": [
        GULL[:5],
        [*REEF[:2], user("And the pier?"), *GULL[3:], user("The bell, the gull, the reef")],
        [*GULL, user("Back again: the reef, the pier")],
    ],
    "a reply is swiped": [
        REEF[:3],
        REEF[:3],
        [*REEF[:3], assistant("A dark place."), user("The gull, the bell")],
        [*REEF, user("The pier, the bell")],
    ],
    "a step of tools goes on with its turn": [
        [user("How deep is it at the reef?")],
        *([user("How deep is it at the reef?"), *LOOP[: 2 * step]] for step in range(1, 6)),
        [user("How deep is it at the reef?"), *LOOP, assistant("Five."), user("The bell, the reef")],
    ],
    "ids of calls and the form of their arguments": [
        [user("bell"), called("a", x=1, y=2), result("a", "low"), assistant("Low."), user("gull")],
        [
            user("bell"),
            {**called("b"), "tool_calls": [{"id": "b", "function": {"name": "look", "arguments": '{"x": 1, "y": 2}'}}]},
            result("b", "low"),
            assistant("Low."),
            user("gull"),
            assistant("Yes."),
            user("bell, gull, pier"),
        ],
    ],
    "a title is asked for in between": [
        BELL[:1],
        [user("Name this chat: What of the bell? It rings.")],
        [*BELL, user("Name this chat in four words. No gull.")],
        REEF[:3],
        GULL[:5],
    ],
    "two chats begin with the same three messages": [
        REEF[:3],
        [*REEF, user("The gull?")],
        [*REEF[:3], assistant("Another reply."), user("The pier?")],
        [*REEF, user("The gull?"), assistant("One."), user("The pier, the gull")],
        [*REEF[:3], assistant("Another reply."), user("The pier?"), assistant("Long."), user("The gull, the pier")],
    ],
    "named messages of a group": [
        [{**user("The bell!"), "name": "Ann"}],
        [{**user("The bell!"), "name": "Bob"}, {**assistant("Yes?"), "name": "Aria"}, user("the bell, the gull")],
        [{**user("The bell!"), "name": "Ann"}, {**assistant("Yes?"), "name": "Aria"}, user("the bell, the gull")],
        [{**user("The bell!"), "name": "Ann"}, {**assistant("Yes?"), "name": "Eve"}, user("the bell, the gull")],
    ],
    "one known message is no sign": [
        GULL[:5],
        [assistant("Mind it."), user("Who is there? The bell?")],
        [assistant("Mind it."), user("Who is there? The bell?"), assistant("Nobody."), user("reef bell")],
    ],
    "the same two messages in two chats are no sign": [
        [user("The gull?"), assistant("Yes."), user("Go on")],
        [user("The pier?")],
        [user("The pier?"), assistant("Yes."), user("Go on: the bell")],
        [user("The gull?"), assistant("Yes."), user("Go on: the bell")],
        [assistant("Yes."), user("Go on: the bell"), assistant("Well."), user("The gull, the pier, the bell")],
    ],
}


@pytest.mark.parametrize("requests", TABLE.values(), ids=TABLE.keys())
def test_what_is_sent(woven, fake, requests):
    model = Model()
    expected = [model.send(*messages) for messages in requests]
    for messages in requests:
        assert chat(woven, *messages).status == 200

    assert sent(fake) == expected


def test_of_two_answers_either_goes_on(woven, fake):
    model = Model()
    ways = [BELL[:1], [*BELL[:1], assistant("Second."), user("The gull?")], [*BELL, user("The gull, the bell")]]
    expected = [model.send(*messages) for messages in ways]
    for messages in ways:
        chat(woven, *messages, n=2)

    assert sent(fake) == expected


@pytest.mark.parametrize("plan", [Plan(status=500), Plan(status=429), Plan(fault="reset", before_head=True)], ids=str)
def test_a_failed_request_leaves_nothing(woven, fake, plan):
    """In place of the failed message another one is said; what the failed one had brought is brought again."""
    chat(woven, *BELL[:1])
    fake.plan(plan)
    assert chat(woven, *BELL, user("The gull!")).status >= 429
    chat(woven, *BELL, user("The gull!"))
    chat(woven, *BELL, user("The gull!"), assistant("Yes."), user("The gull, the pier"))

    model = Model()
    first = model.send(*BELL[:1])
    retried = model.send(*BELL, user("The gull!"))
    last = model.send(*BELL, user("The gull!"), assistant("Yes."), user("The gull, the pier"))
    came = [messages for messages in sent(fake) if messages]
    assert came == [first, retried, retried, last]


def test_a_failed_beginning_is_none(woven, fake):
    """What was said in it is not known afterwards: two messages of it are no sign."""
    fake.plan(Plan(status=500))
    chat(woven, *GULL[:5])
    reply = chat(woven, *GULL[2:], user("The reef, the pier"))

    assert reply.headers["x-lorewright-history"] == "new"
    assert sent(fake)[1] == Model().send(*GULL[2:], user("The reef, the pier"))


def test_the_same_request_has_the_same_bytes(woven, fake):
    for messages in (GULL[:5], GULL[:5], [*GULL, user("pier, bell")], [*GULL, user("pier, bell")], GULL[:5]):
        chat(woven, *messages)

    one, two, three, four, five = (request.body for request in fake.received)
    assert one == two == five
    assert three == four


# -- whose it is -------------------------------------------------------------------------------------------------------


WAYS = {
    "two tokens": ({"token": "t-max"}, {"token": "t-eve"}),
    "two routes": ({"model": "aria"}, {"model": "brook"}),
    "two conversations": ({"conversation": "one"}, {"conversation": "two"}),
    "with a name and without": ({"conversation": "one"}, {}),
    "one name under two tokens": ({"conversation": "one"}, {"conversation": "one", "token": "t-eve"}),
    "one name on two routes": ({"conversation": "one"}, {"conversation": "one", "model": "brook"}),
}


def ask(gateway, *messages, token="t-max", model="aria", conversation=None):
    headers = {"authorization": f"Bearer {token}"}
    if conversation:
        headers["x-lorewright-conversation"] = conversation
    return gateway.post("/v1/chat/completions", json.dumps({"model": model, "messages": messages}).encode(), headers)


@pytest.mark.parametrize(("one", "other"), WAYS.values(), ids=WAYS.keys())
def test_conversations_that_do_not_know_each_other(woven, fake, one, other):
    """The same messages but one. Windows without a head are recognised where they were said, and only there."""
    mine, other_model = Model(), Model()
    ways = [
        (mine, one, GULL[:5]),
        (other_model, other, [*REEF[:2], *GULL[2:5]]),
        (mine, one, [*GULL[2:], user("The bell, the reef")]),
        (other_model, other, [*GULL[2:], user("The bell, the reef")]),
    ]
    expected = [model.send(*messages) for model, _, messages in ways]
    for _, who, messages in ways:
        ask(woven, *messages, **who)

    assert sent(fake) == expected


def test_what_one_owner_said_another_ones_window_does_not_begin_with(woven, fake):
    ask(woven, *GULL[:5])
    reply = ask(woven, *GULL[2:], user("The reef, the pier"), token="t-eve")

    assert reply.headers["x-lorewright-history"] == "new"
    assert sent(fake)[1] == Model().send(*GULL[2:], user("The reef, the pier"))


def test_a_name_is_enough_for_a_window_of_one_known_message(woven, fake):
    """A name wins: what is no sign without one is one with it."""
    ask(woven, *GULL[:5], conversation="one")
    reply = ask(woven, GULL[4], assistant("One of many."), user("The gull, the reef"), conversation="one")

    known = [{"role": "system", "content": TOWN}, user(f"{LORE['gull']}\n\nI see a gull."), assistant("One of many.")]
    assert sent(fake)[1] == [*known, user(f"{LORE['reef']}\n\nThe gull, the reef")]
    assert reply.headers["x-lorewright-history"] == "known"


HISTORIES = {
    "new": ("new", [GULL[:1]]),
    "known": ("known", [GULL[:1], GULL[:3]]),
    "a head cut off": ("known", [GULL[:5], [*GULL[2:], user("And?")]]),
    "one message": ("one-message", [GULL[:5], [assistant("Mind it."), user("Who is there?")]]),
    "a tie": (
        "tie",
        [
            [user("gull"), assistant("Yes."), user("Go on")],
            [user("pier")],
            [user("pier"), assistant("Yes."), user("Go on")],
            [assistant("Yes."), user("Go on"), assistant("Well."), user("And?")],
        ],
    ),
}


@pytest.mark.parametrize(("said", "requests"), HISTORIES.values(), ids=HISTORIES.keys())
def test_the_receipt_says_what_was_known(woven, fake, said, requests):
    replies = [chat(woven, *messages) for messages in requests]

    assert replies[-1].headers["x-lorewright-history"] == said
    assert replies[-1].headers["x-lorewright-turn"].startswith(f"{len(requests)}-")


def test_two_clients_at_once(woven, fake):
    """Two chats of one owner on one route, which begin alike, each by a thread; a third one of another owner."""
    chats: dict[str, list[list[dict[str, str]]]] = {name: [] for name in ("Ann", "Bob", "Eve")}
    keys = list(LORE)

    def talk(name):
        said = [user("Good morning")]
        for turn in range(12):
            chats[name].append(list(said))
            chat(woven, *said, token="t-eve" if name == "Eve" else "t-max")
            said += [assistant(f"{name} hears {turn}."), user(f"And the {keys[(turn + len(name)) % 4]} of {name}?")]

    talkers = [threading.Thread(target=talk, args=(name,)) for name in chats]
    for talker in talkers:
        talker.start()
    for talker in talkers:
        talker.join()

    model = Model()
    expected = [(model if name != "Eve" else Model()) for name in chats]
    wanted = [
        json.dumps(model.send(*messages))
        for model, name in zip(expected, chats, strict=True)
        for messages in chats[name]
    ]
    assert sorted(map(json.dumps, sent(fake))) == sorted(wanted)


def sent(fake):
    return [request.json["messages"] for request in fake.received]


def test_the_key_of_a_prompt_cache_is_one_for_each_conversation(world, fake, tmp_path):
    """It holds neither a text nor a name, and no two owners or routes have one in common."""
    upstream = replace(world.upstreams["local"], prompt_cache_key=True)
    keyed = replace(world, upstreams={"local": upstream})
    with RunningGateway(keyed, LedgerWeaver(tmp_path / "gateway.ledger")) as gateway:
        for who in ({}, {"token": "t-eve"}, {"model": "brook"}, {"conversation": "Secret saga"}):
            ask(gateway, *BELL[:1], **who)
            ask(gateway, *REEF[:3], **who)
        ask(gateway, user("Another chat"))

    keys = [request.json["prompt_cache_key"] for request in fake.received]
    assert keys[0::2][:4] == keys[1::2]
    assert len(set(keys)) == 5
    assert not any("secret" in key.lower() or "saga" in key for key in keys)
