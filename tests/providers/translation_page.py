"""The tables of docs/reference/translation.md, written from those in the code.

`python -m tests.providers.translation_page` brings the page up to date; a test says when it is not.
"""

import itertools
import re
from pathlib import Path

from lorewright.providers.translation.chat_reply import CHAT_REPLY
from lorewright.providers.translation.chat_request import CHAT_TO_MESSAGES
from lorewright.providers.translation.messages_reply import MESSAGES_EVENTS, MESSAGES_REPLY
from lorewright.providers.translation.messages_request import MESSAGES_TO_CHAT
from lorewright.providers.translation.responses_request import RESPONSES_TO_CHAT
from lorewright.providers.translation.responses_writing import RESPONSES_EVENTS
from lorewright.providers.translation.table import Table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "translation.md"
TABLES = {
    "chat-request": CHAT_TO_MESSAGES,
    "messages-request": MESSAGES_TO_CHAT,
    "responses-request": RESPONSES_TO_CHAT,
    "chat-reply": CHAT_REPLY,
    "messages-reply": MESSAGES_REPLY,
    "messages-events": MESSAGES_EVENTS,
    "responses-events": RESPONSES_EVENTS,
}


def lines_of(table: Table) -> list[str]:
    """A table in Markdown; neighbours with one verdict for one reason share a line."""
    lines = ["| what | verdict | where to, or why not |", "|---|---|---|"]
    for row, group in itertools.groupby(table.rows.items(), key=lambda item: item[1]):
        paths = ", ".join(f"`{path}`" for path, _ in group)
        unless = f", unless `{row.unless}`" if row.unless else ""
        lines.append(f"| {paths} | {row.verdict}{unless} | {row.note} |")
    return lines


def filled(page: str) -> str:
    """The page with its tables as the code has them."""
    for name, table in TABLES.items():
        begin, end = f"<!-- table: {name} -->", "<!-- end -->"
        body = "\n".join(lines_of(table))
        pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        if len(places := pattern.findall(page)) != 1:
            raise ValueError(f"The page has {len(places)} places for the table `{name}`.")
        page = page.replace(places[0], f"{begin}\n\n{body}\n\n{end}")
    return page


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text("utf-8")), "utf-8", newline="\n")
