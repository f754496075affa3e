"""The ledger between two questions about receipts."""

from lorewright.gateway.weaving.ledger_reader import LedgerReader
from lorewright.ledger.forget import forget
from lorewright.ledger.ledger import open_ledger
from tests.ledger.world import chat


def main_stream(reader):
    file = reader.open()
    assert file is not None
    return reader.stream(file, "main")


def test_a_file_that_is_not_there_yet_is_found_later(tmp_path):
    reader = LedgerReader(tmp_path / "a")
    assert reader.open() is None

    chat(tmp_path / "a", 1).ledger.close()

    assert main_stream(reader).count_turns() == 1
    reader.close()


def test_turns_are_repeated_by_what_the_file_says_now(tmp_path):
    session = chat(tmp_path / "a", 2)
    reader = LedgerReader(tmp_path / "a")

    def outcome(number):
        return reader.replayer(main_stream(reader)).replay(number).outcome

    assert outcome(2) == "same"
    session.ledger.reply(2, ending="failed")
    assert outcome(2) == "same"
    with open_ledger(tmp_path / "a") as other:
        forget(other, {"main": {1, 2}}, "forget")
    assert outcome(2) == "erased"
    reader.close()
    session.ledger.close()


def test_another_file_in_its_place_is_another_ledger(tmp_path):
    chat(tmp_path / "a", 2).ledger.close()
    chat(tmp_path / "b", 1).ledger.close()
    reader = LedgerReader(tmp_path / "a")
    assert main_stream(reader).count_turns() == 2

    (tmp_path / "b").rename(tmp_path / "a")

    assert main_stream(reader).count_turns() == 1
    reader.close()
