"""A version of a preset, a card or a persona was seen for the first time."""

from dataclasses import dataclass

from lorewright.storage.image import Ref

__all__ = ["ThingStored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThingStored:
    """kind: `preset`, `card` or `persona`. name: the text that holds its name, which may be a person's and can be erased.
    thing: the text that holds the version; a preset's prompts are texts of their own, so that a later version only adds
    what changed."""

    kind: str
    name: Ref
    thing: Ref
