"""The configuration is read again while the server runs, and the last good one is kept."""

import asyncio
import json
import os
from dataclasses import replace

import pytest

from lorewright.gateway.configuration_file import read_configuration
from lorewright.gateway.service import Service
from lorewright.gateway.watch import Watch

TOKEN = {"T": "t-max"}
ROUTE = '[routes.{}]\nupstream = "mirror"\n'


class Watched:
    """A watch over a file; `write` changes the file and lets the watch look."""

    def __init__(self, folder, text, environment=None):
        self.file = folder / "lorewright.toml"
        self.file.write_text(text, "utf-8")
        self.moment = 1

        def read():
            return read_configuration(str(self.file), environment or {})

        self.service = Service(read())
        self.watch = Watch(self.service, read)

    def write(self, text):
        self.file.write_text(text, "utf-8")
        self.moment += 1
        os.utime(self.file, (self.moment, self.moment))
        return self.look()

    def look(self):
        return asyncio.run(self.watch.look())

    @property
    def routes(self):
        return list(self.service.configuration.routes)

    @property
    def problems(self):
        return [problem.key for problem in self.service.status.problems]


@pytest.fixture
def watched(tmp_path):
    return Watched(tmp_path, ROUTE.format("a"))


def test_a_changed_file_is_read(watched):
    assert not watched.look()
    assert watched.write(ROUTE.format("b"))
    assert watched.routes == ["b"]
    assert watched.problems == []
    assert watched.service.status.loaded_at


@pytest.mark.parametrize("bad", ["[routes.b]\n", "x = [", "\x00", "[limits]\nbody_bytes = 1"])
def test_the_last_good_one_is_kept(bad, watched):
    assert watched.write(bad)
    assert watched.routes == ["a"]
    assert len(watched.problems) == 1
    assert watched.service.as_object()["configuration"]["keptLastGood"]

    assert watched.write(ROUTE.format("c"))
    assert watched.routes == ["c"]
    assert watched.problems == []


def test_a_file_that_is_gone_for_a_while(watched):
    watched.file.unlink()
    assert watched.look()
    assert (watched.routes, len(watched.problems)) == (["a"], 1)
    assert not watched.look()

    watched.write(ROUTE.format("b"))
    assert (watched.routes, watched.problems) == (["b"], [])


def test_whatever_reading_raises_the_watch_goes_on(watched, monkeypatch):
    def fail():
        raise ZeroDivisionError

    read = watched.watch._read
    monkeypatch.setattr(watched.watch, "_read", fail)
    assert watched.write(ROUTE.format("b"))
    assert (watched.routes, len(watched.problems)) == (["a"], 1)

    monkeypatch.setattr(watched.watch, "_read", read)
    watched.write(ROUTE.format("c"))
    assert watched.routes == ["c"]


def test_the_address_stays_until_the_next_start(watched):
    watched.write(f"{ROUTE.format('b')}[listen]\nport = 9\nhosts = ['x']")

    listen = watched.service.configuration.listen
    assert (listen.port, listen.hosts) == (8111, {"x"})
    assert (watched.routes, watched.problems) == (["b"], ["listen"])
    assert not watched.service.as_object()["configuration"]["keptLastGood"]


def test_a_server_that_others_reach_keeps_its_tokens(tmp_path):
    """The new file would be right for a server that starts with it, and opens the one that runs."""
    token = '[listen]\nhost = "0.0.0.0"\n[[tokens]]\nowner = "max"\ntoken = { env = "T" }\n'
    watched = Watched(tmp_path, token, TOKEN)
    tokens = watched.service.configuration.tokens

    watched.write('[listen]\nhost = "127.0.0.1"\n')

    assert watched.service.configuration.tokens == tokens
    assert watched.problems == ["listen.host"]


def test_a_request_sees_the_new_routes(gateway, configuration, tmp_path):
    file = tmp_path / "lorewright.toml"
    file.write_text(ROUTE.format("fresh"), "utf-8")
    gateway.service.configuration = replace(read_configuration(str(file), {}), listen=configuration.listen)

    assert [one["id"] for one in json.loads(gateway.ask("GET", "/v1/models").body)["data"]] == ["fresh", "mirror"]


def test_the_status_page_has_no_secret(gateway, configuration):
    from lorewright.gateway.configuration import Secret

    upstream = replace(configuration.upstreams["local"], key=Secret("sk-secret"))
    gateway.service.configuration = replace(configuration, upstreams={"local": upstream})
    before = json.loads(gateway.ask("GET", "/lorewright/v1/status").body)
    gateway.post("/v1/chat/completions", b"{}")
    answer = gateway.ask("GET", "/lorewright/v1/status")
    status = json.loads(answer.body)

    assert b"sk-secret" not in answer.body
    assert status["upstreams"]["local"]["hasKey"] is True
    assert status["routes"]["aria"]["model"] == "m"
    assert status["requests"] == before["requests"] + 2
    assert status["refusals"]["model_missing"] == before["refusals"].get("model_missing", 0) + 1
