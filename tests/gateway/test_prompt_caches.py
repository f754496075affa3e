"""The models of prompt caches, by hand: what a request reads, writes, and neither."""

from lorewright.testing.prompt_caches import AnthropicCache, LlamaCache, OpenAICache, tokens_of

MARK = {"cache_control": {"type": "ephemeral"}}
ROLE = 3
"""Tokens of `<user>`."""


def block(size, word="a", **more):
    return {"type": "text", "text": " ".join([word] * (size - ROLE)), **more}


def request(*blocks):
    return {"messages": [{"role": "user", "content": list(blocks)}]}


def anthropic(cache, *blocks):
    usage = cache.usage(request(*blocks))
    return usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"], usage["input_tokens"]


def test_tokens():
    assert tokens_of("Salt, 灯塔 nineteen!") == ["Salt", ",", " 灯塔", " ninete", "en", "!"]
    assert tokens_of("") == []


def test_anthropic_reads_what_a_mark_wrote():
    cache = AnthropicCache()

    assert anthropic(cache, block(1000, **MARK), block(500)) == (0, 0, 1500), "below the minimum"
    assert anthropic(cache, block(1000), block(500, **MARK), block(10)) == (0, 1500, 10)
    assert anthropic(cache, block(1000), block(500), block(10), block(7, **MARK)) == (1500, 17, 0)
    assert anthropic(cache, block(1000), block(500), block(10)) == (0, 0, 1510), "without a mark nothing is read"
    assert anthropic(cache, block(1000, "b"), block(500, **MARK)) == (0, 1500, 0), "another beginning"


def test_anthropic_looks_back_twenty_blocks():
    for more, read in ((20, 2000), (21, 0)):
        cache = AnthropicCache()
        anthropic(cache, block(2000, **MARK))
        rest = [block(10)] * (more - 1)
        assert anthropic(cache, block(2000), *rest, block(10, **MARK))[0] == read, more


def test_anthropic_takes_four_marks():
    marked = block(10, **MARK)

    assert AnthropicCache().problem(request(*[marked] * 4)) is None
    assert "Found 5" in (AnthropicCache().problem(request(*[marked] * 5)) or "")


def test_openai_reads_in_steps_from_the_minimum_on():
    cache = OpenAICache()

    def read(*blocks):
        return cache.usage(request(*blocks))["prompt_tokens_details"]["cached_tokens"]

    assert read(block(1100)) == 0
    assert read(block(1100), block(200)) == 1024
    assert read(block(1100), block(200), block(9)) == 1280
    assert read(block(1000), block(200, "b")) == 0, "it shares a thousand"


def test_a_slot_has_its_last_prompt():
    cache, two = LlamaCache(), LlamaCache(slots=2)

    def read(of, *blocks):
        return of.usage(request(*blocks))["prompt_tokens_details"]["cached_tokens"]

    other = {"messages": [{"role": "assistant", "content": [block(50, "b")]}]}
    for one in (cache, two):
        assert read(one, block(50)) == 0
        assert read(one, block(50), block(9)) == 50
        one.usage(other)
    assert read(cache, block(50), block(9)) == 1, "the other one is there: they share a bracket"
    assert read(two, block(50), block(9)) == 59
