"""The configuration file: what it says, and everything that is wrong with it at once."""

import os
import sys
import types
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.errors import InputError, SettingsError
from lorewright.gateway.configuration import (
    BookFile,
    Configuration,
    Limits,
    Listen,
    ReplyRules,
    Route,
    Secret,
    Token,
    Upstream,
)
from lorewright.gateway.configuration_file import read_configuration
from lorewright.providers.dialect import Dialect

EVERYTHING = """
default_route = "aria"

[listen]
host = "127.0.0.2"
port = 9000
hosts = ["Lore.Example"]
cors_origins = ["https://chat.example"]

[limits]
body_bytes = 1_000_000
connect_seconds = 3
idle_seconds = 60.5
weave_seconds = 2

[[tokens]]
owner = "max"
token = { env = "TOKEN_MAX" }
admin = true

[upstreams.local]
base_url = "http://127.0.0.1:8080"
models = ["gemma*"]
apis = ["chat", "messages"]
system_in_middle = false
roles_must_alternate = true
sampling = false
max_tokens = "max_completion_tokens"
usage_in_stream = true
prompt_cache_key = true

[upstreams.claude]
base_url = "https://api.anthropic.example/"
kind = "anthropic"
key = { file = "claude.key" }

[routes.aria]
upstream = "local"
model = "gemma3"
profile = "sillytavern"
placement = "frozen"
books = ["isles.json", { file = "hero.json", source = "character" }]
card = "aria.png"
persona = "A sailor.\\nShort."
user = "Max"
preset = "preset.json"
settings = "settings.json"
weave_off = ["### Task:*"]

[routes.aria.replies]
hide_updates = true
scripts = ["loud.json"]
preset_scripts = true
card_scripts = true

[routes."aria@claude"]
upstream = "claude"
auth = "passthrough"
weave = false
"""


@pytest.fixture
def folder(tmp_path):
    for name in ("isles.json", "hero.json", "aria.png", "preset.json", "settings.json", "loud.json"):
        (tmp_path / name).write_text("{}", "utf-8")
    key = tmp_path / "claude.key"
    key.write_text("sk-claude\n", "utf-8")
    key.chmod(0o600)
    return tmp_path


def read(folder: Path, text: str, environment=None) -> Configuration:
    file = folder / "lorewright.toml"
    file.write_text(text, "utf-8")
    return read_configuration(str(file), environment or {})


def problems(folder: Path, text: str, environment=None) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        read(folder, text, environment)
    found = caught.value.facts["problems"]
    assert isinstance(found, tuple)
    assert all(str(one) in caught.value.message for one in found)
    return [str(one) for one in found]


def test_every_key_is_read(folder):
    found = read(folder, EVERYTHING, {"TOKEN_MAX": "t-max"})

    assert found == Configuration(
        listen=Listen(
            host="127.0.0.2",
            port=9000,
            hosts=frozenset({"lore.example"}),
            cors_origins=frozenset({"https://chat.example"}),
        ),
        limits=Limits(body_bytes=1_000_000, connect_seconds=3, idle_seconds=60.5, weave_seconds=2),
        tokens=(Token(owner="max", secret=Secret("t-max"), is_admin=True),),
        upstreams={
            "local": Upstream(
                name="local",
                base_url="http://127.0.0.1:8080/v1",
                models=("gemma*",),
                apis=frozenset({"chat", "messages"}),
                dialect=Dialect(
                    system_in_middle=False,
                    roles_must_alternate=True,
                    sampling=False,
                    max_tokens="max_completion_tokens",
                ),
                usage_in_stream=True,
                prompt_cache_key=True,
            ),
            "claude": Upstream(
                name="claude",
                base_url="https://api.anthropic.example/v1",
                kind="anthropic",
                apis=frozenset({"messages", "count_tokens"}),
                key=Secret("sk-claude"),
                dialect=Dialect(system_in_middle=False),
            ),
        },
        routes={
            "aria": Route(
                name="aria",
                upstream="local",
                model="gemma3",
                profile="sillytavern",
                placement="frozen",
                books=(BookFile(str(folder / "isles.json")), BookFile(str(folder / "hero.json"), "character")),
                card=str(folder / "aria.png"),
                persona="A sailor.\nShort.",
                user="Max",
                preset=str(folder / "preset.json"),
                settings=str(folder / "settings.json"),
                weave_off=("### Task:*",),
                replies=ReplyRules(
                    hide_updates=True,
                    scripts=(str(folder / "loud.json"),),
                    preset_scripts=True,
                    card_scripts=True,
                ),
            ),
            "aria@claude": Route(name="aria@claude", upstream="claude", auth="passthrough", weave=False),
        },
        default_route="aria",
        file=str(folder / "lorewright.toml"),
    )


def test_nothing_is_needed():
    assert read_configuration(None, {}) == Configuration()


def test_the_environment_wins(folder):
    given_ = {"LOREWRIGHT_HOST": "0.0.0.0", "LOREWRIGHT_PORT": "0", "LOREWRIGHT_TOKEN": "t"}
    found = read(folder, "[listen]\nport = 1\n", given_)

    assert (found.listen.host, found.listen.port) == ("0.0.0.0", 0)
    assert found.tokens == (Token(owner="local", secret=Secret("t"), is_admin=True),)


BAD = """
default_root = "aria"
default_route = "nowhere"
[listen]
host = "0.0.0.0"
port = 70000
hosts = ["https://x"]
cors_origins = ["*", "https://a.example/path"]
[limits]
weave_seconds = "3"
body_bytes = true
[upstreams.local]
kind = "ollama"
apis = ["chats"]
[upstreams.mirror]
base_url = "ftp://x"
[upstreams.third]
base_url = "http://max:secret@host/v1"
key = "sk-secret"
[routes.aria]
upstream = "lokal"
books = ["missing.json", 3]
profile = "tavern"
auth = "both"
persona = "a"
persona_file = "b"
wave = false
[[tokens]]
token = { env = "A", file = "B" }
[[tokens]]
owner = "ada"
token = { env = "NOT_SET" }
"""


def test_all_problems_are_said_at_once(folder):
    found = problems(folder, BAD)
    keys = sorted(one.partition(": ")[0] for one in found)

    assert keys == sorted(
        [
            *("default_root", "default_route", "listen.host", "listen.port", "listen.hosts"),
            *("listen.cors_origins", "listen.cors_origins", "limits.weave_seconds", "limits.body_bytes"),
            *("upstreams.local.kind", "upstreams.local.apis", "upstreams.local.base_url"),
            *("upstreams.mirror", "upstreams.mirror.base_url", "upstreams.third.base_url", "upstreams.third.key"),
            *("routes.aria.upstream", "routes.aria.books[1].file", "routes.aria.books[2]", "routes.aria.profile"),
            *("routes.aria.auth", "routes.aria.persona_file", "routes.aria.wave"),
            *("tokens[1].owner", "tokens[1].token", "tokens[2].token.env"),
        ]
    )
    assert "did you mean `weave`?" in next(one for one in found if "wave" in one)
    assert "70000" in next(one for one in found if "listen.port" in one)
    assert "65,535" in next(one for one in found if "listen.port" in one)
    assert "there are: mirror, local" in next(one for one in found if "routes.aria.upstream" in one)
    assert "secret" not in "".join(one for one in found if "third" in one).replace("a secret does not stand", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = [", "this is no TOML"),
        ("x = " + "[" * 5000, "this is no TOML"),
        ("routes = 3", "routes: this is `3`; a table is wanted"),
        ("[routes]\na = 3", "routes.a: this is `3`; a table is wanted"),
        ('[routes.a]\nupstream="mirror"\nreplies = true', "routes.a.replies: this is `true`; a table is wanted"),
        ("[routes.a.replies]\nhide_update = true", "did you mean `hide_updates`?"),
        ('[routes.a.replies]\nscripts = ["none.json"]', "routes.a.replies.scripts[1].file: there is no file"),
        ("[routes.a.replies]\ncard_scripts = true", "routes.a.replies.card_scripts: the route has no `card`"),
        ("tokens = 3", "tokens: this is `3`; a list is wanted"),
        ("tokens = [3]", "tokens[1]: this is `3`; a table is wanted"),
        ('[routes." "]\nupstream="mirror"', "a name has 1 to 200"),
        ('[upstreams.a]\nbase_url = "http://[::1"', "is no base URL"),
        ('[upstreams.a]\nbase_url = "http://a:b/"', "is no base URL"),
        ('[upstreams.a]\nbase_url = "http://a/?key=1"', "is no base URL"),
        ('[upstreams.a]\nbase_url = "http://a/"\napis = []', "the list is empty"),
        ('[upstreams.a]\nbase_url = "http://a/"\nkey = {}', "it names 0 places"),
        ('[upstreams.a]\nbase_url = "http://a/"\nkey = { keyring = "x" }', "SERVICE/USER"),
        ('[upstreams.a]\nbase_url = "http://a/"\nkey = { file = "none.key" }', "cannot be read"),
        ('[upstreams.a]\nbase_url = "http://a/"\nkey = { env = 3 }', "a text of 1 to"),
    ],
)
def test_said(text, said, folder):
    assert any(said in one for one in problems(folder, text))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.toml"):
        read_configuration(str(tmp_path / "none.toml"), {})


@pytest.mark.skipif(os.name != "posix", reason="rights of files are those of POSIX")
@pytest.mark.parametrize("rights", [0o644, 0o640, 0o604, 0o660, 0o601])
def test_a_key_that_others_can_read_is_refused(rights, folder):
    (folder / "claude.key").chmod(rights)

    [found] = problems(folder, '[upstreams.a]\nbase_url = "http://a/"\nkey = { file = "claude.key" }')

    assert f"{rights:04o}" in found
    assert "chmod 600" in found
    assert "sk-claude" not in found


KEY = '[upstreams.a]\nbase_url = "http://a/"\nkey = { env = "KEY" }'


@pytest.mark.parametrize("value", ["a b", "sk\r\nx-evil: 1", "schlüssel", "\x00", "x" * 5000])
def test_what_is_no_key_is_refused_and_not_shown(value, folder):
    [found] = problems(folder, KEY, {"KEY": value})

    assert value not in found


def test_a_key_of_the_keyring(folder, monkeypatch):
    text = KEY.replace('env = "KEY"', 'keyring = "lorewright/openai"')
    store = {("lorewright", "openai"): "sk-ring"}
    ring = types.SimpleNamespace(get_password=lambda service, user: store.get((service, user)))
    monkeypatch.setitem(sys.modules, "keyring", ring)

    assert read(folder, text).upstreams["a"].key == Secret("sk-ring")

    store.clear()
    assert "has nothing for `lorewright/openai`" in problems(folder, text)[0]

    ring.get_password = lambda *_: 1 / 0
    assert "did not answer (ZeroDivisionError)" in problems(folder, text)[0]

    monkeypatch.setitem(sys.modules, "keyring", None)
    assert "pip install 'lorewright[keyring]'" in problems(folder, text)[0]


def test_a_token_is_nobody_elses_secret(folder):
    token = '[[tokens]]\nowner = "a"\ntoken = { env = "KEY" }\n'

    assert "two of them" in problems(folder, token + token, {"KEY": "k"})[0]
    assert "key of an upstream" in problems(folder, token + KEY, {"KEY": "k"})[0]


def test_no_secret_is_shown_by_a_record(folder):
    found = read(folder, EVERYTHING, {"TOKEN_MAX": "t-max"})

    assert "t-max" not in repr(found)
    assert "sk-claude" not in repr(found)
    assert "t-max" not in f"{found.tokens[0].secret}"


@pytest.mark.parametrize(
    ("base", "kind", "chat", "messages", "models"),
    [
        ("http://a/v1", "openai", "http://a/v1/chat/completions", "http://a/v1/messages", "http://a/v1/models"),
        ("http://a", "openai", "http://a/v1/chat/completions", "http://a/v1/messages", "http://a/v1/models"),
        ("http://a/x/openai/", "openai", "http://a/x/openai/chat/completions", None, "http://a/x/openai/models"),
        ("https://a", "anthropic", "https://a/v1/chat/completions", "https://a/v1/messages", "https://a/v1/models"),
        ("https://a/v1/", "anthropic", "https://a/v1/chat/completions", "https://a/v1/messages", "https://a/v1/models"),
        (
            "https://a/b",
            "anthropic",
            "https://a/b/v1/chat/completions",
            "https://a/b/v1/messages",
            "https://a/b/v1/models",
        ),
    ],
)
def test_addresses_below_a_base(base, kind, chat, messages, models, folder):
    from lorewright.gateway.endpoints import ENDPOINTS

    found = read(folder, f'[upstreams.a]\nbase_url = "{base}"\nkind = "{kind}"').upstreams["a"]

    assert found.url_of(ENDPOINTS["chat"]) == chat
    assert messages is None or found.url_of(ENDPOINTS["messages"]) == messages
    assert found.models_url == models


TOML_VALUES = st.sampled_from(["1", "-1", "true", '"x"', "[]", "{}", "1.5", "1979-05-27", "[{}]", '["a"]', "nan"])
KEYS = [line.partition(" =")[0] for line in EVERYTHING.splitlines() if " = " in line]


@given(lines=st.lists(st.sampled_from(EVERYTHING.splitlines()) | st.tuples(st.sampled_from(KEYS), TOML_VALUES)))
def test_whatever_a_file_says_it_is_read_or_refused_with_reasons(lines, tmp_path_factory):
    folder = tmp_path_factory.mktemp("any")
    text = "\n".join(line if isinstance(line, str) else " = ".join(line) for line in lines)
    refused: SettingsError | None = None
    try:
        read(folder, text, {"TOKEN_MAX": "t"})
    except SettingsError as error:
        refused = error
    assert refused is None or refused.facts["problems"]
