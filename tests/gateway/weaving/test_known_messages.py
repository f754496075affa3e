"""Messages as the objects that they were before."""

from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.model import Message
from lorewright.gateway.weaving.known_messages import KnownMessages

MESSAGES = st.builds(
    Message, st.sampled_from("ab"), st.text("xy", max_size=3), st.sampled_from(["user", "assistant"]), st.booleans()
)


@given(st.lists(st.lists(MESSAGES, max_size=6), max_size=6), st.integers(0, 2000))
def test_messages_never_change_and_are_the_same_while_they_are_kept(requests, most_letters):
    known = KnownMessages(most_letters)
    for messages in requests:
        assert known.same(messages) == tuple(messages)

    large = KnownMessages()
    found = [large.same(messages) for messages in requests]
    objects: dict[Message, Message] = {}
    assert all(objects.setdefault(message, message) is message for messages in found for message in messages)


def test_no_more_is_kept_than_it_may():
    known = KnownMessages(most_letters=1000)
    first, *_ = known.same([Message("a", "x" * 300)])
    again, *_ = known.same([Message("a", "x" * 300)])
    known.same([Message("a", "y" * 600)])
    later, *_ = known.same([Message("a", "x" * 300)])

    assert again is first
    assert later is not first
    assert later == first
