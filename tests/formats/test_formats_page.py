"""The page of formats says what the tables of the program say."""

import runpy
from pathlib import Path

from lorewright.formats.kinds import KINDS
from lorewright.formats.write import WRITERS

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_up_to_date():
    script = runpy.run_path(str(ROOT / "scripts" / "write_formats_page.py"))
    text = (ROOT / "docs" / "reference" / "formats.md").read_text("utf-8")

    assert text == script["page"](text), "run `python scripts/write_formats_page.py`"


def test_what_is_written_is_read():
    assert [to for to in WRITERS if "book" not in KINDS[to].reads] == []
