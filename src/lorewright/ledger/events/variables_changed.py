"""What was said changed the variables of the conversation."""

from dataclasses import dataclass

from lorewright.storage.image import Ref

__all__ = ["VariablesChanged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VariablesChanged:
    """turn: in which it was noticed. message: the client's message that did it, from 0; -1: initial values of books.
    done, refused: numbers of commands. commands: a text that holds them: those that were carried out, each with its
    change, and those that were not, each with the code of the reason. The variables themselves are in the turn's trail."""

    turn: int
    message: int
    done: int
    refused: int
    commands: Ref
