"""The dialect `host-strict`: `{{name}}` as an agent host fills it in (spec injection-engine §1.5).

The rules are `core.system_prompt.interpolate`, where one wrong reference fails the whole turn. For a text on its own
that is a report, and the text stays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from lorewright.core.model import Report
from lorewright.core.system_prompt import interpolate
from lorewright.errors import PromptError
from lorewright.templates.rendered import Rendered

__all__ = ["is_template", "render"]

_REFERENCE: Final = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}", re.ASCII)
_OUTPUT: Final = 1_000_000


def is_template(text: str) -> bool:
    """Whether rendering could change this text; false needs no context."""
    return "{{" in text


def render(text: str, variables: Mapping[str, str | None], where: str = "text", *, output: int = _OUTPUT) -> Rendered:
    """A text with its references filled in. Values are not looked through again.

    Nothing is raised: with a reference that is malformed, unknown or without a value, or a result of more than
    `output` characters, the text stays as it is, and a report says why.

    Args:
        text: any text; without `{{` it is the result.
        variables: values by name; None: the variable exists and has no value.
        where: names the text in reports.
        output: characters of the result.
    """
    if not is_template(text):
        return Rendered(text)
    names = [found[1] for found in _REFERENCE.finditer(text)]
    reads = frozenset(f"variable:{name}" for name in names)
    size = sum(len(variables.get(name) or "") for name in names)
    if size > output:
        message = f"The rendered text has more than {output:,} characters, which are allowed. It stays as it was."
        return Rendered(text, reads=reads, reports=(Report(code="macro_output_limit", message=message, level="error"),))
    try:
        return Rendered(interpolate(text, variables, where), reads=reads, kinds=frozenset({"state"} if names else ()))
    except PromptError as error:
        return Rendered(
            text, reads=reads, reports=(Report(code="reference_failed", message=error.message, level="error"),)
        )
