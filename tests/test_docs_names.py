"""Every public name has its line on the page of the Python API."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_every_public_name_is_on_the_page():
    text = (ROOT / "docs" / "reference" / "python-api.md").read_text("utf-8")
    lines = [line for line in text.splitlines() if line.startswith("|")]
    names = (ROOT / "tests" / "public_names.txt").read_text("utf-8").split()
    missing = [name for name in names if not any(line.startswith((f"| `{name}`", f"| `{name}(")) for line in lines)]

    assert missing == []


def test_the_index_lists_every_page():
    docs = ROOT / "docs"
    index = (docs / "index.md").read_text("utf-8")
    pages = [path.relative_to(docs).as_posix() for path in sorted(docs.rglob("*.md")) if path.name != "index.md"]
    missing = [page for page in pages if f"({page})" not in index]

    assert missing == []
