"""A policy was used for the first time, or again after another one."""

from dataclasses import dataclass

from lorewright.storage.image import Ref

__all__ = ["PolicyStored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyStored:
    """name: of the profile. policy: all its switches and settings."""

    name: str
    policy: Ref
