"""A short run of `make load`."""

from tests.gateway.load import MAY_GROW_BYTES, run


def test_streams_at_once_are_whole_and_memory_is_flat():
    load = run(streams=64, seconds=3)

    assert load.wrong == {}
    assert min(load.replies.values()) >= 3
    assert load.growth_replies >= 64
    assert load.growth_bytes <= MAY_GROW_BYTES
