"""The tables of a configuration file, each with its record. What is wrong is noted in the table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, get_args
from urllib.parse import urlsplit

from lorewright.core.policy import PROFILES, Placement
from lorewright.gateway.configuration import Auth, BookFile, Limits, Listen, ReplyRules, Route, Token, Upstream
from lorewright.gateway.endpoints import ENDPOINTS, OF_KIND, Kind
from lorewright.gateway.secret_source import read_named_secret
from lorewright.gateway.table import Table
from lorewright.providers.dialect import Dialect

__all__ = ["read_limits", "read_listen", "read_route", "read_tokens", "read_upstream"]

_NAME: Final = 200
_TEXT: Final = 100_000
_MIB: Final = 1024 * 1024
_BOOK_SOURCES: Final = ("global", "character", "chat", "persona")


def read_listen(table: Table) -> Listen:
    default = Listen()
    host = table.text("host", default.host, longest=_NAME)
    hosts = frozenset(name.lower() for name in table.texts("hosts"))
    for name in sorted(name for name in hosts if not name.isascii() or set(name) & set("/:*@ ")):
        table.note("hosts", f"`{name:.60}` is no host name; write it without scheme, port and `*`.")
    origins = table.texts("cors_origins")
    for origin in origins:
        if not _is_origin(origin):
            table.note("cors_origins", f"`{origin:.60}` is no origin; write SCHEME://HOST or SCHEME://HOST:PORT.")
    port = table.whole("port", default.port, 0, 65_535)
    table.finish()
    return Listen(host=host, port=port, hosts=hosts, cors_origins=frozenset(origins))


def _is_origin(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return bool(parts.scheme and parts.hostname) and f"{parts.scheme}://{parts.netloc}" == text and "@" not in text
    except ValueError:
        return False


def read_limits(table: Table) -> Limits:
    default = Limits()
    found = Limits(
        body_bytes=table.whole("body_bytes", default.body_bytes, 1024, 1024 * _MIB),
        connect_seconds=table.seconds("connect_seconds", default.connect_seconds, 0.1, 600),
        idle_seconds=table.seconds("idle_seconds", default.idle_seconds, 0.1, 86_400),
        weave_seconds=table.seconds("weave_seconds", default.weave_seconds, 0.01, 60),
    )
    table.finish()
    return found


def read_tokens(top: Table, folder: Path, environment: Mapping[str, str]) -> tuple[Token, ...]:
    """Every `[[tokens]]` of the whole file."""
    tokens = []
    for number, row in enumerate(top.rows("tokens"), 1):
        table = Table(row, f"tokens[{number}]", top.problems)
        owner = table.text("owner", "", longest=_NAME)
        is_admin = table.flag("admin", default=False)
        secret = read_named_secret(table, "token", folder, environment)
        if not table.has("owner"):
            table.note("owner", "this key is missing. Name whose token it is.")
        if not table.has("token"):
            table.note("token", "this key is missing. Say where the token is kept.")
        table.finish()
        if owner and secret is not None:
            tokens.append(Token(owner=owner, secret=secret, is_admin=is_admin))
    return tuple(tokens)


def read_upstream(name: str, table: Table, folder: Path, environment: Mapping[str, str]) -> Upstream:
    kind: Kind = table.choice("kind", get_args(Kind), "openai")
    found = Upstream(
        name=name,
        base_url=_read_base_url(table),
        kind=kind,
        apis=frozenset(_read_apis(table)) or OF_KIND[kind],
        key=read_named_secret(table, "key", folder, environment),
        models=table.texts("models"),
        dialect=Dialect(
            system_in_middle=table.flag("system_in_middle", default=kind == "openai"),
            roles_must_alternate=table.flag("roles_must_alternate", default=False),
            sampling=table.flag("sampling", default=True),
            max_tokens=table.choice("max_tokens", ("max_tokens", "max_completion_tokens"), "max_tokens"),
        ),
        usage_in_stream=table.flag("usage_in_stream", default=False),
        prompt_cache_key=table.flag("prompt_cache_key", default=False),
    )
    table.finish()
    return found


def _read_apis(table: Table) -> list[Any]:
    apis = table.texts("apis")
    for api in apis:
        if api not in ENDPOINTS:
            table.note("apis", f"`{api:.60}` is none; allowed: {', '.join(ENDPOINTS)}.")
    if table.raw("apis") == []:
        table.note("apis", f"the list is empty; leave it out, or name some of: {', '.join(ENDPOINTS)}.")
    return [api for api in apis if api in ENDPOINTS]


def _read_base_url(table: Table) -> str:
    """Without a slash at its end. A bare server is taken to have its API below `/v1`."""
    if not table.has("base_url"):
        table.note("base_url", "this key is missing. Write the server's address, such as http://127.0.0.1:8080/v1.")
    text = table.text("base_url", "")
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    if parts.username is not None or parts.password is not None or "@" in parts.netloc:
        table.note(
            "base_url", "there is a name or password in it. Leave it out, and say in `key` where the key is kept."
        )
        return ""
    if not text:
        return ""
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment or " " in text:
        table.note("base_url", f"`{text:.80}` is no base URL; write http(s)://HOST[:PORT]/PATH without `?` and `#`.")
        return ""
    bare = text.rstrip("/")
    return bare if urlsplit(bare).path else f"{bare}/v1"


def read_route(name: str, table: Table, folder: Path) -> Route:
    if not table.has("upstream"):
        table.note("upstream", "this key is missing. Name the upstream that answers.")
    found = Route(
        name=name,
        upstream=table.text("upstream", "", longest=_NAME),
        model=table.text("model", None, longest=_NAME),
        auth=table.choice("auth", get_args(Auth), "upstream"),
        weave=table.flag("weave", default=True),
        weave_off=table.texts("weave_off"),
        profile=table.choice("profile", PROFILES, "native"),
        placement=table.choice("placement", get_args(Placement), None),
        books=tuple(_read_books(table, folder)),
        card=_read_file(table, "card", folder),
        persona=_read_prose(table, "persona"),
        persona_file=_read_file(table, "persona_file", folder),
        user=table.text("user", None, longest=_NAME),
        preset=_read_file(table, "preset", folder),
        settings=_read_file(table, "settings", folder),
        replies=_read_replies(table.table("replies"), folder),
    )
    for file, flag in (("preset", found.replies.preset_scripts), ("card", found.replies.card_scripts)):
        if flag and getattr(found, file) is None:
            table.note(f"replies.{file}_scripts", f"the route has no `{file}`. Name its file, or leave this key out.")
    if found.persona is not None and found.persona_file is not None:
        table.note("persona_file", "`persona` is there, too. Give one of them.")
    table.finish()
    return found


def _read_books(table: Table, folder: Path) -> list[BookFile]:
    """A list of files, or of `{ file = "…", source = "character" }`."""
    books = []
    for number, row in enumerate(table.rows("books"), 1):
        one = Table({"file": row} if isinstance(row, str) else row, f"{table.key}.books[{number}]", table.problems)
        source = one.choice("source", _BOOK_SOURCES, "global")
        file = _read_file(one, "file", folder)
        one.finish()
        if file is not None:
            books.append(BookFile(file, source))
    return books


def _read_replies(table: Table, folder: Path) -> ReplyRules:
    files = []
    for number, name in enumerate(table.texts("scripts"), 1):
        one = Table({"file": name}, f"{table.key}.scripts[{number}]", table.problems)
        files.append(_read_file(one, "file", folder))
    found = ReplyRules(
        hide_updates=table.flag("hide_updates", default=False),
        scripts=tuple(file for file in files if file is not None),
        preset_scripts=table.flag("preset_scripts", default=False),
        card_scripts=table.flag("card_scripts", default=False),
    )
    table.finish()
    return found


def _read_prose(table: Table, name: str) -> str | None:
    """A text that may have lines."""
    value = table.raw(name)
    if value is None or (isinstance(value, str) and len(value) <= _TEXT):
        return value
    table.note(name, f"a text of at most {_TEXT:,} characters is wanted.")
    return None


def _read_file(table: Table, name: str, folder: Path) -> str | None:
    """The absolute path of a file, which must be there."""
    text = table.text(name, "")
    if not text:
        return None
    path = folder / Path(text).expanduser()
    try:
        is_there = path.is_file()
    except (OSError, ValueError):
        is_there = False
    if not is_there:
        table.note(name, f"there is no file `{path}`. Paths begin at the folder of the configuration.")
        return None
    return str(path)
