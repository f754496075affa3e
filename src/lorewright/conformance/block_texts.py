"""The suite `interpolate` of seed 000: paths in blocks of a prompt; the schema is in conformance/mvu/README.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lorewright.conformance.outcome import Outcome, compare
from lorewright.core.protocols import Tools
from lorewright.templates.bme import fill_block

__all__ = ["run_blocks"]


def run_blocks(document: Mapping[str, Any], suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of one file; they need no tools."""
    del tools
    for case in document["cases"]:
        answer = {"text": fill_block(case["input"]["template"], document["context"]).text}
        yield Outcome(suite, file, str(case["id"]), tuple(compare("result", case["expected"], answer)))
