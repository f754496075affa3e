"""What an entry with code says about itself: the lines at the top of its content, and marks in its title (spec templates
§2). They have a meaning only in books whose code may run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from lorewright.core.protocols import CodeRefusal
from lorewright.core.traits import Traits

__all__ = ["PROGRAM_LINES", "Program", "lock_program", "place_program", "read_program"]

ProgramPlace = Literal["", "before", "after"]

_MARK: Final = "@@"
_PLACES: Final[dict[str, ProgramPlace]] = {"generate_before": "before", "generate_after": "after"}
_TITLE_PLACES: Final[dict[str, ProgramPlace]] = {"[generate:before]": "before", "[generate:after]": "after"}
_NOT_FOR_PROMPTS: Final = ("render_before", "render_after")
_NOT_PLAYED: Final = ("[render:", "[generate:", "@inject")
"""How titles begin that ask for what is not played."""
PROGRAM_LINES: Final = frozenset({"if", "preprocessing", "initial_variables", *_PLACES, *_NOT_FOR_PROMPTS})
"""The names of the lines that only code gives a meaning."""
_TITLE_MARKS: Final = ("[", "@")
_SHOWN: Final = 60
_BEFORE: Final = 0
_AT_DEPTH: Final = 4


@dataclass(frozen=True, slots=True)
class Program:
    """condition: code of one line, without which holding the entry is left out. place: in front of all lore, or behind
    all messages. preprocess: keys hold code too, and recursion scans the text after the code ran. initial: the content
    is not a text but the first values of variables. refused: the line or title that is not played. mark: the first line,
    or the title, that says any of this. locked: why the entry is left out whatever else it says.
    """

    condition: str = ""
    place: ProgramPlace = ""
    preprocess: bool = False
    initial: bool = False
    refused: str = ""
    mark: str = ""
    locked: CodeRefusal | None = None


def read_program(content: str, title: str) -> Program | None:
    """The program of an entry; None if it says nothing of the kind."""
    if not (content.lstrip().startswith(_MARK) or title.lstrip().startswith(_TITLE_MARKS)):
        return None
    lines = _read_lines(content)
    name = title.strip().lower()
    refused = next((f"{_MARK}{line}" for line in _NOT_FOR_PROMPTS if line in lines), "")
    places = [place for line, place in _PLACES.items() if line in lines]
    places += [place for mark, place in _TITLE_PLACES.items() if name.startswith(mark)]
    place = places[0] if places else ""
    if not place and name.startswith(_NOT_PLAYED):
        refused = refused or title.strip()
    found = Program(
        condition=lines.get("if", ""),
        place=place,
        preprocess="preprocessing" in lines or name.startswith("[preprocessing]"),
        initial="initial_variables" in lines or name.startswith("[initialvariables]"),
        refused=refused,
    )
    if found == Program():
        return None
    mark = next((f"{_MARK}{line} {rest}".rstrip() for line, rest in lines.items() if line in PROGRAM_LINES), "")
    return replace(found, mark=(mark or title.strip())[:_SHOWN])


def lock_program(program: Program) -> Program:
    """The program of an entry in a book whose code may not run: what it asks for is not done, and nobody could say
    whether it would let the entry in."""
    message = f"`{program.mark}` counts only if you trust the book, so the entry is left out: `lorewright trust BOOK`."
    return Program(mark=program.mark, locked=CodeRefusal("book_not_trusted", message))


def place_program(traits: Traits, program: Program) -> Traits:
    """The traits with the place that the program asks for."""
    if program.place == "before":
        return replace(traits, position=_BEFORE)
    if program.place == "after":
        return replace(traits, position=_AT_DEPTH, depth=0, role=0)
    return traits


def _read_lines(content: str) -> dict[str, str]:
    """The first lines that begin with `@@`, by name; of one name the first counts."""
    found: dict[str, str] = {}
    for line in content.lstrip().split("\n"):
        if not line.startswith(_MARK):
            break
        name, _, rest = line.lstrip("@").strip().partition(" ")
        found.setdefault(name, rest.strip())
    return found
