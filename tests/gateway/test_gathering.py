"""Fewer pieces, the same bytes: nothing is held back, nothing grows without end, and faults come where they belong."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.gateway.gathering import gathered


def collect(make):
    async def run():
        return [piece async for piece in gathered(make())]

    return asyncio.run(run())


@given(st.lists(st.binary(max_size=5) | st.none(), max_size=30))
def test_the_bytes_are_the_same(script):
    """None: nothing is there for a moment."""

    async def make():
        for step in script:
            if step is None:
                await asyncio.sleep(0)
            else:
                yield step

    found = collect(make)

    assert b"".join(found) == b"".join(step for step in script if step is not None)
    assert len(found) <= len(script)


def test_what_is_there_at_once_is_one_piece():
    async def make():
        yield b"a"
        yield b"b"
        await asyncio.sleep(0.01)
        yield b"c"

    assert collect(make) == [b"ab", b"c"]


def test_a_piece_does_not_wait_for_the_next():
    async def run():
        more = asyncio.Event()

        async def make():
            yield b"a"
            await more.wait()
            yield b"b"

        pieces = gathered(make())
        assert await anext(pieces) == b"a"
        more.set()
        assert await anext(pieces) == b"b"
        assert [piece async for piece in pieces] == []

    asyncio.run(run())


def test_a_fault_comes_behind_what_came_before_it():
    async def run():
        async def make():
            yield b"a"
            yield b"b"
            raise ZeroDivisionError

        pieces = gathered(make())
        assert await anext(pieces) == b"ab"
        with pytest.raises(ZeroDivisionError):
            await anext(pieces)

    asyncio.run(run())


def test_a_slow_reader_holds_the_writer_back():
    async def run():
        written = 0

        async def make():
            nonlocal written
            for _ in range(100):
                written += 100_000
                yield bytes(100_000)

        pieces = gathered(make())
        size = 0
        async for piece in pieces:
            size += len(piece)
            await asyncio.sleep(0)
            assert written - size <= 400_000
        assert size == written

    asyncio.run(run())


def test_closing_ends_the_source():
    async def run():
        ended = asyncio.Event()

        async def make():
            try:
                yield b"a"
                await asyncio.Event().wait()
            finally:
                ended.set()

        source = make()
        pieces = gathered(source)
        assert await anext(pieces) == b"a"
        await pieces.aclose()
        await source.aclose()
        assert ended.is_set()

    asyncio.run(run())
