"""What the page about clients says is what works: its programs run, and its files lead to the gateway."""

import io
import os
import re
import subprocess
import sys
import types
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import anthropic
import openai
import pytest
import yaml

from lorewright.gateway.configuration import BookFile, Configuration, Route
from lorewright.gateway.configuration_file import read_configuration
from lorewright.gateway.weaving.ledger_weaver import LedgerWeaver
from lorewright.testing.fake_upstream import Plan
from tests.documents import read_blocks
from tests.gateway.running import RunningGateway

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "use-any-client.md").read_text("utf-8")
ADDRESS = "http://127.0.0.1:8111"
TEXT = Plan().text
BOOK = "lorewright: 1\nname: isles\nentries:\n  - {uid: 1, title: The isles, constant: true, content: They lie in a ring.}\n"


@pytest.fixture
def served(upstream, tmp_path):
    """A gateway with the route of the page."""
    book = tmp_path / "isles.yaml"
    book.write_text(BOOK, "utf-8")
    aria = Route(name="aria", upstream="local", model="m", books=(BookFile(str(book)),))
    configuration = Configuration(upstreams={"local": upstream}, routes={"aria": aria}, default_route="aria")
    with RunningGateway(configuration, LedgerWeaver(tmp_path / "gateway.ledger")) as running:
        yield running


def section(title):
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def blocks(title, language):
    return [block.text for block in read_blocks(section(title)) if block.language == language]


def run(title, gateway):
    """What the programs of a section print. They share their names, as in one file."""
    names = vars(types.ModuleType("page"))
    printed = []
    for text in blocks(title, "python"):
        with redirect_stdout(io.StringIO()) as output:
            exec(compile(text.replace(ADDRESS, gateway.url), title, "exec"), names)
        printed.append(output.getvalue())
    names["client"].close()
    return printed


def test_the_programs_for_the_sdk_of_openai_run(served, fake):
    assert run("The SDK of OpenAI", served) == [
        f"{TEXT}\n",
        "The isles True is constant\n",
        f"{TEXT}\n",
    ]
    assert [request.path for request in fake.received] == [
        *["/v1/chat/completions"] * 2,
        *["/v1/responses"] * 2,
    ]
    assert all(request.json["model"] == "m" for request in fake.received)


def test_the_program_for_the_sdk_of_anthropic_runs(served, fake):
    assert run("The SDK of Anthropic", served) == [TEXT]
    assert fake.received[0].path == "/v1/messages"


def test_the_sdk_of_openai_takes_its_environment(served, monkeypatch):
    assert "`OPENAI_BASE_URL` and `OPENAI_API_KEY`" in section("The SDK of OpenAI")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{served.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "not-needed")

    with openai.OpenAI() as client:
        assert [one.id for one in client.models.list()] == ["aria", "mirror", "m"]


def test_the_environment_of_claude_code_leads_here(served, fake, monkeypatch):
    """Its SDK reads the same variables. It also asks for models of Anthropic's, by name."""
    [said] = blocks("An assistant in an editor", "shell")
    given = dict(re.findall(r"(?m)^export ([A-Z_]+)=(\S+)$", said))
    assert given.keys() == {"ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_MODEL"}
    monkeypatch.setenv("ANTHROPIC_BASE_URL", given["ANTHROPIC_BASE_URL"].replace(ADDRESS, served.url))
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", given["ANTHROPIC_AUTH_TOKEN"])
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)

    with anthropic.Anthropic() as client:
        routes = [
            client.messages.with_raw_response.create(
                model=model, max_tokens=9, messages=[{"role": "user", "content": "Hello"}]
            ).headers["x-lorewright-route"]
            for model in (given["ANTHROPIC_MODEL"], "claude-haiku-4-5")
        ]
    assert routes == ["aria", "aria; default"]


def test_a_token_may_stand_where_a_key_does(served, tmp_path):
    """In both headers that clients have for it; a name that is not in the configuration is no name."""
    [text] = blocks("A client in a container", "toml")
    (tmp_path / "lorewright.toml").write_text(text, "utf-8")
    found = read_configuration(str(tmp_path / "lorewright.toml"), {"LOREWRIGHT_TOKEN_WEBUI": "t-webui"})
    assert (found.listen.host, found.listen.hosts) == ("0.0.0.0", frozenset({"host.docker.internal"}))
    known = replace(served.service.configuration.listen, hosts=found.listen.hosts)
    served.service.configuration = replace(served.service.configuration, tokens=found.tokens, listen=known)
    for name, value in (("x-api-key", "t-webui"), ("authorization", "Bearer t-webui")):
        for host, status in (("host.docker.internal:8111", 200), ("example.org", 403)):
            assert served.ask("GET", "/v1/models", headers={name: value, "host": host}).status == status
    assert served.ask("GET", "/v1/models").status == 401


@pytest.mark.parametrize(
    ("title", "address", "model"),
    [
        ("LibreChat", ("endpoints", "custom", 0, "baseURL"), ("endpoints", "custom", 0, "models", "default", 0)),
        ("An assistant in an editor", ("models", 0, "apiBase"), ("models", 0, "model")),
    ],
)
def test_files_of_clients_have_the_address_and_a_route(title, address, model, served):
    [text] = blocks(title, "yaml")

    def at(place):
        found = yaml.safe_load(text)
        for step in place:
            found = found[step]
        return found

    assert at(address) == f"{ADDRESS}/v1"
    assert at(model) in served.service.configuration.routes


def test_the_file_for_llm_works(served, tmp_path):
    [text] = blocks("The program `llm`", "yaml")
    (tmp_path / "extra-openai-models.yaml").write_text(text.replace(ADDRESS, served.url), "utf-8")
    [line] = re.findall(r"(?m)^\$ llm (.+)$", section("The program `llm`"))
    assert line == '-m isles "Where are we?"'

    done = subprocess.run(
        [sys.executable, "-m", "llm", "-m", "isles", "Where are we?"],
        env=os.environ | {"LLM_USER_PATH": str(tmp_path), "OPENAI_API_KEY": "not-needed"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, f"{TEXT}\n"), done.stderr


def test_headers_for_sillytavern_are_headers_that_are_read(served):
    [text] = blocks("SillyTavern", "yaml")
    headers = yaml.safe_load(text)
    assert list(headers) == ["x-lorewright-conversation"]
    body = b'{"model":"aria","messages":[{"role":"user","content":"Hello"}]}'

    histories = [
        served.post("/v1/chat/completions", body, headers if is_named else None).headers["x-lorewright-history"]
        for is_named in (True, True, False, False)
    ]
    assert histories == ["new", "known", "new", "known"]


def test_titles_of_open_webui_are_not_woven(served, fake):
    [text] = blocks("Open WebUI", "toml")
    off = re.findall(r'weave_off = \["(.+)"\]', text)
    aria = replace(served.service.configuration.routes["aria"], weave_off=tuple(off))
    served.service.configuration = replace(served.service.configuration, routes={"aria": aria})

    answers = [
        served.post("/v1/chat/completions", b'{"model":"aria","messages":[{"role":"user","content":"%s"}]}' % said)
        for said in (b"### Task:\\nGenerate a concise title.", b"Hello")
    ]
    assert ["x-lorewright-turn" in answer.headers for answer in answers] == [False, True]
    assert fake.received[0].json["messages"] == [{"role": "user", "content": "### Task:\nGenerate a concise title."}]
