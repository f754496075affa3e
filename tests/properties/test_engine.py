"""What must hold for every book and every chat."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lorewright import ActiveBook, State, assemble, load_lore, make_tools
from lorewright.core.model import Turn
from lorewright.core.policy import NATIVE, PROFILES
from lorewright.testing import strategies as our

FAST = make_tools(engine="fast")
CORE = make_tools(engine="core")

profiles = st.sampled_from(sorted(PROFILES))
shelves = st.lists(st.sampled_from(("global", "character", "chat", "persona")), min_size=1, max_size=2)


def evaluate(tools, shelf, policy, chat):
    """Several turns of one conversation; the assemblies."""
    lore = load_lore(shelf, tools, policy)
    state = State()
    found = []
    for turn in chat:
        assembly = assemble(turn, lore, state, tools)
        state = assembly.state
        found.append(assembly)
    return found


def everything(assembly):
    """All that an assembly says, as one value."""
    return {
        "activated": [(item.entry.id, item.text) for item in assembly.activated],
        "placed": assembly.placed,
        "state": assembly.state,
        "loops": [
            (loop.sweep, loop.next, [entry.id for entry in loop.survivors], loop.added, loop.failed, loop.level)
            for loop in assembly.trace.activation.loops
        ],
        "verdicts": list(assembly.trace.all()),
        "decisions": {
            entry.id: [(d.loop, d.reason) for d in assembly.trace.decisions(entry.id)]
            for entry in assembly.trace.lore.entries
        },
        "budget": (assembly.limit_tokens, assembly.used_tokens),
        "reports": assembly.reports,
    }


@st.composite
def conversations(draw):
    """A growing chat: each turn has the messages of the one before and some more."""
    first = draw(our.turns())
    more = draw(st.lists(our.turns(2), max_size=2))
    chat = [first]
    for turn in more:
        chat.append(replace(turn, messages=chat[-1].messages + turn.messages))
    return chat


@st.composite
def shelves_of_books(draw):
    sources = draw(st.lists(st.sampled_from(("global", "character", "chat", "persona")), min_size=1, max_size=2))
    return [ActiveBook(draw(our.books(name=f"book{place}")), source) for place, source in enumerate(sources)]


@given(shelves_of_books(), conversations(), profiles, our.settings())
def test_fast_equals_core(shelf, chat, profile, settings):
    policy = PROFILES[profile].with_settings(settings)

    fast = evaluate(FAST, shelf, policy, chat)
    core = evaluate(CORE, shelf, policy, chat)

    for ours, reference in zip(fast, core, strict=True):
        assert everything(reference) == everything(ours)


@given(shelves_of_books(), conversations(), our.settings())
def test_of_two_entries_with_one_subject_the_lower_tier_is_never_placed(shelf, chat, settings):
    for assembly in evaluate(FAST, shelf, NATIVE.with_settings(settings), chat):
        tiers: dict[str, set[str]] = {}
        for item in assembly.activated:
            if subject := item.entry.traits.standing.subject:
                tiers.setdefault(subject, set()).add(item.entry.traits.standing.tier)
        assert all(len(found) == 1 for found in tiers.values())


@given(our.books(), conversations(), profiles, our.settings())
def test_the_same_inputs_give_the_same_bytes(book, chat, profile, settings):
    policy = PROFILES[profile].with_settings(settings)
    known = evaluate(FAST, [ActiveBook(book)], policy, chat)
    fresh = evaluate(make_tools(), [ActiveBook(book)], policy, chat)

    assert [repr(everything(a)).encode("utf-8", "surrogatepass") for a in known] == [
        repr(everything(a)).encode("utf-8", "surrogatepass") for a in fresh
    ]


@given(our.books(), our.turns(), our.settings())
def test_native_never_exceeds_the_budget_but_for_entries_that_ignore_it(book, turn, settings):
    tools = make_tools()
    (assembly,) = evaluate(tools, [ActiveBook(book)], NATIVE.with_settings(settings), [turn])

    bound = [item for item in assembly.activated if not item.entry.traits.ignores_budget]
    placed = [item for item in bound if item.entry.id not in assembly.placed.unplaced]

    assert sum(tools.counter.count(item.text) for item in placed) <= assembly.limit_tokens


@given(our.marked_books(), our.turns(), profiles, our.settings())
def test_a_refused_text_is_nowhere_in_the_output(book, turn, profile, settings):
    (assembly,) = evaluate(FAST, [ActiveBook(book)], PROFILES[profile].with_settings(settings), [turn])
    active = {item.entry.id for item in assembly.activated}
    output = repr(assembly.placed)

    for entry in assembly.trace.lore.entries:
        if entry.id not in active:
            assert f"⟦{entry.id}⟧" not in output


@given(our.books(), our.turns(), profiles, our.settings())
def test_every_entry_has_a_verdict_that_fits(book, turn, profile, settings):
    (assembly,) = evaluate(FAST, [ActiveBook(book)], PROFILES[profile].with_settings(settings), [turn])
    active = {item.entry.id for item in assembly.activated}

    verdicts = list(assembly.trace.all())

    assert len(verdicts) == len(book.entries)
    for verdict in verdicts:
        assert verdict.active == (verdict.entry in active)
        assert verdict.active == verdict.reason.activates
        assert verdict.reason.sentence
        if verdict.match and verdict.match.message is not None:
            assert_stands_there(turn, verdict.match)


def assert_stands_there(turn: Turn, match) -> None:
    """The match's text is what stands at its range, as far as it lies in that one message."""
    message = turn.messages[match.message]
    whole = f"{message.name}: {message.text}" if match.source == "speaker" else message.text
    inside = whole[match.start : match.end]
    assert inside in match.text
    assert 0 <= match.start <= match.end <= len(whole)
