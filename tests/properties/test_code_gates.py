"""No function of a sandbox shows an entry that a gate closes: the stub of test_gates.py with code that really runs."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorewright import PROFILES, ActiveBook, State, assemble, load_lore, make_tools
from lorewright.core.model import Entry
from lorewright.templates.ejs import Sandbox
from lorewright.testing import strategies as our
from tests.properties.test_gates import gated_books, is_closed, variables

ALL = """<%
const found = [JSON.stringify(variables), JSON.stringify(world_info), getEnabledLoreBooks().join()];
const lists = [await getWorldInfoData(), await getWorldInfoData('main'), await getWorldInfoData(/./),
  await getEnabledWorldInfoEntries(), await getWorldInfoActivatedData()];
found.push(JSON.stringify(lists));
for (let uid = 0; uid < 9; uid++) {
  found.push(await getwi(uid), await getwi('main', uid), await getwi(`⟦${uid}⟧`), JSON.stringify(await activewi(uid, true)));
}
found.push(await getwi(/./), await getwi('⟦'), await getwi('side', /./));
for (const name in this) try { found.push(JSON.stringify(this[name])) } catch {}
%><%= found.join() %>"""


@pytest.fixture(scope="module")
def tools():
    with Sandbox(keep_warm=True) as sandbox:
        yield make_tools(sandbox=sandbox)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(gated_books(), gated_books("side"), our.turns(), variables, st.sampled_from(["native", "sillytavern"]))
def test_code_that_asks_for_everything_never_sees_a_closed_text(tools, book, side, turn, known, profile):
    greedy = Entry(uid="greedy", constant=True, position=0, content=f"@@generate_before\n{ALL}", ignore_budget=True)
    titled = [replace(one, title=f"⟦{one.uid}⟧ {one.content}") for one in book.entries]
    book = replace(book, entries=(*titled, greedy))
    policy = replace(PROFILES[profile], code_books=("main", "side"))
    lore = load_lore([ActiveBook(book), ActiveBook(side)], tools, policy)

    assembly = assemble(replace(turn, variables=known), lore, State(), tools)

    seen = [item.text for item in assembly.activated] + [repr(assembly.reports)]
    hidden = [
        f"⟦{shelf.name}.{one.uid}⟧" for shelf in (book, side) for one in shelf.entries if is_closed(one, shelf, known)
    ]
    assert [mark for mark in hidden for text in seen if mark in text] == []
    if not is_closed(greedy, book, known):
        open_marks = [f"⟦main.{one.uid}⟧" for one in titled if not is_closed(one, book, known)]
        shown = next((item.text for item in assembly.activated if item.entry.entry.uid == "greedy"), "")
        assert all(mark in shown for mark in open_marks), assembly.reports
