"""Our own addresses keep to their description (`docs/reference/gateway-api.json`), whatever comes.

Schemathesis looks for what is not as described; what it does not know of, such as codes in headers, is looked for here.
"""

import json
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorewright.gateway.configuration import BookFile, Configuration, Route
from lorewright.gateway.weaving.ledger_weaver import LedgerWeaver
from tests.gateway.running import RunningGateway

ROOT = Path(__file__).parents[2]
DESCRIPTION = json.loads((ROOT / "docs" / "reference" / "gateway-api.json").read_text("utf-8"))
DESCRIBED = DESCRIPTION["paths"]
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "TRACE")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(["id", "content", "mode", "keys", "channel", "layer", "probability", "enabled"])
RULES = st.fixed_dictionaries({"entries": st.lists(st.dictionaries(NAMES, JSON, max_size=5), max_size=3)})
BODIES = (JSON | RULES).map(lambda value: json.dumps(value).encode()) | st.binary(max_size=40)
BOOK = """\
lorewright: 1
name: isles
entries:
  - {uid: 1, constant: true, content: The isles lie in a ring.}
  - {uid: 2, keys: [bell], content: The bell rings by itself.}
"""
QUERIES = st.dictionaries(st.sampled_from(["limit", "before", "route", "other"]), st.text(max_size=8), max_size=3)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A gateway with rules and one turn, whose id comes with it."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "rules.json").write_text('{"entries":[]}', "utf-8")
    route = Route(name="maren", upstream="mirror", books=(BookFile(str(folder / "book.yaml")),))
    (folder / "book.yaml").write_text(BOOK, "utf-8")
    configuration = Configuration(routes={"maren": route}, rules=str(folder / "rules.json"))
    with RunningGateway(configuration, LedgerWeaver(folder / "gateway.ledger")) as gateway:
        body = b'{"model":"maren","messages":[{"role":"user","content":"Who is there?"}]}'
        yield gateway, gateway.post("/v1/chat/completions", body).headers["x-lorewright-turn"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), path=st.sampled_from(sorted(DESCRIBED)), method=st.sampled_from(METHODS))
def test_every_answer_is_as_described(own, data, path, method):
    gateway, turn = own
    name = data.draw(st.just(turn) | st.text(min_size=1, max_size=40))
    query = data.draw(QUERIES)
    body = data.draw(BODIES) if method != "GET" else b""
    target = f"{path.replace('{turn}', quote(name, safe=''))}?{urlencode(query)}"

    answer = gateway.ask(method, target, body, {"content-type": "application/json"})

    assert answer.status < 500, answer.body
    assert answer.headers["content-type"] == "application/json"
    found = json.loads(answer.body)
    if answer.status == 200:
        assert method.lower() in DESCRIBED[path]
        assert isinstance(found, dict)
        assert "error" not in found or path.startswith("/lorebook-prompt/")
    else:
        assert answer.headers["x-lorewright-refused"] == found["error"]["code"]
        assert found["error"]["message"]
    if method.lower() not in DESCRIBED[path] and answer.status == 405:
        allowed = {one.strip().lower() for one in answer.headers["allow"].split(",")}
        assert allowed - {"head", "parameters"} == DESCRIBED[path].keys() - {"parameters"}


@pytest.mark.parametrize("path", sorted(DESCRIBED))
def test_what_is_described_is_there(own, path):
    gateway, turn = own
    for method in DESCRIBED[path].keys() - {"parameters"}:
        answer = gateway.ask(
            method.upper(), path.replace("{turn}", turn), b'{"entries":[]}' if method == "post" else b""
        )

        assert answer.status == 200, answer.body


def test_schemathesis_finds_nothing(own, tmp_path):
    """All its checks, with the id of a turn that is there as an example, so that it gets behind the 404."""
    gateway, turn = own
    described = deepcopy(DESCRIPTION)
    described["components"]["parameters"]["Turn"]["example"] = turn
    (tmp_path / "described.json").write_text(json.dumps(described), "utf-8")
    told = ["--url", gateway.url, "--checks", "all", "--max-examples", "20", "--generation-deterministic", "--no-color"]

    done = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "run", "described.json", *told],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert done.returncode == 0, done.stdout
    assert f"Tested: {sum(len(one.keys() - {'parameters'}) for one in DESCRIBED.values())}\n" in done.stdout
