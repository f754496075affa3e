"""A turn went upstream, or was about to: where to, and the hash of its body."""

from dataclasses import dataclass

from lorewright.storage.image import Ref

__all__ = ["RequestSent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSent:
    """turn: whose request it is. api: the shape of the body; model, upstream: their names. sha256: of the body, a text of
    its own, because a short message could be guessed from it; size: its bytes. dropped: what a translation left out.
    history: what was known of the conversation, in a word. conversation: the id of the upstream's stored conversation that
    it belongs to. process: which wrote it, by the name under which it says that it lives (`storage/processes.py`)."""

    turn: int
    api: str
    model: str
    upstream: str
    sha256: Ref
    size: int
    dropped: tuple[str, ...] = ()
    history: str = ""
    conversation: str = ""
    process: str = ""
