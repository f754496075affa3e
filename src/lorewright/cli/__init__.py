"""The command `lorewright`: files in, answers for people and for programs out. Nothing is decided here."""

from lorewright.cli.app import main

__all__ = ["main"]
