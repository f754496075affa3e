"""Our texts in the requests of clients: no request becomes one that its API refuses, nothing of the client's changes."""

import copy
import itertools
import re
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.woven import Piece, WovenMessage
from lorewright.providers import anthropic_messages, openai_chat, openai_responses
from lorewright.providers.request import Request
from tests.providers.conversations import ENDS, STEPS, SYSTEMS, chat_of, messages_of, responses_of
from tests.providers.validator import (
    problems_of_chat,
    problems_of_gemma,
    problems_of_messages,
    problems_of_mistral,
    problems_of_responses,
)
from tests.providers.woven import FREE, NO_MIDDLE, STRICT, untouched

OURS = re.compile(r"\n*§\d+§\n*")


class Ours(NamedTuple):
    """What we put at one place: messages before it, text inside it before and behind the client's."""

    own: list[str]
    before: bool
    after: bool


PLACES = st.lists(
    st.builds(
        Ours,
        st.lists(st.sampled_from(["system", "system", "user", "assistant"]), max_size=2),
        st.booleans(),
        st.booleans(),
    ),
    min_size=1,
    max_size=8,
)


def weave(request: Request, places: list[Ours]) -> tuple[list[WovenMessage], int]:
    """Every place of the request with something of ours, in turn; texts inside go to user and system messages, as the
    engine has it."""
    woven: list[WovenMessage] = []
    count = 0

    def text() -> str:
        nonlocal count
        count += 1
        return f"§{count}§"

    for at in range(len(request.messages) + 1):
        ours = places[at % len(places)]
        woven += [WovenMessage(None, role, "", (Piece("placed", "e", text()),)) for role in ours.own]
        if at == len(request.messages):
            break
        message = request.messages[at]
        may = message.role in ("user", "system", "developer")
        pieces = [Piece("record", "e", f"{text()}\n\n")] if ours.before and may else []
        pieces.append(Piece("client", "", message.text))
        pieces += [Piece("volatile", "e", f"\n\n{text()}")] if ours.after and may else []
        woven.append(WovenMessage(at, message.role, message.name, tuple(pieces)))
    return woven, count


def flat(value: Any) -> list[str]:
    """All that a body says, in order, without our texts."""
    if isinstance(value, dict):
        return [f"{name}={said}" for name, inner in value.items() if name != "type" for said in flat(inner)]
    if isinstance(value, list):
        return [said for inner in value for said in flat(inner)]
    return [repr(OURS.sub("", value) if isinstance(value, str) else value)]


def words(body: Any, names: tuple[str, ...]) -> list[str]:
    """What the client says, wherever it stands now: one text for each message or part that has any left."""
    found = [said for name in names if name in body for said in flat(body[name])]
    kept = [re.sub(r"^(?:\w+=)+", "", said) for said in found if not re.match(r"^(?:\w+=)*role=", said)]
    return [said for said in kept if said not in {"''", '""'}]


def counted(body: Any) -> list[int]:
    """The numbers of our texts as they stand, from the front."""
    return [int(number) for number in re.findall(r"§(\d+)§", repr(body))]


APIS = {
    "chat": (openai_chat, chat_of, problems_of_chat, ("messages",)),
    "messages": (anthropic_messages, messages_of, problems_of_messages, ("system", "messages")),
    "responses": (openai_responses, responses_of, problems_of_responses, ("instructions", "input")),
}


@pytest.mark.parametrize("name", APIS)
@given(STEPS, ENDS, SYSTEMS, PLACES, st.sampled_from([STRICT, NO_MIDDLE, FREE]))
def test_woven_requests_stay_valid(name, steps, end, system, places, dialect):
    api, make, problems_of, names = APIS[name]
    body = make(steps, end, system)
    before = copy.deepcopy(body)
    assert list(problems_of(body)) == [], "the conversation itself"
    request = api.decode(body)
    woven, count = weave(request, places)

    sent = api.encode(request, woven, dialect)

    options = {"system_in_middle": dialect.system_in_middle} if name == "messages" else {}
    assert list(problems_of(sent, **options)) == []
    assert body == before, "the client's JSON is left alone"
    assert sorted(counted(sent)) == list(range(1, count + 1)), "nothing of ours is lost, nothing is there twice"
    assert words(sent, names) == words(body, names), "nothing of the client's is lost or moved"
    assert {field: value for field, value in sent.items() if field not in names} == {
        field: value for field, value in body.items() if field not in names
    }
    assert prefill_of(sent) == prefill_of(body)


def prefill_of(body: Any) -> Any:
    """What the model is to go on with, if anything."""
    last = (body.get("messages") or body.get("input"))[-1]
    if not isinstance(last, dict) or last.get("role") != "assistant" or "tool_calls" in last:
        return None
    content = last["content"]
    return content[-1].get("text") if isinstance(content, list) else content


@given(STEPS, st.sampled_from(["user", "results"]), SYSTEMS, PLACES)
def test_strict_templates_take_it(steps, end, system, places):
    body = chat_of(steps, end, system)
    request = openai_chat.decode(body)
    woven, _ = weave(request, places)
    sent = dict(openai_chat.encode(request, woven, STRICT))

    assert list(problems_of_mistral(body)) == [], "the conversation itself"
    assert list(problems_of_mistral(sent)) == []


@given(STEPS, st.sampled_from(["user", "prefill"]), SYSTEMS, PLACES)
def test_templates_without_tools_take_it(steps, end, system, places):
    body = chat_of([step._replace(rounds=[]) for step in steps], end, system, "developer")
    request = openai_chat.decode(body)
    woven, _ = weave(request, places)
    sent = dict(openai_chat.encode(request, woven, STRICT))

    assert list(problems_of_gemma(body)) == [], "the conversation itself"
    assert list(problems_of_gemma(sent)) == []
    assert list(problems_of_chat(sent)) == []


@pytest.mark.parametrize("name", APIS)
@given(STEPS, ENDS, SYSTEMS, st.sampled_from([STRICT, NO_MIDDLE, FREE]))
def test_an_untouched_request_is_the_same_object(name, steps, end, system, dialect):
    api, make, _, _ = APIS[name]
    body = make(steps, end, system)
    before = copy.deepcopy(body)
    request = api.decode(body)

    assert api.encode(request, untouched(request), dialect) is body
    assert body == before


@pytest.mark.parametrize("name", APIS)
@given(STEPS, SYSTEMS, st.sampled_from([STRICT, NO_MIDDLE, FREE]), st.integers(0, 3))
def test_what_was_sent_stays_when_the_chat_goes_on(name, steps, system, dialect, first):
    """Frozen placement: a message of ours before each user message, and text inside it. Each request of the
    conversation, those with nothing but results included, begins with all that the one before had."""
    api, make, _, names = APIS[name]
    requests = []
    for part, end in growing(steps):
        request = api.decode(make(part, end, system))
        woven: list[WovenMessage] = []
        user = 0
        for at, message in enumerate(request.messages):
            pieces = [Piece("client", "", message.text)]
            if message.role == "user":
                user += 1
                if user % 2 == first % 2:
                    woven.append(WovenMessage(None, "system", "", (Piece("record", "e", f"§{user}§"),)))
                if user > first:
                    pieces.insert(0, Piece("record", "e", f"§{user + 90}§\n\n"))
            woven.append(WovenMessage(at, message.role, "", tuple(pieces)))
        sent = api.encode(request, woven, dialect)
        listed = sent[names[-1]]
        requests.append(
            (sent.get(names[0]) if len(names) > 1 else None, listed if isinstance(listed, list) else [listed])
        )

    for (system_before, before), (system_after, after) in itertools.pairwise(requests):
        assert system_after == system_before
        first_message = before[0] if isinstance(before[0], dict) else {"role": "user", "content": before[0]}
        assert _plain(after[: len(before)]) == _plain([first_message, *before[1:]])


def growing(steps):
    """The requests of a conversation: one for each user message, one for the results of each round of calls."""
    for length, last in enumerate(steps):
        yield [*steps[:length], last], "user"
        for rounds in range(1, len(last.rounds) + 1):
            extra = last.extra if rounds == len(last.rounds) else ""
            yield [*steps[:length], last._replace(rounds=last.rounds[:rounds], extra=extra)], "results"


def _plain(messages: Any) -> Any:
    return [{name: value for name, value in message.items() if name != "type"} for message in messages]
