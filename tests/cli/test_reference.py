"""The page of commands knows every command and option, and none that do not exist."""

import re
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest
import typer.main
from typer.testing import CliRunner

from lorewright.cli.app import app

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "cli.md"
TEXT = PAGE.read_text("utf-8")
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
OPTIONS = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
EVERYWHERE = {"--help", "--version"}


def section(name: str) -> str:
    """What stands below the heading of a command."""
    found = re.search(rf"(?ms)^## {name}\n(.*?)(?=^## |\Z)", TEXT)
    return found[1] if found else ""


def options(name: str) -> dict[str, list[str]]:
    """The options of a command and of those below it, each with the values it takes (none: any)."""
    found: dict[str, list[str]] = {}
    command = COMMANDS[name]
    inner = getattr(command, "commands", {}).values()
    for parameter in (parameter for one in (command, *inner) for parameter in one.params):
        if parameter.param_type_name == "option":
            annotation = parameter.type_descriptor.annotation
            values = list(get_args(annotation)) if get_origin(annotation) is Literal else []
            found |= dict.fromkeys(parameter.opts, values)
    return found


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_option_is_explained(name):
    text = section(name)
    assert text, f"docs/reference/cli.md has no section for `{name}`"
    if "All options of [`weave`]" in text:
        text += section("weave")
    wanted = {option: values for option, values in options(name).items() if option.startswith("--")}
    missing = [option for option in wanted if option not in EVERYWHERE and not re.search(rf"`{option}[` ]", text)]
    missing += [f"{option} {value}" for option in wanted for value in wanted[option] if f"`{value}`" not in text]

    assert missing == []


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_no_option_is_invented(name):
    known = {*options(name), *EVERYWHERE}
    if name in ("explain", "cache-sim"):
        known |= set(options("weave"))
    table = "\n".join(line.split("|")[1] for line in section(name).splitlines() if line.startswith("|"))

    assert sorted(set(OPTIONS.findall(table)) - known) == []


def test_commands_that_weave_have_the_options_of_weave():
    written = {"--ledger", "--full", "--save-chat", "--force"}
    assert set(options("weave")) - set(options("explain")) == written
    own = {"--chat", *written, "--spoilers", "--placement", "--state"}  # its chat is no option
    assert set(options("weave")) - set(options("cache-sim")) == own


def test_both_general_options_are_explained():
    assert all(f"`lorewright {option}`" in TEXT for option in EVERYWHERE)


@pytest.mark.parametrize("group", [(), ("ledger",), ("rules",)], ids=lambda group: " ".join(group) or "all")
def test_no_description_of_a_command_is_cut(group):
    shown = CliRunner().invoke(app, [*group, "--help"], env={"COLUMNS": "80"}, terminal_width=80).stdout
    lines = shown.partition("Commands:")[2].splitlines()
    assert len(lines) > 3
    assert [line for line in lines if line.endswith("...")] == []
