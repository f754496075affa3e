"""Messages as the objects that they were before."""

from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.memo import ANEW
from lorewright.core.model import Message
from lorewright.gateway.weaving.known_messages import KnownMessages
from lorewright.providers.identity import to_messages
from lorewright.providers.openai_chat import decode

RAW = st.builds(
    lambda role, content: {"role": role, "content": content},
    st.sampled_from(["system", "user", "assistant"]),
    st.text("xy", max_size=3) | st.just([{"type": "text", "text": "xy"}]) | st.just([{"type": "odd", "n": 1}]),
)


def asked(messages, memo=ANEW):
    return decode({"messages": messages}, memo)


@given(st.lists(st.lists(RAW, max_size=6), max_size=6), st.integers(0, 2000))
def test_messages_never_change_and_are_the_same_while_they_are_kept(requests, most_letters):
    known = KnownMessages(most_letters)
    for messages in requests:
        assert known.messages(asked(messages, known.memo(100))) == to_messages(asked(messages))

    large = KnownMessages()
    found = [large.messages(asked(messages, large.memo(100))) for messages in requests]
    objects: dict[Message, Message] = {}
    assert all(objects.setdefault(message, message) is message for messages in found for message in messages)


def test_no_more_is_kept_than_it_may():
    known = KnownMessages(most_letters=1000)

    def one(text):
        return known.messages(asked([{"role": "user", "content": text}]))[0]

    first, again = one("x" * 300), one("x" * 300)
    one("y" * 600)
    later = one("x" * 300)

    assert again is first
    assert later is not first
    assert later == first


def test_a_large_request_is_not_kept_beside_its_messages():
    assert KnownMessages().memo(10_000_000) is ANEW
