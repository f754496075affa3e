"""An export can be checked by anybody; a redacted one betrays nothing."""

import hashlib
import json

import pytest

from lorewright.core.gates import Flag, Gate
from lorewright.core.model import Book, Entry, Message, Turn
from lorewright.ledger.credentials import REMOVED, without_credentials
from lorewright.ledger.erase import erase, find_message
from lorewright.ledger.export import export, export_redacted
from lorewright.storage.hash_chain import GENESIS, link
from tests.ledger.world import BOOK, chat, open_chat

KEYS = {
    "openai": "sk-" + "a1B2" * 8,
    "anthropic": "sk-ant-api03-" + "x" * 40,
    "github": "ghp_" + "a" * 36,
    "google": "AIza" + "b" * 35,
    "amazon": "AKIA" + "ABCDEFGH12345678",
    "slack": "xoxb-" + "1234567890-abc",
    "bearer": "Bearer " + "abcdef0123456789abcd",
    "address": "https://max:" + "hunter22@example.com",
    "query": "api_key=" + "0123456789abcdef",
    "token": "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxIn0abc.sig-nature_1",
    "private": "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
}


def image(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def test_an_export_can_be_checked_without_us(tmp_path):
    with chat(tmp_path / "a").ledger as ledger:
        whole = json.loads(json.dumps(export(ledger)))

    before = GENESIS
    for event in whole["events"]:
        before = link(before, "main", event["number"], event["kind"], image(event["body"]))
        assert before.hex() == event["hash"]
    assert whole["head"] == before.hex()
    assert len(whole["events"]) == 15
    for commitment, text in whole["texts"].items():
        assert hashlib.sha256(bytes.fromhex(text["salt"]) + image(text["text"])).hexdigest() == commitment


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS.keys())
def test_secrets_are_removed(tmp_path, key):
    secret = key.removeprefix("Bearer ").partition("api_key=")[2] or key.removeprefix("Bearer ")
    secret = "hunter22" if "hunter22" in key else secret
    session = open_chat(tmp_path / "a")
    session.weave(Turn(messages=(Message("Max", f"Mine is {key}, keep it."),)))
    session.ledger.reply(1, f"You said {key}.")
    with session.ledger as ledger:
        whole, redacted = export(ledger), export_redacted(ledger)

    for made in (whole, redacted):
        assert secret not in json.dumps(made)
    assert REMOVED in json.dumps(whole)
    marked = [text for text in whole["texts"].values() if text.get("secret_removed")]
    assert len(marked) == 2
    assert all("salt" not in text for text in marked)


@pytest.mark.parametrize(
    "text", ["The task-force is here.", "sk-short", "password: please", "a key=1", "ask-me-anything"]
)
def test_ordinary_texts_stay(text):
    assert without_credentials({"a": [text]}) == {"a": [text]}


def test_an_erased_text_is_said_to_be_erased(tmp_path):
    with chat(tmp_path / "a", 2).ledger as ledger:
        (name,) = find_message(ledger, 1, 0)
        erase(ledger, [name])

        assert export(ledger)["texts"][name] == {"erased": True}
        assert export_redacted(ledger)["turns"][0]["entries"] is None


SECRET = Entry(
    uid="secret",
    title="The king is a wolf",
    keys=("ferry", "king"),
    content="He howls.",
    position=0,
    order=9,
    gate=Gate((Flag("told"),)),
)
GATED = Book("isles", (*BOOK.entries, SECRET))


def strings(value):
    if isinstance(value, dict):
        for name, item in value.items():
            yield from (str(name), *strings(item))
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, str):
        yield value


def test_a_redacted_export_betrays_nothing(tmp_path):
    with chat(tmp_path / "a", 4, book=GATED).ledger as ledger:
        first, second = export_redacted(ledger), export_redacted(ledger)
        texts = [IMAGE_TEXT for row in ledger.store.texts() if (IMAGE_TEXT := ledger.store.text(row.commitment))]
        known = {row.commitment for row in ledger.store.texts()} | {turn.hash for turn in ledger.turns()}
    said = set(strings(json.loads(json.dumps(first))))

    words = {
        "Day 0: where is the ferry?",
        "Reply 0.",
        "Aria",
        "Max",
        "A pilot.",
        "The ferry goes at dawn.",
        "He howls.",
    }
    words |= {"The king is a wolf", "king"}
    assert not [text for text in said for word in words if word in text]
    hashes = {hashlib.sha256(text).hexdigest() for text in texts}
    hashes |= {hashlib.sha256(word.encode()).hexdigest() for word in words}
    assert not {text for text in said for whole in known | hashes if len(text) > 8 and text in whole}
    shared = {t for t in said if len(t) == 24} & {t for t in strings(second) if len(t) == 24}
    assert not {text for text in shared if all(letter in "0123456789abcdef" for letter in text)}


def test_equal_texts_stay_equal(tmp_path):
    with chat(tmp_path / "a", 3).ledger as ledger:
        first, _, last = export_redacted(ledger)["turns"]

    assert first["messages"][0] == last["messages"][0]
    assert last["messages"][0] != last["messages"][2]
    assert first["sent"][0]["pieces"][0]["entry"] == "isles.front"
    assert last["replies"][0]["cached_tokens"] == 3


@pytest.mark.parametrize("spoilers", [False, True])
def test_a_closed_entry_is_its_id_and_closed(tmp_path, spoilers):
    with chat(tmp_path / "a", 1, book=GATED).ledger as ledger:
        (turn,) = export_redacted(ledger, spoilers=spoilers)["turns"]

    found = [entry for entry in turn["entries"] if entry["entry"] == "isles.secret"]
    closed = {"entry": "isles.secret", "closed": True}
    assert found == [{"entry": "isles.secret", "active": False, "reason": "closed", "loop": 0} if spoilers else closed]
