"""A program loads what it uses: the first weave of a plain book needs no dialect, no ledger and no other format."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import lorewright

ROOT = Path(__file__).resolve().parent.parent
CHAT = ROOT / "examples" / "01-engine-only" / "chat.jsonl"
NOT_NEEDED = (
    *("lorewright.ledger", "lorewright.rules", "lorewright.storage.sqlite", "sqlite3", "lorewright.lint"),
    *("lorewright.core.passes", "lorewright.core.row_places", "lorewright.formats.risu_lorebook"),
    *(
        "lorewright.formats.write",
        "lorewright.formats.markdown",
        "lorewright.formats.novelai",
        "lorewright.formats.kobold",
    ),
    *(
        "lorewright.formats.agnai",
        "lorewright.formats.archive",
        "lorewright.formats.png_card",
        "lorewright.formats.byaf",
    ),
    *("lorewright.gateway", "lorewright.providers", "starlette", "uvicorn", "aiohttp", "asyncio"),
    *("lorewright.mvu.session", "lorewright.mvu.initial", "lorewright.templates.message_variables"),
    *("lorewright.formats.charx", "lorewright.formats.static_knowledge", "lorewright.formats.containers"),
)
DIALECTS = ("sillytavern", "legacy", "cbs", "rules", "bme", "host_strict")
PROGRAM = """
import sys, io, contextlib
from lorewright.cli.app import main
with contextlib.redirect_stdout(io.StringIO()):
    code = main(sys.argv[1:])
print(code, *sys.modules)
"""


def run(program, *words):
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)
    return done.stdout.split()


def loaded_by_weave(folder, content):
    book = folder / "world.json"
    entry = {"uid": 0, "key": ["gale"], "content": content, "constant": True, "comment": "", "position": 0}
    book.write_text(json.dumps({"entries": {"0": entry}}), "utf-8")
    code, *modules = run(PROGRAM, "weave", str(book), "--chat", str(CHAT))
    assert code == "0"
    return set(modules)


def among(modules, names):
    return sorted(name for name in modules if any(name == one or name.startswith(f"{one}.") for one in names))


def test_the_first_weave_of_a_plain_book_loads_what_it_needs(tmp_path):
    modules = loaded_by_weave(tmp_path, "The wind rises.")

    assert among(modules, NOT_NEEDED) == []
    assert among(modules, [f"lorewright.templates.{name}" for name in DIALECTS]) == []


def test_a_macro_loads_its_own_dialect_only(tmp_path):
    modules = loaded_by_weave(tmp_path, "{{user}} waits.")
    others = [f"lorewright.templates.{name}" for name in DIALECTS if name != "sillytavern"]

    assert "lorewright.templates.sillytavern.render" in modules
    assert among(modules, others) == []


def test_importing_the_package_loads_nothing_else():
    modules = run("import sys, lorewright; print(*sys.modules)")

    assert among(modules, ["lorewright"]) == ["lorewright"]


def test_every_public_name_is_where_the_package_says():
    for name in lorewright.__all__:
        value = getattr(lorewright, name)
        assert name in dir(lorewright)
        home = lorewright._HOMES[name]
        assert getattr(sys.modules[home], name) is value

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        lorewright.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_type_checkers_see_what_is_loaded():
    """The imports for type checkers and the table of modules are one list, written twice."""
    source = (ROOT / "src" / "lorewright" / "__init__.py").read_text("utf-8")
    names: dict[str, object] = {}
    block = source.split("if TYPE_CHECKING:\n")[1].split("\n__version__")[0]
    exec("\n".join(line.removeprefix("    ") for line in block.splitlines()), names)
    names.pop("__builtins__")

    assert sorted(names) == sorted(lorewright.__all__)
    assert all(names[name] is getattr(lorewright, name) for name in names)
