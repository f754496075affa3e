"""A fact that a model made up waits in the ledger until a person decides."""

from dataclasses import replace

import pytest

from lorewright import NATIVE, ActiveBook
from lorewright.core.facts import EXAMPLE
from lorewright.core.gates import Gate, Progress, Reveal
from lorewright.errors import InputError
from lorewright.ledger.erase import erase, find_containing
from lorewright.ledger.facts import decide_fact, facts_book, list_facts, take_facts
from lorewright.ledger.verify import verify
from lorewright.testing.ledgers import assert_replays
from tests.ledger.world import BOOK, chat, turns


@pytest.fixture
def session(tmp_path):
    found = chat(tmp_path / "a", 2)
    refused = take_facts(found.ledger, 2, f"They went home.\n{EXAMPLE}", opened=3, book="isles")
    assert refused == ()
    return found


def test_a_fact_is_kept_as_a_proposal(session):
    (fact,) = list_facts(session.ledger)

    assert (fact.fact, fact.turn, fact.authority) == (1, 2, "proposal")
    assert fact.entry
    assert fact.entry.uid == "fact-1"
    assert fact.entry.authority == "proposal"
    assert fact.entry.gate == Gate((Reveal("isles", 3),))


def test_what_is_refused_is_not_kept(session):
    refused = take_facts(session.ledger, 2, f"Home.\n{EXAMPLE}\n<!--lorewright-fact\nfact:\n-->", opened=1)

    assert {one.why for one in refused} == {"chapter_ahead", "empty_fact"}
    assert len(list_facts(session.ledger)) == 1


def activated(session, words="mill"):
    session.use([ActiveBook(BOOK), ActiveBook(facts_book(session.ledger))], NATIVE)
    turn = replace(next(turns(3, words=(words,), start=2)), progress=(Progress("isles", 4),))
    return "facts.fact-1" in session.ledger.turn(session.weave(turn).number)[1].active


def test_only_a_person_makes_it_count(session):
    assert not activated(session)

    decide_fact(session.ledger, 1, "session")

    assert activated(session)
    assert list_facts(session.ledger)[0].authority == "session"
    decide_fact(session.ledger, 1, "")
    assert facts_book(session.ledger).entries == ()
    assert not activated(session)
    assert assert_replays(session.ledger) == 5


@pytest.mark.parametrize(
    ("fact", "authority", "error"),
    [(2, "canon", "no fact 2; the ledger has 1"), (0, "", "no fact 0"), (1, "observed", "not to `observed`")],
)
def test_what_cannot_be_decided_is_said(session, fact, authority, error):
    with pytest.raises(InputError, match=error):
        decide_fact(session.ledger, fact, authority)
    assert list_facts(session.ledger)[0].authority == "proposal"


def test_an_erased_fact_is_no_entry(session):
    erase(session.ledger, find_containing(session.ledger, "Aldric's sister"))

    assert list_facts(session.ledger)[0].entry is None
    assert facts_book(session.ledger).entries == ()
    assert verify(session.ledger.store).problems == ()
