"""What a chat's requests become, by hand."""

from lorewright.testing.fake_upstream import Plan
from tests.gateway.weaving.conftest import assistant, chat, user

TOWN = "Saltwick is a harbour town."
BELL = "The bell of Saltwick rings by itself."


def sent(fake):
    return [request.json["messages"] for request in fake.received]


def test_lore_stands_before_the_message_that_names_it_and_stays(woven, fake):
    chat(woven, user("What of the bell?"))
    chat(woven, user("What of the bell?"), assistant("It rings."), user("And then?"))

    first = [{"role": "system", "content": TOWN}, user(f"{BELL}\n\nWhat of the bell?")]
    assert sent(fake) == [first, [*first, assistant("It rings."), user("And then?")]]


def test_a_reply_carries_the_id_of_its_turn(woven, fake):
    one, other = chat(woven, user("Hello")), chat(woven, user("Hello"), assistant("Hi."), user("Bye"))

    assert one.headers["x-lorewright-turn"].startswith("1-")
    assert other.headers["x-lorewright-turn"].startswith("2-")
    assert len(fake.received) == 2


def test_a_failed_request_is_sent_alike_again_and_is_no_turn(woven, fake, world):
    fake.plan(Plan(status=500))
    assert chat(woven, user("What of the bell?")).status == 500
    assert chat(woven, user("What of the bell?")).status == 200

    assert sent(fake)[0] == sent(fake)[1]
