"""Messages of the chat as they are sent: with their numbers and names, and their macros replaced."""

from __future__ import annotations

import re
from typing import Final

from lorewright.core.layout.build import Build
from lorewright.core.layout.draft import Draft
from lorewright.core.layout.preset import Names
from lorewright.core.layout.strand import Strand

__all__ = ["as_sent", "numbered", "rendered", "sendable_name"]

_NAME: Final = re.compile(r"[A-Za-z0-9_]{1,64}")
_LONGEST_NAME: Final = 64


def sendable_name(name: str) -> str:
    """A name as providers take it: other UTF-16 units are underscores, 64 at most."""
    if _NAME.fullmatch(name):
        return name
    units = re.sub("[\U00010000-\U0010ffff]", "__", name)
    return re.sub("[^A-Za-z0-9_]", "_", units)[:_LONGEST_NAME]


def numbered(build: Build, draft: Draft, number: int) -> Draft:
    """A message of the chat as it is sent, called after its number."""
    content, sent = rendered(build, draft), as_sent(draft, number, build.preset.names)
    return sent if content is sent.content else sent._replace(content=content)


def as_sent(draft: Draft, number: int, names: Names) -> Draft:
    """The same without running any macros."""
    name = sendable_name(draft.speaker) if names == "completion" and draft.speaker else ""
    return draft._replace(id=f"chatHistory-{number}", name=name)


def rendered(build: Build, draft: Draft) -> Strand:
    """The content with its macros replaced; in `native` a message of the chat is no template."""
    is_template = draft.injected or build.desk.defects.renders_messages
    return build.desk.pen.prepare(draft.content) if is_template else draft.content
