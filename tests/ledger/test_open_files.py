"""Several connections of one process to a file, and other processes beside them."""

import subprocess
import sys

import pytest

from lorewright.errors import LedgerError
from lorewright.ledger.events import ReplyReceived
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.verify import verify
from tests.ledger.world import chat

LOOK = """
import sys

import pytest
from lorewright.ledger.ledger import open_ledger
with open_ledger(sys.argv[1], create=False) as ledger:
    print(ledger.store.head("main")[0])
"""


def look(path):
    """The last event, as another process sees it; it is the last one to close the file if nobody holds it."""
    done = subprocess.run([sys.executable, "-c", LOOK, str(path)], capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_a_second_connection_of_a_process_leaves_the_first_one_its_locks(tmp_path):
    """POSIX drops all locks of a process on a file when it closes any handle to it; another process would then take
    the log away as the last one to close, and what is written next would be lost."""
    path = tmp_path / "a.ledger"
    session = chat(path, 1)
    open_ledger(path).close()
    look(path)

    session.ledger.reply(1, "written after that")

    head = session.ledger.store.head("main")
    assert head is not None
    assert look(path) == head[0]
    session.ledger.close()
    with open_ledger(path) as ledger:
        assert sum(1 for _ in ledger.of_kind(ReplyReceived)) == 2


def test_a_ledger_with_a_failed_turn_verifies(tmp_path):
    session = chat(tmp_path / "a.ledger", 2)
    session.ledger.reply(2, ending="failed", status=500)

    assert verify(session.ledger.store).problems == ()
    session.ledger.close()


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_file_that_is_no_longer_in_its_place_is_not_written(how, tmp_path):
    path = tmp_path / "a.ledger"
    session = chat(path, 1)
    path.rename(tmp_path / "b.ledger")
    if how == "replaced":
        open_ledger(path).close()

    with pytest.raises(LedgerError, match="was removed or replaced while it was in use"):
        session.ledger.reply(1, "into nowhere")
    session.ledger.close()
