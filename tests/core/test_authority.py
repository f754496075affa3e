"""Tiers: which an entry has, who is tried first, who overrules whom, what the model reads."""

from dataclasses import replace

import pytest

from lorewright import (
    NATIVE,
    SILLYTAVERN,
    ActiveBook,
    Book,
    Entry,
    Message,
    Settings,
    State,
    Turn,
    assemble,
    load_lore,
    make_tools,
)
from lorewright.core.authority import CONSTRAINTS, TIERS, label_text, read_mark, tier_of
from lorewright.core.model import ABSENT, Odd

TOOLS = make_tools()


def entry(uid, keys=("harbour",), content=None, **fields):
    return Entry(
        uid=uid, keys=keys, content=f"text {uid}" if content is None else content, position=0, order=100, **fields
    )


def run(*entries, text="the harbour", policy=NATIVE, turn=None, **book):
    lore = load_lore([ActiveBook(Book("b", entries, **book))], TOOLS, policy)
    return assemble(turn or Turn(messages=(Message("Max", text),)), lore, State(), TOOLS)


def order(assembly):
    return [item.entry.entry.uid for item in assembly.activated]


def with_settings(**settings):
    return NATIVE.with_settings(Settings(**settings))


# --- tiers


@pytest.mark.parametrize(
    ("mark", "source", "tier"),
    [
        (ABSENT, ABSENT, "authored"),
        (None, None, "authored"),
        ("", "system", "canon"),
        (ABSENT, "system", "canon"),
        (ABSENT, "user_custom", "authored"),
        (ABSENT, "user_import", "authored"),
        (ABSENT, "wiki", "authored"),
        ("canon", "user_import", "canon"),
        ("  Canon ", ABSENT, "canon"),
        ("正典", ABSENT, "canon"),
        ("本局事实", ABSENT, "session"),
        ("已观察", ABSENT, "observed"),
        ("策划设定", ABSENT, "authored"),
        ("自拟", ABSENT, "authored"),
        ("待考", "system", "unverified"),
        ("提案", ABSENT, "proposal"),
        ("half canon", "system", "unverified"),
    ],
)
def test_the_tier_of_a_mark_and_a_source(mark, source, tier):
    assert tier_of(mark, source) == tier


def test_every_tier_is_its_own_mark():
    assert [read_mark(tier) for tier in TIERS] == list(TIERS)


def test_the_mark_of_the_book_holds_for_entries_without_one():
    lore = load_lore([ActiveBook(Book("b", (entry(0), entry(1, authority="canon")), authority="待考"))], TOOLS)

    assert [one.traits.standing.tier for one in lore.entries] == ["unverified", "canon"]


@pytest.mark.parametrize("mark", ["half canon", Odd(7)])
def test_an_unknown_mark_is_reported(mark):
    assembly = run(entry(0, authority=mark))

    assert [report.entry for report in assembly.reports] == ["b.0"]
    assert assembly.trace.lore.entries[0].traits.standing.tier == "unverified"
    assert assembly.trace.lore.entries[0].entry.authority == mark


# --- ranking: seed 002


DECK = entry("deck", ("甲板",), "甲板在上层。", weight=30, authority="正典")
RHODES = entry("rhodes", ("罗德岛",), "罗德岛是一艘船。", weight=55, authority="待考")


def test_a_question_of_the_seed_ranks_the_canon_entry_first():
    assert order(run(RHODES, DECK, text="罗德岛的甲板")) == ["deck", "rhodes"]


@pytest.mark.parametrize("weight", [0, 45, 70, 74])
def test_an_unverified_entry_never_beats_a_canon_entry_of_30(weight):
    rumour = entry("rumour", weight=weight, authority="unverified")
    fact = entry("fact", weight=30, authority="canon")

    assert order(run(rumour, fact)) == ["fact", "rumour"]
    assert order(run(rumour, fact, policy=with_settings(max_entries=1))) == ["fact"]


def test_the_discount_is_a_discount_and_no_filter():
    rumour = entry("rumour", weight=90, authority="unverified")

    assert order(run(rumour, entry("fact", weight=30, authority="canon"))) == ["rumour", "fact"]
    assert (
        order(run(rumour, entry("fact", weight=30, authority="canon"), policy=with_settings(authority_discount=0.3)))[0]
        == "fact"
    )


def test_authored_is_not_discounted_and_no_weight_is_50():
    assert order(run(entry("a", weight=49, authority="canon"), entry("b", authority="authored"))) == ["b", "a"]


def test_ties_are_decided_by_tier_then_hits_then_order_then_id():
    tier = [entry("a", authority="authored"), entry("b", authority="session")]
    hits = [entry("a", authority="canon"), entry("b", ("harbour", "the"), authority="canon")]
    orders = [entry("a", authority="canon"), replace(entry("b", authority="canon"), order=101)]
    ids = [entry("b", authority="canon"), entry("a", authority="canon")]

    assert order(run(*tier)) == ["b", "a"]
    assert order(run(*hits)) == ["b", "a"]
    assert order(run(*orders)) == ["b", "a"]
    assert order(run(*ids)) == ["a", "b"]


def test_constants_are_tried_before_all_weights():
    assert order(run(entry("a", weight=100), entry("b", (), constant=True, weight=1))) == ["b", "a"]


def test_without_a_weight_or_a_mark_nothing_changes():
    entries = (entry("a"), replace(entry("b", ("harbour", "the")), order=90), entry("c", source="system"))

    plain = run(*entries)
    assert order(plain) == ["a", "c", "b"]
    assert [item.text for item in plain.activated] == ["text a", "text c", "text b"]
    assert order(run(*entries, policy=SILLYTAVERN)) == ["a", "c", "b"]


def test_in_sillytavern_authority_is_data():
    assembly = run(RHODES, DECK, entry("p", ("甲板",), authority="提案"), text="罗德岛的甲板", policy=SILLYTAVERN)

    assert order(assembly) == ["rhodes", "deck", "p"]
    assert assembly.activated[0].text == "罗德岛是一艘船。"


def test_a_cap_refuses_with_a_reason():
    assembly = run(*(entry(str(place), weight=50 - place) for place in range(4)), policy=with_settings(max_entries=2))

    assert order(assembly) == ["0", "1"]
    assert assembly.trace.why("b.3").reason.data() == {"limit": 2}
    assert assembly.trace.why("b.3").reason.code == "over_cap"


# --- labels


@pytest.mark.parametrize(
    ("text", "tier", "labelled"),
    [
        ("He left.", "unverified", "[unverified] He left."),
        ("他走了。", "unverified", "【待考】他走了。"),
        ("「他走了」", "session", "【本局事实】「他走了」"),
        ("He left.", "canon", "He left."),
        ("", "proposal", ""),
    ],
)
def test_labels(text, tier, labelled):
    assert label_text(text, tier) == labelled


def test_one_sentence_stands_before_the_first_labelled_text():
    placed = run(
        entry("a", authority="canon", weight=10),
        replace(entry("b", authority="unverified"), order=110),
        replace(entry("c", authority="session"), order=120),
    ).placed

    assert [text.text for text in placed.before] == [
        "text a",
        f"{CONSTRAINTS[0]}\n[unverified] text b",
        "[session] text c",
    ]


def test_the_sentence_speaks_the_language_of_the_text():
    placed = run(DECK, RHODES, text="罗德岛的甲板").placed

    assert any(text.text == f"{CONSTRAINTS[1]}\n【待考】罗德岛是一艘船。" for text in placed.before)


def test_only_canon_needs_no_sentence():
    assert [text.text for text in run(entry("a", authority="canon")).placed.before] == ["text a"]


def test_labels_are_never_scanned():
    assert order(run(entry("a", authority="unverified"), entry("b", ("unverified",), authority="canon"))) == ["a"]


# --- subjects


def about(uid, tier, **fields):
    return entry(uid, authority=tier, subject="mill", **fields)


def test_the_highest_tier_of_a_subject_stays():
    assembly = run(
        about("a", "unverified", weight=100), about("b", "canon"), about("c", "session"), about("d", "canon")
    )

    assert order(assembly) == ["b", "d"]
    reason = assembly.trace.why("b.a").reason
    assert reason.code == "overruled"
    assert reason.data() == {"subject": "mill", "to": "b.b", "to_tier": "canon", "tier": "unverified"}


@pytest.mark.parametrize("fields", [{"enabled": False}, {"scene": "night"}, {"gate": Odd("x")}, {"keys": ("nothing",)}])
def test_who_is_not_activated_suppresses_nobody(fields):
    winner = replace(about("b", "canon"), **fields)

    assert order(run(about("a", "unverified"), winner)) == ["a"]


def test_a_loser_stays_out_even_if_the_winner_is_refused():
    winner = about("b", "canon", probability=0, use_probability=True)

    assembly = run(about("a", "unverified"), winner)
    assert order(assembly) == []
    assert assembly.trace.why("b.b").reason.code == "draw_failed"


def test_an_earlier_loop_gives_way():
    rumour = about("a", "unverified", weight=100)
    fact = replace(about("b", "canon"), keys=("text a",))

    assembly = run(rumour, fact)
    assert order(assembly) == ["b"]
    assert assembly.trace.why("b.a").reason.code == "overruled"
    assert assembly.used_tokens == TOOLS.counter.count("text b")


# --- who, where, how personal


def test_restricted_to_a_speaker():
    secret = entry("a", restricted_to=("Maren",))
    messages = (Message("Max", "the harbour"),)

    assert order(run(secret)) == []
    assert order(run(secret, turn=Turn(messages=messages, speaker="Maren"))) == ["a"]
    assert run(secret, turn=Turn(messages=messages, speaker="Ana")).trace.why("b.a").reason.code == "speaker"


def test_a_scene_must_be_on():
    night = entry("a", scene="night")

    assert run(night).trace.why("b.a").reason.code == "scene"
    assert order(run(night, turn=Turn(messages=(Message("Max", "harbour"),), scenes=frozenset({"night"})))) == ["a"]


def test_levels_above_the_setting_are_left_out():
    entries = [entry(str(level), level=level) for level in (0, 1, 2, 7)]

    assert order(run(*entries)) == ["0", "1", "2", "7"]
    assert order(run(*entries, policy=with_settings(max_level=1))) == ["0", "1"]
    assert run(*entries, policy=with_settings(max_level=0)).trace.why("b.2").reason.code == "level"


def test_a_proposal_waits_for_a_person():
    proposal = entry("a", authority="提案")

    assert run(proposal).trace.why("b.a").reason.code == "not_promoted"
    assembly = run(proposal, policy=with_settings(use_proposals=True))
    assert assembly.activated[0].text == "[proposal] text a"
