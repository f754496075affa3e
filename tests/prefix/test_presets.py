"""With any preset: what was sent stays or the log says why, the budget holds, and every character has a source."""

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright import NATIVE, SILLYTAVERN, ActiveBook, load_lore, make_tools
from lorewright.core.chain import DictMemory
from lorewright.core.counter import EstimateCounter
from lorewright.core.layout.plan import Plan
from lorewright.core.layout.preset import Limits
from lorewright.core.model import Book, Character, Turn
from lorewright.core.weave import weave
from lorewright.testing import strategies as our
from lorewright.testing.client import ChatClient
from lorewright.testing.prefix import assert_prefix_kept
from tests.prefix.entries import LIVE, OF_SYSTEM, WORDS, first_entries
from tests.properties import layouts

MACROS = ("", "", "{{random::a::b::c}}", "{{time}}", "{{getvar::mood}}", "{{lastMessage}}", "{{incvar::n}}")
COUNTER = EstimateCounter()
REPLY_TOKENS = 3
TOOLS = make_tools()
BOOK = Book("b", tuple(entry for entry in first_entries() if entry.uid not in (*LIVE, *OF_SYSTEM)))
APART = NATIVE.with_settings(replace(NATIVE.settings, form="message"))
"""With texts of ours in messages of their own."""
ALWAYS = {"client_edit", "client_system", "context_full", "reply_type", "standing_budget"}
"""Causes without a change of books or preset."""


@dataclass(frozen=True)
class Change:
    """What is other from here on beside the chat."""

    what: str
    value: object


def with_macros(preset, macros):
    prompts = tuple(
        replace(prompt, content=prompt.content + macro) if prompt.content else prompt
        for prompt, macro in zip(preset.prompts, macros, strict=False)
    )
    return replace(preset, prompts=prompts)


presets = st.builds(with_macros, layouts.presets, st.lists(st.sampled_from(MACROS), min_size=10, max_size=10))
limits = st.builds(Limits, st.sampled_from((4000, 700, 300, 60, 3)), st.sampled_from((0, 10)))
scenes = layouts.scenes.map(lambda scene: replace(scene, chat=()))
plans = st.builds(lambda preset, scene, limits: Plan(preset=replace(preset, limits=limits), scene=scene), presets, scenes, limits)  # fmt: skip
policies = st.sampled_from((NATIVE, APART))
comes_and_goes = st.one_of(
    st.builds(partial(Change, "note"), layouts.notes),
    st.builds(partial(Change, "trigger"), st.sampled_from(layouts.TYPES)),
    st.builds(partial(Change, "injections"), st.lists(st.sampled_from(list(layouts.injections)), max_size=2).flatmap(
        lambda keys: st.tuples(*(layouts.injections[key] for key in dict.fromkeys(keys))))),
    st.builds(partial(Change, "mood"), st.sampled_from(WORDS)),
    st.builds(partial(Change, "speaker"), st.integers(0, 2)),
    st.builds(partial(Change, "quiet"), layouts.marked("quiet", "quiet")),
)  # fmt: skip
steps = st.lists(st.one_of(our.edits(WORDS), our.edits(WORDS), comes_and_goes), max_size=25)


class Talk:
    """A chat with a preset, laid out turn by turn."""

    def __init__(self, plan, policy=NATIVE):
        self.plan, self.policy = plan, policy
        self.books = [ActiveBook(BOOK)]
        self.lore = load_lore(self.books, TOOLS, policy)
        self.memory = DictMemory()
        self.client = ChatClient("", "Hello")
        self.trigger, self.mood = "normal", "salt"
        self.clock = 0
        self.turns = []
        self.woven = []

    def run(self, steps):
        for step in steps:
            if isinstance(step, Change):
                self.change(step)
            else:
                self.client.act(step)
            self.request()
        return self

    def change(self, change):
        scene = self.plan.scene
        if change.what == "trigger":
            self.trigger = change.value
        elif change.what == "mood":
            self.mood = change.value
        elif change.what == "speaker":
            if scene.group:
                self.plan = replace(self.plan, scene=replace(scene, card=scene.group.members[change.value % len(scene.group.members)]))  # fmt: skip
        else:
            field = "quiet_prompt" if change.what == "quiet" else change.what
            self.plan = replace(self.plan, scene=replace(scene, **{field: change.value}))

    def request(self):
        self.clock += 60_000
        turn = Turn(
            messages=self.client.messages,
            user="Max",
            character=Character(name="Aria"),
            trigger=self.trigger,
            context_tokens=max(self.plan.preset.limits.context_tokens, 400),
            variables={"mood": self.mood},
            clock_ms=self.clock,
            plan=self.plan,
        )
        woven = weave(turn, self.lore, self.memory, TOOLS)
        self.memory.put(woven.nodes)
        self.turns.append(turn)
        self.woven.append(woven)

    @property
    def told(self):
        """The requests of which something can be remembered: those with a message."""
        return [woven for woven in self.woven if woven.path]

    @property
    def causes(self):
        return {move.cause for woven in self.woven for move in woven.moves}


@given(plans, steps, policies)
def test_what_was_sent_stays_with_any_preset_or_the_log_says_why(plan, steps, policy):
    talk = Talk(plan, policy).run(steps)

    assert_prefix_kept(talk.told)
    assert talk.causes - ALWAYS == set()


@given(plans, steps)
def test_the_budget_is_never_exceeded(plan, steps):
    for woven in Talk(plan).run(steps).woven:
        limits = woven.turn.plan.preset.limits
        spent = sum(COUNTER.count(message.content) + COUNTER.count(message.name) for message in woven.messages)
        assert spent <= max(0, limits.context_tokens - limits.response_tokens - REPLY_TOKENS)


@given(plans, steps)
def test_no_block_stands_twice(plan, steps):
    for woven in Talk(plan).run(steps).woven:
        blocks = Counter(
            (source, block.text)
            for message in woven.laid.messages
            for block in message.blocks
            if block.why.code != "renewed"  # of which parts may stand as they are
            for source in block.sources
            if source.kind not in ("setting", "message") and layouts.MARK.search(block.text)
        )
        assert {block: times for block, times in blocks.items() if times > 1} == {}


@given(plans, steps)
def test_every_character_belongs_to_one_block_and_every_text_is_sent_or_left_out(plan, steps):
    for woven in Talk(plan).run(steps).woven:
        laid = woven.laid
        assert [message.content for message in woven.messages] == [
            "".join(block.text for block in message.blocks) for message in laid.messages
        ]
        assert all(block.text and block.sources for message in laid.messages for block in message.blocks)
        sent = {source for message in laid.messages for block in message.blocks for source in block.sources}
        assert sent & {one.source for one in laid.left_out} == set()


@given(plans, steps)
def test_the_same_requests_give_the_same_bytes(plan, steps):
    one, other = (Talk(plan).run(steps).woven for _ in range(2))

    assert [woven.messages for woven in one] == [woven.messages for woven in other]


@given(plans, plans, steps, steps)
def test_another_preset_is_named(plan, other, steps, later):
    talk = Talk(plan).run(steps)
    talk.plan = other
    talk.request()
    talk.run(later[:5])

    assert_prefix_kept(talk.told)
    assert talk.causes - ALWAYS - {"preset_edit"} == set()


@given(plans, steps)
def test_in_the_profile_sillytavern_it_is_what_the_layout_alone_gives(plan, steps):
    """Nothing is remembered there but variables."""
    for woven in Talk(plan, SILLYTAVERN).run(steps).woven:
        assert [message.content for message in woven.messages] == [message.content for message in woven.laid.messages]
        assert woven.laid.borders == (0, 0)


def test_the_strategy_reaches_what_it_is_about():
    """Or the tests above say nothing."""
    reached: set[str] = set()

    @settings(max_examples=300, derandomize=True)
    @given(plans, steps, policies)
    def look(plan, steps, policy):
        for woven in Talk(plan, policy).run(steps).woven:
            reached.update(move.cause for move in woven.moves)
            reached.update(one.reason.code for one in woven.laid.left_out)
            reached.update(block.why.code for message in woven.laid.messages for block in message.blocks)

    look()

    wanted = {"stands_since", "renewed", "at_message", "behind_chat", "of_this_turn", "left_for_room", "context_full"}
    assert wanted - reached == set()
