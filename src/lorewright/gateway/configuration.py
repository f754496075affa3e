"""What the gateway is told: records without behaviour, but for small questions about themselves.

`configuration_file.py` reads them; `docs/reference/configuration.md` describes every key.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from ipaddress import ip_address
from typing import Final, Literal

from lorewright.core.model import Source
from lorewright.core.policy import Placement
from lorewright.gateway.endpoints import OF_KIND, Endpoint, EndpointName, Kind
from lorewright.providers.dialect import Dialect

__all__ = [
    "MIRROR",
    "Auth",
    "BookFile",
    "Configuration",
    "Limits",
    "Listen",
    "ReplyRules",
    "Route",
    "Secret",
    "Token",
    "Upstream",
    "is_loopback",
]

MIRROR: Final = "mirror"
"""The upstream that is built in, and the model that is always there: it answers with the prompt."""
Auth = Literal["upstream", "passthrough"]
"""Whose key goes upstream: that of the configuration, or the client's own."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A key or token. It is in no `repr`, so in no log and no error."""

    value: str = field(repr=False)

    def __str__(self) -> str:
        return "(secret)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """A model server. `base_url` is written without a slash at its end."""

    name: str
    base_url: str
    kind: Kind = "openai"
    apis: frozenset[EndpointName] = OF_KIND["openai"]
    key: Secret | None = None
    models: tuple[str, ...] = ()
    """Patterns (`gpt-*`) of the model names that are sent here."""
    dialect: Dialect = field(default_factory=Dialect)
    usage_in_stream: bool = False
    """Whether a streamed chat may be asked for its usage (`stream_options.include_usage`)."""
    prompt_cache_key: bool = False
    """Whether requests may name a key for its prompt cache."""

    def url_of(self, endpoint: Endpoint, rest: str = "") -> str:
        """Where an API is. A base with `/v1` at its end and one without are both understood (Anthropic's has none)."""
        return f"{self._base_of(endpoint.kind)}{endpoint.path.removeprefix('/v1')}{rest}"

    @property
    def models_url(self) -> str:
        return f"{self._base_of(self.kind)}/models"

    def _base_of(self, kind: Kind) -> str:
        """OpenAI's base may end in anything (`/v1beta/openai`); everything of Anthropic is below `/v1`."""
        if kind == self.kind == "openai":
            return self.base_url
        return f"{self.base_url.removesuffix('/v1')}/v1"

    def speaks(self, endpoint: Endpoint) -> bool:
        return endpoint.name in self.apis


@dataclass(frozen=True, slots=True)
class BookFile:
    """A book of a route, and in whose name it is active."""

    file: str
    source: Source = "global"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyRules:
    """What a route changes in replies on their way to the client; by default nothing. scripts: files with regex scripts."""

    hide_updates: bool = False
    scripts: tuple[str, ...] = ()
    preset_scripts: bool = False
    card_scripts: bool = False

    @property
    def has_scripts(self) -> bool:
        return bool(self.scripts) or self.preset_scripts or self.card_scripts

    @property
    def is_on(self) -> bool:
        return self.hide_updates or self.has_scripts


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A model name that clients can choose, and what is woven into its requests. Files are absolute paths."""

    name: str
    upstream: str
    model: str | None = None
    """The model's name upstream; without one the name that the client sent."""
    auth: Auth = "upstream"
    weave: bool = True
    weave_off: tuple[str, ...] = ()
    """Patterns of the newest message of the user; a request that has one is passed through."""
    profile: str = "native"
    placement: Placement | None = None
    books: tuple[BookFile, ...] = ()
    card: str | None = None
    persona: str | None = None
    """The text that describes the user."""
    persona_file: str | None = None
    """The same as a file: a persona of ours or of SillyTavern."""
    user: str | None = None
    """The user's name."""
    preset: str | None = None
    settings: str | None = None
    replies: ReplyRules = ReplyRules()

    def weaves(self, newest_text: str) -> bool:
        """Whether a request is woven whose newest message of the user is this."""
        return self.weave and not any(fnmatchcase(newest_text, pattern) for pattern in self.weave_off)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """Who may come in: `owner` sees what belongs to this name; an admin sees everybody's."""

    owner: str
    secret: Secret
    is_admin: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Listen:
    """The address. hosts: more names under which clients reach it. cors_origins: pages that may call it."""

    host: str = "127.0.0.1"
    port: int = 8111
    hosts: frozenset[str] = frozenset()
    cors_origins: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    body_bytes: int = 32 * 1024 * 1024
    """Of a request."""
    connect_seconds: float = 10.0
    """To reach an upstream."""
    idle_seconds: float = 600.0
    """Between two pieces of a reply, the first included: a local model may read its prompt for minutes."""
    weave_seconds: float = 3.0
    """For weaving; a request that takes longer is sent as it came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Everything. default_route: takes model names that nothing else takes."""

    listen: Listen = Listen()
    limits: Limits = Limits()
    tokens: tuple[Token, ...] = ()
    upstreams: dict[str, Upstream] = field(default_factory=dict)
    routes: dict[str, Route] = field(default_factory=dict)
    default_route: str | None = None
    rules: str | None = None
    """The rules file that `/lorebook-prompt` edits; it need not be there yet."""
    state: str | None = None
    """The ledger file in which turns are recorded; None: one in the folder of the user's data."""
    file: str | None = None
    """Where it was read from."""


def is_loopback(host: str) -> bool:
    """Whether only this computer reaches an address; `host` is a name or an address, IPv6 with or without brackets."""
    bare = host.strip("[]").lower()
    if bare == "localhost":
        return True
    try:
        return ip_address(bare).is_loopback
    except ValueError:
        return False
