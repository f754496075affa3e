"""What the host knows beside the chat: a file of facts (`--facts`), and the texts of a card that only macros show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from lorewright.cli.files import about_file, read_text
from lorewright.core.model import Report
from lorewright.errors import InputError
from lorewright.formats.card import Card, find_data
from lorewright.formats.imported import Notes
from lorewright.mvu.addons import OWN_CHECKS, checks_itself

__all__ = ["facts_of_card", "read_facts", "variables_of_card"]

_GREETING: Final = "greeting"
_FIELDS: Final = {
    "first_mes": "first_message",
    "mes_example": "examples",
    "system_prompt": "card_prompt",
    "post_history_instructions": "card_instruction",
    "character_version": "card_version",
    "nickname": "nickname",
}


def facts_of_card(card: Card) -> Mapping[str, object]:
    """The texts of a card that are not in `card.character`, as facts. What is no text is left out."""
    data = _data_of(card)
    found: dict[str, object] = {
        fact: data[field] for field, fact in _FIELDS.items() if isinstance(data.get(field), str) and data[field]
    }
    greetings = data.get("alternate_greetings")
    if isinstance(greetings, list) and greetings and all(isinstance(one, str) for one in greetings):
        found["alternate_greetings"] = greetings
    return found


def variables_of_card(card: Card) -> Mapping[str, object]:
    """What a card says of how its variables are played."""
    return {OWN_CHECKS: True} if checks_itself(_data_of(card).get("extensions")) else {}


def _data_of(card: Card) -> Any:
    data: Any = card.data
    for name in find_data(card.data):
        data = data[name]
    return data


def read_facts(given: str | None, reports: list[Report]) -> tuple[Mapping[str, object], int | None]:
    """The facts of a JSON object, or of a file with JSON or YAML, and which greeting the chat began with, if it says so.

    What is odd about the file, such as a name that stands there twice, is added to `reports`.

    Raises:
        InputError: it cannot be read, or says something that is no fact.
    """
    if given is None:
        return {}, None
    from lorewright.formats.native.read import parse_native
    from lorewright.templates.host_facts import check_facts

    is_object = given.lstrip().startswith("{")
    with about_file("--facts" if is_object else given):
        notes = Notes()
        value = parse_native(given if is_object else read_text(given), notes)
        reports += (replace(report, message=f"Facts: {report.message}") for report in notes.reports())
        if not isinstance(value, dict):
            return check_facts(value), None
        greeting = value.pop(_GREETING, None)
        if greeting is not None and (isinstance(greeting, bool) or not isinstance(greeting, int) or greeting < 0):
            raise InputError(
                f"`{_GREETING}` is a whole number, 0 for the first message of the card; not {greeting!r:.40}."
            )
        return check_facts(value), greeting
