"""`serve`, `status` and `doctor` as a user runs them."""

import json
import os
import re
import signal
import subprocess
import sys
import tomllib
import urllib.request
from contextlib import contextmanager

import pytest

from lorewright.cli.screen import Screen
from lorewright.cli.serving import _greet
from lorewright.gateway.configuration import Configuration, Route
from lorewright.gateway.configuration_file import read_configuration
from lorewright.gateway.discovery import Found, as_configuration
from lorewright.testing.fake_upstream import FakeUpstream

COMMAND = [sys.executable, "-m", "lorewright"]


@pytest.fixture
def environment(tmp_path):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LOREWRIGHT_")}
    return kept | {"LOREWRIGHT_DATA_DIR": str(tmp_path / "data"), "COLUMNS": "200"}


def run(environment, folder, *words):
    done = subprocess.run(
        [*COMMAND, *words], env=environment, cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    return done.returncode, done.stdout, done.stderr


@contextmanager
def serving(environment, folder):
    """A server in a process of its own, and its address; the test ends it."""
    with subprocess.Popen(
        [*COMMAND, "serve", "--port", "0"],
        env=environment,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stdout is not None
        found = re.search(rb"http://127\.0\.0\.1:\d+", server.stdout.readline())
        assert found is not None
        yield server, found[0].decode()


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_server_runs_and_says_how_it_does(ending, environment, tmp_path):
    (tmp_path / "lorewright.toml").write_text('[routes.aria]\nupstream = "mirror"\n', "utf-8")
    with serving(environment, tmp_path) as (server, address):
        with urllib.request.urlopen(f"{address}/v1/models", timeout=30) as reply:
            assert [one["id"] for one in json.load(reply)["data"]] == ["aria", "mirror"]
        code, out, _ = run(environment, tmp_path, "status", "--json")
        status = json.loads(out)
        assert (code, status["running"], status["address"]) == (0, True, address)
        assert status["configuration"]["file"] == str(tmp_path / "lorewright.toml")
        server.send_signal(ending)
        server.wait(30)
        assert server.returncode == (-9 if ending == signal.SIGKILL else 0)
        assert server.stderr is not None
        assert b"Traceback" not in server.stderr.read()

    code, out, _ = run(environment, tmp_path, "status")
    assert code == 1
    assert out.startswith("ended without a word" if ending == signal.SIGKILL else "stopped")


def test_status_and_log_name_a_file_that_is_no_book(environment, tmp_path):
    (tmp_path / "book.json").write_text('{"prompts": []}', "utf-8")
    (tmp_path / "lorewright.toml").write_text('[routes.aria]\nupstream = "mirror"\nbooks = ["book.json"]\n', "utf-8")
    body = json.dumps({"model": "aria", "messages": [{"role": "user", "content": "Hm?"}]}).encode()
    with serving(environment, tmp_path) as (server, address):
        assert server.stderr is not None
        with urllib.request.urlopen(f"{address}/v1/chat/completions", data=body, timeout=30) as reply:
            assert reply.headers["x-lorewright-error"] == "load"
        assert b"book.json" in server.stderr.readline()
        code, out = 0, ""
        for _ in range(100):
            code, out, _ = run(environment, tmp_path, "status")
            if "problem" in out:
                break
        server.terminate()
        server.wait(30)

    assert code == 1
    assert re.search(r"^problem of the files of aria: .*book\.json", out, re.MULTILINE)


def test_a_server_that_cannot_start_says_why(environment, tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text("[listen]\nport = -1\nhorst = 3\n", "utf-8")

    code, out, err = run(environment, tmp_path, "serve", "--config", str(file))
    assert (code, out) == (2, "")
    assert "2 problems" in err
    assert "did you mean `host`?" in err

    code, _, err = run(environment, tmp_path, "serve", "--host", "0.0.0.0")
    assert (code, "a token is needed" in err) == (2, True)

    code, _, err = run(environment, tmp_path, "serve", "--config", str(tmp_path / "none.toml"))
    assert (code, "none.toml" in err) == (2, True)

    code, _, err = run(environment | {"LOREWRIGHT_TOKEN": "t"}, tmp_path, "serve", "--host", "x" * 100)
    assert (code, "cannot be listened on" in err) == (2, True)

    with FakeUpstream() as taken:
        port = taken.base_url.rpartition(":")[2].removesuffix("/v1")
        code, _, err = run(environment, tmp_path, "serve", "--port", port)
    assert (code, f"127.0.0.1:{port} cannot be listened on" in err) == (2, True)


def test_status_before_the_first_start(environment, tmp_path):
    assert run(environment, tmp_path, "status")[:2] == (1, "not running; no server was started yet\n")


@pytest.mark.parametrize(
    "content", ["{}", "[]", "x", '{"pid": "x"}', '{"pid": -1, "event": "running"}', '{"pid": 1e999}']
)
def test_a_status_file_that_is_none(content, environment, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "gateway-status.json").write_text(content, "utf-8")

    code, _, err = run(environment, tmp_path, "status")

    assert code in {1, 2}
    assert "Traceback" not in err


def test_the_doctor_finds_a_server_and_writes_its_configuration(environment, tmp_path, fake):
    fake.models = ("gemma", "qwen")
    port = fake.base_url.rpartition(":")[2].removesuffix("/v1")
    try:
        code, out, _ = run(environment, tmp_path, "doctor", "--port", port, "--write", "lorewright.toml", "--json")
    finally:
        fake.models = ("m",)
    found = [one for one in json.loads(out)["servers"] if one["baseUrl"] == fake.base_url]

    assert code == 0
    assert found[0]["models"] == ["gemma", "qwen"]
    assert all(one.header("authorization") is None and one.header("x-api-key") is None for one in fake.received)
    assert {one.body for one in fake.received} == {b"{}"}
    written = read_configuration(str(tmp_path / "lorewright.toml"), {})
    assert fake.base_url in {one.base_url for one in written.upstreams.values()}
    assert written.default_route == "lore"
    assert run(environment, tmp_path, "doctor", "--port", port, "--write", "lorewright.toml")[0] == 2


def test_what_the_doctor_writes_is_a_configuration(tmp_path):
    found = [Found(1, "LM Studio", ("a",), ("chat", "messages")), Found(2, "", (), ("chat",))]
    text = as_configuration(found)
    file = tmp_path / "x.toml"
    file.write_text(text, "utf-8")
    read = read_configuration(str(file), {})

    assert tomllib.loads(text)["upstreams"]["lmstudio"]["apis"] == ["chat", "messages"]
    assert read.upstreams["local2"].base_url == "http://127.0.0.1:2/v1"
    assert read.routes["lore"].upstream == "lmstudio"


@pytest.mark.parametrize("listed", [b"", b"[]", b'{"data":3}', b"<html>", b"[" * 100_000])
def test_what_is_no_model_server_is_not_found(listed):
    from lorewright.gateway.discovery import _rows_in

    assert _rows_in(listed) is None


def test_a_missing_package_is_named(environment, tmp_path):
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "uvicorn.py").write_text("raise ModuleNotFoundError(name='uvicorn')", "utf-8")

    code, _, err = run(environment | {"PYTHONPATH": str(hidden)}, tmp_path, "serve")

    assert code == 2
    assert "pip install 'lorewright[server]'" in err


@pytest.mark.parametrize("routes", [{}, {"aria": Route(name="aria", upstream="mirror")}])
def test_without_a_model_server_the_greeting_says_who_answers(routes, capsys):
    _greet(Configuration(routes=routes), "http://127.0.0.1:8111", Screen())

    said = " ".join(capsys.readouterr().out.split())
    assert f"models: {', '.join((*routes, 'mirror'))} No model server is configured: the mirror answers" in said
