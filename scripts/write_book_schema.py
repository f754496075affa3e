"""Writes docs/reference/book.schema.json anew from the table of fields: `python scripts/write_book_schema.py`."""

import json
from pathlib import Path

from lorewright.formats.native.schema import make_schema

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "book.schema.json"
PAGE.write_text(json.dumps(make_schema(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
