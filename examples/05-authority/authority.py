"""Who is believed, who may know it, and what becomes of what a model makes up: `python examples/05-authority/authority.py`."""

from pathlib import Path

from lorewright import ActiveBook, Assembly, Message, State, Turn, assemble, load_lore, make_tools
from lorewright.core.facts import as_entry, promote, read_facts
from lorewright.core.gates import Progress
from lorewright.core.model import Book
from lorewright.core.overlays import Upsert, apply_overlays
from lorewright.formats.read import read_book

BOOK = read_book(Path(__file__).parent / "saltwick.yaml").value
TOOLS = make_tools()
MESSAGES = (Message("Wen", "There is a light in the old mill."),)
REPLY = """\
Maren shrugs. "It is my sister. She lives there now."

<!--lorewright-fact
subject: the mill's tenant
fact: Maren's sister lives in the mill of Saltwick.
keys: mill, sister
-->"""


def run(book: Book, turn: Turn) -> Assembly:
    return assemble(turn, load_lore([ActiveBook(book)], TOOLS), State(), TOOLS)


def show(title: str, assembly: Assembly) -> None:
    print(f"== {title}")
    for text in assembly.placed.in_reading_order():
        print(text.text)
    for verdict in assembly.trace.all():
        if not verdict.active and verdict.reason.code != "no_key_matched":
            print(f"   out: {verdict.title or verdict.entry}: {verdict.reason.sentence}")
    print()


show("A reader in chapter 3", run(BOOK, Turn(messages=MESSAGES, progress=(Progress("The Isles", 2),))))
show(
    "A reader who has finished chapter 7; Maren is speaking",
    run(BOOK, Turn(messages=MESSAGES, progress=(Progress("The Isles", 6, finished=True),), speaker="Maren")),
)

fact = read_facts(REPLY).facts[0]
proposal = as_entry(fact, "proposal-1")
with_proposal, _ = apply_overlays(BOOK, [Upsert(proposal)])
show("With a proposal that nobody has seen yet", run(with_proposal, Turn(messages=MESSAGES)))
promoted, _ = apply_overlays(BOOK, [Upsert(promote(proposal, "session"))])
show("After a person has promoted it", run(promoted, Turn(messages=MESSAGES)))
