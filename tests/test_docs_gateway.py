"""The pages about the server name every key, header and code that there is, and no others."""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from lorewright.gateway.configuration import Configuration, Limits, Listen, ReplyRules, Route, Token, Upstream
from lorewright.gateway.configuration_file import read_configuration
from lorewright.gateway.endpoints import ENDPOINTS
from lorewright.gateway.refusal import STATUSES
from lorewright.providers.dialect import Dialect

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"
CONFIGURATION = (REFERENCE / "configuration.md").read_text("utf-8")
GATEWAY = (REFERENCE / "gateway.md").read_text("utf-8")
OWN_HEADER = re.compile(r"x-lorewright-[a-z]+(?:-[a-z]+)*")


def section(title: str) -> str:
    return CONFIGURATION.split(f"\n## {title}\n")[1].split("\n## ")[0]


def keys(text: str) -> set[str]:
    return set(re.findall(r"(?m)^\| `([a-z_]+)` \|", text))


@pytest.mark.parametrize(
    ("title", "record", "unlike"),
    [
        ("`[listen]`", Listen, {}),
        ("`[limits]`", Limits, {}),
        ("`[[tokens]]`", Token, {"secret": "token", "is_admin": "admin"}),
        ("`[upstreams.NAME]`", Upstream, {"name": None}),
        ("Routes", Route, {"name": None}),
        ("`[routes.NAME.replies]`", ReplyRules, {}),
    ],
)
def test_every_key_of_a_table_is_documented(title, record, unlike):
    names = {unlike.get(field.name, field.name) for field in fields(record)} - {None}
    if "dialect" in names:
        names = names - {"dialect"} | {field.name for field in fields(Dialect)}

    assert keys(section(title)) == names


def test_every_table_is_documented():
    tables = {field.name for field in fields(Configuration)} - {"file"}

    assert all(name in section("The whole") for name in tables)


@pytest.mark.parametrize(("field"), fields(Limits), ids=lambda field: field.name)
def test_defaults_of_limits_are_true(field):
    assert f"| `{field.name}` | {field.default:g} |".replace("3.35544e+07", "33554432") in section("`[limits]`")


def test_the_example_is_a_configuration(tmp_path):
    for name in ("isles.json", "aria.json"):
        (tmp_path / name).write_text("{}", "utf-8")
    file = tmp_path / "lorewright.toml"
    file.write_text(CONFIGURATION.split("```toml\n")[1].split("```")[0], "utf-8")

    found = read_configuration(str(file), {"ANTHROPIC_API_KEY": "k"})

    assert list(found.routes) == ["aria", "aria@claude"]


HOW_TO = (ROOT / "docs" / "how-to" / "use-any-client.md").read_text("utf-8")


@pytest.mark.parametrize("number", range(HOW_TO.count("```toml\n")))
def test_the_examples_of_the_how_to_are_configurations(number, tmp_path):
    (tmp_path / "my-scripts.json").write_text("[]", "utf-8")
    file = tmp_path / "lorewright.toml"
    file.write_text(HOW_TO.split("```toml\n")[number + 1].split("```")[0], "utf-8")

    found = read_configuration(str(file), {"DEEPSEEK_API_KEY": "k", "LOREWRIGHT_TOKEN_WEBUI": "t"})

    assert found.file == str(file)


def test_every_code_is_documented_with_its_status():
    rows = re.findall(r"(?m)^\| `([a-z_]+)` \| (\d+) \|", GATEWAY)

    assert {code: int(status) for code, status in rows} == dict(STATUSES)
    assert [code for code, _ in rows] == sorted(STATUSES)


def test_every_header_of_ours_is_documented():
    source = "".join(path.read_text("utf-8") for path in (ROOT / "src" / "lorewright" / "gateway").rglob("*.py"))

    assert set(OWN_HEADER.findall(source)) == set(OWN_HEADER.findall(GATEWAY))


def test_every_field_of_a_receipt_is_documented_and_described():
    described = json.loads((REFERENCE / "gateway-api.json").read_text("utf-8"))["components"]["schemas"]
    table = GATEWAY.split("\n## Receipts\n")[1].split("\n## ")[0]
    names = {name for row in re.findall(r"(?m)^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \|", table) for name in row.split(", ")}

    line, more = described["Turn"], described["Receipt"]["allOf"][1]
    assert names == {f"`{name}`" for name in (*line["required"], *more["required"])}
    for kind in ("Request", "Reply"):
        [row] = re.findall(rf"(?m)^\| `{kind.lower()}` \| (.+) \|$", table)
        told = [name for name in described[kind]["required"] if not name.endswith("_tokens")]
        assert all(f"`{name}`" in row for name in told)
    assert line["required"] == list(line["properties"])
    assert more["required"] == list(more["properties"])


def test_every_address_is_documented():
    assert all(f"`POST {endpoint.path}`" in GATEWAY for endpoint in ENDPOINTS.values())
