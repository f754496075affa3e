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
from lorewright.templates.rendered import Kind, Rendered
from lorewright.templates.signs import in_braces as is_template

__all__ = ["is_template", "render"]

_REFERENCE: Final = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}", re.ASCII)
_OUTPUT: Final = 1_000_000


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
    found = [(one[0], one[1]) for one in _REFERENCE.finditer(text)]
    reads = frozenset(f"variable:{name}" for _, name in found)
    kinds: frozenset[Kind] = frozenset({"state"} if found else ())
    size = len(text) + sum(len(variables.get(name) or "") - len(written) for written, name in found)
    if size > max(output, len(text)):
        problem = f"The rendered text has {size:,} characters; {output:,} are allowed. It stays as it was."
        code = "macro_output_limit"
    else:
        try:
            return Rendered(interpolate(text, variables, where), kinds, reads)
        except PromptError as error:
            problem, code = error.message, "reference_failed"
    return Rendered(text, kinds, reads, reports=(Report(code=code, message=problem, level="error"),))
